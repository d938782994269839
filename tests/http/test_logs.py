"""The log: a line a request where one is wanted, in JSON, and nothing of what players send."""

import asyncio
import json
import logging
import logging.config
import os
import re
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from app.http import logs
from app.http.receipts import new_key
from app.main import create_app
from app.settings import Settings
from tests.http.hostile import NUMBER, TABLE, WORD
from tests.http.wire import ROLL, Wire, as_json, message
from tests.serving import ROOT, serving

TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT: Final = f"00-{TRACE}-00f067aa0ba902b7-01"
MARKED: Final = as_json(
    {"value": 11, "seed": WORD, "ref": WORD, "modifiers": [{"value": 1, "label": f"{WORD} {NUMBER}"}]}
)
QUERY: Final = MARKED.decode().replace(" ", "+")
HEADERS: Final = tuple(
    f"{name}: {WORD}".encode()
    for name in (
        *("Accept-Language", "Authorization", "Baggage", "Content-Type", "Cookie", "Forwarded", "Origin"),
        *("If-None-Match", "Referer", "Tracestate", "Traceparent", "User-Agent", "X-API-Key"),
        *("X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", f"X-{WORD}"),
    )
)
SENT: Final = {
    "r1": message("POST", ROLL, b"X-Request-ID: r1", f"traceparent: {TRACEPARENT}".encode(), body=MARKED),
    "r2": message("GET", f"{ROLL}?request={QUERY}", b"X-Request-ID: r2"),
    "r3": message("POST", f"{ROLL}?odds=true&receipt=true", b"X-Request-ID: r3", *HEADERS, body=MARKED),
    "r4": message("GET", f"/{WORD}?{WORD}={NUMBER}", b"X-Request-ID: r4", *HEADERS),
    "r5": message("PROPFIND", f"/{WORD}", b"X-Request-ID: r5"),
    "r6": message("GET", f"/v1/problems/{WORD}", b"X-Request-ID: r6"),
    "r7": message("POST", "/v1/batch", b"X-Request-ID: r7", body=as_json({"seed": WORD, "items": [WORD]})),
    "r8": message("POST", f"{ROLL}/odds", b"X-Request-ID: r8", body=MARKED),
    "r9": message("DELETE", ROLL, b"X-Request-ID: r9"),
}


@pytest.fixture(scope="module")
def written() -> Iterator[list[str]]:
    """All that a service with a line a request has written, from its start to its end."""
    with serving(WURF_LOG_REQUESTS="true", WURF_SIGNING_KEY=new_key()) as running:
        with Wire(running.port) as wire:
            # A client that hangs up in the middle of its body.
            wire.send(message("POST", ROLL, b"X-Request-ID: r0", b"Content-Length: 999") + WORD.encode())
        with Wire(running.port) as wire:
            for request in (*SENT.values(), *(row.message() for row in TABLE)):
                wire.ask(request)
        with Wire(running.port) as wire:
            wire.ask(f"{WORD} /{WORD} HTTP/1.1\r\n\r\n".encode())
        running.process.terminate()
        running.process.wait(timeout=30)
        yield running.written().splitlines()


@pytest.fixture(scope="module")
def requests(written: list[str]) -> list[dict[str, Any]]:
    """The lines of requests."""
    lines = [json.loads(line) for line in written]
    return [line for line in lines if line["event"] == "request"]


def test_every_line_is_one_json_object_that_says_when_and_how_grave(written: list[str]) -> None:
    assert len(written) > len(TABLE)
    for line in written:
        read = json.loads(line)
        assert list(read)[:3] == ["timestamp", "level", "event"]
        assert datetime.fromisoformat(read["timestamp"]).tzinfo is not None
        assert read["level"] in {"debug", "info", "warning", "error"}


def test_the_lines_of_the_server_itself_have_the_same_form(written: list[str]) -> None:
    events = {json.loads(line)["event"] for line in written}
    assert "Application startup complete." in events
    assert "Invalid HTTP request received." in events
    assert any(event.startswith("Uvicorn running on http://127.0.0.1:") for event in events)


def test_nothing_that_players_send_is_written(written: list[str]) -> None:
    assert not re.search(f"{WORD}|{NUMBER}|Sand|request=", "\n".join(written), re.IGNORECASE)


def test_there_is_one_line_a_request(requests: list[dict[str, Any]]) -> None:
    named = [line["request_id"] for line in requests if re.fullmatch("r[0-9]", line["request_id"])]
    assert sorted(named) == ["r0", *SENT]
    probes = sum(line["route"] == "/readyz" for line in requests)
    assert len(requests) == 1 + len(SENT) + len(TABLE) + probes


@pytest.mark.parametrize(
    ("request_id", "expected"),
    [
        ("r0", ("POST", ROLL, 499, None)),
        ("r1", ("POST", ROLL, 200, None)),
        ("r2", ("GET", ROLL, 200, None)),
        ("r3", ("POST", ROLL, 200, None)),
        ("r4", ("GET", "-", 404, "not_found")),
        ("r5", ("other", "-", 404, "not_found")),
        ("r6", ("GET", "-", 404, "not_found")),
        ("r7", ("POST", "/v1/batch", 200, None)),
        ("r8", ("POST", f"{ROLL}/odds", 422, "validation")),
        ("r9", ("DELETE", ROLL, 405, "method_not_allowed")),
    ],
)
def test_a_line_says_what_was_asked_and_how_it_ended(
    request_id: str, expected: tuple[Any, ...], requests: list[dict[str, Any]]
) -> None:
    (line,) = (one for one in requests if one["request_id"] == request_id)
    assert (line["method"], line["route"], line["status"], line["problem"]) == expected
    assert line["level"] == "info"
    assert 0 < line["duration_ms"] < 60_000
    assert line["trace_id"] == (TRACE if request_id == "r1" else None)
    assert list(line)[3:] == [
        *("request_id", "method", "route", "trace_id", "status", "problem", "duration_ms"),
    ]


