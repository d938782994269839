"""What is to be reached, and what was."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchmarks.figures import BATCHES_BESIDE, Cost, Question, costs_of, turns_of

MEGABYTE: Final = 10**6
SETTLED: Final = 0.2
"""From this share of the requests on, memory is to stay flat."""
BATCH: Final = 1000
SERVER_ERROR: Final = 500


class Target(NamedTuple):
    """A bound, and the figure that is held against it."""

    what: str
    bound: float
    reached: float
    unit: str = "×"
    at_least: bool = True
    """Whether the figure is to be at least the bound, or at most."""
    aim: float | None = None
    """What would be better still."""

    @property
    def met(self) -> bool:
        """Whether the bound is kept."""
        return self.reached >= self.bound if self.at_least else self.reached <= self.bound


def targets(sections: Mapping[str, Any]) -> list[Target]:
    """Hold every figure that was measured against its target."""
    figures = {name: section["figures"] for name, section in sections.items()}
    return [
        *_odds_targets(figures.get("odds", [])),
        *_http_targets(figures.get("http", {})),
        *_memory_targets(figures.get("memory", [])),
    ]


def _odds_targets(odds: Any) -> Iterator[Target]:
    pools = costs_of(odds, "v20")
    if not pools:
        return
    single = [costs["rule"].seconds for costs in costs_of(odds, "actions").values()]
    slowest = 1e3 * max(single)
    yield Target("odds of the slowest action with one or two dice", 1, slowest, "ms", at_least=False)
    for kind, bound in {"plain": 10, "doubled": 10, "rerolled": 50, "rerolled_sparing": 50}.items():
        spent = 1e3 * pools[kind, 100]["rule"].seconds
        yield Target(f"odds of 100 V20 dice, {kind.replace('_', ' ')}", bound, spent, "ms", at_least=False)
    for dice in (10, 20):
        ratio = _least_ratio(pools, "icepool, by the rule", dice)
        yield Target(
            f"odds of {dice} V20 dice against icepool, by the rule, the least of all kinds", 100, ratio
        )
    least = _least_ratio(pools, "dyce")
    yield Target("odds of V20 dice against dyce's net successes, the least of all", 1, least)


def _least_ratio(pools: Mapping[Question, Mapping[str, Cost]], peer: str, size: int | None = None) -> float:
    return min(
        costs[peer].seconds / costs["pool"].seconds
        for (_, dice), costs in pools.items()
        if peer in costs and size in {None, dice}
    )


def _http_targets(http: Mapping[str, Any]) -> Iterator[Target]:
    peers = turns_of(http, "peers")
    if not peers:
        return
    zrps, v20 = peers["wurf, zrps"], peers["wurf, v20"]
    bare = peers["bare, zrps"]
    yield Target("requests a second, ZRPS, against the bare application", 0.5, zrps.against(bare), aim=0.6)
    yield Target("the same against an ordinary route of FastAPI", 2.5, zrps.against(peers["fastapi"]))
    yield Target("V20 against the bare application", 0.4, v20.against(peers["bare, v20"]))
    yield Target("p99 over median, against the bare application", 1.5, zrps.tail / bare.tail, at_least=False)
    if batch := turns_of(http, "batch"):
        rolls = BATCH * batch[f"batch {BATCH}"].against(batch["single"])
        yield Target(f"rolls a second in a batch of {BATCH:,}, against single requests", 3, rolls, aim=5)
    alone, *beside = turns_of(http, "beside").items()
    for name, turns in beside:
        slowed = turns.p99 / alone[1].p99
        if name == BATCHES_BESIDE:
            continue  # shown in the table; nothing is promised of it
        yield Target(f"p99 of ZRPS while odds are asked for ({name})", 2, slowed, at_least=False)
    if workers := turns_of(http, "workers"):
        yield Target("two workers against one", 1, workers["workers 2"].against(workers["workers 1"]))


def _memory_targets(samples: Sequence[Mapping[str, int]]) -> Iterator[Target]:
    if not samples:
        return
    requests = samples[-1]["requests"]
    most = max(sample["resident_bytes"] for sample in samples) / MEGABYTE
    yield Target(f"memory of a worker in {requests:,} requests", 90, most, "MB", at_least=False)
    yield Target(
        "how much it grows over the last four fifths of them", 1, _grown(samples), "MB", at_least=False
    )


def _grown(samples: Sequence[Mapping[str, int]]) -> float:
    """Megabytes by which memory grows once it has settled."""
    settled = [
        sample["resident_bytes"]
        for sample in samples
        if sample["requests"] >= SETTLED * samples[-1]["requests"]
    ]
    return (max(settled) - settled[0]) / MEGABYTE


def soak_targets(soak: Mapping[str, Any]) -> Iterator[Target]:
    """Hold what a soak has shown against what is to be."""
    failed = sum(count for status, count in soak["statuses"].items() if int(status) >= SERVER_ERROR)
    yield Target("answers with a status of 500 or more", 0, failed, "answers", at_least=False)
    samples = soak["samples"]
    grown = _grown(samples)
    yield Target("growth of memory over the last four fifths", 1, grown, "MB", at_least=False)
    files = samples[-1]["open_files"] - samples[0]["open_files"]
    yield Target("files left open", 0, files, "files", at_least=False)
