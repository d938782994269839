"""Random rolls of every ruleset and action, and receipts of them. The same ones every time."""

import json
import random
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from joserfc import jws
from joserfc.jwk import OKPKey

from app.rules.answer import ANSWERS
from app.rules.fields import ORIGINS, DiceRequest
from app.rules.registry import RULESETS
from app.rules.resolve import Seeding, resolve
from tests.cases_reader import cases_of

ROLLS_PER_ACTION: Final = 50
SEED_LENGTHS: Final = (1, 2, 17, 63, 64, 65, 128)
"""In code points; HMAC pads keys of up to 64 bytes and hashes longer ones."""
ALPHABETS: Final = ("abcXYZ 0123#", "äöüßÄÖÜẞé", "🎲🧝🏽\u200d♀️漢ẞ ", "aä🎲")

KEY: Final = OKPKey.import_key(
    {
        "kty": "OKP",
        "crv": "Ed25519",
        "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    }
)
"""The key of RFC 8037, appendix A.1."""
OTHER_KEY: Final = OKPKey.import_key(
    {
        "kty": "OKP",
        "crv": "Ed25519",
        "d": "TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs",
        "x": "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw",
    }
)
"""The key of RFC 8032, section 7.1, test 2."""


@dataclass(frozen=True)
class Rolled:
    """A request and its answer."""

    request: dict[str, Any]
    """As validated, fields at their default left out."""
    answer: dict[str, Any]

    @property
    def receipt(self) -> dict[str, Any]:
        """The payload of its receipt."""
        answer = {name: value for name, value in self.answer.items() if name not in {"text", "label"}}
        return {
            "iss": "wurf",
            "iat": 1_790_000_000,
            "jti": "00112233445566778899aabbccddeeff",
            "ruleset": answer["ruleset"],
            "action": answer["action"],
            "request": self.request,
            "answer": answer,
        }


def chance(seed: int) -> random.Random:
    """Make a source of test data that gives the same every time."""
    return random.Random(seed)  # noqa: S311  test data, no secret


def random_seed(source: random.Random) -> str:
    """Make a seed of a length and an alphabet that matter."""
    return "".join(source.choices(source.choice(ALPHABETS), k=source.choice(SEED_LENGTHS)))


@cache
def random_rolls() -> tuple[Rolled, ...]:
    """Roll every action with random requests of its worked examples, under random seeds."""
    source = chance(1)
    return tuple(
        _roll(ruleset.id, action.name, source.choice(_answered(ruleset.id, action.name)), source)
        for ruleset in RULESETS
        for action in ruleset.actions
        for _ in range(ROLLS_PER_ACTION)
    )


@cache
def _answered(ruleset: str, action: str) -> list[dict[str, Any]]:
    """The requests of an action that are not refused."""
    cases = [case for case in cases_of(ruleset) if case["action"] == action and "code" not in case["expect"]]
    return [case["request"] for case in cases]


def _roll(ruleset_id: str, action_name: str, example: dict[str, Any], source: random.Random) -> Rolled:
    ruleset = next(one for one in RULESETS if one.id == ruleset_id)
    action = next(one for one in ruleset.actions if one.name == action_name)
    sent = _with_new_dice(example, source) if issubclass(action.request, DiceRequest) else example
    request = action.request.model_validate_json(json.dumps(sent))
    seeding = Seeding(draw=lambda: source.randbytes(16).hex(), nonce_secret="s" * 32)
    answer = resolve(ruleset, action, request, seeding, "en")
    return Rolled(
        request.model_dump(mode="json", exclude_defaults=True),
        json.loads(ANSWERS[ruleset_id, action_name].serializer.to_json(answer)),
    )


def _with_new_dice(example: dict[str, Any], source: random.Random) -> dict[str, Any]:
    """Let other dice fall: by a seed, an integer, a nonce or a drawn seed; one in ten as in the example."""
    if source.random() < 0.1:
        return example
    bare = {name: value for name, value in example.items() if name not in ORIGINS}
    integer = source.randint(1 - 2**53, 2**53 - 1)
    seed: dict[str, Any] = {"seed": random_seed(source)}
    origins = [seed, seed, {"seed": integer}, {"nonce": random_seed(source)}, {}]
    return bare | source.choice(origins)


def public(key: OKPKey) -> dict[str, Any]:
    """Write a key as a service publishes it."""
    return {**key.as_dict(private=False), "kid": key.thumbprint(), "use": "sig", "alg": "Ed25519"}


def header_of(key: OKPKey) -> dict[str, Any]:
    """Write the header of a receipt."""
    return {"alg": "Ed25519", "typ": "wurf-receipt+jwt", "kid": key.thumbprint()}


def signed(payload: dict[str, Any], key: OKPKey = KEY) -> str:
    """Sign a receipt as the service does."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return jws.serialize_compact(header_of(key), text, key, algorithms=["Ed25519"])
