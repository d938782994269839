"""Rate limits: how much a client may ask for in a while, and what it is told about that.

The windows slide as those of the package `limits` do: what was counted in the window before weighs by the
part of it that the last so many seconds still cover. The header fields are those of
draft-ietf-httpapi-ratelimit-headers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from limits import RateLimitItem, parse_many


@dataclass(frozen=True, slots=True)
class Policy:
    """One limit."""

    name: str
    amount: int
    """How much is allowed in a window."""
    seconds: int
    """How long a window is."""
    item: RateLimitItem
    """The same for the package `limits`."""


@dataclass(slots=True)
class Window:
    """What was counted of a client against one limit."""

    end: float
    """When this window ends, by some clock in seconds."""
    current: int = 0
    """What was counted in it."""
    previous: int = 0
    """What was counted in the one before."""


class Standing(NamedTuple):
    """What a client is told of one limit."""

    policy: Policy
    remaining: int
    seconds: int
    """For how long no more than that is to be had."""


class TooMuchError(Exception):
    """A limit does not allow what a client asks for."""

    def __init__(self, standings: Sequence[Standing], seconds: int) -> None:
        """Keep where the client stands, and in how many seconds it may ask again."""
        super().__init__()
        self.standings = standings
        self.seconds = seconds


def policies(name: str, written: str) -> tuple[Policy, ...]:
    """Read limits in the notation of the package `limits`: `120/minute`, several with `;` between them.

    The shortest window comes first. Raises `ValueError`.
    """
    if not written:
        return ()
    try:
        items = sorted(parse_many(written), key=RateLimitItem.get_expiry)
    except ValueError:
        message = "is a rate limit such as 120/minute, or several with ; between them"
        raise ValueError(message) from None
    if min(item.amount for item in items) < 1:
        message = "a limit of 0 would refuse everything"
        raise ValueError(message)
    if len({item.get_expiry() for item in items}) < len(items):
        message = "holds two limits for the same time"
        raise ValueError(message)
    names = [name] if len(items) == 1 else [f"{name}-{item.get_expiry()}s" for item in items]
    return tuple(
        Policy(name, item.amount, item.get_expiry(), item) for name, item in zip(names, items, strict=True)
    )


def judged(seen: Sequence[tuple[Policy, Window]], cost: int, now: float) -> list[Standing]:
    """Tell where a client will stand once it has spent something.

    Raises `TooMuchError` where one of the limits does not allow it.
    """
    standings = [_standing(policy, window, cost, now) for policy, window in seen]
    if min([one.remaining for one in standings]) < 0:
        raise _too_much(seen, cost, now)
    return standings


def _standing(policy: Policy, window: Window, cost: int, now: float) -> Standing:
    """Take a cost off what a client may spend; below 0 it is too much.

    The window before weighs by the part of it that is still covered.
    """
    left = window.end - now
    counted = window.current + int(window.previous * left / policy.seconds)
    return Standing(policy, policy.amount - counted - cost, min(policy.seconds, ceil(left) or 1))


def _too_much(seen: Sequence[tuple[Policy, Window]], cost: int, now: float) -> TooMuchError:
    standings, waits = [], []
    for policy, window in seen:
        one = _standing(policy, window, 0, now)
        standings.append(one._replace(remaining=max(0, one.remaining)))
        if one.remaining < cost:
            waits.append(_wait(policy, window, cost, now))
    return TooMuchError(standings, max(waits))


def _wait(policy: Policy, window: Window, cost: int, now: float) -> int:
    """Tell after how many whole seconds a cost that is refused now will be allowed.

    One above the limit never will be; then it is the whole window.
    """
    left, seconds = window.end - now, policy.seconds
    if cost > policy.amount:
        return seconds
    room = policy.amount - cost - window.current
    if room >= 0:
        return int(left - (room + 1) * seconds / window.previous) + 1
    # At its end this window becomes the one before, and from then on weighs less and less.
    return int(left + seconds - (policy.amount - cost + 1) * seconds / window.current) + 1


def fields(standings: Sequence[Standing]) -> list[tuple[bytes, bytes]]:
    """Write standings as header fields."""
    if not standings:
        return []
    return [policy_field([one.policy for one in standings]), (b"ratelimit", state(standings))]


def policy_field(policies: Sequence[Policy]) -> tuple[bytes, bytes]:
    """Write policies as a header field."""
    written = ", ".join(f'"{policy.name}";q={policy.amount};w={policy.seconds}' for policy in policies)
    return b"ratelimit-policy", written.encode()


def state(standings: Sequence[Standing]) -> bytes:
    """Write standings as the value of the header field `RateLimit`."""
    return ", ".join([f'"{policy.name}";r={r};t={t}' for policy, r, t in standings]).encode()
