"""What the service writes: one JSON object a line on standard output, uvicorn's lines in the same form.

Nothing that a player sends is ever written: no body, query, header, address or unknown path, and of an
exception its type and place alone, since its message may hold any of these.
"""

import logging
import re
import sys
import traceback
from contextlib import suppress
from typing import Any, BinaryIO, Final, cast

import structlog
from pydantic_core import to_json
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD: Final = "other"
"""What is written for a method of somebody's own making."""
_TRACEPARENT: Final = re.compile(
    rb"(?:(00)|(?!00|ff)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?(1)|(?:-.*)?)"
)
"""Version, trace id, parent id, flags; later versions than 00 may go on (W3C Trace Context, section 3.2)."""


def _safe_failure(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Say of an exception what it is and where it happened; its message may hold what a player sent."""
    failure = event.pop("exc_info", None)
    if failure is True:
        failure = sys.exception()
    elif isinstance(failure, tuple):
        failure = failure[1]
    if isinstance(failure, BaseException):
        # asyncio repeats the exception in the lines below its sentence.
        event["event"] = event["event"].partition("\n")[0]
        event["error"] = type(failure).__name__
        event["places"] = "".join(traceback.format_tb(failure.__traceback__))
    return event


_PROCESSORS: Final[tuple[Processor, ...]] = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _safe_failure,
)
"""What every line goes through, whoever wrote it."""


def _as_bytes(_: WrappedLogger, __: str, event: EventDict) -> bytes:
    first = {name: event.pop(name) for name in ("timestamp", "level", "event")}
    return to_json({**first, **event})


def _as_text(*line: Any) -> str:
    return _as_bytes(*line).decode()


class _Output:
    """Standard output. What cannot be written is lost: no roll fails because a disk is full."""

    def __init__(self) -> None:
        self._file = sys.stdout.buffer

    def write(self, line: bytes) -> None:
        with suppress(OSError):
            self._file.write(line)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()


def logger(level: str) -> FilteringBoundLogger:
    """Make what writes the service's own lines, those of a level and above."""
    made: FilteringBoundLogger = structlog.wrap_logger(
        structlog.BytesLogger(cast(BinaryIO, _Output())),
        processors=[*_PROCESSORS, _as_bytes],
        wrapper_class=structlog.make_filtering_bound_logger(level),
    ).bind()
    return made


def formatter() -> logging.Formatter:
    """Make what writes the lines of uvicorn and other libraries, in the same form."""
    return ProcessorFormatter(
        processors=[ProcessorFormatter.remove_processors_meta, _as_text], foreign_pre_chain=_PROCESSORS
    )


def configuration(level: str) -> dict[str, Any]:
    """Write the configuration of the standard library's logging; uvicorn hands it to each of its workers."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.{formatter.__name__}"}},
        "handlers": {
            "stdout": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stdout"}
        },
        "root": {"handlers": ["stdout"], "level": level.upper()},
    }


def of_request(request_id: bytes, method: str, route: str, traceparent: bytes) -> dict[str, Any]:
    """Name a request, by nothing that it brought but its ids."""
    return {
        "request_id": request_id.decode("ascii"),
        "method": method if method in METHODS else OTHER_METHOD,
        "route": route,
        "trace_id": trace_id(traceparent),
    }


def trace_id(traceparent: bytes) -> str | None:
    """Take the trace id out of a `traceparent`; None where the header is missing or wrong."""
    match = _TRACEPARENT.fullmatch(traceparent)
    return match[2].decode() if match else None
