"""Room for a bounded number of requests, so that too many make none of them slow."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from app.http.problem import Problem

RETRY_SECONDS: Final = 1
BATCHES_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of batches that are resolved at once: each takes up to twelve times its size in memory."""
ANSWERS_BYTES: Final = 96 * 1024 * 1024
"""The most bytes of answers to batches that are put together at once: each takes twice its size in memory."""


class Room:
    """Counts the requests that are being worked on, and apart from them those whose body is under way.

    They are bounded each for itself: clients that send slowly take no place from those who sent all. Batches
    are bounded by their size too, and by that of their answers: the largest take thousands of times the
    memory of a roll.
    """

    def __init__(self, most: int) -> None:
        """Start empty."""
        self.most = most
        self.in_work = 0
        self.arriving = 0
        self.batches = 0
        self.answers = 0

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
    def for_batch(self, size: int) -> Iterator["Share"]:
        """Make room for a batch of so many bytes, and see to its answer. Raises `Problem` `overloaded`."""
        if self.batches + size > BATCHES_BYTES:
            raise overloaded()
        self.batches += size
        share = Share(self)
        try:
            yield share
        finally:
            self.batches -= size
            self.answers -= share.taken

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


class Share:
    """What the answer to one batch takes of the room for all."""

    def __init__(self, room: Room) -> None:
        """Start with nothing."""
        self._room = room
        self.taken = 0

    def take(self, size: int) -> None:
        """Take so many bytes more. Raises `Problem` `overloaded` where there is no room for them."""
        if self._room.answers + size > ANSWERS_BYTES:
            raise overloaded()
        self._room.answers += size
        self.taken += size


def overloaded() -> Problem:
    """Say that there is no room now, and when to try again."""
    return Problem("overloaded", headers=((b"retry-after", b"%d" % RETRY_SECONDS),))
