"""From the raw figures in results.json to the tables of the pages. No figure there is typed by hand."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.capacity import LOADS, USED, capacities
from benchmarks.figures import Cost, Question, Turns, costs_of, parts_of, turns_of
from benchmarks.targets import MEGABYTE, Target, soak_targets, targets

README: Final = Path(__file__).with_name("README.md")
GUIDE: Final = README.parents[1] / "deploy" / "README.md"
RESULTS: Final = Path(__file__).with_name("results.json")
MEMORY_ROWS: Final = 10
NOTHING: Final = "–"
PEERS: Final = ("icepool", "icepool, by the rule", "dyce")
HTTP_GROUPS: Final = {
    "peers": "Who answers",
    "growth": "What grows",
    "beside": "ZRPS beside",
    "workers": "Both cores shared",
}

Row = Sequence[str]


def results() -> dict[str, Any]:
    """Read the raw figures of every section that was measured."""
    if not RESULTS.exists():
        return {}
    sections: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return sections


def filled(readme: str, sections: Mapping[str, Any]) -> str:
    """Put each table between its markers, `<!-- name -->` and `<!-- end -->`."""

    def fill(marked: re.Match[str]) -> str:
        return f"<!-- {marked[1]} -->\n{_tables(marked[1], sections)}\n<!-- end -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", fill, readme, flags=re.DOTALL)


def _tables(name: str, sections: Mapping[str, Any]) -> str:
    if name == "targets":
        return _table("what | target | reached | met", map(_target, targets(sections)))
    section = sections.get(MADE_OF.get(name, name))
    if section is None:
        return "Not measured."
    return "\n\n".join([_where(section), *TABLES[name](section["figures"])])


def _where(section: Mapping[str, Any]) -> str:
    machine = section["machine"]
    packages = [f"{name} {version}" for name, version in machine["packages"].items() if version]
    changed = " with changes" if section["changed"] else ""
    return (
        f"Commit {section['commit'][:10]}{changed}, {section['date']}; {machine['processor']}, "
        f"{machine['cores']} cores, {machine['system']}; {machine['python']}, Node {machine['node']}; "
        f"{', '.join(packages)}."
    )


def _table(header: str, rows: Iterable[Row]) -> str:
    columns = header.split(" | ")
    lines = [columns, ["---", *["--:"] * (len(columns) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _target(target: Target) -> Row:
    bound = f"{'at least' if target.at_least else 'at most'} {_number(target.bound)} {target.unit}"
    if target.aim is not None:
        bound += f" (aim {_number(target.aim)})"
    return target.what, bound, f"{_number(target.reached)} {target.unit}", "yes" if target.met else "no"


def _odds(odds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    pools = costs_of(odds, "v20").items()
    columns = f"rule | answer | pool | {' | '.join(f'{peer}, ×' for peer in PEERS)}"
    yield _table(
        f"V20, milliseconds | dice | {columns}",
        [[*_question(question), *_compared(costs, 1e3, "seconds")] for question, costs in pools],
    )
    yield _table(
        f"V20, kilobytes at once | dice | {columns}",
        [[*_question(question), *_compared(costs, 1e-3, "peak_bytes")] for question, costs in pools],
    )
    for group, name, size in (("extended", "Scorekeeper, extended", "rolls"), ("actions", "Action", "")):
        yield _table(
            f"{name} | {size} | rule, ms | answer, ms | rule, kB | answer, kB",
            [[*_question(question), *_own(costs)] for question, costs in costs_of(odds, group).items()],
        )


def _question(question: Question) -> Row:
    what, size = question
    return what.replace("_", " "), "" if size is None else str(size)


def _compared(costs: Mapping[str, Cost], scale: float, attribute: str) -> Iterator[str]:
    """Write Wurf's own figures, then how many times as much the peers need."""
    figures = {name: getattr(cost, attribute) for name, cost in costs.items()}
    yield from (_number(scale * figures[name]) for name in ("rule", "answer", "pool"))
    for peer in PEERS:
        yield _number(figures[peer] / figures["pool"]) if peer in figures else NOTHING


