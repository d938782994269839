"""How uvicorn is run."""

import gc
import os
import signal
import sys
import threading
from contextlib import nullcontext
from multiprocessing import parent_process
from multiprocessing.connection import wait
from types import FrameType
from typing import TYPE_CHECKING, Final

import uvicorn
from pydantic import ValidationError

from app.http import logs
from app.http.lane import Lane
from app.http.tally import counting_together
from app.settings import Settings, WrongSettingError

if TYPE_CHECKING:
    from app.http.edge import Wurf

KEEP_ALIVE_SECONDS: Final = 75
"""Longer than the 60 s after which common load balancers let go, so that it is never us who close first."""
GRACE_SECONDS: Final = 10
"""How long requests in work may take to end once the service is told to stop."""
BACKLOG: Final = 2048
SWITCH_SECONDS: Final = 0.000_05
"""How long another thread may keep the interpreter while a roll waits for it: Python's own 5 ms are a hundred
rolls."""


def serve() -> int:
    """Serve until a signal ends it; requests in work are answered first."""
    try:
        settings = Settings()
        from app.main import app  # noqa: F401, PLC0415  it reads the settings too, and may find them wrong
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            name = "WURF_" + "_".join(str(step) for step in problem["loc"]).upper()
            print(f"{name}: {problem['msg']}" if problem["loc"] else problem["msg"], file=sys.stderr)
        return 2
    except WrongSettingError as error:
        print(error, file=sys.stderr)
        return 2
    # uvicorn raises the signal again once it has stopped in order; then there is nothing left to do.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stopped)
    with counting_together(logs.logger(settings.log_level)) if settings.workers > 1 else nullcontext():
        uvicorn.run(
            "app.serving:application",
            factory=True,
            workers=settings.workers,
            host=settings.host,
            port=settings.port,
            loop="auto",  # uvloop where there is one
            http=Lane,
            ws="none",
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            # No line a request (the edge writes better ones), and no header that nobody needs.
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            log_config=logs.configuration(settings.log_level),
            log_level=settings.log_level,
        )
    return 0


def application() -> "Wurf":
    """Make the application in the process that serves it, and settle the interpreter for it."""
    from app.main import app  # noqa: PLC0415  only once it is known that it can be made

    sys.setswitchinterval(SWITCH_SECONDS)
    # What was made at start stays for good: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    app.service.odds.move_aside(app.service.log)
    if parent := parent_process():
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()
    return app


def _end_after(parent: int) -> None:
    """End a worker in order once the process that looks after it is gone: killed, it tells nobody."""
    wait([parent])
    os.kill(os.getpid(), signal.SIGTERM)


def _stopped(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
