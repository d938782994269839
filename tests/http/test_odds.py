"""Odds over HTTP: the same answer for everyone, kept by caches and by the service itself."""

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

import httpx
import pytest
from pydantic import TypeAdapter

import app.http.odds as odds_module
from app.http.actions import RulesetRouter
from app.http.describe import Example
from app.http.edge import Wurf
from app.http.odds import OddsDesk, WorkedOut
from app.main import create_app
from app.rules.answer import ODDS_ANSWER_TYPES
from app.rules.odds import odds
from app.settings import Settings
from tests.http.counted import lookups, own_desk
from tests.rules.made_requests import ACTIONS, Fields, Key

REQUESTS: Final[dict[Key, Fields]] = {
    ("pathfinder2e", "roll"): {"attribute_modifier": 4, "dc": 15, "fortune": True},
    ("v20", "roll"): {"pool": 3, "difficulty": 7, "specialty": {"trait": 4, "tens": "reroll"}},
    ("scorekeeper", "roll"): {"attribute": 14, "handicap": 3},
    ("scorekeeper", "contest"): {"contestants": [{"attribute": 14, "name": "Olaf"}, {"attribute": 11}]},
    ("scorekeeper", "extended"): {"attribute": 15, "target_effect": 10, "max_rolls": 3},
    ("zrps", "roll"): {"value": 11},
    ("zrps", "contest"): {"contestants": [{"values": [8, 13]}, {"values": [12]}]},
    ("three-marks", "roll"): {"advantage": 0, "damage": 5, "effects": ["exposed"]},
}
ZRPS: Final = "/v1/zrps/roll"
NAMING: Final = ("ruleset", "action", "rules_version")
NOT_FOR_SHARING: Final = re.compile(r"x-request-id|ratelimit.*|content-language|vary")

every_action = pytest.mark.parametrize("key", REQUESTS, ids="-".join)


def path_of(key: Key) -> str:
    return "/v1/{}/{}".format(*key)


def in_query(request: Fields, **more: str) -> dict[str, str]:
    return {"request": json.dumps(request), **more}


def get_odds(
    client: httpx.Client,
    request: Fields,
    path: str = ZRPS,
    headers: dict[str, str] | None = None,
    parameters: dict[str, str] | None = None,
) -> httpx.Response:
    """Ask for odds by GET."""
    return client.get(f"{path}/odds", params=in_query(request, **parameters or {}), headers=headers)


def shared_headers(answer: httpx.Response) -> dict[str, str]:
    """Leave out of the headers what the clock says."""
    return {name: value for name, value in answer.headers.items() if name != "date"}


def test_every_action_that_has_odds_is_asked_for_them_here() -> None:
    assert REQUESTS.keys() == ACTIONS.keys()


# The answer.


@every_action
def test_post_and_get_give_the_odds_of_the_rules_in_the_same_bytes(client: httpx.Client, key: Key) -> None:
    posted = client.post(f"{path_of(key)}/odds", json=REQUESTS[key])
    got = get_odds(client, REQUESTS[key], path_of(key))
    assert (posted.status_code, got.status_code) == (200, 200)
    assert posted.content == got.content
    assert posted.headers["content-type"] == got.headers["content-type"] == "application/json"
    ruleset, action = ACTIONS[key]
    read = action.request.model_validate_json(json.dumps(REQUESTS[key]))
    assert got.json() == json.loads(json.dumps(odds(ruleset, action, read, exact=True)))


@every_action
def test_the_answer_has_the_fields_of_its_description(client: httpx.Client, key: Key) -> None:
    for exact in ("true", "false"):
        answer = get_odds(client, REQUESTS[key], path_of(key), parameters={"exact": exact}).json()
        described: Any = ODDS_ANSWER_TYPES[key]
        assert TypeAdapter(described).validate_json(json.dumps(answer), strict=True) == answer
        assert list(answer)[:7] == [*NAMING, "outcomes", "success", "quantity", "distribution"]
        assert set(answer) <= set(described.__annotations__)


@every_action
def test_exact_fractions_can_be_left_out(client: httpx.Client, key: Key) -> None:
    path = path_of(key)
    plain = get_odds(client, REQUESTS[key], path)
    with_them = get_odds(client, REQUESTS[key], path, parameters={"exact": "true"})
    without = get_odds(client, REQUESTS[key], path, parameters={"exact": "false"})
    posted = client.post(f"{path}/odds?exact=false", json=REQUESTS[key])
    assert plain.content == with_them.content
    assert b'"exact"' in plain.content
    assert b'"exact"' not in without.content
    assert posted.content == without.content
    for name in ("outcomes", "distribution"):
        assert without.json()[name] == [
            {member: value for member, value in row.items() if member != "exact"}
            for row in plain.json()[name]
        ]
    assert plain.headers["etag"] != without.headers["etag"]


