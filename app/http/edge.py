"""The outermost layer: every answer, whatever it is, leaves through here with the headers it owes."""

from asyncio import to_thread
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from itertools import count
from secrets import token_hex
from time import perf_counter_ns
from typing import Any, Final, cast

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.http.admission import Admission
from app.http.call import (
    ANSWER_HEADERS,
    Call,
    ClientGone,
    Handler,
    Headers,
    Receive,
    Reply,
    Scope,
    Send,
    ShortWay,
    whole_body,
)
from app.http.endpoint import CACHED, CALL, LANGUAGE_ONLY, ServiceRouter, as_response
from app.http.limits import Policy, fields, policy_field, state
from app.http.logs import of_request
from app.http.metrics import CLIENT_GONE, FILES, UNKNOWN, Route
from app.http.openapi import openapi_document
from app.http.problem import Problem, document, to_json
from app.http.query import parameters
from app.http.service import Service
from app.rules.catalog import LANGUAGES

URI_BYTES: Final = 16 * 1024
"""The longest path and query, as sent."""
PREFLIGHT_SECONDS: Final = 7200
EXPOSED: Final = b"ETag, Retry-After, RateLimit, RateLimit-Policy, X-Request-ID, Content-Language"
ALLOWED_HEADERS: Final = (
    b"*, Authorization, Content-Type, If-None-Match, X-API-Key, X-Request-ID, traceparent"
)
BODYLESS: Final = frozenset({204, 304})
"""Statuses whose answers have no body."""
NOT_ALLOWED: Final = 405
BAD: Final = 400
"""Statuses from here on say that something is wrong."""
_STATUS_CODES: Final = {404: "not_found", NOT_ALLOWED: "method_not_allowed"}
CLOSED: Final = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
"""An answer that is opened as a document of its own may load nothing, run nothing and be framed by nobody."""
METRICS: Final = "/metrics"
"""The one path that pages of other sites may not read."""


