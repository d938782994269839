"""The stream "dice1", dice thrown elsewhere, and nonces."""

import hashlib
import hmac
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rules.dice import GivenDice, SeededDice, keyed_seed
from app.rules.refusal import Refusal
from tests.cases_reader import cases_of

SIDES = st.integers(2, 256)
SEEDS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=128)


@pytest.mark.parametrize("row", cases_of("dice1"), ids=lambda row: f"{row['seed'][:20]}-{row['ruleset']}")
def test_a_check_value_holds(row: dict[str, Any]) -> None:
    dice = SeededDice(row["seed"], row["ruleset"], row["action"])
    assert dice.throw(len(row["faces"]), row["sides"]) == row["faces"]


def test_the_check_value_of_the_specification_is_what_a_plain_hmac_gives() -> None:
    block = hmac.new(b"0", b"dice1\nzrps\nroll\n0", hashlib.sha256).hexdigest()
    assert block.startswith("f683920d")


@pytest.mark.parametrize("length", [*range(60, 70), 128, 512])
def test_a_block_is_the_hmac_of_its_number_under_seeds_of_any_length(length: int) -> None:
    seed = "s" * length
    dice = SeededDice(seed, "zrps", "roll")
    for number in range(3):
        message = f"dice1\nzrps\nroll\n{number}".encode()
        assert dice._next_block() == hmac.digest(seed.encode(), message, hashlib.sha256)


@given(SEEDS)
def test_a_block_is_an_hmac_under_any_text(seed: str) -> None:
    message = b"dice1\nv20\nroll\n0"
    expected = hmac.digest(seed.encode(), message, hashlib.sha256)
    assert SeededDice(seed, "v20", "roll")._next_block() == expected


@pytest.mark.parametrize("sides", range(2, 257))
def test_every_face_has_as_many_bytes_as_every_other(sides: int, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = iter([bytes(range(256))])
    monkeypatch.setattr(SeededDice, "_next_block", lambda _: next(blocks))
    dice = SeededDice("any", "any", "any")
    accepted = 256 - 256 % sides
    counts = Counter(dice.throw(accepted, sides))
    assert counts == dict.fromkeys(range(1, sides + 1), 256 // sides)
    with pytest.raises(StopIteration):
        dice.throw(1, sides)  # all that is left would favor the low faces and is skipped


@given(SEEDS, st.integers(0, 60), st.integers(0, 60), SIDES)
def test_more_dice_never_change_earlier_ones(seed: str, first: int, more: int, sides: int) -> None:
    once = SeededDice(seed, "zrps", "roll")
    twice = SeededDice(seed, "zrps", "roll")
    together = once.throw(first + more, sides)
    assert [*twice.throw(first, sides), *twice.pool(more, sides)] == together
    assert once.faces == twice.faces == together


@given(SEEDS, SIDES)
def test_ruleset_and_action_separate_streams(seed: str, sides: int) -> None:
    streams = {
        tuple(SeededDice(seed, ruleset, action).throw(300, sides))
        for ruleset, action in [("zrps", "roll"), ("zrps", "contest"), ("v20", "roll")]
    }
    assert len(streams) == 3


@given(st.lists(st.integers(1, 20), max_size=30))
def test_given_faces_come_in_their_order_and_are_used_up(faces: list[int]) -> None:
    dice = GivenDice(faces, 20)
    assert [*dice.throw(len(faces) // 2, 20), *dice.pool(len(faces) - len(faces) // 2, 20)] == faces
    dice.finish()


@given(st.integers(0, 30), st.integers(0, 30))
def test_another_number_of_faces_is_refused_with_the_number_needed(given_count: int, needed: int) -> None:
    dice = GivenDice([1] * given_count, 6)
    if given_count == needed:
        dice.throw(needed, 6)
        dice.finish()
        return
    with pytest.raises(Refusal) as refused:  # noqa: PT012  too few shows at once, too many at the end
        dice.throw(needed, 6)
        dice.finish()
    assert refused.value.code == "faces_count"
    assert refused.value.pointer == "/faces"
    assert refused.value.facts == {"given": given_count, "needed": needed, "sides": 6}


def test_an_open_ended_roll_says_the_least_number_known_so_far() -> None:
    dice = GivenDice([20, 20], 20)
    dice.throw(1, 20)
    dice.throw(1, 20)
    with pytest.raises(Refusal) as refused:
        dice.throw(1, 20)
    assert refused.value.facts["needed"] == 3


def test_a_nonce_gives_the_first_half_of_its_keyed_hash() -> None:
    secret, nonce = "s" * 32, "Runde 3, Goblin 2, Angriff – ä"
    digest = hmac.new(secret.encode(), b"wurf nonce\n" + nonce.encode(), hashlib.sha256).hexdigest()
    assert keyed_seed(secret, nonce) == digest[:32]
