"""Counts that several workers keep together: each writes its own, and any of them can add all up."""

import mmap
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from structlog.typing import FilteringBoundLogger

if sys.platform != "win32":
    import fcntl

CELLS: Final = 8192
"""How many numbers a worker can keep; a cell has 64 bits."""
BYTES: Final = CELLS * 8
DIRECTORY: Final = "WURF_TALLY_DIRECTORY"
"""The variable that tells workers where they count together. Their parent sets it, no operator does."""
MEMORY: Final = "/dev/shm"  # noqa: S108  a directory of our own is made in it
"""Where files lie in memory on Linux; it can be written to in containers with a read-only root too."""

ALONE: Final = "workers count alone, so /metrics tells of one of them at a time"


class Totals(NamedTuple):
    """What all workers have counted."""

    counts: list[int]
    """Each cell's sum over all workers that there have ever been."""
    levels: list[int]
    """Each cell's sum over the workers that are alive."""
    workers: dict[int, int]
    """The process id of each worker that is alive, by its place."""


class Tally:
    """The cells of this process, and those of the workers beside it.

    In a directory that workers share, each keeps its cells in a file that it holds a lock on. The lock goes
    when its process ends, however it ends; the next worker takes the file over and counts on from there, so
    that no sum ever falls, and there are never more files than there were workers at once. Without a
    directory the cells lie in this process's memory alone.
    """

    def __init__(self, directory: Path | None = None) -> None:
        """Take a place in the directory. Raises `OSError` where there is none to be had."""
        self._directory = directory
        self._used = 0
        self.place = 0
        self.cells: list[int] | memoryview[int] = [0] * CELLS
        """The cells themselves, for where counting must cost as little as it can."""
        if directory is not None:
            self.place, self._lock = _free_place(directory)
            memory = mmap.mmap(self._lock, BYTES)
            if sys.platform == "linux":
                # A copy of this process would hold the lock for as long as it has the memory.
                memory.madvise(mmap.MADV_DONTFORK)
            self.cells = memoryview(memory).cast("Q")
        self._process = self.level()
        self.cells[self._process] = os.getpid()

    def take(self, number: int = 1) -> int:
        """Set cells aside and return the index of the first.

        Workers run the same code with the same settings, so an index means the same in each of them.
        """
        first = self._used
        self._used += number
        if self._used > CELLS:
            message = f"a worker keeps at most {CELLS} numbers"
            raise RuntimeError(message)
        return first

    def level(self) -> int:
        """Set a cell aside for a number that falls too. What a dead worker left in it goes."""
        index = self.take()
        self.cells[index] = 0
        return index

    def totals(self) -> Totals:
        """Add up what all workers have counted so far."""
        own = list(self.cells[: self._used])
        totals = Totals(own, own.copy(), {self.place: os.getpid()})
        if self._directory is not None:
            for path in self._directory.iterdir():
                if path.name != str(self.place):
                    self._add(path, totals)
        return totals

    def _add(self, path: Path, totals: Totals) -> None:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < BYTES:
                return  # a worker is about to begin
            alive = not _locked(file.fileno(), fcntl.LOCK_SH)
            with (
                mmap.mmap(file.fileno(), BYTES, access=mmap.ACCESS_READ) as memory,
                memoryview(memory) as whole,
                whole.cast("Q") as cells,
            ):
                # Each cell is read at once, as it is written; from a file one could be seen half.
                found = cells[: self._used].tolist()
        totals.counts[:] = map(int.__add__, totals.counts, found)
        if alive:
            totals.levels[:] = map(int.__add__, totals.levels, found)
            totals.workers[int(path.name)] = found[self._process]


def tally_of_worker(log: FilteringBoundLogger) -> Tally:
    """Make this worker's tally, together with those of the workers beside it if there are any."""
    directory = os.environ.get(DIRECTORY)
    if directory is None:
        return Tally()
    try:
        return Tally(Path(directory))
    except OSError as error:
        reason = error.strerror
    log.error(ALONE, error=reason)
    return Tally()


@contextmanager
def counting_together(log: FilteringBoundLogger) -> Iterator[None]:
    """Let the workers that are started in this block count together."""
    directory = _new_directory()
    if directory is None:
        log.error(ALONE, error="no directory for it can be made")
        yield
        return
    os.environ[DIRECTORY] = directory
    try:
        yield
    finally:
        del os.environ[DIRECTORY]
        shutil.rmtree(directory, ignore_errors=True)


def _new_directory() -> str | None:
    if sys.platform == "win32":  # no lock there goes with its process
        return None
    for parent in (MEMORY, None):
        try:
            return tempfile.mkdtemp(prefix="wurf-", dir=parent)
        except OSError:
            continue
    return None


def _free_place(directory: Path) -> tuple[int, int]:
    """Lock the first file that no living worker has, and return its number and the open file."""
    for place in count():
        file = os.open(directory / str(place), os.O_RDWR | os.O_CREAT, 0o600)
        if _locked(file, fcntl.LOCK_EX):
            try:
                # Were it a file with holes, a full disk would end the process when it counts into one.
                os.posix_fallocate(file, 0, BYTES)
            except OSError:
                os.close(file)
                raise
            return place, file
        os.close(file)
    raise AssertionError


def _locked(file: int, kind: int) -> bool:
    """Lock an open file unless another process has it. Closing the file gives it back."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
