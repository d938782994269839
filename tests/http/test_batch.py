"""Batches: each item as its single call, none spoiling another, in slices."""

import asyncio
import json
import random
from typing import Any

import httpx
import pytest

from app.http import batch as batch_module
from app.http.batch import MAX_DICE, SLICE
from app.http.call import Call, ClientGone
from app.main import create_app
from app.rules.registry import RULESETS
from app.settings import Settings
from tests.cases_reader import cases_of
from tests.serving import Server, serving

URL = "/v1/batch"


def batch(client: httpx.Client, **body: Any) -> dict[str, Any]:
    answer = client.post(URL, json=body)
    assert answer.status_code == 200, answer.text
    got: dict[str, Any] = answer.json()
    return got


def roll(**request: Any) -> dict[str, Any]:
    return {"ruleset": "zrps", "action": "roll", "request": request}


def problem(answer: httpx.Response) -> tuple[int, str, list[tuple[str, str]]]:
    document = answer.json()
    errors = [(error["pointer"], error["code"]) for error in document.get("errors", [])]
    return answer.status_code, document["code"], errors


REFS = ["goblin 1", "goblin 2", "", "ü" * 100, "x" * 101, 5, None]
"""References that items have; the last three are none."""


def mixed_items(number: int) -> list[dict[str, Any]]:
    """Draw items from the worked examples of all rulesets, refusals included."""
    chance = random.Random("mixed batch")  # noqa: S311  a test wants the same items each time
    cases = [case for ruleset in RULESETS for case in cases_of(ruleset.id)]
    items = []
    for case in chance.choices(cases, k=number):
        request = dict(case["request"])
        if chance.random() < 0.6:
            request.pop("faces", None)
        if chance.random() < 0.6:
            request["ref"] = chance.choice(REFS)
        item = {name: case[name] for name in ("ruleset", "action")} | {"request": request}
        if chance.random() < 0.2:
            item["odds"] = True
        items.append(item)
    return items


def test_every_item_of_a_mixed_batch_equals_its_single_call(client: httpx.Client) -> None:
    items = mixed_items(1000)
    answer = batch(client, seed="mixed ä", items=items)
    assert (answer["seed"], answer["source"]) == ("mixed ä", "client_seed")
    statuses = set()
    for place, (item, result) in enumerate(zip(items, answer["results"], strict=True)):
        request = dict(item["request"])
        path = f"/v1/{item['ruleset']}/{item['action']}"
        if item.get("odds"):
            path += "/odds"
        elif item["action"] != "amount" and not any(
            request.get(name) is not None for name in ("seed", "nonce", "faces")
        ):
            request["seed"] = f"mixed ä#{place}"
        single = client.post(path, json=request)
        statuses.add(result["status"])
        ref = request.get("ref")
        assert result["ref"] == (None if ref in REFS[4:] else ref)
        assert result["status"] == single.status_code, (item, result)
        if single.status_code == 200:
            assert json.dumps(result["answer"]) == json.dumps(single.json())
        else:
            assert result["problem"]["code"] == single.json()["code"]
            assert result["problem"].get("errors") == single.json().get("errors")
    assert statuses >= {200, 422}


def test_an_item_is_the_single_call_to_the_byte(client: httpx.Client) -> None:
    single = client.post("/v1/zrps/roll", json={"value": 11, "seed": "b#0"}).content
    whole = client.post(URL, json={"seed": "b", "items": [roll(value=11)]}).content
    assert (
        whole
        == b'{"seed":"b","source":"client_seed","results":[{"status":200,"ref":null,"answer":%s}]}' % single
    )


def test_twelve_goblins_in_a_few_lines(client: httpx.Client) -> None:
    goblins = [{"request": {"ref": f"goblin {number}"}} for number in range(12)]
    answer = batch(
        client,
        defaults={"ruleset": "pathfinder2e", "action": "roll", "request": {"check": "save", "dc": 17}},
        items=goblins,
    )
    assert [result["ref"] for result in answer["results"]] == [f"goblin {number}" for number in range(12)]
    assert {result["status"] for result in answer["results"]} == {200}
    assert answer["source"] == "server_seed"
    assert [result["answer"]["seed"] for result in answer["results"]] == [
        f"{answer['seed']}#{number}" for number in range(12)
    ]
    assert {result["answer"]["source"] for result in answer["results"]} == {"server_seed"}


