"""What counts toward a total modifier: one bonus and one penalty of each type, each effect once.

Sections named in brackets are those of the German rule text ("Duplikate von Effekten"); where they leave
something open, the ruling is said.
"""

from typing import Annotated, Final, NamedTuple

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from app.rules.fields import Frozen, Label, Value
from app.rules.shapes import OneOf, record


class PathfinderRank(OneOf):
    """A proficiency rank (Kompetenzgrad)."""

    UNTRAINED = "untrained"
    TRAINED = "trained"
    EXPERT = "expert"
    MASTER = "master"
    LEGENDARY = "legendary"


RANK_BONUS: Final = {
    PathfinderRank.TRAINED: 2,
    PathfinderRank.EXPERT: 4,
    PathfinderRank.MASTER: 6,
    PathfinderRank.LEGENDARY: 8,
}
"""What a rank adds to the level (Schritt 1, the table of proficiency bonuses)."""


class PathfinderModifierType(OneOf):
    """The type of a bonus or penalty, which decides what it adds up with."""

    ITEM = "item"
    CIRCUMSTANCE = "circumstance"
    STATUS = "status"
    PROFICIENCY = "proficiency"
    UNTYPED = "untyped"


class PathfinderPartType(OneOf):
    """The type of a part of a total modifier: the attribute modifier, or a bonus or penalty of a type."""

    ATTRIBUTE = "attribute"
    ITEM = "item"
    CIRCUMSTANCE = "circumstance"
    STATUS = "status"
    PROFICIENCY = "proficiency"
    UNTYPED = "untyped"


class PathfinderIgnored(OneOf):
    """Why a part does not count."""

    LOWER_OF_TYPE = "lower_of_type"
    DUPLICATE_EFFECT = "duplicate_effect"
    DISABLED = "disabled"
    ZERO = "zero"


class PathfinderProficiency(Frozen):
    """How well a character has learned something."""

    rank: PathfinderRank = Field(description="The proficiency rank.")
    level: int = Field(ge=-1, le=30, description="The level of the character or creature.")

    @property
    def bonus(self) -> int:
        """The proficiency bonus: level and rank, 0 for the untrained whatever their level (Schritt 1)."""
        if self.rank is PathfinderRank.UNTRAINED:
            return 0
        return self.level + RANK_BONUS[self.rank]


class PathfinderModifier(Frozen):
    """A bonus or a penalty."""

    type: PathfinderModifierType = Field(description="The type, which decides what it adds up with.")
    value: Value = Field(description="Above 0 a bonus, below 0 a penalty; a proficiency has no penalty.")
    label: Label | None = Field(default=None, description="What it comes from, for people.")
    effect: Label | None = Field(
        default=None, description="The effect it belongs to: the same effect counts only once."
    )
    effect_level: Value = Field(
        default=0, description="The rank or level of that effect: the highest one counts."
    )
    enabled: bool = Field(default=True, description="False takes it out of play without removing it.")

    @field_validator("value")
    @classmethod
    def _no_proficiency_penalty(cls, value: int, info: ValidationInfo) -> int:
        """The rule text knows penalties of every type but this one."""
        if value < 0 and info.data.get("type") is PathfinderModifierType.PROFICIENCY:
            raise PydanticCustomError("out_of_range", "a proficiency has no penalty")
        return value


@record
class PathfinderPart:
    """One part of a total modifier, whether it counts or not."""

    type: PathfinderPartType
    value: Annotated[int, Field(description="Above 0 a bonus, below 0 a penalty.")]
    label: Annotated[str | None, Field(description="As sent; null for the attribute and proficiency fields.")]
    applied: Annotated[bool, Field(description="Whether it counts.")]
    ignored: Annotated[
        PathfinderIgnored | None, Field(description="Why it does not count, null where it does.")
    ]


class Settled(NamedTuple):
    """A total modifier and what it is made of."""

    total: int
    parts: tuple[PathfinderPart, ...]


_ByPlace = dict[int, PathfinderModifier]
"""Modifiers by their place in the list, in its order."""


