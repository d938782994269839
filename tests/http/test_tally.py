"""Workers that count together: nothing is lost, whatever becomes of one of them."""

import errno
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.http import logs, tally
from app.http.tally import ALONE, CELLS, DIRECTORY, Tally, counting_together, tally_of_worker
from tests.serving import ROOT

WORKER = """
import sys
from pathlib import Path
from app.http.tally import Tally
tally = Tally(Path(sys.argv[1]))
counted, level = tally.take(), tally.level()
tally.cells[counted] += 40
tally.cells[level] += 3
print(tally.place, flush=True)
sys.stdin.read()
"""
"""A process that counts 40 of something and has 3 of something in work."""


def numbers(one: Tally) -> tuple[int, int]:
    """Set aside what a worker sets aside."""
    return one.take(), one.level()


@contextmanager
def worker(directory: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a worker, and say which place it has."""
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(directory)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
        process.kill()


def test_without_a_directory_a_worker_counts_for_itself() -> None:
    one, other = Tally(), Tally()
    counted, level = numbers(one)
    one.cells[counted] += 2
    one.cells[level] += 1
    assert numbers(other) == (counted, level)
    assert one.totals().counts[counted] == 2
    assert one.totals().levels[level] == 1
    assert one.totals().workers == {0: os.getpid()}
    assert other.totals().counts[counted] == 0


def test_every_worker_tells_the_sum_of_all(tmp_path: Path) -> None:
    workers = [Tally(tmp_path) for _ in range(3)]
    ((counted, level),) = {numbers(one) for one in workers}
    for number, one in enumerate(workers, 1):
        one.cells[counted] += number
        one.cells[level] += 10 * number
    for one in workers:
        totals = one.totals()
        assert (totals.counts[counted], totals.levels[level]) == (6, 60)
        assert totals.workers.keys() == {0, 1, 2}


def test_numbers_of_64_bits_are_added_up(tmp_path: Path) -> None:
    one, other = Tally(tmp_path), Tally(tmp_path)
    for each in (one, other):
        each.cells[each.take()] = 2**62
    assert one.totals().counts[-1] == 2**63


def test_what_a_killed_worker_has_counted_stays_and_what_it_had_in_work_goes(tmp_path: Path) -> None:
    one = Tally(tmp_path)
    counted, level = numbers(one)
    one.cells[counted] += 2
    with worker(tmp_path) as (process, place):
        alive = one.totals()
        assert (alive.counts[counted], alive.levels[level]) == (42, 3)
        assert alive.workers == {0: os.getpid(), place: process.pid}
        process.kill()
        process.wait()
        dead = one.totals()
    assert (dead.counts[counted], dead.levels[level]) == (42, 0)
    assert dead.workers == {0: os.getpid()}


def test_a_new_worker_takes_the_place_of_a_dead_one_and_counts_on_there(tmp_path: Path) -> None:
    one = Tally(tmp_path)
    counted, level = numbers(one)
    for round_ in range(1, 4):
        with worker(tmp_path) as (_, place):
            totals = one.totals()
            assert place == 1
            assert (totals.counts[counted], totals.levels[level]) == (40 * round_, 3)
    assert {path.name for path in tmp_path.iterdir()} == {"0", "1"}


def test_a_worker_that_has_only_just_begun_is_left_out(tmp_path: Path) -> None:
    one = Tally(tmp_path)
    (tmp_path / "1").touch()
    assert one.totals().workers == {0: os.getpid()}


def test_more_numbers_than_there_are_cells_stop_the_start() -> None:
    full = Tally()
    full.take(CELLS - 1)
    with pytest.raises(RuntimeError, match=str(CELLS)):
        full.take()


def lines(capsysbinary: pytest.CaptureFixture[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]


def test_workers_find_the_directory_that_their_parent_has_made(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    log = logs.logger("info")
    with counting_together(log):
        directory = Path(os.environ[DIRECTORY])
        workers = [tally_of_worker(log) for _ in range(2)]
        assert [one.place for one in workers] == [0, 1]
        assert {path.name for path in directory.iterdir()} == {"0", "1"}
        assert directory.stat().st_mode & 0o077 == 0
    assert not directory.exists()
    assert DIRECTORY not in os.environ
    assert tally_of_worker(log).totals().workers == {0: os.getpid()}
    assert lines(capsysbinary) == []


def test_where_memory_cannot_be_written_to_the_temporary_directory_serves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tally, "MEMORY", str(tmp_path / "missing"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with counting_together(logs.logger("info")):
        assert Path(os.environ[DIRECTORY]).parent == tmp_path


def test_where_no_directory_can_be_made_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(tally, "MEMORY", str(tmp_path / "missing"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing too"))
    with counting_together(logs.logger("info")):
        assert DIRECTORY not in os.environ
    (line,) = lines(capsysbinary)
    assert (line["level"], line["event"]) == ("error", ALONE)


def test_a_worker_without_room_on_the_disk_says_so_and_counts_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """It must not begin and be ended by the first number for which there is no room."""

    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv(DIRECTORY, str(tmp_path))
    monkeypatch.setattr(os, "posix_fallocate", full)
    alone = tally_of_worker(logs.logger("info"))
    alone.cells[alone.take()] += 1
    assert alone.totals().counts[-1] == 1
    (line,) = lines(capsysbinary)
    assert (line["level"], line["event"], line["error"]) == ("error", ALONE, os.strerror(errno.ENOSPC))
