"""Every ruleset that the service knows. A new one is added by its line here."""

from typing import Final

from app.rules import three_marks, v20, zrps
from app.rules.ruleset import Ruleset

RULESETS: Final[tuple[Ruleset, ...]] = (
    zrps.RULESET,
    v20.RULESET,
    three_marks.RULESET,
)
