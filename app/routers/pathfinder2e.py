"""Pathfinder 2e over HTTP."""

from app.http.actions import RulesetRouter
from app.http.describe import Example
from app.rules import pathfinder2e

router = RulesetRouter(
    pathfinder2e.RULESET,
    {
        "roll": [
            Example(
                "An attack under two blessings",
                {
                    "check": "attack",
                    "attribute_modifier": 4,
                    "proficiency": {"rank": "expert", "level": 5},
                    "modifiers": [
                        {"type": "status", "value": 1, "label": "Heroism"},
                        {"type": "status", "value": 1, "label": "Bless"},
                    ],
                    "dc": 20,
                    "faces": [14],
                },
            ),
            Example(
                "A save against the opponent's statistic",
                {
                    "check": "save",
                    "attribute_modifier": 2,
                    "proficiency": {"rank": "trained", "level": 3},
                    "against": {"attribute_modifier": 4, "proficiency": {"rank": "trained", "level": 3}},
                    "fortune": True,
                    "seed": "goblin 2",
                },
            ),
        ],
        "amount": [
            Example(
                "Double damage, halved by a resistance",
                {"value": 7, "multipliers": [2], "basic_save": "critical_failure", "halve": True},
            ),
        ],
    },
)
