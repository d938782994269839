"""Packs the conformance kit as an archive."""

import json
import sys
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.rules.dice import STREAM
from app.rules.registry import RULESETS
from clients import archive

KIT: Final = Path(__file__).parent
ROOT: Final = KIT.parent
CASES: Final = ROOT / "tests" / "cases"
NAME: Final = "wurf-conformance-kit"
OWN: Final = ("README.md", "cases.schema.json", "dice1.schema.json", "example.py", "run.py")


def entries() -> dict[str, bytes]:
    """Gather the kit's files by name."""
    files = {name: KIT / name for name in OWN}
    files |= {"LICENSE": ROOT / "LICENSE", "openapi.json": ROOT / "openapi" / "openapi.json"}
    files |= {f"cases/{path.name}": path for path in CASES.glob("*.json")}
    about = json.dumps(edition(), indent=2).encode() + b"\n"
    return {name: path.read_bytes() for name, path in files.items()} | {"edition.json": about}


def edition() -> dict[str, Any]:
    """Say which edition of the rules the examples belong to."""
    versions = {ruleset.id: ruleset.rules_version for ruleset in RULESETS}
    return {"wurf": __version__, "stream": STREAM, "rules_versions": versions}


def pack(target: Path) -> None:
    """Write the archive, everything in one folder."""
    archive.write(target, {f"{NAME}/{name}": content for name, content in entries().items()})


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
