"""Hostile requests made from the worked examples: their JSON taken apart, then their bytes."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import quote_from_bytes

from hypothesis import strategies as st

from app.rules.registry import RULESETS
from tests.cases_reader import cases_of
from tests.http.wire import message

DICE: Final = ("seed", "nonce", "faces")
ACTIONS: Final = [(ruleset.id, action) for ruleset in RULESETS for action in ruleset.actions]
ODDS: Final = {(ruleset, action.name) for ruleset, action in ACTIONS if action.odds is not None}
FIRST_LINE: Final = 60_000
"""Bytes of a query, so that uvicorn still takes the first line of the request."""


class Sent(NamedTuple):
    """A body and the path it goes to."""

    path: str
    body: bytes

    def posted(self, language: str) -> bytes:
        """Write it as a POST."""
        return message("POST", f"{self.path}?lang={language}", body=self.body)

    def asked(self, language: str) -> bytes:
        """Write it as a GET, its body in the query; as much of it as uvicorn reads of a first line."""
        query = f"lang={language}&request={quote_from_bytes(self.body)}"
        return message("GET", f"{self.path}?{query[:FIRST_LINE]}")


def _singles() -> Iterator[tuple[str, Any]]:
    for ruleset in RULESETS:
        for case in cases_of(ruleset.id):
            path = f"/v1/{case['ruleset']}/{case['action']}"
            yield path, case["request"]
            if (case["ruleset"], case["action"]) in ODDS:
                without = {name: value for name, value in case["request"].items() if name not in DICE}
                yield f"{path}/odds", without


def _batches() -> Iterator[tuple[str, Any]]:
    for ruleset in RULESETS:
        cases = cases_of(ruleset.id)
        for start in range(0, len(cases), 3):
            items = [
                {name: case[name] for name in ("ruleset", "action", "request")}
                for case in cases[start : start + 3]
            ]
            yield "/v1/batch", {"seed": "s", "defaults": {"request": {"ref": "r"}}, "items": items}


SINGLES: Final = list(_singles())
BATCHES: Final = [*_batches(), ("/v1/receipts/verify", {"receipt": "eyJhbGciOiJFZDI1NTE5In0.e30.AA"})]

# fmt: off
NASTY: Final[list[Any]] = [
    None, True, False, 0, -1, 1, 10**3, -(10**3), 2**31, 2**53, -(2**53), 2**63, 2**64, 10**30, -(10**400),
    0.0, -0.0, 5.0, 0.1, 1e22, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"),
    "", " ", "0", "5", "null", "true", "{}", "\x00", "\n", "\ud800", "\udc00\ud800", "\ufeff", "\u202e",
    "ä", "🎲", "a" * 101, "ß" * 129, "🎲" * 128, "a" * 5000, '"\\' * 300, "{value}", "%s%n", "../../etc",
    "critical_success", "attack", "exposed", "proficiency", "__proto__", "constructor", "zrps", "roll",
    [], [[]], [None], [{}], [1] * 51, [5] * 1001, ["exposed"] * 60,
    {}, {"": None}, {"value": {}}, {"$ref": "#"},
]
"""Values that software stumbles over, and some that a field may take."""
# fmt: on
JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=9,
)
VALUES: Final = st.sampled_from(NASTY) | st.sampled_from(NASTY) | JSON
NAMES: Final = st.sampled_from(
    ["", "value", "seed", "nonce", "faces", "ref", "modifiers", "Value", "value ", "__class__", "ä" * 300]
)
# fmt: off
SPLINTERS: Final = st.sampled_from([
    b"", b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b" ", b"\t\r\n", b'"', b"\\", b"\\u",
    b"{", b"}", b"[", b"]", b"[[", b"]]", b"{}", b":", b",", b"-", b"+", b"0", b"9", b"1e999", b"e", b".",
    b"NaN", b"null", b"true", b"/*", b"//", b'"a":1,', b"[1,", b'{"a":', b'"\\u0061"', b"\\ud800",
    "ä🎲".encode(),
])
"""Pieces of bytes that make JSON something else."""
# fmt: on
CHANGES: Final = st.integers(0, 3)
"""How many values are changed."""
CUTS: Final = st.sampled_from([0, 0, 0, 1, 2])
"""How often the bytes are cut."""
SIXTH: Final = st.integers(0, 5)
MORE: Final = st.sampled_from([1, 20, 60, 1001])
"""How many more of an entry a list gets."""
LENGTHS: Final = st.sampled_from([0, 0, 1, 2, 9, 100_000])
MUCH: Final = st.sampled_from([300, 20_000, 70_000])
"""How long a part becomes that is repeated, in bytes: up to a little more than a body may have."""


@st.composite
def hostile(draw: st.DrawFn, bases: list[tuple[str, Any]]) -> Sent:
    """Take a request, change some of its values, write it, and change some of its bytes."""
    # Strategies are made once, outside, and places are drawn as numbers: that halves the time.
    path, value = bases[draw(st.integers(0, len(bases) - 1))]
    for _ in range(draw(CHANGES)):
        value = _changed(draw, value)
    body = json.dumps(value, ensure_ascii=draw(st.booleans())).encode(errors="surrogatepass")
    for _ in range(draw(CUTS)):
        body = _cut(draw, body)
    return Sent(path, body)


def _changed(draw: st.DrawFn, value: Any) -> Any:
    """Change one place in a JSON value, in a copy of it."""
    way = draw(SIXTH)
    if not isinstance(value, (dict, list)) or not value:
        return draw(VALUES)
    place = draw(st.integers(0, len(value) - 1))
    if isinstance(value, list):
        changed = (
            {0: [], 1: value[place : place + 1] * draw(MORE)}
            if way < 2
            else {way: [_changed(draw, value[place])]}
        )
        return value[:place] + changed[way] + value[place + 1 :]
    name = list(value)[place]
    if way == 0:
        return {other: inner for other, inner in value.items() if other != name}
    if way == 1:
        return {**value, draw(NAMES): draw(VALUES)}
    return {**value, name: _changed(draw, value[name])}


def _cut(draw: st.DrawFn, body: bytes) -> bytes:
    """Cut something out of bytes, put something in, or say a part of them very often."""
    start = draw(st.integers(0, len(body)))
    end = min(start + draw(LENGTHS), len(body))
    part = draw(SPLINTERS)
    if draw(SIXTH) == 0:
        part = body[start:end] or part or b" "
        part *= draw(MUCH) // len(part)
    return body[:start] + part + body[end:]
