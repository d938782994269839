"""Who wins when two sides roll against each other: what the contests of different games share."""

from functools import lru_cache
from typing import NamedTuple

from app.rules.shapes import OneOf


class ContestOutcome(OneOf):
    """How a contest ends."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"
    NONE = "none"


class Standing(NamedTuple):
    """Who stands where after both sides rolled."""

    outcome: ContestOutcome
    winner: int | None
    """0 for the first side, 1 for the second."""
    lead: int | None
    """How far the winner's measure is ahead; None unless both succeeded."""
    success: None = None
    """A contest as a whole neither succeeds nor fails."""


@lru_cache(maxsize=4096)  # odds ask 400 times for one contest, and mostly for what was asked before
def compare(first: int | None, second: int | None) -> Standing:
    """Compare two sides by the measure of their success, None standing for a failure.

    Only one success wins; of two the higher measure does; equal measures are a draw; two failures
    leave nobody ahead.
    """
    if first is None or second is None:
        return _lone_success(first is not None, second is not None)
    if first == second:
        return Standing(ContestOutcome.DRAW, None, 0)
    if first > second:
        return Standing(ContestOutcome.FIRST, 0, first - second)
    return Standing(ContestOutcome.SECOND, 1, second - first)


def _lone_success(first: bool, second: bool) -> Standing:  # noqa: FBT001  two equal flags in their order
    if first:
        return Standing(ContestOutcome.FIRST, 0, None)
    if second:
        return Standing(ContestOutcome.SECOND, 1, None)
    return Standing(ContestOutcome.NONE, None, None)
