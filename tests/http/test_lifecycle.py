"""How the service begins and ends, with one worker and with several."""

import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from app.settings import cores
from tests.http.wire import ROLL, SECONDS, Wire, assert_problem, message
from tests.processes import lives
from tests.serving import Server, serving, wait_until

BODY = b'{"value":11,"seed":"demo"}'
WORKERS = 2


def stopped(server: Server) -> int:
    """Wait for the end of the service; return its exit code."""
    return server.process.wait(SECONDS)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_after_sigterm_it_answers_on_but_is_not_ready(workers: str) -> None:
    with serving(WURF_DRAIN_SECONDS="2", WURF_WORKERS=workers) as server, Wire(server.port) as kept:
        assert kept.ask(message("GET", "/readyz")).status_code == 200
        server.process.send_signal(signal.SIGTERM)
        document = _first_refusal(server)
        assert document.headers["retry-after"]
        assert_problem(document, 503, "draining")
        # Who was connected, and who comes new, is answered, and then asked to connect elsewhere.
        answer = kept.ask(message("POST", ROLL, body=BODY))
        with Wire(server.port) as new:
            assert new.ask(message("POST", ROLL, body=BODY)).content == answer.content
        assert answer.json()["faces"] == [3]
        assert answer.headers["connection"] == "close"
        assert kept.rest() == b""
        assert httpx.get(server.url + "/livez").status_code == 200
        assert stopped(server) == 0


def _first_refusal(server: Server) -> httpx.Response:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        answer = httpx.get(server.url + "/readyz")
        if answer.status_code != 200:
            return answer
        time.sleep(0.02)
    message = "the service stays ready"
    raise RuntimeError(message)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(second: signal.Signals) -> None:
    with serving(WURF_DRAIN_SECONDS="3600") as server:
        server.process.send_signal(signal.SIGTERM)
        _first_refusal(server)
        server.process.send_signal(second)
        assert stopped(server) == 0


def test_sigint_alone_does_not_wait() -> None:
    with serving(WURF_DRAIN_SECONDS="3600") as server:
        server.process.send_signal(signal.SIGINT)
        assert stopped(server) == 0


def test_several_workers_answer_the_same_and_a_lost_one_is_replaced() -> None:
    with serving(WURF_WORKERS=str(WORKERS)) as server:
        first = _all_workers_of(server, set())
        expected = httpx.post(server.url + ROLL, content=BODY).content
        os.kill(first.pop(), signal.SIGKILL)
        assert len(_all_workers_of(server, first) - first) == 1
        with ThreadPoolExecutor(WORKERS * 4) as asking:
            answers = list(asking.map(lambda _: httpx.post(server.url + ROLL, content=BODY), range(40)))
        assert {answer.content for answer in answers} == {expected}
        server.process.terminate()
        assert stopped(server) == 0


def _all_workers_of(server: Server, still: set[int]) -> set[int]:
    """Wait until as many serve as were asked for, beside those that still do, and return their numbers."""
    deadline = time.monotonic() + 3 * SECONDS
    while time.monotonic() < deadline:
        said = set(map(int, re.findall(r"Started server process \[(\d+)\]", server.written())))
        living = {pid for pid in said if pid in still or lives(pid)}
        if len(living) == WORKERS:
            return living
        time.sleep(0.1)
    message = f"no {WORKERS} workers: {server.written()}"
    raise RuntimeError(message)


def test_workers_do_not_outlive_the_process_that_looks_after_them() -> None:
    with serving(WURF_WORKERS=str(WORKERS), WURF_DRAIN_SECONDS="0") as server:
        workers = _all_workers_of(server, set())
        server.process.kill()
        assert stopped(server) == -signal.SIGKILL
        wait_until(lambda: not any(map(lives, workers)), "the end of the workers", SECONDS)


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", None), ("50000 100000", 1), ("150000 100000", 2), ("100000 100000", 1), ("", None)],
)
def test_workers_follow_the_quota_of_the_container(quota: str, expected: int | None, tmp_path: Path) -> None:
    file = tmp_path / "cpu.max"
    file.write_text(quota, encoding="ascii")
    allowed = len(os.sched_getaffinity(0))
    assert cores(file) == (allowed if expected is None else min(expected, allowed))
    assert cores(tmp_path / "missing") == allowed
