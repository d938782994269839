"""What every answer owes beside its content: methods, headers, languages, documents."""

import hmac
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote, urljoin, urlsplit

import httpx
import pytest

from tests.http.conftest import KEY, ORIGINS, OTHER_KEY, Keyed, Restarted
from tests.http.wire import (
    ATTACK,
    CONTEST,
    ROLL,
    Wire,
    as_json,
    assert_everyone_may_read,
    assert_problem,
    message,
)
from tests.serving import ROOT, Server

DEMO = b'{"value":11,"seed":"demo"}'
GET_DEMO = f"{ROLL}?request={quote(DEMO)}"
UNICODE: dict[str, Any] = {
    "value": 11,
    "modifiers": [{"value": -3, "label": "Öl & Sand + 100 % im Auge = schlecht"}],
    "seed": "Würfel 🎲 #1?/;",
    "ref": "a+b c%20d",
}
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    (ROLL, UNICODE),
    (ROLL, {"value": 14, "faces": [2]}),
    (CONTEST, {"contestants": [{"name": "Jörg", "values": [8, 13]}, {"values": [12]}], "seed": 3}),
    (ATTACK, {"accuracy": 4, "defense_value": 2, "effects": ["exposed", "nimble"], "seed": "x"}),
    (ROLL, {"value": "x", "größe": 1}),
    (ROLL, {"value": 11, "faces": []}),
]
DOCUMENTS = [
    "/livez",
    "/readyz",
    "/v1/info",
    "/v1/rulesets",
    "/v1/rulesets/zrps",
    "/v1/problems",
    "/v1/problems/validation",
    "/openapi.json",
]
FILES = ["/docs", "/docs.js", "/swagger/swagger-ui.css"]
SAME_ID = b"X-Request-ID: the same"


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    """A connection to the shared service."""
    with Wire(server.port) as connected:
        yield connected


def post(wire: Wire, path: str, fields: Any, *headers: bytes) -> httpx.Response:
    return wire.ask(message("POST", path, *headers, body=as_json(fields)))


def assert_spoken(texts: dict[str, str]) -> None:
    """Check that a text stands there in both languages."""
    assert texts.keys() == {"en", "de"}
    for text in texts.values():
        assert isinstance(text, str)
        assert text.strip()


# Methods


@pytest.mark.parametrize(("path", "fields"), REQUESTS)
@pytest.mark.parametrize("language", ["", "lang=de", "lang=en"])
def test_a_get_answers_as_the_post_does(path: str, fields: dict[str, Any], language: str, wire: Wire) -> None:
    body = as_json(fields).decode()
    posted = wire.ask(message("POST", f"{path}?{language}".rstrip("?"), SAME_ID, body=body.encode()))
    plus = quote_plus(body)
    small = re.sub("%[0-9A-F]{2}", lambda escape: escape[0].lower(), plus)
    for encoded in (plus, small, quote(body), quote(body, safe="")):
        query = "&".join(part for part in (f"request={encoded}", language) if part)
        got = wire.ask(message("GET", f"{path}?{query}", SAME_ID))
        assert got.content == posted.content
        assert got.status_code == posted.status_code
        assert got.headers == posted.headers


@pytest.mark.parametrize("path", [*DOCUMENTS, *FILES, GET_DEMO, ROLL, "/nowhere", "/v1/rulesets/none"])
def test_head_answers_as_get_does_without_the_body(path: str, wire: Wire, server: Server) -> None:
    got = wire.ask(message("GET", path, SAME_ID, b"Connection: close"))
    with Wire(server.port) as second:
        second.send(message("HEAD", path, SAME_ID, b"Connection: close"))
        head, end, body = second.rest().partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    assert int(status.split()[1]) == got.status_code
    headers = [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines)]
    assert sorted(headers) == sorted(got.headers.multi_items())
    assert got.content
    assert got.headers["content-length"] == str(len(got.content))
    assert (end, body) == (b"\r\n\r\n", b"")


