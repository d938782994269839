"""The module verify.mjs, in Node and in Chromium, against the Python side."""

import base64
import hashlib
import hmac
import json
import re
from collections import Counter
from typing import Any

import httpx
import pytest

from app.rules.dice import SeededDice
from app.rules.fields import DiceRequest
from app.rules.registry import RULESETS
from tests.cases_reader import cases_of
from tests.serving import serving
from tests.web import tokens
from tests.web.javascript import VERIFY, Ask
from tests.web.rolls import Rolled, chance, random_rolls, random_seed
from tests.web.tokens import JWK, KEY, KEY_SET, OLD_JWK, OLD_KEY, RECEIPT, RETIRED, ROLL, forged, signed

SEEDED = {"client_seed", "server_seed", "server_keyed"}
TOKEN = signed(RECEIPT)
REFUSED = {"faces": None, "payload": None}
MALFORMED = {"signature": "malformed", **REFUSED}
INVALID = {"signature": "invalid", **REFUSED}
UNKNOWN_KEY = {"signature": "unknown_key", **REFUSED}


def seeded(rolls: tuple[Rolled, ...]) -> list[dict[str, Any]]:
    return [roll.answer for roll in rolls if roll.answer.get("source") in SEEDED]


def verdict(ask: Ask, token: Any, key_set: Any = KEY_SET) -> Any:
    return ask("checkReceipt", [[token, key_set]])[0]


# The stream.


@pytest.mark.parametrize("case", cases_of("dice1"), ids=lambda case: f"{case['seed'][:20]}-{case['ruleset']}")
def test_a_check_value_of_the_stream_holds(ask: Ask, case: dict[str, Any]) -> None:
    given = [case["seed"], case["ruleset"], case["action"], case["sides"], len(case["faces"])]
    assert ask("faces", [given]) == [case["faces"]]


def test_dice_of_every_size_fall_as_they_do_in_python(ask: Ask) -> None:
    source = chance(2)
    actions = [(ruleset.id, action.name) for ruleset in RULESETS for action in ruleset.actions]
    calls: list[list[Any]] = [
        [random_seed(source), *source.choice(actions), sides, source.randint(0, 150)]
        for sides in range(2, 257)
    ]
    fell = [
        SeededDice(seed, ruleset, action).throw(count, sides) for seed, ruleset, action, sides, count in calls
    ]
    assert ask("faces", calls) == fell


@pytest.mark.parametrize(
    "given",
    [
        ["demo", "zrps", "roll", 1, 1],
        ["demo", "zrps", "roll", 257, 1],
        ["demo", "zrps", "roll", 20.5, 1],
        ["demo", "zrps", "roll", "20", 1],
        ["", "zrps", "roll", 20, 1],
        ["x" * 129, "zrps", "roll", 20, 1],
        ["demo\0", "zrps", "roll", 20, 1],
        ["demo\x85", "zrps", "roll", 20, 1],
        ["demo\ud800", "zrps", "roll", 20, 1],
        [42, "zrps", "roll", 20, 1],
        ["demo", "zrps\nroll", "roll", 20, 1],
        ["demo", "zrps", None, 20, 1],
    ],
)
def test_what_no_roll_can_have_has_no_faces(ask: Ask, given: list[Any]) -> None:
    assert ask("faces", [given]) == [{"thrown": "RangeError"}]


# Whole answers.


def test_the_random_rolls_are_of_every_action_and_of_every_source() -> None:
    answers = [roll.answer for roll in random_rolls()]
    sources = Counter(answer.get("source") for answer in answers)
    assert min(sources[source] for source in [*SEEDED, "given_faces", "no_dice"]) > 10
    actions = Counter((answer["ruleset"], answer["action"]) for answer in seeded(random_rolls()))
    every = [action for ruleset in RULESETS for action in ruleset.actions]
    assert len(actions) == sum(issubclass(action.request, DiceRequest) for action in every)
    assert min(actions.values()) > 30


def test_random_rolls_are_found_to_follow_from_their_seeds(ask: Ask) -> None:
    answers = [roll.answer for roll in random_rolls()]
    follow = [True if answer.get("source") in SEEDED else None for answer in answers]
    assert ask("checkRoll", [[answer] for answer in answers]) == follow


