"""Where and of what figures were taken: without that they say nothing."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = (
    "uvicorn",
    "uvloop",
    "httptools",
    "fastapi",
    "starlette",
    "pydantic",
    "pydantic-core",
    "jiter",
    "icepool",
    "dyce",
    "d20",
)
MEASURED: Final = ("app", "benchmarks", ":!benchmarks/results.json", ":!benchmarks/README.md")
"""The files that decide about the figures."""


def stamp() -> dict[str, Any]:
    """Describe the commit, the moment and the machine."""
    return {
        "commit": _said_by("git", "rev-parse", "HEAD") or "unknown",
        "changed": bool(_said_by("git", "status", "--porcelain", "--", *MEASURED)),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "processor": _processor(),
            "cores": len(os.sched_getaffinity(0)),
            "system": f"{platform.system()} {platform.release()}",
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "node": _said_by("node", "--version") or "none",
            "packages": {package: _version(package) for package in PACKAGES},
        },
    }


def _said_by(*command: str) -> str | None:
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return ran.stdout.strip()


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
