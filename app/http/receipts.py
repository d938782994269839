"""Signed receipts: compact JWS (RFC 7515) with Ed25519 (RFC 9864), and their verification."""

import base64
import binascii
import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any, Final, NamedTuple

import jiter
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from app.http.problem import to_json
from app.rules.receipt import Replay, replay
from app.rules.shapes import OneOf

ALGORITHM: Final = "Ed25519"
TYPE: Final = "wurf-receipt+jwt"
CURVE: Final = "Ed25519"
NOT_ALLOWED: Final = frozenset({"crit", "jwk", "jku", "x5u"})
"""Header members by which a token would bring its own key or rules."""
KEY_MEMBERS: Final = ("kty", "crv", "x", "d")
_REGISTRY: Final = jws.JWSRegistry(algorithms=[ALGORITHM])
_REGISTRY.max_payload_length = 256 * 1024
"""A receipt holds a request of up to 64 KiB and its answer; the library's own limit is less."""
PARTS: Final = 3
NOT_A_KEY: Final = "not a JWK of an Ed25519 key, private to sign and public otherwise"
JTI_BYTES: Final = 16


class Signature(OneOf):
    """What became of a receipt's signature."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN_KEY = "unknown_key"
    MALFORMED = "malformed"


class Verdict(NamedTuple):
    """What there is to say of a receipt."""

    signature: Signature
    replay: Replay | None = None
    source: str | None = None
    payload: Mapping[str, Any] | None = None


class KnownKey(NamedTuple):
    """A public key whose receipts are accepted."""

    key: OKPKey
    retired: float | None
    """Seconds since 1970; receipts made later are not accepted. None for the key in use."""


class MalformedError(Exception):
    """A token that is no receipt by its form."""


class Signer:
    """Signs receipts with the key in use."""

    def __init__(self, jwk: str, issuer: str) -> None:
        """Read the private key, a JWK of kind OKP on the curve Ed25519. Raises `ValueError`."""
        self.key = _read_key(jwk, private=True)
        self.kid = self.key.thumbprint()
        self._issuer = issuer

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Sign what a receipt says, with the time, a number of its own and who says so."""
        payload = {"iss": self._issuer, "iat": int(time.time()), "jti": token_hex(JTI_BYTES), **claims}
        header = {"alg": ALGORITHM, "typ": TYPE, "kid": self.kid}
        return jws.serialize_compact(header, to_json(payload), self.key, algorithms=[ALGORITHM])


class Verifier:
    """Checks receipts against the keys that this service has or had."""

    def __init__(self, signer: Signer | None, retired: Sequence[Mapping[str, Any]]) -> None:
        """Gather the public keys. Raises `ValueError`."""
        self._keys: dict[str, KnownKey] = {}
        for entry in retired:
            key = _read_key(entry, private=False)
            self._keys[key.thumbprint()] = KnownKey(key, _seconds(entry.get("retired")))
        if signer is not None:
            self._keys[signer.kid] = KnownKey(signer.key, None)

    def __bool__(self) -> bool:
        """Whether there is any key to check with."""
        return bool(self._keys)

    def key_set(self) -> dict[str, Any]:
        """Show the public keys as a JWK set (RFC 7517)."""
        return {"keys": [_public(kid, known) for kid, known in self._keys.items()]}

    def verify(self, token: str) -> Verdict:
        """Check the signature, then roll again what the receipt says."""
        try:
            header, payload = _taken_apart(token)
            known = self._keys.get(header.get("kid", ""))
            if not _acceptable(header):
                return Verdict(Signature.INVALID)
            if known is None:
                return Verdict(Signature.UNKNOWN_KEY)
            jws.deserialize_compact(token, known.key, registry=_REGISTRY)
            said = _object(payload)
        except MalformedError:
            return Verdict(Signature.MALFORMED)
        except JoseError:
            return Verdict(Signature.INVALID)
        return _verdict(said, known)


def new_key() -> str:
    """Make a private key as a JWK, for `WURF_SIGNING_KEY`."""
    return json.dumps(OKPKey.generate_key(CURVE).as_dict(private=True))


def _verdict(said: dict[str, Any], known: KnownKey) -> Verdict:
    answer, request, made = said.get("answer"), said.get("request"), said.get("iat")
    words = (said.get("ruleset"), said.get("action"))
    if not (isinstance(answer, dict) and isinstance(request, dict) and isinstance(made, int)):
        return Verdict(Signature.MALFORMED)
    if not all(isinstance(word, str) for word in words):
        return Verdict(Signature.MALFORMED)
    if known.retired is not None and made > known.retired:
        return Verdict(Signature.INVALID)
    return Verdict(Signature.VALID, replay(said), answer.get("source"), said)


def _acceptable(header: dict[str, Any]) -> bool:
    return header.get("alg") == ALGORITHM and header.get("typ") == TYPE and NOT_ALLOWED.isdisjoint(header)


def _taken_apart(token: str) -> tuple[dict[str, Any], bytes]:
    parts = token.split(".")
    if len(parts) != PARTS:
        raise MalformedError
    header, payload, _ = (_decoded(part) for part in parts)
    members = _object(header)
    if not isinstance(members.get("kid", ""), str):
        raise MalformedError
    return members, payload


def _decoded(part: str) -> bytes:
    """Decode base64url, taking only the one spelling that encoding would give."""
    try:
        raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        raise MalformedError from None
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != part:
        raise MalformedError
    return raw


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = jiter.from_json(text, catch_duplicate_keys=True, allow_inf_nan=False)
    except ValueError:
        raise MalformedError from None
    if not isinstance(value, dict):
        raise MalformedError
    return value


def _read_key(jwk: str | Mapping[str, Any], *, private: bool) -> OKPKey:
    try:
        members = dict(json.loads(jwk) if isinstance(jwk, str) else jwk)
        key = OKPKey.import_key({name: members[name] for name in KEY_MEMBERS if name in members})
    except (JoseError, ValueError, TypeError, KeyError):
        raise ValueError(NOT_A_KEY) from None
    if key.curve_name != CURVE or (private and not key.is_private):
        raise ValueError(NOT_A_KEY)
    return key


def _seconds(retired: Any) -> float:
    """Read the time at which a key was retired: ISO 8601 with a time zone, or seconds since 1970."""
    if isinstance(retired, (int, float)) and not isinstance(retired, bool):
        return retired
    moment = datetime.fromisoformat(retired) if isinstance(retired, str) else None
    if moment is None or moment.tzinfo is None:
        message = "a retired key needs the time when, such as 2026-11-30T00:00:00+00:00, as 'retired'"
        raise ValueError(message)
    return moment.timestamp()


def _public(kid: str, known: KnownKey) -> dict[str, Any]:
    members = known.key.as_dict(private=False)
    public: dict[str, Any] = {name: members[name] for name in KEY_MEMBERS if name in members}
    retired = {} if known.retired is None else {"retired": known.retired}
    return {**public, "kid": kid, "use": "sig", "alg": ALGORITHM, **retired}
