"""Signed receipts: made, checked, refused."""

import base64
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from joserfc import jws
from joserfc.jwk import OctKey, OKPKey

from app.http.receipts import Signer, Verifier, new_key
from app.rules.receipt import Replay
from app.rules.registry import RULESETS
from tests.cases_reader import cases_of
from tests.serving import ROOT, serving

KEY = new_key()
VERIFY = "/v1/receipts/verify"
ACTIONS = [
    pytest.param(ruleset.id, action.name, id=f"{ruleset.id}-{action.name}")
    for ruleset in RULESETS
    for action in ruleset.actions
]
HEADER = {"alg": "Ed25519", "typ": "wurf-receipt+jwt"}


@pytest.fixture(scope="module")
def signing() -> Iterator[httpx.Client]:
    """A service with a signing key and a nonce secret."""
    with (
        serving(WURF_SIGNING_KEY=KEY, WURF_NONCE_SECRET="s" * 32, WURF_ISSUER="Tisch 7") as server,
        httpx.Client(base_url=server.url) as client,
    ):
        yield client


def receipt_for(client: httpx.Client, request: dict[str, Any], path: str = "/v1/zrps/roll") -> str:
    token: str = client.post(f"{path}?receipt=true", json=request).json()["receipt"]
    return token


def verdict(client: httpx.Client, token: str) -> dict[str, Any]:
    answer = client.post(VERIFY, json={"receipt": token})
    assert answer.status_code == 200, answer.text
    got: dict[str, Any] = answer.json()
    return got


def signed(payload: Any, header: dict[str, Any] | None = None, key: str = KEY) -> str:
    signer = Signer(key, "wurf")
    text = payload if isinstance(payload, str) else json.dumps(payload)
    members = {**HEADER, "kid": signer.kid, **(header or {})}
    registry = jws.JWSRegistry(algorithms=["Ed25519", "none", "HS256"], strict_check_header=False)
    return jws.serialize_compact(members, text, signer.key, registry=registry)


def payload_of(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    payload: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=="))
    return payload


def encoded(members: Any) -> str:
    text = members if isinstance(members, str) else json.dumps(members)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(("ruleset", "action"), ACTIONS)
def test_a_receipt_of_every_action_can_be_rolled_again(
    ruleset: str, action: str, signing: httpx.Client
) -> None:
    requests = [
        case["request"]
        for case in cases_of(ruleset)
        if case["action"] == action and "status" not in case["expect"]
    ][:25]
    rolled_again = 0
    for place, case in enumerate(requests):
        for origin in ({}, {"seed": f"s{place}"}, {"nonce": f"n{place}"}, {"faces": case.get("faces")}):
            request = {name: value for name, value in case.items() if name != "faces"}
            if action != "amount":
                request |= origin
            answer = signing.post(f"/v1/{ruleset}/{action}?receipt=true&lang=de", json=request)
            if answer.status_code == 422:
                continue  # faces that belong to another way of rolling
            got = verdict(signing, answer.json()["receipt"])
            no_dice = not answer.json().get("faces")
            assert got["signature"] == "valid"
            assert got["replay"] == ("unavailable" if no_dice else "same"), answer.json()
            assert got["source"] == answer.json().get("source")
            rolled_again += not no_dice
    assert rolled_again or action == "amount"


def test_a_receipt_says_what_was_asked_and_answered(signing: httpx.Client) -> None:
    request = {
        "value": 11,
        "modifiers": [{"value": -3, "label": None}],
        "seed": 42,
        "ref": "r",
        "faces": None,
    }
    before = int(time.time())
    answer = signing.post("/v1/zrps/roll?receipt=true&odds=true", json=request).json()
    token = answer.pop("receipt")
    assert list(answer)[-1] == "odds"
    header = json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))
    payload = payload_of(token)
    assert header == {**HEADER, "kid": OKPKey.import_key(json.loads(KEY)).thumbprint()}
    assert list(payload) == ["iss", "iat", "jti", "ruleset", "action", "request", "answer"]
    assert payload["iss"] == "Tisch 7"
    assert before <= payload["iat"] <= time.time()
    assert payload["request"] == {"ref": "r", "seed": "42", "value": 11, "modifiers": [{"value": -3}]}
    assert payload["answer"] == {
        name: value for name, value in answer.items() if name not in ("text", "label", "odds")
    }
    again = signing.post("/v1/zrps/roll?receipt=true", json=request).json()["receipt"]
    assert payload_of(again)["jti"] != payload["jti"]


