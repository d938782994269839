"""From the first request to the last: what happens when the service is told to stop."""

import signal
import threading
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any


@dataclass
class Life:
    """Where the service stands between its start and its end."""

    draining: bool = False
    """Whether it was told to stop, so that balancers are to look elsewhere; it still answers."""


def stopping_after(seconds: float, life: Life) -> Callable[[Any], AbstractAsyncContextManager[None]]:
    """Make SIGTERM stop the server only after a while, in which `/readyz` says no and all else is answered.

    So a balancer that asks for readiness has looked away before the listener closes. A second signal, or
    SIGINT, stops the server at once. This goes for uvicorn's workers too, which have no other hook.
    """

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        # Python takes signals in the main thread only; elsewhere a test runs the application.
        if threading.current_thread() is threading.main_thread():
            _defer(signal.SIGTERM, seconds, life, get_running_loop())
        yield

    return lifespan


def _defer(number: signal.Signals, seconds: float, life: Life, loop: AbstractEventLoop) -> None:
    stop: Any = signal.getsignal(number)

    def drain(received: int, frame: FrameType | None) -> None:
        if life.draining or not seconds:
            stop(received, frame)
            return
        life.draining = True
        loop.call_soon_threadsafe(loop.call_later, seconds, stop, received, frame)

    signal.signal(number, drain)
