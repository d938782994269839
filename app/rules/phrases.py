"""How numbers and people's labels are put into a sentence."""

from collections.abc import Callable
from typing import Final

from app.rules.catalog import Words
from app.rules.fields import LABEL_LENGTH, Modifier, total

TEXT_LENGTH: Final = 200
"""The most characters of an answer's `text`."""
NAMED_MODIFIERS: Final = 3
"""Up to so many modifiers stand in a sentence one by one, more as their sum."""


def signed(number: int) -> str:
    """Write a number with its sign, as it stands in a sum: `+ 3`, `− 3`."""
    return f"− {-number}" if number < 0 else f"+ {number}"


def plain(number: int) -> str:
    """Write a number with a real minus sign: `−3`."""
    return f"−{-number}" if number < 0 else str(number)


def cut(label: str | None, room: int) -> str:
    """Bring a person's label onto one line of at most `room` characters."""
    if not label:
        return ""
    line = " ".join(label.split())
    if len(line) <= room:
        return line
    return line[: room - 1] + "…" if room > 1 else ""


def fit(sentence: Callable[[int], str]) -> str:
    """Build a sentence of at most 200 characters by giving the labels in it less room, never the numbers.

    `sentence` takes the most characters that a label may have.
    """
    text = sentence(TEXT_LENGTH)
    room = LABEL_LENGTH
    while len(text) > TEXT_LENGTH and room > 0:
        room -= max(1, room // 8)
        text = sentence(room)
    return text


def sum_of(base: int, modifiers: tuple[Modifier, ...], words: Words, room: int) -> str:
    """Write a base value and its modifiers as a sum: `11 − 3 Sand im Auge`."""
    if len(modifiers) > NAMED_MODIFIERS:
        many = words.say["many_modifiers"](count=len(modifiers))
        return f"{plain(base)} {signed(total(modifiers))} {many}"
    terms = [plain(base)]
    for modifier in modifiers:
        terms.append(signed(modifier.value))
        if label := cut(modifier.label, room):
            terms.append(label)
    return " ".join(terms)