def _own(costs: Mapping[str, Cost]) -> Iterator[str]:
    yield from (_number(1e3 * costs[name].seconds) for name in ("rule", "answer"))
    yield from (_number(1e-3 * costs[name].peak_bytes) for name in ("rule", "answer"))


def _parts(parts: Mapping[str, Sequence[float]]) -> Iterator[str]:
    costs = parts_of(parts)
    yield _table(
        "Part | microseconds | share, %",
        [[name, _number(1e6 * cost), _number(100 * cost / costs["whole"])] for name, cost in costs.items()],
    )


def _http(http: Mapping[str, Any]) -> Iterator[str]:
    for group, title in HTTP_GROUPS.items():
        if turns := turns_of(http, group):
            first = next(iter(turns.values()))
            columns = "requests a second | of the first | median, ms | p99, ms | p99 over median"
            yield _table(f"{title} | {columns}", [[name, *_turns(one, first)] for name, one in turns.items()])
    if turns := turns_of(http, "batch"):
        yield _table(
            "ZRPS rolls in one request | requests a second | rolls a second | against single requests",
            [[str(size), *_batch(turns[name], size, turns["single"])] for name, size in _batches(turns)],
        )


def _batches(turns: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Read the sizes of batches out of the names of the contenders."""
    for name in turns:
        kind, _, size = name.partition(" ")
        if kind == "batch":
            yield name, int(size)


def _batch(turns: Turns, size: int, single: Turns) -> Row:
    figures = turns.rate, size * turns.rate, size * turns.against(single)
    return [_number(figure) for figure in figures]


def _capacity(http: Mapping[str, Any]) -> Iterator[str]:
    loads = " | ".join(f"extrapolated: workers for {millions} million a minute" for millions in LOADS)
    yield _table(
        "Asked | measured: rolls a second of a worker | measured: p99, ms | "
        f"extrapolated: rolls a minute of a worker, {USED:.0%} used | {loads}",
        [
            [
                one.what,
                *map(_number, (one.rolls_a_second, one.p99_milliseconds, one.rolls_a_minute)),
                *(f"{one.workers(millions):,}" for millions in LOADS),
            ]
            for one in capacities(http)
        ],
    )


def _turns(turns: Turns, first: Turns) -> Row:
    figures = turns.rate, turns.against(first), turns.p50 / 1e3, turns.p99 / 1e3, turns.tail
    return [_number(figure) for figure in figures]


def _memory(samples: Sequence[Mapping[str, int]]) -> Iterator[str]:
    step = max(1, len(samples) // MEMORY_ROWS)
    yield _table(
        "Requests answered | resident, MB",
        [
            [f"{sample['requests']:,}", _number(sample["resident_bytes"] / MEGABYTE)]
            for sample in [*samples[:-1:step], samples[-1]]
        ],
    )


def _soak(soak: Mapping[str, Any]) -> Iterator[str]:
    samples = soak["samples"]
    step = max(1, len(samples) // MEMORY_ROWS)
    yield _table(
        "Minutes | requests answered | resident, MB | open files",
        [
            [
                _number(sample["seconds"] / 60),
                f"{sample['requests']:,}",
                _number(sample["resident_bytes"] / MEGABYTE),
                str(sample["open_files"]),
            ]
            for sample in [*samples[:-1:step], samples[-1]]
        ],
    )
    yield _table("Status | answers", [[status, f"{count:,}"] for status, count in soak["statuses"].items()])
    yield _table("what | target | reached | met", map(_target, soak_targets(soak)))


TABLES: Final[Mapping[str, Callable[[Any], Iterator[str]]]] = {
    "odds": _odds,
    "parts": _parts,
    "http": _http,
    "memory": _memory,
    "capacity": _capacity,
    "soak": _soak,
}
"""What makes the tables of a section."""
MADE_OF: Final = {"capacity": "http"}
"""Tables that are made of another section's figures."""


def _number(figure: float) -> str:
    """Write a number with three digits that say something."""
    if figure >= 100:  # noqa: PLR2004  three digits before the point
        return f"{figure:,.0f}"
    return f"{figure:.3g}"
