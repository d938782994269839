"""The benchmarks without a clock: their tables are what was measured, and their peers answer the same."""

import asyncio
import json
import os
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.rules import v20
from app.rules.odds import chances_of
from app.rules.v20_odds import Tens
from benchmarks import rolls
from benchmarks.capacity import Capacity, capacities
from benchmarks.peers import ordinary
from benchmarks.tables import GUIDE, README, filled, results

SPECIALTIES = {
    Tens.PLAIN: None,
    Tens.DOUBLED: {"trait": 4},
    Tens.REROLLED: {"trait": 4, "tens": "reroll"},
    Tens.REROLLED_SPARING: {"trait": 4, "tens": "reroll", "new_ones": "ignore"},
}
CUT_OFF = Fraction(1, 10**12)
"""How far peers may be off where tens are rerolled, which they do only so often."""

every_pool = pytest.mark.parametrize(
    ("tens", "dice", "difficulty"),
    [(tens, dice, difficulty) for tens in Tens for dice in (1, 2, 5) for difficulty in (2, 6, 9, 10)],
)


def peers() -> Any:
    """The peers for odds, where the packages of `make bench` are installed."""
    if not all(map(find_spec, ("icepool", "dyce"))):
        assert "WURF_SKIP_NOTHING" not in os.environ
        pytest.skip("SKIPPED for want of icepool and dyce: make bench installs them")
    return import_module("benchmarks.odds_peers")


def wurf_chances(tens: Tens, dice: int, difficulty: int) -> tuple[dict[int, Fraction], Fraction]:
    """The chance of each number of successes, and of a botch."""
    (action,) = v20.RULESET.actions
    asked = {"pool": dice, "difficulty": difficulty, "specialty": SPECIALTIES[tens]}
    chances = chances_of(action, action.weigh(v20.V20Roll.model_validate_json(json.dumps(asked))))
    return dict(chances.distribution), chances.outcomes[v20.V20Outcome.BOTCH]


def apart(one: dict[int, Fraction], other: dict[int, Fraction]) -> Fraction:
    """How far two distributions are apart where they differ most."""
    values = one.keys() | other.keys()
    return max(abs(one.get(value, Fraction(0)) - other.get(value, Fraction(0))) for value in values)


def allowed(tens: Tens) -> Fraction:
    return CUT_OFF if tens in v20.REROLLING else Fraction(0)


@pytest.mark.parametrize("page", [README, GUIDE], ids=["benchmarks", "guide"])
def test_the_tables_are_what_the_raw_figures_give(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert filled(text, results()) == text


def test_a_load_is_shared_out_among_workers_that_have_room_left() -> None:
    one = Capacity("rolls", 10_000, 5)
    assert one.rolls_a_minute == pytest.approx(360_000)
    assert [one.workers(millions) for millions in (1, 10)] == [3, 28]


def test_rolls_of_a_batch_count_one_by_one_and_what_was_never_answered_not_at_all() -> None:
    turn = {"requests": 200, "microseconds": 1_000_000, "p50": 4_000, "p99": 9_000}
    figures = {
        "peers": {"wurf, zrps": [turn], "bare, zrps": [turn]},
        "batch": {"single": [turn], "batch 100": [turn], "batch 1000": [turn | {"requests": 0}]},
    }
    assert list(capacities(figures)) == [
        Capacity("ZRPS, a roll a request", 200, 9),
        Capacity("ZRPS, 100 in a batch", 20_000, 9),
    ]


def test_every_section_has_been_measured() -> None:
    assert set(results()) == {"odds", "parts", "http", "memory", "soak"}


@every_pool
def test_icepool_works_out_the_same_odds(tens: Tens, dice: int, difficulty: int) -> None:
    odds_peers = peers()
    distribution, botch = wurf_chances(tens, dice, difficulty)
    ways = [odds_peers.icepool_by_worth]
    if tens not in v20.REROLLING:
        ways.append(odds_peers.icepool_by_the_rule)
    for way in ways:
        die = way(odds_peers.Pool(dice, difficulty, tens))
        theirs = {total: die.probability(total) for total in die.outcomes()}
        their_botch = theirs.pop(odds_peers.BOTCH, Fraction(0))
        theirs[0] = theirs.get(0, Fraction(0)) + their_botch
        assert abs(their_botch - botch) <= allowed(tens)
        assert apart(theirs, distribution) <= allowed(tens)


@every_pool
def test_dyce_works_out_the_same_net_successes(tens: Tens, dice: int, difficulty: int) -> None:
    odds_peers = peers()
    histogram = odds_peers.dyce_net(odds_peers.Pool(dice, difficulty, tens))
    theirs: dict[int, Fraction] = {}
    for net, count in histogram.items():
        total = max(net, 0)
        theirs[total] = theirs.get(total, Fraction(0)) + Fraction(count, histogram.total)
    distribution, _ = wurf_chances(tens, dice, difficulty)
    assert apart(theirs, distribution) <= allowed(tens)


@pytest.mark.parametrize(
    "request_",
    [
        rolls.ZRPS,
        rolls.with_modifiers(5),
        rolls.post("/v1/zrps/roll", {"value": 11, "faces": [20], "ref": "r"}),
    ],
)
def test_an_ordinary_route_answers_the_same(request_: rolls.Request, client: httpx.Client) -> None:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(ordinary)
        async with httpx.AsyncClient(transport=transport, base_url="http://ordinary") as asking:
            # Unlike Wurf, an ordinary route wants to be told that JSON is JSON.
            headers = {"Content-Type": "application/json"}
            return await asking.post(request_.path, content=request_.body, headers=headers)

    answered = asyncio.run(ask())
    assert answered.status_code == httpx.codes.OK
    assert answered.content == client.post(request_.path, content=request_.body).content


def test_what_is_asked_is_never_refused_but_where_it_must_be(client: httpx.Client) -> None:
    for request in [rolls.V20, rolls.with_pool(100), rolls.with_modifiers(50), *rolls.dear_pools()[::50]]:
        assert client.post(request.path, content=request.body).status_code == httpx.codes.OK
    some = rolls.mixed()[::7]
    statuses = {client.request(one.method, one.path, content=one.body).status_code for one in some}
    assert {200, 400, 422} <= statuses <= {200, 400, 404, 422}
