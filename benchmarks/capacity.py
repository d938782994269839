"""From what one worker answers to how many workers a load needs."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any, Final, NamedTuple

from benchmarks.figures import turns_of

LOADS: Final = (1, 10, 100)
"""Millions of rolls a minute."""
USED: Final = 0.6
"""How much of a worker is to be used: then few requests wait, and others can carry its load when it goes."""


class Capacity(NamedTuple):
    """What one worker was measured to answer, when it is asked as much as it can take."""

    what: str
    rolls_a_second: float
    p99_milliseconds: float

    @property
    def rolls_a_minute(self) -> float:
        """What it is to be given."""
        return 60 * USED * self.rolls_a_second

    def workers(self, millions: int) -> int:
        """Work out how many workers answer so many millions of rolls a minute."""
        return ceil(millions * 1e6 / self.rolls_a_minute)


def capacities(http: Mapping[str, Any]) -> Iterator[Capacity]:
    """Read what was measured over HTTP; what got no answer at all in its time is left out."""
    peers = turns_of(http, "peers")
    for name, what in {"wurf, zrps": "ZRPS, a roll a request", "wurf, v20": "V20, a roll a request"}.items():
        if name in peers:
            yield Capacity(what, peers[name].rate, peers[name].p99 / 1e3)
    for name, turns in turns_of(http, "batch").items():
        kind, _, size = name.partition(" ")
        if kind == "batch" and turns.rate:
            yield Capacity(f"ZRPS, {size} in a batch", int(size) * turns.rate, turns.p99 / 1e3)
