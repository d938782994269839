"""From a request to an answer: the dice, the rule, the words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from app.rules.dice import STREAM, GivenDice, SeededDice, keyed_seed
from app.rules.fields import ORIGINS, ActionRequest, DiceRequest
from app.rules.refusal import Refusal
from app.rules.ruleset import Action, Ruleset
from app.rules.shapes import OneOf


class Source(OneOf):
    """Where the faces of an answer come from."""

    CLIENT_SEED = "client_seed"
    SERVER_SEED = "server_seed"
    SERVER_KEYED = "server_keyed"
    GIVEN_FACES = "given_faces"
    NO_DICE = "no_dice"


NO_DICE: Final = GivenDice((), 0)
"""What an action without dice is handed."""


class HasOrigin(Protocol):
    """What may bring a seed or a nonce: a request, or a batch."""

    @property
    def seed(self) -> str | None:
        """The seed that faces follow from."""

    @property
    def nonce(self) -> str | None:
        """The name that the service makes a seed from."""


@dataclass(frozen=True)
class Seeding:
    """How seeds are made where the request brings none."""

    draw: Callable[[], str]
    """Draws a fresh seed; it is called at most once a roll."""
    nonce_secret: str | None = None
    """The service's secret, at least 32 characters; without it nonces are refused."""
    drawn_as: Source = Source.SERVER_SEED
    """What an answer says of a drawn seed: a batch draws those of its items from a seed of its own."""


AnswerOf = tuple[Ruleset, Action[Any, Any, Any], str]
"""An action of a ruleset, and the language of the answer."""


def resolve(
    ruleset: Ruleset, action: Action[Any, Any, Any], request: ActionRequest, seeding: Seeding, language: str
) -> dict[str, Any]:
    """Resolve one action and return the answer's fields in their order.

    Raises `Refusal`: first for the origin of the faces, then by the rule in the order of its request
    fields, then for the number of faces.
    """
    if isinstance(request, DiceRequest):
        return _roll((ruleset, action, language), request, seeding)
    return _reckon(ruleset, action, request, language)


def _reckon(
    ruleset: Ruleset, action: Action[Any, Any, Any], request: ActionRequest, language: str
) -> dict[str, Any]:
    """Resolve an action without dice."""
    outcome = action.throw(action.weigh(request), NO_DICE)
    _, text = action.speak(request, outcome, ruleset.catalog[language])
    return {
        "ruleset": ruleset.id,
        "action": action.name,
        "rules_version": ruleset.rules_version,
        "ref": request.ref,
        "text": text,
        **vars(outcome),
    }


def _roll(of: AnswerOf, request: DiceRequest, seeding: Seeding) -> dict[str, Any]:
    ruleset, action, _ = of
    dice, seed, source = _dice(ruleset, action, request, seeding)
    outcome = action.throw(action.weigh(request), dice)
    dice.finish()
    return _with_origin(_rolled(of, request, dice.faces, outcome), seed, source)


KEPT: Final = 200
"""The most answers that attempts keep together: of ten kinds of goblins, those to every face of a d20."""


class Shelf:
    """Where the attempts of one batch keep answers."""

    def __init__(self) -> None:
        """Start with all the room."""
        self.left = KEPT


class Attempt:
    """One request, to be resolved as often as one likes: ten goblins attack alike.

    It is weighed once, and what the same faces come to is put into words once: only the reference and the
    origin of the faces differ.
    """

    def __init__(self, of: AnswerOf, request: ActionRequest, shelf: Shelf) -> None:
        """Take the request, and room for answers; what is wrong with it is said by each `resolve`."""
        self.request = request
        self._of = of
        self._situation: Any = None
        self._shelf = shelf
        self._kept: dict[tuple[int, ...], dict[str, Any]] = {}
        """Answers by their faces."""

    def resolve(self, ref: str | None, seeding: Seeding) -> dict[str, Any]:
        """Resolve it once more, under a reference. Answers and raises as the function of this name does."""
        ruleset, action, language = self._of
        request = self.request
        if not isinstance(request, DiceRequest):
            return {**_reckon(ruleset, action, request, language), "ref": ref}
        dice, seed, source = _dice(ruleset, action, request, seeding)
        if self._situation is None:
            self._situation = action.weigh(request)
        outcome = action.throw(self._situation, dice)
        dice.finish()
        faces = tuple(dice.faces)
        kept = self._kept.get(faces)
        if kept is None:
            kept = _rolled(self._of, request, dice.faces, outcome)
            if self._shelf.left:
                self._shelf.left -= 1
                self._kept[faces] = kept
        answer = kept.copy()
        answer["ref"] = ref
        return _with_origin(answer, seed, source)


def _rolled(of: AnswerOf, request: DiceRequest, faces: list[int], outcome: Any) -> dict[str, Any]:
    """Put the answer together, but for the origin of its faces."""
    ruleset, action, language = of
    label, text = action.speak(request, outcome, ruleset.catalog[language])
    answer = {
        "ruleset": ruleset.id,
        "action": action.name,
        # The outcome brings these two; they are named here for their place in the order.
        "outcome": None,
        "success": None,
        "sides": action.sides,
        "faces": faces,
        "seed": None,
        "source": Source.NO_DICE,
        "stream": None,
        "rules_version": ruleset.rules_version,
        "ref": request.ref,
        "label": label,
        "text": text,
    }
    answer.update(vars(outcome))
    return answer


def _with_origin(answer: dict[str, Any], seed: str | None, source: Source) -> dict[str, Any]:
    """Say where the faces of an answer come from, if any die was thrown."""
    if answer["faces"]:
        answer["source"] = source
        if seed is not None:
            answer["seed"] = seed
            answer["stream"] = STREAM
    return answer


def origin(request: HasOrigin, seeding: Seeding) -> tuple[str, Source]:
    """Say which seed a request is rolled with, and whose it is.

    Raises `Refusal` `seed_and_faces` or `nonces_off`.
    """
    if request.nonce is not None:
        if seeding.nonce_secret is None:
            raise Refusal("nonces_off", "/nonce")
        return keyed_seed(seeding.nonce_secret, request.nonce), Source.SERVER_KEYED
    if request.seed is not None:
        return request.seed, Source.CLIENT_SEED
    return seeding.draw(), seeding.drawn_as


def _dice(
    ruleset: Ruleset, action: Action[Any, Any, Any], request: DiceRequest, seeding: Seeding
) -> tuple[SeededDice | GivenDice, str | None, Source]:
    if request.nonce is not None or request.faces is not None:
        refuse_two_origins(request, ORIGINS)
        if request.faces is not None:
            return GivenDice(request.faces, action.sides or 0), None, Source.GIVEN_FACES
    seed, source = origin(request, seeding)
    return SeededDice(seed, ruleset.id, action.name), seed, source


def refuse_two_origins(request: HasOrigin, origins: Sequence[str]) -> None:
    """Raise `Refusal` `seed_and_faces`, pointing at the second, where more than one origin is given."""
    given = [name for name in origins if getattr(request, name) is not None]
    if len(given) > 1:
        raise Refusal("seed_and_faces", f"/{given[1]}")
