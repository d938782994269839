"""A request that arrives whole and one that comes in pieces get the same answer, byte for byte."""

import gc
import json
import sys
import weakref
from asyncio import AbstractEventLoop, TimerHandle, Transport, new_event_loop
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final

import httpx
import pytest
import uvicorn
from fastapi import Body, FastAPI
from uvicorn import Config
from uvicorn.server import ServerState

from app.http.lane import Lane
from app.main import app, create_app
from app.rules.answer import ANSWER_TYPES
from app.rules.registry import ACTIONS, RULESETS
from app.rules.resolve import Seeding, resolve
from app.rules.ruleset import Action, Ruleset
from app.settings import Settings
from tests.http.hostile import TABLE, Hostile
from tests.http.seeded import REQUESTS
from tests.http.wire import ROLL, message
from tests.serving import ROOT

ROLL_BODY = b'{"value":11,"modifiers":[{"value":-3,"label":"Sand im Auge"}],"seed":"demo"}'
NAMED = b"X-Request-ID: the same"
WHOLE = message("POST", ROLL, NAMED, body=ROLL_BODY)


class Line(Transport):
    """A connection without a network: it keeps what is written."""

    def __init__(self) -> None:
        """Start with nothing written."""
        super().__init__({"socket": None, "sockname": ("127.0.0.1", 1), "peername": ("127.0.0.1", 2)})
        self.written = b""
        self.writes = 0
        self.closed = False

    def write(self, data: Any) -> None:
        """Keep what is written."""
        self.written += data
        self.writes += 1

    def is_closing(self) -> bool:
        """Whether the server hung up."""
        return self.closed

    def close(self) -> None:
        """Remember that the server hung up."""
        self.closed = True

    def pause_reading(self) -> None:
        """Read on; nothing comes by itself."""

    def resume_reading(self) -> None:
        """Read on."""


class Connection:
    """The server's end of a connection."""

    def __init__(self, loop: AbstractEventLoop, application: Any = app, keep_alive: int = 5) -> None:
        """Connect to a server that holds a connection at rest for so many seconds."""
        quiet: Any = {"ws": "none", "proxy_headers": False, "access_log": False}
        config = Config(application, http=Lane, timeout_keep_alive=keep_alive, **quiet)
        config.load()
        self.loop = loop
        self.state = ServerState()
        self.line = Line()
        self.protocol = Lane(config=config, server_state=self.state, app_state={}, _loop=loop)
        self.protocol.connection_made(self.line)

    def read(self, *parts: bytes) -> None:
        """Let the server read, part by part."""
        for part in parts:
            self.protocol.data_received(part)
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()

    def finish(self) -> bytes:
        """Let the server do all it has begun; return what it wrote."""
        while self.state.tasks:
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()
        return self.line.written


@pytest.fixture
def loop() -> Iterator[AbstractEventLoop]:
    """A loop that runs only while a test lets it."""
    running = new_event_loop()
    yield running
    running.close()


def pieces(request: bytes) -> list[bytes]:
    """Cut a request behind its head."""
    head, end, body = request.partition(b"\r\n\r\n")
    return [head + end, body]


def named(row: Hostile) -> bytes:
    """Write a hostile request with an id of its own."""
    return row.message().replace(b"\r\n", b"\r\n" + NAMED + b"\r\n", 1)


@pytest.mark.parametrize(
    "request_", [WHOLE, *(one.replace(b"\r\n", b"\r\n" + NAMED + b"\r\n", 1) for one in REQUESTS)]
)
def test_a_roll_is_the_same_on_both_ways(request_: bytes, loop: AbstractEventLoop) -> None:
    short, long = Connection(loop), Connection(loop)
    short.protocol.data_received(request_)
    # Not a turn of the loop has passed, and the answer is out.
    assert short.line.writes == 1
    long.read(*pieces(request_))
    assert long.finish() == short.line.written
    assert long.line.writes > 1
    assert short.state.total_requests == long.state.total_requests == 1


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.why)
def test_a_hostile_request_is_answered_the_same_on_both_ways(row: Hostile, loop: AbstractEventLoop) -> None:
    whole, cut = Connection(loop), Connection(loop)
    whole.read(named(row))
    cut.read(*pieces(named(row)))
    assert whole.finish() == cut.finish() != b""