def settle(
    attribute_modifier: int,
    proficiency: PathfinderProficiency | None,
    modifiers: tuple[PathfinderModifier, ...],
) -> Settled:
    """Add up what counts (Gesamtmodifikator, Schritte 1 and 2) and say of every part whether it does.

    The attribute modifier is neither a bonus nor a penalty: it adds beside all of them, also below 0. What
    is disabled or 0 neither counts nor keeps another from counting.
    """
    listed = dict(enumerate((*_proficiency_bonus(proficiency), *modifiers)))
    acting = {place: modifier for place, modifier in listed.items() if modifier.enabled and modifier.value}
    distinct = _without_duplicates(acting)
    applied = _without_lower(distinct)

    def ignored(place: int, modifier: PathfinderModifier) -> PathfinderIgnored | None:
        if place in applied:
            return None
        if not modifier.enabled:
            return PathfinderIgnored.DISABLED
        if place not in acting:
            return PathfinderIgnored.ZERO
        return PathfinderIgnored.LOWER_OF_TYPE if place in distinct else PathfinderIgnored.DUPLICATE_EFFECT

    parts = (_part(modifier, ignored(place, modifier)) for place, modifier in listed.items())
    return Settled(
        total=attribute_modifier + sum(modifier.value for modifier in applied.values()),
        parts=(*_attribute_part(attribute_modifier), *parts),
    )


def _proficiency_bonus(proficiency: PathfinderProficiency | None) -> tuple[PathfinderModifier, ...]:
    """Give the proficiency field the form of a bonus, which the untrained do not have."""
    if proficiency is None or proficiency.bonus == 0:
        return ()
    return (PathfinderModifier(type=PathfinderModifierType.PROFICIENCY, value=proficiency.bonus),)


def _kind(modifier: PathfinderModifier) -> tuple[PathfinderModifierType, bool]:
    """Tell what a modifier competes with: a bonus and a penalty of one type both count (Schritt 1)."""
    return modifier.type, modifier.value > 0


def _without_duplicates(modifiers: _ByPlace) -> _ByPlace:
    """Keep of each effect its highest level, and there the newest (Duplikate von Effekten).

    Ruling: "the newest" is the last listed of one type and sign. Entries of another type or sign at the
    same level belong to the same instance of the effect and stay.
    """
    highest: dict[str, int] = {}
    for modifier in modifiers.values():
        if modifier.effect is not None:
            level = highest.get(modifier.effect, modifier.effect_level)
            highest[modifier.effect] = max(level, modifier.effect_level)
    newest = {
        (modifier.effect, _kind(modifier)): place
        for place, modifier in modifiers.items()
        if modifier.effect is not None and modifier.effect_level == highest[modifier.effect]
    }
    return {
        place: modifier
        for place, modifier in modifiers.items()
        if modifier.effect is None or newest.get((modifier.effect, _kind(modifier))) == place
    }


def _without_lower(modifiers: _ByPlace) -> _ByPlace:
    """Keep the highest bonus and the worst penalty of each type, and everything untyped (Schritt 1).

    Ruling: of equal ones the first listed counts. The rule text knows no untyped bonus; all of them count.
    """
    strongest: dict[tuple[PathfinderModifierType, bool], int] = {}
    for place, modifier in modifiers.items():
        holder = strongest.setdefault(_kind(modifier), place)
        if abs(modifier.value) > abs(modifiers[holder].value):
            strongest[_kind(modifier)] = place
    return {
        place: modifier
        for place, modifier in modifiers.items()
        if modifier.type is PathfinderModifierType.UNTYPED or strongest[_kind(modifier)] == place
    }


def _attribute_part(attribute_modifier: int) -> tuple[PathfinderPart, ...]:
    if attribute_modifier == 0:
        return ()
    return (
        PathfinderPart(PathfinderPartType.ATTRIBUTE, attribute_modifier, None, applied=True, ignored=None),
    )


def _part(modifier: PathfinderModifier, ignored: PathfinderIgnored | None) -> PathfinderPart:
    return PathfinderPart(
        type=PathfinderPartType(modifier.type),
        value=modifier.value,
        label=modifier.label,
        applied=ignored is None,
        ignored=ignored,
    )
