"""Fixtures for what is asked of JavaScript."""

from collections.abc import Iterator

import pytest

from tests.web.javascript import HERE, Ask, in_chromium, in_node, install_packages

RUNTIMES = {"node": in_node, "chromium": in_chromium}


@pytest.fixture(scope="session", params=RUNTIMES)
def ask(request: pytest.FixtureRequest) -> Iterator[Ask]:
    """What answers for verify.mjs: Node, then Chromium."""
    with RUNTIMES[request.param]() as asking:
        yield asking


@pytest.fixture(scope="session")
def ask_jose() -> Iterator[Ask]:
    """What answers for jose, a JOSE library for JavaScript that has nothing in common with ours."""
    install_packages()
    with in_node(HERE / "with_jose.mjs") as asking:
        yield asking
