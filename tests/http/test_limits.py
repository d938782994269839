"""Rate limits: who may ask how much, what the answers say of it, and that memory stays bounded."""

import json
import re
from asyncio import AbstractEventLoop, new_event_loop
from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.http.counting import WINDOWS, Memory
from app.http.keys import new_key
from app.http.limits import TooMuchError, policies
from app.main import create_app
from app.settings import Settings, WrongSettingError
from tests.http.test_lane import NAMED, Connection, pieces
from tests.http.wire import ROLL, as_json, assert_problem, message
from tests.serving import Server, serving

BODY = b'{"value":11,"seed":"demo"}'
ODDS = f"{ROLL}/odds"
PARAMS = {"request": '{"value":11}'}
ITEM = {"ruleset": "zrps", "action": "roll", "request": {"value": 11}}
POLICY = '"default";q=3;w=3600'
BATCH_POLICY = '"default";q=3;w=3600, "batch-items";q=10;w=3600'
FORWARDED = "X-Forwarded-For"
addresses = (f"203.0.113.{number}" for number in count(1))


@pytest.fixture(scope="module")
def limited() -> Iterator[Server]:
    """A service with limits behind a proxy on the same machine, so that a test can be any client."""
    settings = {
        "WURF_RATE_LIMIT": "3/hour",
        "WURF_BATCH_ITEM_LIMIT": "10/hour",
        "WURF_TRUSTED_PROXIES": "127.0.0.1",
    }
    with serving(**settings) as running:
        yield running


@pytest.fixture
def asking(limited: Server) -> Iterator[httpx.Client]:
    """A client with an address of its own."""
    with httpx.Client(base_url=limited.url, headers={FORWARDED: next(addresses)}) as client:
        yield client


@pytest.fixture
def loop() -> Iterator[AbstractEventLoop]:
    """A loop that runs only while a test lets it."""
    running = new_event_loop()
    yield running
    running.close()


def left(answer: httpx.Response) -> dict[str, int]:
    """Read what is left under each policy."""
    return {name: int(r) for name, r in re.findall(r'"([^"]+)";r=(\d+);t=\d+', answer.headers["ratelimit"])}


def batch(items: int) -> bytes:
    return as_json({"seed": "b", "items": [ITEM] * items})


def test_a_client_may_ask_as_much_as_the_limit_says(asking: httpx.Client) -> None:
    answers = [asking.post(ROLL, content=BODY) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert [left(answer)["default"] for answer in answers] == [2, 1, 0, 0, 0]
    assert [answer.headers["ratelimit-policy"] for answer in answers] == [POLICY] * 5
    assert answers[0].headers["ratelimit"] == '"default";r=2;t=3600'
    assert asking.post(ROLL, content=BODY, headers={FORWARDED: next(addresses)}).status_code == 200


def test_a_refusal_says_when_to_come_back(asking: httpx.Client) -> None:
    for _ in range(3):
        asking.post(ROLL, content=BODY)
    answer = asking.post(f"{ROLL}?lang=de", content=BODY)
    assert_problem(answer, 429, "rate_limited")
    assert answer.json()["title"] == "Zu viele Anfragen"
    seconds = int(answer.headers["retry-after"])
    # The first of the three has to leave the window.
    assert 3590 < seconds <= 3601
    assert answer.headers["ratelimit"] == f'"default";r=0;t={min(seconds, 3600)}'


def test_every_kind_of_request_counts_and_tells(asking: httpx.Client) -> None:
    assert left(asking.get(ROLL, params=PARAMS)) == {"default": 2}
    assert left(asking.post(ROLL, content=b"{")) == {"default": 1}
    assert left(asking.head(ROLL, params=PARAMS)) == {"default": 0}
    assert asking.post("/v1/receipts/verify", content=b"{}").status_code == 429


def test_odds_that_caches_may_keep_say_nothing_of_the_client(asking: httpx.Client) -> None:
    kept = asking.get(ODDS, params=PARAMS)
    unchanged = asking.get(ODDS, params=PARAMS, headers={"If-None-Match": kept.headers["etag"]})
    assert (kept.status_code, unchanged.status_code) == (200, 304)
    assert not {"ratelimit", "ratelimit-policy", "x-request-id"} & {*kept.headers, *unchanged.headers}
    assert left(asking.post(ODDS, content=b'{"value":11}')) == {"default": 0}
    assert_problem(asking.get(ODDS, params=PARAMS), 429, "rate_limited")


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/v1/info", "/v1/problems/validation", "/docs", "/no"])
def test_what_works_for_nobody_in_particular_is_not_limited(path: str, asking: httpx.Client) -> None:
    answers = [asking.get(path) for _ in range(5)]
    assert {answer.status_code for answer in answers} <= {200, 404}
    assert not any("ratelimit" in answer.headers for answer in answers)
    assert left(asking.post(ROLL, content=BODY)) == {"default": 2}


def test_a_preflight_is_not_limited(asking: httpx.Client) -> None:
    headers = {"Origin": "https://table.example", "Access-Control-Request-Method": "POST"}
    assert {asking.options(ROLL, headers=headers).status_code for _ in range(5)} == {204}
    assert left(asking.post(ROLL, content=BODY)) == {"default": 2}


def test_the_items_of_a_batch_have_a_limit_of_their_own(asking: httpx.Client) -> None:
    first = asking.post("/v1/batch", content=batch(8))
    assert first.headers["ratelimit-policy"] == BATCH_POLICY
    assert left(first) == {"default": 2, "batch-items": 2}
    # Refused as a whole: it uses up none of the items that are left.
    refused = asking.post("/v1/batch", content=batch(3))
    assert_problem(refused, 429, "rate_limited")
    assert left(refused) == {"default": 1, "batch-items": 2}
    last = asking.post("/v1/batch", content=batch(2))
    assert last.status_code == 200
    assert left(last) == {"default": 0, "batch-items": 0}


def test_a_batch_that_is_not_read_costs_no_items(asking: httpx.Client) -> None:
    assert asking.post("/v1/batch", content=b'{"items":[]}').status_code == 422
    assert left(asking.post("/v1/batch", content=batch(10))) == {"default": 1, "batch-items": 0}


def test_a_batch_above_its_limit_waits_for_a_whole_window(asking: httpx.Client) -> None:
    answer = asking.post("/v1/batch", content=batch(11))
    assert_problem(answer, 429, "rate_limited")
    assert answer.headers["retry-after"] == "3600"
    assert left(answer) == {"default": 2, "batch-items": 10}


def test_a_roll_says_nothing_of_batches(asking: httpx.Client) -> None:
    assert asking.post(ROLL, content=BODY).headers["ratelimit-policy"] == POLICY


def test_the_info_tells_the_limits_in_force(asking: httpx.Client, client: httpx.Client) -> None:
    limits = asking.get("/v1/info").json()["limits"]
    assert limits["request_rate"] == [{"amount": 3, "seconds": 3600}]
    assert limits["batch_item_rate"] == [{"amount": 10, "seconds": 3600}]
    limits = client.get("/v1/info").json()["limits"]
    assert limits["request_rate"] == limits["batch_item_rate"] == []
    assert (limits["in_work"], limits["body_seconds"]) == (1000, 10)


def test_a_spoofed_address_changes_nothing() -> None:
    with serving(WURF_RATE_LIMIT="3/hour", WURF_TRUSTED_PROXIES="192.0.2.1") as server:
        answers = [
            httpx.post(server.url + ROLL, content=BODY, headers={FORWARDED: f"203.0.113.{number}"})
            for number in range(4)
        ]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]


