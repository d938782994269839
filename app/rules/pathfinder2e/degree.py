"""The four degrees of success, and what moves a check from one to another.

Sections named in brackets are those of the German rule text ("Schritt 4: Erfolgsgrad und Effekt
bestimmen"); where they leave something open, the ruling is said.
"""

from typing import Final

from app.rules.shapes import OneOf

SIDES: Final = 20
CRITICAL_MARGIN: Final = 10
"""So far above or below the DC a result is critical (Schritt 4)."""
NATURAL_STEPS: Final = {1: -1, SIDES: 1}
"""How far the face itself moves the degree (Schritt 4)."""


class PathfinderOutcome(OneOf):
    """The degree of success (Erfolgsgrad)."""

    CRITICAL_SUCCESS = "critical_success"
    SUCCESS = "success"
    FAILURE = "failure"
    CRITICAL_FAILURE = "critical_failure"


LADDER: Final = tuple(reversed(PathfinderOutcome))
"""The degrees from worst to best."""
SUCCESSES: Final = frozenset({PathfinderOutcome.SUCCESS, PathfinderOutcome.CRITICAL_SUCCESS})


def degree_by_numbers(margin: int) -> PathfinderOutcome:
    """Read the degree from the result minus the DC (Schritte 3 and 4).

    The DC itself is a success, ten above it a critical one, ten below it a critical failure.
    """
    if margin >= CRITICAL_MARGIN:
        return PathfinderOutcome.CRITICAL_SUCCESS
    if margin >= 0:
        return PathfinderOutcome.SUCCESS
    if margin > -CRITICAL_MARGIN:
        return PathfinderOutcome.FAILURE
    return PathfinderOutcome.CRITICAL_FAILURE


def degree_after_natural(degree: PathfinderOutcome, face: int) -> PathfinderOutcome:
    """Improve the degree by one step at a natural 20, worsen it by one at a natural 1 (Schritt 4)."""
    return moved(degree, NATURAL_STEPS.get(face, 0))


def moved(degree: PathfinderOutcome, steps: int) -> PathfinderOutcome:
    """Move a degree up (above 0) or down (below 0) the ladder, never beyond its ends."""
    place = LADDER.index(degree) + steps
    return LADDER[max(0, min(place, len(LADDER) - 1))]
