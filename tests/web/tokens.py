"""Receipts, signed as the service signs them and as nobody should accept them."""

import base64
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jws
from joserfc.jwk import OKPKey

from app.http.problem import to_json
from app.http.receipts import Signer, Verifier
from tests.web.rolls import MADE, chance, random_rolls

BASE64URL: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FOREIGN: Final = ".=+/ \n\0é"
"""Characters that stand nowhere in base64url."""

PRIVATE_JWK: Final[dict[str, str | list[str]]] = {
    "kty": "OKP",
    "crv": "Ed25519",
    "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}
"""The key of RFC 8037, appendix A.1."""
KEY: Final = OKPKey.import_key(PRIVATE_JWK)
OLD_KEY: Final = OKPKey.import_key(
    {
        "kty": "OKP",
        "crv": "Ed25519",
        "d": "TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs",
        "x": "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw",
    }
)
"""The key of RFC 8032, section 7.1, test 2."""
RETIRED: Final = MADE + 1
"""When the old key came out of use."""
VERIFIER: Final = Verifier(
    Signer(json.dumps(PRIVATE_JWK), "wurf"), [{**OLD_KEY.as_dict(private=False), "retired": RETIRED}]
)
"""How the service checks receipts."""
KEY_SET: Final = VERIFIER.key_set()
OLD_JWK, JWK = KEY_SET["keys"]
HEADER: Final = {"alg": "Ed25519", "typ": "wurf-receipt+jwt", "kid": JWK["kid"]}
MAX_TOKEN: Final = 256 * 1024

ROLL: Final = next(roll for roll in random_rolls() if roll.answer.get("source") == "client_seed")
RECEIPT: Final = ROLL.receipt

LARGE: Final[dict[str, Any]] = {
    "escapes": '\\"' * 40_000,
    "colons": '":' * 40_000,
    "letters": "x" * 150_000,
    "keys": {f"k{number}:": number for number in range(10_000)},
    "numbers": [1] * 80_000,
    "lists": [[], {}, [{}]] * 10_000,
}
"""What would trip a reader whose work grows faster than a payload."""


WRONG: Final[list[tuple[str, Any]]] = [
    ("iat", None),
    ("iat", "1790000000"),
    ("iat", 1.5),
    ("ruleset", None),
    ("action", 3),
    ("request", []),
    ("answer", None),
    ("answer", [3]),
    ("answer", "roll"),
]
"""Members that no receipt has."""


def encode(data: bytes) -> str:
    """Write base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(payload: dict[str, Any], key: OKPKey = KEY) -> str:
    """Sign a receipt as the service does, apart from its time and number."""
    header = {**HEADER, "kid": key.thumbprint()}
    return jws.serialize_compact(header, to_json(payload), key, algorithms=["Ed25519"])


def sealed(header: bytes, payload: bytes, key: OKPKey = KEY) -> str:
    """Sign any header and payload rightly, also what no library would sign."""
    private = key.private_key
    assert isinstance(private, Ed25519PrivateKey)
    signing_input = f"{encode(header)}.{encode(payload)}"
    return f"{signing_input}.{encode(private.sign(signing_input.encode()))}"


def forged(change: dict[str, Any]) -> str:
    """Sign a receipt rightly under a changed header."""
    return sealed(json.dumps({**HEADER, **change}).encode(), to_json(RECEIPT))


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
    header, filled = json.dumps(HEADER).encode(), {**RECEIPT, "iss": ""}
    room = (length - len(sealed(header, b""))) * 3 // 4 - len(to_json(filled))
    token = sealed(header, to_json({**filled, "iss": "w" * room}))
    assert len(token) == length
    return token


def malformed() -> list[Any]:
    """Make what is no receipt, signed rightly wherever it can be signed."""
    header, body = json.dumps(HEADER).encode(), to_json(RECEIPT)
    more = body[:-1] + b","
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
        "no payload": sealed(header, b""),
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
        "a kid that is no text": sealed(json.dumps({**HEADER, "kid": [JWK["kid"]]}).encode(), body),
        "a kid that is null": sealed(json.dumps({**HEADER, "kid": None}).encode(), body),
        "a payload that is no JSON": sealed(header, b"roll"),
        "a payload that is a list": sealed(header, b"[" + body + b"]"),
        "a payload that is a text": sealed(header, b'"roll"'),
        "a payload that is null": sealed(header, b"null"),
        "a payload with NaN": sealed(header, more + b'"a":NaN}'),
        "a payload with a mark of byte order": sealed(header, b"\xef\xbb\xbf" + body),
        "a payload in another encoding": sealed(header, more + '"a":"ä"}'.encode("latin-1")),
        "a payload with half a character": sealed(header, more + b'"a":"\xed\xa0\x80"}'),
        "a payload and more": sealed(header, body + body),
        "a payload with a key twice": sealed(header, more + b'"iss":"wurf"}'),
        "a payload with a key twice, once escaped": sealed(header, more + rb'"\u0069ss":"a"}'),
        "a payload with a key twice, spaced": sealed(header, more + b'"iss" \t\r\n: "a"}'),
        "a payload with a key twice within": sealed(header, more + b'"b":{"f":[3],"a":"\\\\","f":[4]}}'),
        "a payload with a key twice in a list": sealed(header, more + b'"b":[{"a":{"a":1,"b:":2,"a":{}}}]}'),
        "a payload with __proto__ twice": sealed(header, more + b'"__proto__":{},"__proto__":{}}'),
        "a payload nested without end": sealed(header, more + b'"a":' + b"[" * 40_000 + b"]" * 40_000 + b"}"),
        "an empty payload": signed({}),
        **{f"a payload whose {name} is {value!r}": signed({**RECEIPT, name: value}) for name, value in WRONG},
    }
    return [pytest.param(value, id=name) for name, value in values.items()]
