"""Rolling without a server: the rules, the strict reading and the words of the service, on a terminal."""

import json
import os
import sys
import tomllib
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from textwrap import wrap
from typing import Any, Final, NamedTuple

from app.cli.paper import Paper, Row, paper_of
from app.http.problem import Problem, document, refused, to_json
from app.http.reading import read
from app.rules.answer import ANSWERS
from app.rules.catalog import LANGUAGES, Words
from app.rules.odds import odds_fields
from app.rules.refusal import Refusal
from app.rules.registry import ACTIONS, RULESETS
from app.rules.resolve import Seeding, Source, resolve
from app.rules.ruleset import Action, Ruleset

REFUSED: Final = 2
"""The exit status where there is no roll."""
WORDS: Final[Mapping[str, Mapping[str, str]]] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)
OF_AN_HTTP_REQUEST: Final = ("instance", "request_id")
"""Members of a problem document that there is nothing for without a service."""
SEED_BYTES: Final = 16
SHORT: Final = 200
"""Bytes of a request that is worth being shown again."""
LEAST_SHOWN: Final = 0.0005
"""A chance below would be written as 0, though it is none."""


class UnknownActionError(Exception):
    """A ruleset or an action that there is not."""


class Asked(NamedTuple):
    """What is to be rolled."""

    ruleset: Ruleset
    action: Action[Any, Any, Any]
    body: bytes


def roll(given: Namespace) -> int:
    """Roll what the command line says and print it. Returns the exit status."""
    language = given.lang or language_of(os.environ)
    try:
        asked = _asked(given.what)
    except UnknownActionError:
        return _refuse([WORDS[language]["unknown"], *_actions(language)])
    try:
        answer, odds = _rolled(asked, given.seed, language, with_odds=given.odds)
    except Problem as problem:
        said = document(problem, language, "-")
        if given.json:
            _print_json({name: said[name] for name in said if name not in OF_AN_HTTP_REQUEST})
            return REFUSED
        return _refuse(_explained(said, asked, language, paper_of(sys.stderr).columns))
    if given.json:
        _print_json(answer if odds is None else {**answer, "odds": odds})
    else:
        print("\n".join(Slip(asked, language, paper_of(sys.stdout)).lines(answer, odds)))
    return 0


def language_of(environment: Mapping[str, str]) -> str:
    """Take the language that the terminal is set to (POSIX, section 8.2), or else English."""
    names = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    language = next(filter(None, names), "")[:2]
    return language if language in LANGUAGES else LANGUAGES[0]


def _asked(what: Sequence[str]) -> Asked:
    """Read `zrps '{…}'`, `zrps contest '{…}'` or either without a request, which is an empty one.

    Raises `UnknownActionError`.
    """
    ruleset, *rest = what
    action = rest.pop(0) if rest and (ruleset, rest[0]) in ACTIONS else "roll"
    if (ruleset, action) not in ACTIONS or len(rest) > 1:
        raise UnknownActionError
    request = rest[0] if rest else "{}"
    body = sys.stdin.buffer.read() if request == "-" else os.fsencode(request)
    return Asked(*ACTIONS[ruleset, action], body)


