"""How actions are shown: forms, tones and slips, held against what the rules answer."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app.rules.answer import ANSWERS, answer_fields
from app.rules.catalog import LANGUAGES
from app.rules.display import SlipLine, _line
from app.rules.fields import ActionRequest, own_fields
from app.rules.refusal import Refusal
from app.rules.registry import ACTIONS, RULESETS
from app.rules.resolve import Seeding, resolve
from app.rules.ruleset import Action, Ruleset
from tests.cases_reader import cases_of

every_action = pytest.mark.parametrize("key", ACTIONS, ids="-".join)
every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)

Answered = tuple[ActionRequest, dict[str, Any]]


def answered(ruleset: Ruleset, action: Action[Any, Any, Any]) -> Iterator[Answered]:
    """Answer every worked example of an action that is not refused."""
    for case in cases_of(ruleset.id):
        if case["action"] != action.name:
            continue
        try:
            request = action.request.model_validate_json(json.dumps(case["request"]))
            answer = resolve(ruleset, action, request, Seeding(draw=lambda: "d"), LANGUAGES[0])
        except (Refusal, ValueError):
            continue
        yield request, json.loads(ANSWERS[ruleset.id, action.name].serializer.to_json(answer))


@every_action
def test_a_form_puts_fields_first_that_the_request_has(key: tuple[str, str]) -> None:
    ruleset, action = ACTIONS[key]
    form = ruleset.display.forms[action.name]
    fields = {path for path, _ in own_fields(action.request)}
    assert form.first
    assert len(set(form.first)) == len(form.first)
    assert set(form.first) <= fields
    assert {name for group in form.either for names in group for name in names} <= fields


TOGETHER: list[tuple[str, dict[str, Any], str]] = [
    ("pathfinder2e", {"dc": 15, "against": {"attribute_modifier": 1}}, "dc_and_against"),
    ("v20", {"attribute": 1, "ability": 1, "pool": 1}, "pool_or_attribute"),
    ("three-marks", {"accuracy": 1, "defense_value": 1, "advantage": 1}, "advantage_or_accuracy"),
    ("three-marks", {"advantage": 0, "damage": 1, "scars": 1}, "damage_or_scars"),
]


@pytest.mark.parametrize(("ruleset", "request_", "code"), TOGETHER)
def test_alternatives_of_a_form_are_refused_together(
    ruleset: str, request_: dict[str, Any], code: str
) -> None:
    _, action = ACTIONS[ruleset, "roll"]
    with pytest.raises(Refusal) as refused:
        action.weigh(action.request.model_validate_json(json.dumps(request_)))
    assert refused.value.code == code


def test_no_other_form_has_alternatives() -> None:
    groups = [
        (ruleset.id, {name for names in group for name in names})
        for ruleset in RULESETS
        for form in ruleset.display.forms.values()
        for group in form.either
    ]
    assert len(groups) == len(TOGETHER)
    for ruleset, names in groups:
        assert any(one == ruleset and names <= set(request) for one, request, _ in TOGETHER)


@every_action
def test_a_slip_shows_fields_that_there_are(key: tuple[str, str]) -> None:
    ruleset, action = ACTIONS[key]
    named = {
        "request": {path for path, _ in own_fields(action.request)},
        "answer": {*answer_fields(action), "faces"},
    }
    lines = ruleset.display.slips[action.name]
    assert lines
    for line in lines:
        assert line.field in named.get(line.of, {line.field})
        for language in LANGUAGES:
            words = ruleset.catalog[language]
            assert words.field_label(line.field) if line.of == "request" else words.answer_label(line.field)


@every_ruleset
def test_every_outcome_has_a_tone_and_it_is_above_0_where_it_is_a_success(ruleset: Ruleset) -> None:
    tones = ruleset.display.tones
    assert set(tones) == {outcome for action in ruleset.actions for outcome in action.outcomes or ()}
    assert set(tones.values()) <= {-2, -1, 0, 1, 2}
    for action in ruleset.actions:
        for _, answer in answered(ruleset, action):
            if answer.get("success") is not None:
                assert answer["success"] == (tones[answer["outcome"]] > 0)


@dataclass
class _Sum:
    """Adds up a slip as a reader would."""

    total: int | None = None
    has_rest: bool = False
    checked: int = 0

    def take(self, line: SlipLine, value: Any) -> None:
        if line.kind in {"plain", "nonzero"} and (value is None or type(value) is int):
            self.total, self.has_rest = value, False
        elif line.kind == "rest":
            self.has_rest = True
        elif line.kind == "times":
            self.total = (self.total or 0) * value
        elif line.kind in {"plus", "minus"}:
            amount = sum(_amounts(line, value))
            if amount:
                self.total = (self.total or 0) + (amount if line.kind == "plus" else -amount)
        elif line.kind == "sum" and value is not None:
            assert self.has_rest or self.total is None or self.total == value, line.field
            self.total, self.has_rest, self.checked = value, False, self.checked + 1


def _amounts(line: SlipLine, value: Any) -> Iterator[int]:
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, dict):
            if entry.get("applied", True):
                yield entry.get("value") or line.each or 0
        else:
            yield entry or 0


def _values(line: SlipLine, sources: dict[str, Any], place: int | None) -> Any:
    value = sources.get(line.of)
    for depth, name in enumerate(line.field.split(".")):
        value = value and value.get(name)
        if depth == 0 and place is not None and isinstance(value, list) and "." in line.field:
            value = value[place]
    return value


@every_action
def test_the_lines_of_a_slip_add_up(key: tuple[str, str]) -> None:
    ruleset, action = ACTIONS[key]
    lines = ruleset.display.slips[action.name]
    checked = 0
    for request, answer in answered(ruleset, action):
        sources = {"request": request.model_dump(mode="json", exclude_defaults=True), "answer": answer}
        sides = len(answer.get("contestants", [0]))
        for side in range(sides):
            adding = _Sum()
            for line in lines:
                adding.take(line, _values(line, sources, side))
            checked += adding.checked
    assert checked or not any(line.kind == "sum" for line in lines)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("request.value", SlipLine("request", "value", "plain", None)),
        ("+2 request.helpers", SlipLine("request", "helpers", "plus", 2)),
        ("= contestants.target", SlipLine("answer", "contestants.target", "sum", None)),
        ("+/- margin", SlipLine("answer", "margin", "signed", None)),
        ("? effect.rest", SlipLine("rest", "effect.rest", "rest", None)),
        ("== target", SlipLine("total", "target", "total", None)),
    ],
)
def test_a_line_is_read_from_its_mark(text: str, line: SlipLine) -> None:
    assert _line(text) == line


@pytest.mark.parametrize("text", ["", "% value", "+ ", "request.value more"])
def test_what_is_no_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text) or "^$"):
        _line(text)


def test_an_example_is_put_into_the_readers_language() -> None:
    words = next(ruleset for ruleset in RULESETS if ruleset.id == "zrps").catalog["de"]
    request = {"value": 11, "modifiers": [{"value": -3, "label": "Sand in the eye"}], "seed": "demo"}
    assert words.example(request) == {
        "value": 11,
        "modifiers": [{"value": -3, "label": "Sand im Auge"}],
        "seed": "demo",
    }
