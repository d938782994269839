"""What a terminal can show: so many columns, perhaps colors, perhaps blocks for bars."""

import io
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TextIO

BLOCKS: Final = " ▏▎▍▌▋▊▉█"
"""From nothing to a whole column, by eighths."""
WIDEST_BAR: Final = 40
NARROWEST_BAR: Final = 4
NARROWEST: Final = 20
"""Columns that there are taken to be at least."""
BOLD: Final = "1"
GOOD, MIDDLING, BAD = "32", "33", "31"


class Row(NamedTuple):
    """One bar."""

    label: str
    share: float
    """From 0 to 1."""
    figure: str
    tone: int = 0
    """Above 0 good, below 0 bad."""
    marked: bool = False
    """Whether it is the one that happened."""


class Paper(NamedTuple):
    """What there is to write on."""

    columns: int = 80
    colored: bool = False
    blocks: bool = True
    """Whether more than ASCII can be shown."""

    def bars(self, rows: Sequence[Row]) -> list[str]:
        """Draw bars below each other, with figures between labels and bars."""
        labels, figures = (
            max(map(len, column)) for column in ([r.label for r in rows], [r.figure for r in rows])
        )
        room = min(self.columns - labels - figures - len("*   "), WIDEST_BAR)
        return [self._line(row, labels, figures, room).rstrip() for row in rows]

    def bold(self, text: str) -> str:
        """Write in bold, where that can be shown."""
        return self._in(BOLD, text)

    def _line(self, row: Row, labels: int, figures: int, room: int) -> str:
        mark = " " if not row.marked else "▸" if self.blocks else ">"
        head = f"{mark} {row.label:{labels}} {row.figure:>{figures}}"
        color = GOOD if row.tone > 0 else BAD if row.tone < 0 else MIDDLING
        bar = self._in(color, self._bar(row.share, room)) if room >= NARROWEST_BAR else ""
        return f"{self.bold(head) if row.marked else head} {bar}"

    def _bar(self, share: float, room: int) -> str:
        if not self.blocks:
            return "#" * round(share * room)
        eighths = round(share * room * 8)
        return (BLOCKS[-1] * (eighths // 8) + BLOCKS[eighths % 8]).rstrip()

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colored and text else text


def paper_of(stream: TextIO, environment: Mapping[str, str] = os.environ) -> Paper:
    """Look what a stream can show. Colors need a terminal, and nobody who is against them (no-color.org)."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    plain = bool(environment.get("NO_COLOR"))
    colored = stream.isatty() and not plain and environment.get("TERM") != "dumb"
    return Paper(
        max(shutil.get_terminal_size().columns, NARROWEST), colored, _shows(stream.encoding, BLOCKS + "▸")
    )


def _shows(encoding: str | None, text: str) -> bool:
    try:
        text.encode(encoding or sys.getdefaultencoding())
    except UnicodeEncodeError:
        return False
    return True