@pytest.mark.parametrize("path", [*DOCUMENTS, "/docs", ROLL])
def test_a_trailing_slash_leads_nowhere(path: str, wire: Wire) -> None:
    answer = wire.ask(message("GET", path + "/"))
    assert_problem(answer, 404, "not_found")
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        *(("PUT", path, {"GET", "HEAD", "POST"}) for path in (ROLL, CONTEST, ATTACK)),
        *((method, path, {"GET", "HEAD"}) for method in ("POST", "DELETE") for path in [*DOCUMENTS, *FILES]),
    ],
)
def test_a_method_that_is_not_allowed_learns_which_are(
    method: str, path: str, allowed: set[str], wire: Wire
) -> None:
    answer = wire.ask(message(method, path, body=b"{}"))
    assert_problem(answer, 405, "method_not_allowed")
    names = {name.strip() for name in answer.headers.get("allow", "").split(",")}
    assert names >= allowed
    assert names <= allowed | {"OPTIONS"}


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ((), b'{"value":-500,"seed":"another"}'),
        ((), b"no JSON at all"),
        ((b"Content-Type: application/json",), b"{}"),
        ((b"Content-Encoding: gzip",), b"no gzip at all"),
        ((), b"x" * 256 * 1024),
    ],
    ids=["a request", "no JSON", "an empty request", "an encoding", "256 KiB"],
)
def test_a_body_on_a_get_is_ignored(headers: tuple[bytes, ...], body: bytes, wire: Wire) -> None:
    without = wire.ask(message("GET", GET_DEMO))
    assert without.status_code == 200
    assert wire.ask(message("GET", GET_DEMO, *headers, body=body)).content == without.content
    assert wire.ask(message("GET", "/livez", *headers, body=body)).status_code == 200
    assert wire.ask(message("GET", GET_DEMO)).content == without.content


@pytest.mark.parametrize("path", FILES[1:])
def test_a_file_is_not_sent_again_to_whoever_has_it(path: str, wire: Wire) -> None:
    tag = wire.ask(message("GET", path)).headers["etag"]
    answer = wire.ask(message("GET", path, f"If-None-Match: {tag}".encode()))
    assert (answer.status_code, answer.content) == (304, b"")
    assert_everyone_may_read(answer)


@pytest.mark.parametrize("wanted", [b"bytes=99999999-", b"bytes=x", b"bytes=5-1", b"wurf"])
def test_a_range_that_a_file_does_not_have_is_ignored_or_a_problem(wanted: bytes, wire: Wire) -> None:
    answer = wire.ask(message("GET", "/docs.js", b"Range: " + wanted))
    if answer.status_code != 200:
        assert_problem(answer, answer.status_code, answer.json()["code"])


# Browsers


