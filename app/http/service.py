"""What the running service holds beside the rules."""

from dataclasses import dataclass, field

from app.http.odds import OddsDesk
from app.rules.resolve import Seeding
from app.settings import Settings


@dataclass(frozen=True)
class Service:
    """Made once at start from the settings, shared by all requests. Only the odds desk learns."""

    settings: Settings
    seeding: Seeding
    odds: OddsDesk = field(default_factory=OddsDesk)
