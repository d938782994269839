"""The command line: `python -m benchmarks [section …]` measures and writes down what came out."""

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from benchmarks import http, memory, odds, parts, soak
from benchmarks.machine import stamp
from benchmarks.options import Options
from benchmarks.tables import GUIDE, README, RESULTS, filled, results

SECTIONS: Final[Mapping[str, Callable[[Options], Any]]] = {
    "odds": odds.measure,
    "parts": parts.measure,
    "http": http.measure,
    "memory": memory.measure,
    "soak": soak.measure,
}
UNASKED: Final = frozenset(SECTIONS) - {"soak"}
"""Sections that are measured where none is named; a soak takes too long for that."""


def main() -> None:
    """Measure the sections named, by default all but the soak; each is written down at once."""
    default = Options()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Wurf and its peers.")
    parser.add_argument("sections", nargs="*", metavar="section", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--rounds", type=int, default=default.rounds, help="turns of each contender")
    parser.add_argument("--seconds", type=int, default=default.seconds, help="length of a turn")
    parser.add_argument("--requests", type=int, default=default.requests, help="requests of section memory")
    parser.add_argument("--minutes", type=int, default=default.minutes, help="length of section soak")
    given = parser.parse_args()
    if unknown := set(given.sections) - SECTIONS.keys():
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    options = Options(given.rounds, given.seconds, given.requests, given.minutes)
    for name in given.sections or [name for name in SECTIONS if name in UNASKED]:
        where = stamp()
        figures = SECTIONS[name](options)
        if figures:
            write(name, {**where, "options": options._asdict(), "figures": figures})


def write(section: str, content: object) -> None:
    """Put a section's figures into results.json, and all tables into the pages."""
    RESULTS.write_text(json.dumps(results() | {section: content}, indent=1) + "\n", encoding="utf-8")
    for page in (README, GUIDE):
        page.write_text(filled(page.read_text(encoding="utf-8"), results()), encoding="utf-8")


if __name__ == "__main__":
    main()
