"""Batches over HTTP."""

from collections.abc import Sequence

from app.http.actions import RulesetRouter
from app.http.batch import Batch, BatchAnswer, BatchDesk
from app.http.describe import LANGUAGE_PARAMETER, RECEIPT_PARAMETER, problem_responses
from app.http.endpoint import ServiceRouter, takes


def batch_router(routers: Sequence[RulesetRouter]) -> ServiceRouter:
    """Make the route for batches of the actions of these routers."""
    router = ServiceRouter()
    router.serve(
        "POST",
        "/v1/batch",
        BatchDesk(routers).post,
        takes(Batch),
        operation_id="batch",
        tags=["Batch and receipts"],
        summary="Up to 1,000 actions in one call",
        description="Each item has its own result; one that is refused spoils no other.",
        response_model=BatchAnswer,
        responses=problem_responses(400, 408, 413, 415, 422, 500),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"examples": {"goblins": GOBLINS}}},
            },
            "parameters": [LANGUAGE_PARAMETER, RECEIPT_PARAMETER],
        },
    )
    return router


GOBLINS = {
    "summary": "The saves of three goblins",
    "value": {
        "seed": "round 3",
        "defaults": {
            "ruleset": "pathfinder2e",
            "action": "roll",
            "request": {"check": "save", "attribute_modifier": 2, "dc": 17},
        },
        "items": [
            {"request": {"ref": "goblin 1"}},
            {"request": {"ref": "goblin 2"}},
            {"request": {"ref": "goblin 3", "attribute_modifier": 4}},
        ],
    },
}
