"""Fixtures for all tests."""

import os
from collections.abc import Iterator

import httpx
import pytest
from hypothesis import settings

from tests.serving import Server, serving

# A deadline would be a timed test, and machines are noisy.
# Where nothing may be skipped, the same commit is to be judged the same each time.
settings.register_profile("wurf", deadline=None, derandomize="WURF_SKIP_NOTHING" in os.environ)
# Another interpreter runs the same rules: what it may break shows in few examples.
settings.register_profile("another Python", deadline=None, derandomize=True, max_examples=20)
settings.load_profile(os.environ.get("WURF_HYPOTHESIS", "wurf"))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A service with default settings, shared by the tests that change nothing."""
    with serving() as running:
        yield running


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of that service that sends no headers of its own choosing."""
    with httpx.Client(base_url=server.url) as connected:
        yield connected
