"""Admission: room, keys and rate limits, before everything that works for a client.

Health, documents and CORS preflights do not come past here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.http.counting import Memory, Shared
from app.http.keys import Keys
from app.http.limits import Policy, Standing, TooMuchError
from app.http.overload import Room
from app.http.problem import Problem
from app.http.proxies import Proxies


class Asked(Protocol):
    """What admission looks at in a request, and what it notes there."""

    scope: Any
    headers: dict[bytes, bytes]
    client: str
    standings: Sequence[Standing]


@dataclass(frozen=True)
class Admission:
    """What stands before the work, as the settings have it."""

    room: Room
    keys: Keys | None
    """Who may ask; None where everybody may."""
    proxies: Proxies
    requests: Sequence[Policy]
    """The limits for requests."""
    batch_items: Sequence[Policy]
    """The limits for the items of batches, each of which is one request beside."""
    shared: Shared | None
    """Where replicas count together; None where this process counts for itself."""
    memory: Memory = field(default_factory=Memory)

    @property
    def asks(self) -> bool:
        """Whether a client has to be known."""
        return bool(self.keys or self.requests or self.batch_items)

    @property
    def waits(self) -> bool:
        """Whether a request can only be counted by asking somebody else."""
        return bool(self.requests) and self.shared is not None

    def admit_at_once(self, call: Asked) -> None:
        """Find out who asks, and count the request in this process.

        Raises `Problem` `unauthorized` and `rate_limited`.
        """
        self._identify(call)
        if self.requests:
            try:
                call.standings = self.memory.spend(self.requests, call.client, 1)
            except TooMuchError as error:
                raise _refused(call, error) from None

    async def admit(self, call: Asked) -> None:
        """Find out who asks, and count the request. Raises `Problem` `unauthorized` and `rate_limited`."""
        self._identify(call)
        await self._spend(call, self.requests, 1)

    async def admit_items(self, call: Asked, count: int) -> None:
        """Count the items of a batch. Raises `Problem` `rate_limited`, and then none of them is counted."""
        await self._spend(call, self.batch_items, count)

    def _identify(self, call: Asked) -> None:
        if self.keys is None:
            call.client = "address " + self.proxies.client(call.scope)
            return
        name = self.keys.name_of(call.headers)
        if name is None:
            raise Problem("unauthorized", headers=((b"www-authenticate", b"Bearer"),))
        call.client = "key " + name

    async def _spend(self, call: Asked, policies: Sequence[Policy], cost: int) -> None:
        if not policies:
            return
        try:
            if self.shared is None:
                standings = self.memory.spend(policies, call.client, cost)
            else:
                standings = await self.shared.spend(policies, call.client, cost)
        except TooMuchError as error:
            raise _refused(call, error) from None
        call.standings = [*call.standings, *standings]


def _refused(call: Asked, error: TooMuchError) -> Problem:
    """Note where the client stands; the edge tells it beside the problem."""
    call.standings = [
        # Whoever comes back when `Retry-After` says so must not find that too early by the other field.
        one._replace(seconds=min(one.seconds, error.seconds))
        for one in [*call.standings, *error.standings]
    ]
    return Problem("rate_limited", headers=((b"retry-after", b"%d" % error.seconds),))
