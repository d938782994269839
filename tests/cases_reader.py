"""Reading the worked examples."""

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("cases")


def cases_of(ruleset: str) -> list[dict[str, Any]]:
    """Read the worked examples of a ruleset."""
    cases: list[dict[str, Any]] = json.loads((CASES / f"{ruleset}.json").read_text(encoding="utf-8"))
    return cases
