"""The endpoints of a ruleset's actions: the one place where a rule meets HTTP."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from app.http import describe
from app.http.call import ANSWER_HEADERS, JSON_HEADERS, Call, Reply
from app.http.describe import Documented, Example
from app.http.endpoint import LANGUAGE_ONLY, ServiceRouter, takes, takes_nothing
from app.http.odds import WorkedOut
from app.http.problem import Problem
from app.http.query import parameters, unknown_parameter
from app.http.reading import read
from app.http.resolver import Resolver
from app.http.service import Service, with_field
from app.rules.answer import ANSWER_TYPES, ODDS_ANSWER_TYPES
from app.rules.fields import DiceRequest
from app.rules.ruleset import Ruleset

ODDS: Final = frozenset({"odds", "exact"})
SHARED_SECONDS: Final = 3600
"""How long caches may keep odds."""


class RulesetRouter(ServiceRouter):
    """The endpoints of one ruleset, made from its actions."""

    def __init__(self, ruleset: Ruleset, examples: Mapping[str, Sequence[Example]]) -> None:
        """Make two routes for each action: POST with a body, and GET with the same JSON in `?request=`."""
        super().__init__()
        self.ruleset = ruleset
        self.examples = examples
        self.resolvers = {action.name: Resolver(ruleset, action) for action in ruleset.actions}
        for resolver in self.resolvers.values():
            self._add_action(resolver)
            if resolver.situation is not None:
                self._add_odds(resolver, resolver.situation)

    def _add_action(self, resolver: Resolver) -> None:
        action = resolver.action
        documented = describe.action(self.ruleset, action, self.examples[action.name])
        answer = ANSWER_TYPES[self.ruleset.id, action.name]
        rolls = Rolls(resolver)
        self._add("", rolls, documented, takes(action.request), answer)
        self.at_once[f"/v1/{self.ruleset.id}/{action.name}"] = rolls.at_once

    def _add_odds(self, resolver: Resolver, situation: type[DiceRequest]) -> None:
        action = resolver.action
        documented = describe.odds(self.ruleset, action, situation, self.examples[action.name])
        answer = ODDS_ANSWER_TYPES[self.ruleset.id, action.name]
        self._add("/odds", Odds(resolver, situation), documented, takes(situation), answer)

    def _add(self, what: str, desk: "Desk", documented: Documented, signature: Any, answer: Any) -> None:
        path = f"/v1/{self.ruleset.id}/{desk.resolver.action.name}{what}"
        self.serve("POST", path, desk.post, signature, response_model=answer, **documented.post)
        # The document says of GET's answer what it says of POST's; FastAPI need not learn its type twice.
        self.serve("GET", path, desk.get, takes_nothing, **documented.get)
        self.answers[path] = documented.answers


class Desk(Protocol):
    """Answers the requests of one path."""

    resolver: Resolver

    async def post(self, call: Call) -> Reply:
        """Answer the request in the body."""
        ...

    async def get(self, call: Call) -> Reply:
        """Answer the request in the query."""
        ...


class Rolls:
    """Answers what comes out of an action."""

    def __init__(self, resolver: Resolver) -> None:
        """Know what the query may ask."""
        self.resolver = resolver
        self._allowed = LANGUAGE_ONLY | {"receipt"}
        if resolver.situation is not None:
            self._allowed |= ODDS

    async def post(self, call: Call) -> Reply:
        """Resolve the request in the body."""
        query: bytes = call.scope["query_string"]
        if not query:
            language = call.language
            written = self.at_once(await call.body(), call.service, language)
            return Reply(written, ANSWER_HEADERS[language])
        asked = parameters(query, self._allowed)
        return await self._answer(call, await call.body(), asked)

    async def get(self, call: Call) -> Reply:
        """Resolve the request in the query."""
        asked = parameters(call.scope["query_string"], self._allowed | {"request"})
        return await self._answer(call, requested(asked), asked)

    def at_once(self, body: bytes, service: Service, language: str) -> bytes:
        """Resolve the request in a body, with nothing beside. Raises `Problem`."""
        request = read(self.resolver.action.request, body)
        return self.resolver.resolved(request, service.seeding, language, service.metrics)

    async def _answer(self, call: Call, body: bytes, asked: Mapping[str, bytes]) -> Reply:
        """Answer with what the query asks for beside the roll: odds, a receipt."""
        with_odds = asked.get("odds") == b"true"
        if "exact" in asked and not with_odds:
            raise unknown_parameter(self._allowed - {"exact"})
        with_receipt = call.service.wants_receipt(asked)
        request = read(self.resolver.action.request, body)
        service = call.service
        rolled = written = self.resolver.resolved(request, service.seeding, call.language, service.metrics)
        if with_odds:
            odds = await self.resolver.odds(call.service, request, exact=asked.get("exact") != b"false")
            written = with_field(written, b"odds", odds.part)
        if with_receipt:
            written = with_field(written, b"receipt", call.service.receipt(request, rolled))
        return Reply(written, ANSWER_HEADERS[call.language])


class Odds:
    """Answers what the chances of an action are."""

    def __init__(self, resolver: Resolver, situation: type[DiceRequest]) -> None:
        """Know the form of a request without dice."""
        self.resolver = resolver
        self._situation = situation

    async def post(self, call: Call) -> Reply:
        """Work out the odds of the request in the body."""
        asked = parameters(call.scope["query_string"], LANGUAGE_ONLY | {"exact"})
        odds = await self._odds(call, await call.body(), asked)
        return Reply(odds.whole, JSON_HEADERS)

    async def get(self, call: Call) -> Reply:
        """Work out the odds of the request in the query, for caches to keep (RFC 9110, section 8.8)."""
        asked = parameters(call.scope["query_string"], LANGUAGE_ONLY | {"exact", "request"})
        odds = await self._odds(call, requested(asked), asked)
        whose = b"public" if call.service.admission.keys is None else b"private"
        kept = [(b"cache-control", b"%s, max-age=%d" % (whose, SHARED_SECONDS)), (b"etag", odds.etag)]
        if _holds(call.headers.get(b"if-none-match", b""), odds.etag):
            return Reply(b"", kept, 304, shared=True)
        return Reply(odds.whole, [*kept, JSON_HEADERS[0]], shared=True)

    async def _odds(self, call: Call, body: bytes, asked: Mapping[str, bytes]) -> WorkedOut:
        request = read(self._situation, body)
        return await self.resolver.odds(call.service, request, exact=asked.get("exact") != b"false")


def requested(asked: Mapping[str, bytes]) -> bytes:
    """Take the request out of the query. Raises `Problem` `missing_request`."""
    body = asked.get("request")
    if not body:
        raise Problem("missing_request")
    return body


def _holds(if_none_match: bytes, etag: bytes) -> bool:
    """Compare entity tags weakly."""
    tags = [tag.strip().removeprefix(b"W/") for tag in if_none_match.split(b",")]
    return etag in tags or b"*" in tags
