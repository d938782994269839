"""One HTTP request and one answer, as thin as the service needs them."""

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from app.http.language import explicit_language, negotiate
from app.http.problem import Problem
from app.http.service import Service

Headers = list[tuple[bytes, bytes]]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

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


@dataclass
class Call:
    """A request on its way in."""

    scope: Scope
    receive: Receive
    service: Service
    request_id: bytes
    headers: dict[bytes, bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Index the headers. Of one that is repeated the last stands; `all_of` has them all."""
        self.headers = dict(self.scope["headers"])

    @cached_property
    def language(self) -> str:
        """The language in which to answer: `?lang`, else `Accept-Language`, else English."""
        query: bytes = self.scope["query_string"]
        return (query and explicit_language(query)) or negotiate(self.all_of(b"accept-language"))

    def all_of(self, wanted: bytes) -> bytes:
        """Join a header's lines, where it may stand more than once (RFC 9110, section 5.3)."""
        if len(self.headers) == len(self.scope["headers"]):
            return self.headers.get(wanted, b"")
        return b",".join(value for name, value in self.scope["headers"] if name == wanted)

    async def body(self, limit: int = REQUEST_BYTES) -> bytes:
        """Read the whole body.

        Raises `Problem` `unsupported_encoding` or `too_large` (before the rest is read), and `ClientGone`.
        """
        if self.all_of(b"content-encoding").strip().lower() not in {b"identity", b""}:
            raise Problem("unsupported_encoding", headers=((b"accept-encoding", b"identity"),))
        # The server has checked the header's form; one that lies is caught by counting below.
        if int(self.headers.get(b"content-length", b"0")) > limit:
            raise Problem("too_large", limit=limit)
        body, more = await self._chunk()
        if not more and len(body) <= limit:
            return body
        chunks = [body]
        size = len(body)
        while more and size <= limit:
            body, more = await self._chunk()
            chunks.append(body)
            size += len(body)
        if size > limit:
            raise Problem("too_large", limit=limit)
        return b"".join(chunks)

    async def hang_up(self) -> None:
        """Wait until the client has gone. Only after the body was read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def _chunk(self) -> tuple[bytes, bool]:
        message = await self.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        return message.get("body", b""), message.get("more_body", False)


Handler = Callable[[Call], Awaitable[Reply]]
