"""Schemathesis finds no way in which the service differs from its OpenAPI document."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.serving import ROOT, Server

FEWEST: Final = 4000
"""Cases that schemathesis is to make, at the least: fewer would mean that it understood less."""


def test_the_service_is_what_its_document_says(complete: Server, tmp_path: Path) -> None:
    ran = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            f"--config-file={ROOT / 'tests' / 'fuzz' / 'schemathesis.toml'}",
            "run",
            "--no-color",
            f"{complete.url}/openapi.json",
        ],
        cwd=tmp_path,  # where it leaves notes about its run
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    made = re.search(r"(\d+) generated, \1 passed", ran.stdout)
    assert made, ran.stdout
    assert int(made[1]) >= FEWEST
    assert "failed" not in complete.written()
