"""Receipts that joserfc signed, verified by jose, which shares no line with it."""

import json
from typing import Any

import pytest

from tests.web import tokens
from tests.web.javascript import HERE, Ask, in_node
from tests.web.rolls import random_rolls
from tests.web.tokens import KEY_SET, OLD_JWK, OLD_KEY, RECEIPT, forged, signed

TOKEN = signed(RECEIPT)


def refused(ask_jose: Ask, token: str, key_set: Any = KEY_SET) -> Any:
    return ask_jose("refusalOf", [[token, key_set]])[0]


def test_jose_accepts_the_receipts_of_every_action(ask_jose: Ask) -> None:
    payloads = [roll.receipt for roll in random_rolls()]
    calls = [[signed(payload), KEY_SET] for payload in payloads]
    assert ask_jose("payloadOf", calls) == payloads


def test_jose_accepts_the_receipts_of_a_key_that_signs_no_more(ask_jose: Ask) -> None:
    assert refused(ask_jose, signed(RECEIPT, OLD_KEY)) is None


@pytest.mark.parametrize(
    ("token", "code"),
    [
        pytest.param(forged({"alg": "none"}), "ERR_JOSE_ALG_NOT_ALLOWED", id="none"),
        pytest.param(forged({"alg": "HS256"}), "ERR_JOSE_ALG_NOT_ALLOWED", id="HS256"),
        pytest.param(forged({"alg": "EdDSA"}), "ERR_JOSE_ALG_NOT_ALLOWED", id="the old name"),
        pytest.param(forged({"typ": "JWT"}), "ERR_JWT_CLAIM_VALIDATION_FAILED", id="another type"),
        pytest.param(forged({"crit": ["new"], "new": 1}), "ERR_JOSE_NOT_SUPPORTED", id="crit"),
        pytest.param(forged({"kid": "foreign"}), "ERR_JWKS_NO_MATCHING_KEY", id="a foreign kid"),
        pytest.param(
            tokens.sealed(json.dumps(tokens.HEADER).encode(), json.dumps(RECEIPT).encode(), OLD_KEY),
            "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
            id="another key under our name",
        ),
        pytest.param(TOKEN.rsplit(".", 1)[0], "ERR_JWS_INVALID", id="unsigned"),
    ],
)
def test_jose_refuses_a_forged_receipt(ask_jose: Ask, token: str, code: str) -> None:
    assert refused(ask_jose, token) == code


def test_jose_knows_no_foreign_key(ask_jose: Ask) -> None:
    assert refused(ask_jose, TOKEN, {"keys": [OLD_JWK]}) == "ERR_JWKS_NO_MATCHING_KEY"


def test_jose_accepts_no_altered_token_but_with_unused_bits(ask_jose: Ask) -> None:
    altered = tokens.altered(TOKEN)
    codes = ask_jose("refusalOf", [[token, KEY_SET] for token in altered])
    accepted = [token for token, code in zip(altered, codes, strict=True) if code is None]
    assert set(accepted) <= set(tokens.with_unused_bits(TOKEN))


def test_where_jose_refuses_a_malformed_token_so_do_we(ask_jose: Ask) -> None:
    """Ours is the stricter one: keys that stand twice, unused bits and foreign letters are malformed."""
    given = [value.values[0] for value in tokens.malformed()]
    calls = [[token, KEY_SET] for token in given if isinstance(token, str)] + [[TOKEN, KEY_SET]]
    with in_node() as ask:
        ours = [answer["signature"] for answer in ask("checkReceipt", calls)]
    theirs = ask_jose("refusalOf", calls)
    pairs = list(zip(ours, theirs, strict=True))
    assert pairs.pop() == ("valid", None)
    assert {one for one, _ in pairs} == {"malformed"}
    assert sum(other is not None for _, other in pairs) > len(pairs) // 2


def test_every_locked_package_has_a_hash_and_no_registry_is_named() -> None:
    text = (HERE / "package-lock.json").read_text(encoding="utf-8")
    assert "resolved" not in text
    packages = {name.removeprefix("node_modules/"): one for name, one in json.loads(text)["packages"].items()}
    del packages[""]
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    wanted = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert wanted == {name: package["version"] for name, package in packages.items()}