@pytest.mark.parametrize(
    ("status", "request_bytes"),
    [
        (200, message("POST", ROLL, b"Origin: https://a.example", body=DEMO)),
        (200, message("GET", GET_DEMO)),
        *((200, message("GET", path, b"Origin: null")) for path in [*DOCUMENTS, *FILES]),
        (404, message("GET", "/nowhere", b"Origin: https://a.example")),
        (404, message("GET", "/v1/rulesets/none", b"Origin: https://a.example")),
        (405, message("POST", "/v1/info", b"Origin: https://a.example", body=b"{}")),
        (405, message("POST", "/docs.js", b"Origin: https://a.example", body=b"{}")),
        (422, message("POST", ROLL, b"Origin: https://a.example", body=b"{}")),
    ],
    ids=lambda value: value.split(b" HTTP")[0].decode() if isinstance(value, bytes) else str(value),
)
def test_every_answer_is_open_to_every_origin(status: int, request_bytes: bytes, wire: Wire) -> None:
    answer = wire.ask(request_bytes)
    assert answer.status_code == status
    assert_everyone_may_read(answer)
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize("path", [ROLL, "/v1/info", "/docs", "/docs.js", "/nowhere"])
def test_a_preflight_allows_what_browsers_ask_for(path: str, wire: Wire) -> None:
    asking = (b"Origin: https://a.example", b"Access-Control-Request-Method: POST")
    answer = wire.ask(message("OPTIONS", path, *asking, b"Access-Control-Request-Headers: content-type"))
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers.get_list("access-control-allow-origin") == ["*"]
    assert answer.headers["access-control-max-age"] == "7200"
    assert "access-control-allow-private-network" not in answer.headers
    methods = {name.strip() for name in answer.headers["access-control-allow-methods"].split(",")}
    assert methods >= {"GET", "HEAD", "POST"}
    headers = {name.strip().lower() for name in answer.headers["access-control-allow-headers"].split(",")}
    # The star covers every header but Authorization.
    assert headers >= {"content-type", "if-none-match", "x-request-id", "x-api-key", "authorization"}
    private = wire.ask(message("OPTIONS", path, *asking, b"Access-Control-Request-Private-Network: true"))
    assert private.status_code == 204
    assert private.headers["access-control-allow-private-network"] == "true"


TO_EACH_ORIGIN = {
    "a roll": message("POST", ROLL, b"%s", body=DEMO),
    "a document": message("GET", "/v1/info", b"%s"),
    "nothing": message("GET", "/nowhere", b"%s"),
    "a file": message("GET", "/docs.js", b"%s"),
    "a wrong method": message("PUT", ROLL, b"%s", body=b"{}"),
    "a preflight": message("OPTIONS", ROLL, b"%s", b"Access-Control-Request-Method: POST"),
}


@pytest.mark.parametrize("template", TO_EACH_ORIGIN.values(), ids=TO_EACH_ORIGIN.keys())
def test_listed_origins_may_read_and_others_may_not(template: bytes, keyed: Keyed) -> None:
    with Wire(keyed.first.port) as wire:
        for origin in ORIGINS:
            answer = wire.ask(template % f"Origin: {origin}".encode())
            assert answer.headers.get_list("access-control-allow-origin") == [origin]
            assert "Origin" in re.split(", *", answer.headers["vary"])
            assert "access-control-allow-credentials" not in answer.headers
        others = [
            b"https://evil.example",
            b"https://table.example.evil.example",
            b"http://table.example",
            b"null",
        ]
        for header in [b"X-No: origin", *(b"Origin: " + other for other in others)]:
            answer = wire.ask(template % header)
            assert "access-control-allow-origin" not in answer.headers
            assert "Origin" in re.split(", *", answer.headers["vary"])


# Request ids


@pytest.mark.parametrize("sent", ["a", "~", "0" * 128, "4bf92f3577b34da6a3ce929d0e0e4736"])
def test_a_request_id_is_taken_over(sent: str, wire: Wire) -> None:
    header = f"X-Request-ID: {sent}".encode()
    assert post(wire, ROLL, {"value": 11}, header).headers.get_list("x-request-id") == [sent]
    assert wire.ask(message("GET", "/docs.js", header)).headers.get_list("x-request-id") == [sent]
    problem = wire.ask(message("GET", "/nowhere", header))
    assert problem.headers.get_list("x-request-id") == [sent]
    assert assert_problem(problem, 404, "not_found")["request_id"] == sent


def test_a_request_id_of_any_printable_characters_makes_a_valid_urn(wire: Wire) -> None:
    sent = "".join(map(chr, range(0x21, 0x7F))) + " x"
    answer = wire.ask(message("GET", "/nowhere", f"X-Request-ID: {sent}".encode()))
    document = answer.json()
    assert answer.headers["x-request-id"] == document["request_id"] == sent
    assert unquote(document["instance"]) == f"urn:wurf:request:{sent}"
    assert not re.search(r"[\s\"<>\\^`{|}#?]", document["instance"])


