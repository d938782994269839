"""How much memory a worker holds while it answers hundreds of thousands of mixed requests."""

import re
from pathlib import Path
from typing import Any, Final

from benchmarks import rolls, servers
from benchmarks.http import NEEDED, load_core, server_core, without
from benchmarks.load import Load
from benchmarks.options import Options


def measure(options: Options) -> list[dict[str, int]] | None:
    """Watch the resident memory second by second; None, with a word, where that cannot be done."""
    if missing := without(NEEDED):
        print(f"SKIPPED: memory needs {missing}")
        return None
    with servers.wurf(server_core()) as worker:
        load = Load("mixed requests", worker.url, rolls.mixed(), load_core())
        samples = [{"requests": 0, "resident_bytes": resident_bytes(worker.pid)}]
        while (answered := samples[-1]["requests"]) < options.requests:
            answered += load.ask(1).requests
            samples.append({"requests": answered, "resident_bytes": resident_bytes(worker.pid)})
            print(f"memory: {samples[-1]['resident_bytes'] / 1e6:.1f} MB after {answered:,} requests")
    return samples


_RESIDENT: Final = re.compile(r"^VmRSS:\s+(\d+) kB$", re.MULTILINE)


def resident_bytes(pid: int) -> int:
    """Ask the kernel how much memory a process holds."""
    status: Any = _RESIDENT.search(Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    return int(status[1]) * 1024
