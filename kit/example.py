"""The smallest implementation there is: plain dice, as a program that reads and writes JSON lines.

python3 run.py program --only dice --only dice1 -- python3 example.py
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import sys
from typing import Any, Iterator

MOST_SIDES, MOST_DICE = 256, 1000


def stream(seed: str, ruleset: str, action: str) -> Iterator[int]:
    """Yield the bytes of "dice1": one block of HMAC-SHA256 after the other."""
    for number in itertools.count():
        message = "\n".join(["dice1", ruleset, action, str(number)])
        yield from hmac.new(seed.encode(), message.encode(), hashlib.sha256).digest()


def throw(attempts: Iterator[int], sides: int) -> int:
    """Read one die: bytes that would favor the low faces are skipped."""
    limit = 256 - 256 % sides
    return next(byte for byte in attempts if byte < limit) % sides + 1


def integer(value: Any, least: int, most: int) -> bool:
    """Take a JSON integer within its bounds."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def refused(request: Any, sides: Any, count: Any, faces: Any) -> str | None:
    """Find what is wrong: first with the fields, then between them."""
    sized = integer(sides, 2, MOST_SIDES) and integer(count, 1, MOST_DICE)
    if not sized or not all(integer(face, 1, sides) for face in faces or ()):
        return "validation"
    if faces is not None and "seed" in request:
        return "seed_and_faces"
    if faces is not None and len(faces) != count:
        return "faces_count"
    return None


def answer(asked: Any) -> Any:
    """Resolve one line."""
    if "dice1" in asked:
        row = asked["dice1"]
        attempts = stream(row["seed"], row["ruleset"], row["action"])
        return {"faces": [throw(attempts, row["sides"]) for _ in range(row["count"])]}
    if (asked["ruleset"], asked["action"]) != ("dice", "roll"):
        return {"status": 404, "code": "not_found"}
    request = asked["request"]
    sides, count, faces = (request.get(name) for name in ("sides", "count", "faces"))
    refusal = refused(request, sides, count, faces)
    if refusal:
        return {"status": 422, "code": refusal}
    seed = None
    if faces is None:
        seed = str(request["seed"])
        attempts = stream(seed, "dice", "roll")
        faces = [throw(attempts, sides) for _ in range(count)]
    return {
        "ruleset": "dice",
        "action": "roll",
        "outcome": None,
        "success": None,
        "sides": sides,
        "faces": faces,
        "seed": seed,
        "source": "given_faces" if seed is None else "client_seed",
        "stream": None if seed is None else "dice1",
        "label": None,
        "total": sum(faces),
    }


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