def test_altering_any_one_face_shows(ask: Ask) -> None:
    altered = [
        {
            **answer,
            "faces": [*answer["faces"][:place], face % answer["sides"] + 1, *answer["faces"][place + 1 :]],
        }
        for answer in seeded(random_rolls())
        for place, face in enumerate(answer["faces"])
    ]
    assert len(altered) > 1000
    assert ask("checkRoll", [[answer] for answer in altered]) == [False] * len(altered)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": None},
        {"seed": ""},
        {"seed": 42},
        {"seed": "\ud800"},
        {"seed": "demo\n"},
        {"ruleset": None},
        {"action": "roll\n0"},
        {"sides": 1},
        {"sides": "20"},
        {"sides": 1e300},
        {"faces": None},
        {"faces": []},
        {"faces": "3"},
        {"faces": [None]},
        {"faces": [str(face) for face in ROLL.answer["faces"]]},
        {"faces": {"0": ROLL.answer["faces"][0], "length": 1}},
    ],
)
def test_a_seeded_answer_that_is_none_does_not_follow(ask: Ask, change: dict[str, Any]) -> None:
    assert ask("checkRoll", [[{**ROLL.answer, **change}]]) == [False]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        3,
        "roll",
        [],
        {},
        {**ROLL.answer, "source": "given_faces"},
        {**ROLL.answer, "source": "another"},
        {**ROLL.answer, "stream": "dice2"},
        {**ROLL.answer, "stream": None},
    ],
)
def test_where_no_known_seed_is_named_nothing_is_said(ask: Ask, answer: Any) -> None:
    assert ask("checkRoll", [[answer]]) == [None]


# Receipts.


def test_receipts_of_every_action_are_valid_and_their_faces_the_same(ask: Ask) -> None:
    rolls = random_rolls()
    assert ask("checkReceipt", [[signed(roll.receipt), KEY_SET] for roll in rolls]) == [
        {
            "signature": "valid",
            "faces": "same" if roll.answer.get("source") in SEEDED else None,
            "payload": roll.receipt,
        }
        for roll in rolls
    ]


