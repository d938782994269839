"""Many actions in one call: each with its own result, none spoiling another."""

from asyncio import Task, create_task, sleep
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field, StringConstraints, ValidationError, WithJsonSchema
from pydantic_core import to_json as fast_json
from typing_extensions import TypedDict  # pydantic wants this one before Python 3.12

from app.http.actions import RulesetRouter
from app.http.call import ANSWER_HEADERS, Call, ClientGone, Reply
from app.http.describe import PROBLEM_REF
from app.http.endpoint import LANGUAGE_ONLY
from app.http.invalid import invalid, validated
from app.http.overload import Share
from app.http.problem import FieldError, Problem, document, refused, to_json
from app.http.query import parameters
from app.http.reading import read_loose
from app.http.resolver import Resolver
from app.http.service import with_field
from app.rules.fields import (
    INTEGER_AS_TEXT,
    LABEL_LENGTH,
    NO_CONTROL,
    ORIGINS,
    Frozen,
    seed_schema,
)
from app.rules.refusal import Refusal
from app.rules.resolve import Attempt, Seeding, Shelf, Source, origin, refuse_two_origins

BATCH_BYTES: Final = 1024 * 1024
"""The largest body of a batch."""
MAX_ITEMS: Final = 1000
MAX_DICE: Final = 20_000
"""The most dice of all items together, rerolls aside."""
SEED_LENGTH: Final = 120
"""A batch's seed leaves room for the number of an item behind it."""
SLICE: Final = 64
"""After so much work the batch lets other requests go first: an item is one, and so are ten dice."""
DICE_PER_UNIT: Final = 10

Word = Annotated[str, Field(max_length=LABEL_LENGTH)]
BatchText = Annotated[str, StringConstraints(min_length=1, max_length=SEED_LENGTH, pattern=NO_CONTROL)]
BatchSeed = Annotated[BatchText, INTEGER_AS_TEXT, seed_schema(SEED_LENGTH)]


class BatchDefaults(Frozen):
    """What stands in for what an item leaves out."""

    ruleset: Word | None = Field(default=None, description="The ruleset's word.")
    action: Word | None = Field(default=None, description="The action's word.")
    request: dict[str, Any] | None = Field(
        default=None, description="Fields that the item's request may replace, or remove by null."
    )


_NO_DEFAULTS: Final = BatchDefaults()
_UNNAMED: Final = b',{"status":200,"ref":null,"answer":'
"""How a good result begins that has no reference."""


class BatchItem(Frozen):
    """One action of a batch. The defaults stand in for what it leaves out."""

    ruleset: Word | None = Field(default=None, description="The ruleset's word.")
    action: Word | None = Field(default=None, description="The action's word.")
    request: dict[str, Any] | None = Field(
        default=None, description="The action's request; null in it removes a default."
    )
    odds: bool = Field(default=False, description="Whether to answer the odds instead of rolling.")


class _WholeItem(BatchItem):
    """An item after the defaults."""

    ruleset: Word
    action: Word
    request: dict[str, Any]


class Batch(Frozen):
    """Up to 1,000 actions."""

    seed: BatchSeed | None = Field(
        default=None, description="Item k is rolled with the seed `<seed>#k`, counted from 0."
    )
    nonce: BatchText | None = Field(
        default=None, description="A name from which the service makes the seed with a secret of its own."
    )
    defaults: BatchDefaults = Field(default=_NO_DEFAULTS, description="What items leave out.")
    items: list[Any] = Field(
        min_length=1,
        max_length=MAX_ITEMS,
        description="The actions; each has its own result, also where something is wrong with it.",
        json_schema_extra={"items": {"$ref": "#/components/schemas/BatchItem"}},
    )


_PROBLEM: Final = WithJsonSchema({"allOf": [PROBLEM_REF], "description": "The problem, with any other."})


class BatchResult(TypedDict):
    """What became of one item."""

    status: Annotated[int, Field(ge=200, le=599, description="As the single endpoint would answer.")]
    ref: Annotated[str | None, Field(description="The item's own reference.")]
    answer: NotRequired[Annotated[dict[str, Any], Field(description="The answer, with status 200.")]]
    problem: NotRequired[Annotated[dict[str, Any], _PROBLEM]]


class BatchAnswer(TypedDict):
    """The results of a batch, in the order of its items."""

    seed: Annotated[str, Field(description="What the seeds of the items were made from.")]
    source: Annotated[Source, Field(description="Where that seed comes from.")]
    results: Annotated[list[BatchResult], Field(description="One for each item, in order.")]


@dataclass(slots=True)
class _Ready:
    """An item whose request is valid field by field."""

    resolver: Resolver
    attempt: Attempt
    ref: str | None
    odds: bool
    dice: int


