"""Mutation testing of the rules: every changed comparison, constant and operator must make a test fail.

Cosmic Ray makes the mutants; `tests/mutants.toml` says which of its operators count, which tests must notice,
and what no test can. Its own `exec` writes a mutant over its module and starts a new Python for it, which
takes seconds. Here each mutant gets a process forked from one that has imported all that does not depend on
its module, and imports the module from memory.

    python -m tests.mutate [FILE_OR_FOLDER ...]
"""

import gc
import os
import re
import resource
import shlex
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
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
from cosmic_ray.mutating import MutationVisitor, mutate_code
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
    "-qx --tb=native --no-header --assert=plain --disable-plugin-autoload -p no:cacheprovider "
    "-p no:unraisableexception -p _hypothesis_pytestplugin --hypothesis-profile=mutate"
)
SURVIVED: Final = 0
KILLED: Final = 1
"""Exit codes of a mutant's process: no test noticed it, or one did."""
MEMORY: Final = 8 * 2**30
"""Bytes of address space that a mutant may take."""
SPARE: Final = 5
"""Seconds of processor time that a run of pytest may take beyond three times what it takes otherwise."""
LONG: Final = 3600
"""Seconds that no run takes."""


class Mutant(NamedTuple):
    """One change of one module."""

    path: Path
    definition: str
    """The function or class around it, empty at the top of the module."""
    operator: str
    occurrence: int

    @property
    def in_class(self) -> bool:
        """Whether it is in the body of a class, outside its methods."""
        return self.definition.lstrip("_")[:1].isupper()

    def __str__(self) -> str:
        """Show the place and the change, without line numbers, so that the name lasts."""
        changed = mutate_code(text_of(self.path), get_operator(self.operator)(), self.occurrence)
        lines = [
            (line[0], " ".join(line[1:].split()))
            for line in ndiff(text_of(self.path).splitlines(), changed.splitlines())
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
        visitor = MutationVisitor(mutant.occurrence, get_operator(mutant.operator)())
        self.name = name_of(mutant.path)
        self.loader = _Mutated(self.name, str(ROOT / mutant.path))
        self.loader.source = visitor.walk(tree_of(mutant.path)).get_code()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None:
            spec.loader = self.loader
        return spec


class _Absent:
    """Finds that one module does not exist."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> None:
        if name == self.name:
            raise ImportError(name)


def name_of(path: Path) -> str:
    """Name a module by its file."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def text_of(path: Path) -> str:
    """Read a module once."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> Any:
    """Parse a module once. Only a forked process may change the tree."""
    return get_ast(text_of(path))


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Make all changes of a module that count."""
    excluded = re.compile("|".join(SETUP["operators"]["exclude"]))
    for name in sorted(operator_names()):
        operator_class = get_operator(name)
        if excluded.search(name) or operator_class.arguments():
            continue
        operator = operator_class()
        places = (node for node in ast_nodes(tree_of(path)) for _ in operator.mutation_positions(node))
        for occurrence, node in enumerate(places):
            yield Mutant(path, ASTQuery(node).get_definition_name() or "", name, occurrence)


def runs_of(mutant: Mutant) -> list[str]:
    """Choose the runs of pytest: those of the longest path that holds the module, and those for all.

    What stands in the body of a class is mostly a description, which the OpenAPI document shows first.
    """
    table: dict[str, list[str]] = SETUP["tests"]
    nearest = next(str(one) for one in (mutant.path, *mutant.path.parents) if str(one) in table)
    runs = [*table[nearest], *table["always"]]
    return sorted(runs, key=table["describe"].__contains__, reverse=mutant.in_class)


def start(runs: Mapping[str, int], mutant: Mutant | None = None) -> int:
    """Start runs of pytest, each with its time, in a process that imports the mutant, and return its id."""
    child = os.fork()
    if child == 0:
        _run(runs, mutant)
    return child


def _run(runs: Mapping[str, int], mutant: Mutant | None) -> NoReturn:
    code = KILLED  # also where even pytest breaks down
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _silence()
        if mutant is not None:
            sys.meta_path.insert(0, _Finder(mutant))
        if all(_passes(run, seconds) for run, seconds in runs.items()):
            code = SURVIVED
    finally:
        os._exit(code)


def _passes(run: str, seconds: int) -> bool:
    """Run pytest; where it takes too long, the system ends the process."""
    limit = int(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    return pytest.main([*shlex.split(PYTEST), *shlex.split(run)]) == pytest.ExitCode.OK


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def import_all_but(path: Path) -> None:
    """Import anew what does not depend on a module."""
    for name in [one for one in sys.modules if one.partition(".")[0] == "app"]:
        del sys.modules[name]
    absent = _Absent(name_of(path))
    sys.meta_path.insert(0, absent)
    for folder in ("app/rules", "app/http"):
        for other in find_modules([Path(folder)]):
            with suppress(ImportError):
                import_module(name_of(other))
    sys.meta_path.remove(absent)
    gc.freeze()


def times_of(runs: Iterable[str]) -> dict[str, int]:
    """Run pytest without a mutant. Exits where a test fails; returns the seconds for each run with one."""
    times: dict[str, int] = {}
    for run in runs:
        _, status, usage = os.wait4(start({run: LONG}), 0)
        if status:
            sys.exit(f"without a mutant a test fails in {run}")
        times[run] = SPARE + int(3 * (usage.ru_utime + usage.ru_stime))
    return times


def results_of(mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, int]]:
    """Run the mutants of a module, one on each core, and yield their exit codes, negative if out of time."""
    times = times_of(runs_of(mutants[0]))
    running: dict[int, Mutant] = {}
    for mutant in mutants:
        if len(running) == len(os.sched_getaffinity(0)):
            yield _ended(running)
        running[start({run: times[run] for run in runs_of(mutant)}, mutant)] = mutant
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
    gc.disable()
    equivalent = {one for group in SETUP["equivalent"] for one in group["mutants"]}
    ends: Counter[str] = Counter()
    right = True
    print(ROW.format("module", *ENDS))
    for path in sorted(find_modules([Path(name) for name in chosen or ["app/rules"]])):
        listed = {one for one in equivalent if one.startswith(f"{path} ")}
        survivors, ends_here = tried(path)
        ends += ends_here
        print(ROW.format(str(path), *(ends_here[end] for end in ENDS)), flush=True)
        for one in sorted(survivors - listed):
            print("    survived:", one, flush=True)
        for one in sorted(listed - survivors):
            print("    listed, but did not survive:", one, flush=True)
        right &= survivors == listed
    print(ROW.format(f"{ends.total()} mutants", *(ends[end] for end in ENDS)))
    return 0 if right else 1


ENDS: Final = ("killed", "out of time", "survived")
ROW: Final = "{:38}" + "{:>12}" * len(ENDS)


def tried(path: Path) -> tuple[set[str], Counter[str]]:
    """Run all mutants of a module; return those that survive, and how many ended how."""
    mutants = list(mutants_of(path))
    survivors: set[str] = set()
    ends: Counter[str] = Counter()
    if mutants:
        import_all_but(path)
        for mutant, code in results_of(mutants):
            ends[{SURVIVED: "survived", KILLED: "killed"}.get(code, "out of time")] += 1
            if code == SURVIVED:
                survivors.add(str(mutant))
            if "MUTATE_SHOW" in os.environ and code != KILLED:
                print(code, mutant, flush=True)
    return survivors, ends


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
