"""What a check may be asked with."""

from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator
from pydantic_core import PydanticCustomError

from app.rules.fields import MODIFIERS, DiceRequest, FacesD20, Frozen, Label, Value
from app.rules.pathfinder2e.degree import PathfinderOutcome, moved
from app.rules.pathfinder2e.stacking import PathfinderModifier, PathfinderProficiency
from app.rules.shapes import OneOf

MAX_STEPS: Final = 2
STEPS: Final = (-2, -1, 1, 2)


class PathfinderCheck(OneOf):
    """What is rolled."""

    ATTACK = "attack"
    SKILL = "skill"
    SAVE = "save"
    PERCEPTION = "perception"
    FLAT = "flat"
    OTHER = "other"


class PathfinderStatistic(Frozen):
    """A statistic that a check is rolled against."""

    attribute_modifier: Value = Field(default=0, description="The opponent's attribute modifier.")
    proficiency: PathfinderProficiency | None = Field(
        default=None, description="The opponent's proficiency; without one no bonus."
    )
    modifiers: tuple[PathfinderModifier, ...] = Field(
        default=(), max_length=MODIFIERS, description="The opponent's bonuses and penalties."
    )


def _not_zero(steps: int) -> int:
    if steps == 0:
        raise PydanticCustomError("not_allowed", "no step")
    return steps


def _report_missing(given: object) -> object:
    """Name `steps`, as null, exactly where neither it nor `to` is given: the field then reports itself.

    So it is reported together with the other errors of the adjustment. A check of the whole adjustment
    would only come once all of its fields are valid.
    """
    if not isinstance(given, dict):
        return given
    named = {name: value for name, value in given.items() if name != "steps" or value is not None}
    return named if "steps" in named or named.get("to") is not None else {**named, "steps": None}


class PathfinderAdjustment(Frozen):
    """What an ability does to the degree of success: it moves it by steps, or sets it."""

    # The strict reading takes a list for a tuple only in JSON; `_report_missing` has already read it.
    on: Annotated[tuple[PathfinderOutcome, ...], Field(strict=False)] | None = Field(
        default=None,
        min_length=1,
        max_length=len(PathfinderOutcome),
        description="The degrees so far at which it acts; without this, at every one.",
    )
    steps: (
        Annotated[
            int,
            Field(ge=-MAX_STEPS, le=MAX_STEPS),
            AfterValidator(_not_zero),
            WithJsonSchema({"type": "integer", "enum": list(STEPS)}),
        ]
        | None
    ) = Field(default=None, description="Steps up (above 0) or down (below 0); either this or `to`.")
    to: PathfinderOutcome | None = Field(default=None, description="The degree it becomes; or `steps`.")
    label: Label | None = Field(default=None, description="What it comes from, for people.")

    @field_validator("steps")
    @classmethod
    def _named(cls, steps: int | None) -> int | None:
        if steps is None:
            raise PydanticCustomError("missing", "either steps or to")
        return steps

    @field_validator("to")
    @classmethod
    def _alone(cls, to: PathfinderOutcome | None, info: ValidationInfo) -> PathfinderOutcome | None:
        """Steps that are no valid number are steps all the same; they are then absent from the data."""
        if to is not None and info.data.get("steps", to) is not None:
            raise PydanticCustomError("not_allowed", "either steps or to")
        return to

    def acts_on(self, degree: PathfinderOutcome) -> bool:
        """Tell whether it acts at a degree."""
        return self.on is None or degree in self.on

    def adjusted(self, degree: PathfinderOutcome) -> PathfinderOutcome:
        """Change a degree on which it acts."""
        return self.to or moved(degree, self.steps or 0)


class PathfinderRoll(DiceRequest):
    """A check (Wurf), with a DC, against a statistic, or without either."""

    check: PathfinderCheck = Field(
        default=PathfinderCheck.OTHER,
        description="What is rolled. It changes words only, except that a flat check takes no modifiers.",
    )
    attribute_modifier: Value = Field(
        default=0, description="Neither bonus nor penalty: it adds beside all of them, also below 0."
    )
    proficiency: PathfinderProficiency | None = Field(
        default=None, description="The proficiency; without one no bonus."
    )
    modifiers: tuple[PathfinderModifier, ...] = Field(
        default=(),
        max_length=MODIFIERS,
        description="Bonuses and penalties; the answer says which of them count.",
    )
    dc: Value | None = Field(
        default=None, description="The difficulty class. Without it there is a result, but no degree."
    )
    dc_modifiers: tuple[PathfinderModifier, ...] = Field(
        default=(),
        max_length=MODIFIERS,
        description="What changes the DC, such as an off-guard target; only together with it.",
    )
    against: PathfinderStatistic | None = Field(
        default=None, description="The opponent's statistic, in place of the DC: 10 plus its total modifier."
    )
    fortune: bool = Field(default=False, description="Roll twice and keep the higher die.")
    misfortune: bool = Field(
        default=False, description="Roll twice and keep the lower die; together with fortune, roll once."
    )
    adjustments: tuple[Annotated[PathfinderAdjustment, BeforeValidator(_report_missing)], ...] = Field(
        default=(),
        max_length=10,
        description="Abilities that change the degree, in the order in which they act.",
    )
    critical_success_effect: bool = Field(
        default=True, description="Whether the thing rolled for says what a critical success does."
    )
    critical_failure_effect: bool = Field(
        default=True, description="Whether the thing rolled for says what a critical failure does."
    )
    faces: FacesD20 = None
