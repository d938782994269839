"""What the parts of a request cost, one by one, within this process.

`POST /v1/zrps/roll` is sent through the server and the application without a network; then each part of the
way is taken alone. What the whole costs beyond its parts is the edge: look-up, language, headers, the frame
of the answer. The socket comes on top: it is what the system needs to carry bytes both ways.
"""

from asyncio import Transport
from collections.abc import Mapping, Sequence
from socket import socketpair
from typing import Any, Final

from uvicorn import Config
from uvicorn.server import ServerState

from app.http.lane import Lane
from app.http.reading import read
from app.main import create_app
from app.rules import zrps
from app.rules.answer import ANSWERS
from app.rules.dice import SeededDice
from app.rules.resolve import Seeding, resolve
from benchmarks.clock import Call, take_turns
from benchmarks.options import Options
from benchmarks.rolls import ZRPS

ROUNDS: Final = 25
SEED: Final = "demo"
_MESSAGE: Final = (
    b"POST %b HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%b"
)


class _Fallen:
    """A die that lies already, so that the rule is timed without the throw."""

    faces: Sequence[int] = ()

    def throw(self, _count: int, _sides: int) -> tuple[int]:
        return (3,)


def measure(_options: Options) -> dict[str, list[float]]:
    """Time the whole and its parts, in seconds."""
    body = ZRPS.body.encode()
    action = zrps.RULESET.actions[0]
    words = zrps.RULESET.catalog["en"]
    request = read(action.request, body)
    outcome = action.throw(action.weigh(request), SeededDice(SEED, "zrps", "roll"))
    answer = resolve(zrps.RULESET, action, request, Seeding(draw=lambda: SEED), "en")
    fallen: Any = _Fallen()
    message = _MESSAGE % (ZRPS.path.encode(), len(body), body)
    written = b"HTTP/1.1 200 OK\r\n\r\n" + ANSWERS["zrps", "roll"].serializer.to_json(answer)
    return take_turns(
        {
            "whole": _through_the_server(create_app(), message),
            "server": _through_the_server(_Fixed(ZRPS.path, written), message),
            "socket": _over_a_socket(message, written),
            "reading and validating": lambda: read(action.request, body),
            "validating": lambda: action.request.model_validate_json(body),
            "dice": lambda: SeededDice(SEED, "zrps", "roll").throw(1, zrps.SIDES),
            "rule": lambda: action.throw(action.weigh(request), fallen),
            "text": lambda: action.speak(request, outcome, words),
            "serializing": lambda: ANSWERS["zrps", "roll"].serializer.to_json(answer),
        },
        ROUNDS,
    )


def _through_the_server(application: Any, request: bytes) -> Call:
    """Send the request through the server and the application, as if it had come from a network."""
    config = Config(
        application, interface="asgi3", http=Lane, ws="none", proxy_headers=False, access_log=False
    )
    config.load()
    loop: Any = _Loop()
    lane = Lane(config=config, server_state=ServerState(), app_state={}, _loop=loop)
    line = _Line()
    lane.connection_made(line)

    def call() -> None:
        line.written = b""
        lane.data_received(request)
        if not line.written.startswith(b"HTTP/1.1 200 OK"):
            message = "the request was not answered at once"
            raise RuntimeError(message)

    return call


def _over_a_socket(request: bytes, answer: bytes) -> Call:
    """Send both ways over a socket, which is the system's work and not the server's."""
    client, server = socketpair()

    def call() -> None:
        client.send(request)
        server.recv(len(request))
        server.send(answer)
        client.recv(len(answer))

    return call


class _Loop:
    """A loop that nothing waits in: a timer for each answer would heap up."""

    def time(self) -> float:
        return 0.0

    def call_later(self, *_: Any, **__: Any) -> Any:
        return self

    def cancel(self) -> None:
        pass


class _Line(Transport):
    """A connection without a network."""

    written = b""

    def write(self, data: Any) -> None:
        self.written = data

    def is_closing(self) -> bool:
        return False

    def resume_reading(self) -> None:
        pass


class _Fixed:
    """An application that answers at once, and always the same."""

    draining = False

    def __init__(self, path: str, answer: bytes) -> None:
        self.at_once = {path.encode(): answer}
        self._answer = answer

    def call(self, _scope: Any) -> Any:
        return _NoHeaders

    def answer_at_once(self, _call: Any, _roll: Any, _body: bytes) -> bytes:
        return self._answer


class _NoHeaders:
    headers: Final[Mapping[bytes, bytes]] = {}
