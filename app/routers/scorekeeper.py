"""Scorekeeper over HTTP."""

from app.http.actions import RulesetRouter
from app.http.describe import Example
from app.rules import scorekeeper

router = RulesetRouter(
    scorekeeper.RULESET,
    {
        "roll": [
            Example("A code under time pressure", {"attribute": 9, "skill": 6, "handicap": 5, "faces": [9]}),
            Example(
                "An attack with a helper",
                {
                    "attribute": 7,
                    "skill": 4,
                    "helpers": [{"label": "Anna"}],
                    "attack": True,
                    "seed": "round 2",
                },
            ),
            Example("Taking ten at the charts", {"attribute": 8, "skill": 4, "take_ten": True, "faces": []}),
        ],
        "contest": [
            Example(
                "The thief and the guard",
                {
                    "contestants": [
                        {"name": "Olaf", "attribute": 7, "skill": 7},
                        {"name": "Guard", "attribute": 11},
                    ],
                    "faces": [8, 10],
                },
            ),
        ],
        "extended": [
            Example(
                "Rearming the fighter",
                {"attribute": 8, "skill": 7, "target_effect": 10, "seed": "Jupiter"},
            ),
        ],
    },
)
