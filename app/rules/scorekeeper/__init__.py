"""Scorekeeper: a d20 at or under the action value, with effect.

Sections named in brackets are those of the German rule text ("Erfolgswürfe", "Effekt", "Sonderregeln und
besondere Würfe").
"""

from pathlib import Path
from typing import Final

from app.rules.catalog import load_catalog
from app.rules.contest import ContestOutcome
from app.rules.display import load_display
from app.rules.ruleset import Action, MoreOdds, OddsOf, Ruleset
from app.rules.scorekeeper import check, extended
from app.rules.scorekeeper.check import SIDES, ScorekeeperOutcome, ScorekeeperRoll, ScorekeeperRollResult
from app.rules.scorekeeper.contest import (
    ScorekeeperContest,
    ScorekeeperContestResult,
    contest,
    sides_of,
    stand,
)
from app.rules.scorekeeper.extended import (
    ScorekeeperExtended,
    ScorekeeperExtendedOutcome,
    ScorekeeperExtendedResult,
)
from app.rules.scorekeeper.odds import ReachedWithin, chances, reached_within
from app.rules.scorekeeper.texts import speak_contest, speak_extended, speak_roll

RULESET: Final = Ruleset(
    id="scorekeeper",
    rules_version=1,
    actions=(
        Action(
            name="roll",
            request=ScorekeeperRoll,
            outcome=ScorekeeperRollResult,
            outcomes=ScorekeeperOutcome,
            sides=SIDES,
            weigh=check.weigh,
            throw=check.roll,
            speak=speak_roll,
            odds=OddsOf(quantity=lambda _: "effect", measure=lambda result: result.effect),
        ),
        Action(
            name="contest",
            request=ScorekeeperContest,
            outcome=ScorekeeperContestResult,
            outcomes=ContestOutcome,
            sides=SIDES,
            weigh=sides_of,
            throw=contest,
            speak=speak_contest,
            odds=OddsOf(quantity=lambda _: "lead", throw=stand, measure=lambda standing: standing.lead),
            dice=lambda _: 2,
        ),
        Action(
            name="extended",
            request=ScorekeeperExtended,
            outcome=ScorekeeperExtendedResult,
            outcomes=ScorekeeperExtendedOutcome,
            sides=SIDES,
            weigh=extended.weigh,
            throw=extended.extended,
            speak=speak_extended,
            odds=OddsOf(
                quantity=lambda _: "rolls_used",
                measure=lambda result: result.rolls_used,
                closed_form=chances,
                more=MoreOdds("reached_within", ReachedWithin, reached_within),
            ),
            dice=lambda request: request.max_rolls,
        ),
    ),
    # The catalog lies beside this folder, as it would beside a module.
    catalog=load_catalog(str(Path(__file__).parent)),
    display=load_display(str(Path(__file__).parent)),
    limits={"max_rolls": extended.MAX_ROLLS, "target_effect": extended.MAX_TARGET_EFFECT},
)