def test_a_key_is_a_client_wherever_it_asks_from(loop: AbstractEventLoop) -> None:
    (one, digest), (other, other_digest) = new_key(), new_key()
    settings = Settings(
        api_keys=f"{digest},{other_digest}", rate_limit="2/hour", trusted_proxies="127.0.0.0/8"
    )
    connection = Connection(loop, create_app(settings))
    statuses = []
    for number, key in enumerate([one, one, one, other, "wrong", "wrong", "wrong"]):
        named = [f"X-API-Key: {key}".encode(), f"{FORWARDED}: 203.0.113.{number}".encode()]
        connection.line.written = b""
        connection.read(message("POST", ROLL, *named, body=BODY))
        statuses.append(connection.finish()[9:12])
    assert statuses == [b"200", b"200", b"429", b"200", b"401", b"401", b"401"]


@pytest.mark.parametrize("origins", [("*",), ("https://table.example",)])
@pytest.mark.parametrize("limit", ["2/hour", "2/hour;5/day"])
@pytest.mark.parametrize("body", [BODY, b"{"])
def test_limits_are_the_same_on_both_ways(
    body: bytes, limit: str, origins: tuple[str, ...], loop: AbstractEventLoop
) -> None:
    asked = message("POST", ROLL, NAMED, b"Origin: https://table.example", body=body)
    key, digest = new_key()
    admitted = asked.replace(b"\r\n", b"\r\nX-API-Key: %b\r\n" % key.encode(), 1)
    settings = Settings(api_keys=digest, rate_limit=limit, cors_origins=origins)
    whole, cut = Connection(loop, create_app(settings)), Connection(loop, create_app(settings))
    for request in [admitted, asked, admitted, admitted]:
        whole.line.written = cut.line.written = b""
        whole.read(request)
        cut.read(*pieces(request))
        assert whole.finish() == cut.finish() != b""


