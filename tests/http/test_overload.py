"""Too much at once, and too slowly: what there is no room for is turned away, and the rest goes on."""

import asyncio
import threading
from asyncio import AbstractEventLoop, new_event_loop
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import app.http.call
from app.http import odds
from app.http.batch import BATCH_BYTES
from app.http.overload import ANSWERS_BYTES, BATCHES_BYTES, Room
from app.http.problem import Problem
from app.main import create_app
from app.rules import v20
from app.settings import Settings
from tests.http.counted import own_desk
from tests.http.test_lane import NAMED, Connection, pieces
from tests.http.wire import ROLL, Wire, as_json, assert_problem, chunked, message
from tests.serving import Server, serving

BODY = b'{"value":11,"seed":"demo"}'
HEAD = message("POST", ROLL, b"Content-Length: %d" % len(BODY))
WHOLE = message("POST", ROLL, body=BODY)
BATCH = as_json({"items": [{"ruleset": "zrps", "action": "roll", "request": {"value": 11}}] * 100})


@pytest.fixture(scope="module")
def narrow() -> Iterator[Server]:
    """A service with little room and little patience."""
    with serving(WURF_MAX_IN_WORK="1", WURF_BODY_SECONDS="1") as running:
        yield running


@pytest.fixture
def loop() -> Iterator[AbstractEventLoop]:
    """A loop that runs only while a test lets it."""
    running = new_event_loop()
    yield running
    running.close()


def assert_overloaded(answer: httpx.Response) -> None:
    assert_problem(answer, 503, "overloaded")
    assert answer.headers["retry-after"] == "1"


def test_a_body_that_does_not_arrive_in_time_is_waited_for_no_longer(narrow: Server) -> None:
    with Wire(narrow.port) as wire:
        answer = wire.ask(HEAD + BODY[:5])
        assert_problem(answer, 408, "request_timeout")
        assert answer.headers["connection"] == "close"
        assert wire.rest() == b""


def test_a_body_that_drips_gets_no_more_time(narrow: Server) -> None:
    with Wire(narrow.port) as wire, Wire(narrow.port) as other:
        wire.send(message("POST", ROLL, b"Transfer-Encoding: chunked"))
        dripping = threading.Event()

        def drip() -> None:
            while not dripping.wait(0.1):
                try:
                    wire.send(b"1\r\n \r\n")
                except OSError:  # the service has hung up
                    return

        dropper = threading.Thread(target=drip)
        dropper.start()
        try:
            assert_problem(wire.receive(), 408, "request_timeout")
            # A client that is slow keeps nobody from rolling.
            assert other.ask(WHOLE).status_code == 200
        finally:
            dripping.set()
            dropper.join()


