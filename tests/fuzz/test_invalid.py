"""A request with very many errors is answered from a shorter one, which has no errors but its own."""

import json
from typing import Any

import jiter
import pytest
from hypothesis import HealthCheck, example, given, settings
from pydantic import ValidationError

from app.http.invalid import (
    LARGE,
    LONGEST,
    MANY,
    _errors_of,
    _field_errors,
    _of_excess,
    _Shortening,
    validated,
)
from app.http.problem import MAX_ERRORS, Problem
from tests.fuzz.excess import FORMS
from tests.fuzz.made import SINGLES, Sent, hostile

FORMED = [(path, request) for path, request in SINGLES if path in FORMS]


def errors_of(problem: Problem) -> set[tuple[str, str]]:
    return {(error.pointer, error.code) for error in problem.errors}


@settings(max_examples=500, suppress_health_check=list(HealthCheck))
@given(hostile(FORMED))
@example(Sent("/v1/zrps/contest", b'{"contestants":[{"values":[]},{"values":[]},{"values":[]},1],"a":1}'))
@example(Sent("/v1/zrps/roll", b'{"value":1,"faces":[%s"x"]}' % (b"1," * LONGEST)))
@example(Sent("/v1/zrps/roll", b'{"value":1,"modifiers":[%s]}' % b",".join([b'{"value":1}'] * 51)))
@example(Sent("/v1/three-marks/roll", b'{"advantage":0,"effects":[%s]}' % b",".join([b'"wall"'] * 60)))
@example(Sent("/v1/zrps/roll", b'{"value":1,%s}' % b",".join(b'"%d":1' % n for n in range(MANY))))
def test_a_shorter_request_has_only_errors_of_the_whole_and_some_of_them(sent: Sent) -> None:
    form = FORMS[sent.path][0]
    try:
        value = jiter.from_json(sent.body, catch_duplicate_keys=True, allow_inf_nan=False)
    except ValueError:
        return
    shortened = _Shortening(form, value)
    try:
        form.model_validate_json(sent.body)
    except ValidationError as error:
        whole = _field_errors(error) + shortened.too_many + shortened.cut
        shorter = shortened.too_many + _errors_of(form, shortened.left) or shortened.cut
        some = {(one.pointer, one.code) for one in shorter}
        # Of a list that is too long it may also be said that it names something twice, and what is wrong with
        # its entries, at which the validator does not look.
        twice = {(one.pointer, "duplicate") for one in shortened.too_many}
        within = tuple(f"{one.pointer}/" for one in shortened.too_many)
        assert some
        outside = {(pointer, code) for pointer, code in some if not pointer.startswith(within)}
        assert outside <= {(one.pointer, one.code) for one in whole} | twice
    else:
        assert _of_excess(form, value) == []


def problem_of(path: str, **fields: Any) -> Problem:
    with pytest.raises(Problem) as raised:
        validated(FORMS[path][0], json.dumps(fields).encode(), fields)
    return raised.value


def test_a_list_that_is_far_too_long_is_said_so_first() -> None:
    problem = problem_of("/v1/zrps/roll", value=1, modifiers=[5] * 20_000)
    assert (problem.errors[0].pointer, problem.errors[0].code) == ("/modifiers", "too_many")
    assert (problem.errors[1].pointer, problem.errors[1].code) == ("/modifiers/0", "wrong_type")
    assert problem.facts["count"] == len(problem.errors) > MAX_ERRORS


def test_right_faces_with_very_many_wrong_ones_behind_them_are_too_many() -> None:
    problem = problem_of("/v1/zrps/roll", value=1, faces=[1] * LONGEST + [21] * (MANY + 1))
    assert errors_of(problem) == {("/faces", "too_many")}


@pytest.mark.parametrize("many", [MANY, MANY + 1])
def test_wrong_faces_among_right_ones_are_each_pointed_at(many: int) -> None:
    problem = problem_of("/v1/zrps/roll", value=1, faces=[1] * 9 + [21] * many)
    assert errors_of(problem) == {(f"/faces/{9 + place}", "out_of_range") for place in range(many)}


@pytest.mark.parametrize("size", [LARGE // 20, LARGE])
def test_what_is_missing_beside_very_many_unknown_names_is_said(size: int) -> None:
    problem = problem_of("/v1/zrps/roll", **{f"name {number}": 1 for number in range(size)})
    assert ("/value", "missing") in errors_of(problem)
    assert len(problem.errors) == 1 + MAX_ERRORS


def test_a_large_request_without_excess_is_taken() -> None:
    modifiers = [{"value": 1, "label": "Würfel" * 16}] * 50
    request = {"value": 1, "modifiers": modifiers, "faces": [1] * 3000}
    text = json.dumps(request).encode()
    assert len(text) > LARGE
    assert validated(FORMS["/v1/zrps/roll"][0], text, request).model_dump(include={"faces"}) == {
        "faces": (1,) * 3000
    }
