"""Two replicas that can be killed and started anew, and clients that roll all the while."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import httpx

from tests.deploy.proxy import Proxy
from tests.http.wire import ROLL, SECONDS
from tests.serving import Server, free_port, serving, wait_until

CLIENTS: Final = 4
PAUSE_SECONDS: Final = 0.01
"""Leaves the processor to the services, above all to one that starts."""
ATTEMPTS: Final = 20
NO_CONNECTION: Final = "no connection"


class Replica:
    """A service on a port that stays the same from one process to the next."""

    def __init__(self) -> None:
        """Start it."""
        self.port = free_port()
        self._running = ExitStack()
        self.start()

    def start(self) -> None:
        """Start it anew."""
        settings = {"WURF_PORT": str(self.port), "WURF_DRAIN_SECONDS": "1"}
        self.server: Server = self._running.enter_context(serving(**settings))

    def stop(self) -> int:
        """Tell it to end, wait until it has, and give its exit code."""
        self._running.close()
        return self.server.process.wait(SECONDS)

    def kill(self) -> None:
        """End it at once, in the middle of everything."""
        self.server.process.kill()
        self._running.close()


@dataclass(frozen=True)
class Rolled:
    """A roll, and what the client saw on its way to it."""

    seed: str
    content: bytes
    refusals: tuple[int | str, ...]
    """Statuses and lost connections, before the roll came."""


@dataclass
class Load:
    """What clients that roll all the while have got."""

    rolls: list[Rolled] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    """The seeds of rolls that never came."""

    def refusals(self) -> set[int | str]:
        """All that was seen but rolls."""
        return {refusal for rolled in self.rolls for refusal in rolled.refusals}

    def go_on_for(self, rolls: int) -> None:
        """Wait until so many more rolls have come."""
        enough = len(self.rolls) + rolls
        wait_until(lambda: len(self.rolls) >= enough, f"{rolls} more rolls")


@contextmanager
def rolling(proxy: Proxy) -> Iterator[Load]:
    """Have clients roll, again and again, until the block ends, each roll with a seed of its own."""
    load = Load()
    seeds = map("seed {}".format, count())
    enough = threading.Event()

    def client() -> None:
        with httpx.Client(base_url=proxy.url, verify=proxy.tls, timeout=SECONDS) as connected:
            while not enough.is_set():
                _roll(connected, next(seeds), load)
                time.sleep(PAUSE_SECONDS)

    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    try:
        yield load
    finally:
        enough.set()
        for thread in clients:
            thread.join(2 * SECONDS)


def _roll(client: httpx.Client, seed: str, load: Load) -> None:
    """Roll, and again with the same seed until an answer comes."""
    refusals: list[int | str] = []
    for _ in range(ATTEMPTS):
        try:
            answer = client.post(ROLL, json={"value": 11, "seed": seed})
        except httpx.TransportError:
            refusals.append(NO_CONNECTION)
        else:
            if answer.status_code == httpx.codes.OK:
                load.rolls.append(Rolled(seed, answer.content, tuple(refusals)))
                return
            refusals.append(answer.status_code)
        time.sleep(0.05)
    load.given_up.append(f"{seed}: {refusals}")