def test_a_thousand_items_with_every_third_refused_come_back_in_order(client: httpx.Client) -> None:
    items = [roll(value="x" if place % 3 == 2 else 11, ref=str(place)) for place in range(1000)]
    results = batch(client, seed="s", items=items)["results"]
    assert [result["status"] for result in results] == [
        422 if place % 3 == 2 else 200 for place in range(1000)
    ]
    assert [result["ref"] for result in results] == [str(place) for place in range(1000)]


@pytest.mark.parametrize(
    ("defaults", "own", "merged"),
    [
        ({"value": 5, "modifiers": [{"value": 1}]}, {}, {"value": 5, "modifiers": [{"value": 1}]}),
        ({"value": 5, "modifiers": [{"value": 1}]}, {"modifiers": []}, {"value": 5, "modifiers": []}),
        ({"value": 5, "modifiers": [{"value": 1}]}, {"modifiers": None}, {"value": 5}),
        ({"value": 5, "seed": "d"}, {"faces": [3]}, {"value": 5, "faces": [3]}),
        ({"value": 5, "faces": [3]}, {"seed": "own"}, {"value": 5, "seed": "own"}),
        ({"value": 5, "faces": [3]}, {"seed": None}, {"value": 5, "faces": [3]}),
        ({"value": 5, "faces": [3]}, {"faces": None}, {"value": 5, "seed": "b#0"}),
        ({"value": 5, "seed": "d"}, {"value": 7}, {"value": 7, "seed": "d"}),
    ],
)
def test_an_item_is_merged_over_the_defaults(
    defaults: dict[str, Any], own: dict[str, Any], merged: dict[str, Any], client: httpx.Client
) -> None:
    answer = batch(
        client,
        seed="b",
        defaults={"ruleset": "zrps", "action": "roll", "request": defaults},
        items=[{"request": own}],
    )
    merged = merged if {"seed", "faces"} & merged.keys() else merged | {"seed": "b#0"}
    assert answer["results"][0]["answer"] == client.post("/v1/zrps/roll", json=merged).json()


@pytest.mark.parametrize(
    ("item", "status", "code", "errors"),
    [
        ({"ruleset": "nope", "action": "roll", "request": {}}, 404, "not_found", None),
        ({"ruleset": "zrps", "action": "nope", "request": {}}, 404, "not_found", None),
        ({"ruleset": "dice", "action": "roll", "request": {}, "odds": True}, 404, "not_found", None),
        ([], 422, "validation", [("", "wrong_type")]),
        (None, 422, "validation", [("", "wrong_type")]),
        ({}, 422, "validation", [("/ruleset", "missing"), ("/action", "missing"), ("/request", "missing")]),
        ({**roll(value=1), "more": 1}, 422, "validation", [("/more", "unknown_field")]),
        ({**roll(value=1), "odds": 1}, 422, "validation", [("/odds", "wrong_type")]),
        ({**roll(), "request": []}, 422, "validation", [("/request", "wrong_type")]),
        (roll(value=1, foo=None), 422, "validation", [("/foo", "unknown_field")]),
        (roll(value=1, seed="a", nonce="b"), 422, "seed_and_faces", [("/nonce", "seed_and_faces")]),
        ({**roll(value=1, seed="a"), "odds": True}, 422, "validation", [("/seed", "unknown_field")]),
    ],
)
def test_a_wrong_item_has_a_problem_of_its_own(
    item: Any, status: int, code: str, errors: list[tuple[str, str]] | None, client: httpx.Client
) -> None:
    answer = client.post(URL, json={"seed": "b", "items": [item, roll(value=11)]})
    wrong, right = answer.json()["results"]
    assert right["status"] == 200
    assert (wrong["status"], wrong["problem"]["code"]) == (status, code)
    got = wrong["problem"].get("errors")
    assert (got and [(error["pointer"], error["code"]) for error in got]) == errors
    assert wrong["problem"]["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("body", "status", "code", "errors"),
    [
        ({}, 422, "validation", [("/items", "missing")]),
        ({"items": []}, 422, "validation", [("/items", "too_few")]),
        ({"items": [{}] * 1001}, 422, "validation", [("/items", "too_many")]),
        ({"items": {}}, 422, "validation", [("/items", "wrong_type")]),
        ({"items": [{}], "seed": "x" * 121}, 422, "validation", [("/seed", "too_long")]),
        ({"items": [{}], "seed": "\t"}, 422, "validation", [("/seed", "format")]),
        ({"items": [{}], "nonce": "x" * 121}, 422, "validation", [("/nonce", "too_long")]),
        ({"items": [{}], "seed": "a", "nonce": "b"}, 422, "seed_and_faces", [("/nonce", "seed_and_faces")]),
        ({"items": [{}], "nonce": "b"}, 422, "nonces_off", [("/nonce", "nonces_off")]),
        ({"items": [{}], "faces": [1]}, 422, "validation", [("/faces", "unknown_field")]),
        (
            {"items": [{}], "defaults": {"request": 1, "x": 1}},
            422,
            "validation",
            [("/defaults/request", "wrong_type"), ("/defaults/x", "unknown_field")],
        ),
    ],
)
def test_a_wrong_batch_is_refused_whole(
    body: dict[str, Any], status: int, code: str, errors: list[tuple[str, str]], client: httpx.Client
) -> None:
    assert problem(client.post(URL, json=body)) == (status, code, errors)


