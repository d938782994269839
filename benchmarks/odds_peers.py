"""V20 pools in icepool and dyce, as their own users would write them.

Rerolled tens never end. Here they are rolled on `DEPTH` times: what is cut off of a pool of 100 dice is then
below 10^-12, as it is in Wurf's list.
"""

from typing import Any, Final, NamedTuple

import icepool
from dyce import H

from app.rules.v20_odds import SIDES, Tens

DEPTH: Final = 13
BOTCH: Final = -1
"""What a botch is called among the totals of icepool's answers, which are 0 or more."""


class Pool(NamedTuple):
    """A pool whose odds are asked for: at least one success is required, and difficulty is 2 or more."""

    dice: int
    difficulty: int
    tens: Tens

    @property
    def idle(self) -> int:
        """How many faces of a die count nothing."""
        return self.difficulty - 2

    @property
    def hits(self) -> int:
        """How many faces are one success, the ten aside."""
        return SIDES - self.difficulty


class _ByTheRule(icepool.MultisetEvaluator):  # type: ignore[misc]  # icepool may be absent
    """The rule as it stands: it walks up the faces with how many dice show each."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def initial_state(self, _order: Any, _outcomes: Any, _size: Any) -> tuple[int, bool]:
        return 0, False

    def next_state(self, state: tuple[int, bool], _order: Any, face: int, count: int) -> tuple[int, bool]:
        net, hit = state
        if face == 1:
            return net - count, hit
        if face < self.pool.difficulty:
            return state
        worth = 2 if face == SIDES and self.pool.tens is Tens.DOUBLED else 1
        return net + worth * count, hit or count > 0

    def final_outcome(self, state: tuple[int, bool], *_: Any) -> int:
        return _ended(*state)


class _ByWorth(icepool.MultisetEvaluator):  # type: ignore[misc]  # icepool may be absent
    """The same over dice that show what they are worth, and whether they hit, in place of their faces."""

    def initial_state(self, _order: Any, _outcomes: Any, _size: Any) -> tuple[int, bool]:
        return 0, False

    def next_state(
        self, state: tuple[int, bool], _order: Any, die: tuple[int, bool], count: int
    ) -> tuple[int, bool]:
        net, hit = state
        worth, hits = die
        return net + worth * count, hit or (hits and count > 0)

    def final_outcome(self, state: tuple[int, bool], *_: Any) -> int:
        return _ended(*state)


def icepool_by_the_rule(pool: Pool) -> Any:
    """Write the rule down over the faces, the way icepool's guide does; not for rerolled tens."""
    return _ByTheRule(pool).evaluate(icepool.d10.pool(pool.dice))


def icepool_by_worth(pool: Pool) -> Any:
    """Bring each die down to what it is worth first: the fastest way that we found."""
    return _ByWorth().evaluate(_worth(pool).pool(pool.dice))


def dyce_net(pool: Pool) -> Any:
    """Work out the net successes alone, also those below 0: neither success nor botch can be told."""
    return pool.dice @ _dyce_die(pool)


def _ended(net: int, hit: bool) -> int:  # noqa: FBT001  a state, unpacked
    return BOTCH if net < 0 and not hit else max(net, 0)


def _worth(pool: Pool) -> Any:
    one, idle, hit = (-1, False), [(0, False)] * pool.idle, [(1, True)] * pool.hits
    if pool.tens is Tens.PLAIN:
        return icepool.Die([one, *idle, *hit, (1, True)])
    if pool.tens is Tens.DOUBLED:
        return icepool.Die([one, *idle, *hit, (2, True)])
    new_one = -1 if pool.tens is Tens.REROLLED else 0
    chain = icepool.Die([0])
    for _ in range(DEPTH):
        chain = icepool.Die([new_one, *[0] * pool.idle, *[1] * pool.hits, chain + 1])
    return icepool.Die([one, *idle, *hit, chain.map(lambda worth: (worth + 1, True))])


def _dyce_die(pool: Pool) -> Any:
    faces = {-1: 1, 0: pool.idle, 1: pool.hits}
    if pool.tens is Tens.PLAIN:
        return H.from_counts(faces, {1: 1})
    if pool.tens is Tens.DOUBLED:
        return H.from_counts(faces, {2: 1})
    new_faces = faces if pool.tens is Tens.REROLLED else {0: pool.idle + 1, 1: pool.hits}
    chain = H({0: 1})
    for _ in range(DEPTH):
        chain = _or_once_more(new_faces, chain)
    return _or_once_more(faces, chain)


def _or_once_more(faces: dict[int, int], chain: Any) -> Any:
    """Make a die whose ten is worth one and what the chain brings, over a common whole."""
    counted = [(worth, count * chain.total) for worth, count in faces.items()]
    return H.from_counts(counted, chain + 1)
