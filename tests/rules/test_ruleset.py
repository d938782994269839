"""What rulesets say of themselves before anything is rolled."""

import json
from typing import Any

import pytest

from app.rules.registry import ACTIONS, RULESETS


@pytest.mark.parametrize(
    ("ruleset", "action", "request_", "dice"),
    [
        ("zrps", "roll", {"value": 1}, 1),
        ("zrps", "contest", {"contestants": [{"values": [1]}] * 2}, 2),
        ("three-marks", "roll", {"advantage": 0}, 1),
        ("scorekeeper", "roll", {"attribute": 1}, 1),
        ("scorekeeper", "contest", {"contestants": [{"attribute": 1}] * 2}, 2),
        ("scorekeeper", "extended", {"attribute": 1, "target_effect": 9}, 20),
        ("scorekeeper", "extended", {"attribute": 1, "target_effect": 9, "max_rolls": 3}, 3),
        ("v20", "roll", {"pool": 7}, 7),
        ("v20", "roll", {"attribute": 3, "ability": 2}, 5),
        ("v20", "roll", {"attribute": 3}, 3),
        ("v20", "roll", {}, 0),
        ("pathfinder2e", "roll", {}, 1),
        ("pathfinder2e", "roll", {"fortune": True}, 2),
        ("pathfinder2e", "roll", {"misfortune": True}, 2),
        ("pathfinder2e", "roll", {"fortune": True, "misfortune": True}, 1),
        ("pathfinder2e", "amount", {"value": 1}, 0),
        ("dice", "roll", {"sides": 6, "count": 4}, 4),
    ],
)
def test_an_action_says_how_many_dice_a_request_may_throw(
    ruleset: str, action: str, request_: dict[str, Any], dice: int
) -> None:
    _, asked = ACTIONS[ruleset, action]
    assert asked.dice(asked.request.model_validate_json(json.dumps(request_))) == dice


def test_a_ruleset_names_the_limits_that_are_its_own() -> None:
    assert {ruleset.id: dict(ruleset.limits) for ruleset in RULESETS} == {
        "pathfinder2e": {},
        "v20": {"pool_dice": 100, "roll_dice": 1000},
        "scorekeeper": {"max_rolls": 100, "target_effect": 10_000},
        "zrps": {},
        "three-marks": {},
        "dice": {"sides": 256, "count": 1000},
    }


def test_every_ruleset_is_at_its_first_version() -> None:
    assert {ruleset.rules_version for ruleset in RULESETS} == {1}


def test_the_size_of_the_dice_is_that_of_the_game() -> None:
    assert {
        (ruleset.id, action.name): action.sides for ruleset in RULESETS for action in ruleset.actions
    } == {
        ("pathfinder2e", "roll"): 20,
        ("pathfinder2e", "amount"): None,
        ("v20", "roll"): 10,
        ("scorekeeper", "roll"): 20,
        ("scorekeeper", "contest"): 20,
        ("scorekeeper", "extended"): 20,
        ("zrps", "roll"): 20,
        ("zrps", "contest"): 20,
        ("three-marks", "roll"): 6,
        ("dice", "roll"): None,
    }
