"""What exact odds cost as the work grows, beside icepool and dyce that answer the same.

Nothing is cached: every call starts with the validated request.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

from app.http.describe import Example
from app.http.problem import to_json
from app.rules import scorekeeper, v20
from app.rules.fields import ORIGINS
from app.rules.odds import chances_of, odds_fields
from app.rules.registry import RULESETS
from app.rules.ruleset import Action
from app.rules.v20_odds import Tens, pool_odds
from benchmarks.clock import Call, peak_bytes, take_turns
from benchmarks.odds_peers import Pool, dyce_net, icepool_by_the_rule, icepool_by_worth
from benchmarks.options import Options

SIZES: Final = (1, 5, 10, 20, 50, 100)
"""Dice of a pool, or rolls of an extended roll."""
DIFFICULTY: Final = 6
ICEPOOL_REROLLS: Final = 20
"""Of how many dice icepool is asked at most where tens are rerolled: 50 take it ten seconds."""
REROLL: Final = {"trait": 4, "tens": "reroll"}
SPECIALTIES: Final[Mapping[Tens, Mapping[str, Any] | None]] = {
    Tens.PLAIN: None,
    Tens.DOUBLED: {"trait": 4},
    Tens.REROLLED: REROLL,
    Tens.REROLLED_SPARING: REROLL | {"new_ones": "ignore"},
}
EXTENDED: Final = {"attribute": 12, "target_effect": 1000}
"""Of many tried, the extended roll that takes longest."""
MANY: Final = [{"value": 1 - 2 * (place % 2), "label": f"modifier {place}"} for place in range(50)]
TYPED: Final = [{**modifier, "type": "status"} for modifier in MANY]
HEAVY: Final[Mapping[tuple[str, str], Mapping[str, Any]]] = {
    ("zrps", "roll"): {"value": 11, "modifiers": MANY},
    ("zrps", "contest"): {"contestants": [{"values": [9, 11], "modifiers": MANY}] * 2},
    ("scorekeeper", "roll"): {"attribute": 11, "modifiers": MANY},
    ("scorekeeper", "contest"): {"contestants": [{"attribute": 11, "modifiers": MANY}] * 2},
    ("pathfinder2e", "roll"): {
        "modifiers": TYPED,
        "dc": 15,
        "dc_modifiers": TYPED,
        "fortune": True,
        "adjustments": [{"steps": 1}, {"steps": -1}] * 5,
    },
}
"""A request as large as it may be, of each action with a d20."""


class Asked(NamedTuple):
    """One question, for all who answer it."""

    group: str
    what: str
    size: int | None
    action: Action[Any, Any, Any]
    request: Mapping[str, Any]
    pool: Pool | None = None


def measure(_options: Options) -> list[dict[str, Any]]:
    """Time every question, and the memory that it takes."""
    figures: list[dict[str, Any]] = []
    for asked in _questions():
        calls = _wurf(asked) | _peers(asked)
        named: dict[str, Any] = {"group": asked.group, "what": asked.what, "size": asked.size}
        figures += [
            {**named, "by": name, "seconds": seconds, "peak_bytes": peak_bytes(calls[name])}
            for name, seconds in take_turns(calls).items()
        ]
        print(f"odds: {asked.group}, {asked.what}, {asked.size or ''}")
    return figures


def _questions() -> Iterator[Asked]:
    (roll,) = v20.RULESET.actions
    for tens, specialty in SPECIALTIES.items():
        for dice in SIZES:
            request: dict[str, Any] = {
                "pool": dice,
                "difficulty": DIFFICULTY,
                "specialty": specialty,
            }
            pool = Pool(dice, DIFFICULTY, tens)
            yield Asked("v20", tens.name.lower(), dice, roll, request, pool)
    extended = scorekeeper.RULESET.actions[-1]
    for on_fumble in ("lose_all", "lose_nothing"):
        for rolls in SIZES:
            request = {**EXTENDED, "max_rolls": rolls, "on_fumble": on_fumble}
            yield Asked("extended", on_fumble, rolls, extended, request)
    yield from _each_action()


def _each_action() -> Iterator[Asked]:
    for ruleset in RULESETS:
        router = import_module(f"app.routers.{ruleset.id.replace('-', '_')}").router
        for action in ruleset.actions:
            if action.odds is not None and action.odds.closed_form is None:
                name = f"{ruleset.id}/{action.name}"
                example: Example = router.examples[action.name][0]
                request = {field: value for field, value in example.request.items() if field not in ORIGINS}
                yield Asked("actions", name, None, action, request)
                if heavy := HEAVY.get((ruleset.id, action.name)):
                    yield Asked("actions", f"{name}, as large as it may be", None, action, heavy)


def _wurf(asked: Asked) -> dict[str, Call]:
    action = asked.action
    request = action.request.model_validate_json(json.dumps(asked.request))
    pool = asked.pool
    # What the peers are handed: the pool as it stands, not a request to weigh.
    alone = {} if pool is None else {"pool": partial(pool_odds, pool.dice, DIFFICULTY, pool.tens, 0, 1)}
    return alone | {
        "rule": lambda: chances_of(action, action.weigh(request)),
        "answer": lambda: to_json(odds_fields(action, action.weigh(request), exact=True)),
    }


def _peers(asked: Asked) -> dict[str, Call]:
    pool = asked.pool
    if pool is None:
        return {}
    peers = {"dyce": dyce_net}
    rerolls = pool.tens in v20.REROLLING
    if not rerolls or pool.dice <= ICEPOOL_REROLLS:
        peers["icepool"] = icepool_by_worth
    if not rerolls:
        peers["icepool, by the rule"] = icepool_by_the_rule
    return {name: partial(peer, pool) for name, peer in peers.items()}