def test_a_receipt_is_checked_by_another_implementation(signing: httpx.Client) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    token = receipt_for(signing, {"value": 11, "seed": "x"})
    (key,) = signing.get("/.well-known/jwks.json").json()["keys"]
    assert {name: key[name] for name in ("kty", "crv", "use", "alg")} == {
        "kty": "OKP",
        "crv": "Ed25519",
        "use": "sig",
        "alg": "Ed25519",
    }
    assert "d" not in key
    public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(key["x"] + "=="))
    message, _, signature = token.rpartition(".")
    public.verify(base64.urlsafe_b64decode(signature + "=="), message.encode())


def test_the_largest_receipt_is_valid_too(signing: httpx.Client) -> None:
    modifiers = [
        {"type": "untyped", "value": -1, "label": "🎲" * 100, "effect": f"e{n}" + 90 * "x"} for n in range(50)
    ]
    request = {"dc": 10, "modifiers": modifiers, "dc_modifiers": modifiers, "seed": "x"}
    token = receipt_for(signing, request, "/v1/pathfinder2e/roll")
    assert len(token) > 128_000
    assert verdict(signing, token)["replay"] == "same"


def test_an_altered_character_is_never_valid(signing: httpx.Client) -> None:
    token = receipt_for(signing, {"value": 11, "seed": "x"})
    (jwk,) = signing.get("/.well-known/jwks.json").json()["keys"]
    verifier = Verifier(None, [{**jwk, "retired": time.time() + 60}])
    assert verifier.verify(token).signature == "valid"
    seen = set()
    for place, character in enumerate(token):
        for other in ("A", "B", "_", "."):
            if other != character:
                altered = token[:place] + other + token[place + 1 :]
                seen.add(verifier.verify(altered).signature)
    assert seen == {"malformed", "invalid", "unknown_key"}


def test_characters_that_touch_only_unused_bits_are_malformed(signing: httpx.Client) -> None:
    token = receipt_for(signing, {"value": 11, "seed": "x"})
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    # 64 bytes of signature leave four unused bits in the last character.
    twin = alphabet[alphabet.index(token[-1]) ^ 1]
    assert verdict(signing, token[:-1] + twin)["signature"] == "malformed"
    assert verdict(signing, token + "=")["signature"] == "malformed"


def forged() -> list[Any]:
    good = payload_of_any()
    none = f"{encoded({**HEADER, 'alg': 'none', 'kid': Signer(KEY, 'w').kid})}.{encoded(good)}."
    public = OKPKey.import_key(json.loads(KEY)).as_dict(private=False)
    secret = OctKey.import_key(str(public["x"]))
    hmac = jws.serialize_compact(
        {**HEADER, "alg": "HS256", "kid": Signer(KEY, "w").kid},
        json.dumps(good),
        secret,
        algorithms=["HS256"],
    )
    return [
        pytest.param(none, "invalid", id="no algorithm"),
        pytest.param(hmac, "invalid", id="the public key as an HMAC secret"),
        pytest.param(signed(good, key=new_key()), "unknown_key", id="a foreign key"),
        pytest.param(signed(good, {"kid": "nope"}), "unknown_key", id="an unknown kid"),
        pytest.param(signed(good, {"typ": "JWT"}), "invalid", id="another type"),
        pytest.param(signed(good, {"jwk": public}), "invalid", id="a key of its own"),
        pytest.param(signed(good, {"jku": "https://example.org"}), "invalid", id="a key elsewhere"),
        pytest.param(signed(good, {"x5u": "https://example.org"}), "invalid", id="a certificate elsewhere"),
        pytest.param("", "malformed", id="nothing"),
        pytest.param("a.b", "malformed", id="two parts"),
        pytest.param("a.b.c.d", "malformed", id="four parts"),
        pytest.param("ä.ö.ü", "malformed", id="no base64url"),
        pytest.param(f"{encoded('{}')}.{encoded(good)}.{'A' * 86}", "invalid", id="an empty header"),
        pytest.param(
            f"{encoded('[]')}.{encoded(good)}.{'A' * 86}", "malformed", id="a header that is a list"
        ),
        pytest.param(
            f"{encoded({**HEADER, 'kid': 1})}.{encoded(good)}.AA", "malformed", id="a kid that is no text"
        ),
        pytest.param(signed("[1]"), "malformed", id="a payload that is a list"),
        pytest.param(signed("nope"), "malformed", id="a payload that is no JSON"),
        pytest.param(signed({}), "malformed", id="an empty payload"),
        pytest.param(signed({**good, "ruleset": 1}), "malformed", id="a ruleset that is no text"),
        pytest.param(
            signed(json.dumps(good)[:-1] + ',"iat":1}'), "malformed", id="a name twice in the payload"
        ),
        pytest.param(signed(json.dumps(good).replace("11", "9" * 5000)), "malformed", id="an endless number"),
        pytest.param("A" * 200_000, "malformed", id="a long text"),
        pytest.param(".".join(["A" * 60_000] * 3), "malformed", id="long parts"),
        pytest.param(signed("[" * 5000), "malformed", id="a deep payload"),
    ]


