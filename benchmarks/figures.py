"""Reading the raw figures: medians of what was measured."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final, NamedTuple

BATCHES_BESIDE: Final = "batches of 1,000"
"""What rolls are measured beside, without a promise."""


class Turns:
    """The turns of one contender over HTTP."""

    def __init__(self, turns: Sequence[Mapping[str, int]]) -> None:
        """Take the medians of its turns; times in microseconds."""
        self.rates = [turn["requests"] / turn["microseconds"] * 1e6 for turn in turns]
        """Requests a second, turn by turn."""
        self.rate = median(self.rates)
        self.p50 = median(turn["p50"] for turn in turns)
        self.p99 = median(turn["p99"] for turn in turns)

    def against(self, other: "Turns") -> float:
        """How many times the rate of another contender: the median over the rounds.

        Both are compared round by round, since a machine may be twice as fast in one round as in the next.
        """
        return median(own / others for own, others in zip(self.rates, other.rates, strict=True))

    @property
    def tail(self) -> float:
        """How many times as long as the median the slowest hundredth takes."""
        return self.p99 / self.p50


def turns_of(http: Mapping[str, Any], group: str) -> dict[str, Turns]:
    """Read a group of contenders by name; empty where it was skipped."""
    return {name: Turns(turns) for name, turns in http.get(group, {}).items()}


class Cost(NamedTuple):
    """What one contender needs for one question about odds."""

    seconds: float
    peak_bytes: int


Question = tuple[str, int | None]
"""What is asked, and the size of it."""


def costs_of(odds: Sequence[Mapping[str, Any]], group: str) -> dict[Question, dict[str, Cost]]:
    """Read what each question of a group costs, by contender."""
    costs: dict[Question, dict[str, Cost]] = {}
    for entry in odds:
        if entry["group"] == group:
            cost = Cost(median(entry["seconds"]), entry["peak_bytes"])
            costs.setdefault((entry["what"], entry["size"]), {})[entry["by"]] = cost
    return costs


def parts_of(parts: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Take the whole of a request apart, in seconds; what is not measured alone is what remains."""
    medians = {name: median(samples) for name, samples in parts.items()}
    whole, server, socket = (medians.pop(name) for name in ("whole", "server", "socket"))
    both = medians.pop("reading and validating")
    inside = {"parsing HTTP": server, "reading strictly": both - medians["validating"], **medians}
    return {**inside, "the edge": whole - sum(inside.values()), "whole": whole, "the socket": socket}
