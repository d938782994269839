"""Timing calls within this process: contenders take turns, so that a noisy moment meets them all.

It is the processor's time that counts: nothing here waits, and what else the machine does is left out.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable, Mapping
from timeit import Timer
from typing import Final

ROUNDS: Final = 9
FEWEST_ROUNDS: Final = 3
PATIENCE_SECONDS: Final = 3.0
"""Who has taken so long in all, and had the fewest rounds, sits out the rest."""
SAMPLE_SECONDS: Final = 0.01
"""A quicker call is repeated until a sample takes about so long."""

Call = Callable[[], object]


def take_turns(contenders: Mapping[str, Call], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Time each contender, round by round; the answer holds the seconds of one call in each round."""
    # The first call is no sample: it also fills what a process works out only once.
    times = {name: _times(call) for name, call in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for finished in range(rounds):
        for name, call in contenders.items():
            spent = sum(samples[name]) * times[name]
            if finished < FEWEST_ROUNDS or spent < PATIENCE_SECONDS:
                samples[name].append(_seconds(call, times[name]) / times[name])
    return samples


def peak_bytes(call: Call) -> int:
    """Measure the most memory that a call holds at once, its result included."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _seconds(call: Call, times: int) -> float:
    return Timer(call, timer=time.process_time).timeit(times)


def _times(call: Call) -> int:
    times = 1
    while _seconds(call, times) < SAMPLE_SECONDS / 2:
        times *= 2
    return times
