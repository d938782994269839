"""ZRPS over HTTP."""

from app.http.actions import RulesetRouter
from app.http.describe import Example
from app.rules import zrps

router = RulesetRouter(
    zrps.RULESET,
    {
        "roll": [
            Example(
                "Sand in the eye",
                {"value": 11, "modifiers": [{"value": -3, "label": "Sand in the eye"}], "seed": "demo"},
            ),
            Example("A die thrown at the table", {"value": 14, "faces": [2]}),
        ],
        "contest": [
            Example(
                "Who is quicker",
                {
                    "contestants": [
                        {"name": "Mara", "values": [8, 13]},
                        {
                            "name": "Guard",
                            "values": [12],
                            "modifiers": [{"value": -2, "label": "Darkness"}],
                        },
                    ],
                    "seed": "turn 3",
                },
            ),
        ],
    },
)
