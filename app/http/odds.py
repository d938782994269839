"""Odds over HTTP: worked out once, kept for a while, sent as bytes."""

import os
from asyncio import get_running_loop
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any, Final, NamedTuple

from cachetools import LRUCache
from structlog.typing import FilteringBoundLogger

from app.http.aside import Aside
from app.http.metrics import Metrics
from app.http.overload import overloaded
from app.http.problem import to_json
from app.rules.fields import ORIGINS, ActionRequest
from app.rules.odds import odds_fields
from app.rules.registry import ACTIONS
from app.rules.ruleset import Action, Ruleset

CACHE_BYTES: Final = 4 * 1024 * 1024
"""How much of what was worked out is kept, in bytes of its JSON, a process."""


QUEUE: Final = 32
"""The most odds that are worked out or wait for their turn: the last one some seconds at worst."""


class WorkedOut(NamedTuple):
    """The odds of one situation."""

    part: bytes
    """A JSON object, as it stands in a roll's answer."""
    whole: bytes
    """The same with the fields that name the action, as an answer."""
    etag: bytes
    """The strong entity tag of that answer."""


WorkOut = Callable[[str, str, bytes, bool], WorkedOut]
"""From a ruleset's word, an action's and a situation to its odds, with exact fractions or without."""


class OddsDesk:
    """Works out odds, and remembers them.

    Odds depend on the request alone, so what was worked out stays right for ever. A closed form may take
    some milliseconds: those are worked out one after another in a thread of their own, which a service that
    is served hands on to a process, so that rolls go on beside them. More than a few at once are turned away,
    rather than left to wait without end.
    """

    def __init__(self, metrics: Metrics) -> None:
        """Start with nothing known."""
        self._metrics = metrics
        self._known: LRUCache[Any, WorkedOut] = LRUCache(CACHE_BYTES, getsizeof=_size)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="odds")
        self._queued = 0
        self._dear: WorkOut = _dear_odds

    def move_aside(self, log: FilteringBoundLogger) -> None:
        """Have dear odds worked out in a process of their own from now on, where the system can fork one.

        Only before anything waits, listens or runs in a thread: the process begins as a copy of this one.
        """
        if hasattr(os, "fork"):
            self._dear = Aside(_dear_odds, log)

    async def work_out(
        self, ruleset: Ruleset, action: Action[Any, Any, Any], request: ActionRequest, *, exact: bool
    ) -> WorkedOut:
        """Answer from memory or work the odds out.

        Raises the rule's `Refusal` and `odds_too_large`, and `Problem` `overloaded`.
        """
        situation = _situation(request)
        # With long labels a situation is far larger than its odds.
        key = (ruleset.id, action.name, exact, sha256(situation).digest())
        if (known := self._known.get(key)) is not None:
            self._metrics.odds_found()
            return known
        self._metrics.odds_missed()
        # What the rule refuses is refused at once, without waiting for a turn.
        weighed = action.weigh(request)
        if action.odds is not None and action.odds.closed_form is not None:
            worked_out = await self._in_turn(ruleset.id, action.name, situation, exact)
        else:
            worked_out = _written(ruleset, action, weighed, exact=exact)
        if _size(worked_out) <= CACHE_BYTES:
            self._known[key] = worked_out
            self._metrics.odds_kept(int(self._known.currsize))
        return worked_out

    async def _in_turn(self, *what: Any) -> WorkedOut:
        if self._queued >= QUEUE:
            raise overloaded()
        self._queued += 1
        try:
            return await get_running_loop().run_in_executor(self._thread, self._dear, *what)
        finally:
            self._queued -= 1


_NOT_THE_SITUATION: Final = {"ref", *ORIGINS}


def _situation(request: ActionRequest) -> bytes:
    """Write a request without what the odds do not depend on."""
    return type(request).__pydantic_serializer__.to_json(request, exclude=_NOT_THE_SITUATION)


def _dear_odds(
    ruleset: str,
    action: str,
    situation: bytes,
    exact: bool,  # noqa: FBT001  an executor passes by place
) -> WorkedOut:
    """Work out the odds of a situation from words and bytes: a process beside this one knows nothing else."""
    played, asked = ACTIONS[ruleset, action]
    weighed = asked.weigh(asked.request.model_validate_json(situation))
    return _written(played, asked, weighed, exact=exact)


def _written(ruleset: Ruleset, action: Action[Any, Any, Any], weighed: object, *, exact: bool) -> WorkedOut:
    named = {"ruleset": ruleset.id, "action": action.name, "rules_version": ruleset.rules_version}
    part = to_json(odds_fields(action, weighed, exact=exact))
    whole = to_json(named)[:-1] + b"," + part[1:]
    return WorkedOut(part, whole, b'"%s"' % sha256(whole).hexdigest()[:32].encode())


def _size(worked_out: WorkedOut) -> int:
    return len(worked_out.part) + len(worked_out.whole)
