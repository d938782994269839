"""What operators ask for: health and metrics."""

from asyncio import to_thread
from hmac import compare_digest
from typing import Final

from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import PlainTextResponse

from app.http import describe
from app.http.call import JSON_HEADERS, Call, Headers, Reply
from app.http.describe import problem_responses
from app.http.edge import METRICS
from app.http.endpoint import LANGUAGE_ONLY, ServiceRouter, takes_nothing
from app.http.problem import Problem
from app.http.query import parameters
from app.routers.documents import Health


def operation_router() -> ServiceRouter:
    """Make the routes for probes and for Prometheus."""
    router = ServiceRouter()
    router.document(
        "/livez",
        "Whether the process answers",
        operation_id="livez",
        build={"status": "alive"},
        response_model=Health,
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
        response_model=Health,
        responses=problem_responses(503),
    )
    router.serve(
        "GET",
        METRICS,
        metrics,
        takes_nothing,
        guarded=False,
        summary="What the service has counted, for Prometheus",
        description="The sums over all workers of this instance. Where the operator has set a token, it is "
        "asked for as `Authorization: Bearer`.",
        operation_id="metrics",
        response_class=PlainTextResponse,
        responses=problem_responses(400, 401),
        openapi_extra=dict(describe.METRICS),
    )
    return router


async def readiness(call: Call) -> Reply:
    """Say whether a balancer may send requests here."""
    parameters(call.scope["query_string"], LANGUAGE_ONLY)
    if call.service.life.draining:
        raise Problem("draining", headers=((b"retry-after", b"1"),))
    return Reply(b'{"status":"ready"}', JSON_HEADERS)


async def metrics(call: Call) -> Reply:
    """Answer all counts in Prometheus's text format. Raises `Problem` `unauthorized`."""
    parameters(call.scope["query_string"], LANGUAGE_ONLY)
    wanted = call.service.settings.metrics_token
    if wanted is not None and not compare_digest(_bearer(call), wanted.encode()):
        raise Problem("unauthorized", headers=((b"www-authenticate", b"Bearer"),))
    # Some milliseconds of work: rolls go on beside it.
    written = await to_thread(generate_latest, call.service.metrics)
    return Reply(written, _METRICS_HEADERS)


def _bearer(call: Call) -> bytes:
    """Take the token out of the request (RFC 6750, section 2.1); empty where there is none."""
    scheme, _, token = call.headers.get(b"authorization", b"").partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""


_METRICS_HEADERS: Final[Headers] = [
    (b"content-type", CONTENT_TYPE_PLAIN_0_0_4.encode()),
    (b"cache-control", b"no-store"),
]
