"""Spans of requests (OpenTelemetry), made by FastAPI's own instrumentation where the operator turns it on.

Its spans say what the standard's conventions ask for, except the query: a GET's holds what players send.
FastAPI's metrics and logs stay off; the service has its own, and FastAPI's logs would hold the messages of
exceptions.
"""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from opentelemetry.trace import get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp

from app.http.call import Receive, Scope, Send
from app.http.edge import Wurf
from app.http.endpoint import CALL, ServiceRouter
from app.http.logs import METHODS
from app.http.metrics import UNKNOWN
from app.http.service import Service
from app.settings import WrongSettingError

PACKAGES: Final = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
"""What makes and sends spans, installed on request only."""
QUERY: Final = "wurf.query"
"""Where the query waits in the ASGI scope while FastAPI makes the span."""


class TracedWurf(Wurf):
    """The application with a span around every request, whichever way it is answered."""

    def __init__(self, service: Service, routers: Iterable[ServiceRouter], **documents: Any) -> None:
        """Let FastAPI send spans to where the environment says."""
        telemetry = TelemetryConfig(metrics=False, logs=False, operation_spans=False, auto_configure=True)
        super().__init__(service, routers, telemetry=telemetry, **documents)
        self.at_once.clear()  # the short way goes around FastAPI
        self.add_middleware(_InSpan, wurf=self, answer=super().__call__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let FastAPI begin the span; what it wraps comes back in `_InSpan`."""
        if scope["type"] == "http":
            scope = {**scope, "query_string": b"", QUERY: scope["query_string"]}
        await FastAPI.__call__(self, scope, receive, send)


class _InSpan:
    """What FastAPI calls inside of the span: the edge, and what lies behind it for what the edge hands on."""

    def __init__(self, app: ASGIApp, wurf: Wurf, answer: ASGIApp) -> None:
        self._app = app
        self._wurf = wurf
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or CALL in scope:
            await self._app(scope, receive, send)
            return
        self._name_span(scope)
        scope["query_string"] = scope.pop(QUERY)
        scope["headers"] = _with_current_trace(scope["headers"])
        await self._answer(scope, receive, send)

    def _name_span(self, scope: Scope) -> None:
        route = self._wurf.route_of(scope["path"]).name
        if route != UNKNOWN:
            span = get_current_span()
            method = scope["method"] if scope["method"] in METHODS else "HTTP"
            span.update_name(f"{method} {route}")
            span.set_attribute("http.route", route)


def _with_current_trace(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Let the log name the trace that the request is in, also where it began here."""
    current: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(current)
    if "traceparent" not in current:  # OTEL_SDK_DISABLED
        return list(headers)
    others = (header for header in headers if header[0] != b"traceparent")
    return [*others, (b"traceparent", current["traceparent"].encode())]


def check_tracing(environment: Mapping[str, str]) -> None:
    """Raise `WrongSettingError` where tracing is turned on and could not work."""
    for wrong in _wrong(environment):
        raise WrongSettingError("otel", wrong)


def _wrong(environment: Mapping[str, str]) -> Iterable[str]:
    for package in PACKAGES:
        if not _installed(package):
            yield f"needs the package {package}, which comes with the extra `telemetry`"
    of_traces = "OTEL_EXPORTER_OTLP_TRACES_"
    endpoint = environment.get(f"{of_traces}ENDPOINT") or environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") or ""
    protocol = environment.get(f"{of_traces}PROTOCOL") or environment.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    if urlsplit(endpoint).scheme not in {"http", "https"}:
        yield "needs OTEL_EXPORTER_OTLP_ENDPOINT, the http or https address that spans are sent to"
    if (protocol or "http/protobuf") != "http/protobuf":
        yield "spans are sent as http/protobuf only; OTEL_EXPORTER_OTLP_PROTOCOL asks for something else"
    if (environment.get("OTEL_TRACES_EXPORTER") or "otlp") != "otlp":
        yield "spans are sent by otlp only; OTEL_TRACES_EXPORTER asks for something else"


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # one that it lies in is missing
        return False