@pytest.mark.parametrize(
    "number", ["1e400", "-1e400", "1E+400", "1e0400", "7" * 320 + ".0", "7" * 230 + "e99"]
)
@pytest.mark.parametrize("place", ["item", "defaults"])
def test_infinity_anywhere_makes_the_batch_unreadable(number: str, place: str, client: httpx.Client) -> None:
    requests = {"item": '{"value":1}', "defaults": '{"value":1}'} | {place: f'{{"value":{number}}}'}
    answer = client.post(
        URL,
        content=f'{{"defaults":{{"request":{requests["defaults"]}}},"items":'
        f'[{{"ruleset":"zrps","action":"roll","request":{requests["item"]}}}]}}',
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")


def test_a_very_long_integer_in_an_item_is_out_of_range_there(client: httpx.Client) -> None:
    item = '{"ruleset":"zrps","action":"roll","request":{"value":%s}}' % ("7" * 5000)
    (result,) = client.post(URL, content=f'{{"items":[{item}]}}').json()["results"]
    assert (result["status"], result["problem"]["errors"][0]["code"]) == (422, "out_of_range")


@pytest.mark.parametrize("label", ["1e400", "7" * 100, "a 1e999"])
def test_what_looks_like_infinity_in_a_text_is_a_text(label: str, client: httpx.Client) -> None:
    answer = client.post(URL, json={"items": [roll(value=1, ref=label)]}).json()
    assert answer["results"][0]["ref"] == label


def test_a_batch_may_have_a_mebibyte_and_no_more(client: httpx.Client) -> None:
    body = json.dumps({"items": [roll(value=1)]}).encode()
    assert client.post(URL, content=body.ljust(1024 * 1024)).status_code == 200
    assert problem(client.post(URL, content=body.ljust(1024 * 1024 + 1)))[:2] == (413, "too_large")


def test_the_dice_of_all_items_are_counted_before_any_falls(client: httpx.Client) -> None:
    most = [{"ruleset": "dice", "action": "roll", "request": {"sides": 6, "count": 1000}}] * (
        MAX_DICE // 1000
    )
    assert len(batch(client, seed="b", items=most)["results"]) == 20
    one_more = problem(client.post(URL, json={"seed": "b", "items": [*most, roll(value=1)]}))
    assert one_more == (422, "too_many_dice", [("/items", "too_many_dice")])
    odds_and_amounts = [
        {**roll(value=1), "odds": True},
        {"ruleset": "pathfinder2e", "action": "amount", "request": {"value": 7}},
    ]
    assert len(batch(client, seed="b", items=[*most, *odds_and_amounts])["results"]) == 22


@pytest.mark.parametrize(
    ("item", "dice"),
    [
        (roll(value=1), 1),
        ({"ruleset": "zrps", "action": "contest", "request": {"contestants": [{"values": [1]}] * 2}}, 2),
        ({"ruleset": "pathfinder2e", "action": "roll", "request": {"fortune": True}}, 2),
        ({"ruleset": "pathfinder2e", "action": "roll", "request": {"fortune": True, "misfortune": True}}, 1),
        ({"ruleset": "v20", "action": "roll", "request": {"attribute": 3, "ability": 2}}, 5),
        ({"ruleset": "v20", "action": "roll", "request": {"pool": 7}}, 7),
        ({"ruleset": "scorekeeper", "action": "roll", "request": {"attribute": 1, "take_ten": True}}, 1),
        (
            {
                "ruleset": "scorekeeper",
                "action": "extended",
                "request": {"attribute": 1, "target_effect": 9, "max_rolls": 70},
            },
            70,
        ),
        ({"ruleset": "three-marks", "action": "roll", "request": {"advantage": 0}}, 1),
    ],
)
def test_an_item_counts_the_dice_that_it_may_throw(
    item: dict[str, Any], dice: int, client: httpx.Client
) -> None:
    most = [{"ruleset": "dice", "action": "roll", "request": {"sides": 6, "count": 1000}}] * 19
    rest = {"ruleset": "dice", "action": "roll", "request": {"sides": 6, "count": 1000 - dice}}
    assert client.post(URL, json={"items": [*most, rest, item]}).status_code == 200
    rest["request"] = {"sides": 6, "count": 1001 - dice}
    assert client.post(URL, json={"items": [*most, rest, item]}).status_code == 422


def test_one_language_speaks_for_all_items(client: httpx.Client) -> None:
    answer = client.post(URL + "?lang=de", json={"seed": "b", "items": [roll(value=11), roll()]})
    assert answer.headers["content-language"] == "de"
    right, wrong = answer.json()["results"]
    assert right["answer"]["text"].startswith("Wurf ")
    assert wrong["problem"]["title"] == "Die Anfrage ist nicht gültig"


@pytest.mark.parametrize("query", ["odds=true", "exact=false", "request=1", "receipt=yes", "lang=de&lang=de"])
def test_other_parameters_are_refused(query: str, client: httpx.Client) -> None:
    assert problem(client.post(f"{URL}?{query}", json={"items": [roll(value=1)]}))[:2] == (
        400,
        "unknown_parameter",
    )


def test_a_batch_has_no_get(client: httpx.Client) -> None:
    answer = client.get(URL)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST, OPTIONS")


def test_a_nonce_keys_the_whole_batch() -> None:
    body = {"nonce": "campaign 7, round 3", "items": [roll(value=11), roll(value=11, nonce="own")]}
    with serving(WURF_NONCE_SECRET="s" * 32) as one, serving(WURF_NONCE_SECRET="s" * 32) as other:
        first, second = (httpx.post(server.url + URL, json=body) for server in (one, other))
    assert first.content == second.content
    assert first.json()["source"] == "server_keyed"
    derived, own = (result["answer"] for result in first.json()["results"])
    assert (derived["seed"], derived["source"]) == (first.json()["seed"] + "#0", "server_keyed")
    assert own["source"] == "server_keyed"


def call_of(body: bytes, messages: asyncio.Queue[dict[str, Any]]) -> Call:
    app = create_app(Settings())
    messages.put_nowait({"type": "http.request", "body": body})
    scope = {"type": "http", "method": "POST", "path": URL, "query_string": b"", "headers": []}
    return Call(scope, messages.get, app.service, b"test")


def desk() -> batch_module.BatchDesk:
    from app.main import _router_of  # noqa: PLC0415  only these two tests look inside

    return batch_module.BatchDesk([_router_of(ruleset) for ruleset in RULESETS])


def test_a_batch_lets_others_go_first_after_each_slice() -> None:
    """Another task gets its turn at least once for each slice of work, counted, not timed."""
    items = 10 * SLICE

    async def count_turns() -> int:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        body = json.dumps({"seed": "b", "items": [roll(value=11)] * items}).encode()
        reply = await desk().post(call_of(body, asyncio.Queue()))
        task.cancel()
        assert reply.body.count(b'"status":200') == items
        return turns

    # Reading the items is as much work again as rolling them.
    assert 2 * items // SLICE <= asyncio.run(count_turns()) <= 2 * items // SLICE + 5


def test_a_client_that_hangs_up_stops_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    rolled = 0
    really = batch_module._Answering.roll

    def counted(answering: Any, item: Any, ref: str | None) -> None:
        nonlocal rolled
        rolled += 1
        if rolled == SLICE // 2:
            messages.put_nowait({"type": "http.disconnect"})
        really(answering, item, ref)

    messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    monkeypatch.setattr(batch_module._Answering, "roll", counted)
    body = json.dumps({"seed": "b", "items": [roll(value=11)] * 1000}).encode()
    with pytest.raises(ClientGone):
        asyncio.run(desk().post(call_of(body, messages)))
    assert rolled <= 3 * SLICE


def test_a_batch_answers_many_clients_at_once(server: Server) -> None:
    async def ask_all() -> list[bytes]:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
            body = {"seed": "b", "items": mixed_items(100)}
            answers = await asyncio.gather(*(client.post(URL, json=body) for _ in range(8)))
            return [answer.content for answer in answers]

    answers = [json.loads(answer) for answer in asyncio.run(ask_all())]
    rolls = [[result.get("answer") for result in answer["results"]] for answer in answers]
    assert all(one == rolls[0] for one in rolls)
