"""What nobody should send is answered by a problem document, and nothing of it is repeated."""

import re
from typing import Any

import httpx
import pytest

from tests.http.hostile import LARGEST, LONGEST_TARGET, NUMBER, TABLE, WORD, Hostile
from tests.http.wire import ATTACK, CONTEST, ROLL, Wire, as_json, assert_problem, chunked, message
from tests.serving import Server, serving

NORMAL = message("POST", ROLL, body=b'{"value":11,"seed":"demo"}')

every_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.why)


@pytest.fixture(scope="module")
def normal(server: Server) -> bytes:
    """What a normal roll answers before anything bad was sent."""
    with Wire(server.port) as wire:
        answer = wire.ask(NORMAL)
    assert answer.status_code == 200
    return answer.content


@pytest.fixture(scope="module")
def titles(client: httpx.Client) -> dict[str, Any]:
    """The titles of all problems by code and language."""
    return {problem["code"]: problem["title"] for problem in client.get("/v1/problems").json()}


def test_no_row_stands_there_twice() -> None:
    assert len({row.why for row in TABLE}) == len(TABLE)


@every_row
def test_a_hostile_request_gets_its_problem_and_the_next_one_its_roll(
    row: Hostile, server: Server, normal: bytes
) -> None:
    with Wire(server.port) as wire:
        answer = wire.ask(row.message())
        document = assert_problem(answer, row.status, row.code)
        entries = sorted((entry["pointer"], entry["code"]) for entry in document.get("errors", ()))
        assert entries == sorted(row.errors)
        assert {name: document.get(name) for name in row.facts} == row.facts
        sent_back = answer.content + repr(answer.headers.multi_items()).encode()
        assert WORD.encode() not in sent_back
        assert NUMBER.encode() not in sent_back
        # On the same connection: not a byte of the bad request may be left over on it.
        assert wire.ask(NORMAL).content == normal


@pytest.mark.parametrize("row", [row for row in TABLE if "lang=" not in row.target], ids=lambda row: row.why)
def test_a_problem_speaks_german_where_german_is_asked_for(
    row: Hostile, server: Server, titles: dict[str, Any]
) -> None:
    with Wire(server.port) as wire:
        english = assert_problem(wire.ask(row.message()), row.status, row.code)
        answer = wire.ask(row.message("de"))
    german = assert_problem(answer, row.status, row.code)
    assert answer.headers["content-language"] == "de"
    assert (english["title"], german["title"]) == (titles[row.code]["en"], titles[row.code]["de"])
    assert german["detail"] != english["detail"]
    for one, other in zip(german.get("errors", ()), english.get("errors", ()), strict=True):
        assert (one["pointer"], one["code"]) == (other["pointer"], other["code"])
        assert one["message"] != other["message"]


@pytest.mark.parametrize(
    ("body", "position"),
    [
        (b'{"value":%s,x' % (b"7" * 5000), 5010),
        (b'{"value":%s' % (b"7" * 5000), 5009),
        (b'{"ref":"%s","value":%s,x' % (b"7" * 2000, b"7" * 5000), 7019),
    ],
    ids=["a wrong byte", "an early end", "a wrong byte, with digits in a text"],
)
def test_a_position_behind_a_very_long_integer_is_right_or_not_given(
    body: bytes, position: int, server: Server
) -> None:
    with Wire(server.port) as wire:
        document = assert_problem(wire.ask(message("POST", ROLL, body=body)), 400, "malformed_json")
    assert document.get("position", position) == position


def test_at_most_50_wrong_fields_are_named(server: Server) -> None:
    wrong = {f"wrong{number}": number for number in range(60)}
    with Wire(server.port) as wire:
        answer = wire.ask(message("POST", ROLL, body=as_json({"value": 11, **wrong})))
    errors = assert_problem(answer, 422, "validation")["errors"]
    assert len({entry["pointer"] for entry in errors}) == len(errors) == 50
    assert {entry["code"] for entry in errors} == {"unknown_field"}


def test_50_wrong_fields_are_all_named(server: Server) -> None:
    with Wire(server.port) as wire:
        answer = wire.ask(message("POST", ROLL, body=as_json({"value": 11, "faces": [0] * 50})))
    errors = assert_problem(answer, 422, "validation")["errors"]
    assert [entry["pointer"] for entry in errors] == [f"/faces/{number}" for number in range(50)]


