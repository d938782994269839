"""Pathfinder, second edition: checks with four degrees of success, and amounts."""

from pathlib import Path
from typing import Final

from app.rules.catalog import load_catalog
from app.rules.display import load_display
from app.rules.pathfinder2e import amount, check, sentence
from app.rules.pathfinder2e.degree import SIDES, PathfinderOutcome
from app.rules.pathfinder2e.request import PathfinderRoll
from app.rules.ruleset import Action, OddsOf, Ruleset

RULESET: Final = Ruleset(
    id="pathfinder2e",
    rules_version=1,
    actions=(
        Action(
            name="roll",
            request=PathfinderRoll,
            outcome=check.PathfinderCheckResult,
            outcomes=PathfinderOutcome,
            sides=SIDES,
            weigh=check.weigh,
            throw=check.roll,
            speak=sentence.speak,
            odds=OddsOf(quantity=lambda _: "result", measure=lambda result: result.result),
            dice=lambda request: 2 if request.fortune != request.misfortune else 1,
        ),
        Action(
            name="amount",
            request=amount.PathfinderAmount,
            outcome=amount.PathfinderAmountResult,
            outcomes=None,
            sides=None,
            weigh=amount.reckon,
            throw=amount.keep,
            speak=amount.speak,
            dice=lambda _: 0,
        ),
    ),
    # The catalog lies beside this folder, as it would beside a module.
    catalog=load_catalog(str(Path(__file__).parent)),
    display=load_display(str(Path(__file__).parent)),
)