def payload_of_any() -> dict[str, Any]:
    request = {"value": 11, "seed": "x"}
    answer = {"ruleset": "zrps", "action": "roll", "rules_version": 1, "faces": [17], "seed": "x"}
    head = {"iss": "wurf", "iat": 1, "jti": "j", "ruleset": "zrps", "action": "roll"}
    return head | {"request": request, "answer": answer}


@pytest.mark.parametrize(("token", "word"), forged())
def test_a_forged_or_broken_token_gets_its_word(token: str, word: str, signing: httpx.Client) -> None:
    assert verdict(signing, token) == {"signature": word, "replay": None, "source": None, "payload": None}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({}, "same"),
        ({"answer": {"faces": [18]}}, "different"),
        ({"request": {"value": "x"}}, "unavailable"),
    ],
)
def test_a_validly_signed_receipt_is_rolled_again(
    changes: dict[str, Any], word: str, signing: httpx.Client
) -> None:
    payload = payload_of_any()
    for name, change in changes.items():
        payload[name] = payload[name] | change if isinstance(change, dict) else change
    got = verdict(signing, signed(payload))
    assert (got["signature"], got["replay"], got["payload"]) == ("valid", word, payload)


def test_a_retired_key_still_verifies_the_receipts_of_its_time() -> None:
    old = Signer(KEY, "wurf")
    public = {**old.key.as_dict(private=False), "retired": "2026-11-30T00:00:00+00:00"}
    early, late = (signed(payload_of_any() | {"iat": at}) for at in (1_795_000_000, 1_800_000_000))
    with (
        serving(WURF_SIGNING_KEY=new_key(), WURF_RETIRED_KEYS=json.dumps([public])) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        assert verdict(client, early)["signature"] == "valid"
        assert verdict(client, late)["signature"] == "invalid"
        assert verdict(client, receipt_for(client, {"value": 1}))["replay"] == "same"
        keys = client.get("/.well-known/jwks.json").json()["keys"]
        assert [(key["kid"] == old.kid, key.get("retired")) for key in keys] == [
            (True, 1_795_996_800),
            (False, None),
        ]


def test_public_keys_alone_verify_and_sign_nothing() -> None:
    public = {**Signer(KEY, "wurf").key.as_dict(private=False), "retired": 2_000_000_000}
    with (
        serving(WURF_RETIRED_KEYS=json.dumps([public])) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        assert verdict(client, signed(payload_of_any()))["replay"] == "same"
        answer = client.post("/v1/zrps/roll?receipt=true", json={"value": 11})
        assert (answer.status_code, answer.json()["code"]) == (422, "receipts_off")
        assert [error["code"] for error in answer.json()["errors"]] == ["receipts_off"]


def test_without_any_key_receipts_are_off(client: httpx.Client) -> None:
    for path, body in [
        ("/v1/zrps/roll?receipt=true", {"value": 11}),
        ("/v1/batch?receipt=true", {"items": [{}]}),
        (VERIFY, {"receipt": "a.b.c"}),
    ]:
        answer = client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "receipts_off"), path
    assert client.get("/.well-known/jwks.json").json() == {"keys": []}
    assert "receipts" not in client.get("/v1/info").json()["features"]
    assert client.post("/v1/zrps/roll?receipt=false", json={"value": 11}).status_code == 200


def test_a_batch_gives_each_item_its_receipt(signing: httpx.Client) -> None:
    items = [
        {"ruleset": "zrps", "action": "roll", "request": {"value": 11}},
        {"ruleset": "zrps", "action": "roll", "request": {"value": "x"}},
        {"ruleset": "v20", "action": "roll", "request": {"pool": 5}},
        {"ruleset": "zrps", "action": "roll", "request": {"value": 11}, "odds": True},
        {"ruleset": "pathfinder2e", "action": "amount", "request": {"value": 7, "halve": True}},
    ]
    results = signing.post("/v1/batch?receipt=true", json={"seed": "b", "items": items}).json()["results"]
    verdicts = [
        verdict(signing, result["answer"]["receipt"])["replay"]
        if "receipt" in result.get("answer", {})
        else None
        for result in results
    ]
    assert verdicts == ["same", None, "same", None, "unavailable"]


def test_receipts_of_items_that_are_alike_hold_the_reference_of_each(signing: httpx.Client) -> None:
    defaults = {"ruleset": "zrps", "action": "roll", "request": {"value": 11, "ref": "one of many"}}
    goblins = [{"request": {"ref": ref}} for ref in ("goblin 1", "goblin 2", "", None)] + [{}]
    batch = {"seed": "b", "defaults": defaults, "items": goblins}
    results = signing.post("/v1/batch?receipt=true", json=batch).json()["results"]
    payloads = [verdict(signing, result["answer"]["receipt"])["payload"] for result in results]
    refs = ["goblin 1", "goblin 2", "", None, "one of many"]
    assert [payload["request"].get("ref") for payload in payloads] == refs
    assert [payload["answer"]["ref"] for payload in payloads] == refs


def test_the_endpoint_is_as_strict_as_every_other(signing: httpx.Client) -> None:
    assert signing.post(VERIFY, json={"receipt": 1}).json()["errors"][0]["code"] == "wrong_type"
    assert signing.post(VERIFY, json={}).json()["errors"][0]["code"] == "missing"
    assert signing.post(VERIFY, content=b'{"receipt":"%s"}' % (b"a" * 256 * 1024)).status_code == 413
    assert signing.post(VERIFY + "?receipt=true", json={"receipt": ""}).json()["code"] == "unknown_parameter"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("WURF_SIGNING_KEY", "nope", id="no JSON"),
        pytest.param(
            "WURF_SIGNING_KEY",
            json.dumps(OKPKey.generate_key("Ed25519").as_dict(private=False)),
            id="a public key to sign",
        ),
        pytest.param(
            "WURF_SIGNING_KEY",
            json.dumps(OKPKey.generate_key("X25519").as_dict(private=True)),
            id="another curve",
        ),
        pytest.param("WURF_SIGNING_KEY", "[]", id="a list"),
        pytest.param("WURF_RETIRED_KEYS", "{", id="half a list"),
        pytest.param("WURF_RETIRED_KEYS", "[1]", id="a list of numbers"),
        pytest.param(
            "WURF_RETIRED_KEYS",
            json.dumps([OKPKey.generate_key("Ed25519").as_dict(private=False)]),
            id="no time of retirement",
        ),
    ],
)
def test_a_wrong_key_stops_the_start_with_a_sentence(name: str, value: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "app", "serve"],
        cwd=ROOT,
        env={name: value, "PATH": "/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{name}: ")
    assert ended.stderr.count("\n") == 1


def test_the_command_line_makes_a_key_that_signs() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "app", "keys"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    signer = Signer(made, "wurf")
    assert Verifier(signer, []).verify(signer.sign(payload_of_any())).replay is Replay.SAME
