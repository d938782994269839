"""Spans: every request is one, whichever way it is answered, in the trace that it came with."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Final

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from app.http.tracing import check_tracing
from app.settings import WrongSettingError
from tests.http.hostile import NUMBER, WORD
from tests.http.test_logs import HEADERS, MARKED, QUERY
from tests.http.wire import ROLL, SECONDS, Wire, as_json, chunked, message
from tests.serving import ROOT, Server, free_port, serving

PARENT: Final = "00f067aa0ba902b7"
BATCH: Final = as_json({"items": [{"ruleset": "zrps", "action": "roll", "request": {"value": 11}}]})
TRACES: Final = (f"{number:032x}" for number in count(1))
"""Ids of traces, each used once."""


@dataclass
class Collector:
    """What stands for an OpenTelemetry collector, and keeps the spans that it is sent."""

    url: str
    spans: list[Span] = field(default_factory=list)

    def in_trace(self, trace: str) -> Span:
        """Wait for the span of a trace."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for span in self.spans:
                if span.trace_id.hex() == trace:
                    return span
            time.sleep(0.01)
        raise AssertionError(trace)


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    """A collector on loopback."""

    class Receive(BaseHTTPRequestHandler):
        """Takes spans."""

        def do_POST(self) -> None:
            """Keep the spans in the body."""
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                kept.spans.extend(span for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receive) as receiver:
        kept = Collector(f"http://127.0.0.1:{receiver.server_port}")
        serve = threading.Thread(target=receiver.serve_forever)
        serve.start()
        yield kept
        receiver.shutdown()
        serve.join()


@pytest.fixture(scope="module")
def traced(collector: Collector) -> Iterator[Server]:
    """A service that sends its spans there at once."""
    sending = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "20"}
    with serving(WURF_OTEL="true", WURF_LOG_REQUESTS="true", **sending) as running:
        yield running


def ask(
    server: Server, trace: str, method: str, target: str, *headers: bytes, body: bytes | None = None
) -> httpx.Response:
    traceparent = f"traceparent: 00-{trace}-{PARENT}-01".encode()
    with Wire(server.port) as wire:
        return wire.ask(message(method, target, traceparent, *headers, body=body))


def attributes(span: Span) -> dict[str, str]:
    return {one.key: one.value.string_value or str(one.value.int_value) for one in span.attributes}


Asked = tuple[str, str, bytes | None]


@pytest.mark.parametrize(
    ("asked", "name", "status"),
    [
        (("POST", ROLL, MARKED), f"POST {ROLL}", 200),
        (("POST", f"{ROLL}?lang=de", MARKED), f"POST {ROLL}", 200),
        (("POST", ROLL, b"{"), f"POST {ROLL}", 400),
        (("POST", f"{ROLL}/odds", b'{"value":11}'), f"POST {ROLL}/odds", 200),
        (("GET", f"{ROLL}?request={QUERY}", None), f"GET {ROLL}", 200),
        (("OPTIONS", ROLL, None), f"OPTIONS {ROLL}", 204),
        (("POST", "/v1/batch", BATCH), "POST /v1/batch", 200),
        (("GET", "/v1/problems/internal", None), "GET /v1/problems/{code}", 200),
        (("GET", "/docs.js", None), "GET /{path}", 200),
        (("GET", "/nothing", None), "GET /{path}", 404),
        (("PROPFIND", ROLL, None), f"HTTP {ROLL}", 405),
    ],
)
def test_a_request_is_a_span_in_the_trace_that_it_came_with(
    asked: Asked, name: str, status: int, traced: Server, collector: Collector
) -> None:
    method, target, body = asked
    trace = next(TRACES)
    answer = ask(traced, trace, method, target, body=body)
    span = collector.in_trace(trace)
    assert answer.status_code == status
    assert (span.name, span.parent_span_id.hex(), span.kind) == (name, PARENT, Span.SPAN_KIND_SERVER)
    told = attributes(span)
    assert told["http.response.status_code"] == str(status)
    assert told["http.route"] == name.partition(" ")[2]
    assert span.end_time_unix_nano > span.start_time_unix_nano


def test_a_body_in_chunks_is_a_span_too(traced: Server, collector: Collector) -> None:
    trace = next(TRACES)
    in_chunks = b"Transfer-Encoding: chunked"
    assert ask(traced, trace, "POST", ROLL, in_chunks, body=chunked(MARKED)).status_code == 200
    assert collector.in_trace(trace).name == f"POST {ROLL}"


def test_answers_are_the_same_with_spans(traced: Server, server: Server) -> None:
    named = (b"X-Request-ID: the same",)
    for request in (
        message("POST", ROLL, *named, body=MARKED),
        message("POST", ROLL, *named, body=b"{"),
        message("GET", f"{ROLL}/odds?request=%7B%22value%22:11%7D", *named),
        message("GET", "/v1/problems/internal", *named),
        message("GET", "/docs.js", *named),
        message("GET", "/nothing", *named),
    ):
        answers = []
        for one in (traced, server):
            with Wire(one.port) as wire:
                answers.append(wire.ask(request))
        assert answers[0].content == answers[1].content
        assert answers[0].status_code == answers[1].status_code
        assert answers[0].headers == answers[1].headers


