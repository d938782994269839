"""The commands of `python -m app`.

Each imports what it needs when it runs: a health check starts every few seconds and must not load the
whole application.
"""

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from http.client import HTTPConnection
from typing import Final

from app.rules.catalog import LANGUAGES

HEALTH_SECONDS: Final = 3
INTERRUPTED: Final = 130
"""What shells expect of a command that was interrupted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    parser = ArgumentParser(prog="python -m app", description="Wurf resolves tabletop rolls.")
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in (serve, health, openapi, keys, api_key, roll):
        name = command.__name__.replace("_", "-")
        help_ = (command.__doc__ or "").partition("\n")[0]
        commands.add_parser(name, help=help_, description=help_).set_defaults(run=command)
    _describe_roll(commands.choices["roll"])
    given = parser.parse_args(arguments)
    try:
        status: int = given.run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has gone, as `head` does; nothing is left to be said at the end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _describe_roll(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="+",
        metavar="RULESET [ACTION] REQUEST",
        help="a ruleset, one of its actions (roll, if not named) and the request as JSON; - reads it",
    )
    parser.add_argument("--lang", choices=LANGUAGES, help="by default that of your terminal")
    parser.add_argument("--seed", help="the seed that the faces follow from")
    parser.add_argument("--no-odds", action="store_false", dest="odds", help="leave the odds out")
    parser.add_argument("--json", action="store_true", help="print the answer as the service would give it")


def serve(_given: Namespace) -> int:
    """Serve until SIGTERM or SIGINT; settings come from WURF_* in the environment."""
    from app.serving import serve as run  # noqa: PLC0415  see above

    return run()


def health(_given: Namespace) -> int:
    """Ask the service on WURF_PORT whether it is alive; exit status 0 if so."""
    from app.settings import Settings  # noqa: PLC0415  see above

    connection = HTTPConnection("127.0.0.1", Settings().port, timeout=HEALTH_SECONDS)
    try:
        connection.request("GET", "/livez")
        return 0 if connection.getresponse().status == 200 else 1  # noqa: PLR2004  HTTP's word for "fine"
    except OSError:
        return 1
    finally:
        connection.close()


def openapi(_given: Namespace) -> int:
    """Print the OpenAPI document."""
    from app.http.openapi import openapi_document  # noqa: PLC0415  see above
    from app.main import app  # noqa: PLC0415

    json.dump(openapi_document(app, app.answers), sys.stdout, ensure_ascii=False, indent=2)
    print()
    return 0


def keys(_given: Namespace) -> int:
    """Make a key that signs receipts; print it for WURF_SIGNING_KEY."""
    from app.http.receipts import new_key  # noqa: PLC0415  see above

    print(new_key())
    return 0


def api_key(_given: Namespace) -> int:
    """Make an API key, for a client, and its digest, for WURF_API_KEYS."""
    from app.http.keys import new_key  # noqa: PLC0415  see above

    key, digest = new_key()
    print(f"key    {key}\ndigest {digest}")
    return 0


def roll(given: Namespace) -> int:
    """Roll without a server: print what came out, and the odds as bars; exit status 2 where it is refused."""
    from app.cli.rolling import roll as run  # noqa: PLC0415  see above

    return run(given)