def _rolled(
    asked: Asked, seed: str | None, language: str, *, with_odds: bool
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Roll, and work out the odds where there are any. Raises `Problem`."""
    ruleset, action, body = asked
    request = read(action.request, body)
    if seed is not None:
        sent = request.model_dump(mode="json", exclude_unset=True) | {"seed": seed}
        request = read(action.request, to_json(sent))
    try:
        answer = resolve(ruleset, action, request, Seeding(draw=_draw), language)
        odds = odds_fields(action, action.weigh(request), exact=True) if with_odds and action.odds else None
    except Refusal as refusal:
        raise refused(refusal) from None
    return json.loads(ANSWERS[ruleset.id, action.name].serializer.to_json(answer)), odds


def _draw() -> str:
    return token_hex(SEED_BYTES)


class Slip:
    """A roll as it is printed."""

    def __init__(self, asked: Asked, language: str, paper: Paper) -> None:
        """Gather the words."""
        self._asked = asked
        self._catalog = asked.ruleset.catalog[language]
        self._words = WORDS[language]
        self._paper = paper

    def lines(self, answer: Mapping[str, Any], odds: Mapping[str, Any] | None) -> Iterator[str]:
        """Write the title, the sentence, the dice and the odds."""
        yield self._paper.bold(f"{self._catalog.name} · {self._catalog.actions[self._asked.action.name]}")
        yield from self._wrapped(answer["text"])
        if answer.get("faces"):
            yield ""
            yield from self._dice(answer)
        if odds is not None:
            yield ""
            yield from self._odds(odds, answer["outcome"])

    def _dice(self, answer: Mapping[str, Any]) -> Iterator[str]:
        words = self._words
        die = words["die"].format(sides=answer["sides"])
        origin = f"; {words['given']}" if answer["source"] == Source.GIVEN_FACES else ""
        faces = " ".join(map(str, answer["faces"]))
        yield from self._wrapped(f"{words['faces']}: {faces} ({die}{origin})")
        if answer["seed"] is not None:
            yield f"{words['seed']}: {answer['seed']}"

    def _odds(self, odds: Mapping[str, Any], outcome: str | None) -> Iterator[str]:
        yield f"{self._words['odds']}:"
        told = [one["exact"] for one in odds["outcomes"]]
        rows = [self._outcome(one, outcome) for one in odds["outcomes"]] or [
            self._row(self._number(one["value"], 0), one["probability"]) for one in odds["distribution"]
        ]
        # Where only one outcome is a success, it has its bar already.
        if odds["success"] is not None and odds["success"]["exact"] not in told:
            rows.append(self._row(self._catalog.answer_label("success"), odds["success"]["probability"], 1))
        yield from self._paper.bars(rows)
        if odds["mean"] is not None:
            label = self._catalog.answer_label(odds["quantity"])
            yield f"{self._words['mean']}: {label} {self._number(odds['mean']['value'], 2)}"

    def _outcome(self, one: Mapping[str, Any], happened: str | None) -> Row:
        word = one["outcome"]
        row = self._row(
            self._catalog.outcomes[word], one["probability"], self._asked.ruleset.display.tones[word]
        )
        return row._replace(marked=word == happened)

    def _row(self, label: str, share: float, tone: int = 0) -> Row:
        return Row(label, share, self._percent(share), tone)

    def _percent(self, share: float) -> str:
        """Write a chance; one that is not quite 0 or 1 is not written as such."""
        if 0 < share < LEAST_SHOWN:
            return self._words["under"].format(percent=self._percent(2 * LEAST_SHOWN))
        if 1 - LEAST_SHOWN < share < 1:
            return self._words["over"].format(percent=self._percent(1 - 2 * LEAST_SHOWN))
        return self._words["percent"].format(number=self._number(100 * share, 1))

    def _number(self, number: float, digits: int) -> str:
        return f"{number:.{digits}f}".replace("-", "−").replace(".", self._words["point"])

    def _wrapped(self, text: str) -> list[str]:
        return wrap(text, self._paper.columns)


def _actions(language: str) -> Iterator[str]:
    for ruleset in RULESETS:
        words = ruleset.catalog[language]
        for action in ruleset.actions:
            yield f"  {ruleset.id} {action.name}: {words.name}, {words.actions[action.name]}"


def _explained(said: Mapping[str, Any], asked: Asked, language: str, columns: int) -> Iterator[str]:
    """Put a problem document into sentences."""
    if said["code"] != "validation":
        yield from wrap(f"{said['title']}: {said['detail']}", columns)
        yield from _pointed_at(asked.body, said.get("position"))
        return
    yield f"{said['title']}:"
    for error in said["errors"]:
        name = _label(error["pointer"], asked.ruleset.catalog[language])
        yield f"  {error['pointer'] or '/'}{name} {error['message']}"


def _label(pointer: str, words: Words) -> str:
    """Name the field that a JSON Pointer points at, as far as the catalog knows it."""
    path = ".".join(step for step in pointer.split("/")[1:] if not step.isdigit())
    try:
        return f" ({words.field_label(path)})"
    except KeyError:
        return ""


def _pointed_at(body: bytes, position: int | None) -> Iterator[str]:
    """Show where a short line of JSON breaks off being JSON."""
    if position is not None and len(body) < SHORT and b"\n" not in body:
        yield f"  {body.decode(errors='replace')}"
        yield f"  {' ' * len(body[:position].decode(errors='replace'))}^"


def _refuse(lines: Iterable[str]) -> int:
    print("\n".join(lines), file=sys.stderr)
    return REFUSED


def _print_json(value: Any) -> None:
    """Print JSON in UTF-8, whatever the terminal speaks (RFC 8259, section 8.1)."""
    sys.stdout.buffer.write(to_json(value) + b"\n")
