"""What people open in a browser: the page for players and the documentation page."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from app.http.call import Call, Handler, Headers, Reply
from app.http.endpoint import LANGUAGE_ONLY, ServiceRouter
from app.http.query import parameters

WEB: Final = Path(__file__).parents[1] / "web"
"""The files that the service ships for browsers."""
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A page loads from its own host only, and nothing that stands in its markup runs or styles."""
DOCS_POLICY: Final = PAGE_POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""Swagger UI writes style attributes."""


def pages_router() -> ServiceRouter:
    """Make the routes of the pages. They stay open where keys are required: one enters a key there."""
    router = ServiceRouter()
    for path, name, policy in (("/", "page.html", PAGE_POLICY), ("/docs", "docs.html", DOCS_POLICY)):
        router.exact[path] = {"GET": _page(name, policy)}
        router.open.add(path)
    return router


def _page(name: str, policy: str) -> Handler:
    """Make what answers a page. A browser keeps it and asks each time whether it is still the same."""
    body = (WEB / name).read_bytes()
    tag = f'"{sha256(body).hexdigest()[:32]}"'.encode()
    kept: Headers = [
        (b"cache-control", b"no-cache"),
        (b"content-security-policy", policy.encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"etag", tag),
        (b"referrer-policy", b"no-referrer"),
    ]
    headers = [(b"content-type", b"text/html; charset=utf-8"), *kept]

    async def page(call: Call) -> Reply:
        parameters(call.scope["query_string"], LANGUAGE_ONLY)
        if tag in call.headers.get(b"if-none-match", b""):
            return Reply(b"", kept, 304, page=True)
        return Reply(body, headers, page=True)

    return page
