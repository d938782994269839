"""The application: assembly only."""

import json
import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from secrets import token_hex
from typing import Any, Final, TypeVar

from app import __version__
from app.http import logs
from app.http.actions import RulesetRouter
from app.http.admission import Admission
from app.http.counting import Shared
from app.http.edge import Wurf
from app.http.keys import Keys
from app.http.lifecycle import stopping_after
from app.http.limits import policies
from app.http.metrics import Metrics
from app.http.odds import OddsDesk
from app.http.overload import Room
from app.http.proxies import Proxies
from app.http.receipts import Signer, Verifier
from app.http.service import Service
from app.http.tally import tally_of_worker
from app.http.tracing import TracedWurf, check_tracing
from app.routers.batch import batch_router
from app.routers.catalog import catalog_router
from app.routers.operation import operation_router
from app.routers.pages import WEB, pages_router
from app.routers.receipts import receipts_router
from app.rules.registry import RULESETS
from app.rules.resolve import Seeding
from app.rules.ruleset import Ruleset
from app.settings import Settings, WrongSettingError

Made = TypeVar("Made")

SEED_BYTES: Final = 16
DESCRIPTION: Final = """\
Wurf resolves the rolls of tabletop games. Send what a character attempts; the answer holds the faces,
every number of the arithmetic apart, the verdict in the game's own terms, a sentence for people in
English or German, and the seed that replays it.

Integers are JSON integers only: `5`, not `5.0` (which JSON Schema would admit), `"5"` or `true`. An
optional field may be null, which is the same as leaving it out. Unknown fields are refused.
"""


def create_app(settings: Settings | None = None) -> Wurf:
    """Assemble the application from its settings, by default those of the environment."""
    service = _service(settings or Settings())
    if service.settings.otel:
        check_tracing(os.environ)
    rulesets = [_router_of(ruleset) for ruleset in RULESETS]
    app = (TracedWurf if service.settings.otel else Wurf)(
        service,
        [
            *rulesets,
            batch_router(rulesets),
            receipts_router(service),
            catalog_router(rulesets, service),
            operation_router(),
            pages_router(),
        ],
        title="Wurf",
        version=__version__,
        summary="Resolves the rolls of tabletop games.",
        description=DESCRIPTION,
        license_info={"name": "MIT", "identifier": "MIT"},
        lifespan=stopping_after(service.settings.drain_seconds, service.life),
    )
    app.frontend("/", directory=WEB, fallback=None)
    return app


def _service(settings: Settings) -> Service:
    """Make what the service holds. Raises `WrongSettingError`."""
    made = partial(_made, settings)
    log = logs.logger(settings.log_level)
    metrics = Metrics(tally_of_worker(log))
    signer = made("signing_key", lambda jwk: Signer(jwk, settings.issuer)) if settings.signing_key else None
    return Service(
        settings=settings,
        seeding=Seeding(draw=_draw_seed, nonce_secret=settings.nonce_secret),
        signer=signer,
        verifier=made("retired_keys", lambda written: Verifier(signer, json.loads(written or "[]"))),
        admission=Admission(
            room=Room(settings.max_in_work),
            # Set but empty is wrong: a secret that got lost must not open the service to everybody.
            keys=made("api_keys", Keys) if settings.api_keys is not None else None,
            proxies=made("trusted_proxies", Proxies),
            requests=made("rate_limit", partial(policies, "default")),
            batch_items=made("batch_item_limit", partial(policies, "batch-items")),
            shared=made("rate_limit_storage", Shared) if settings.rate_limit_storage else None,
        ),
        metrics=metrics,
        odds=OddsDesk(metrics),
        log=log,
    )


def _made(settings: Settings, name: str, make: Callable[[Any], Made]) -> Made:
    """Make something from a setting. Raises `WrongSettingError` that names it."""
    try:
        return make(getattr(settings, name))
    except ValueError as error:
        raise WrongSettingError(name, error) from None


def _router_of(ruleset: Ruleset) -> RulesetRouter:
    """Find a ruleset's router: it lies in app/routers under the ruleset's word in paths."""
    router: RulesetRouter = import_module(f"app.routers.{ruleset.id.replace('-', '_')}").router
    return router


def _draw_seed() -> str:
    return token_hex(SEED_BYTES)


app = create_app()
