"""Room for a bounded number of requests, so that too many make none of them slow."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from app.http.problem import Problem

RETRY_SECONDS: Final = 1
BATCHES_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of batches that are resolved at once: each takes up to twelve times its size in memory."""


class Room:
    """Counts the requests that are being worked on, and apart from them those whose body is under way.

    They are bounded each for itself: clients that send slowly take no place from those who sent all. Batches
    are bounded by their size too, since the largest takes a thousand times the memory of a roll.
    """

    def __init__(self, most: int) -> None:
        """Start empty."""
        self.most = most
        self.in_work = 0
        self.arriving = 0
        self.batches = 0

    def check(self) -> None:
        """Raise `Problem` `overloaded` where there is no place."""
        if self.in_work >= self.most:
            raise overloaded()

    def enter(self) -> None:
        """Take a place. Raises `Problem` `overloaded` where there is none."""
        self.check()
        self.in_work += 1

    def leave(self) -> None:
        """Give the place back."""
        self.in_work -= 1

    @contextmanager
    def for_batch(self, size: int) -> Iterator[None]:
        """Make room for a batch of so many bytes. Raises `Problem` `overloaded`."""
        if self.batches + size > BATCHES_BYTES:
            raise overloaded()
        self.batches += size
        try:
            yield
        finally:
            self.batches -= size

    @contextmanager
    def waiting_for_body(self) -> Iterator[None]:
        """Leave the place to others while the body is under way. Raises `Problem` `overloaded`."""
        if self.arriving >= self.most:
            raise overloaded()
        self.arriving += 1
        self.in_work -= 1
        try:
            yield
        finally:
            self.arriving -= 1
            self.in_work += 1


def overloaded() -> Problem:
    """Say that there is no room now, and when to try again."""
    return Problem("overloaded", headers=((b"retry-after", b"%d" % RETRY_SECONDS),))