@pytest.mark.parametrize(
    ("written", "policies_"),
    [
        ("120/minute", [("default", 120, 60)]),
        ("10 per 2 seconds", [("default", 10, 2)]),
        ("1000/day; 10/second", [("default-1s", 10, 1), ("default-86400s", 1000, 86400)]),
        ("", []),
    ],
)
def test_limits_are_written_as_the_package_has_them(
    written: str, policies_: list[tuple[str, int, int]]
) -> None:
    found = policies("default", written)
    assert [(one.name, one.amount, one.seconds) for one in found] == policies_


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("many", "is a rate limit such as 120/minute"),
        ("120", "is a rate limit such as 120/minute"),
        ("120/fortnight", "is a rate limit such as 120/minute"),
        ("-1/minute", "is a rate limit such as 120/minute"),
        ("10/minute;", "is a rate limit such as 120/minute"),
        ("0/minute", "a limit of 0 would refuse everything"),
        ("10/minute;20/minute", "two limits for the same time"),
        ("10/60 seconds;20/minute", "two limits for the same time"),
    ],
)
def test_wrong_limits_stop_the_start(written: str, what: str) -> None:
    with pytest.raises(WrongSettingError, match=rf"^WURF_RATE_LIMIT: .*{what}"):
        create_app(Settings(rate_limit=written))
    with pytest.raises(WrongSettingError, match=rf"^WURF_BATCH_ITEM_LIMIT: .*{what}"):
        create_app(Settings(batch_item_limit=written))


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        """Start at some time."""
        self.now = 5000.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


steps = st.lists(st.tuples(st.floats(0, 40), st.integers(1, 7)), max_size=20)


@given(steps, st.integers(1, 7), st.sampled_from(["5/30 seconds", "6/minute;9/2 minutes", "1/second"]))
def test_who_comes_back_when_told_to_is_let_in_and_not_a_second_before(
    past: list[tuple[float, int]], cost: int, written: str
) -> None:
    limits = policies("default", written)
    clock = Clock()
    memory = Memory(clock=clock)
    for seconds, spent in past:
        clock.now += seconds
        try:
            memory.spend(limits, "a", spent)
        except TooMuchError:
            continue
    try:
        memory.spend(limits, "a", cost)
    except TooMuchError as refused:
        told = refused.seconds
    else:
        return
    assert told >= 1
    if cost > min(one.amount for one in limits):
        assert told >= max(one.seconds for one in limits if one.amount < cost)
        return
    begin = clock.now
    if told > 1:
        clock.now = begin + told - 1.001
        with pytest.raises(TooMuchError):
            memory.spend(limits, "a", cost)
    clock.now = begin + told
    memory.spend(limits, "a", cost)


@given(steps)
def test_what_is_said_to_be_left_can_be_had(past: list[tuple[float, int]]) -> None:
    limits = policies("default", "9/30 seconds")
    clock = Clock()
    memory = Memory(clock=clock)
    for seconds, spent in past:
        clock.now += seconds
        try:
            (standing,) = memory.spend(limits, "a", spent)
        except TooMuchError as refused:
            (standing,) = refused.standings
            assert standing.remaining < spent
        if standing.remaining:
            (spent_all,) = memory.spend(limits, "a", standing.remaining)
            assert spent_all.remaining == 0
        with pytest.raises(TooMuchError):
            memory.spend(limits, "a", 1)
        assert 1 <= standing.seconds <= 30


def test_a_refusal_counts_nothing_even_where_one_of_two_limits_would_allow_it() -> None:
    limits = policies("default", "2/second;3/minute")
    clock = Clock()
    memory = Memory(clock=clock)
    memory.spend(limits, "a", 2)
    for _ in range(5):
        with pytest.raises(TooMuchError):
            memory.spend(limits, "a", 1)
    clock.now += 2
    short, long = memory.spend(limits, "a", 1)
    assert (short.remaining, long.remaining) == (1, 0)


def test_a_window_slides() -> None:
    limits = policies("default", "10/minute")
    clock = Clock()
    memory = Memory(clock=clock)
    memory.spend(limits, "a", 10)
    seen = []
    for _ in range(4):
        clock.now += 29.99
        with pytest.raises(TooMuchError) as refused:
            memory.spend(limits, "a", 11)
        seen.append(refused.value.standings[0].remaining)
    assert seen == [0, 0, 5, 10]


def test_many_clients_take_bounded_memory_and_the_busy_ones_stay_known() -> None:
    limits = policies("default", "2/minute;1000/hour")
    memory = Memory(most=100)
    memory.spend(limits, "idle", 2)
    memory.spend(limits, "busy", 1)
    for number in range(300):
        memory.spend(limits, f"passer-by {number}", 1)
        if number == 0:
            memory.spend(limits, "busy", 1)
        with pytest.raises(TooMuchError):
            memory.spend(limits, "busy", 1)
    assert len(memory._windows) <= 100
    assert memory.spend(limits, "idle", 2)[0].remaining == 0


def test_the_bound_on_clients_is_in_force() -> None:
    app = create_app(Settings(rate_limit="1/hour"))
    assert app.service.admission.memory._most == WINDOWS == 65_536


def test_a_service_without_limits_says_nothing_of_them(client: httpx.Client) -> None:
    answer = client.post(ROLL, content=BODY)
    assert not {"ratelimit", "ratelimit-policy"} & {*answer.headers}
    answer = client.post("/v1/batch", content=batch(3))
    assert not {"ratelimit", "ratelimit-policy"} & {*answer.headers}
    parsed: Any = json.loads(answer.content)
    assert len(parsed["results"]) == 3