def test_a_span_holds_no_query_body_or_header_of_a_player(traced: Server, collector: Collector) -> None:
    for method, target, body in (
        ("POST", f"{ROLL}?lang={WORD}", MARKED),
        ("GET", f"{ROLL}?request={QUERY}", None),
        ("GET", f"/nothing?{WORD}={NUMBER}", None),
    ):
        trace = next(TRACES)
        headers = [header for header in HEADERS if not header.startswith((b"Trace", b"Baggage"))]
        ask(traced, trace, method, target, *headers, body=body)
        span = collector.in_trace(trace)
        assert not re.search(f"{WORD}|{NUMBER}", str(span))
        assert "url.query" not in attributes(span)


def logged(server: Server, request_id: str) -> Any:
    """Wait for the line of a request, which is written once it is answered."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        for line in server.written().splitlines():
            if line.endswith("}") and json.loads(line).get("request_id") == request_id:
                return json.loads(line)
        time.sleep(0.01)
    raise AssertionError(request_id)


def test_the_log_names_the_trace_that_a_request_came_with_or_began(
    traced: Server, collector: Collector
) -> None:
    trace = next(TRACES)
    ask(traced, trace, "POST", ROLL, b"X-Request-ID: came", body=MARKED)
    with Wire(traced.port) as wire:
        wire.ask(message("POST", ROLL, b"X-Request-ID: began", body=MARKED))
    assert logged(traced, "came")["trace_id"] == trace
    began = collector.in_trace(logged(traced, "began")["trace_id"])
    assert (began.name, began.parent_span_id) == (f"POST {ROLL}", b"")


def test_spans_that_are_not_sent_yet_are_sent_at_the_end(collector: Collector) -> None:
    trace = next(TRACES)
    sending = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "3600000"}
    with serving(WURF_OTEL="true", **sending) as running:
        ask(running, trace, "POST", ROLL, body=MARKED)
        running.process.terminate()
        assert running.process.wait(3 * SECONDS) == 0
    assert collector.in_trace(trace).name == f"POST {ROLL}"


def test_a_collector_that_is_away_holds_nothing_up() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    with serving(
        WURF_OTEL="true", OTEL_EXPORTER_OTLP_ENDPOINT=nobody, OTEL_EXPORTER_OTLP_TIMEOUT="1"
    ) as running:
        assert ask(running, next(TRACES), "POST", ROLL, body=MARKED).status_code == 200
        running.process.terminate()
        assert running.process.wait(3 * SECONDS) == 0
        assert WORD not in running.written()


# Turning it on


def test_the_packages_are_not_loaded_unless_spans_are_wanted() -> None:
    asked = "import sys, app.main; sys.exit('opentelemetry.sdk' in sys.modules)"
    settings = {name: value for name, value in os.environ.items() if not name.startswith("WURF_")}
    subprocess.run([sys.executable, "-c", asked], cwd=ROOT, env=settings, check=True, timeout=30)


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({}, "OTEL_EXPORTER_OTLP_ENDPOINT"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"}, "OTEL_EXPORTER_OTLP_ENDPOINT"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL"),
        ({"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, "OTEL_EXPORTER_OTLP_PROTOCOL"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "OTEL_TRACES_EXPORTER"),
    ],
)
def test_what_cannot_work_stops_the_start(environment: dict[str, str], named: str) -> None:
    if "OTLP_ENDPOINT" not in named:
        environment |= {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    with pytest.raises(WrongSettingError, match=f"WURF_OTEL: .*{named}"):
        check_tracing(environment)


@pytest.mark.parametrize("missing", ["opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"])
def test_without_the_packages_the_start_is_stopped_too(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(WrongSettingError, match=f"WURF_OTEL: .*{missing}.*telemetry"):
        check_tracing({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})


def test_the_sentence_is_all_that_a_wrong_start_says() -> None:
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("WURF_", "OTEL_"))}
    ended = subprocess.run(
        [sys.executable, "-m", "app", "serve"],
        cwd=ROOT,
        env={**settings, "WURF_PORT": "0", "WURF_OTEL": "true"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 2
    (sentence,) = (ended.stdout + ended.stderr).splitlines()
    assert sentence.startswith("WURF_OTEL: needs OTEL_EXPORTER_OTLP_ENDPOINT")


@pytest.mark.parametrize("endpoint", ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"])
def test_what_can_work_passes(endpoint: str) -> None:
    check_tracing({endpoint: "https://collector.example/v1/traces", "OTEL_TRACES_EXPORTER": "otlp"})