@dataclass(slots=True)
class _Wrong:
    """An item that gets a problem."""

    problem: Problem
    ref: str | None
    dice = 0
    """Nothing is thrown for it."""


class _ItemSeeds:
    """Draws the seed of whichever item is next."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.item = 0

    def draw(self) -> str:
        return f"{self._seed}#{self.item}"


class _Pace:
    """Lets other requests go first after each slice of work.

    It stops when the client has gone, or when there is no room for what was written.
    """

    def __init__(self, gone: Task[None], share: Share) -> None:
        self._gone = gone
        self._share = share
        self._weighed = 0

    async def rest(self, written: Sequence[bytes] = ()) -> None:
        """Rest after all that was written so far."""
        self._share.take(sum(map(len, written[self._weighed :])))
        self._weighed = len(written)
        await sleep(0)
        if self._gone.done():
            raise ClientGone


class _Reading:
    """Reads the items of one batch."""

    def __init__(
        self, resolvers: Mapping[tuple[str, str], Resolver], defaults: BatchDefaults, language: str
    ) -> None:
        self._resolvers = resolvers
        self._defaults = defaults
        self._language = language
        self._shelf = Shelf()

    def prepared(self, item: Any) -> _Ready | _Wrong:
        """Put an item and the defaults together and read the request. What is wrong stays with the item."""
        merged = _merged(self._defaults, item)
        ref = _ref(merged)
        try:
            shaped: _WholeItem = _WholeItem.__pydantic_validator__.validate_python(merged)
        except ValidationError as error:
            return _Wrong(invalid(_WholeItem, merged, error), ref)
        resolver = self._resolvers.get((shaped.ruleset, shaped.action))
        if resolver is None or (shaped.odds and resolver.situation is None):
            return _Wrong(Problem("not_found"), ref)
        model = resolver.situation if shaped.odds and resolver.situation else resolver.action.request
        try:
            request = validated(model, fast_json(shaped.request), shaped.request)
        except Problem as problem:
            return _Wrong(problem, ref)
        attempt = Attempt((resolver.ruleset, resolver.action, self._language), request, self._shelf)
        return _Ready(
            resolver, attempt, ref, shaped.odds, 0 if shaped.odds else resolver.action.dice(request)
        )


class BatchDesk:
    """Answers batches with the resolvers of all actions."""

    def __init__(self, routers: Sequence[RulesetRouter]) -> None:
        """Know the resolvers by ruleset and action."""
        self._resolvers = {
            (router.ruleset.id, name): resolver
            for router in routers
            for name, resolver in router.resolvers.items()
        }

    async def post(self, call: Call) -> Reply:
        """Resolve the batch in the body, in slices between which other requests are answered.

        Raises `Problem` where the batch as a whole is wrong, and `ClientGone` when the client hangs up.
        """
        asked = parameters(call.scope["query_string"], LANGUAGE_ONLY | {"receipt"})
        signed = call.service.wants_receipt(asked)
        body = await call.body(BATCH_BYTES)
        with call.service.admission.room.for_batch(len(body)) as share:
            return await self._answer(call, body, share, signed=signed)

    async def _answer(self, call: Call, body: bytes, share: Share, *, signed: bool) -> Reply:
        batch = read_loose(Batch, body)
        seed, source = _origin(batch, call.service.seeding)
        await call.service.admission.admit_items(call, len(batch.items))
        gone = create_task(call.hang_up())
        try:
            written = await self._results(call, batch, _Pace(gone, share), (seed, source), signed=signed)
        finally:
            gone.cancel()
        head = to_json({"seed": seed, "source": source})
        written[0] = b'%b,"results":[%b' % (head[:-1], written[0].removeprefix(b","))
        written.append(b"]}")
        return Reply(b"".join(written), ANSWER_HEADERS[call.language])

    async def _results(
        self, call: Call, batch: Batch, pace: _Pace, seeded: tuple[str, Source], *, signed: bool
    ) -> list[bytes]:
        """Resolve the items and return the results as parts of JSON, each result with a comma before it."""
        items: list[tuple[_Ready | _Wrong, str | None]] = []
        # Ten goblins attack alike: what is written alike but for the reference is read and weighed once.
        known: dict[bytes, _Ready | _Wrong] = {}
        reading = _Reading(self._resolvers, batch.defaults, call.language)
        for item in batch.items:
            ref, alike = _apart(item)
            written = fast_json(alike)
            prepared = known.get(written)
            if prepared is None:
                prepared = known[written] = reading.prepared(alike)
            items.append((prepared, prepared.ref if ref is None else ref))
            if not len(items) % SLICE:
                await pace.rest()
        if sum(item.dice for item, _ in items) > MAX_DICE:
            raise Problem("too_many_dice", errors=(FieldError("/items", "too_many_dice"),), most=MAX_DICE)
        seeds = _ItemSeeds(seeded[0])
        seeding = Seeding(seeds.draw, call.service.seeding.nonce_secret, drawn_as=seeded[1])
        answering = _Answering(call, seeding, signed=signed)
        left = SLICE
        for seeds.item, (item, ref) in enumerate(items):
            if isinstance(item, _Wrong):
                answering.refuse(item.problem, ref)
            elif item.odds:
                await answering.work_out(item, ref)
            else:
                answering.roll(item, ref)
            left -= 1 + item.dice // DICE_PER_UNIT
            if left <= 0:
                await pace.rest(answering.written)
                left = SLICE
        return answering.written


def _origin(batch: Batch, seeding: Seeding) -> tuple[str, Source]:
    try:
        refuse_two_origins(batch, ("seed", "nonce"))
        return origin(batch, seeding)
    except Refusal as refusal:
        raise refused(refusal) from None


class _Answering:
    """Writes the results of one batch.

    What is written stays in parts until all is: odds are large, and need not be copied for each item.
    """

    def __init__(self, call: Call, seeding: Seeding, *, signed: bool) -> None:
        self._call = call
        self._service = call.service
        self._metrics = call.service.metrics
        self._language = call.language
        self._seeding = seeding
        self._signed = signed
        self.written: list[bytes] = []

    def roll(self, item: _Ready, ref: str | None) -> None:
        """Resolve one item."""
        try:
            answer = item.attempt.resolve(ref, self._seeding)
        except Refusal as refusal:
            self.refuse(refused(refusal), ref)
            return
        self._metrics.rolled(answer)
        written = item.resolver.write(answer)
        if self._signed:
            request = item.attempt.request.model_copy(update={} if ref is None else {"ref": ref})
            written = with_field(written, b"receipt", self._service.receipt(request, written))
        self._answer(ref, written)

    async def work_out(self, item: _Ready, ref: str | None) -> None:
        """Work out the odds of one item."""
        try:
            worked_out = await item.resolver.odds(self._service, item.attempt.request, exact=True)
        except Problem as problem:
            self.refuse(problem, ref)
            return
        self._answer(ref, worked_out.whole)

    def refuse(self, problem: Problem, ref: str | None) -> None:
        """Answer one item with a problem."""
        self._metrics.batch_item(problem.code)
        members = document(problem, self._language, self._call.request_id.decode("ascii"))
        head = b',{"status":%d,"ref":%b,"problem":' % (problem.status, fast_json(ref))
        self.written += (head, to_json(members), b"}")

    def _answer(self, ref: str | None, answer: bytes) -> None:
        self._metrics.batch_item(None)
        head = _UNNAMED if ref is None else b',{"status":200,"ref":%b,"answer":' % fast_json(ref)
        self.written += (head, answer, b"}")


def _apart(item: Any) -> tuple[str | None, Any]:
    """Take a valid reference out of an item, if it has one: all else may be as in others."""
    ref = _ref(item)
    if ref is None:
        return None, item
    return ref, {**item, "request": {**item["request"], "ref": ""}}


def _merged(defaults: BatchDefaults, item: Any) -> Any:
    """Let the defaults stand in for what an item leaves out; its request is merged field by field."""
    if not isinstance(item, dict):
        return item
    if defaults is _NO_DEFAULTS and None not in item.values():
        return item
    own = {name: value for name, value in item.items() if value is not None or name not in _ITEM_FIELDS}
    merged = {"ruleset": defaults.ruleset, "action": defaults.action, "request": defaults.request, **own}
    if defaults.request is not None and isinstance(own.get("request"), dict):
        merged["request"] = _merged_request(defaults.request, own["request"])
    return {name: value for name, value in merged.items() if value is not None or name not in _ITEM_FIELDS}


def _merged_request(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Merge at the top level. Null removes a default, and one origin of faces removes the other two."""
    kept = dict(defaults)
    if any(own.get(name) is not None for name in ORIGINS):
        kept = {name: value for name, value in kept.items() if name not in ORIGINS}
    for name, value in own.items():
        if value is None and name in kept:
            del kept[name]
        else:
            kept[name] = value
    return kept


_ITEM_FIELDS: Final = frozenset(BatchItem.model_fields)


def _ref(item: Any) -> str | None:
    """Find an item's reference, as far as there is a valid one."""
    request = item.get("request") if isinstance(item, dict) else None
    ref = request.get("ref") if isinstance(request, dict) else None
    return ref if isinstance(ref, str) and len(ref) <= LABEL_LENGTH else None
