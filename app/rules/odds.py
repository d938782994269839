"""From chances to the odds of an answer: exact fractions as text, and floats derived from them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from app.rules.chances import WORK, Chances, enumerate_chances
from app.rules.fields import ActionRequest
from app.rules.ruleset import Action, OddsOf, Ruleset


def odds(
    ruleset: Ruleset, action: Action[Any, Any, Any], request: ActionRequest, *, exact: bool, work: int = WORK
) -> dict[str, Any]:
    """Work out the odds of an action and return the answer's fields in their order.

    Raises `Refusal`: those of the rule, and `odds_too_large` where the dice can fall in too many ways.
    """
    return {
        "ruleset": ruleset.id,
        "action": action.name,
        "rules_version": ruleset.rules_version,
        **odds_fields(action, action.weigh(request), exact=exact, work=work),
    }


def odds_fields(
    action: Action[Any, Any, Any], situation: object, *, exact: bool, work: int = WORK
) -> dict[str, Any]:
    """Work out the odds of a weighed situation, without the fields that name the action."""
    asked: OddsOf[Any] | None = action.odds
    if asked is None:
        message = f"{action.name} has no odds"
        raise LookupError(message)
    chances = chances_of(action, situation, work)
    fields = {
        "outcomes": [
            {"outcome": outcome, **_chance(chance, exact=exact)}
            for outcome, chance in chances.outcomes.items()
        ],
        "success": None if chances.success is None else _chance(chances.success, exact=exact),
        "quantity": asked.quantity(situation),
        "distribution": [
            {"value": value, **_chance(chance, exact=exact)} for value, chance in chances.distribution
        ],
        "mean": None if chances.mean is None else _number("value", chances.mean, exact=exact),
    }
    if chances.remainder is not None:
        fields["remainder"] = _chance(chances.remainder, exact=exact)
    if asked.more is not None:
        fields[asked.more.name] = _spelled_out(asked.more.work_out(situation, chances), exact=exact)
    return fields


def chances_of(action: Action[Any, Any, Any], situation: object, work: int = WORK) -> Chances:
    """Work out the exact chances of a weighed situation, in closed form where there is one."""
    asked = action.odds
    if asked is not None and asked.closed_form is not None:
        return asked.closed_form(situation)
    return by_the_rule(action, situation, work)


def by_the_rule(action: Action[Any, Any, Any], situation: object, work: int = WORK) -> Chances:
    """Work out the exact chances by running the rule under every fall of its dice."""
    asked: OddsOf[Any] = action.odds or OddsOf(quantity=lambda _: None)
    return enumerate_chances(
        asked.throw or action.throw, situation, action.outcomes or (), asked.measure, work
    )


def _chance(chance: Fraction, *, exact: bool) -> dict[str, Any]:
    return _number("probability", chance, exact=exact)


def _number(name: str, number: Fraction, *, exact: bool) -> dict[str, Any]:
    return {name: float(number), "exact": str(number)} if exact else {name: float(number)}


def _spelled_out(rows: list[Mapping[str, Any]], *, exact: bool) -> list[dict[str, Any]]:
    """Write the rows of a further field; a `Fraction` in a row stands for the row's chance."""
    return [
        {
            key: value
            for name, cell in row.items()
            for key, value in (
                _chance(cell, exact=exact) if isinstance(cell, Fraction) else {name: cell}
            ).items()
        }
        for row in rows
    ]