@pytest.mark.parametrize(
    "sent", [b"x" * 129, b"", b"\xc3\xa4", b"a\xff", b"a\tb"], ids=["129", "none", "UTF-8", "a byte", "a tab"]
)
def test_an_unusable_request_id_is_replaced(sent: bytes, wire: Wire) -> None:
    answer = wire.ask(message("POST", ROLL, b"X-Request-ID: " + sent, body=DEMO))
    assert answer.status_code == 200
    (made,) = answer.headers.get_list("x-request-id")
    assert made.encode("latin-1") != sent
    assert re.fullmatch(r"[\x21-\x7e]{1,128}", made)


def test_every_made_request_id_is_new(wire: Wire, keyed: Keyed) -> None:
    with Wire(keyed.second.port) as other:
        made = [
            connection.ask(message("GET", path)).headers["x-request-id"]
            for connection in (wire, other)
            for path in ["/livez", "/nowhere", "/docs.js", GET_DEMO] * 25
        ]
    assert len(set(made)) == len(made)


# Languages


@pytest.mark.parametrize(
    ("header", "spoken"),
    [
        ("", "en"),
        ("de", "de"),
        ("en", "en"),
        ("DE", "de"),
        ("de-AT", "de"),
        ("de-at-1996", "de"),
        ("en-GB", "en"),
        ("fr", "en"),
        ("fr, de;q=0.1", "de"),
        ("de;q=0.5, en;q=0.8", "en"),
        ("en;q=0.5, de;q=0.8", "de"),
        ("en;q=0.8,de", "de"),
        ("de;q=0.001", "de"),
        ("de;q=1.000, en;q=0.999", "de"),
        ("de ;  q=0.9 , en;q=0.8", "de"),
        ("de;Q=0.9, en;q=0.8", "de"),
        ("de-AT, en;q=0.9", "de"),
        ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "en"),
        ("fr-CH, fr;q=0.9, de;q=0.8, en;q=0.7, *;q=0.5", "de"),
        ("de;q=0", "en"),
        ("de;q=0, en;q=0", "en"),
        ("de;q=0.000, *", "en"),
        ("*", "en"),
        ("*;q=0", "en"),
        ("en;q=0, *", "de"),
        ("en;q=0, *;q=0.1", "de"),
        ("*;q=0.5, en;q=0.1", "de"),
        ("*;q=0.5, de;q=0.6", "de"),
        ("fr, *;q=0.1", "en"),
        (",, ,de,", "de"),
        ("d", "en"),
        ("dede", "en"),
        ("xde, en", "en"),
    ],
)
def test_the_language_is_negotiated(header: str, spoken: str, wire: Wire) -> None:
    answer = post(wire, ROLL, {"value": 11, "seed": "demo"}, f"Accept-Language: {header}".encode())
    assert answer.headers.get_list("content-language") == [spoken]
    assert answer.headers["vary"] == "Accept-Language"
    assert answer.json()["label"] == {"en": "Success", "de": "Erfolg"}[spoken]
    problem = post(wire, ROLL, {}, f"Accept-Language: {header}".encode())
    assert problem.headers.get_list("content-language") == [spoken]
    assert_problem(problem, 422, "validation")


def test_without_any_wish_it_is_english(wire: Wire) -> None:
    assert post(wire, ROLL, {"value": 11}).headers["content-language"] == "en"


@pytest.mark.parametrize(
    "garbage",
    [
        b";;;,,,q=,=;q",
        b"de;q=",
        b"de;q=2",
        b"de;q=-1",
        b"de;q=0.1234",
        b"de;q=nan",
        b"de;q=1;q=0",
        b"\xff\xfe\x80",
        b"de_AT",
        b"-de",
        b"*-de",
        b"q=1",
        b"," * 10_000,
        b"x" * 50_000,
        b"de-" * 10_000,
        b"\xd9\xa1;q=\xd9\xa1",
    ],
    ids=lambda garbage: repr(garbage[:12]),
)
def test_garbage_for_a_language_is_answered_in_one_there_is(garbage: bytes, wire: Wire) -> None:
    answer = post(wire, ROLL, {"value": 11, "seed": "demo"}, b"Accept-Language: " + garbage)
    assert answer.status_code == 200
    assert answer.headers["content-language"] in {"en", "de"}
    english = post(wire, ROLL, {"value": 11, "seed": "demo"}, b"Accept-Language: en, " + garbage)
    assert english.status_code == 200