@pytest.mark.parametrize(
    "path", [ROLL, f"{ROLL}?odds=true", f"{ROLL}/odds", "/v1/batch", "/v1/receipts/verify"]
)
def test_every_body_has_its_time(path: str, narrow: Server) -> None:
    with Wire(narrow.port) as wire:
        answer = wire.ask(message("POST", path, b"Content-Length: 9"))
        assert_problem(answer, 408, "request_timeout")


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_body_that_comes_late_but_in_time_is_read(number: int, narrow: Server) -> None:
    size = -(-len(BODY) // number)
    with Wire(narrow.port) as wire:
        wire.send(message("POST", ROLL, b"Transfer-Encoding: chunked"))
        for start in range(0, len(BODY), size):
            part = BODY[start : start + size]
            wire.send(b"%x\r\n%b\r\n" % (len(part), part))
        wire.send(b"0\r\n\r\n")
        assert wire.receive().json()["faces"] == [3]
        assert wire.ask(WHOLE).json()["faces"] == [3]


def test_a_client_that_hangs_up_leaves_its_place_to_others(narrow: Server) -> None:
    for _ in range(3):
        with Wire(narrow.port) as wire:
            wire.send(HEAD + BODY[:5])
            wire.send(BODY[5:7])
    with Wire(narrow.port) as wire:
        wire.send(HEAD)
        wire.send(BODY)
        assert wire.receive().status_code == 200


def test_bodies_under_way_are_bounded_and_take_no_room_from_those_that_are_there(narrow: Server) -> None:
    with Wire(narrow.port) as first, Wire(narrow.port) as second, Wire(narrow.port) as third:
        first.send(message("POST", ROLL, b"Expect: 100-continue", b"Content-Length: %d" % len(BODY)))
        first.until(b"100 Continue\r\n\r\n")
        # There is one place for a body under way, and it is taken; this one is not read at all.
        assert_overloaded(second.ask(HEAD + BODY[:5]))
        assert third.ask(WHOLE).status_code == 200
        assert third.ask(message("POST", f"{ROLL}?odds=true", body=BODY)).status_code == 200
        assert third.ask(message("GET", "/readyz")).status_code == 200
        first.send(BODY)
        assert first.receive().json()["faces"] == [3]


def test_nothing_but_health_and_documents_is_answered_where_there_is_no_room(loop: AbstractEventLoop) -> None:
    application = create_app(Settings(max_in_work=3))
    room = application.service.admission.room
    room.in_work = 3
    whole, cut = Connection(loop, application), Connection(loop, application)
    asked = WHOLE.replace(b"\r\n", b"\r\n" + NAMED + b"\r\n", 1)
    whole.read(asked)
    cut.read(*pieces(asked))
    assert whole.finish() == cut.finish()
    assert whole.line.written.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nretry-after: 1\r\n" in whole.line.written
    for path in ("/livez", "/readyz", "/v1/info", "/docs", "/openapi.json"):
        document = Connection(loop, application)
        document.read(message("GET", path))
        assert document.finish().startswith(b"HTTP/1.1 200 ")
    room.in_work = 2
    whole.read(asked)
    assert whole.finish().count(b"HTTP/1.1 200 ") == 1
    assert (room.in_work, room.arriving) == (2, 0)


def test_what_is_above_the_bound_is_turned_away_and_the_rest_is_answered() -> None:
    application = create_app(Settings(max_in_work=3))

    async def crowd() -> list[httpx.Response]:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://wurf") as client:
            first = await asyncio.gather(*(client.post("/v1/batch", content=BATCH) for _ in range(8)))
            return [*first, await client.post("/v1/batch", content=BATCH)]

    answers = asyncio.run(crowd())
    assert [answer.status_code for answer in answers] == [200] * 3 + [503] * 5 + [200]
    assert_overloaded(answers[3])
    assert application.service.admission.room.in_work == 0


def test_an_overloaded_service_does_not_read_the_body() -> None:
    application = create_app(Settings(max_in_work=1))
    application.service.admission.room.in_work = 1
    sent: list[Any] = []

    async def receive() -> Any:
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": ROLL,
        "raw_path": ROLL.encode(),
        "query_string": b"",
        "headers": [],
    }
    asyncio.run(application(scope, receive, send))
    assert sent[0]["status"] == 503


def test_a_body_that_is_there_needs_no_timer(
    loop: AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_seconds: float) -> None:
        raise AssertionError

    monkeypatch.setattr(app.http.call, "timeout", none)
    connection = Connection(loop)
    for path, body in [(ROLL, BODY), (f"{ROLL}?odds=true", BODY), ("/v1/batch", BATCH)]:
        connection.line.written = b""
        connection.read(message("POST", path, body=body))
        assert connection.finish().startswith(b"HTTP/1.1 200 ")


def test_room_is_given_back_whatever_happens() -> None:
    room = Room(1)
    room.enter()
    with pytest.raises(Problem, match="overloaded"):
        room.enter()
    with room.waiting_for_body():
        assert (room.in_work, room.arriving) == (0, 1)
        room.enter()
        with pytest.raises(Problem, match="overloaded"), room.waiting_for_body():
            pass
        room.leave()
    assert (room.in_work, room.arriving) == (1, 0)
    room.leave()
    assert room.in_work == 0


