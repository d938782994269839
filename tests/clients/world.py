"""A page that stands in for a Foundry VTT world with the module in it, shown by Debian's Chromium."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from tests.needs import program
from tests.serving import ROOT, Server

MODULE: Final = ROOT / "clients" / "foundry"
STAND_INS: Final = Path(__file__).parent / "foundry"
NOBODY: Final = "http://127.0.0.1:1"
"""Nobody listens here."""
KINDS: Final = {
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".css": "text/css",
    ".html": "text/html",
}
OPTIONS: Final = [
    "--headless",
    "--no-sandbox",  # root has none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
]


@contextmanager
def browsing() -> Iterator[Browser]:
    """Hold Chromium open."""
    executable = program("chromium")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=executable, args=OPTIONS) as browser,
    ):
        yield browser


class _Files(BaseHTTPRequestHandler):
    """Serves the page, the stand-ins and the module, where Foundry has its modules."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        inside = path.removeprefix("/modules/wurf/")
        file = MODULE / inside if inside != path else STAND_INS / path[1:]
        if not file.is_file():
            self.send_error(404)
            return
        content = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", KINDS[file.suffix])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing: a test speaks by failing."""


@contextmanager
def hosting() -> Iterator[str]:
    """Serve worlds; where they are."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Files) as host:
        Thread(target=host.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{host.server_port}"
        host.shutdown()


class World:
    """A world in a page, and what was seen of it."""

    def __init__(self, page: Page, host: str, server: Server) -> None:
        """Note what the page asks of anybody but its host."""
        self.page = page
        self._host = host
        self._server = server
        self.asked: list[Request] = []
        """What was asked of the service."""
        self.trouble: list[str] = []
        """What went wrong in the page, and what was asked of foreign hosts."""
        page.on("request", self._note)
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("console", self._listen)

    def start(
        self, generation: int = 13, lang: str = "en", mode: str | None = None, **settings: Any
    ) -> "World":
        """Start the world. Settings are `everyDie=True` of the module, or `core__diceConfiguration`."""
        saved = {
            name.replace("__", ".") if "__" in name else f"wurf.{name}": value
            for name, value in ({"address": self._server.url} | settings).items()
        }
        self.page.goto(f"{self._host}/world.html")
        self.run(
            "async (world) => (globalThis.stand_ins = await import('/stand_ins.mjs')).startWorld(world)",
            {"generation": generation, "lang": lang, "mode": mode, "settings": saved},
        )
        return self

    def run(self, script: str, argument: Any = None) -> Any:
        """Call a function in the page."""
        return self.page.evaluate(script, argument)

    @property
    def notifications(self) -> list[list[str]]:
        """What the module told the player."""
        told: list[list[str]] = self.run("() => stand_ins.seen.notifications")
        return told

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What stands in the chat."""
        written: list[dict[str, Any]] = self.run("() => stand_ins.seen.messages")
        return [message | {"rolls": list(map(json.loads, message["rolls"]))} for message in written]

    def _note(self, request: Request) -> None:
        if request.url.startswith(self._server.url):
            self.asked.append(request)
        elif not request.url.startswith((self._host, NOBODY, "data:")):
            self.trouble.append(f"asked {request.url}")

    def _listen(self, line: ConsoleMessage) -> None:
        # Chromium itself notes every refusal as an error.
        if line.type == "error" and not line.text.startswith("Failed to load resource"):
            self.trouble.append(line.text)