def test_in_a_very_long_header_no_language_counts_for_more_than_it_says(wire: Wire) -> None:
    for length in range(480, 520):
        header = b"Accept-Language: " + b"en;q=0.5, ".ljust(length, b"x") + b",de;q=0.1"
        assert post(wire, ROLL, {"value": 11}, header).headers["content-language"] == "en", length


def test_a_repeated_header_is_one_list(wire: Wire) -> None:
    for headers, spoken in (
        ((b"Accept-Language: fr", b"Accept-Language: de"), "de"),
        ((b"Accept-Language: de", b"Accept-Language: fr"), "de"),
        ((b"Accept-Language: de;q=0.2", b"Accept-Language: en;q=0.1"), "de"),
        ((b"Accept-Language: de;q=0.1", b"Accept-Language: en;q=0.2"), "en"),
    ):
        assert post(wire, ROLL, {"value": 11}, *headers).headers["content-language"] == spoken


@pytest.mark.parametrize(
    ("query", "header", "spoken"),
    [
        ("lang=de", "en", "de"),
        ("lang=en", "de", "en"),
        ("lang=de", "de;q=0", "de"),
        ("lang=fr", "de", "de"),
        ("lang=", "de", "de"),
        ("lang", "de", "de"),
        ("lang=%64%65", "en", "de"),
        ("l%61ng=de", "en", "de"),
    ],
)
def test_the_language_in_the_query_comes_before_the_header(
    query: str, header: str, spoken: str, wire: Wire
) -> None:
    accept = f"Accept-Language: {header}".encode()
    for answer in (
        post(wire, f"{ROLL}?{query}", {"value": 11}, accept),
        post(wire, f"{ROLL}?{query}", {}, accept),
        wire.ask(message("GET", f"{GET_DEMO}&{query}", accept)),
        wire.ask(message("GET", f"{ROLL}?{query}&request={quote(DEMO)}", accept)),
        wire.ask(message("GET", f"/nowhere?{query}", accept)),
    ):
        assert answer.headers.get_list("content-language") == [spoken]
        assert "Accept-Language" in answer.headers["vary"]


def test_a_request_that_mentions_a_language_does_not_choose_it(wire: Wire) -> None:
    fields = quote_plus('{"value":11,"ref":"&lang=de&"}')
    assert wire.ask(message("GET", f"{ROLL}?request={fields}")).headers["content-language"] == "en"


# Caches


@pytest.mark.parametrize(("path", "fields"), REQUESTS)
def test_no_roll_is_stored(path: str, fields: dict[str, Any], wire: Wire) -> None:
    body = as_json(fields)
    for answer in (
        wire.ask(message("POST", path, body=body)),
        wire.ask(message("GET", f"{path}?request={quote_plus(body)}")),
    ):
        assert answer.headers.get_list("cache-control") == ["no-store"]


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_a_probe_is_not_stored_either(path: str, client: httpx.Client) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert isinstance(answer.json(), dict)


# Documents


def numbers_in(value: Any) -> set[int]:
    if isinstance(value, dict):
        return numbers_in(list(value.values()))
    if isinstance(value, list):
        return {number for inner in value for number in numbers_in(inner)}
    return {value} if isinstance(value, int) else set()


