"""Fixtures for the clients."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.clients.world import World, browsing, hosting
from tests.serving import Server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of one file."""
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """Where the files of worlds are served."""
    with hosting() as address:
        yield address


@pytest.fixture
def world(browser: Browser, host: str, server: Server) -> Iterator[World]:
    """A world that has not been started; in the end nothing may have gone wrong in it."""
    page = browser.new_page()
    page.set_default_timeout(10_000)
    entered = World(page, host, server)
    yield entered
    page.close()
    assert entered.trouble == []
