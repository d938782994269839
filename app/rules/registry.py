"""Every ruleset that the service knows. A new one is added by its line here."""

from typing import Final

from app.rules import pathfinder2e, plain_dice, scorekeeper, three_marks, v20, zrps
from app.rules.ruleset import Ruleset

RULESETS: Final[tuple[Ruleset, ...]] = (
    pathfinder2e.RULESET,
    v20.RULESET,
    scorekeeper.RULESET,
    zrps.RULESET,
    three_marks.RULESET,
    plain_dice.RULESET,
)
