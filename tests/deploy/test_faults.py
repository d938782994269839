"""Rolls go on beside clients that only take up room, through a stop, and on a machine that is not well."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx
import pytest

from app.http.receipts import new_key
from tests.http.seeded import REQUESTS, contents
from tests.http.wire import ROLL, Wire, as_json, message
from tests.needs import lacking, program
from tests.processes import children
from tests.serving import ROOT, Server, serving, wait_until

IDLE: Final = 2000
IN_WORK: Final = 200
BATCHES: Final = 5
END: Final = b"\r\n\r\n"
"""Ends the headers."""
OPEN_FILES: Final = 4096
BODY: Final = b'{"value":11,"seed":"demo"}'
HALVES: Final = (
    b"",
    b"POST /v1/zr",
    b"POST /v1/zrps/roll HTTP/1.1\r\nHost: localhost\r\nContent-Le",
    message("POST", ROLL, b"Content-Length: 26") + BODY[:5],
)
"""Where a client may stop."""
FULL: Final = ("/tmp", "/dev/shm")  # noqa: S108  those of a sandbox
"""Where a service might want to write."""
FLOODS: Final = 8
FLOOD: Final = (b"A: " + b"x" * 1000 + b"\r\n") * 20


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process, and the services that it starts, have that many files open at once."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < OPEN_FILES:
        lacking(f"the right to open {OPEN_FILES} files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, OPEN_FILES), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_files(server: Server) -> int:
    """Count what a service, all its processes together, has open."""
    service = server.process.pid
    return sum(1 for pid in (service, *children(service)) for _ in Path(f"/proc/{pid}/fd").iterdir())


@pytest.fixture
def rolls(server: Server) -> dict[bytes, bytes]:
    """What an undisturbed service answers."""
    return contents(server.port, REQUESTS)


@pytest.mark.usefixtures("many_files")
def test_2000_connections_that_do_nothing_or_stop_half_way_hold_no_roll_up(rolls: dict[bytes, bytes]) -> None:
    with serving() as server, ExitStack() as opened:
        for number in range(IDLE):
            wire = opened.enter_context(Wire(server.port))
            wire.send(HALVES[number % len(HALVES)])
        wait_until(lambda: open_files(server) > IDLE, "all connections to be taken")
        assert contents(server.port, REQUESTS) == rolls


def test_headers_without_an_end_hold_no_roll_up(rolls: dict[bytes, bytes]) -> None:
    with serving() as server, ExitStack() as opened, Wire(server.port) as beside:
        floods = [opened.enter_context(Wire(server.port)) for _ in range(FLOODS)]
        for flood in floods:
            flood.send(message("POST", ROLL)[:-4] + b"\r\n")
        for request in REQUESTS:
            for flood in floods:
                flood.send(FLOOD)
            assert beside.ask(request).content == rolls[request]
        # However much it was, it was one header after another, and the request at its end is answered.
        floods[0].send(b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY))
        assert floods[0].receive().status_code == 200


def test_every_one_of_200_requests_in_work_is_answered_after_sigterm(rolls: dict[bytes, bytes]) -> None:
    batch = message("POST", "/v1/batch", body=_batch(1000))
    asked = [REQUESTS[number % len(REQUESTS)] for number in range(IN_WORK - BATCHES)] + [batch] * BATCHES
    with serving(WURF_DRAIN_SECONDS="0") as server, ExitStack() as opened:
        wires = [opened.enter_context(Wire(server.port)) for _ in asked]
        for wire, request in zip(wires, asked, strict=True):
            head, _, _ = request.partition(END)
            wire.send(head + b"\r\nExpect: 100-continue" + END)
        for wire in wires:
            # The service asks for the body, so the request is in work.
            wire.until(b"100 Continue" + END)
        for wire in wires[-BATCHES:]:
            wire.send(batch.partition(END)[2])
        server.process.terminate()
        # A service that cuts requests short does so at its first look, 0.1 s after the signal.
        time.sleep(0.3)
        for wire, request in zip(wires[:-BATCHES], asked, strict=False):
            wire.send(request.partition(END)[2])
        answers = [wire.receive() for wire in wires]
        assert server.process.wait(30) == 0
    assert {answer.status_code for answer in answers} == {200}
    assert [answer.content for answer in answers[:-BATCHES]] == [
        rolls[request] for request in asked[:-BATCHES]
    ]
    assert [len(answer.json()["results"]) for answer in answers[-BATCHES:]] == [1000] * BATCHES


def _batch(items: int) -> bytes:
    item = {"ruleset": "zrps", "action": "roll", "request": {"value": 11}}
    return as_json({"seed": "demo", "items": [item] * items})


def test_rolls_and_receipts_survive_a_clock_that_is_set_back(
    rolls: dict[bytes, bytes], tmp_path: Path
) -> None:
    libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not libraries:
        lacking("Debian's libfaketime")
    clock = tmp_path / "clock"
    clock.write_text("+0d\n", encoding="ascii")
    faked = {
        "LD_PRELOAD": str(libraries[0]),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        # Setting the clock changes no time that is measured from the machine's start.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    settings = {"WURF_SIGNING_KEY": new_key(), "WURF_RATE_LIMIT": "10000/minute"}
    with serving(**faked, **settings) as server, httpx.Client(base_url=server.url) as client:
        before = _receipt(client)
        assert contents(server.port, REQUESTS) == rolls
        clock.write_text("-30d\n", encoding="ascii")
        after = _receipt(client)
        assert contents(server.port, REQUESTS) == rolls
        verdicts = [
            client.post("/v1/receipts/verify", json={"receipt": receipt}).json()
            for receipt in (before, after)
        ]
    assert [(verdict["signature"], verdict["replay"]) for verdict in verdicts] == [("valid", "same")] * 2
    earlier, later = (verdict["payload"]["iat"] for verdict in verdicts)
    assert earlier - later > 29 * 24 * 3600


def _receipt(client: httpx.Client) -> str:
    receipt: str = client.post(f"{ROLL}?receipt=true", content=BODY).json()["receipt"]
    return receipt


def _sandbox(*options: str) -> list[str]:
    """Write the beginning of a command that runs another one with all files to be read only."""
    # Whatever lies below /tmp would be hidden by what is mounted there.
    kept = [str(path) for path in (ROOT, Path(sys.prefix).resolve()) if path.is_relative_to("/tmp")]  # noqa: S108  looked at only
    binds = [word for path in kept for word in ("--ro-bind", path, path)]
    own = ["--dev", "/dev", "--proc", "/proc", "--die-with-parent"]
    return [program("bwrap"), "--ro-bind", "/", "/", *own, *options, *binds]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_rolls_with_a_full_tmp_and_nothing_else_that_can_be_written(
    workers: str, rolls: dict[bytes, bytes]
) -> None:
    small = [word for path in FULL for word in ("--size", "65536", "--tmpfs", path)]
    fill = " && ".join(
        f"! cat /dev/zero >{path}/full 2>/dev/null && ! echo more >{path}/more" for path in FULL
    )
    within = [*_sandbox(*small, "--unsetenv", "TMPDIR"), "/bin/sh", "-c", f'{fill} && exec "$@"', "sh"]
    with serving(within=within, WURF_WORKERS=workers, WURF_SIGNING_KEY=new_key()) as server:
        assert contents(server.port, REQUESTS) == rolls
        with httpx.Client(base_url=server.url) as client:
            assert _receipt(client)
            assert len(client.post("/v1/batch", content=_batch(1000)).json()["results"]) == 1000
            assert client.post(f"{ROLL}/odds", content=b'{"value":11}').status_code == 200
            assert client.get("/docs").status_code == 200


ALONE: Final = """
import json, socket
from tests.http.seeded import REQUESTS, contents
from tests.serving import serving
try:
    socket.create_connection(("192.0.2.1", 80), 5)
except OSError as error:
    print(error.errno)
with serving() as server:
    print(json.dumps([content.decode() for content in contents(server.port, REQUESTS).values()]))
"""


def test_rolls_without_any_network(rolls: dict[bytes, bytes]) -> None:
    within = _sandbox("--unshare-net", "--tmpfs", "/tmp")  # noqa: S108  of the sandbox
    ran = subprocess.run(
        [*within, sys.executable, "-c", ALONE],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    unreachable, answers = ran.stdout.splitlines()
    assert os.strerror(int(unreachable)) == "Network is unreachable"
    assert json.loads(answers) == [content.decode() for content in rolls.values()]
