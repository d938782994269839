"""Packs the Foundry VTT module as an archive."""

import sys
from pathlib import Path
from typing import Final

from clients import archive

MODULE: Final = Path(__file__).parent / "foundry"


def files() -> list[Path]:
    """List the module's files, relative to it."""
    return sorted(path.relative_to(MODULE) for path in MODULE.rglob("*") if path.is_file())


def pack(target: Path) -> None:
    """Write the archive."""
    archive.write(target, {file.as_posix(): (MODULE / file).read_bytes() for file in files()})


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
