"""The endpoints of a ruleset's actions: the one place where a rule meets HTTP."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.http import describe
from app.http.call import Call, Headers, Reply
from app.http.describe import Example
from app.http.endpoint import LANGUAGE_ONLY, ServiceRouter, takes, takes_nothing
from app.http.odds import WorkedOut
from app.http.problem import Problem, refused
from app.http.query import parameters, unknown_parameter
from app.http.reading import read
from app.rules.answer import ANSWER_TYPES, ANSWERS, ODDS_ANSWER_TYPES
from app.rules.catalog import LANGUAGES
from app.rules.fields import without_dice
from app.rules.refusal import Refusal
from app.rules.resolve import resolve
from app.rules.ruleset import Action, Ruleset

ODDS: Final = frozenset({"odds", "exact"})
NOTHING_ASKED: Final[Mapping[str, bytes]] = {}
SHARED_SECONDS: Final = 3600
"""How long caches may keep odds."""


def _spoken_headers(language: str) -> Headers:
    return [
        (b"content-type", b"application/json"),
        (b"cache-control", b"no-store"),
        (b"content-language", language.encode()),
        (b"vary", b"Accept-Language"),
    ]


ANSWER_HEADERS: Final = {language: _spoken_headers(language) for language in LANGUAGES}
"""What an answer in a language says of itself, prepared once."""
ODDS_HEADERS: Final[Headers] = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]


class RulesetRouter(ServiceRouter):
    """The endpoints of one ruleset, made from its actions."""

    def __init__(self, ruleset: Ruleset, examples: Mapping[str, Sequence[Example]]) -> None:
        """Make two routes for each action: POST with a body, and GET with the same JSON in `?request=`."""
        super().__init__()
        self.ruleset = ruleset
        self.examples = examples
        for action in ruleset.actions:
            self._add_action(action)
            if action.odds is not None:
                self._add_odds(action)

    def _add_action(self, action: Action[Any, Any, Any]) -> None:
        resolver = Resolver(self.ruleset, action)
        path = f"/v1/{self.ruleset.id}/{action.name}"
        documented = describe.action(self.ruleset, action, self.examples[action.name])
        answer = ANSWER_TYPES[self.ruleset.id, action.name]
        self.serve(
            "POST", path, resolver.post, takes(action.request), response_model=answer, **documented.post
        )
        self.serve("GET", path, resolver.get, takes_nothing, response_model=answer, **documented.get)
        self.answers[path] = documented.answers

    def _add_odds(self, action: Action[Any, Any, Any]) -> None:
        situation = without_dice(action.request)
        oracle = Oracle(self.ruleset, action, situation)
        path = f"/v1/{self.ruleset.id}/{action.name}/odds"
        documented = describe.odds(self.ruleset, action, situation, self.examples[action.name])
        answer = ODDS_ANSWER_TYPES[self.ruleset.id, action.name]
        self.serve("POST", path, oracle.post, takes(situation), response_model=answer, **documented.post)
        self.serve("GET", path, oracle.get, takes_nothing, response_model=answer, **documented.get)
        self.answers[path] = documented.answers


class Resolver:
    """Answers the requests of one action."""

    def __init__(self, ruleset: Ruleset, action: Action[Any, Any, Any]) -> None:
        """Look up what every request of this action needs."""
        self._ruleset = ruleset
        self._action = action
        self._write = ANSWERS[ruleset.id, action.name].serializer.to_json
        self._allowed = LANGUAGE_ONLY if action.odds is None else LANGUAGE_ONLY | ODDS

    async def post(self, call: Call) -> Reply:
        """Resolve the request in the body."""
        query: bytes = call.scope["query_string"]
        asked = parameters(query, self._allowed) if query else NOTHING_ASKED
        return await self._answer(call, await call.body(), asked)

    async def get(self, call: Call) -> Reply:
        """Resolve the request in the query."""
        asked = parameters(call.scope["query_string"], self._allowed | {"request"})
        return await self._answer(call, requested(asked), asked)

    async def _answer(self, call: Call, body: bytes, asked: Mapping[str, bytes]) -> Reply:
        with_odds = asked.get("odds") == b"true"
        if "exact" in asked and not with_odds:
            raise unknown_parameter(LANGUAGE_ONLY)
        request = read(self._action.request, body)
        language = call.language
        try:
            answer = resolve(self._ruleset, self._action, request, call.service.seeding, language)
            written = self._write(answer)
            if with_odds:
                exact = asked.get("exact") != b"false"
                odds = await call.service.odds.work_out(self._ruleset, self._action, request, exact=exact)
                written = b'%s,"odds":%s}' % (written[:-1], odds.part)
        except Refusal as refusal:
            raise refused(refusal) from None
        return Reply(written, ANSWER_HEADERS[language])


class Oracle:
    """Answers what the chances of one action are."""

    def __init__(self, ruleset: Ruleset, action: Action[Any, Any, Any], situation: type[Any]) -> None:
        """Look up what every request for these odds needs; `situation` is the request without dice."""
        self._ruleset = ruleset
        self._action = action
        self._situation = situation

    async def post(self, call: Call) -> Reply:
        """Work out the odds of the request in the body."""
        asked = parameters(call.scope["query_string"], LANGUAGE_ONLY | {"exact"})
        odds = await self._odds(call, await call.body(), asked)
        return Reply(odds.whole, ODDS_HEADERS)

    async def get(self, call: Call) -> Reply:
        """Work out the odds of the request in the query, for caches to keep (RFC 9110, section 8.8)."""
        asked = parameters(call.scope["query_string"], LANGUAGE_ONLY | {"exact", "request"})
        odds = await self._odds(call, requested(asked), asked)
        kept = [(b"cache-control", b"public, max-age=%d" % SHARED_SECONDS), (b"etag", odds.etag)]
        if _holds(call.headers.get(b"if-none-match", b""), odds.etag):
            return Reply(b"", kept, 304, shared=True)
        return Reply(odds.whole, [*kept, ODDS_HEADERS[0]], shared=True)

    async def _odds(self, call: Call, body: bytes, asked: Mapping[str, bytes]) -> WorkedOut:
        request = read(self._situation, body)
        exact = asked.get("exact") != b"false"
        try:
            return await call.service.odds.work_out(self._ruleset, self._action, request, exact=exact)
        except Refusal as refusal:
            raise refused(refusal) from None


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
