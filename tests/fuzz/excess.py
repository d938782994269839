"""Requests that have far too much of something, for each field of each form."""

from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel

from app.http.batch import BATCH_BYTES, Batch
from app.http.call import REQUEST_BYTES
from app.routers.receipts import RECEIPT_BYTES, ReceiptToVerify
from app.rules.fields import parts_of
from app.rules.registry import RULESETS
from tests.fuzz.made import Sent

FORMS: Final[dict[str, tuple[type[BaseModel], int]]] = {
    **{
        f"/v1/{ruleset.id}/{action.name}": (action.request, REQUEST_BYTES)
        for ruleset in RULESETS
        for action in ruleset.actions
    },
    "/v1/batch": (Batch, BATCH_BYTES // 4),  # enough to tell, and done sooner
    "/v1/receipts/verify": (ReceiptToVerify, RECEIPT_BYTES),
}
"""By path, what is read there, and how long it may be."""
SPARE: Final = 100
"""Bytes for what stands around it."""
LONG_INTEGER: Final = b"7" * 5000
"""No parser takes so many digits at once, so whatever comes with it is read a second time."""
BARELY_SHORT: Final = b"7" * 999


def excess(path: str) -> Iterator[Sent]:
    """Make bodies of nearly the greatest length for a path."""
    form, size = FORMS[path]
    for name in form.model_fields:
        for value in (b"5", b"[]", b'{"":1}', b'"x"', *_hollow(form, name)):
            yield Sent(path, b'{"%s":[%s]}' % (name.encode(), _often(value, size)))
    names = b",".join(b'"%d":1' % number for number in range(size // 10))
    for body in (
        b"{%s}" % names,
        b'{"value":"%s"}' % _often(b"\\u00e4", size, b""),
        b'{"value":%s}' % (b"7" * (size - SPARE)),
        b"[%s]" % _often(b"1e9", size),
        b"[%s]" % _often(BARELY_SHORT, size),
        b'[%s,"%s"]' % (LONG_INTEGER, _often(b'\\"', size - len(LONG_INTEGER), b"")),
        b'[%s,"%s' % (LONG_INTEGER, _often(b'\\"', size - len(LONG_INTEGER), b"")),
        b"[%s,%s]" % (LONG_INTEGER, _often(BARELY_SHORT, size - len(LONG_INTEGER))),
    ):
        yield Sent(path, body)


def _hollow(form: type[BaseModel], name: str) -> Iterator[bytes]:
    """Make entries of a list in which each field in turn is an empty list."""
    for part in parts_of(form.model_fields[name].annotation):
        for inner in part.model_fields:
            yield b'{"%s":[]}' % inner.encode()


def _often(value: bytes, size: int, between: bytes = b",") -> bytes:
    return between.join([value] * ((size - SPARE) // len(value + between)))
