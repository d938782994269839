"""Resolving requests of one action, for its own endpoint and for batches."""

from typing import Any

from app.http.metrics import Metrics
from app.http.odds import WorkedOut
from app.http.problem import refused
from app.http.service import Service
from app.rules.answer import ANSWERS
from app.rules.fields import ActionRequest, DiceRequest, without_dice
from app.rules.refusal import Refusal
from app.rules.resolve import Seeding, resolve
from app.rules.ruleset import Action, Ruleset


class Resolver:
    """Resolves requests of one action."""

    def __init__(self, ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
        """Look up what every request of this action needs."""
        self.ruleset = ruleset
        self.action = action
        self.situation: type[DiceRequest] | None = (
            None if action.odds is None else without_dice(action.request)
        )
        """The form of a request for odds; None where there are none to ask for."""
        self.write = ANSWERS[ruleset.id, action.name].serializer.to_json
        """Writes an answer as JSON."""

    def resolved(self, request: ActionRequest, seeding: Seeding, language: str, metrics: Metrics) -> bytes:
        """Resolve a request, count it and write the answer. Raises `Problem` where a rule refuses it."""
        try:
            answer = resolve(self.ruleset, self.action, request, seeding, language)
        except Refusal as refusal:
            raise refused(refusal) from None
        metrics.rolled(answer)
        return self.write(answer)

    async def odds(self, service: Service, request: ActionRequest, *, exact: bool) -> WorkedOut:
        """Work out the odds of a request. Raises `Problem` where a rule refuses it."""
        try:
            return await service.odds.work_out(self.ruleset, self.action, request, exact=exact)
        except Refusal as refusal:
            raise refused(refusal) from None
