"""What some tests need beyond Python: skipped loudly where it is missing, and never in CI."""

import os
import shutil
from typing import NoReturn

import pytest


def lacking(what: str) -> NoReturn:
    """Skip the test, loudly; fail it where nothing may be skipped."""
    if "WURF_SKIP_NOTHING" in os.environ:
        pytest.fail(f"nothing may be skipped here, and this machine lacks {what}")
    pytest.skip(f"SKIPPED for want of {what}")


def program(name: str) -> str:
    """Find a program that a test needs."""
    return shutil.which(name) or lacking(name)
