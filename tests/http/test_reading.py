"""What is found in the bytes of a request without walking through them in Python."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.http.problem import Problem
from app.http.reading import MAX_NESTING, read
from app.rules.fields import Frozen

TEXTS = st.text(st.sampled_from('[]{}"\\a\n😀')) | st.text()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


class Anything(Frozen):
    """A request that takes any JSON in one field."""

    value: Any


def depth(value: Any) -> int:
    """Count levels as a person would."""
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


@given(value=VALUES, more=st.integers(0, 40), in_lists=st.booleans(), ascii_only=st.booleans())
@example(value="]" * 100, more=31, in_lists=True, ascii_only=False)
@example(value='"[' * 100, more=32, in_lists=False, ascii_only=True)
def test_json_is_refused_exactly_where_it_nests_deeper_than_it_may(
    *, value: Any, more: int, in_lists: bool, ascii_only: bool
) -> None:
    for _ in range(more):
        value = [value, "]"] if in_lists else {"[": value, "}": "{"}
    body = json.dumps({"value": value}, ensure_ascii=ascii_only).encode()
    if depth(value) + 1 > MAX_NESTING:
        with pytest.raises(Problem, match="malformed_json"):
            read(Anything, body)
    else:
        assert read(Anything, body).value == value
