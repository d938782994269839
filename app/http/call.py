"""One HTTP request and one answer, as thin as the service needs them."""

import re
from asyncio import timeout
from collections.abc import Awaitable, Callable, Coroutine, Generator, MutableMapping, Sequence
from dataclasses import dataclass
from types import coroutine
from typing import Any, Final, NamedTuple

from app.http.language import explicit_language, negotiate
from app.http.limits import Standing
from app.http.metrics import Route
from app.http.problem import Problem
from app.http.service import Service
from app.rules.catalog import LANGUAGES

Headers = list[tuple[bytes, bytes]]
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_REQUEST_ID: Final = re.compile(rb"[\x20-\x7e]{1,128}")
REQUEST_BYTES: Final = 64 * 1024
"""The largest body of a single request."""


class ClientGone(Exception):  # noqa: N818  nothing went wrong here; nobody is left to answer
    """The client hung up before its request was complete."""


@dataclass(slots=True)
class Reply:
    """An answer on its way out. The edge adds the headers that every answer carries."""

    body: bytes
    headers: Headers
    status: int = 200
    shared: bool = False
    """Whether caches may hand it to others, so that nothing in it may belong to one caller."""
    page: bool = False
    """Whether a browser shows it, by a content policy of its own."""


async def whole_body() -> Message:
    """Stand for what is left to read of a request that arrived whole: nothing."""
    return {"type": "http.request"}


class Call:
    """A request on its way in."""

    __slots__ = (
        *("client", "headers", "method", "problem", "receive", "request_id", "route", "scope"),
        *("service", "standings"),
    )

    method: str
    """As sent. The edge says it and the next, for the log."""
    route: Route
    """What counts it."""

    def __init__(self, scope: Scope, receive: Receive, service: Service, made_id: bytes) -> None:
        """Index the headers. Of one that is repeated the last stands; `all_of` has them all.

        A request id that the client sent is taken over if it can be; otherwise it is `made_id`.
        """
        self.scope = scope
        self.receive = receive
        self.service = service
        self.client = ""
        """Who asks, where the service has to know: the name of a key, or an address."""
        self.standings: Sequence[Standing] = ()
        """Where the client stands with its limits."""
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        sent = self.headers.get(b"x-request-id")
        self.request_id = sent if sent and _REQUEST_ID.fullmatch(sent) else made_id
        self.problem: str | None = None
        """The code of the problem that it was answered with."""

    @property
    def language(self) -> str:
        """The language in which to answer: `?lang`, else `Accept-Language`, else English."""
        query: bytes = self.scope["query_string"]
        if query and (asked_for := explicit_language(query)):
            return asked_for
        if b"accept-language" in self.headers:
            return negotiate(self.all_of(b"accept-language"))
        return LANGUAGES[0]

    def all_of(self, wanted: bytes) -> bytes:
        """Join a header's lines, where it may stand more than once (RFC 9110, section 5.3)."""
        if wanted not in self.headers:
            return b""
        return b",".join([value for name, value in self.scope["headers"] if name == wanted])

    async def body(self, limit: int = REQUEST_BYTES) -> bytes:
        """Read the whole body.

        Raises `Problem` `unsupported_encoding` or `too_large` (before the rest is read), and `ClientGone`.
        """
        headers = self.headers
        if b"content-encoding" in headers and self.all_of(b"content-encoding").strip().lower() != b"identity":
            raise Problem("unsupported_encoding", headers=((b"accept-encoding", b"identity"),))
        # The server has checked the header's form; one that lies is caught by counting below.
        if int(headers.get(b"content-length", 0)) > limit:
            raise Problem("too_large", limit=limit)
        receiving: Any = self.receive()
        try:
            waits_for = receiving.send(None)
        except StopIteration as arrived:
            # Most bodies are there at once, and need no timer.
            message: Message = arrived.value
            body: bytes = message.get("body", b"")
            if message["type"] == "http.request" and not message.get("more_body") and len(body) <= limit:
                return body
            return await self._rest(message, limit)
        return await self._rest(_resumed(receiving, waits_for), limit)

    async def _rest(self, first: Message | Awaitable[Message], limit: int) -> bytes:
        """Read a body that is under way, in the time that it may take."""
        chunks: list[bytes] = []
        size = 0
        try:
            with self.service.admission.room.waiting_for_body():
                async with timeout(self.service.settings.body_seconds):
                    message = first if isinstance(first, MutableMapping) else await first
                    while message["type"] == "http.request":
                        chunks.append(message.get("body", b""))
                        size += len(chunks[-1])
                        if size > limit:
                            raise Problem("too_large", limit=limit)
                        if not message.get("more_body"):
                            return b"".join(chunks)
                        message = await self.receive()
        except TimeoutError:
            # What still comes of the body must not be taken for the next request.
            raise Problem("request_timeout", headers=((b"connection", b"close"),)) from None
        raise ClientGone

    async def hang_up(self) -> None:
        """Wait until the client has gone. Only after the body was read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass


@coroutine
def _resumed(started: Coroutine[Any, Any, Message], waits_for: Any) -> Generator[Any, Any, Message]:
    """Go on with a coroutine that was started by hand, from what it waits for."""
    try:
        yield waits_for
    except BaseException:
        started.close()
        raise
    message: Message = yield from started
    return message


JSON_HEADERS: Final[Headers] = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
"""What an answer without a language says of itself."""


def _spoken_headers(language: str) -> Headers:
    return [*JSON_HEADERS, (b"content-language", language.encode()), (b"vary", b"Accept-Language")]


ANSWER_HEADERS: Final = {language: _spoken_headers(language) for language in LANGUAGES}
"""What an answer in a language says of itself, prepared once."""

Handler = Callable[[Call], Awaitable[Reply]]
AtOnce = Callable[[bytes, Service, str], bytes]
"""From a body, the service and a language to a written answer, without waiting. Raises `Problem`."""


class ShortWay(NamedTuple):
    """What a POST to one address is answered with where nothing has to be waited for."""

    roll: AtOnce
    route: Route
    """What counts it."""
