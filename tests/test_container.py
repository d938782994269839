"""The image, built from the unmodified Dockerfile and run read-only as its own user."""

import os
import subprocess

import pytest

from tests.serving import ROOT

LACKS_TOOLS = 77


@pytest.mark.container
def test_the_image_builds_and_runs_read_only() -> None:
    ran = subprocess.run(
        [ROOT / "tests" / "container" / "run.sh"], check=False, capture_output=True, text=True
    )
    if ran.returncode == LACKS_TOOLS:
        assert "WURF_SKIP_NOTHING" not in os.environ, ran.stderr
        pytest.skip(ran.stderr.strip())
    assert ran.returncode == 0, ran.stdout + ran.stderr
