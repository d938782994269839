"""Servers in processes of their own, each on the cores it is given."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from app.serving import BACKLOG, KEEP_ALIVE_SECONDS
from benchmarks.load import pinned
from benchmarks.machine import ROOT

START_SECONDS: Final = 30
EXPRESS: Final = Path(__file__).with_name("express")
LIKE_WURF: Final = (
    f"--backlog={BACKLOG}",
    f"--timeout-keep-alive={KEEP_ALIVE_SECONDS}",
    "--no-access-log",
    "--no-server-header",
    "--no-date-header",
    "--no-proxy-headers",
    "--ws=none",
    "--log-level=warning",
)
"""The others get the settings of uvicorn that Wurf chose for itself."""


class Server(NamedTuple):
    """A server that runs."""

    url: str
    pid: int


@contextmanager
def wurf(cores: Sequence[int], **settings: str) -> Iterator[Server]:
    """Run the service as it is shipped."""
    port = _free_port()
    with _running([sys.executable, "-m", "app", "serve"], port, cores, settings) as server:
        yield server


@contextmanager
def asgi(app: str, cores: Sequence[int], **settings: str) -> Iterator[Server]:
    """Run another ASGI application under uvicorn."""
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", app, f"--port={port}", *LIKE_WURF]
    with _running(command, port, cores, settings) as server:
        yield server


@contextmanager
def express(cores: Sequence[int]) -> Iterator[Server]:
    """Run the peer on Node, whose packages are installed the first time."""
    if not (EXPRESS / "node_modules").exists():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=EXPRESS, check=True)
    with _running(["node", "server.js"], _free_port(), cores, {"NODE_ENV": "production"}, EXPRESS) as server:
        yield server


@contextmanager
def _running(
    command: Sequence[str], port: int, cores: Sequence[int], settings: dict[str, str], folder: Path = ROOT
) -> Iterator[Server]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WURF_")}
    environment |= {"WURF_PORT": str(port), "PORT": str(port)} | settings
    with subprocess.Popen([*pinned(cores), *command], cwd=folder, env=environment) as process:
        try:
            _wait_until_open(port, process)
            # taskset has become the server: the number is still the same.
            yield Server(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _wait_until_open(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    message = f"did not start: {process.args!r}"
    raise RuntimeError(message)
