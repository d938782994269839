"""The image, built from the unmodified Dockerfile and run read-only as its own user."""

import subprocess

import pytest

from tests.needs import lacking
from tests.serving import ROOT

LACKS_TOOLS = 77


@pytest.mark.container
def test_the_image_builds_and_runs_read_only() -> None:
    ran = subprocess.run(
        [ROOT / "tests" / "container" / "run.sh"], check=False, capture_output=True, text=True
    )
    if ran.returncode == LACKS_TOOLS:
        lacking(ran.stderr.strip())
    assert ran.returncode == 0, ran.stdout + ran.stderr