def test_info_says_what_the_service_is(client: httpx.Client) -> None:
    info = client.get("/v1/info").json()
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", info["version"])
    assert info["stream"] == "dice1"
    assert sorted(info["languages"]) == ["de", "en"]
    assert all(isinstance(feature, str) for feature in info["features"])
    assert "nonces" not in info["features"]
    assert info["contact"] is None
    for text in info["proof"].values():
        assert_spoken(text)


def test_info_names_all_bounds(client: httpx.Client) -> None:
    limits = client.get("/v1/info").json()["limits"]
    assert numbers_in(limits) >= {64 * 1024, 16 * 1024, 32, 50, 100, 128, 1000, -1000}


def test_info_shows_the_settings(keyed: Keyed) -> None:
    info = httpx.get(f"{keyed.first.url}/v1/info").json()
    assert info["contact"] == "wurf@table.example"
    assert "nonces" in info["features"]


OUTCOMES = {
    ("zrps", "roll"): {
        "critical_success": ("Critical success", "Kritischer Erfolg"),
        "success": ("Success", "Erfolg"),
        "failure": ("Failure", "Fehlschlag"),
        "critical_failure": ("Critical failure", "Kritischer Fehlschlag"),
    },
    ("zrps", "contest"): {
        "first": ("First side wins", "Erste Seite gewinnt"),
        "second": ("Second side wins", "Zweite Seite gewinnt"),
        "draw": ("Draw", "Unentschieden"),
        "none": ("No decisive advantage", "Kein entscheidender Vorteil"),
    },
    ("three-marks", "roll"): {
        "miss": ("Miss", "Verfehlt"),
        "graze": ("Graze", "Streifer"),
        "hit": ("Hit", "Treffer"),
        "critical": ("Critical hit", "Kritisch"),
    },
}


def test_the_list_of_rulesets_links_to_each(client: httpx.Client) -> None:
    rulesets = {entry["id"]: entry for entry in client.get("/v1/rulesets").json()}
    assert rulesets.keys() >= {"zrps", "three-marks"}
    for name, entry in rulesets.items():
        assert_spoken(entry["name"])
        assert_spoken(entry["summary"])
        assert entry["rules_version"] >= 1
        assert entry["links"]["self"] == f"/v1/rulesets/{name}"
        assert client.get(entry["links"]["self"]).json()["id"] == name
    assert rulesets["zrps"]["actions"] == ["roll", "contest"]
    assert rulesets["three-marks"]["actions"] == ["roll"]


def actions_of(client: httpx.Client) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in client.get("/v1/rulesets").json():
        for action in client.get(entry["links"]["self"]).json()["actions"]:
            yield entry["id"], action


def test_every_action_is_named_and_labeled_in_each_language(client: httpx.Client) -> None:
    for ruleset, action in actions_of(client):
        assert_spoken(action["label"])
        assert action["links"]["self"] == f"/v1/{ruleset}/{action['name']}"
        for entry in [*action["outcomes"], *action["fields"]]:
            assert_spoken(entry["label"])


def test_the_outcomes_are_those_of_the_rules_in_their_order(client: httpx.Client) -> None:
    actions = {(ruleset, action["name"]): action for ruleset, action in actions_of(client)}
    for key, outcomes in OUTCOMES.items():
        shown = {
            entry["outcome"]: (entry["label"]["en"], entry["label"]["de"])
            for entry in actions[key]["outcomes"]
        }
        assert list(shown.items()) == list(outcomes.items())


def test_the_words_of_a_ruleset_are_labeled_in_each_language(client: httpx.Client) -> None:
    values = client.get("/v1/rulesets/three-marks").json()["values"]
    assert values.keys() == {"en", "de"}
    assert values["en"].keys() == values["de"].keys()
    assert values["en"].keys() >= {"cover", "body", "reflexes", "will", "wall", "nimble", "worn"}
    assert all(label.strip() for labels in values.values() for label in labels.values())


