"""Where rate limits are counted: in this process, or in a Redis that several share."""

from asyncio import timeout
from collections import OrderedDict
from collections.abc import Callable, Sequence
from logging import getLogger
from time import monotonic
from typing import TYPE_CHECKING, Final

from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import ConfigurationError, StorageError

from app.http.limits import Policy, Standing, TooMuchError, Window, judged

if TYPE_CHECKING:
    from redis.asyncio import BlockingConnectionPool

WINDOWS: Final = 2**16
"""The most windows that are remembered: beyond them, those not used for longest begin anew."""
CONNECTIONS: Final = 16
"""The most connections to Redis, a process."""
WAIT_SECONDS: Final = 1.0
"""How long one request waits for Redis."""
RETRY_SECONDS: Final = 1.0
"""How long Redis is left alone after it has not answered."""
REMIND_SECONDS: Final = 60.0
"""How often the log says that Redis is still away."""

log = getLogger("wurf")


class Memory:
    """Counts in this process, in bounded memory, at the same cost whoever asks.

    The storage that the package `limits` has for this looks through all its windows at every hit: 7 ms with
    50,000 clients. Here a window begins with its client's first hit, as it does in Redis.
    """

    def __init__(self, most: int = WINDOWS, clock: Callable[[], float] = monotonic) -> None:
        """Start with nothing counted; `clock` gives seconds."""
        self._most = most
        self._clock = clock
        self._windows: OrderedDict[tuple[str, str], Window] = OrderedDict()
        """By limit and client, the one not used for longest first."""

    def spend(self, policies: Sequence[Policy], client: str, cost: int) -> list[Standing]:
        """Count a cost against each limit.

        Raises `TooMuchError`, and counts nothing, where one of them does not allow it.
        """
        now = self._clock()
        seen = [(policy, self._window(policy, client, now)) for policy in policies]
        standings = judged(seen, cost, now)
        for _, window in seen:
            window.current += cost
        return standings

    def _window(self, policy: Policy, client: str, now: float) -> Window:
        key = (policy.name, client)
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = Window(now + policy.seconds)
            if len(self._windows) > self._most:
                self._windows.popitem(last=False)
            return window
        self._windows.move_to_end(key)
        if now >= window.end:
            follows = now < window.end + policy.seconds
            window.end = (window.end if follows else now) + policy.seconds
            window.previous, window.current = window.current if follows else 0, 0
        return window


class Shared:
    """Counts in a Redis, by the package `limits`. While it is away nothing is limited, and the log says so.

    After a failure one request a second tries again; the others do not wait for what comes of it.
    """

    def __init__(self, url: str, clock: Callable[[], float] = monotonic) -> None:
        """Take the address; Redis is asked only once requests come. Raises `ValueError`."""
        self._pool, self._storage = _redis(url)
        self._counter = SlidingWindowCounterRateLimiter(self._storage)
        self.away = False
        self._clock = clock
        self._again = 0.0
        self._remind = 0.0

    async def spend(self, policies: Sequence[Policy], client: str, cost: int) -> list[Standing]:
        """Count a cost against each limit.

        Raises `TooMuchError`, and counts nothing, where one of them does not allow it. While Redis is away
        everything is allowed, and there is nothing to tell.
        """
        if self.away and not self._tries_again():
            return []
        try:
            async with timeout(WAIT_SECONDS):
                standings = await self._spend(policies, client, cost)
        except (StorageError, OSError, TimeoutError) as error:
            self._failed(error)
            return []
        except TooMuchError:
            self._answered()
            raise
        self._answered()
        return standings

    async def close(self) -> None:
        """Hang up."""
        await self._pool.disconnect()

    async def _spend(self, policies: Sequence[Policy], client: str, cost: int) -> list[Standing]:
        seen = [(policy, await self._window(policy, client)) for policy in policies]
        standings = judged(seen, cost, now=0)
        for policy in policies:
            if not await self._counter.hit(policy.item, policy.name, client, cost=cost):
                raise TooMuchError(standings, 1)  # another request of this client was quicker
        return standings

    async def _window(self, policy: Policy, client: str) -> Window:
        key = policy.item.key_for(policy.name, client)
        # What is left of a window is kept a window longer, for when it is the one before.
        previous, _, current, kept = await self._storage.get_sliding_window(key, policy.seconds)
        return Window(max(0, kept - policy.seconds) if kept else policy.seconds, current, previous)

    def _tries_again(self) -> bool:
        now = self._clock()
        if now < self._again:
            return False
        self._again = now + RETRY_SECONDS
        return True

    def _failed(self, error: Exception) -> None:
        """Note that Redis has not answered. What the error says may hold a password, and is not logged."""
        now = self._clock()
        if not self.away or now >= self._remind:
            log.error("rate limits are off: Redis does not answer (%s)", type(error).__name__)
            self._remind = now + REMIND_SECONDS
        self.away = True
        self._again = now + RETRY_SECONDS

    def _answered(self) -> None:
        if self.away:
            self.away = False
            log.warning("rate limits are on again: Redis answers")


def _redis(url: str) -> tuple["BlockingConnectionPool", RedisStorage]:
    from redis.asyncio import BlockingConnectionPool  # noqa: PLC0415  most services do without

    try:
        # Requests queue for a connection: one too many is no reason to let everybody through.
        pool = BlockingConnectionPool.from_url(
            url.replace("redis+unix://", "unix://", 1), max_connections=CONNECTIONS, timeout=WAIT_SECONDS
        )
        storage = RedisStorage(
            "async+" + url,
            wrap_exceptions=True,
            implementation="redispy",
            key_prefix="wurf",
            connection_pool=pool,  # type: ignore[arg-type]  # limits has no better type for what it hands on
        )
    except (ConfigurationError, ValueError):
        # The address is not repeated: it may hold a password.
        message = "needs an address such as redis://host:6379/0 (or rediss://, or redis+unix://)"
        raise ValueError(message) from None
    return pool, storage
