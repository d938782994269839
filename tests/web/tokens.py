"""Receipts as nobody should accept them."""

import base64
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc.jwk import OKPKey

from tests.web.rolls import KEY, OTHER_KEY, chance, header_of, public

BASE64URL: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FOREIGN: Final = ".=+/ \n\0é"
"""Characters that stand nowhere in base64url."""
HEADER: Final = header_of(KEY)
KEY_SET: Final = {"keys": [public(OTHER_KEY), public(KEY)]}
MAX_TOKEN: Final = 256 * 1024

LARGE: Final[list[dict[str, Any]]] = [
    {"text": '\\"' * 40_000},
    {"text": '":' * 40_000},
    {"text": "x" * 150_000},
    {"keys": {f"k{number}:": number for number in range(10_000)}},
    {"numbers": [1] * 80_000},
    {"lists": [[], {}, [{}]] * 10_000},
]
"""Payloads that would trip a reader whose work grows faster than they do."""


def encode(data: bytes) -> str:
    """Write base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sealed(header: bytes, payload: bytes, key: OKPKey = KEY) -> str:
    """Sign any header and payload rightly, also what no library would sign."""
    private = key.private_key
    assert isinstance(private, Ed25519PrivateKey)
    signing_input = f"{encode(header)}.{encode(payload)}"
    return f"{signing_input}.{encode(private.sign(signing_input.encode()))}"


def forged(payload: dict[str, Any], change: dict[str, Any]) -> str:
    """Sign a payload rightly under a changed header."""
    return sealed(json.dumps({**HEADER, **change}).encode(), json.dumps(payload).encode())


def altered(token: str) -> list[str]:
    """Alter a token at every position: other letters, its neighbor, what is no letter, one less, one more."""
    return list(dict.fromkeys(other for place in range(len(token)) for other in _altered_at(token, place)))


def _altered_at(token: str, place: int) -> Iterator[str]:
    source, was = chance(place), token[place]
    letters = {source.choice(BASE64URL), source.choice(BASE64URL), source.choice(FOREIGN), was.swapcase()}
    if was in BASE64URL:
        letters.add(BASE64URL[BASE64URL.index(was) ^ 1])  # the last bit, which may be unused
    for letter in sorted(letters - {was}):
        yield token[:place] + letter + token[place + 1 :]
    yield token[:place] + token[place + 1 :]
    yield token[:place] + source.choice(BASE64URL) + token[place:]


def with_unused_bits(token: str) -> Iterator[str]:
    """Alter the unused bits at the end of a token's parts, so that its bytes stay the same."""
    parts = token.split(".")
    for number, part in enumerate(parts):
        unused = {0: 0, 2: 4, 3: 2}[len(part) % 4]
        for bits in range(1, 2**unused):
            last = BASE64URL[BASE64URL.index(part[-1]) | bits]
            yield ".".join([*parts[:number], part[:-1] + last, *parts[number + 1 :]])


def of_length(length: int) -> str:
    """Sign a token of just this length."""
    header = json.dumps(HEADER).encode()
    room = (length - len(sealed(header, b""))) * 3 // 4
    token = sealed(header, json.dumps({"iss": "w" * (room - len('{"iss": ""}'))}).encode())
    assert len(token) == length
    return token


def malformed(payload: dict[str, Any]) -> list[Any]:
    """Make what is no receipt, signed rightly wherever it can be signed."""
    header, body = json.dumps(HEADER).encode(), json.dumps(payload).encode()
    token = sealed(header, body)
    parts = token.split(".")
    values: dict[str, Any] = {
        "nothing": None,
        "a number": 3,
        "an object": {"receipt": token},
        "no text": "",
        "dots": "..",
        "two parts": f"{parts[0]}.{parts[1]}",
        "four parts": f"{token}.{parts[2]}",
        "a dot more": f"{token}.",
        "no payload": f"{parts[0]}..{parts[2]}",
        "padding": f"{token}==",
        "a space before": f" {token}",
        "a line's end": f"{token}\n",
        "a line's end within": f"{parts[0]}.\n{parts[1]}.{parts[2]}",
        "the other alphabet": sealed(header, b'{"iss":"???>>>~~~"}').replace("_", "/").replace("-", "+"),
        "a part of impossible length": f"{token}AAA",
        "the JSON form": json.dumps({"protected": parts[0], "payload": parts[1], "signature": parts[2]}),
        "one character too long": of_length(MAX_TOKEN + 4),
        "far too long": token + "A" * 2_000_000,
        "a header that is no JSON": sealed(b"Ed25519", body),
        "a header that is a list": sealed(b"[]", body),
        "a header that is null": sealed(b"null", body),
        "a header with a key twice": sealed(header[:-1] + b',"alg":"Ed25519"}', body),
        "a header with a key twice, once escaped": sealed(header[:-1] + rb',"\u0061lg":"none"}', body),
        "a payload that is no JSON": sealed(header, b"roll"),
        "a payload that is a list": sealed(header, b"[" + body + b"]"),
        "a payload that is a text": sealed(header, b'"roll"'),
        "a payload that is null": sealed(header, b"null"),
        "a payload with NaN": sealed(header, b'{"iat":NaN}'),
        "a payload with a mark of byte order": sealed(header, b"\xef\xbb\xbf" + body),
        "a payload in another encoding": sealed(header, '{"iss":"ä"}'.encode("latin-1")),
        "a payload with half a character": sealed(header, b'{"iss":"\xed\xa0\x80"}'),
        "a payload and more": sealed(header, body + body),
        "a payload with a key twice": sealed(header, b'{"iss":"a","iss":"a"}'),
        "a payload with a key twice, once escaped": sealed(header, rb'{"iss":"a","\u0069ss":"a"}'),
        "a payload with a key twice, spaced": sealed(header, b'{"iss" \t\r\n: "a","iss":"a"}'),
        "a payload with a key twice within": sealed(
            header, b'{"answer":{"faces":[3],"a":"\\\\","faces":[4]}}'
        ),
        "a payload with a key twice in a list": sealed(header, b'{"answer":[{"a":{"a":1,"b:":2,"a":{}}}]}'),
        "a payload with __proto__ twice": sealed(header, b'{"__proto__":{},"__proto__":{}}'),
        "a payload nested without end": sealed(header, b'{"a":' + b"[" * 90_000 + b"]" * 90_000 + b"}"),
    }
    return [pytest.param(value, id=name) for name, value in values.items()]
