"""How much processor time a service spends: no clock on the wall, which other work would move."""

import ctypes
import time
from statistics import median
from typing import Final

import httpx

from tests.http.wire import ROLL, Wire, message
from tests.serving import Server

NORMAL: Final = message("POST", ROLL, body=b'{"value":11,"seed":"demo"}')
KEPT: Final = 50
"""From so many rolls comes the measure of one."""
ROLLS: Final = 20
"""An answer may cost as much as so many rolls beside it,"""
BYTES_PER_ROLL: Final = 200
"""and one more for so many bytes that were read or written."""
TRIES: Final = 5
"""The least of so many tries counts, where one was dear: the first may have been its neighbor's fault."""


class Effort:
    """One connection to a service that has nothing else to do, and a meter on its processor time."""

    def __init__(self, server: Server, wire: Wire) -> None:
        """Warm the service up."""
        self._clock = _clock_of(server.process.pid)
        self._wire = wire
        self._rolls: list[int] = []
        self.normal = self._measured(NORMAL)[0].content
        for _ in range(KEPT):
            self.roll_beside()

    def ask(self, request: bytes) -> httpx.Response:
        """Ask, and check that the answer cost no more than its size explains."""
        answer, cost = self._measured(request)
        self.roll_beside()
        allowed = ROLLS + (len(request) + len(answer.content)) / BYTES_PER_ROLL
        for _ in range(TRIES):
            if cost <= allowed * median(self._rolls):
                return answer
            cost = min(cost, self._measured(request)[1])
            self.roll_beside()
        message = f"it costs {cost / median(self._rolls)} rolls, and its size explains {allowed}"
        raise AssertionError(message)

    def roll_beside(self) -> None:
        """Roll on the same connection, to see that it still works, and what that costs here and now."""
        answer, cost = self._measured(NORMAL)
        assert answer.content == self.normal
        self._rolls = [*self._rolls[-KEPT:], cost]

    def _measured(self, request: bytes) -> tuple[httpx.Response, int]:
        before = time.clock_gettime_ns(self._clock)
        answer = self._wire.ask(request)
        return answer, time.clock_gettime_ns(self._clock) - before


def _clock_of(process: int) -> int:
    """Find the clock of another process's time on processors, all its threads together (POSIX)."""
    clock = ctypes.c_int()
    failed = ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(clock))
    assert not failed
    return clock.value
