"""Every ruleset that the service knows. A new one is added by its line here."""

from collections.abc import Mapping
from typing import Any, Final

from app.rules import pathfinder2e, plain_dice, scorekeeper, three_marks, v20, zrps
from app.rules.ruleset import Action, Ruleset

RULESETS: Final[tuple[Ruleset, ...]] = (
    pathfinder2e.RULESET,
    v20.RULESET,
    scorekeeper.RULESET,
    zrps.RULESET,
    three_marks.RULESET,
    plain_dice.RULESET,
)

ACTIONS: Final[Mapping[tuple[str, str], tuple[Ruleset, Action[Any, Any, Any]]]] = {
    (ruleset.id, action.name): (ruleset, action) for ruleset in RULESETS for action in ruleset.actions
}
"""Every action with its ruleset, by the two words of its path."""
