"""Work in a process beside the service: it is done there, gives way, and does not outlast it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import structlog

from app.http.aside import Aside
from app.http.tally import Tally
from tests.http.wire import SECONDS
from tests.processes import children, lives
from tests.serving import ROOT, Server, serving, wait_until

LOG = structlog.get_logger()
DEAR = "/v1/v20/roll/odds"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: nothing can be forked here")


def divided(dividend: int, divisor: int) -> tuple[int, float]:
    return os.getpid(), dividend / divisor


@pytest.fixture
def aside() -> Iterator[Aside]:
    made = Aside(divided, LOG)
    yield made
    if made._line is not None:
        made._line.close()  # ends the copy


def test_a_function_is_run_in_another_process(aside: Aside) -> None:
    first, second = aside(6, 4), aside(7, 4)
    assert (first[1], second[1]) == (1.5, 1.75)
    assert first[0] == second[0] != os.getpid()


def test_what_goes_wrong_there_is_raised_here_and_the_next_call_is_answered(aside: Aside) -> None:
    with pytest.raises(ZeroDivisionError):
        aside(1, 0)
    assert aside(1, 2)[1] == 0.5


@pytest.mark.parametrize("more", [1, 2])
def test_without_the_copy_the_work_is_done_here(aside: Aside, more: int) -> None:
    os.kill(aside(1, 1)[0], signal.SIGKILL)
    with structlog.testing.capture_logs() as lines:
        aside._log = structlog.get_logger()
        assert [aside(6, 4) for _ in range(more)] == [(os.getpid(), 1.5)] * more
    assert [line["log_level"] for line in lines] == ["error"]


def _asked(server: Server, dice: int) -> bytes:
    answer = httpx.post(server.url + DEAR, content=json.dumps({"pool": dice, "difficulty": 6}))
    assert answer.status_code == 200
    return answer.content


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: needs /proc")
def test_the_service_has_one_copy_that_gives_way_and_can_do_without(server: Server) -> None:
    expected = [_asked(server, dice) for dice in (30, 31)]
    with serving() as own:
        (copy,) = children(own.process.pid)
        assert os.sched_getscheduler(copy) == os.SCHED_IDLE
        assert _asked(own, 30) == expected[0]
        assert children(own.process.pid) == [copy]
        os.kill(copy, signal.SIGKILL)
        assert _asked(own, 31) == expected[1]
        assert "the process for dear odds is gone" in own.written()


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: needs /proc")
def test_the_copy_ends_with_the_service_however_that_ends() -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with serving(WURF_DRAIN_SECONDS="0") as own:
            (copy,) = children(own.process.pid)
            own.process.send_signal(number)
            own.process.wait(SECONDS)
            wait_until(lambda: not lives(copy), "the end of the copy", SECONDS)  # noqa: B023  called at once


BUSY = """
import sys, time
from pathlib import Path
import structlog
from app.http.aside import Aside
from app.http.tally import Tally
tally = Tally(Path(sys.argv[1]))
aside = Aside(time.sleep, structlog.get_logger())
aside(0)
print(tally.place, flush=True)
aside(SECONDS)
"""


def test_a_busy_copy_does_not_hold_the_place_of_a_dead_worker(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUSY.replace("SECONDS", str(SECONDS)), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "0\n"
        worker.kill()
        worker.wait(SECONDS)
        assert Tally(tmp_path).place == 0