def test_posted_odds_are_not_kept(client: httpx.Client) -> None:
    posted = client.post(f"{ZRPS}/odds", json={"value": 11})
    assert posted.headers["cache-control"] == "no-store"
    assert "etag" not in posted.headers


# Caching.


@every_action
def test_got_odds_have_a_strong_tag_and_may_be_kept_by_anyone(client: httpx.Client, key: Key) -> None:
    got = get_odds(client, REQUESTS[key], path_of(key))
    assert got.headers["etag"] == f'"{sha256(got.content).hexdigest()[:32]}"'
    assert got.headers["cache-control"] == "public, max-age=3600"
    assert int(got.headers["content-length"]) == len(got.content)


def test_what_is_the_same_question_has_the_same_tag_and_another_one_another(client: httpx.Client) -> None:
    tag = get_odds(client, {"value": 11}).headers["etag"]
    for same in ({"value": 11, "ref": "r"}, {"modifiers": [], "value": 11}, {"value": 11, "modifiers": None}):
        assert get_odds(client, same).headers["etag"] == tag
    assert get_odds(client, {"value": 12}).headers["etag"] != tag


@pytest.mark.parametrize(
    "form", ["{}", "W/{}", '"other", {}', '"other",W/{}', '{}, W/"other"', "{} , W/{}", "*"]
)
def test_what_the_client_holds_is_not_sent_again(client: httpx.Client, form: str) -> None:
    whole = get_odds(client, {"value": 11})
    again = get_odds(
        client, {"value": 11}, headers={"If-None-Match": form.replace("{}", whole.headers["etag"])}
    )
    assert (again.status_code, again.content) == (304, b"")
    unsent = {"content-type", "content-length"}
    assert shared_headers(again) == {
        name: value for name, value in shared_headers(whole).items() if name not in unsent
    }


@pytest.mark.parametrize("form", ['"other"', 'W/"other"', '"a", "b"', "{unquoted}", ""])
def test_what_the_client_does_not_hold_is_sent(client: httpx.Client, form: str) -> None:
    whole = get_odds(client, {"value": 11})
    held = form.format(unquoted=whole.headers["etag"].strip('"'))
    again = get_odds(client, {"value": 11}, headers={"If-None-Match": held})
    assert (again.status_code, again.content) == (200, whole.content)


def test_no_header_differs_from_caller_to_caller(client: httpx.Client) -> None:
    answers = [
        get_odds(client, {"value": 11}, headers=headers)
        for headers in (
            {},
            {"X-Request-ID": "mine", "Accept-Language": "de", "Origin": "https://table.example"},
            {"Accept-Language": "en", "User-Agent": "another", "Cookie": "a=b", "Authorization": "Bearer x"},
        )
    ]
    assert shared_headers(answers[0]) == shared_headers(answers[1]) == shared_headers(answers[2])
    assert not [name for name in answers[1].headers if NOT_FOR_SHARING.fullmatch(name)]
    assert answers[1].headers["access-control-allow-origin"] == "*"


def test_posted_odds_carry_their_request_id(client: httpx.Client) -> None:
    posted = client.post(f"{ZRPS}/odds", json={"value": 11}, headers={"X-Request-ID": "mine"})
    assert posted.headers["x-request-id"] == "mine"


@every_action
@pytest.mark.parametrize("held", [False, True], ids=["whole", "held"])
def test_head_answers_as_get_does_without_the_body(client: httpx.Client, key: Key, *, held: bool) -> None:
    headers = {"If-None-Match": "*"} if held else {}
    got = get_odds(client, REQUESTS[key], path_of(key), headers)
    head = client.head(f"{path_of(key)}/odds", params=in_query(REQUESTS[key]), headers=headers)
    assert (head.status_code, head.content) == (304 if held else 200, b"")
    assert shared_headers(head) == shared_headers(got)