@pytest.mark.parametrize(
    "request_",
    [
        message("POST", ROLL, NAMED, b"Connection: close", body=ROLL_BODY),
        message("POST", ROLL, NAMED, b"Expect: 100-continue", body=ROLL_BODY),
        WHOLE.replace(b"HTTP/1.1", b"HTTP/1.0"),
        message("POST", f"{ROLL}?odds=true", NAMED, body=ROLL_BODY),
        message("POST", f"{ROLL}?lang=fr", NAMED, body=ROLL_BODY),
    ],
    ids=[
        "closing",
        "expecting",
        "HTTP/1.0",
        "asking for odds",
        "in a language that is not spoken",
    ],
)
def test_what_is_not_plain_goes_the_way_of_uvicorn(request_: bytes, loop: AbstractEventLoop) -> None:
    connection = Connection(loop)
    connection.protocol.data_received(request_)
    assert connection.state.tasks
    answer = connection.finish()
    assert b"HTTP/1.1 200 OK" in answer
    assert b'"faces":[3]' in answer


def test_of_many_requests_in_one_read_only_the_first_is_answered_before_others_have_a_turn(
    loop: AbstractEventLoop,
) -> None:
    connection, alone = Connection(loop), Connection(loop)
    connection.protocol.data_received(WHOLE * 50)
    alone.protocol.data_received(WHOLE)
    assert connection.line.written == alone.line.written
    assert connection.finish() == alone.line.written * 50


def test_a_request_behind_one_in_work_waits_for_it(loop: AbstractEventLoop) -> None:
    connection, roll = Connection(loop), Connection(loop)
    other = message("GET", "/livez", NAMED)
    connection.protocol.data_received(other)
    connection.protocol.data_received(WHOLE)
    roll.protocol.data_received(WHOLE)
    assert connection.line.written == b""
    answers = connection.finish()
    assert b'"alive"' in answers.partition(roll.line.written)[0]
    assert answers.endswith(roll.line.written)


def test_a_body_in_many_pieces_is_put_together(loop: AbstractEventLoop) -> None:
    short, long = Connection(loop), Connection(loop)
    short.protocol.data_received(WHOLE)
    long.read(*(bytes([byte]) for byte in WHOLE))
    assert long.finish() == short.line.written


@pytest.mark.parametrize("error", [None, ConnectionResetError()], ids=["closed", "reset"])
@pytest.mark.parametrize("request_", [WHOLE, message("GET", "/livez")], ids=["short", "long"])
def test_nothing_holds_a_connection_that_has_ended(
    request_: bytes, error: Exception | None, loop: AbstractEventLoop
) -> None:
    connection = Connection(loop)
    connection.read(request_)
    assert connection.line.written.startswith(b"HTTP/1.1 200 OK")
    connection.protocol.connection_lost(error)
    held = weakref.ref(connection.protocol)
    del connection
    gc.collect()
    assert held() is None