class Wurf(FastAPI):
    """FastAPI with an edge around it.

    Paths that are known exactly are answered without a search through routes; everything else goes to
    FastAPI. Both leave with the same headers, and both turn a `Problem` into its document.
    """

    def __init__(self, service: Service, routers: Iterable[ServiceRouter], **documents: Any) -> None:
        """Assemble the routes."""
        super().__init__(redirect_slashes=False, docs_url=None, redoc_url=None, openapi_url=None, **documents)
        self.service = service
        self._exact: dict[str, dict[str, Handler]] = {}
        self.at_once: dict[bytes, ShortWay] = {}
        """By address as sent: what a POST there is answered with where nothing has to be waited for."""
        self.answers: dict[str, dict[str, Any]] = {}
        families: dict[str, str] = {"/openapi.json": "/openapi.json"}
        metrics = service.metrics
        for router in routers:
            # Included, they would be built a second time at the first path that is not known exactly.
            self.router.routes.extend(router.routes)
            for path, handlers in router.exact.items():
                self._exact[path] = {
                    method: handler if path in router.open else _guarded(handler, service.admission)
                    for method, handler in handlers.items()
                }
            self.answers.update(router.answers)
            families.update(router.families)
            if not service.admission.waits:
                for path, roll in router.at_once.items():
                    for query in ("", *(f"?lang={language}" for language in LANGUAGES)):
                        self.at_once[(path + query).encode()] = ShortWay(roll, metrics.route(path))
        self._exact["/openapi.json"] = {"GET": self._openapi}
        self._routes = {path: metrics.route(families.get(path, path)) for path in self._exact}
        self._unknown, self._files = metrics.route(UNKNOWN), metrics.route(FILES)
        self._log_requests = service.settings.log_requests
        self.add_exception_handler(HTTPException, self._on_http_exception)
        self.add_exception_handler(Problem, self._on_problem)
        self._id_prefix = token_hex(8).encode()
        self._ids = count()
        origins = service.settings.cors_origins
        self._origins = None if "*" in origins else frozenset(origin.encode() for origin in origins)
        self._everyone: Headers = [
            (b"access-control-allow-origin", b"*"),
            (b"access-control-expose-headers", EXPOSED),
            (b"x-content-type-options", b"nosniff"),
            CLOSED,
        ]
        admission = service.admission
        self._room = admission.room
        self._admit = admission.admit_at_once if admission.asks else None
        self._prepared = {
            language: _prepared(said, admission.requests, self._everyone)
            for language, said in ANSWER_HEADERS.items()
        }

    @property
    def draining(self) -> bool:
        """Whether the service was told to stop, so that connections are to be closed one by one."""
        return self.service.life.draining

    def call(self, scope: Scope, receive: Receive = whole_body) -> Call:
        """Take a request in."""
        return Call(scope, receive, self.service, b"%s-%x" % (self._id_prefix, next(self._ids)))

    def answer_at_once(self, call: Call, way: ShortWay, body: bytes) -> bytes:
        """Answer a request whose body is whole without waiting for anything, as it goes over the wire."""
        began = perf_counter_ns()
        call.method, call.route = "POST", way.route
        try:
            self._room.check()
            if self._admit is not None:
                self._admit(call)
            language = call.language
            written = way.roll(body, self.service, language)
        except Exception as error:  # noqa: BLE001  nothing a client sends may end without an answer
            reply = self._failed(error, call)
        else:
            if self._origins is None:
                nanoseconds = way.route.count(200, None, began)
                if self._log_requests:
                    self._log(call, 200, nanoseconds)
                standing = (state(call.standings),) if call.standings else ()
                return self._prepared[language] % (*standing, call.request_id, len(written), written)
            reply = Reply(written, [*ANSWER_HEADERS[language], *fields(call.standings)])
        self._count(call, reply.status, began)
        return _in_one_piece(reply.status, self._headers(call, reply), reply.body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        began = perf_counter_ns()
        metrics = self.service.metrics
        metrics.begin()
        call = self.call(scope, receive)
        call.method, call.route = scope["method"], self.route_of(scope["path"])
        status = CLIENT_GONE
        try:
            status = await self._answer(call, send)
        finally:
            metrics.end()
            self._count(call, status, began)

    async def _answer(self, call: Call, send: Send) -> int:
        """Answer a request, and return the status."""
        scope = call.scope
        try:
            handlers = self._exact.get(scope["path"])
            handler = handlers and handlers.get(scope["method"])
            if handler and len(scope["query_string"]) < URI_BYTES - len(scope["raw_path"]):
                reply = await handler(call)
            else:
                found = await self._elsewhere(call, send)
                if isinstance(found, int):
                    return found
                reply = found
        except ClientGone:
            return CLIENT_GONE
        except Exception as error:  # noqa: BLE001  nothing a client sends may end without an answer
            reply = self._failed(error, call)
        headers = self._headers(call, reply)
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})
        return reply.status

    def route_of(self, path: str) -> Route:
        """Find what counts the requests to a path."""
        return self._routes.get(path, self._unknown)

    def _count(self, call: Call, status: int, began: int) -> None:
        """Count a request, and write its line into the log if one is wanted."""
        nanoseconds = call.route.count(status, call.problem, began)
        if self._log_requests:
            self._log(call, status, nanoseconds)

    def _log(self, call: Call, status: int, nanoseconds: int) -> None:
        """Write the line of a request into the log."""
        milliseconds = round(nanoseconds / 1e6, 3)
        ended = {"status": status, "problem": call.problem, "duration_ms": milliseconds}
        self.service.log.info("request", **_named(call), **ended)

    def _failed(self, error: Exception, call: Call) -> Reply:
        """Answer what went wrong: the client's doing by its problem, ours by a word and a line in the log."""
        if isinstance(error, Problem):
            return self.problem_reply(error, call)
        self._log_failure(error, call)
        return self.problem_reply(Problem("internal"), call)

    def problem_reply(self, problem: Problem, call: Call) -> Reply:
        """Write a problem document in the reader's language."""
        call.problem = problem.code
        members = document(problem, call.language, call.request_id.decode("ascii"))
        headers: Headers = [
            (b"content-type", b"application/problem+json"),
            (b"cache-control", b"no-store"),
            (b"content-language", call.language.encode()),
            (b"vary", b"Accept-Language"),
            *problem.headers,
            *fields(call.standings),
        ]
        return Reply(to_json(members), headers, problem.status)

    async def _elsewhere(self, call: Call, send: Send) -> Reply | int:
        """Answer what is not a plain request to a known path: long addresses, HEAD, preflights, FastAPI.

        What FastAPI has already sent the answer of leaves its status alone.
        """
        scope = call.scope
        if len(scope["raw_path"]) + len(scope["query_string"]) + bool(scope["query_string"]) > URI_BYTES:
            raise Problem("uri_too_long", limit=URI_BYTES)
        preflight = scope["method"] == "OPTIONS" and b"access-control-request-method" in call.headers
        if preflight and scope["path"] != METRICS:
            return self._preflight(call)
        if scope["method"] == "HEAD":
            # The server leaves the body out; everything else is as for GET.
            call.scope = scope = {**scope, "method": "GET"}
        handlers = self._exact.get(scope["path"])
        if handlers is None:
            return await self._by_fastapi(call, send)
        if handler := handlers.get(scope["method"]):
            return await handler(call)
        if scope["method"] == "OPTIONS":
            return Reply(b"", [(b"allow", _allow(handlers))], 204)
        raise Problem("method_not_allowed", headers=((b"allow", _allow(handlers)),))

    async def _openapi(self, call: Call) -> Reply:
        """Answer the OpenAPI document. It is made at the first request for it, beside the others."""
        parameters(call.scope["query_string"], LANGUAGE_ONLY)
        if self.openapi_schema is None:
            self.openapi_schema = await to_thread(openapi_document, self, self.answers)
        headers = [(b"content-type", b"application/json"), (b"cache-control", CACHED.encode())]
        return Reply(to_json(self.openapi_schema), headers)

    async def _by_fastapi(self, call: Call, send: Send) -> int:
        """Let FastAPI answer, add the common headers to what it sends, and return the status."""
        call.scope[CALL] = call
        # What the service ships is small; whole files spare us the answers to ranges that cannot be.
        call.scope["headers"] = [header for header in call.scope["headers"] if header[0] != b"range"]
        status = 0

        async def send_with_headers(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._common(call)]
            await send(message)

        try:
            await super().__call__(call.scope, call.receive, send_with_headers)
        except (Problem, ClientGone):
            raise
        except Exception as error:
            if not status:
                raise
            # The status line is out; all that is left to do is to say so in the log.
            self._log_failure(error, call)
        if status < BAD and call.route is self._unknown:
            call.route = self._files
        return status

    def _preflight(self, call: Call) -> Reply:
        headers: Headers = [
            (b"access-control-allow-methods", b"GET, HEAD, POST, OPTIONS"),
            (b"access-control-allow-headers", ALLOWED_HEADERS),
            (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS),
        ]
        if call.headers.get(b"access-control-request-private-network") == b"true":
            headers.append((b"access-control-allow-private-network", b"true"))
        return Reply(b"", headers, 204)

    def _common(self, call: Call) -> Headers:
        """Gather what every answer says; the request id stands last."""
        request_id = (b"x-request-id", call.request_id)
        if self.draining:
            return [*self._common_to_all(call), (b"connection", b"close"), request_id]
        return [*self._common_to_all(call), request_id]

    def _common_to_all(self, call: Call) -> Headers:
        if call.scope.get("path") == METRICS:
            return self._everyone[2:]
        if self._origins is None:
            return self._everyone
        headers = [*self._everyone[1:], (b"vary", b"Origin")]
        origin = call.headers.get(b"origin")
        if origin in self._origins:
            headers.append((b"access-control-allow-origin", origin))
        return headers

    def _headers(self, call: Call, reply: Reply) -> Headers:
        headers = [*reply.headers, *self._common(call)]
        if reply.page:
            headers.remove(CLOSED)
        if reply.shared:
            headers.pop()  # the request id stands last
        if reply.status not in BODYLESS:
            headers.append((b"content-length", b"%d" % len(reply.body)))
        return headers

    async def _on_http_exception(self, request: Request, error: Exception) -> Response:
        """Turn what FastAPI and Starlette refuse themselves into a problem document."""
        refused = cast(HTTPException, error)
        allow = (refused.headers or {}).get("Allow", "GET")
        headers = (
            ((b"allow", f"{allow}, HEAD, OPTIONS".encode()),) if refused.status_code == NOT_ALLOWED else ()
        )
        code = _STATUS_CODES.get(refused.status_code, "not_found")
        return await self._on_problem(request, Problem(code, headers=headers))

    async def _on_problem(self, request: Request, error: Exception) -> Response:
        return as_response(self.problem_reply(cast(Problem, error), request.scope[CALL]))

    def _log_failure(self, error: Exception, call: Call) -> None:
        """Log where a failure happened. The log leaves out its message: it may hold what a player sent."""
        self.service.log.error("request failed", **_named(call), exc_info=error)


