"""Asking JavaScript from Python: in Node, and in a page that Debian's Chromium shows."""

import fcntl
import json
import os
import queue
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread, Timer
from typing import Any, Final

from tests.needs import lacking, program
from tests.serving import ROOT

HERE: Final = Path(__file__).parent
VERIFY: Final = ROOT / "app" / "web" / "verify.mjs"
SECONDS: Final = 120
"""How long an answer may take before something must have broken."""
NODE_NEEDED: Final = 20

Ask = Callable[[str, Sequence[Sequence[Any]]], list[Any]]
"""Calls a function with each list of arguments; what a call throws is answered as `{"thrown": name}`."""


def node() -> str:
    """Find a Node that is new enough."""
    found = program("node")
    version = subprocess.run([found, "--version"], check=True, capture_output=True, text=True).stdout
    if int(version.lstrip("v").split(".")[0]) < NODE_NEEDED:
        lacking(f"node {NODE_NEEDED} or newer")
    return found


@contextmanager
def in_node(module: Path = VERIFY) -> Iterator[Ask]:
    """Hold a Node process open that answers for a module."""
    with subprocess.Popen(
        [node(), HERE / "in_node.mjs", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answered = process.stdin, process.stdout

        def ask(function: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
            limit = Timer(SECONDS, process.kill)
            limit.start()
            asked.write(json.dumps([function, calls]) + "\n")
            asked.flush()
            answers: list[Any] = json.loads(answered.readline())
            limit.cancel()
            return answers

        yield ask


class _Page(BaseHTTPRequestHandler):
    """Serves a page, the modules that it imports, and one question after the other."""

    server: "_PageServer"

    def do_GET(self) -> None:
        if self.path == "/":
            self._send("text/html", b'<script type="module" src="/tests/web/in_browser.mjs"></script>')
        elif self.path == "/question":
            question = self.server.questions.get()
            if question is not None:
                self._send("application/json", question)
        elif self.path in {"/app/web/verify.mjs", "/tests/web/in_browser.mjs", "/tests/web/asking.mjs"}:
            self._send("text/javascript", (ROOT / self.path[1:]).read_bytes())
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        self.server.answers.put(self.rfile.read(int(self.headers["Content-Length"])))
        self._send("text/plain", b"")

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing: a test speaks by failing."""


class _PageServer(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Page)
        self.questions: queue.Queue[bytes | None] = queue.Queue()
        self.answers: queue.Queue[bytes] = queue.Queue()


@contextmanager
def in_chromium() -> Iterator[Ask]:
    """Hold a page open in Chromium that answers for verify.mjs."""
    browser = program("chromium")
    with _PageServer() as server, TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Thread(target=server.serve_forever, daemon=True).start()

        def ask(function: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
            server.questions.put(json.dumps([function, calls]).encode())
            answers: list[Any] = json.loads(server.answers.get(timeout=SECONDS))
            return answers

        with _showing(browser, f"http://127.0.0.1:{server.server_port}/", profile):
            yield ask
        server.questions.put(None)  # nobody waits for the last question any more
        server.shutdown()


@contextmanager
def _showing(browser: str, url: str, profile: str) -> Iterator[None]:
    """Show a page without a screen and without any other host until the block ends."""
    options = [
        "--headless",
        "--no-sandbox",  # root has none
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-proxy-server",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={profile}",
    ]
    with subprocess.Popen(
        [browser, *options, url], stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def install_packages() -> None:
    """Install what package-lock.json names, once; processes that want it at the same time take turns."""
    npm, lock, installed = program("npm"), HERE / "package-lock.json", HERE / "node_modules" / ".installed"
    with lock.open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if installed.exists() and installed.read_bytes() == lock.read_bytes():
            return
        ran = subprocess.run(
            [npm, "ci", "--ignore-scripts"], cwd=HERE, check=False, capture_output=True, text=True
        )
        if ran.returncode:
            lacking(f"packages that npm could not install: {ran.stderr}")
        shutil.copyfile(lock, installed)
