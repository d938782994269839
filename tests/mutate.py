"""Mutation testing of the rules: every changed comparison, constant and operator must make a test fail.

Cosmic Ray makes the mutants; `tests/mutants.toml` says which of its operators count, which tests must notice,
and what no test can. Its own `exec` writes a mutant over its module and starts a new Python for it, which
takes seconds. Here each mutant gets a process forked from one that has all other packages imported, and
imports its module from memory.

    python -m tests.mutate [FILE_OR_FOLDER ...]
"""

import gc
import os
import re
import resource
import shlex
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import ndiff
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final, NamedTuple, NoReturn

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.ast.ast_query import ASTQuery
from cosmic_ray.modules import find_modules
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from hypothesis import Phase, settings

ROOT: Final = Path(__file__).parents[1]
SETUP: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8")
)
HEAVY: Final = ("fastapi", "httpx", "jsonschema", "openapi_spec_validator", "pathfinder2e_stats", "uvicorn")
"""What the tests import, the service itself aside."""
PYTEST: Final = (
    # Nothing but a yes or a no is wanted, and that soon.
    "-qx --tb=short --no-header --assert=plain --disable-plugin-autoload -p no:cacheprovider "
    "-p no:unraisableexception -p _hypothesis_pytestplugin --hypothesis-profile=mutate"
)
SURVIVED: Final = 0
"""The exit code of a mutant that no test noticed; otherwise it is which run of pytest did, from 1."""
MEMORY: Final = 8 * 2**30
"""Bytes of address space that a mutant may take."""
SPARE: Final = 10
"""Seconds of processor time that a mutant may take beyond five times what its tests take otherwise."""


class Mutant(NamedTuple):
    """One change of one module."""

    path: Path
    definition: str
    """The function or class around it, empty at the top of the module."""
    operator: str
    occurrence: int

    @property
    def source(self) -> str:
        """The module's source with the change."""
        mutated: str = mutate_code(text_of(self.path), get_operator(self.operator)(), self.occurrence)
        return mutated

    def __str__(self) -> str:
        """Show the place and the change, without line numbers, so that the name lasts."""
        lines = [
            (line[0], " ".join(line[1:].split()))
            for line in ndiff(text_of(self.path).splitlines(), self.source.splitlines())
        ]
        was, becomes = (" ".join(text for sign, text in lines if sign == wanted) for wanted in "-+")
        return " ".join(f"{self.path} {self.definition}: {was} → {becomes}".split())


class _Mutated(SourceFileLoader):
    """Loads a module from another source than that of its file."""

    source = ""

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.source, self.get_filename(fullname), "exec", dont_inherit=True)


class _Finder:
    """Finds one module in its mutated form."""

    def __init__(self, mutant: Mutant) -> None:
        parts = mutant.path.with_suffix("").parts
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.loader = _Mutated(self.name, str(ROOT / mutant.path))
        self.loader.source = mutant.source

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None:
            spec.loader = self.loader
        return spec