def test_every_field_of_a_request_has_a_label(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    for _, action in actions_of(client):
        schema = document
        for step in action["request_schema"].partition("#/")[2].split("/"):
            schema = schema[step]
        labeled = {entry["field"] for entry in action["fields"]}
        assert labeled >= schema["properties"].keys() - {"seed", "nonce", "faces", "ref"}


def test_every_example_gives_its_answer_in_each_language(client: httpx.Client) -> None:
    for _, action in actions_of(client):
        example = action["example"]
        for language in ("en", "de"):
            answer = client.post(f"{action['links']['self']}?lang={language}", json=example["request"])
            assert answer.status_code == 200
            assert answer.json() == example["answer"][language]


PROBLEMS = {
    "malformed_json": 400,
    "missing_request": 400,
    "unknown_parameter": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "too_large": 413,
    "uri_too_long": 414,
    "unsupported_encoding": 415,
    "validation": 422,
    "seed_and_faces": 422,
    "faces_count": 422,
    "nonces_off": 422,
    "advantage_or_accuracy": 422,
    "effect_needs_defense": 422,
    "damage_or_scars": 422,
    "rate_limited": 429,
    "internal": 500,
    "overloaded": 503,
}


def test_every_problem_has_its_status_and_its_words(client: httpx.Client) -> None:
    problems = {problem["code"]: problem for problem in client.get("/v1/problems").json()}
    statuses = {code: problem["status"] for code, problem in problems.items()}
    assert {code: statuses.get(code) for code in PROBLEMS} == PROBLEMS
    for code, problem in problems.items():
        assert problem["type"] == f"/v1/problems/{code}"
        assert_spoken(problem["title"])
        assert_spoken(problem["detail"])
        assert client.get(problem["type"]).json() == problem


def test_documents_are_json_for_every_language(client: httpx.Client) -> None:
    for path in DOCUMENTS:
        plain = client.get(path)
        assert plain.headers["content-type"] == "application/json"
        assert client.get(f"{path}?lang=de", headers={"Accept-Language": "de"}).content == plain.content


# The documentation page


class Links(HTMLParser):
    """Collects what a page loads or links to."""

    def __init__(self) -> None:
        """Start without any."""
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the addresses in a tag."""
        assert tag not in {"base", "iframe", "object", "embed"}
        self.found += [value or "" for name, value in attrs if name in {"href", "src", "srcset", "action"}]


def test_the_documentation_page_loads_what_it_needs_from_this_host_only(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    links = Links()
    links.feed(page.text)
    addresses = [link for link in links.found if not link.startswith("data:")]
    scripts = [client.get(urljoin("/docs", link)).text for link in addresses if link.endswith("docs.js")]
    # The page's own script names the document; Swagger UI itself loads what it is told to.
    addresses += [url for script in scripts for url in re.findall(r"\burl: *\"([^\"]+)\"", script)]
    assert len(addresses) >= 4
    assert "openapi.json" in {address.rpartition("/")[2] for address in addresses}
    for address in addresses:
        assert not urlsplit(address).netloc
        assert client.get(urljoin("/docs", address)).status_code == 200
    for text in (page.text, *scripts):
        assert not re.search(r"(https?:)?//\w+\.\w", text)
    for link in addresses:
        if link.endswith(".css"):
            assert not re.search(
                r"@import|url\(\s*[\"']?(https?:)?//", client.get(urljoin("/docs", link)).text
            )


def test_the_documentation_page_forbids_other_hosts(client: httpx.Client) -> None:
    policy = {
        name: set(sources.split())
        for name, _, sources in (
            directive.strip().partition(" ")
            for directive in client.get("/docs").headers["content-security-policy"].split(";")
        )
    }
    assert policy["default-src"] <= {"'none'", "'self'"}
    assert policy["script-src"] == {"'self'"}
    for sources in policy.values():
        assert sources <= {"'none'", "'self'", "'unsafe-inline'", "data:"}


# Nonces


@pytest.mark.parametrize("nonce", ["campaign 7, round 3, goblin 2, attack", "Würfel 🎲", "0", "n" * 128])
def test_a_nonce_gives_one_roll_under_one_secret(nonce: str, keyed: Keyed, restarted: Restarted) -> None:
    answers = {}
    for server in (keyed.first, keyed.second, restarted.server):
        with Wire(server.port) as wire:
            first, again = (post(wire, ROLL, {"value": 11, "nonce": nonce}) for _ in range(2))
            assert first.status_code == 200
            assert first.content == again.content
            answers[server.port] = first.json()
            seeded = post(wire, ROLL, {"value": 11, "seed": first.json()["seed"]}).json()
            assert seeded == first.json() | {"source": "client_seed"}
    one, same, other = answers.values()
    for answer, secret in ((one, KEY), (other, OTHER_KEY)):
        digest = hmac.new(secret.encode(), f"wurf nonce\n{nonce}".encode(), "sha256")
        assert answer["seed"] == digest.hexdigest()[:32]
        assert answer["source"] == "server_keyed"
    assert one == same
    assert one["seed"] != other["seed"]


def test_another_secret_gives_other_rolls(keyed: Keyed, restarted: Restarted) -> None:
    faces = []
    for server in (keyed.first, restarted.server):
        with Wire(server.port) as wire:
            faces.append(
                [post(wire, ROLL, {"value": 11, "nonce": f"{n}"}).json()["faces"] for n in range(30)]
            )
    assert faces[0] != faces[1]


def test_a_nonce_beside_another_origin_is_refused_with_a_secret_too(keyed: Keyed) -> None:
    with Wire(keyed.first.port) as wire:
        for other, pointer in (({"seed": 1}, "/nonce"), ({"faces": [7]}, "/faces")):
            answer = post(wire, ROLL, {"value": 11, "nonce": "n", **other})
            (entry,) = answer.json()["errors"]
            assert (answer.status_code, answer.json()["code"]) == (422, "seed_and_faces")
            assert (entry["pointer"], entry["code"]) == (pointer, "seed_and_faces")


@pytest.mark.parametrize("by_file", [False, True], ids=["in the environment", "in a file"])
def test_too_short_a_secret_stops_the_start(by_file: bool, tmp_path: Path) -> None:  # noqa: FBT001  a row of a table
    secret = "Kr4ken" * 5 + "!"
    (tmp_path / "secret").write_text(secret, encoding="utf-8")
    setting = (
        {"WURF_NONCE_SECRET_FILE": str(tmp_path / "secret")} if by_file else {"WURF_NONCE_SECRET": secret}
    )
    settings = {name: value for name, value in os.environ.items() if not name.startswith("WURF_")}
    ended = subprocess.run(
        [sys.executable, "-m", "app", "serve"],
        cwd=ROOT,
        env={**settings, "WURF_PORT": "0", **setting},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode != 0
    (sentence,) = ended.stderr.splitlines()
    assert "WURF_NONCE_SECRET" in sentence
    assert "32" in sentence
    assert "Kr4ken" not in ended.stdout + ended.stderr


CLOSED = "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("POST", ROLL),
        ("POST", f"{ROLL}?odds=true"),
        ("GET", "/v1/zrps/roll/odds?request=%7B%22value%22%3A11%7D"),
        ("GET", "/livez"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/nowhere"),
        ("GET", "/verify.mjs"),
        ("OPTIONS", ROLL),
    ],
)
def test_an_answer_opened_as_a_document_may_do_nothing(
    method: str, target: str, client: httpx.Client
) -> None:
    answer = client.request(method, target, content=b'{"value":11}' if method == "POST" else None)
    assert answer.headers.get_list("content-security-policy") == [CLOSED]
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_page_has_a_policy_of_its_own(path: str, client: httpx.Client) -> None:
    answer = client.get(path)
    (policy,) = answer.headers.get_list("content-security-policy")
    assert policy != CLOSED
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