class Clock:
    """A loop's time, that passes when a test says so."""

    def __init__(self, loop: AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take the loop's time over."""
        self._loop = loop
        self._now = 0.0
        monkeypatch.setattr(loop, "time", lambda: self._now)

    def passes(self, seconds: float) -> None:
        """Let time pass, and what is due happen."""
        self._now += seconds
        self._loop.call_soon(self._loop.stop)
        self._loop.run_forever()


@pytest.fixture
def clock(loop: AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Take the time of the loop over."""
    return Clock(loop, monkeypatch)


def assert_closed_after(seconds: float, connection: Connection, clock: Clock) -> None:
    """Hold that a connection at rest is closed after so many seconds from now, and not a second before."""
    clock.passes(seconds - 1)
    assert not connection.line.closed
    clock.passes(1.1)
    assert connection.line.closed


def test_a_connection_is_closed_once_it_has_rested_for_long_enough(
    loop: AbstractEventLoop, clock: Clock
) -> None:
    connection = Connection(loop, keep_alive=75)
    connection.protocol.data_received(WHOLE)
    clock.passes(50)
    connection.protocol.data_received(WHOLE)
    assert_closed_after(75, connection, clock)


@pytest.mark.parametrize("begun", [WHOLE[:20], WHOLE[:-5]], ids=["head", "body"])
def test_a_connection_on_which_a_request_arrives_is_not_closed(
    begun: bytes, loop: AbstractEventLoop, clock: Clock
) -> None:
    connection = Connection(loop, keep_alive=75)
    connection.protocol.data_received(WHOLE)
    clock.passes(70)
    connection.protocol.data_received(begun)
    clock.passes(6)
    assert not connection.line.closed
    connection.protocol.data_received(WHOLE[len(begun) :])
    assert connection.finish().count(b"HTTP/1.1 200 OK") == 2
    assert_closed_after(75, connection, clock)


def test_a_connection_is_not_closed_while_a_request_behind_a_roll_is_in_work(
    loop: AbstractEventLoop, clock: Clock
) -> None:
    connection = Connection(loop, keep_alive=75)
    slow = message("POST", ROLL, b"Content-Length: 5")
    connection.protocol.data_received(WHOLE + slow)
    clock.passes(75.1)
    assert not connection.line.closed
    connection.protocol.data_received(b"[1,2]")
    assert b"HTTP/1.1 422" in connection.finish()


def test_answers_on_the_short_way_have_one_timer(
    loop: AbstractEventLoop, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers: list[float] = []
    set_timer = loop.call_later

    def counted(seconds: float, *what: Any) -> TimerHandle:
        timers.append(seconds)
        return set_timer(seconds, *what)

    monkeypatch.setattr(loop, "call_later", counted)
    connection = Connection(loop, keep_alive=75)
    for _ in range(100):
        connection.protocol.data_received(WHOLE)
        clock.passes(0.1)
    assert timers == [75]


def test_a_failure_of_ours_is_a_problem_on_the_short_way(loop: AbstractEventLoop) -> None:
    broken = create_app(Settings())

    def fail(*_: object) -> bytes:
        raise ZeroDivisionError

    broken.at_once = {address: way._replace(roll=fail) for address, way in broken.at_once.items()}
    connection = Connection(loop, broken)
    connection.protocol.data_received(WHOLE)
    assert connection.line.written.startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert b'"code":"internal"' in connection.line.written
    assert b"ZeroDivision" not in connection.line.written


def test_listed_origins_are_held_on_the_short_way(loop: AbstractEventLoop) -> None:
    listed = create_app(Settings(cors_origins=("https://table.example",)))
    request = message("POST", ROLL, NAMED, b"Origin: https://table.example", body=ROLL_BODY)
    short, long = Connection(loop, listed), Connection(loop, listed)
    short.protocol.data_received(request)
    long.read(*pieces(request))
    assert short.line.written == long.finish()
    assert b"access-control-allow-origin: https://table.example\r\n" in short.line.written


def by_fastapi() -> FastAPI:
    """Put the same rules behind routes as FastAPI itself makes them: it reads, resolves and writes."""
    application = FastAPI()
    for (ruleset_id, name), (ruleset, action) in ACTIONS.items():
        application.post(f"/v1/{ruleset_id}/{name}", response_model=ANSWER_TYPES[ruleset_id, name])(
            _endpoint(ruleset, action)
        )
    return application


def _endpoint(ruleset: Ruleset, action: Action[Any, Any, Any]) -> Callable[..., Any]:
    async def endpoint(body: Annotated[dict[str, Any], Body()]) -> Any:
        request = action.request.model_validate_json(json.dumps(body))
        return resolve(ruleset, action, request, Seeding(draw=lambda: "demo"), "en")

    return endpoint


def examples() -> Iterator[Any]:
    """Take the examples of every action from its router."""
    for ruleset in RULESETS:
        router = import_module(f"app.routers.{ruleset.id.replace('-', '_')}").router
        for action in ruleset.actions:
            for number, example in enumerate(router.examples[action.name]):
                path = f"/v1/{ruleset.id}/{action.name}"
                yield pytest.param(path, example.request, id=f"{ruleset.id}-{action.name}-{number}")


FASTAPI: Final = by_fastapi()


async def ask_fastapi(path: str, request: dict[str, Any]) -> Any:
    """Ask the application that FastAPI makes of the same rules."""
    transport = httpx.ASGITransport(FASTAPI)
    async with httpx.AsyncClient(transport=transport, base_url="http://fastapi") as client:
        return (await client.post(path, json=request)).json()


@pytest.mark.parametrize(("path", "request_"), list(examples()))
def test_the_short_way_answers_what_fastapi_would(
    path: str, request_: dict[str, Any], loop: AbstractEventLoop
) -> None:
    connection = Connection(loop)
    connection.protocol.data_received(message("POST", path, body=json.dumps(request_).encode()))
    head, _, body = connection.line.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert json.loads(body) == loop.run_until_complete(ask_fastapi(path, request_))


CALLS: Final = 54
"""The most calls of functions of Wurf and uvicorn for a roll, from the bytes read to the bytes written."""
COUNTED: Final = (str(ROOT / "app"), str(Path(uvicorn.__file__).parent))


def test_a_roll_takes_few_calls(loop: AbstractEventLoop) -> None:
    """Count instead of timing, so that what makes the path longer shows on any machine."""
    connection = Connection(loop)
    connection.protocol.data_received(WHOLE)  # what is looked up once is looked up
    calls: list[str] = []

    def count(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(COUNTED):
            calls.append(frame.f_code.co_qualname)

    sys.setprofile(count)
    connection.protocol.data_received(WHOLE)
    sys.setprofile(None)
    assert connection.line.writes == 2
    assert len(calls) <= CALLS, calls
