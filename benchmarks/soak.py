"""Whether a service stays as it was, in memory, files and answers, while everything is asked for minutes."""

import json
import re
import secrets
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

from app.http.receipts import new_key
from benchmarks import rolls, servers
from benchmarks.http import NEEDED, load_core, server_core, without
from benchmarks.load import Load
from benchmarks.memory import resident_bytes
from benchmarks.options import Options
from benchmarks.rolls import Request, post
from benchmarks.servers import Server

TURN_SECONDS: Final = 10
"""After so long all connections are closed and opened anew, and a sample is taken."""
PAUSE_SECONDS: Final = 0.5
"""For the service to notice that they are closed."""
_COUNTED: Final = re.compile(r'^wurf_http_requests_total\{.*status="(\d+)".*\} (\S+)$', re.MULTILINE)


class Sample(NamedTuple):
    """How the service was at one moment."""

    seconds: int
    requests: int
    resident_bytes: int
    open_files: int


def measure(options: Options) -> dict[str, Any] | None:
    """Ask for so many minutes; None, with a word, where that cannot be done."""
    if missing := without(NEEDED):
        print(f"SKIPPED: soak needs {missing}")
        return None
    settings = {"WURF_SIGNING_KEY": new_key(), "WURF_NONCE_SECRET": secrets.token_hex()}
    with servers.wurf(server_core(), **settings) as server:
        load = Load("everything", server.url, requests(), load_core())
        samples = [_sample(server, 0, 0)]
        start = time.monotonic()
        while (seconds := round(time.monotonic() - start)) < 60 * options.minutes:
            answered = samples[-1].requests + load.ask(TURN_SECONDS).requests
            time.sleep(PAUSE_SECONDS)
            samples.append(_sample(server, seconds + TURN_SECONDS, answered))
            print(f"soak: {json.dumps(samples[-1]._asdict())}")
        return {"samples": [sample._asdict() for sample in samples], "statuses": _statuses(server)}


def requests() -> list[Request]:
    """Mix what clients ask: rolls, odds, batches, nonces, receipts, documents, and what is turned down."""
    roll = post("/v1/zrps/roll", {"value": 11})
    named = [post("/v1/zrps/roll", {"value": 11, "nonce": f"campaign 7, roll {roll}"}) for roll in range(100)]
    beside = [roll._replace(path=f"{roll.path}?{what}=true") for what in ("odds", "receipt")]
    unsigned = post("/v1/receipts/verify", {"receipt": "e30.e30.e30"})
    batches = [rolls.batch(items) for items in (1, 10, 100)]
    return [*rolls.mixed(), *named, *[*beside, unsigned, *batches] * 20]


def _sample(server: Server, seconds: int, answered: int) -> Sample:
    files = len(list(Path(f"/proc/{server.pid}/fd").iterdir()))
    return Sample(seconds, answered, resident_bytes(server.pid), files)


def _statuses(server: Server) -> dict[str, int]:
    """Ask the service how it has answered. What it turned away before counting is none of its answers."""
    with urllib.request.urlopen(f"{server.url}/metrics") as metrics:
        text: str = metrics.read().decode()
    counted: Counter[str] = Counter()
    for status, count in _COUNTED.findall(text):
        counted[status] += int(float(count))
    return {status: count for status, count in sorted(counted.items()) if count}