@every_action
def test_the_language_changes_no_byte(client: httpx.Client, key: Key) -> None:
    english = get_odds(client, REQUESTS[key], path_of(key))
    by_parameter = get_odds(client, REQUESTS[key], path_of(key), parameters={"lang": "de"})
    by_header = get_odds(client, REQUESTS[key], path_of(key), {"Accept-Language": "de-AT"})
    assert english.content == by_parameter.content == by_header.content
    assert english.headers["etag"] == by_parameter.headers["etag"] == by_header.headers["etag"]


# The request.


def test_a_reference_is_taken_and_left_out(client: httpx.Client) -> None:
    with_it = client.post(f"{ZRPS}/odds", json={"value": 11, "ref": "goblin 2"})
    assert with_it.content == client.post(f"{ZRPS}/odds", json={"value": 11}).content
    assert b"goblin" not in with_it.content
    too_long = client.post(f"{ZRPS}/odds", json={"value": 11, "ref": "r" * 101})
    assert errors_of(too_long) == {("/ref", "too_long")}


def errors_of(answer: httpx.Response) -> set[tuple[str, str]]:
    """List the fields that a problem names; none of them twice."""
    assert answer.status_code == 422
    errors = [(error["pointer"], error["code"]) for error in answer.json()["errors"]]
    assert len(set(errors)) == len(errors)
    return set(errors)


@every_action
@pytest.mark.parametrize(
    ("name", "value"), [("seed", "s"), ("seed", 42), ("nonce", "n"), ("faces", [3]), ("faces", [])]
)
def test_dice_are_refused(client: httpx.Client, key: Key, name: str, value: Any) -> None:
    request = REQUESTS[key] | {name: value}
    posted = client.post(f"{path_of(key)}/odds", json=request)
    assert posted.json()["code"] == "validation"
    assert errors_of(posted) == {(f"/{name}", "unknown_field")}
    assert errors_of(get_odds(client, request, path_of(key))) == {(f"/{name}", "unknown_field")}


def test_dice_are_refused_together_with_everything_else(client: httpx.Client) -> None:
    request = {
        "value": "11",
        "modifiers": [{"value": 1}, {"value": 5000}],
        "seed": "s",
        "nonce": "n",
        "faces": [21],
        "more": 1,
    }
    answer = client.post(f"{ZRPS}/odds", json=request)
    assert errors_of(answer) == {
        ("/value", "wrong_type"),
        ("/modifiers/1/value", "out_of_range"),
        ("/seed", "unknown_field"),
        ("/nonce", "unknown_field"),
        ("/faces", "unknown_field"),
        ("/more", "unknown_field"),
    }


def test_null_is_no_dice(client: httpx.Client) -> None:
    nothing = {"value": 11, "seed": None, "nonce": None, "faces": None, "ref": None}
    assert get_odds(client, nothing).content == get_odds(client, {"value": 11}).content


def problem_of(answer: httpx.Response) -> tuple[int, str]:
    """Read a problem that no cache may keep and that the log can find."""
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-request-id"] == answer.json()["request_id"]
    assert "etag" not in answer.headers
    return answer.status_code, answer.json()["code"]


REFUSED: Final = [
    pytest.param(
        "/v1/v20/roll",
        {"pool": 3, "spend_willpower": True, "willpower": 0},
        "no_willpower",
        ("/willpower", "no_willpower"),
        id="Willpower at 0",
    ),
    pytest.param("/v1/v20/roll", {"pool": 101}, "validation", ("/pool", "out_of_range"), id="a pool of 101"),
    pytest.param(
        "/v1/scorekeeper/extended",
        {"attribute": 15, "target_effect": 10, "accumulated": 10},
        "already_reached",
        ("/accumulated", "already_reached"),
        id="already reached",
    ),
    pytest.param(
        "/v1/scorekeeper/contest",
        {"contestants": [{"attribute": 3}, {"attribute": 3, "academic": True}]},
        "academic_untrained",
        ("/contestants/1/skill", "academic_untrained"),
        id="academic and untrained",
    ),
    pytest.param(
        "/v1/pathfinder2e/roll",
        {"dc": 15, "against": {}},
        "dc_and_against",
        ("/against", "dc_and_against"),
        id="two DCs",
    ),
    pytest.param(
        "/v1/three-marks/roll",
        {"advantage": 0, "effects": ["note"]},
        "effect_needs_defense",
        ("/defense", "effect_needs_defense"),
        id="an effect without a defense",
    ),
]