@pytest.mark.parametrize(
    ("sent", "seed"),
    [
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991", "-9007199254740991"),
        ("0", "0"),
        ('"0"', "0"),
        (f'"{"s" * 128}"', "s" * 128),
        (f'"{"🎲" * 128}"', "🎲" * 128),
        ('"\\ud83c\\udfb2"', "🎲"),
        ('" "', " "),
        ('"\\u00a0\\u00ad\\u2028\\ufeff"', "\u00a0\u00ad\u2028\ufeff"),
        ('"{[\\"\\\\"', '{["\\'),
    ],
    ids=lambda value: value[:12].encode("unicode_escape").decode(),
)
def test_a_seed_at_its_limits_works_and_comes_back(sent: str, seed: str, server: Server) -> None:
    with Wire(server.port) as wire:
        answer = wire.ask(message("POST", ROLL, body=f'{{"value":11,"seed":{sent}}}'.encode()))
        again = wire.ask(message("POST", ROLL, body=as_json({"value": 11, "seed": seed})))
    assert answer.status_code == 200
    assert answer.json()["seed"] == seed
    assert answer.content == again.content


@pytest.mark.parametrize(
    "body",
    [
        b'\r\n\t {"value" : 11 ,\n"seed":"demo"}\n',
        b'{"v\\u0061lue":11,"seed":"\\u0064emo"}',
        b'{"seed":"demo","value":11,"modifiers":[]}',
        b'{"seed":"demo","value":1,"modifiers":[{"value":5},{"value":5}],"ref":null}',
    ],
    ids=["white space", "escapes", "another order", "one name in two objects"],
)
def test_unusual_json_is_json(body: bytes, server: Server) -> None:
    with Wire(server.port) as wire:
        answer = wire.ask(message("POST", ROLL, body=body))
    assert answer.status_code == 200
    assert answer.json()["seed"] == "demo"


@pytest.mark.parametrize(
    "fields",
    [
        {"ref": "[" * 100},
        {"ref": ""},
        {"ref": "ä🎲\x00\n"},
        {"modifiers": [{"value": 0, "label": "[{" * 50}] * 50},
        {"modifiers": [{"value": 1000}] * 25 + [{"value": -1000}] * 25},
    ],
    ids=["brackets in a text", "an empty text", "any character", "50 objects side by side", "50 modifiers"],
)
def test_what_only_looks_hostile_works(fields: dict[str, Any], server: Server) -> None:
    with Wire(server.port) as wire:
        answer = wire.ask(message("POST", ROLL, body=as_json({"value": 11, "seed": "demo", **fields})))
    assert answer.status_code == 200
    assert answer.json()["ref"] == fields.get("ref")


@pytest.mark.parametrize(
    "request_bytes",
    [
        message("POST", ROLL, body=LARGEST),
        message("POST", ROLL, b"Transfer-Encoding: chunked", body=chunked(LARGEST)),
        message("POST", ROLL, b"Transfer-Encoding: chunked", body=chunked(LARGEST[:200], size=1)),
        message("GET", LONGEST_TARGET),
        message("GET", LONGEST_TARGET, b"Content-Encoding: gzip", body=LARGEST * 4),
        message("POST", ROLL, b"Content-Encoding: identity", body=LARGEST),
    ],
    ids=[
        "64 KiB",
        "64 KiB in chunks",
        "a byte a chunk",
        "16 KiB of path and query",
        "a large body on a GET",
        "the encoding identity",
    ],
)
def test_what_is_just_within_the_limits_works(request_bytes: bytes, server: Server, normal: bytes) -> None:
    with Wire(server.port) as wire:
        assert wire.ask(request_bytes).content == normal
        assert wire.ask(NORMAL).content == normal


@pytest.mark.parametrize(
    "content_type",
    [
        b"application/json",
        b"application/json; charset=utf-8",
        b"text/plain;charset=UTF-8",
        b"application/x-www-form-urlencoded",
        b"multipart/form-data; boundary=x",
        b"application/json; charset=utf-16",
        b"wurf",
        b"",
        None,
    ],
)
def test_the_content_type_does_not_matter(content_type: bytes | None, server: Server, normal: bytes) -> None:
    headers = () if content_type is None else (b"Content-Type: " + content_type,)
    with Wire(server.port) as wire:
        answer = wire.ask(message("POST", ROLL, *headers, body=b'{"value":11,"seed":"demo"}'))
    assert answer.content == normal


SIDES: list[dict[str, Any]] = [{"values": [11]}, {"values": [8]}]
DEMO = {"seed": "demo"}
FULL_ATTACK = {"accuracy": 1, "defense_value": 1, **DEMO}