def test_the_line_in_the_readme_is_one_of_these(requests: list[dict[str, Any]]) -> None:
    shown = re.findall(r"^\{\"timestamp\".*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    (line,) = map(json.loads, shown)
    assert [(name, type(value)) for name, value in line.items()] == [
        (name, type(value)) for name, value in next(one for one in requests if one["trace_id"]).items()
    ]


@pytest.mark.parametrize("settings", [{}, {"WURF_LOG_REQUESTS": "true", "WURF_LOG_LEVEL": "warning"}])
def test_there_are_no_lines_of_requests_unless_they_are_wanted(settings: dict[str, str]) -> None:
    with serving(**settings) as running, Wire(running.port) as wire:
        for request in SENT.values():
            wire.ask(request)
        written = running.written()
    assert '"request"' not in written
    assert ("Uvicorn running" in written) == (not settings)


# traceparent


@pytest.mark.parametrize(
    "sent",
    [TRACEPARENT, TRACEPARENT.replace("-01", "-00"), f"cc{TRACEPARENT[2:]}", f"01{TRACEPARENT[2:]}-later"],
)
def test_the_trace_id_of_a_traceparent_is_taken(sent: str) -> None:
    assert logs.trace_id(sent.encode()) == TRACE


@pytest.mark.parametrize(
    "sent",
    [
        "",
        TRACE,
        f"{TRACEPARENT}-more",
        f"{TRACEPARENT},{TRACEPARENT}",
        f"ff{TRACEPARENT[2:]}",
        f"0{TRACEPARENT}",
        TRACEPARENT.upper(),
        TRACEPARENT.replace(TRACE, "0" * 32),
        TRACEPARENT.replace("00f067aa0ba902b7", "0" * 16),
        TRACEPARENT[:-1],
        f"01{TRACEPARENT[2:]}later",
        TRACEPARENT.replace("4b", WORD),
        TRACEPARENT.replace("4bf9", "४bf9"),
    ],
)
def test_a_wrong_traceparent_is_none(sent: str) -> None:
    """W3C Trace Context, section 3.2.2."""
    assert logs.trace_id(sent.encode()) is None


# Failures


def lines(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_a_failure_is_logged_by_its_kind_and_place_and_never_by_its_message(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    application = create_app(Settings())

    async def fail(*_: object) -> Any:
        try:
            int(WORD)
        except ValueError as error:
            raise LookupError(NUMBER) from error

    application._exact["/livez"] = {"GET": fail}

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://wurf") as connected:
            sent = {"X-Request-ID": "r1", "traceparent": TRACEPARENT}
            return await connected.get(f"/livez?{WORD}", headers=sent)

    document = asyncio.run(ask()).json()
    (line,) = lines(capsysbinary.readouterr().out)
    assert (document["code"], document["request_id"]) == ("internal", line["request_id"])
    assert (line["level"], line["event"], line["error"]) == ("error", "request failed", "LookupError")
    assert (line["method"], line["route"], line["trace_id"]) == ("GET", "/livez", TRACE)
    assert "test_logs.py" in line["places"]
    assert "in fail" in line["places"]
    assert not re.search(f"{WORD}|{NUMBER}", repr((line, document)))


def test_a_log_that_cannot_be_written_holds_no_roll_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        application = create_app(Settings(log_requests=True))
        for _ in range(1000):
            way = application.at_once[ROLL.encode()]
            call = application.call({"headers": [], "query_string": b""})
            answer = application.answer_at_once(call, way, b'{"value":11}')
            assert answer.startswith(b"HTTP/1.1 200 OK")
        with pytest.raises(OSError, match="No space"):
            full.buffer.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())  # so that it can be closed


@pytest.fixture
def as_served() -> Iterator[None]:
    """The standard library's logging as the server sets it up."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before[0], before[1]


@pytest.mark.usefixtures("as_served")
@pytest.mark.parametrize("how", ["by the exception", "by a flag", "by its parts"])
def test_a_failure_that_a_library_logs_shows_no_message_either(
    how: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    logging.config.dictConfig(logs.configuration("info"))
    library = logging.getLogger("asyncio")
    try:
        int(WORD)
    except ValueError as error:
        given: dict[str, Any] = {
            "by the exception": error,
            "by a flag": True,
            "by its parts": (type(error), error, None),
        }
        library.error("Task exception was never retrieved\nfuture: %r", error, exc_info=given[how])
    (line,) = lines(capsysbinary.readouterr().out)
    assert (line["level"], line["error"]) == ("error", "ValueError")
    assert line["event"] == "Task exception was never retrieved"
    assert WORD not in repr(line)


@pytest.mark.usefixtures("as_served")
def test_levels_are_held_for_the_service_and_for_libraries(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    logging.config.dictConfig(logs.configuration("warning"))
    for log in (logs.logger("warning"), logging.getLogger("some.library")):
        log.info("no")
        log.warning("yes")
    assert [line["event"] for line in lines(capsysbinary.readouterr().out)] == ["yes", "yes"]