def test_a_receipt_of_the_service_holds_against_the_keys_that_it_shows(ask: Ask) -> None:
    with (
        serving(WURF_SIGNING_KEY=json.dumps(tokens.PRIVATE_JWK)) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        answer = client.post("/v1/v20/roll?receipt=true&lang=de", json={"pool": 9}).json()
        key_set = client.get("/.well-known/jwks.json").json()
    assert ask("checkRoll", [[answer]]) == [True]
    got = verdict(ask, answer["receipt"], key_set)
    assert (got["signature"], got["faces"]) == ("valid", "same")
    assert got["payload"]["answer"].items() <= answer.items()


def test_a_retired_key_still_verifies_the_receipts_of_its_time(ask: Ask) -> None:
    early, late = ({**RECEIPT, "iat": RETIRED + after} for after in (0, 1))
    assert verdict(ask, signed(early, OLD_KEY)) == {"signature": "valid", "faces": "same", "payload": early}
    assert verdict(ask, signed(late, OLD_KEY)) == INVALID
    assert verdict(ask, signed(late))["signature"] == "valid"


def test_a_signed_answer_with_another_face_is_different(ask: Ask) -> None:
    faces = [ROLL.answer["faces"][0] % ROLL.answer["sides"] + 1, *ROLL.answer["faces"][1:]]
    payload = {**RECEIPT, "answer": {**ROLL.answer, "faces": faces}}
    assert verdict(ask, signed(payload)) == {"signature": "valid", "faces": "different", "payload": payload}


def test_a_signed_receipt_without_a_roll_says_nothing_of_faces(ask: Ask) -> None:
    payload: dict[str, Any] = {**RECEIPT, "answer": {}}
    assert verdict(ask, signed(payload)) == {"signature": "valid", "faces": None, "payload": payload}


def test_no_altered_character_leaves_a_token_valid_and_the_service_says_the_same(ask: Ask) -> None:
    altered = tokens.altered(TOKEN)
    assert len(altered) > 5 * len(TOKEN)
    verdicts = ask("checkReceipt", [[token, KEY_SET] for token in altered])
    assert len(verdicts) == len(altered)
    for token, got in zip(altered, verdicts, strict=True):
        assert got == {"signature": tokens.VERIFIER.verify(token).signature, **REFUSED}, token
    assert {got["signature"] for got in verdicts} == {"malformed", "invalid", "unknown_key"}


def test_characters_that_touch_only_unused_bits_are_malformed(ask: Ask) -> None:
    receipts = [signed({**RECEIPT, "iss": "w" * length}) for length in (1, 2, 3)]
    altered = [token for receipt in receipts for token in tokens.with_unused_bits(receipt)]
    # 4 bits of each header and each signature; 4, 2 and none of the three payloads
    assert len(altered) == 3 * 15 + 3 * 15 + 15 + 3
    assert ask("checkReceipt", [[token, KEY_SET] for token in altered]) == [MALFORMED] * len(altered)


@pytest.mark.parametrize(
    "change",
    [
        {"alg": "none"},
        {"alg": "HS256"},
        {"alg": "EdDSA"},
        {"alg": "ed25519"},
        {"alg": None},
        {"alg": ["Ed25519"]},
        {"typ": "JWT"},
        {"typ": None},
        {"crit": ["exp"], "exp": 1},
        {"crit": []},
        {"crit": ["b64"], "b64": False},
        {"jwk": {"kty": "OKP", "crv": "Ed25519", "x": OLD_JWK["x"]}},
        {"jwk": {"kty": "OKP", "crv": "Ed25519", "x": JWK["x"]}},
        {"jku": "http://127.0.0.1/keys"},
        {"x5u": "http://127.0.0.1/chain"},
    ],
    ids=str,
)
def test_another_header_is_invalid_whoever_signed_it(ask: Ask, change: dict[str, Any]) -> None:
    assert verdict(ask, forged(change)) == INVALID
    assert tokens.VERIFIER.verify(forged(change)).signature == "invalid"


@pytest.mark.parametrize(("left_out", "word"), [("alg", INVALID), ("typ", INVALID), ("kid", UNKNOWN_KEY)])
def test_a_header_that_lacks_something_is_refused(ask: Ask, left_out: str, word: Any) -> None:
    header = {name: value for name, value in tokens.HEADER.items() if name != left_out}
    token = tokens.sealed(json.dumps(header).encode(), json.dumps(RECEIPT).encode())
    nameless = {name: value for name, value in JWK.items() if name != "kid"}
    assert verdict(ask, token, {"keys": [nameless, JWK]}) == word
    assert tokens.VERIFIER.verify(token).signature == word["signature"]


def test_a_header_that_says_more_is_ignored(ask: Ask) -> None:
    assert verdict(ask, forged({"cty": "json"}))["signature"] == "valid"


@pytest.mark.parametrize("signature", ["", TOKEN.split(".")[2]], ids=["unsigned", "with a signature"])
def test_the_algorithm_none_is_invalid(ask: Ask, signature: str) -> None:
    signing_input = forged({"alg": "none"}).rsplit(".", 1)[0]
    assert verdict(ask, f"{signing_input}.{signature}") == INVALID


def public_forms() -> list[bytes]:
    """The public key as anyone may have it at hand."""
    raw = base64.urlsafe_b64decode(JWK["x"] + "=")
    return [raw, JWK["x"].encode(), KEY.as_pem(private=False), json.dumps(JWK).encode()]


@pytest.mark.parametrize("secret", public_forms(), ids=["raw", "x", "PEM", "JWK"])
@pytest.mark.parametrize("alg", ["HS256", "Ed25519"])
def test_the_public_key_is_no_secret_to_sign_with(ask: Ask, secret: bytes, alg: str) -> None:
    signing_input = forged({"alg": alg}).rsplit(".", 1)[0]
    tag = hmac.digest(secret, signing_input.encode(), hashlib.sha256)
    assert verdict(ask, f"{signing_input}.{tokens.encode(tag)}") == INVALID


def test_a_foreign_key_is_unknown(ask: Ask) -> None:
    assert verdict(ask, signed(RECEIPT, OLD_KEY), {"keys": [JWK]}) == UNKNOWN_KEY
    others: list[Any] = [None, {}, 3, OLD_JWK]
    for other in others:
        assert verdict(ask, TOKEN, {"keys": [other]}) == UNKNOWN_KEY
    assert verdict(ask, TOKEN, {"keys": []}) == UNKNOWN_KEY


def test_a_foreign_key_under_our_name_is_invalid(ask: Ask) -> None:
    header = json.dumps(tokens.HEADER).encode()
    assert verdict(ask, tokens.sealed(header, json.dumps(RECEIPT).encode(), OLD_KEY)) == INVALID


@pytest.mark.parametrize("name", ["__proto__", "constructor", ""])
def test_a_strange_kid_is_unknown(ask: Ask, name: str) -> None:
    assert verdict(ask, forged({"kid": name})) == UNKNOWN_KEY


@pytest.mark.parametrize(
    "change",
    [
        {"kty": "oct", "k": JWK["x"]},
        {"kty": "EC", "crv": "P-256"},
        {"crv": "X25519"},
        {"crv": "Ed448"},
        {"x": None},
        {"x": JWK["x"] + "="},
        {"x": JWK["x"][:-1] + "p"},  # the same bytes, and unused bits
        {"x": JWK["x"][:-2]},
        {"x": JWK["x"] + "A"},
        {"retired": "2026-11-30"},
        {"retired": True},
    ],
    ids=str,
)
def test_what_is_no_public_ed25519_key_is_no_key(ask: Ask, change: dict[str, Any]) -> None:
    assert verdict(ask, TOKEN, {"keys": [{**JWK, **change}]}) == UNKNOWN_KEY


@pytest.mark.parametrize(
    "change", [{"alg": "EdDSA"}, {"key_ops": ["verify"]}, {"use": None}, {"exp": 1}], ids=str
)
def test_what_else_a_key_says_of_itself_does_not_matter(ask: Ask, change: dict[str, Any]) -> None:
    assert verdict(ask, TOKEN, {"keys": [None, {**JWK, **change}]})["signature"] == "valid"


@pytest.mark.parametrize("key_set", [None, {}, [JWK], JWK], ids=["null", "empty", "list", "key"])
def test_what_is_no_key_set_is_the_mistake_of_who_asks(ask: Ask, key_set: Any) -> None:
    assert verdict(ask, TOKEN, key_set) == {"thrown": "TypeError"}


@pytest.mark.parametrize("token", tokens.malformed())
def test_a_malformed_token_is_malformed(ask: Ask, token: Any) -> None:
    assert verdict(ask, token) == MALFORMED
    if isinstance(token, str) and len(token) <= tokens.MAX_TOKEN:  # the service refuses others unread
        assert tokens.VERIFIER.verify(token).signature == "malformed"


def test_a_token_may_be_as_long_as_the_service_takes_it(ask: Ask) -> None:
    assert verdict(ask, tokens.of_length(tokens.MAX_TOKEN))["signature"] == "valid"


@pytest.mark.parametrize("content", tokens.LARGE.values(), ids=tokens.LARGE)
def test_a_large_payload_is_read(ask: Ask, content: Any) -> None:
    payload = {**RECEIPT, "content": content}
    assert verdict(ask, signed(payload))["payload"] == payload


def test_a_receipt_may_be_written_with_room_in_it(ask: Ask) -> None:
    payload = {**RECEIPT, "colon": "a:", "empty": {}}
    written = json.dumps(payload, indent="\t", separators=(" ,\r\n", "\n : ")).encode()
    token = tokens.sealed(json.dumps(tokens.HEADER, indent=1).encode(), written)
    assert verdict(ask, token) == {"signature": "valid", "faces": "same", "payload": payload}


# Keys.


def test_a_thumbprint_is_that_of_the_standard(ask: Ask) -> None:
    calls = [[JWK], [OLD_JWK]]
    assert ask("thumbprint", calls) == [KEY.thumbprint(), OLD_KEY.thumbprint()]
    assert KEY.thumbprint() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", "RFC 8037, appendix A.3"


def test_the_module_needs_nothing_else() -> None:
    assert not re.search(
        r"^\s*import\b|\bimport\(|\brequire\(", VERIFY.read_text(encoding="utf-8"), re.MULTILINE
    )
