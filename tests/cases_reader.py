"""Reading the worked examples."""

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("cases")


def cases_of(ruleset: str) -> list[dict[str, Any]]:
    """Read the worked examples of a ruleset."""
    cases: list[dict[str, Any]] = json.loads((CASES / f"{ruleset}.json").read_text(encoding="utf-8"))
    return cases


def difference(want: Any, got: Any, at: str = "") -> str | None:
    """Say where an answer does not hold what is expected of it; lists are compared element by element."""
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return f"{at}: want an object, got {got!r}"
        missing = [name for name in want if name not in got]
        if missing:
            return f"{at}/{missing[0]}: missing"
        return _first(difference(value, got[name], f"{at}/{name}") for name, value in want.items())
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return f"{at}: want {want!r}, got {got!r}"
        return _first(
            difference(one, other, f"{at}/{index}")
            for index, (one, other) in enumerate(zip(want, got, strict=True))
        )
    return None if want == got and type(want) is type(got) else f"{at}: want {want!r}, got {got!r}"


def _first(differences: Any) -> str | None:
    return next((found for found in differences if found), None)
