"""What operators and browsers ask for: health and the documentation page."""

from pathlib import Path
from typing import Final

from app.http.call import Call, Headers, Reply
from app.http.endpoint import LANGUAGE_ONLY, ServiceRouter
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
    router.document(
        "/readyz",
        "Whether it takes requests",
        operation_id="readyz",
        build={"status": "ready"},
        cache="no-store",
    )
    router.exact["/docs"] = {"GET": docs_page}
    return router


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
