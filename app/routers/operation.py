"""What operators and browsers ask for: health and the documentation page."""

from pathlib import Path
from typing import Final

from app.http.call import JSON_HEADERS, Call, Headers, Reply
from app.http.describe import problem_responses
from app.http.endpoint import LANGUAGE_ONLY, ServiceRouter, takes_nothing
from app.http.problem import Problem
from app.http.query import parameters

WEB: Final = Path(__file__).parents[1] / "web"
"""The files that the service ships for browsers."""
DOCS_POLICY: Final = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The documentation page loads from its own host only. Swagger UI writes style attributes."""


def operation_router() -> ServiceRouter:
    """Make the routes for probes and for the documentation page."""
    router = ServiceRouter()
    router.document(
        "/livez",
        "Whether the process answers",
        operation_id="livez",
        build={"status": "alive"},
        cache="no-store",
    )
    router.serve(
        "GET",
        "/readyz",
        readiness,
        takes_nothing,
        guarded=False,
        summary="Whether it takes requests",
        operation_id="readyz",
        responses=problem_responses(503),
    )
    router.exact["/docs"] = {"GET": docs_page}
    router.open.add("/docs")
    return router


async def readiness(call: Call) -> Reply:
    """Say whether a balancer may send requests here."""
    parameters(call.scope["query_string"], LANGUAGE_ONLY)
    if call.service.life.draining:
        raise Problem("draining", headers=((b"retry-after", b"1"),))
    return Reply(b'{"status":"ready"}', JSON_HEADERS)


async def docs_page(call: Call) -> Reply:
    """Answer the documentation page."""
    parameters(call.scope["query_string"], LANGUAGE_ONLY)
    return Reply(_DOCS, _DOCS_HEADERS)


_DOCS: Final = (WEB / "docs.html").read_bytes()
_DOCS_HEADERS: Final[Headers] = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"content-security-policy", DOCS_POLICY.encode()),
]
