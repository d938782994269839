"""What the service counts, in the words of Prometheus.

Counting must cost a request next to nothing, so a request adds to a few cells of a `Tally`; series with names
and labels are made of them only when somebody asks. Every label comes from a closed list: whatever clients
send, there are never more series.
"""

import platform
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from time import perf_counter_ns
from typing import Any, Final

from prometheus_client import ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from app import __version__
from app.http.problem import KINDS
from app.http.tally import Tally, Totals
from app.rules.registry import ACTIONS

NANOSECONDS: Final = 1_000_000_000
BUCKETS: Final = (
    *("0.00005", "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05"),
    *("0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0"),
)
"""The upper bounds of the histogram, in seconds: rolls take some of the first, waiting clients the last."""
BOUNDS: Final = tuple(round(float(bound) * NANOSECONDS) for bound in BUCKETS)

NONE: Final = "-"
"""A label's value where there is nothing to name."""
CLIENT_GONE: Final = 499
"""The status of a request whose client hung up: nothing was sent, and nginx calls it so."""
_PLAIN: Final = (200, 204, 304, CLIENT_GONE)
ENDINGS: Final = (
    *((str(status), NONE) for status in _PLAIN),
    *((str(kind.status), code) for code, kind in KINDS.items()),
    ("other", NONE),
)
"""Status and problem code of every way in which a request can end."""
_ENDING: Final[dict[int | str, int]] = dict(zip((*_PLAIN, *KINDS), range(len(ENDINGS)), strict=False))
"""The place of an ending, by its problem code, or by its status where there is none."""
_OTHER: Final = len(ENDINGS) - 1
_ALWAYS: Final = frozenset({_ENDING[200], _ENDING["internal"], _ENDING["overloaded"]})
"""Endings whose series stand there from the start, so that the first one is seen as an increase."""

UNKNOWN: Final = NONE
"""The route of every path that there is not."""
FILES: Final = "files"
"""The route of the files that the service ships for browsers."""


class Route:
    """The requests to one path, or to one family of paths."""

    __slots__ = ("_bucket", "_cells", "_ending", "_sum", "action", "name", "ruleset")

    def __init__(self, name: str, tally: Tally) -> None:
        """Find the action that the path belongs to."""
        self.name = name
        self.ruleset, self.action = _action_of(name)
        self._cells = tally.cells
        self._ending = tally.take(len(ENDINGS))
        self._bucket = tally.take(len(BOUNDS) + 1)
        self._sum = tally.take()

    def count(self, status: int, problem: str | None, began: int) -> int:
        """Count a request that ends now, by how it ended, and return how many nanoseconds it took."""
        nanoseconds = perf_counter_ns() - began
        cells = self._cells
        cells[self._ending + _ENDING.get(problem or status, _OTHER)] += 1
        cells[self._bucket + bisect_left(BOUNDS, nanoseconds)] += 1
        cells[self._sum] += nanoseconds
        return nanoseconds

    def add_to(
        self, requests: CounterMetricFamily, durations: HistogramMetricFamily, counts: list[int]
    ) -> None:
        """Add this route's series."""
        labels = [self.ruleset, self.action, self.name]
        for place, ending in enumerate(ENDINGS):
            number = counts[self._ending + place]
            if number or place in _ALWAYS:
                requests.add_metric([*labels, *ending], number)
        taken = list(accumulate(counts[self._bucket : self._sum]))
        if taken[-1]:
            buckets = list(zip((*BUCKETS, "+Inf"), taken, strict=True))
            durations.add_metric(labels, buckets, counts[self._sum] / NANOSECONDS)


