"""How an action is shown to people: its form, the tone of its outcomes, and its slip.

What stands here is the same in every language and lies in the catalog's file beside each ruleset. Nothing of
it decides anything: a client that shows all fields in their order does without.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MARKS: Final[Mapping[str, str]] = {
    "": "plain",
    "!": "nonzero",
    "~": "changed",
    "+/-": "signed",
    "+": "plus",
    "-": "minus",
    "*": "times",
    "?": "rest",
    "=": "sum",
    "==": "total",
}
"""What a line of a slip is, by its mark in the catalog's file.

plain: shown as it is; a number, also one that is not there, starts the next sum. nonzero: plain, left out
where it is zero. changed: left out where it says the same as the line before. signed: with its sign, no part
of a sum. plus, minus, times: what a sum is made of; in a list every entry is. rest: what is still missing to
the next sum, such as a rule's lower limit. sum: a field of the answer that its lines add up to; the next sum
goes on from it. total: the same without a field.
"""
_LINE: Final = re.compile(r"(?:(?P<mark>\S+?)(?P<each>\d+)? )?(?P<request>request\.)?(?P<field>[\w.]+)")


@dataclass(frozen=True)
class SlipLine:
    """One line of the slip on which an answer's arithmetic stands."""

    of: str
    """`request` or `answer`, whose field it shows; `rest` and `total` show none, only the field's label."""
    field: str
    """By path. Lines that start with the same list of the answer are repeated for each of its entries."""
    kind: str
    """One of `MARKS`."""
    each: int | None
    """What every entry of a list counts for that has no value of its own."""


@dataclass(frozen=True)
class Form:
    """How a request's fields are laid out."""

    first: Sequence[str] = ()
    """The fields that matter most, in order, by path; the others may be folded away."""
    either: Sequence[Sequence[Sequence[str]]] = ()
    """Groups of fields of which a request has only one: alternatives of alternatives of fields."""


@dataclass(frozen=True)
class Display:
    """How a ruleset's actions are shown."""

    tones: Mapping[str, int]
    """How good each outcome is for whoever rolls, from 2 (best) to −2 (worst); above 0 is a success."""
    forms: Mapping[str, Form]
    slips: Mapping[str, Sequence[SlipLine]]


def load_display(module_file: str) -> Display:
    """Read how the ruleset whose module is given is shown: `zrps.toml` beside `zrps.py`."""
    tables = tomllib.loads(Path(module_file).with_suffix(".toml").read_text(encoding="utf-8"))
    return Display(
        tones=tables.get("tones", {}),
        forms={action: Form(**form) for action, form in tables.get("form", {}).items()},
        slips={action: [_line(text) for text in lines] for action, lines in tables.get("slip", {}).items()},
    )


def _line(text: str) -> SlipLine:
    """Read a line such as `+2 request.helpers`. Raises `ValueError` where it is none."""
    parts: Any = _LINE.fullmatch(text)
    if not parts or (parts["mark"] or "") not in MARKS:
        raise ValueError(text)
    kind = MARKS[parts["mark"] or ""]
    of = kind if kind in {"rest", "total"} else "request" if parts["request"] else "answer"
    return SlipLine(of, parts["field"], kind, int(parts["each"]) if parts["each"] else None)
