"""The page in Debian's Chromium, watched: what it asks of whom, and what it complains about."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    ViewportSize,
    sync_playwright,
)

from tests.needs import program

OPTIONS: Final = [
    "--headless",
    "--no-sandbox",  # root has none
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK: Final[ViewportSize] = {"width": 1280, "height": 900}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
REFUSED: Final = "the server responded with a status of"
"""What Chromium itself writes into the console where a request was refused."""


@dataclass
class Watched:
    """A page, and what was seen of it."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    """Everything in the console that is no mere remark, and every error that nobody caught."""
    asked: list[str] = field(default_factory=list)
    """Every address that it asked for."""

    def open(self, fragment: str = "") -> Page:
        """Go to the page and wait until its form stands and its chances, if any, are drawn."""
        self.page.goto(f"{self.url}/{fragment}")
        settled(self.page)
        return self.page

    def hear(self, line: ConsoleMessage) -> None:
        """Note what is said in the console, if it is a complaint."""
        if line.type in {"error", "warning"}:
            self.complaints.append(line.text)

    def fail(self, error: Error) -> None:
        """Note an error that nobody caught."""
        self.complaints.append(error.message)

    def follow(self, request: Request) -> None:
        """Note what is asked for."""
        self.asked.append(request.url)

    def complained(self) -> list[str]:
        """List the complaints but those about requests that a test had refused."""
        return [text for text in self.complaints if REFUSED not in text]


@contextmanager
def browsing() -> Iterator[Browser]:
    """Hold Chromium open."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program("chromium"), args=OPTIONS)
        yield browser
        browser.close()


def context(browser: Browser, **options: Any) -> BrowserContext:
    """Make what pages share: a cache, what is kept on the device, and `options` such as `locale`."""
    made = browser.new_context(**{"locale": "en", "viewport": DESK} | options)
    made.set_default_timeout(30_000)
    return made


@contextmanager
def watching(shared: BrowserContext, url: str) -> Iterator[Watched]:
    """Hold a page open, check that it asked and said nothing amiss, and leave nothing of it on the device."""
    page = shared.new_page()
    watched = Watched(page, url)
    page.on("console", watched.hear)
    page.on("pageerror", watched.fail)
    page.on("request", watched.follow)
    yield watched
    assert watched.complained() == []
    foreign = [one for one in watched.asked if urlsplit(one).scheme != "data" and not is_at(one, url)]
    assert foreign == []
    page.evaluate("localStorage.clear()")
    page.close()


def is_at(address: str, url: str) -> bool:
    """Say whether an address is on this service."""
    return urlsplit(address).netloc == urlsplit(url).netloc


def settled(page: Page) -> None:
    """Wait until the form stands and, where there are chances, they are those of what it holds."""
    page.wait_for_selector(".situation")
    if page.query_selector(".chances"):
        page.wait_for_selector("[data-headline]")


def roll(page: Page) -> None:
    """Press the button and wait until the slip is printed and worked out again."""
    page.click(".roll")
    page.wait_for_selector(".paper .proof li:not([data-state=waiting])")
