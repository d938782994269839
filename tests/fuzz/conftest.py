"""The service that is fuzzed."""

from collections.abc import Iterator

import pytest

from app.http.receipts import new_key
from tests.serving import Server, serving

SECRET = "s" * 40


@pytest.fixture(scope="module")
def complete() -> Iterator[Server]:
    """A service with nonces and receipts, for one module alone, so that nobody else takes up its time."""
    with serving(WURF_SIGNING_KEY=new_key(), WURF_NONCE_SECRET=SECRET) as running:
        yield running
        assert '"level":"error"' not in running.written(), running.written()
