"""What a ruleset is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from app.rules.catalog import Catalog, Spoken, Words
from app.rules.chances import Chances, Ended
from app.rules.dice import Dice
from app.rules.display import Display
from app.rules.fields import ActionRequest

RequestT = TypeVar("RequestT", bound=ActionRequest)
SituationT = TypeVar("SituationT")
OutcomeT = TypeVar("OutcomeT")


@dataclass(frozen=True)
class MoreOdds(Generic[SituationT]):
    """A field that an action's odds have beside those of all odds."""

    name: str
    shape: Any
    """The type of the field, for its description."""
    work_out: Callable[[SituationT, Chances], list[Mapping[str, Any]]]
    """Its rows, from the situation and its chances. A `Fraction` in a row is the row's chance."""


@dataclass(frozen=True)
class OddsOf(Generic[SituationT]):
    """What an action's odds are about.

    They come from running the rule under every fall of its dice, or from a closed form where there are too
    many.
    """

    quantity: Callable[[SituationT], str | None]
    """The name of the number whose distribution is given; None where there is none in this situation."""
    throw: Callable[[SituationT, Dice], Ended] | None = None
    """The part of the rule that says how a roll ends, where that is cheaper than the whole answer."""
    measure: Callable[[Any], int | None] = lambda _: None
    """The quantity of one outcome, None where it has none."""
    closed_form: Callable[[SituationT], Chances] | None = None
    """Works out the chances without running the rule. Tests hold the two against each other."""
    more: MoreOdds[SituationT] | None = None


@dataclass(frozen=True)
class Action(Generic[RequestT, SituationT, OutcomeT]):
    """One thing that a ruleset resolves.

    A request is weighed once (everything that is known before the dice fall, refusals included), then the
    dice fall, then the outcome is put into words. Rolling, odds, receipts and worked examples all go
    through these same three functions.
    """

    name: str
    """The word of the path and of the dice stream."""
    request: type[RequestT]
    outcome: type[OutcomeT]
    """A frozen dataclass with the action's own answer fields; with dice, `outcome` and `success` first."""
    outcomes: type[StrEnum] | None
    """Every way it can end, in the order of the rules page; None where nothing ends in a word."""
    sides: int | None
    """The size of its dice; None where the request says it, or where it throws none."""
    weigh: Callable[[RequestT], SituationT]
    """Everything that is known before the dice fall. Raises `Refusal`."""
    throw: Callable[[SituationT, Dice], OutcomeT]
    """Throw the dice and read them by the rule."""
    speak: Callable[[RequestT, OutcomeT, Words], Spoken]
    """Put the outcome into words."""
    odds: OddsOf[SituationT] | None = None
    """None where there is nothing to ask the chances of."""
    dice: Callable[[RequestT], int] = lambda _: 1
    """How many dice a request may throw, rerolls aside; counted before a batch is rolled."""


@dataclass(frozen=True)
class Ruleset:
    """A game's rules: its actions and its words."""

    id: str
    """The word of the path."""
    rules_version: int
    """Goes up whenever the same request and faces would give another answer."""
    actions: tuple[Action[Any, Any, Any], ...]
    catalog: Catalog
    display: Display
    limits: Mapping[str, int] = field(default_factory=dict)
    """Bounds of its own that clients want to know before they ask."""
