"""Holds an implementation of Wurf's contract against the worked examples.

    python3 run.py http http://localhost:8000
    python3 run.py program -- ./my-implementation --json-lines

Needs Python 3.8 or newer, and nothing else. README.md beside it explains the examples. The exit status is 0
where every example holds, 1 where one does not, and 2 where nobody answers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import IO, Any, Iterator, cast
from urllib.parse import urlsplit

CASES = Path(__file__).with_name("cases")
STREAM = "dice1"
SECONDS = 10
OK = 200


class UnreachableError(Exception):
    """Nobody answers, or what comes back is no answer."""

    def __init__(self, asked: str, error: Exception) -> None:
        """Say what was asked, and what happened."""
        super().__init__(f"no answer to {asked}: {error}")


class Service:
    """An implementation that answers by HTTP."""

    def __init__(self, url: str, headers: list[str]) -> None:
        """Know where it is, and what to send along, such as a key."""
        parts = urlsplit(url)
        connection = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = connection(parts.netloc, timeout=SECONDS)
        self._base = parts.path.rstrip("/")
        self._headers = {"Accept-Language": "en", "Content-Type": "application/json"}
        for header in headers:
            name, _, value = header.partition(":")
            self._headers[name.strip()] = value.strip()

    def ask(self, ruleset: str, action: str, request: Any) -> Any:
        """Resolve one request; a refusal is its problem document."""
        path = f"{self._base}/v1/{ruleset}/{action}"
        try:
            self._connection.request("POST", path, json.dumps(request).encode(), self._headers)
            response = self._connection.getresponse()
            status, said = response.status, json.loads(response.read())
        except (OSError, HTTPException, ValueError) as error:
            raise UnreachableError(path, error) from error
        return said if status == OK or not isinstance(said, dict) else {**said, "status": status}

    def faces(self, row: dict[str, Any]) -> Any:
        """Roll as many dice from a seed as the action throws."""
        answer = self.ask(row["ruleset"], row["action"], {**thrown_by(row), "seed": row["seed"]})
        return answer.get("faces") or answer

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Program:
    """An implementation that reads a JSON object a line and writes one for each."""

    def __init__(self, command: list[str]) -> None:
        """Start it."""
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._asked = cast("IO[bytes]", self._process.stdin)
            self._said = cast("IO[bytes]", self._process.stdout)
        except OSError as error:
            raise UnreachableError(command[0], error) from error

    def ask(self, ruleset: str, action: str, request: Any) -> Any:
        """Resolve one request; a refusal is an object with `status` and `code`."""
        return self._line({"ruleset": ruleset, "action": action, "request": request})

    def faces(self, row: dict[str, Any]) -> Any:
        """Draw the faces from the stream itself."""
        count = len(row["faces"])
        answer = self._line(
            {STREAM: {**{name: row[name] for name in row if name != "faces"}, "count": count}}
        )
        return answer.get("faces") or answer

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()

    def _line(self, asked: Any) -> Any:
        timer = threading.Timer(SECONDS, self._process.kill)
        timer.start()
        try:
            self._asked.write(json.dumps(asked).encode() + b"\n")
            self._asked.flush()
            said = json.loads(self._said.readline())
        except (OSError, ValueError) as error:
            raise UnreachableError(json.dumps(asked), error) from error
        finally:
            timer.cancel()
        return said


def thrown_by(row: dict[str, Any]) -> dict[str, Any]:
    """Make a request that throws as many of a row's dice as its action can."""
    count = len(row["faces"])
    requests: dict[tuple[str, str], dict[str, Any]] = {
        ("v20", "roll"): {"pool": min(count, 100)},
        ("three-marks", "roll"): {"advantage": 0},
        ("pathfinder2e", "roll"): {"fortune": True},
        ("scorekeeper", "roll"): {"attribute": 10},
        ("scorekeeper", "contest"): {"contestants": [{"attribute": 10}] * 2},
        ("scorekeeper", "extended"): {"attribute": 1, "target_effect": 10000, "max_rolls": min(count, 100)},
        ("zrps", "roll"): {"value": 10},
        ("zrps", "contest"): {"contestants": [{"values": [10]}] * 2},
        ("dice", "roll"): {"sides": row["sides"], "count": count},
    }
    return requests[row["ruleset"], row["action"]]


