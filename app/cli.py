"""The commands of `python -m app`.

Each imports what it needs when it runs: a health check starts every few seconds and must not load the
whole application.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from http.client import HTTPConnection
from typing import Final

HEALTH_SECONDS: Final = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m app", description="Wurf resolves tabletop rolls.")
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in (serve, health, openapi, keys, api_key):
        name = command.__name__.replace("_", "-")
        commands.add_parser(name, help=(command.__doc__ or "").partition("\n")[0]).set_defaults(run=command)
    status: int = parser.parse_args(arguments).run()
    return status


def serve() -> int:
    """Serve until SIGTERM or SIGINT; settings come from WURF_* in the environment."""
    from app.serving import serve as run  # noqa: PLC0415  see above

    return run()


def health() -> int:
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


def openapi() -> int:
    """Print the OpenAPI document."""
    from app.http.openapi import openapi_document  # noqa: PLC0415  see above
    from app.main import app  # noqa: PLC0415

    json.dump(openapi_document(app, app.answers), sys.stdout, ensure_ascii=False, indent=2)
    print()
    return 0


def keys() -> int:
    """Make a key that signs receipts; print it for WURF_SIGNING_KEY."""
    from app.http.receipts import new_key  # noqa: PLC0415  see above

    print(new_key())
    return 0


def api_key() -> int:
    """Make an API key, for a client, and its digest, for WURF_API_KEYS."""
    from app.http.keys import new_key  # noqa: PLC0415  see above

    key, digest = new_key()
    print(f"key    {key}\ndigest {digest}")
    return 0
