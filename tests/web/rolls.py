"""Random rolls of every ruleset and action, and receipts of them. The same ones every time."""

import json
import random
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from app.rules.answer import ANSWERS
from app.rules.fields import ORIGINS, ActionRequest, DiceRequest
from app.rules.receipt import claims
from app.rules.registry import RULESETS
from app.rules.resolve import Seeding, resolve
from tests.cases_reader import cases_of

ROLLS_PER_ACTION: Final = 50
SEED_LENGTHS: Final = (1, 2, 17, 63, 64, 65, 128)
"""In code points; HMAC pads keys of up to 64 bytes and hashes longer ones."""
ALPHABETS: Final = ("abcXYZ 0123#", "äöüßÄÖÜẞé", "🎲🧝🏽\u200d♀️漢ẞ ", "aä🎲")

MADE: Final = 1_790_000_000
"""When the receipts were made, in seconds since 1970."""


@dataclass(frozen=True)
class Rolled:
    """A request and its answer."""

    request: ActionRequest
    answer: dict[str, Any]

    @property
    def receipt(self) -> dict[str, Any]:
        """The payload of its receipt, made at a time and under a number that are always the same."""
        head = {"iss": "wurf", "iat": MADE, "jti": "00112233445566778899aabbccddeeff"}
        return head | claims(self.request, self.answer)


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
    return Rolled(request, json.loads(ANSWERS[ruleset_id, action_name].serializer.to_json(answer)))


def _with_new_dice(example: dict[str, Any], source: random.Random) -> dict[str, Any]:
    """Let other dice fall: by a seed, an integer, a nonce or a drawn seed; one in ten as in the example."""
    if source.random() < 0.1:
        return example
    bare = {name: value for name, value in example.items() if name not in ORIGINS}
    integer = source.randint(1 - 2**53, 2**53 - 1)
    seed: dict[str, Any] = {"seed": random_seed(source)}
    origins = [seed, seed, {"seed": integer}, {"nonce": random_seed(source)}, {}]
    return bare | source.choice(origins)