@pytest.mark.parametrize(("path", "request_", "code", "error"), REFUSED)
def test_what_the_rule_refuses_has_no_odds(
    client: httpx.Client, path: str, request_: Fields, code: str, error: tuple[str, str]
) -> None:
    for answer in (
        client.post(f"{path}/odds", json=request_),
        get_odds(client, request_, path),
        get_odds(client, request_, path, {"If-None-Match": "*"}),
        client.post(f"{path}?odds=true", json=request_),
        client.get(path, params=in_query(request_, odds="true")),
    ):
        assert problem_of(answer) == (422, code)
        assert errors_of(answer) == {error}


def test_refusals_of_odds_speak_the_language_of_the_reader(client: httpx.Client) -> None:
    request = {"pool": 3, "spend_willpower": True, "willpower": 0}
    english, german = (
        get_odds(client, request, "/v1/v20/roll", parameters={"lang": lang}) for lang in ("en", "de")
    )
    assert (english.headers["content-language"], german.headers["content-language"]) == ("en", "de")
    assert english.json()["detail"] != german.json()["detail"]


@pytest.mark.parametrize(
    ("method", "address", "problem"),
    [
        ("GET", f"{ZRPS}/odds", (400, "missing_request")),
        ("GET", f"{ZRPS}/odds?request=", (400, "missing_request")),
        ("GET", f"{ZRPS}/odds?request=%7B", (400, "malformed_json")),
        ("GET", f"{ZRPS}/odds?request=%7B%22value%22:1%7D&exact=1", (400, "unknown_parameter")),
        ("GET", f"{ZRPS}/odds?request=%7B%22value%22:1%7D&odds=true", (400, "unknown_parameter")),
        ("POST", f"{ZRPS}/odds?exact=true&exact=true", (400, "unknown_parameter")),
        ("POST", f"{ZRPS}/odds?receipt=true", (400, "unknown_parameter")),
        ("POST", f"{ZRPS}/odds?request=%7B%22value%22:1%7D", (400, "unknown_parameter")),
        ("PUT", f"{ZRPS}/odds", (405, "method_not_allowed")),
        ("POST", f"{ZRPS}/odds/", (404, "not_found")),
    ],
)
def test_what_is_no_question_about_odds_is_a_problem(
    client: httpx.Client, method: str, address: str, problem: tuple[int, str]
) -> None:
    assert problem_of(client.request(method, address, content=b'{"value":11}')) == problem


# Odds beside a roll.


def both_ways(client: httpx.Client, path: str, request: Fields, **parameters: str) -> list[httpx.Response]:
    """Roll by POST and by GET."""
    return [
        client.post(path, json=request, params=parameters),
        client.get(path, params=in_query(request, **parameters)),
    ]


@every_action
@pytest.mark.parametrize("exact", [{}, {"exact": "true"}, {"exact": "false"}], ids=str)
def test_a_roll_can_bring_its_odds(client: httpx.Client, key: Key, exact: dict[str, str]) -> None:
    path = path_of(key)
    request = REQUESTS[key] | {"seed": "odds", "ref": "r"}
    asked = get_odds(client, REQUESTS[key], path, parameters=exact).json()
    rolled = client.post(path, json=request)
    for answer in both_ways(client, path, request, odds="true", **exact):
        assert answer.json() == rolled.json() | {
            "odds": {name: value for name, value in asked.items() if name not in NAMING}
        }
        assert list(answer.json())[-1] == "odds"
        assert answer.content[: len(rolled.content) - 1] == rolled.content[:-1]
        kept = ("cache-control", "content-language", "vary", "content-type")
        assert [answer.headers[name] for name in kept] == [rolled.headers[name] for name in kept]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-request-id"]
    for answer in both_ways(client, path, request, odds="false"):
        assert answer.content == rolled.content


@pytest.mark.parametrize("origin", [{"seed": 42}, {"faces": [3]}, {}], ids=str)
def test_the_origin_of_the_faces_changes_nothing_about_the_odds(client: httpx.Client, origin: Fields) -> None:
    asked = get_odds(client, {"value": 11}).json()
    rolled = client.post(f"{ZRPS}?odds=true", json={"value": 11, **origin}).json()
    assert rolled["odds"]["outcomes"] == asked["outcomes"]
    assert rolled["odds"]["distribution"] == asked["distribution"]


def test_a_roll_that_is_refused_brings_no_odds(client: httpx.Client) -> None:
    for answer in both_ways(client, ZRPS, {"value": 11, "faces": [3, 4]}, odds="true"):
        assert problem_of(answer) == (422, "faces_count")