@cache
def text_of(path: Path) -> str:
    """Read a module once."""
    return path.read_text(encoding="utf-8")


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Make all changes of a module that count."""
    excluded = re.compile("|".join(SETUP["operators"]["exclude"]))
    for name in sorted(operator_names()):
        operator_class = get_operator(name)
        if excluded.search(name) or operator_class.arguments():
            continue
        operator = operator_class()
        places = (
            node for node in ast_nodes(get_ast(text_of(path))) for _ in operator.mutation_positions(node)
        )
        for occurrence, node in enumerate(places):
            yield Mutant(path, ASTQuery(node).get_definition_name() or "", name, occurrence)


def tests_of(path: Path) -> list[str]:
    """Choose the runs of pytest for a module: those of the longest path that holds it, and those for all."""
    table: dict[str, list[str]] = SETUP["tests"]
    nearest = next(str(one) for one in (path, *path.parents) if str(one) in table)
    return [*table[nearest], *table["always"]]


def start(tests: list[str], seconds: int, mutant: Mutant | None = None) -> int:
    """Start the tests in a process of their own, which imports the mutant, and return its id."""
    child = os.fork()
    if child == 0:
        _run(tests, seconds, mutant)
    return child


def _run(tests: list[str], seconds: int, mutant: Mutant | None) -> NoReturn:
    code = len(tests) + 1  # where even pytest breaks down, the mutant is noticed
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if mutant is not None:
            _silence()
            sys.meta_path.insert(0, _Finder(mutant))
        code = next(
            (
                place
                for place, run in enumerate(tests, 1)
                if pytest.main([*shlex.split(PYTEST), *shlex.split(run)]) != pytest.ExitCode.OK
            ),
            SURVIVED,
        )
    finally:
        os._exit(code)


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def time_limits(paths: Iterable[Path]) -> dict[Path, int]:
    """Run the tests without a mutant. Exits where they fail; returns the time for those with one."""
    limits: dict[Path, int] = {}
    known: dict[tuple[str, ...], int] = {}
    for path in paths:
        tests = tests_of(path)
        if tuple(tests) not in known:
            _, status, usage = os.wait4(start(tests, resource.RLIM_INFINITY), 0)
            if status:
                sys.exit(f"the tests of {path} fail without a mutant: {tests}")
            known[tuple(tests)] = SPARE + int(5 * (usage.ru_utime + usage.ru_stime))
        limits[path] = known[tuple(tests)]
    return limits


def results_of(mutants: Sequence[Mutant], limits: dict[Path, int]) -> Iterator[tuple[Mutant, int]]:
    """Run all mutants, one on each core, and yield their exit codes, negative for those out of time."""
    running: dict[int, Mutant] = {}
    for mutant in mutants:
        if len(running) == len(os.sched_getaffinity(0)):
            yield _ended(running)
        running[start(tests_of(mutant.path), limits[mutant.path], mutant)] = mutant
    while running:
        yield _ended(running)


def _ended(running: dict[int, Mutant]) -> tuple[Mutant, int]:
    child, status = os.wait()
    return running.pop(child), os.waitstatus_to_exitcode(status)


def main(chosen: Sequence[str]) -> int:
    """Run the mutants of all rules, or of those chosen, and report. Returns 1 where the list is not right."""
    for name in HEAVY:
        import_module(name)
    # One failure is enough, no need to look for the smallest; and the same examples every time.
    settings.register_profile(
        "mutate", deadline=None, database=None, derandomize=True, phases=(Phase.explicit, Phase.generate)
    )
    sys.dont_write_bytecode = False  # of all that is not mutated
    gc.freeze()
    gc.disable()
    paths = sorted(find_modules([Path(name) for name in chosen or ["app/rules"]]))
    limits = time_limits(paths)
    mutants = [mutant for path in paths for mutant in mutants_of(path)]
    print(f"{len(mutants)} mutants", flush=True)
    survivors: set[str] = set()
    ends: Counter[tuple[Path, str]] = Counter()
    equivalent = {one for group in SETUP["equivalent"] for one in group["mutants"]}
    for mutant, code in results_of(mutants, limits):
        runs = len(tests_of(mutant.path))
        ends[mutant.path, _end(code, runs)] += 1
        if code == SURVIVED:
            survivors.add(str(mutant))
            if str(mutant) not in equivalent:
                print("survived:", mutant, flush=True)
    killed = {one for one in equivalent - survivors if Path(one.split()[0]) in paths}
    for one in sorted(killed):
        print("listed as equivalent, but none or killed:", one)
    _print_table(paths, ends)
    return 1 if killed or survivors - equivalent else 0


ENDS: Final = ("by rules", "by document", "by time", "survived")


def _end(code: int, runs: int) -> str:
    if code == SURVIVED:
        return "survived"
    if code < 0:
        return "by time"
    return "by document" if code == runs else "by rules"


def _print_table(paths: Iterable[Path], ends: Counter[tuple[Path, str]]) -> None:
    print(f"\n{'module':40}", *(f"{end:>12}" for end in ENDS))
    for path in paths:
        print(f"{path!s:40}", *(f"{ends[path, end]:12}" for end in ENDS))
    print(f"{'all':40}", *(f"{sum(ends[path, end] for path in paths):12}" for end in ENDS))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
