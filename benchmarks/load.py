"""The load: wrk on a core of its own."""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from signal import SIGINT
from tempfile import NamedTemporaryFile
from typing import Final, NamedTuple

from benchmarks.rolls import Request

CONNECTIONS: Final = 32
SCRIPT: Final = Path(__file__).with_name("load.lua")
HEAD_START_SECONDS: Final = 0.5
"""For load in the background to begin."""
ENDLESS_SECONDS: Final = 3600
PATIENCE_SECONDS: Final = 30
"""How long an answer may take."""


class Figure(NamedTuple):
    """What one turn showed; times in microseconds."""

    requests: int
    microseconds: int
    p50: int
    p99: int
    refused: int
    """How many answers had a status of 400 or more."""
    broken: int
    """How many requests got no answer."""


class Load(NamedTuple):
    """What is asked of whom."""

    name: str
    url: str
    requests: Sequence[Request]
    cores: Sequence[int]
    """Where wrk runs."""
    connections: int = CONNECTIONS

    def ask(self, seconds: int) -> Figure:
        """Ask without pause over all connections for so long.

        Raises `RuntimeError` where a request gets no answer.
        """
        self._wait_until_idle()
        with self._asking(seconds, self.connections) as wrk:
            return _figure(wrk)

    @contextmanager
    def asked_beside(self) -> Iterator[None]:
        """Ask without pause over one connection while the block runs."""
        with self._asking(ENDLESS_SECONDS, 1) as wrk:
            time.sleep(HEAD_START_SECONDS)
            yield
            wrk.send_signal(SIGINT)
            print(f"beside it: {self.name}, {_figure(wrk).requests} answered")

    def _wait_until_idle(self) -> None:
        """Let the server finish what the turn before has left it: it answers in the order of asking."""
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=PATIENCE_SECONDS)
        connection.request("GET", "/livez")
        connection.getresponse().read()
        connection.close()

    @contextmanager
    def _asking(self, seconds: int, connections: int) -> Iterator[subprocess.Popen[str]]:
        with NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.writelines(f"{one.method} {one.path} {one.body}\n" for one in self.requests)
            file.flush()
            how = [f"--connections={connections}", f"--duration={seconds}s", f"--timeout={PATIENCE_SECONDS}s"]
            wrk_command = ["wrk", "--threads=1", "--latency", *how, f"--script={SCRIPT}", self.url]
            command = [*pinned(self.cores), *wrk_command, "--", file.name]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as wrk:
                try:
                    yield wrk
                finally:
                    wrk.kill()


def pinned(cores: Sequence[int]) -> list[str]:
    """Say on which cores a command is to run."""
    return ["taskset", "--cpu-list", ",".join(map(str, cores))]


def _figure(wrk: subprocess.Popen[str]) -> Figure:
    """Read what wrk prints at its end."""
    printed, _ = wrk.communicate()
    figure = Figure(**json.loads(printed.splitlines()[-1]))
    if figure.broken:
        message = f"{figure.broken} requests got no answer:\n{printed}"
        raise RuntimeError(message)
    return figure