def test_batches_at_once_are_bounded_by_their_size() -> None:
    application = create_app(Settings())
    large = BATCH.ljust(BATCH_BYTES)
    fit = BATCHES_BYTES // BATCH_BYTES

    async def crowd() -> list[httpx.Response]:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://wurf") as client:
            batches = [client.post("/v1/batch", content=large) for _ in range(fit + 3)]
            # There is no room for a small one either, but for a roll.
            others = [client.post("/v1/batch", content=BATCH), client.post(ROLL, content=BODY)]
            return await asyncio.gather(*batches, *others)

    answers = asyncio.run(crowd())
    assert [answer.status_code for answer in answers] == [200] * fit + [503] * 4 + [200]
    assert_overloaded(answers[fit])
    assert application.service.admission.room.batches == 0


def test_batches_at_once_are_bounded_by_the_size_of_their_answers() -> None:
    application = create_app(Settings())
    specialty = {"trait": 4, "tens": "reroll", "new_ones": "cancel"}
    defaults = {"ruleset": "v20", "action": "roll", "request": {"pool": 100, "specialty": specialty}}
    # Odds of some 60 kB each: 15 kB of a batch become 60 MB of an answer.
    dear = as_json({"defaults": defaults, "items": [{"odds": True}] * 1000})

    async def crowd() -> list[httpx.Response]:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://wurf") as client:
            return await asyncio.gather(*(client.post("/v1/batch", content=dear) for _ in range(6)))

    answers = asyncio.run(crowd())
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) == {200, 503}
    assert_overloaded(answers[statuses.index(503)])
    assert application.service.admission.room.answers == 0


def test_room_for_answers_is_given_back_too() -> None:
    room = Room(1)
    with room.for_batch(1) as share:
        share.take(ANSWERS_BYTES)
        with room.for_batch(1) as other, pytest.raises(Problem, match="overloaded"):
            other.take(1)
        assert room.answers == ANSWERS_BYTES
    assert (room.batches, room.answers) == (0, 0)


def test_dear_odds_do_not_queue_up_without_end() -> None:
    desk = own_desk()
    action = v20.RULESET.actions[0]
    held = threading.Event()

    def pool(dice: int) -> Any:
        return action.request.model_validate({"pool": dice, "difficulty": 6})

    async def one(dice: int) -> str:
        try:
            await desk.work_out(v20.RULESET, action, pool(dice), exact=False)
        except Problem as problem:
            return f"{problem.code} {problem.headers}"
        return "answered"

    async def crowd() -> tuple[list[str], str]:
        desk._thread.submit(held.wait)
        asked = [asyncio.create_task(one(dice)) for dice in range(1, odds.QUEUE + 9)]
        # The last eight are turned away; the others wait for what holds the thread.
        await asyncio.wait(asked[odds.QUEUE :])
        held.set()
        return await asyncio.gather(*asked), await one(odds.QUEUE + 1)

    answered, later = asyncio.run(crowd())
    turned_away = f"overloaded {((b'retry-after', b'1'),)}"
    assert answered == ["answered"] * odds.QUEUE + [turned_away] * 8
    assert later == "answered"


@pytest.mark.parametrize(("name", "value"), [("max_in_work", 0), ("body_seconds", 0), ("body_seconds", -1)])
def test_room_and_patience_are_more_than_nothing(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        Settings(**{name: value})  # type: ignore[arg-type]


def test_a_body_in_chunks_is_bounded_in_size_too(narrow: Server) -> None:
    with Wire(narrow.port) as wire:
        wire.send(message("POST", ROLL, b"Transfer-Encoding: chunked") + chunked(b" " * 70_000))
        assert_problem(wire.receive(), 413, "too_large")
