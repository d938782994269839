"""The application: assembly only."""

from importlib import import_module
from secrets import token_hex
from typing import Final

from app import __version__
from app.http.actions import RulesetRouter
from app.http.edge import Wurf
from app.http.service import Service
from app.routers.catalog import catalog_router
from app.routers.operation import WEB, operation_router
from app.rules.registry import RULESETS
from app.rules.resolve import Seeding
from app.rules.ruleset import Ruleset
from app.settings import Settings

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
    settings = settings or Settings()
    seeding = Seeding(draw=_draw_seed, nonce_secret=settings.nonce_secret)
    service = Service(settings=settings, seeding=seeding)
    rulesets = [_router_of(ruleset) for ruleset in RULESETS]
    app = Wurf(
        service,
        [*rulesets, catalog_router(rulesets, service), operation_router()],
        title="Wurf",
        version=__version__,
        summary="Resolves the rolls of tabletop games.",
        description=DESCRIPTION,
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    app.frontend("/", directory=WEB, fallback=None)
    return app


def _router_of(ruleset: Ruleset) -> RulesetRouter:
    """Find a ruleset's router: it lies under the ruleset's name in app/routers."""
    router: RulesetRouter = import_module(f"app.routers.{ruleset.id.replace('-', '_')}").router
    return router


def _draw_seed() -> str:
    return token_hex(SEED_BYTES)


app = create_app()
