"""Packages from npm, installed where a test needs them."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.needs import lacking, program


@contextmanager
def turn(file: Path) -> Iterator[None]:
    """Let processes that want the same thing at the same time take turns."""
    with file.open() as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def install(folder: Path) -> None:
    """Install what a folder's package-lock.json names, once."""
    npm, lock, installed = (
        program("npm"),
        folder / "package-lock.json",
        folder / "node_modules" / ".installed",
    )
    with turn(lock):
        if installed.exists() and installed.read_bytes() == lock.read_bytes():
            return
        ran = subprocess.run(
            [npm, "ci", "--ignore-scripts"], cwd=folder, check=False, capture_output=True, text=True
        )
        if ran.returncode:
            lacking(f"the packages of {folder.name}, which npm could not install: {ran.stderr}")
        shutil.copyfile(lock, installed)
