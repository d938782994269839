"""What the service answers over HTTP, beside a bare application, an ordinary one, and other dice rollers.

The servers have one core, wrk another; contenders take turns in each round.
"""

import os
import shutil
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from http import HTTPStatus
from typing import Final
from urllib.error import HTTPError

from app.settings import Settings
from benchmarks import rolls, servers
from benchmarks.figures import BATCHES_BESIDE
from benchmarks.load import CONNECTIONS, Figure, Load
from benchmarks.options import Options
from benchmarks.rolls import Request
from benchmarks.servers import Server

NEEDED: Final = ("wrk", "taskset")
POOLS: Final = (1, 5, 10, 20, 50, 100)
MODIFIERS: Final = (0, 1, 5, 10, 20, 50)
BATCHES: Final = (1, 10, 100, 1000)
NOTATION: Final = rolls.post("/roll", {"notation": "1d20-3"})
POOL_NOTATION: Final = rolls.post("/roll", {"notation": "8d10>=6f=1"})
"""Eight dice of which 6 and more succeed and ones take away."""

Figures = dict[str, list[dict[str, int]]]
"""Each contender's turns."""


def measure(options: Options) -> dict[str, Figures] | None:
    """Measure everything that goes over HTTP; None, with a word, where that cannot be done."""
    if missing := without(NEEDED):
        print(f"SKIPPED: http needs {missing}")
        return None
    with ExitStack() as stack:
        server = stack.enter_context(servers.wurf(server_core()))
        return {
            "peers": _take_turns(list(_peers(server, stack)), options),
            "growth": _take_turns(list(_growth(server)), options),
            "batch": _take_turns(list(_batches(server)), options),
            "beside": _beside_dear_work(server, options),
            "workers": _take_turns(list(_workers(stack)), options),
        }


def without(needed: Sequence[str]) -> str:
    """Name what is missing on this machine of what is needed, a second core included."""
    missing = [command for command in needed if shutil.which(command) is None]
    if len(os.sched_getaffinity(0)) < len(("server", "load")):
        missing.append("two cores")
    return ", ".join(missing)


def server_core() -> list[int]:
    """Name the core that servers have for themselves."""
    return sorted(os.sched_getaffinity(0))[:1]


def load_core() -> list[int]:
    """Name the core that wrk has for itself."""
    return sorted(os.sched_getaffinity(0))[1:2]


def _load(name: str, server: Server, *requests: Request) -> Load:
    return Load(name, server.url, requests, load_core())


def _peers(wurf: Server, stack: ExitStack) -> Iterator[Load]:
    core = server_core()
    for name, request in {"zrps": rolls.ZRPS, "v20": rolls.V20}.items():
        size = str(len(_answer(wurf, request)))
        bare = stack.enter_context(servers.asgi("benchmarks.peers:bare", core, BARE_BYTES=size))
        yield _load(f"bare, {name}", bare, request)
        yield _load(f"wurf, {name}", wurf, request)
    ordinary = stack.enter_context(servers.asgi("benchmarks.peers:ordinary", core))
    yield _load("fastapi", ordinary, rolls.ZRPS)
    yield _load("d20", stack.enter_context(servers.asgi("benchmarks.d20_peer:app", core)), NOTATION)
    if missing := without(("node", "npm")):
        print(f"SKIPPED: the express peer needs {missing}")
        return
    express = stack.enter_context(servers.express(core))
    yield _load("express", express, NOTATION)
    yield _load("express, pool", express, POOL_NOTATION)


def _growth(wurf: Server) -> Iterator[Load]:
    for dice in POOLS:
        yield _load(f"pool {dice}", wurf, rolls.with_pool(dice))
    for count in MODIFIERS:
        yield _load(f"modifiers {count}", wurf, rolls.with_modifiers(count))


def _batches(wurf: Server) -> Iterator[Load]:
    try:
        _answer(wurf, rolls.batch(1))
    except HTTPError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        print("SKIPPED: the service has no /v1/batch yet")
        return
    for items in BATCHES:
        if items == BATCHES[-1]:
            # Beside the largest, against which it is held.
            yield _load("single", wurf, rolls.ZRPS)
        # Large batches make way for each other: over many connections all of them end late and at once.
        load = _load(f"batch {items}", wurf, rolls.batch(items))
        yield load._replace(connections=min(CONNECTIONS, max(2, CONNECTIONS // items)))


def _workers(stack: ExitStack) -> Iterator[Load]:
    """Share both cores between the workers and wrk."""
    if "workers" not in Settings.model_fields:
        print("SKIPPED: the service has no WURF_WORKERS yet")
        return
    cores = [*server_core(), *load_core()]
    for workers in ("1", "2"):
        server = stack.enter_context(servers.wurf(cores, WURF_WORKERS=workers))
        yield Load(f"workers {workers}", server.url, [rolls.ZRPS], cores)


def _take_turns(loads: Sequence[Load], options: Options) -> Figures:
    for load in loads:
        load.ask(1)  # a turn to warm up, which does not count
    figures: Figures = {load.name: [] for load in loads}
    for _ in range(options.rounds):
        for load in loads:
            figures[load.name].append(_accepted(load, load.ask(options.seconds)))
    return figures


def _beside_dear_work(wurf: Server, options: Options) -> Figures:
    """Ask for rolls alone, and while one connection asks for the dearest work without pause."""
    load = _load("rolls", wurf, rolls.ZRPS)
    beside: dict[str, Load | None] = {
        "alone": None,
        "dear pools": _load("odds of dear pools", wurf, *rolls.dear_pools()),
        "dear extended rolls": _load("odds of dear extended rolls", wurf, *rolls.dear_extended_rolls()),
        BATCHES_BESIDE: _load("batches", wurf, rolls.batch(BATCHES[-1])),
    }
    figures: Figures = {name: [] for name in beside}
    for _ in range(options.rounds):
        for name, work in beside.items():
            with work.asked_beside() if work else nullcontext():
                figures[name].append(_accepted(load, load.ask(options.seconds)))
    return figures


def _accepted(load: Load, figure: Figure) -> dict[str, int]:
    """Take a turn into the figures. Raises `RuntimeError` where anything but an answer was measured."""
    if figure.refused:
        message = f"{load.name}: {figure.refused} requests were refused"
        raise RuntimeError(message)
    print(f"http: {load.name}, {round(figure.requests / figure.microseconds * 1e6)} a second")
    return figure._asdict()


def _answer(server: Server, request: Request) -> bytes:
    asked = urllib.request.Request(server.url + request.path, request.body.encode(), method=request.method)
    with urllib.request.urlopen(asked) as response:
        body: bytes = response.read()
        return body
