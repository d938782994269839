"""Archives that are the same to the byte wherever and whenever they are made."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from zipfile import ZIP_STORED, ZipFile, ZipInfo

EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that an archive can name."""
READABLE: Final = 0o644 << 16


def write(archive: Path, entries: Mapping[str, bytes]) -> None:
    """Write files by name, in order. Nothing is compressed: compressors differ from version to version."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(archive, "w", ZIP_STORED) as writing:
        for name in sorted(entries):
            entry = ZipInfo(name, EPOCH)
            entry.external_attr = READABLE
            writing.writestr(entry, entries[name])
