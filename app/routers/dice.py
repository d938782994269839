"""Plain dice over HTTP."""

from app.http.actions import RulesetRouter
from app.http.describe import Example
from app.rules import plain_dice

router = RulesetRouter(
    plain_dice.RULESET,
    {
        "roll": [
            Example("Three six-sided dice", {"sides": 6, "count": 3, "seed": "turn 12#3"}),
            Example("Percentile dice thrown at the table", {"sides": 100, "count": 2, "faces": [7, 100]}),
        ],
    },
)
