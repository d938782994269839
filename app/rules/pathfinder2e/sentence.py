"""A check in a sentence that a game master would read aloud."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from app.rules.catalog import Spoken, Words
from app.rules.pathfinder2e.check import DC_BASE, PathfinderCheckResult
from app.rules.pathfinder2e.request import PathfinderCheck, PathfinderRoll
from app.rules.pathfinder2e.stacking import PathfinderPart, PathfinderPartType
from app.rules.phrases import NAMED_MODIFIERS, cut, fit, plain, signed

LISTED_PARTS: Final = 5
"""Up to so many parts that count stand in a sentence one by one, more as their sum: an attribute, a
proficiency and one bonus of each of the three common types."""
OUTCOME: Final = 2
"""The place of the outcome among the degrees that a check goes through."""


class _Naming(NamedTuple):
    """The words of a language, and the most characters that a name may have in the sentence."""

    words: Words
    label_room: int
    kind_room: int

    def name(self, part: PathfinderPart) -> str:
        """Name a part by its label, or else by what it is in the game: `Situationsmalus`."""
        return cut(part.label, self.label_room) or cut(self.words.texts[_kind(part)], self.kind_room)


def speak(request: PathfinderRoll, result: PathfinderCheckResult, words: Words) -> Spoken:
    """Put a check into words; without a DC there is only its result.

    An answer without labels is to stay small: what has no label is named among few parts only, and beside
    many such parts there is room for no more than the sum and its end.
    """
    degrees = _degrees(request, result, words)
    parts = (*result.breakdown, *(result.dc_breakdown or ()))
    few = len(parts) <= NAMED_MODIFIERS
    brief = len(parts) >= LISTED_PARTS and not any(part.label for part in parts)

    def sentence(room: int) -> str:
        naming = _Naming(words, room, room if few else 0)
        rolled = _sum(result, naming) if brief else f"{_what(request, words)} {_sum(result, naming)}"
        if not degrees:
            return f"{rolled}."
        dc = _difficulty(request, result, naming)
        end = degrees[OUTCOME] if brief else _way(degrees, result.roll, words)
        return words.say["against"](rolled=rolled, dc=dc, end=end)

    return degrees[OUTCOME] if degrees else None, fit(sentence)


def _degrees(request: PathfinderRoll, result: PathfinderCheckResult, words: Words) -> list[str]:
    """Name the degree by the numbers, after the face, at the end (`OUTCOME`), and as it is treated.

    An attack hits or misses (Kritischer Treffer, Schritt 4). Without a DC there is nothing to name.
    """
    degrees = (result.degree_by_numbers, result.degree_after_natural, result.outcome, result.treated_as)
    attack = request.check is PathfinderCheck.ATTACK
    return [
        words.texts[f"attack_{degree}"] if attack else words.outcomes[degree]
        for degree in degrees
        if degree is not None
    ]


def _way(degrees: Sequence[str], face: int, words: Words) -> str:
    """Write how the degree came about: `Fehlschlag → Erfolg (Natürliche 20)`."""
    by_numbers, after_natural, outcome, treated_as = degrees
    end = by_numbers
    if after_natural != by_numbers:
        end += f" → {after_natural} ({words.say['natural'](face=face)})"
    if outcome != after_natural:
        end += f" → {outcome}"
    if treated_as != outcome:
        end += words.say["treated_as"](degree=treated_as)
    return end


def _what(request: PathfinderRoll, words: Words) -> str:
    name = words.values[request.check]
    if request.fortune == request.misfortune:
        return name
    return words.say["fortune" if request.fortune else "misfortune"](check=name)


def _sum(result: PathfinderCheckResult, naming: _Naming) -> str:
    """Write the die, what is added to it, and the result: `14 + 4 Attributsmodifikator = 18`."""
    terms = _terms(result.breakdown, naming)
    return f"{result.roll}{terms} = {plain(result.result)}" if terms else str(result.roll)


def _difficulty(request: PathfinderRoll, result: PathfinderCheckResult, naming: _Naming) -> str:
    """Write the DC and what it is made of: `SG 18 (20 − 2 Auf dem falschen Fuß)`."""
    name = naming.words.texts["armor_class" if request.check is PathfinderCheck.ATTACK else "dc"]
    base = DC_BASE if request.dc is None else request.dc
    terms = _terms(result.dc_breakdown or (), naming)
    made_of = f" ({plain(base)}{terms})" if terms else ""
    return f"{name} {plain(result.dc or 0)}{made_of}"


def _terms(parts: tuple[PathfinderPart, ...], naming: _Naming) -> str:
    """Write the parts that count as terms of a sum. With no room left for labels, only their sum."""
    counting = [part for part in parts if part.applied]
    if not counting:
        return ""
    if naming.label_room and len(counting) <= LISTED_PARTS:
        return "".join(f" {signed(part.value)} {naming.name(part)}".rstrip() for part in counting)
    many = naming.words.say["many_modifiers"](count=len(counting)) if naming.label_room else ""
    return f" {signed(sum(part.value for part in counting))} {many}".rstrip()


def _kind(part: PathfinderPart) -> str:
    if part.type is PathfinderPartType.ATTRIBUTE:
        return "attribute_modifier"
    return f"{part.type}_{'bonus' if part.value > 0 else 'penalty'}"
