"""The short way through the server, for requests that arrive whole.

uvicorn makes a task, an event and three messages of each request and checks every header of every answer:
more work than a roll. A plain POST to an action whose head and body come in one read needs none of it; here
it is answered before the read ends, in one write. Whatever is not so plain goes uvicorn's own way, as ASGI,
to the same functions. Tests hold the two against each other.
"""

from asyncio import TimerHandle
from collections.abc import Mapping
from typing import Any, Final, Protocol, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.http.call import REQUEST_BYTES, Call, Scope, ShortWay

NOT_PLAIN: Final = frozenset({b"expect", b"content-encoding"})
"""Headers by which a client asks for more than an answer to its body."""


class Edge(Protocol):
    """What the application offers to this protocol."""

    at_once: Mapping[bytes, ShortWay]
    """By address as sent: what a POST there is answered with where nothing has to be waited for."""

    @property
    def draining(self) -> bool:
        """Whether connections are to be closed after their next answer."""

    def call(self, scope: Scope) -> Call:
        """Take a request in."""

    def answer_at_once(self, call: Call, way: ShortWay, body: bytes) -> bytes:
        """Answer it, as it goes over the wire."""


class Lane(HttpToolsProtocol):
    """HTTP/1.1 as uvicorn speaks it, with a short way for requests that arrive whole."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Look up what can be answered at once; an application in a wrapper offers nothing."""
        super().__init__(*given, **named)
        self._edge = cast(Edge, self.app)
        self._at_once: Mapping[bytes, ShortWay] = getattr(self.app, "at_once", {})
        self._first = False
        self._way: ShortWay | None = None
        self._body = b""
        self._resting_since: float | None = None
        """When the last answer on the short way ended, in the loop's time; None once more has come."""
        self._watch: TimerHandle | None = None
        """Looks whether the connection has rested for too long."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of a connection. uvicorn would keep one that the client has reset until its time is up."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        if self._watch is not None:
            self._watch.cancel()

    def data_received(self, data: bytes) -> None:
        """Take what was read. Of several requests in it only the first goes the short way.

        So no client holds up the others for longer than by a single request.
        """
        self._first = True
        self._resting_since = None
        super().data_received(data)
        if self._way is not None:
            self._go_the_long_way()

    def on_headers_complete(self) -> None:
        """Choose the way."""
        first, self._first = self._first, False
        way = self._at_once.get(self.url) if first else None
        if way is not None and self._is_plain():
            self._way, self._body = way, b""
        else:
            self._resting_since = None
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep the body until it is known to be whole."""
        if self._way is None:
            super().on_body(body)
        else:
            self._body += body

    def on_message_complete(self) -> None:
        """Answer."""
        way = self._way
        if way is None:
            super().on_message_complete()
            return
        scope: Any = self.scope
        scope["query_string"] = self.url.partition(b"?")[2]
        call = self._edge.call(scope)
        if len(self._body) > REQUEST_BYTES or not NOT_PLAIN.isdisjoint(call.headers):
            self._go_the_long_way()
            super().on_message_complete()
            return
        self._way = None
        self.transport.write(self._edge.answer_at_once(call, way, self._body))
        self.server_state.total_requests += 1
        self._rest()

    def _rest(self) -> None:
        """Let the connection rest. To set a timer anew after each answer, as uvicorn does, costs 5 %."""
        self._resting_since = self.loop.time()
        if self._watch is None:
            self._watch = self.loop.call_later(self.timeout_keep_alive, self._look)

    def _look(self) -> None:
        """Close the connection if it has rested for as long as it may, or look again when it has.

        While it does not rest nothing is to be done: the answer that ends the work starts a timer.
        """
        self._watch = None
        if self._resting_since is None:
            return
        left = self._resting_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._watch = self.loop.call_later(left, self._look)
        else:
            self.timeout_keep_alive_handler()

    def _is_plain(self) -> bool:
        """Whether the connection is at rest and stays open, and this is a POST."""
        parser = self.parser
        cycle: Any = self.cycle
        return (
            parser.get_method() == b"POST"
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
            and (cycle is None or cycle.response_complete)
            and not self.flow.write_paused
            and not self._edge.draining
        )

    def _go_the_long_way(self) -> None:
        self._way = None
        super().on_headers_complete()
        if self._body:
            super().on_body(self._body)
