"""Services with settings of their own, started once for all tests of this folder."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import httpx
import pytest

from tests.http.seeded import REQUESTS, contents
from tests.http.wire import ROLL, SECONDS, Wire, message
from tests.serving import Server, serving

KEY = "the first table's secret, long enough"
OTHER_KEY = "the second table's secret, long enough"
ORIGINS = ("https://table.example", "http://localhost:30000")


@dataclass(frozen=True)
class Keyed:
    """Two services that have the same secret."""

    first: Server
    """Reads it from the environment, and lists the origins that may read its answers."""
    second: Server
    """Reads it from a file."""


@dataclass(frozen=True)
class Restarted:
    """A service that has another secret and was stopped once, and what was seen of its first process."""

    before: dict[bytes, bytes]
    """Answers while nothing disturbed it."""
    in_work: httpx.Response
    """The answer to a request whose body came only after SIGTERM."""
    idle: bytes
    """What came on a connection on which nothing was asked any more."""
    exit_code: int
    server: Server
    """The second process."""


@pytest.fixture(scope="session")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    """Two services, started side by side."""
    secret = tmp_path_factory.mktemp("secrets") / "nonce"
    secret.write_text(KEY + "\n", encoding="utf-8")
    services = [
        serving(
            WURF_NONCE_SECRET=KEY,
            WURF_CORS_ORIGINS=", ".join(ORIGINS),
            WURF_CONTACT="wurf@table.example",
        ),
        serving(WURF_NONCE_SECRET_FILE=str(secret)),
    ]
    with ExitStack() as running, ThreadPoolExecutor(len(services)) as starting:
        yield Keyed(*starting.map(running.enter_context, services))


@pytest.fixture(scope="session")
def restarted() -> Iterator[Restarted]:
    """A service that is told to end while a request is in work, and is started anew."""
    body = b'{"value":11,"seed":"demo"}'
    with serving(WURF_NONCE_SECRET=OTHER_KEY) as server, Wire(server.port) as idle, Wire(server.port) as wire:
        before = contents(server.port, REQUESTS)
        idle.ask(message("GET", "/livez"))
        wire.send(message("POST", ROLL, b"Expect: 100-continue", b"Content-Length: %d" % len(body)))
        # The service asks for the body, so the request is in work.
        wire.until(b"100 Continue\r\n\r\n")
        server.process.terminate()
        _wait_until_refused(server.port)
        end_of_idle = idle.rest()
        # A service that cuts requests short does so at its first look, 0.1 s after the signal.
        time.sleep(0.3)
        wire.send(body)
        seen = (before, wire.receive(), end_of_idle, server.process.wait(SECONDS))
    with serving(WURF_NONCE_SECRET=OTHER_KEY) as server:
        yield Restarted(*seen, server)


def _wait_until_refused(port: int) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            with Wire(port):
                time.sleep(0.01)
        except OSError:
            return
    message = "the service still takes connections"
    raise RuntimeError(message)
