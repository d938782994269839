"""The units for a machine without containers."""

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from app.serving import GRACE_SECONDS
from app.settings import Settings
from tests.needs import program
from tests.serving import ROOT

FOLDER: Final = ROOT / "deploy" / "systemd"
REPLICA: Final = (FOLDER / "wurf@.service").read_text(encoding="utf-8")
DRAIN_SECONDS: Final = Settings.model_fields["drain_seconds"].default


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.service")), ids=lambda path: path.stem)
def test_systemd_understands_every_line(path: Path) -> None:
    ran = subprocess.run(
        [program("systemd-analyze"), "verify", path], check=False, capture_output=True, text=True
    )
    # Whether the programs are installed here is not the question.
    complaints = [line for line in ran.stderr.splitlines() if "is not executable" not in line]
    assert not [line for line in complaints if path.name in line]


def test_a_unit_sets_only_what_the_service_knows() -> None:
    names = re.findall(r"WURF_([A-Z_]+)=%?\S", REPLICA.partition("ExecStart=")[2])
    assert {name.lower() for name in names} == {"host", "port", "trusted_proxies"}
    assert {name.lower() for name in names} <= Settings.model_fields.keys()


def test_a_unit_gives_time_to_finish() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", REPLICA, re.MULTILINE)
    assert int(seconds) > DRAIN_SECONDS + GRACE_SECONDS