@pytest.mark.parametrize(
    "parameters",
    [
        *({"exact": "true"}, {"exact": "false"}, {"exact": "true", "odds": "false"}),
        *({"odds": value} for value in ("maybe", "1", "0", "TRUE", "yes", "")),
        *({"odds": "true", "exact": value} for value in ("maybe", "0", "")),
        {"odd": "true"},
    ],
    ids=str,
)
def test_parameters_about_odds_are_true_or_false_and_exact_is_about_odds(
    client: httpx.Client, parameters: dict[str, str]
) -> None:
    for answer in both_ways(client, ZRPS, {"value": 11, "seed": "s"}, **parameters):
        assert problem_of(answer) == (400, "unknown_parameter")
        assert "odds" in answer.json()["detail"]


def test_a_parameter_stands_once(client: httpx.Client) -> None:
    twice = client.post(f"{ZRPS}?odds=true&odds=true", json={"value": 11})
    assert problem_of(twice) == (400, "unknown_parameter")


@pytest.mark.parametrize(
    ("path", "request_"),
    [("/v1/pathfinder2e/amount", {"value": 7}), ("/v1/dice/roll", {"sides": 6, "count": 2})],
)
def test_where_there_are_no_odds_none_can_be_asked_for(
    client: httpx.Client, path: str, request_: Fields
) -> None:
    for parameters in ({"odds": "true"}, {"odds": "false"}, {"exact": "false"}):
        for answer in both_ways(client, path, request_, **parameters):
            assert problem_of(answer) == (400, "unknown_parameter")
    assert problem_of(client.post(f"{path}/odds", json=request_)) == (404, "not_found")
    assert problem_of(get_odds(client, request_, path)) == (404, "not_found")


# What the service remembers.


