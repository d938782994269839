"""The same request with the same seed gives the same bytes, whoever answers it and when."""

import http.server
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Thread
from typing import Any

import pytest

from tests.http.conftest import Keyed, Restarted
from tests.http.seeded import FIELDS, REQUESTS, contents
from tests.http.wire import ROLL, SECONDS, Wire, as_json, message
from tests.serving import ROOT, Server, free_port

CONNECTIONS = 32


def test_two_processes_answer_the_same_bytes(server: Server, keyed: Keyed) -> None:
    assert contents(server.port, REQUESTS) == contents(keyed.second.port, REQUESTS)


def test_a_restart_changes_no_byte(restarted: Restarted) -> None:
    assert contents(restarted.server.port, REQUESTS) == restarted.before


def test_the_order_of_requests_changes_no_byte(server: Server) -> None:
    expected = contents(server.port, REQUESTS)
    shuffled = random.Random(7)  # noqa: S311  the same order at each run
    for _ in range(3):
        order = [*REQUESTS, *REQUESTS]
        shuffled.shuffle(order)
        assert contents(server.port, order) == expected


def test_many_connections_at_once_change_no_byte(server: Server) -> None:
    expected = contents(server.port, REQUESTS)
    start = Barrier(CONNECTIONS, timeout=SECONDS)

    def ask(number: int) -> dict[bytes, bytes]:
        turn = number % len(REQUESTS)
        start.wait()
        return contents(server.port, REQUESTS[turn:] + REQUESTS[:turn])

    with ThreadPoolExecutor(CONNECTIONS) as threads:
        for found in threads.map(ask, range(CONNECTIONS)):
            assert found == expected


def test_answers_do_not_depend_on_what_failed_between(server: Server) -> None:
    with Wire(server.port) as wire:
        first = wire.ask(REQUESTS[0]).content
        for bad in (b"{", b'{"value":1e400}', b'{"value":11,"faces":[]}'):
            assert wire.ask(message("POST", ROLL, body=bad)).status_code in {400, 422}
            assert wire.ask(REQUESTS[0]).content == first


@pytest.mark.parametrize("path", FIELDS)
def test_a_drawn_seed_replays_its_roll(path: str, server: Server) -> None:
    seeds = set()
    with Wire(server.port) as wire:
        for _ in range(20):
            drawn = wire.ask(message("POST", path, body=as_json(FIELDS[path]))).json()
            assert drawn["source"] == "server_seed"
            assert re.fullmatch("[0-9a-f]{32}", drawn["seed"])
            seeds.add(drawn["seed"])
            replay = wire.ask(message("POST", path, body=as_json({**FIELDS[path], "seed": drawn["seed"]})))
            assert replay.json() == drawn | {"source": "client_seed"}
    assert len(seeds) == 20


@pytest.mark.parametrize("path", FIELDS)
def test_the_faces_of_an_answer_replay_it(path: str, server: Server) -> None:
    with Wire(server.port) as wire:
        for seed in range(20):
            rolled = wire.ask(message("POST", path, body=as_json({**FIELDS[path], "seed": seed}))).json()
            given = {**FIELDS[path], "faces": rolled["faces"]}
            replay = wire.ask(message("POST", path, body=as_json(given))).json()
            assert replay == rolled | {"seed": None, "source": "given_faces", "stream": None}


def test_the_check_values_of_the_stream_hold(server: Server) -> None:
    with Wire(server.port) as wire:
        for seed, face in ((0, 12), ("0", 12), (-0, 12)):
            answer = wire.ask(message("POST", ROLL, body=as_json({"value": 11, "seed": seed})))
            assert answer.json()["faces"] == [face]


def test_sigterm_ends_the_service_with_exit_code_0(restarted: Restarted) -> None:
    assert restarted.exit_code == 0


def test_a_request_in_work_is_answered_before_the_end(restarted: Restarted, server: Server) -> None:
    with Wire(server.port) as wire:
        expected = wire.ask(message("POST", ROLL, body=as_json({"value": 11, "seed": "demo"})))
    assert restarted.in_work.status_code == 200
    assert restarted.in_work.content == expected.content


def test_an_idle_connection_does_not_hold_the_end_up(restarted: Restarted) -> None:
    assert restarted.idle == b""


class NotWurf(http.server.BaseHTTPRequestHandler):
    """Some other service that has no such path."""

    def do_GET(self) -> None:
        """Answer 404 to everything."""
        self.send_error(404)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@contextmanager
def another_service() -> Iterator[int]:
    with http.server.HTTPServer(("127.0.0.1", 0), NotWurf) as stranger:
        thread = Thread(target=stranger.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield stranger.server_port
        finally:
            stranger.shutdown()
            thread.join()


def health(port: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "app", "health"], cwd=ROOT, env={**os.environ, "WURF_PORT": str(port)}
    )


def test_health_tells_by_its_exit_code(server: Server) -> None:
    with another_service() as stranger:
        ports = (server.port, free_port(), stranger)
        with health(ports[0]) as alive, health(ports[1]) as nobody, health(ports[2]) as other:
            codes = [process.wait(3 * SECONDS) for process in (alive, nobody, other)]
    assert codes == [0, 1, 1]
