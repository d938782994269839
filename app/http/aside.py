"""Work in a process beside this one, where it takes neither the interpreter nor a core from others.

A thread would do for the interpreter, if the system let the rolls go on at once. But on a core that is fully
used the scheduler may leave whatever works beside them alone until its next tick, which is as long as fifty
rolls. So the work is done when nothing else is to do; and what holds the interpreter must never wait for
that, or all wait with it.
"""

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final

from structlog.typing import FilteringBoundLogger

LOWEST_PRIORITY: Final = 19
OPEN_FILES: Final = 4096
"""Files up to this number are closed in the copy; at the start of a service none has a higher one."""


class Aside:
    """A function that runs in a copy of this process, one call at a time, for as long as this one lives."""

    def __init__(self, work: Callable[..., Any], log: FilteringBoundLogger) -> None:
        """Start the copy. Arguments and results of `work` go through pickle."""
        self._work = work
        self._log = log
        self._line: Connection | None = _start(work)

    def __call__(self, *given: Any) -> Any:
        """Run the function with the given arguments, here if the copy has gone."""
        if self._line is not None:
            try:
                self._line.send(given)
                result = self._line.recv()
            except (EOFError, OSError):
                self._line = None
                self._log.error("the process for dear odds is gone; they are worked out beside the rolls")
            else:
                if isinstance(result, Exception):
                    raise result
                return result
        return self._work(*given)


def _start(work: Callable[..., Any]) -> Connection:
    here, there = Pipe()
    with warnings.catch_warnings():
        # Python warns of forks beside threads, whose locks nobody would ever release. Those that may run now
        # are uvicorn's, which waits for a word from its parent and holds none.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            _stay(work, there)
        finally:
            os._exit(0)
    there.close()
    return here


def _stay(work: Callable[..., Any], line: Connection) -> None:
    """Answer until the other end is closed, which it is when its process ends, however it ends."""
    # Whoever stops the service stops its parent. And nobody shall find a port taken because of us.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    os.closerange(3, line.fileno())
    os.closerange(line.fileno() + 1, OPEN_FILES)
    with suppress(OSError):  # where that is forbidden it works all the same
        _give_way()
    while True:
        try:
            given = line.recv()
        except EOFError:
            return
        try:
            result = work(*given)
        except Exception as error:  # noqa: BLE001  it is raised where the call was made
            result = error
        line.send(result)


def _give_way() -> None:
    """Run only while nothing else wants to, as nearly as the system knows such a thing."""
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(LOWEST_PRIORITY)