def in_process(
    application: Wurf, ask: Callable[[httpx.AsyncClient], Coroutine[Any, Any, list[httpx.Response]]]
) -> list[httpx.Response]:
    """Ask an application in this process, where a test can look inside."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://wurf") as connected:
            return await ask(connected)

    return asyncio.run(run())


@every_action
def test_the_second_answer_comes_from_memory_in_the_same_bytes(key: Key) -> None:
    application = create_app(Settings())
    desk = application.service.odds
    path = f"{path_of(key)}/odds"

    async def ask(connected: httpx.AsyncClient) -> list[httpx.Response]:
        return [
            await connected.get(path, params=in_query(REQUESTS[key])),
            await connected.get(path, params=in_query(REQUESTS[key])),
            await connected.post(path, json=REQUESTS[key] | {"ref": "another"}),
        ]

    answers = in_process(application, ask)
    assert lookups(desk) == (1, 2)
    assert [answer.status_code for answer in answers] == [200] * 3
    assert answers[0].content == answers[1].content == answers[2].content
    assert answers[0].headers == answers[1].headers


def test_a_roll_that_differs_in_its_dice_alone_finds_its_odds_in_memory() -> None:
    application = create_app(Settings(nonce_secret="s" * 32))
    desk = application.service.odds

    async def ask(connected: httpx.AsyncClient) -> list[httpx.Response]:
        return [
            await connected.post(f"{ZRPS}?odds=true", json={"value": 11, **differing})
            for differing in ({}, {"seed": "a"}, {"seed": "b", "ref": "r"}, {"faces": [3]}, {"nonce": "n"})
        ] + [await connected.get(f"{ZRPS}/odds", params=in_query({"value": 11}))]

    *rolls, asked = in_process(application, ask)
    assert lookups(desk) == (1, 5)
    assert all(roll.json()["odds"]["mean"] == asked.json()["mean"] for roll in rolls)


def test_what_asks_for_something_else_is_not_taken_for_the_same() -> None:
    """Each of these differs from each other in one thing alone."""
    application = create_app(Settings())
    questions = [
        (ZRPS, "", {"value": 11}),
        (ZRPS, "?exact=false", {"value": 11}),
        (ZRPS, "", {"value": 12}),
        (ZRPS, "", {"value": 11, "modifiers": [{"value": 2}]}),
        ("/v1/scorekeeper/roll", "", {"attribute": 11}),
        ("/v1/scorekeeper/roll", "", {"attribute": 11, "handicap": 1}),
        ("/v1/pathfinder2e/roll", "", {"dc": 11}),
        ("/v1/pathfinder2e/roll", "", {"attribute_modifier": 11}),
        ("/v1/v20/roll", "", {"pool": 11}),
        ("/v1/v20/roll", "", {"pool": 11, "required": 2}),
    ]

    async def ask(connected: httpx.AsyncClient) -> list[httpx.Response]:
        return [
            await connected.post(f"{path}/odds{query}", json=request)
            for path, query, request in questions
            for _ in range(2)
        ]

    answers = in_process(application, ask)
    assert lookups(application.service.odds) == (10, 10)
    assert [one.content for one in answers[::2]] == [one.content for one in answers[1::2]]
    assert len({one.content for one in answers}) == len(questions)


def worked_out(desk: OddsDesk, key: Key, request: Fields) -> WorkedOut:
    """Ask the desk itself."""
    ruleset, action = ACTIONS[key]
    read = action.request.model_validate_json(json.dumps(request))
    return asyncio.run(desk.work_out(ruleset, action, read, exact=True))


@pytest.mark.parametrize("other", [("other", "roll"), ("zrps", "other")], ids="-".join)
def test_another_rule_with_the_same_fields_is_not_taken_for_the_same(other: Key) -> None:
    desk = own_desk()
    first = worked_out(desk, ("zrps", "roll"), {"value": 11})
    ruleset, action = ACTIONS["zrps", "roll"]
    renamed = replace(ruleset, id=other[0]), replace(action, name=other[1])
    read = action.request.model_validate_json('{"value":11}')
    second = asyncio.run(desk.work_out(*renamed, read, exact=True))
    assert lookups(desk) == (2, 0)
    assert first.etag != second.etag


def test_memory_stays_within_its_bytes_and_forgets_what_was_not_asked_for_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(odds_module, "CACHE_BYTES", 20_000)
    desk = own_desk()
    for value in range(40):
        worked_out(desk, ("zrps", "roll"), {"value": value})
        worked_out(desk, ("zrps", "roll"), {"value": 0})
        assert 0 < desk._known.currsize <= 20_000
    assert lookups(desk)[0] == 40
    worked_out(desk, ("zrps", "roll"), {"value": 39})
    worked_out(desk, ("zrps", "roll"), {"value": 0})
    assert lookups(desk)[0] == 40
    worked_out(desk, ("zrps", "roll"), {"value": 1})
    assert lookups(desk)[0] == 41
    kept = [len(known.part) + len(known.whole) for known in desk._known.values()]
    assert sum(kept) == desk._known.currsize
    assert len(kept) > 3


def test_what_is_larger_than_the_memory_is_worked_out_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odds_module, "CACHE_BYTES", 20_000)
    desk = own_desk()
    first, second = (worked_out(desk, ("v20", "roll"), {"pool": 100}) for _ in range(2))
    assert first == second
    assert (*lookups(desk), len(desk._known)) == (2, 0, 0)


def test_memory_holds_no_request_since_one_may_be_far_larger_than_its_odds() -> None:
    desk = own_desk()
    label = "Ein sehr langer Grund, den jemand in voller Länge aufgeschrieben hat."
    worked_out(desk, ("zrps", "roll"), {"value": 11, "modifiers": [{"value": 0, "label": label}] * 50})
    (key,) = desk._known
    assert len(repr(key)) < 250


def test_odds_that_would_take_too_long_are_a_problem() -> None:
    """No action of the rulesets can ask for as much: V20 can, without its closed form."""
    ruleset, action = ACTIONS["v20", "roll"]
    assert action.odds is not None
    by_walking = replace(action, odds=replace(action.odds, closed_form=None))
    example = Example("A pool", {"pool": 2, "seed": "s"})
    router = RulesetRouter(replace(ruleset, actions=(by_walking,)), {"roll": [example]})
    application = Wurf(create_app(Settings()).service, [router], title="Wurf", version="0")

    async def ask(connected: httpx.AsyncClient) -> list[httpx.Response]:
        path = "/v1/v20/roll"
        return [
            await connected.post(f"{path}/odds", json={"pool": 100}),
            await connected.get(f"{path}/odds", params=in_query({"pool": 100})),
            await connected.post(f"{path}?odds=true", json={"pool": 100}),
            await connected.post(f"{path}/odds", json={"pool": 4}),
        ]

    *too_large, small = in_process(application, ask)
    for answer in too_large:
        assert problem_of(answer) == (422, "odds_too_large")
        assert errors_of(answer) == {("", "odds_too_large")}
    assert small.status_code == 200
