"""Looking at processes from outside, as Linux shows them."""

from pathlib import Path


def children(process: int) -> list[int]:
    """List the processes that a process has started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(child) for child in listed.split()]


def lives(process: int) -> bool:
    """Whether a process has not ended. A dead child stays listed until its parent has noticed."""
    return Path(f"/proc/{process}/exe").exists()
