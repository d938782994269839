"""How uvicorn is run."""

import gc
import signal
import sys
from types import FrameType
from typing import Final

import uvicorn
from pydantic import ValidationError

from app.settings import Settings, WrongSettingError

KEEP_ALIVE_SECONDS: Final = 75
"""Longer than the 60 s after which common load balancers let go, so that it is never us who close first."""
GRACE_SECONDS: Final = 10
"""How long requests in work may take to end once the service is told to stop."""
BACKLOG: Final = 2048


def serve() -> int:
    """Serve until a signal ends it; requests in work are answered first."""
    try:
        settings = Settings()
        from app.main import app  # noqa: PLC0415  it reads the settings too, and may find them wrong
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            name = "WURF_" + "_".join(str(step) for step in problem["loc"]).upper()
            print(f"{name}: {problem['msg']}" if problem["loc"] else problem["msg"], file=sys.stderr)
        return 2
    except WrongSettingError as error:
        print(error, file=sys.stderr)
        return 2
    # What was made at start stays for good: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    # uvicorn raises the signal again once it has stopped in order; then there is nothing left to do.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stopped)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        access_log=False,
        server_header=False,
        date_header=False,
        log_level="info",
    )
    return 0


def _stopped(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