class Metrics(Collector):
    """Everything that is counted."""

    def __init__(self, tally: Tally) -> None:
        """Set the cells aside."""
        self._tally = tally
        self._cells = tally.cells
        self._in_flight = tally.level()
        self._odds_bytes = tally.level()
        self._odds_hits = tally.take()
        self._odds_misses = tally.take()
        self._rolls = {rolled: tally.take() for rolled in _outcomes()}
        self._items: dict[str | None, int] = {code: tally.take() for code in (None, *KINDS)}
        self._routes: dict[str, Route] = {}

    def route(self, name: str) -> Route:
        """Find or make what counts the requests to a path. Only at start, since it takes cells."""
        if name not in self._routes:
            self._routes[name] = Route(name, self._tally)
        return self._routes[name]

    def begin(self) -> None:
        """Count a request as in work, until `end`."""
        self._cells[self._in_flight] += 1

    def end(self) -> None:
        """Count a request as in work no more."""
        self._cells[self._in_flight] -= 1

    def rolled(self, answer: Mapping[str, Any]) -> None:
        """Count an action that was resolved, alone or in a batch, by its answer."""
        self._cells[self._rolls[answer["ruleset"], answer["action"], answer.get("outcome")]] += 1

    def batch_item(self, problem: str | None) -> None:
        """Count an item of a batch, by the problem that it got."""
        self._cells[self._items[problem]] += 1

    def odds_found(self) -> None:
        """Count odds that were remembered."""
        self._cells[self._odds_hits] += 1

    def odds_missed(self) -> None:
        """Count odds that were not remembered."""
        self._cells[self._odds_misses] += 1

    def odds_kept(self, size: int) -> None:
        """Say how many bytes of odds are remembered now."""
        self._cells[self._odds_bytes] = size

    def collect(self) -> Iterator[Metric]:
        """Make the series, added up over all workers."""
        totals = self._tally.totals()
        yield from self._of_requests(totals)
        yield self._of_rolls(totals)
        yield self._of_items(totals)
        yield from self._of_odds(totals)
        yield _build()
        yield GaugeMetricFamily("wurf_workers", "Workers that are alive.", len(totals.workers))
        yield from _of_processes(totals.workers)

    def _of_requests(self, totals: Totals) -> Iterator[Metric]:
        labels = ["ruleset", "action", "route"]
        requests = CounterMetricFamily(
            "wurf_http_requests", "Requests, by how they ended.", labels=[*labels, "status", "problem"]
        )
        durations = HistogramMetricFamily(
            "wurf_http_request_duration_seconds",
            "Time from a request's headers to its answer, a slow client's body included.",
            labels=labels,
        )
        for route in self._routes.values():
            route.add_to(requests, durations, totals.counts)
        yield requests
        yield durations
        yield GaugeMetricFamily(
            "wurf_http_requests_in_flight", "Requests in work.", totals.levels[self._in_flight]
        )

    def _of_rolls(self, totals: Totals) -> Metric:
        family = CounterMetricFamily(
            "wurf_rolls", "Actions resolved, in batches too.", labels=["ruleset", "action", "outcome"]
        )
        for (ruleset, action, outcome), index in self._rolls.items():
            family.add_metric([ruleset, action, outcome or NONE], totals.counts[index])
        return family

    def _of_items(self, totals: Totals) -> Metric:
        family = CounterMetricFamily(
            "wurf_batch_items", "Items of batches, by the problem that they got.", labels=["problem"]
        )
        for problem, index in self._items.items():
            if problem is None or totals.counts[index]:
                family.add_metric([problem or NONE], totals.counts[index])
        return family

    def _of_odds(self, totals: Totals) -> Iterator[Metric]:
        lookups = CounterMetricFamily(
            "wurf_odds_cache_lookups", "Odds asked for, by whether they were remembered.", labels=["result"]
        )
        lookups.add_metric(["hit"], totals.counts[self._odds_hits])
        lookups.add_metric(["miss"], totals.counts[self._odds_misses])
        yield lookups
        yield GaugeMetricFamily(
            "wurf_odds_cache_bytes", "Size of the odds remembered.", totals.levels[self._odds_bytes]
        )


def _action_of(name: str) -> tuple[str, str]:
    """Find the ruleset and action of a path such as /v1/zrps/roll/odds."""
    _, _, ruleset, action, *_ = (*name.split("/"), "", "", "")
    return (ruleset, action) if (ruleset, action) in ACTIONS else (NONE, NONE)


def _outcomes() -> Iterator[tuple[str, str, str | None]]:
    """List every way in which an action can end, None for no outcome."""
    for (ruleset, name), (_, action) in ACTIONS.items():
        for outcome in (*(action.outcomes or ()), None):
            yield ruleset, name, outcome and str(outcome)


def _build() -> Metric:
    family = GaugeMetricFamily(
        "wurf_build_info", "What runs here; the value is always 1.", labels=["version", "python"]
    )
    family.add_metric([__version__, platform.python_version()], 1)
    return family


def _of_processes(workers: Mapping[int, int]) -> Iterator[Metric]:
    """Say what the operating system tells of each worker, where it does (Linux)."""
    families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
    for place, process in sorted(workers.items()):
        for found in ProcessCollector("wurf", partial(int, process), registry=None).collect():
            kind = CounterMetricFamily if found.type == "counter" else GaugeMetricFamily
            empty = kind(found.name, found.documentation, labels=["worker"])
            families.setdefault(found.name, empty).add_metric([str(place)], found.samples[0].value)
    yield from families.values()
