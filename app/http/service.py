"""What the running service holds beside the rules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from structlog.typing import FilteringBoundLogger

from app.http.admission import Admission
from app.http.lifecycle import Life
from app.http.metrics import Metrics
from app.http.odds import OddsDesk
from app.http.problem import FieldError, Problem, to_json
from app.http.receipts import Signer, Verifier
from app.rules.fields import ActionRequest
from app.rules.receipt import claims
from app.rules.resolve import Seeding
from app.settings import Settings


@dataclass(frozen=True)
class Service:
    """Made once at start from the settings, shared by all requests.

    The odds desk learns, limits, room and metrics count, life goes on.
    """

    settings: Settings
    seeding: Seeding
    signer: Signer | None
    verifier: Verifier
    admission: Admission
    metrics: Metrics
    odds: OddsDesk
    log: FilteringBoundLogger
    life: Life = field(default_factory=Life)

    def wants_receipt(self, asked: Mapping[str, bytes]) -> bool:
        """Say whether a receipt is asked for. Raises `Problem` `receipts_off` where none can be had."""
        wanted = asked.get("receipt") == b"true"
        if wanted and self.signer is None:
            raise receipts_off()
        return wanted

    def receipt(self, request: ActionRequest, written: bytes) -> bytes:
        """Sign a receipt for a written answer; as JSON. Raises `Problem` `receipts_off`."""
        if self.signer is None:
            raise receipts_off()
        return to_json(self.signer.sign(claims(request, json.loads(written))))


def with_field(written: bytes, name: bytes, value: bytes) -> bytes:
    """Add a field to a JSON object that is already written."""
    return b'%s,"%s":%s}' % (written[:-1], name, value)


def receipts_off() -> Problem:
    """Say that this service has no key for receipts."""
    return Problem("receipts_off", errors=(FieldError("", "receipts_off"),))
