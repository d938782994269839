"""How long to measure."""

from typing import NamedTuple


class Options(NamedTuple):
    """What the command line may change."""

    rounds: int = 5
    """Over HTTP, how often each contender gets its turn."""
    seconds: int = 2
    """Over HTTP, how long a turn is."""
    requests: int = 200_000
    """How many requests a worker answers while its memory is watched."""
    minutes: int = 10
    """How long a soak is."""
