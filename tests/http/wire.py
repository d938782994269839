"""HTTP written by hand, for what no client library would send."""

import json
import socket
from http.client import HTTPResponse
from ssl import SSLContext
from types import TracebackType
from typing import Any, Final, Self

import httpx

SECONDS: Final = 10
"""Nothing here waits longer than this for the service."""
ROLL: Final = "/v1/zrps/roll"
CONTEST: Final = "/v1/zrps/contest"
ATTACK: Final = "/v1/three-marks/roll"


class Wire:
    """One connection to the service, kept open from request to request."""

    def __init__(self, port: int, tls: SSLContext | None = None) -> None:
        """Connect to the service on loopback, or to what stands before it with TLS."""
        self._socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        if tls:
            self._socket = tls.wrap_socket(self._socket, server_hostname="localhost")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def send(self, request: bytes) -> None:
        """Send bytes, and wait for nothing."""
        self._socket.sendall(request)

    def receive(self) -> httpx.Response:
        """Read one answer."""
        answer = HTTPResponse(self._socket)
        try:
            answer.begin()
            return httpx.Response(answer.status, headers=answer.getheaders(), content=answer.read())
        finally:
            answer.close()

    def ask(self, request: bytes) -> httpx.Response:
        """Send one request and read its answer."""
        self.send(request)
        return self.receive()

    def until(self, end: bytes) -> bytes:
        """Read up to the bytes given, those included."""
        seen = b""
        while not seen.endswith(end):
            byte = self._socket.recv(1)
            assert byte, "the connection ended"
            seen += byte
        return seen

    def rest(self) -> bytes:
        """Read until the service closes the connection."""
        seen = b""
        while part := self._socket.recv(65536):
            seen += part
        return seen


def message(method: str, target: str, *headers: bytes, body: bytes | None = None) -> bytes:
    """Write a request. A body gets its length, unless the headers say that it comes in chunks."""
    lines = [f"{method} {target} HTTP/1.1".encode("latin-1"), b"Host: localhost", *headers]
    if body is not None and b"Transfer-Encoding: chunked" not in headers:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, b"", body or b""])


def chunked(body: bytes, size: int = 8192) -> bytes:
    """Write a body in chunks, its length unknown to whoever reads it."""
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])


def as_json(value: Any) -> bytes:
    """Write JSON as browsers do: short, and in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def assert_everyone_may_read(answer: httpx.Response) -> None:
    """Check what a browser on another site needs to read an answer."""
    assert answer.headers.get_list("access-control-allow-origin") == ["*"]
    assert "access-control-allow-credentials" not in answer.headers
    exposed = {name.strip() for name in answer.headers["access-control-expose-headers"].split(",")}
    assert exposed >= {
        "ETag",
        "Retry-After",
        "RateLimit",
        "RateLimit-Policy",
        "X-Request-ID",
        "Content-Language",
    }


def assert_problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check all that every problem document owes, and return it."""
    assert answer.headers.get_list("content-type") == ["application/problem+json"]
    document: dict[str, Any] = json.loads(answer.content)
    assert (answer.status_code, document["code"]) == (status, code)
    request_id = answer.headers["x-request-id"]
    assert document["status"] == status
    assert document["type"] == f"/v1/problems/{code}"
    assert document["request_id"] == request_id
    assert document["instance"] == f"urn:wurf:request:{request_id}"
    for words in (document["title"], document["detail"]):
        assert isinstance(words, str)
        assert words
        assert "{" not in words
    assert ("errors" in document) == (status == 422)
    for entry in document.get("errors", ()):
        assert entry.keys() == {"pointer", "code", "message"}
        assert all(isinstance(value, str) for value in entry.values())
        assert entry["message"]
        assert "{" not in entry["message"]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-language"] in {"en", "de"}
    assert "Accept-Language" in answer.headers["vary"]
    assert_everyone_may_read(answer)
    return document
