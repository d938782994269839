"""What every registered ruleset owes: labels, cases, examples, words, in every language."""

import inspect
import json
import pkgutil
import re
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.http.actions import RulesetRouter
from app.http.problem import FIELD_MESSAGES, KINDS
from app.rules.answer import ANSWERS, answer_fields
from app.rules.catalog import LANGUAGES
from app.rules.fields import ActionRequest, DiceRequest, own_fields, parts_of
from app.rules.registry import RULESETS
from app.rules.ruleset import Action, Ruleset
from app.rules.shapes import record
from tests.cases_reader import cases_of

ACTIONS = [
    pytest.param(ruleset, action, id=f"{ruleset.id}-{action.name}")
    for ruleset in RULESETS
    for action in ruleset.actions
]
every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
every_action = pytest.mark.parametrize(("ruleset", "action"), ACTIONS)


def router_of(ruleset: Ruleset) -> RulesetRouter:
    router: RulesetRouter = import_module(f"app.routers.{ruleset.id.replace('-', '_')}").router
    return router


@every_action
def test_every_outcome_has_a_label_in_each_language(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    for language in LANGUAGES:
        for outcome in action.outcomes or ():
            assert ruleset.catalog[language].outcomes[outcome]


@every_action
def test_every_outcome_has_a_case(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    shown = {case["expect"].get("outcome") for case in cases_of(ruleset.id) if case["action"] == action.name}
    assert set(action.outcomes or ()) <= shown


@every_ruleset
def test_every_refusal_has_a_case_and_words(ruleset: Ruleset) -> None:
    shown = {case["expect"].get("code") for case in cases_of(ruleset.id)}
    codes = [set(ruleset.catalog[language].refusals) for language in LANGUAGES]
    assert all(one == codes[0] for one in codes)
    assert codes[0] <= shown


@every_action
def test_every_action_has_an_example_with_fixed_dice(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    examples = router_of(ruleset).examples[action.name]
    assert examples
    for example in examples:
        action.request.model_validate_json(json.dumps(example.request))
        assert not issubclass(action.request, DiceRequest) or {"seed", "faces"} & example.request.keys()


@every_action
def test_every_field_has_a_label_and_a_description(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    for name, field in own_fields(action.request):
        assert field.description, name
        for language in LANGUAGES:
            assert ruleset.catalog[language].field_label(name)


@every_ruleset
def test_the_catalog_holds_the_same_words_in_each_language(ruleset: Ruleset) -> None:
    first, *others = (ruleset.catalog[language] for language in LANGUAGES)
    for table in ("actions", "outcomes", "fields", "values", "answer", "texts"):
        for other in others:
            assert getattr(first, table).keys() == getattr(other, table).keys()
    for key, text in first.texts.items():
        for other in others:
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", other.texts[key])), key


@every_ruleset
def test_a_text_as_a_function_says_what_it_says_in_the_catalog(ruleset: Ruleset) -> None:
    for words in ruleset.catalog.values():
        assert words.say.keys() == words.texts.keys()
        for key, text in words.texts.items():
            places = {name: f"%{{{name}}}" for name in re.findall(r"\{(\w+)\}", text)}
            assert words.say[key](**places, of_no_place="x") == text.format(**places)
            for name in places:
                with pytest.raises(TypeError, match=name):
                    words.say[key](**{other: "" for other in places if other != name})


@every_ruleset
def test_every_action_is_named_in_each_language(ruleset: Ruleset) -> None:
    for language in LANGUAGES:
        words = ruleset.catalog[language]
        assert set(words.actions) == {action.name for action in ruleset.actions}
        assert words.name
        assert words.summary


@every_action
def test_every_word_of_a_request_has_a_label(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    schemas = json.dumps(action.request.model_json_schema())
    words = {
        word for enum in re.findall(r'"enum": \[([^\]]*)\]', schemas) for word in json.loads(f"[{enum}]")
    }
    outcomes = set(action.outcomes or ())
    for language in LANGUAGES:
        catalog = ruleset.catalog[language]
        assert {word for word in words if isinstance(word, str)} <= catalog.values.keys() | outcomes


@every_action
def test_every_field_of_an_answer_has_a_label(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    fields = list(answer_fields(action))
    assert fields
    for field in fields:
        for language in LANGUAGES:
            assert ruleset.catalog[language].answer_label(field)


@every_action
def test_every_word_of_an_answer_has_a_label(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    fields = action_schema(ruleset, action)
    words = {word for name, schema in fields.items() if name != "source" for word in enum_words(schema)}
    outcomes = {outcome for one in ruleset.actions for outcome in one.outcomes or ()}
    for language in LANGUAGES:
        assert words <= ruleset.catalog[language].values.keys() | outcomes


def action_schema(ruleset: Ruleset, action: Action[Any, Any, Any]) -> dict[str, Any]:
    """Describe the fields of an action's answers, with what they refer to put in."""
    schema = ANSWERS[ruleset.id, action.name].json_schema()
    parts = schema.get("$defs", {})

    def whole(part: Any) -> Any:
        if isinstance(part, list):
            return [whole(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return whole(parts[part["$ref"].rpartition("/")[2]])
        return {name: whole(inner) for name, inner in part.items()}

    properties: dict[str, Any] = whole(schema["properties"])
    return properties


def enum_words(schema: Any) -> set[str]:
    """Find all words that a schema lists."""
    if isinstance(schema, dict):
        listed = schema["enum"] if isinstance(schema.get("enum"), list) else []
        own = {word for word in listed if isinstance(word, str)}
        return own.union(*(enum_words(inner) for inner in schema.values()))
    if isinstance(schema, list):
        return set[str]().union(*(enum_words(inner) for inner in schema))
    return set()


@pytest.mark.parametrize("code", KINDS)
def test_every_problem_has_a_title_and_a_detail_in_each_language(code: str) -> None:
    kind = KINDS[code]
    assert 400 <= kind.status < 600
    for language in LANGUAGES:
        assert kind.texts[language].title
        assert kind.texts[language].detail


def test_every_field_message_exists_in_each_language() -> None:
    for messages in FIELD_MESSAGES.values():
        assert set(messages) == set(LANGUAGES)


def test_every_case_file_belongs_to_a_ruleset() -> None:
    files = {path.stem for path in Path(__file__).with_name("cases").glob("*.json")}
    assert files == {ruleset.id for ruleset in RULESETS} | {"dice1"}


@every_action
def test_a_request_is_frozen_strict_and_closed(ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
    assert ruleset.rules_version >= 1
    assert issubclass(action.request, ActionRequest)
    for part in [
        action.request,
        *(one for _, field in own_fields(action.request) for one in parts_of(field.annotation)),
    ]:
        assert part.model_config.get("frozen")
        assert part.model_config.get("strict")
        assert part.model_config.get("extra") == "forbid"


def test_whatever_the_rules_hand_on_is_frozen() -> None:
    modules = [import_module(module.name) for module in pkgutil.walk_packages(rules.__path__, "app.rules.")]
    owned = (one for module in modules for one in vars(module).values() if isinstance(one, type))
    handed_on: list[Any] = [one for one in owned if is_dataclass(one) and one.__module__.startswith("app.")]
    assert handed_on
    assert [one for one in handed_on if not (one.__dataclass_params__.frozen or _is_record(one))] == []


def _is_record(kind: type) -> bool:
    """Say whether the type checker holds a dataclass frozen, though the interpreter does not."""
    return "frozen_default=True" in inspect.getsource(record) and "@record\n" in inspect.getsource(kind)


def test_the_fields_of_a_request_are_its_own_and_those_of_its_parts_by_path() -> None:
    (contest,) = (action for one in RULESETS if one.id == "zrps" for action in one.actions[1:])
    assert [path for path, _ in own_fields(contest.request)] == [
        "contestants",
        "contestants.name",
        "contestants.values",
        "contestants.modifiers",
        "contestants.modifiers.value",
        "contestants.modifiers.label",
    ]


def test_a_field_without_words_is_noticed() -> None:
    with pytest.raises(KeyError):
        RULESETS[0].catalog["en"].field_label("contestants.nothing")
