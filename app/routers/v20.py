"""V20 over HTTP."""

from app.http.actions import RulesetRouter
from app.http.describe import Example
from app.rules import v20

router = RulesetRouter(
    v20.RULESET,
    {
        "roll": [
            Example(
                "Sneaking past the guard", {"attribute": 3, "ability": 2, "difficulty": 7, "seed": "Nia 4"}
            ),
            Example(
                "A specialty that rolls tens again",
                {"pool": 4, "specialty": {"trait": 4, "tens": "reroll"}, "faces": [10, 3, 1, 8, 6]},
            ),
            Example(
                "Willpower blocks a botch",
                {"pool": 3, "spend_willpower": True, "willpower": 4, "faces": [1, 2, 4]},
            ),
        ],
    },
)
