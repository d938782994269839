"""Three Marks over HTTP."""

from app.http.actions import RulesetRouter
from app.http.describe import Example
from app.rules import three_marks

router = RulesetRouter(
    three_marks.RULESET,
    {
        "roll": [
            Example(
                "Basic attack against the body",
                {"accuracy": 4, "defense_value": 2, "defense": "body", "damage": 2, "seed": "Nessa 1"},
            ),
            Example(
                "A nimble hero and an exposed target",
                {"advantage": 0, "effects": ["exposed", "nimble"], "damage": 5, "armor": 1, "faces": [4]},
            ),
        ],
    },
)
