"""Starting the real service for a test, on loopback, and stopping it again."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

ROOT = Path(__file__).parents[1]
START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A service that runs in a process of its own."""

    url: str
    port: int
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    """What it wrote, in a file: a pipe that nobody reads would fill and stop it."""

    def written(self) -> str:
        """Read all that the service has written so far, without moving the place where it writes on."""
        file = self.output.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode()


def free_port() -> int:
    """Find a port on loopback that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def serving(*, within: Sequence[str] = (), **environment: str) -> Iterator[Server]:
    """Run `python -m app serve` with settings in its environment until the block ends.

    `within` is a command that runs another one, such as a sandbox.
    """
    port = int(environment.get("WURF_PORT") or free_port())
    settings = {name: value for name, value in os.environ.items() if not name.startswith("WURF_")}
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            [*within, sys.executable, "-m", "app", "serve"],
            cwd=ROOT,
            env=settings | {"WURF_PORT": str(port), "WURF_DRAIN_SECONDS": "0"} | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        server = Server(f"http://127.0.0.1:{port}", port, process, output)
        try:
            _wait_until_ready(server)
            yield server
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Wait until something holds; fail if it takes too long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited for {what}"
        time.sleep(0.02)


def _wait_until_ready(server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            break
        try:
            if httpx.get(server.url + "/readyz").status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    message = f"the service did not start: {server.written()}"
    raise RuntimeError(message)
