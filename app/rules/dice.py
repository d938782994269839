"""Dice: faces that follow from a seed by the stream "dice1", or that were thrown elsewhere.

Both kinds answer the same two questions. `throw` is for dice whose order means something (the first
contestant's die comes first), `pool` for dice of which only the faces count. Whoever works out odds
walks a pool as a multiset and dice that are thrown in order as tuples; a rule need not know.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final, Protocol

from app.rules.refusal import Refusal

STREAM: Final = "dice1"
"""The name of the seeded stream. Another way from seed to faces would be "dice2"."""
_HASHED_AT_ONCE: Final = 64
"""SHA-256 takes so many bytes at a time; B in RFC 2104."""
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


class Dice(Protocol):
    """What a rule asks for faces."""

    faces: list[int]
    """Every face thrown so far, in the order thrown."""

    def throw(self, count: int, sides: int) -> Sequence[int]:
        """Throw `count` dice of `sides` sides (2 to 256) whose order matters."""

    def pool(self, count: int, sides: int) -> Sequence[int]:
        """Throw `count` dice of `sides` sides (2 to 256) whose order does not matter."""


class SeededDice:
    """Dice whose faces follow from a seed alone: the same seed, ruleset and action, the same faces."""

    __slots__ = ("_block", "_bytes", "_key", "_name", "faces")

    def __init__(self, seed: str, ruleset: str, action: str) -> None:
        """Open the stream of one seed for one action. The seed is used as the text it is."""
        self._key = seed.encode()
        self._name = f"{STREAM}\n{ruleset}\n{action}\n"
        self._block = 0
        self._bytes: Iterator[int] = iter(b"")
        self.faces: list[int] = []

    def throw(self, count: int, sides: int) -> list[int]:
        """Take the next `count` faces. Bytes beyond the last full range of `sides` are skipped."""
        faces: list[int] = []
        limit = 256 - 256 % sides
        while len(faces) < count:
            for byte in self._bytes:
                if byte < limit:
                    faces.append(byte % sides + 1)
                    if len(faces) == count:
                        break
            else:
                self._bytes = iter(self._next_block())
        self.faces += faces
        return faces

    pool = throw

    def finish(self) -> None:
        """A stream has no end that could be missed."""

    def _next_block(self) -> bytes:
        block = _hmac(self._key, f"{self._name}{self._block}".encode())
        self._block += 1
        return block


class GivenDice:
    """Dice thrown elsewhere, for example at the table. They must be used up exactly."""

    __slots__ = ("_given", "_sides", "faces")

    def __init__(self, given: Sequence[int], sides: int) -> None:
        """Hold the faces in the order in which the rule will need them."""
        self._given = given
        self._sides = sides
        self.faces: list[int] = []

    def throw(self, count: int, sides: int) -> Sequence[int]:
        """Take the next `count` faces.

        Raises `Refusal` `faces_count` when fewer are left; its `needed` is the least number that the
        rule is known to need so far.
        """
        self._sides = sides
        used = len(self.faces)
        if used + count > len(self._given):
            raise self._miscounted(used + count)
        faces = self._given[used : used + count]
        self.faces += faces
        return faces

    pool = throw

    def finish(self) -> None:
        """Raise `Refusal` `faces_count` when faces are left over."""
        if len(self.faces) < len(self._given):
            raise self._miscounted(len(self.faces))

    def _miscounted(self, needed: int) -> Refusal:
        return Refusal("faces_count", "/faces", given=len(self._given), needed=needed, sides=self._sides)


def keyed_seed(secret: str, nonce: str) -> str:
    """Make the seed that belongs to a nonce under the service's secret: 32 hexadecimal digits."""
    return _hmac(secret.encode(), b"wurf nonce\n" + nonce.encode()).hex()[:32]


def _hmac(key: bytes, message: bytes) -> bytes:
    """Work out HMAC-SHA256 (RFC 2104, section 2). For so little, Python's own takes half as long again."""
    if len(key) > _HASHED_AT_ONCE:
        key = sha256(key).digest()
    key = key.ljust(_HASHED_AT_ONCE, b"\0")
    return sha256(key.translate(_OUTER) + sha256(key.translate(_INNER) + message).digest()).digest()