def difference(want: Any, got: Any, at: str = "") -> str | None:
    """Say where an answer does not hold what is expected of it; lists are compared element by element."""
    if isinstance(want, dict) and isinstance(got, dict):
        missing = [name for name in want if name not in got]
        if missing:
            return f"{at}/{missing[0]}: missing"
        return _first(difference(value, got[name], f"{at}/{name}") for name, value in want.items())
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return _first(difference(one, got[place], f"{at}/{place}") for place, one in enumerate(want))
    # JSON's true is no 1, whatever Python makes of it.
    if want == got and type(want) is type(got):
        return None
    return f"{at}: want {json.dumps(want)}, got {json.dumps(got)}"


def _first(differences: Iterator[str | None]) -> str | None:
    return next((found for found in differences if found), None)


def case_fails(side: Service | Program, case: dict[str, Any], *, with_texts: bool) -> str | None:
    """Ask what an example asks, and say what is not as expected."""
    got = side.ask(case["ruleset"], case["action"], case["request"])
    want = {name: value for name, value in case["expect"].items() if with_texts or name != "text"}
    if "status" not in want and isinstance(got, dict) and "code" in got:
        return f"want an answer, got {got.get('status')} {got['code']}"
    return difference(want, got)


def row_fails(side: Service | Program, row: dict[str, Any]) -> str | None:
    """Have dice thrown from a seed, and say where they do not show the faces that they should."""
    got = side.faces(row)
    if not isinstance(got, list):
        return f"want faces, got {json.dumps(got)}"
    return difference(row["faces"][: max(len(got), 1)], got, "/faces")


def hold(side: Service | Program, name: str, *, with_texts: bool) -> bool:
    """Hold one file of examples against an implementation, and print what it does not hold."""
    examples = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    held = 0
    for number, one in enumerate(examples):
        fails = row_fails(side, one) if name == STREAM else case_fails(side, one, with_texts=with_texts)
        if fails:
            print(f"{name} {number}: {one.get('name', STREAM)}\n    {fails}\n    asked: {asked_by(one)}")
        else:
            held += 1
    print(f"{name}: {held} of {len(examples)} hold")
    return held == len(examples)


def asked_by(one: dict[str, Any]) -> str:
    """Show what an example asks, without what it expects."""
    hidden = ("name", "expect", "faces")
    return json.dumps({name: value for name, value in one.items() if name not in hidden}, ensure_ascii=False)


def main() -> int:
    """Hold what the command line names."""
    files = sorted(path.stem for path in CASES.glob("*.json"))
    parser = argparse.ArgumentParser(description="Hold an implementation against Wurf's worked examples.")
    ways = parser.add_subparsers(dest="way", required=True, metavar="http|program")
    http = ways.add_parser("http", help="a service at an address")
    http.add_argument("url")
    http.add_argument(
        "--header", action="append", default=[], metavar="NAME:VALUE", help="sent along, such as a key"
    )
    program = ways.add_parser("program", help="a program that reads and writes JSON lines")
    program.add_argument("command", nargs="+", help="behind --, the program and its arguments")
    for way in (http, program):
        way.add_argument("--only", action="append", choices=files, help="a file of examples; may be repeated")
        way.add_argument("--texts", action="store_true", help="compare the English sentences as well")
    given = parser.parse_args()
    try:
        with closing(
            Service(given.url, given.header) if given.way == "http" else Program(given.command)
        ) as side:
            held = [hold(side, name, with_texts=given.texts) for name in given.only or files]
    except UnreachableError as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