@pytest.mark.parametrize(
    ("path", "request_fields", "names"),
    [
        (ROLL, {"value": 11, **DEMO}, ("modifiers", "nonce", "faces", "ref")),
        (ROLL, {"value": 11, "faces": [7]}, ("seed", "nonce", "modifiers", "ref")),
        (CONTEST, {"contestants": SIDES, **DEMO}, ("nonce", "faces", "ref")),
        (CONTEST, {"contestants": SIDES, "faces": [7, 8]}, ("seed", "nonce", "ref")),
        (ATTACK, {"advantage": 0, **DEMO}, ("accuracy", "defense_value", "defense", "effects")),
        (ATTACK, {"advantage": 0, **DEMO}, ("damage", "scars", "armor", "life", "nonce", "faces", "ref")),
        (ATTACK, {"advantage": 0, "faces": [4]}, ("seed",)),
        (ATTACK, FULL_ATTACK, ("advantage",)),
    ],
)
def test_null_is_the_same_as_leaving_out(
    path: str, request_fields: dict[str, Any], names: tuple[str, ...], server: Server
) -> None:
    with Wire(server.port) as wire:
        without = wire.ask(message("POST", path, body=as_json(request_fields)))
        assert without.status_code == 200
        for name in names:
            with_null = wire.ask(message("POST", path, body=as_json({**request_fields, name: None})))
            assert with_null.content == without.content, name
        all_null = wire.ask(message("POST", path, body=as_json(request_fields | dict.fromkeys(names))))
        assert all_null.content == without.content


def test_null_is_the_same_as_leaving_out_within_lists(server: Server) -> None:
    pairs: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        (
            ROLL,
            {"value": 11, "modifiers": [{"value": 1}]},
            {"value": 11, "modifiers": [{"value": 1, "label": None}]},
        ),
        (CONTEST, {"contestants": SIDES}, {"contestants": [{**SIDES[0], "name": None}, SIDES[1]]}),
        (CONTEST, {"contestants": SIDES}, {"contestants": [SIDES[0], {**SIDES[1], "modifiers": None}]}),
    ]
    with Wire(server.port) as wire:
        for path, without, with_null in pairs:
            answers = [
                wire.ask(message("POST", path, body=as_json({**fields, **DEMO})))
                for fields in (without, with_null)
            ]
            assert answers[0].status_code == 200
            assert answers[0].content == answers[1].content


def test_a_fresh_roll_takes_null_for_every_origin(server: Server) -> None:
    fields = {"value": 11, "seed": None, "nonce": None, "faces": None}
    with Wire(server.port) as wire:
        answer = wire.ask(message("POST", ROLL, body=as_json(fields)))
    assert answer.json()["source"] == "server_seed"


@pytest.mark.parametrize("language", ["fr", "", "xx-YY", "%00", "%ff", "../../de", "d", "dede", "en%2Cde"])
def test_an_unsupported_language_falls_through_to_the_header(language: str, server: Server) -> None:
    with Wire(server.port) as wire:
        for header, spoken in ((b"de", "de"), (b"en", "en"), (b"fr", "en")):
            answer = wire.ask(
                message(
                    "POST",
                    f"{ROLL}?lang={language}",
                    b"Accept-Language: " + header,
                    body=b'{"value":11,"seed":"demo"}',
                )
            )
            assert answer.status_code == 200
            assert answer.headers["content-language"] == spoken


def test_the_log_holds_nothing_of_what_was_sent() -> None:
    with serving() as own:
        with Wire(own.port) as wire:
            # A client that hangs up in the middle of its body.
            wire.send(message("POST", ROLL, b"Content-Length: 999") + WORD.encode())
        with Wire(own.port) as wire:
            for row in TABLE:
                wire.ask(row.message())
            body = as_json(
                {"value": 11, "seed": WORD, "ref": WORD, "modifiers": [{"value": 1, "label": WORD}]}
            )
            headers = (f"Accept-Language: {WORD}".encode(), f"X-{WORD}: {NUMBER}".encode())
            assert wire.ask(message("POST", ROLL, *headers, body=body)).status_code == 200
            assert wire.ask(message("GET", f"{ROLL}?request={body.decode()}")).status_code == 200
        with Wire(own.port) as wire:
            wire.ask(f"{WORD} /{WORD} HTTP/1.1\r\n\r\n".encode())
        own.process.terminate()
        own.process.wait(timeout=30)
        output = own.written()
    assert "Uvicorn running" in output
    assert "Traceback" not in output
    assert not re.search(f"{WORD}|{NUMBER}", output)
