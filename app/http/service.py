"""What the running service holds beside the rules."""

from dataclasses import dataclass

from app.rules.resolve import Seeding
from app.settings import Settings


@dataclass(frozen=True)
class Service:
    """Made once at start from the settings, shared by all requests, never changed."""

    settings: Settings
    seeding: Seeding
