"""Receipts over HTTP: checking them, and the keys to check them with."""

from typing import Annotated, Any, Final

from pydantic import Field
from typing_extensions import TypedDict  # pydantic wants this one before Python 3.12

from app.http.call import JSON_HEADERS, Call, Reply
from app.http.describe import LANGUAGE_PARAMETER, problem_responses
from app.http.endpoint import LANGUAGE_ONLY, ServiceRouter, takes
from app.http.problem import to_json
from app.http.query import parameters
from app.http.reading import read
from app.http.receipts import Signature
from app.http.service import Service, receipts_off
from app.routers.documents import KeySet
from app.rules.fields import Frozen
from app.rules.receipt import Replay
from app.rules.resolve import Source

RECEIPT_BYTES: Final = 256 * 1024
"""The largest body of a receipt to check."""


class ReceiptToVerify(Frozen):
    """A receipt to check."""

    receipt: str = Field(max_length=RECEIPT_BYTES, description="The receipt as it was given out.")


class ReceiptVerdict(TypedDict):
    """What there is to say of a receipt."""

    signature: Signature
    replay: Annotated[
        Replay | None,
        Field(description="Whether its request, rolled again, gives its answer; null unless valid."),
    ]
    source: Annotated[Source | None, Field(description="Where its dice come from; null unless valid.")]
    payload: Annotated[dict[str, Any] | None, Field(description="What it says; null unless valid.")]


def receipts_router(service: Service) -> ServiceRouter:
    """Make the routes for receipts."""
    router = ServiceRouter()
    router.serve(
        "POST",
        "/v1/receipts/verify",
        verify,
        takes(ReceiptToVerify),
        operation_id="receipts_verify",
        tags=["Batch and receipts"],
        summary="Check a receipt",
        description="First the signature, then whether the roll can be had again.",
        response_model=ReceiptVerdict,
        responses=problem_responses(400, 408, 413, 415, 422, 500),
        openapi_extra={"parameters": [LANGUAGE_PARAMETER]},
    )
    router.document(
        "/.well-known/jwks.json",
        "The keys to check receipts with",
        operation_id="jwks",
        build=service.verifier.key_set(),
        response_model=KeySet,
    )
    return router


async def verify(call: Call) -> Reply:
    """Check the receipt in the body. Raises `Problem` `receipts_off` where there is no key to check with."""
    parameters(call.scope["query_string"], LANGUAGE_ONLY)
    token = read(ReceiptToVerify, await call.body(RECEIPT_BYTES)).receipt
    if not call.service.verifier:
        raise receipts_off()
    return Reply(to_json(call.service.verifier.verify(token)._asdict()), JSON_HEADERS)
