"""Packs the Foundry VTT module as an archive, the same to the byte wherever and whenever it is made."""

import sys
from pathlib import Path
from typing import Final
from zipfile import ZIP_STORED, ZipFile, ZipInfo

MODULE: Final = Path(__file__).parent / "foundry"
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that an archive can name."""
READABLE: Final = 0o644 << 16


def files() -> list[Path]:
    """List the module's files, relative to it."""
    return sorted(path.relative_to(MODULE) for path in MODULE.rglob("*") if path.is_file())


def pack(archive: Path) -> None:
    """Write the archive. Nothing is compressed: compressors differ from version to version."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(archive, "w", ZIP_STORED) as writing:
        for file in files():
            entry = ZipInfo(file.as_posix(), EPOCH)
            entry.external_attr = READABLE
            writing.writestr(entry, (MODULE / file).read_bytes())


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