def _named(call: Call) -> dict[str, Any]:
    return of_request(call.request_id, call.method, call.route.name, call.all_of(b"traceparent"))


def _in_one_piece(status: int, headers: Headers, body: bytes) -> bytes:
    """Write an answer as it goes over the wire (RFC 9112, section 2.1)."""
    lines = [b"HTTP/1.1 %d %b" % (status, HTTPStatus(status).phrase.encode())]
    lines += [b"%b: %b" % header for header in headers]
    return b"%b\r\n\r\n%b" % (b"\r\n".join(lines), body)


def _prepared(said: Headers, policies: Sequence[Policy], everyone: Headers) -> bytes:
    """Prepare a good answer.

    It has places for where the client stands with limits, if there are any, for the request id, the length
    of the body, and the body.
    """
    standing = [policy_field(policies), (b"ratelimit", b"%b")] if policies else []
    left_open = [(b"x-request-id", b"%b"), (b"content-length", b"%d")]
    return _in_one_piece(200, [*_fixed(said), *standing, *_fixed(everyone), *left_open], b"%b")


def _fixed(headers: Headers) -> Headers:
    return [(name, value.replace(b"%", b"%%")) for name, value in headers]


def _guarded(handler: Handler, admission: Admission) -> Handler:
    """Put admission before a handler, no more of it than the settings ask for."""
    room = admission.room
    inner = _checked(handler, admission) if admission.asks else handler

    async def answer(call: Call) -> Reply:
        room.enter()
        try:
            return await inner(call)
        finally:
            room.leave()

    return answer


def _checked(handler: Handler, admission: Admission) -> Handler:
    async def answer(call: Call) -> Reply:
        await admission.admit(call)
        reply = await handler(call)
        # What caches may keep says nothing about one client.
        if call.standings and not reply.shared:
            reply.headers = [*reply.headers, *fields(call.standings)]
        return reply

    return answer


def _allow(handlers: dict[str, Handler]) -> bytes:
    methods = [*handlers, "HEAD"] if "GET" in handlers else list(handlers)
    return ", ".join([*methods, "OPTIONS"]).encode()
