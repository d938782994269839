"""What `/metrics` says: every request counts once, under names that no client can make more of."""

import asyncio
import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest
from pydantic import ValidationError

from app.http.metrics import ENDINGS
from app.http.problem import KINDS
from app.main import create_app
from app.rules.registry import ACTIONS
from app.settings import Settings
from tests.http.counted import scraped, total
from tests.http.hostile import TABLE, WORD
from tests.http.wire import ROLL, SECONDS, Wire, as_json, chunked, message
from tests.needs import program
from tests.processes import children
from tests.serving import Server, serving, wait_until

BODY: Final = b'{"value":11,"faces":[3]}'
GET: Final = f"?request={quote(BODY)}"
BATCH: Final = as_json({"items": [{"ruleset": "zrps", "action": "roll", "request": {"value": 11}}]})
TOKEN: Final = "only Prometheus knows this one".replace(" ", "-")

Series = tuple[str, frozenset[tuple[str, str]]]


@pytest.fixture(scope="module")
def own() -> Iterator[Server]:
    """A service that nobody else asks, so that its counts are known."""
    with serving() as running:
        yield running


def ask(server: Server, *requests: bytes) -> list[httpx.Response]:
    with Wire(server.port) as wire:
        return [wire.ask(request) for request in requests]


def post(server: Server, path: str, request: Any) -> httpx.Response:
    (answer,) = ask(server, message("POST", path, body=as_json(request)))
    return answer


def scrape(server: Server) -> dict[Series, float]:
    (answer,) = ask(server, message("GET", "/metrics"))
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in scraped(answer)
        for sample in family.samples
    }


@contextmanager
def counting(server: Server, name: str) -> Iterator[Counter[frozenset[str]]]:
    """Collect how often each series of a name is counted in the block, the scrape itself left out."""
    changes: Counter[frozenset[str]] = Counter()
    before = scrape(server)
    yield changes
    for (series, labels), value in scrape(server).items():
        if series == name and ("route", "/metrics") not in labels:
            changes[frozenset(f"{label}={of}" for label, of in labels)] += int(
                value - before.get((series, labels), 0)
            )
    for unchanged in [labels for labels, times in changes.items() if not times]:
        del changes[unchanged]


def labels(**of: str) -> frozenset[str]:
    return frozenset(f"{label}={value}" for label, value in of.items())


def ended(route: str, status: int, problem: str = "-", action: str = "-/-") -> frozenset[str]:
    ruleset, name = action.split("/")
    return labels(ruleset=ruleset, action=name, route=route, status=str(status), problem=problem)


ZRPS: Final = "zrps/roll"
ENDED: Final = {
    "a roll that arrives whole": (message("POST", ROLL, body=BODY), ended(ROLL, 200, action=ZRPS)),
    "one in German": (message("POST", f"{ROLL}?lang=de", body=BODY), ended(ROLL, 200, action=ZRPS)),
    "one in chunks": (
        message("POST", ROLL, b"Transfer-Encoding: chunked", body=chunked(BODY)),
        ended(ROLL, 200, action=ZRPS),
    ),
    "one by GET": (message("GET", ROLL + GET), ended(ROLL, 200, action=ZRPS)),
    "one that is no JSON": (message("POST", ROLL, body=b"{"), ended(ROLL, 400, "malformed_json", ZRPS)),
    "one that a rule refuses": (
        message("POST", "/v1/v20/roll", body=b"{}"),
        ended("/v1/v20/roll", 422, "pool_or_attribute", "v20/roll"),
    ),
    "one that is too long": (
        message("GET", f"{ROLL}?request={'x' * 17_000}"),
        ended(ROLL, 414, "uri_too_long", ZRPS),
    ),
    "odds": (
        message("POST", f"{ROLL}/odds", body=b'{"value":11}'),
        ended(f"{ROLL}/odds", 200, action=ZRPS),
    ),
    "odds that a cache still has": (
        message("GET", f"{ROLL}/odds?request=%7B%22value%22:11%7D", b"If-None-Match: *"),
        ended(f"{ROLL}/odds", 304, action=ZRPS),
    ),
    "a preflight": (
        message("OPTIONS", ROLL, b"Origin: https://a.example", b"Access-Control-Request-Method: POST"),
        ended(ROLL, 204, action=ZRPS),
    ),
    "a method that is not there": (message("DELETE", ROLL), ended(ROLL, 405, "method_not_allowed", ZRPS)),
    "a batch": (message("POST", "/v1/batch", body=BATCH), ended("/v1/batch", 200)),
    "a problem's page": (message("GET", "/v1/problems/internal"), ended("/v1/problems/{code}", 200)),
    "a ruleset's page": (message("GET", "/v1/rulesets/zrps"), ended("/v1/rulesets/{ruleset}", 200)),
    "a ruleset that there is not": (message("GET", "/v1/rulesets/dsa"), ended("-", 404, "not_found")),
    "the question whether it lives": (message("GET", "/livez"), ended("/livez", 200)),
    "the documentation page": (message("GET", "/docs"), ended("/docs", 200)),
    "the document": (message("GET", "/openapi.json"), ended("/openapi.json", 200)),
    "a file that there is not": (message("GET", "/.env"), ended("-", 404, "not_found")),
    "a method that nobody uses": (message("PROPFIND", "/x"), ended("-", 404, "not_found")),
}


@pytest.mark.parametrize("what", ENDED)
def test_a_request_counts_once_under_what_it_asked_and_how_it_ended(what: str, own: Server) -> None:
    request, expected = ENDED[what]
    with counting(own, "wurf_http_requests_total") as requests:
        ask(own, request)
    assert requests == {expected: 1}


def test_a_file_counts_once_it_is_closed(own: Server) -> None:
    """The client may have all of it before that."""
    files: dict[str, str] = {"ruleset": "-", "action": "-", "route": "files", "status": "200", "problem": "-"}
    series: Series = ("wurf_http_requests_total", frozenset(files.items()))
    before = scrape(own)[series]
    ask(own, message("GET", "/docs.js"))
    until(own, series, before + 1)


def test_a_request_counts_once_in_the_histogram_of_its_route(own: Server) -> None:
    with counting(own, "wurf_http_request_duration_seconds_bucket") as buckets:
        ask(own, *[message("POST", ROLL, body=BODY)] * 3)
    in_all = labels(ruleset="zrps", action="roll", route=ROLL, le="+Inf")
    assert buckets[in_all] == 3
    assert max(buckets.values()) == 3
    bounds = {next(iter(one - in_all)) for one in buckets if one != in_all}
    assert "le=10.0" in bounds  # nothing here takes ten seconds


def test_head_counts_as_it_is_answered(own: Server) -> None:
    with counting(own, "wurf_http_requests_total") as requests:
        assert httpx.head(f"{own.url}/livez").status_code == 200
    assert requests == {ended("/livez", 200): 1}


def until(server: Server, series: Series, value: float) -> None:
    wait_until(lambda: scrape(server).get(series) == value, f"{series} to be {value}", SECONDS)


IN_FLIGHT: Final[Series] = ("wurf_http_requests_in_flight", frozenset())


def test_a_request_is_in_work_until_its_client_is_gone(own: Server) -> None:
    labelled = {"ruleset": "zrps", "action": "roll", "route": ROLL, "status": "499", "problem": "-"}
    gone: Series = ("wurf_http_requests_total", frozenset(labelled.items()))
    until(own, IN_FLIGHT, 1)  # the scrape itself
    with Wire(own.port) as wire:
        wire.send(message("POST", ROLL, b"Content-Length: 999") + b"{")
        until(own, IN_FLIGHT, 2)
    until(own, gone, 1)
    until(own, IN_FLIGHT, 1)


@pytest.mark.parametrize("key", ACTIONS, ids="/".join)
def test_a_roll_counts_under_its_outcome(key: tuple[str, str], own: Server) -> None:
    (catalog,) = ask(own, message("GET", f"/v1/rulesets/{key[0]}"))
    (request,) = (one["example"]["request"] for one in catalog.json()["actions"] if one["name"] == key[1])
    with counting(own, "wurf_rolls_total") as rolls:
        answer = post(own, f"/v1/{key[0]}/{key[1]}", request)
    outcome = answer.json().get("outcome") or "-"
    assert rolls == {labels(ruleset=key[0], action=key[1], outcome=outcome): 1}


def test_every_outcome_of_every_action_has_a_series_from_the_start() -> None:
    series = list(create_app(Settings()).service.metrics.collect())
    for (ruleset, name), (_, action) in ACTIONS.items():
        (family,) = (one for one in series if one.name == "wurf_rolls")
        found = {
            one.labels["outcome"]
            for one in family.samples
            if (one.labels["ruleset"], one.labels["action"]) == (ruleset, name)
        }
        assert found == {"-", *(action.outcomes or ())}


def test_items_of_a_batch_count_under_their_outcomes_and_problems(own: Server) -> None:
    faces = [1, 3, 20, 3]
    requests: list[dict[str, Any]] = [{"value": 11, "faces": [face]} for face in faces]
    items: list[dict[str, Any]] = [
        *({"ruleset": "zrps", "action": "roll", "request": one} for one in (*requests, {"value": "x"})),
        {"ruleset": "zrps", "action": "roll", "odds": True, "request": {"value": 11}},
        {"ruleset": WORD, "action": "roll", "request": {}},
    ]
    with (
        counting(own, "wurf_rolls_total") as rolls,
        counting(own, "wurf_batch_items_total") as ended_items,
    ):
        results = post(own, "/v1/batch", {"items": items}).json()["results"]
    outcomes = Counter(one["answer"]["outcome"] for one in results[: len(faces)])
    assert sum(outcomes.values()) == 4
    assert len(outcomes) > 1
    assert rolls == {
        labels(ruleset="zrps", action="roll", outcome=outcome): times for outcome, times in outcomes.items()
    }
    assert ended_items == {
        labels(problem="-"): 5,
        labels(problem="validation"): 1,
        labels(problem="not_found"): 1,
    }


def test_what_is_refused_is_no_roll(own: Server) -> None:
    with counting(own, "wurf_rolls_total") as rolls:
        for body in (b'{"value":11,"faces":[3,4]}', b'{"value":"11"}', b"{"):
            ask(own, message("POST", ROLL, body=body))
        post(own, f"{ROLL}/odds", {"value": 11})
    assert rolls == {}


def test_odds_count_as_worked_out_or_remembered(own: Server) -> None:
    with (
        counting(own, "wurf_odds_cache_lookups_total") as lookups,
        counting(own, "wurf_odds_cache_bytes") as size,
    ):
        answers = [post(own, f"{ROLL}/odds", {"value": -7}) for _ in range(3)]
        post(own, f"{ROLL}?odds=true", {"value": -7})
    length = len(answers[0].content)
    assert lookups == {labels(result="miss"): 1, labels(result="hit"): 3}
    assert length < size[frozenset()] < 3 * length


def nonsense(word: str) -> list[bytes]:
    """Ask for what there is not, under ever new names."""
    return [
        *(row.message().replace(WORD.encode(), word.encode()) for row in TABLE),
        *(message("GET", f"/{word}/{number}") for number in range(20)),
        *(message("POST", f"/v1/{word}/{action}", body=b"{}") for action in ("roll", word, "roll/odds")),
        message("GET", f"/v1/zrps/{word}"),
        message("GET", f"/v1/problems/{word}"),
        message("GET", f"/v1/rulesets/{word}"),
        message("GET", f"/docs?{word}"),
        message("POST", f"{ROLL}?lang={word}", body=BODY),
        *(message(method, f"/{word}") for method in ("PROPFIND", "MKCOL", "PURGE", "TRACE", "DELETE")),
        message("GET", "/livez", f"X-Request-ID: {word}".encode(), f"User-Agent: {word}".encode()),
        message("POST", "/v1/batch", body=as_json({"items": [{"ruleset": word, "action": word}]})),
        message("POST", "/v1/batch", body=as_json({"items": [word]})),
    ]


def test_whatever_clients_send_there_are_no_more_series(own: Server) -> None:
    def series_after(word: str) -> set[Series]:
        assert len(word) == len(WORD)  # the requests give the length of their bodies
        ask(own, *nonsense(word))
        return set(scrape(own))

    first = series_after("Abrakadabra!")
    assert series_after("Simsalabim!!") == first
    assert not re.search("abrakadabra|simsalabim", repr(first), re.IGNORECASE)
    values: dict[str, set[str]] = {}
    for name, labelled in first:
        if name.startswith(("wurf_http", "wurf_rolls", "wurf_batch")):
            for label, value in labelled:
                values.setdefault(label, set()).add(value)
    assert values["ruleset"] == {ruleset for ruleset, _ in ACTIONS} | {"-"}
    assert values["action"] == {action for _, action in ACTIONS} | {"-"}
    assert values["problem"] <= {"-", *KINDS}
    assert values["status"] <= {status for status, _ in ENDINGS}
    known = {
        path for path in create_app(Settings())._exact if not re.match(r"/v1/(problems|rulesets)/", path)
    }
    assert values["route"] == known | {"-", "files", "/v1/problems/{code}", "/v1/rulesets/{ruleset}"}


def test_a_failure_of_ours_counts_as_internal_whichever_way_it_came() -> None:
    application = create_app(Settings())

    async def fail(*_: object) -> Any:
        raise ZeroDivisionError

    application._exact["/livez"] = {"GET": fail}

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://wurf") as connected:
            return await connected.get("/livez")

    assert asyncio.run(get()).json()["code"] == "internal"
    series = list(application.service.metrics.collect())
    assert total(series, "wurf_http_requests_total", status="500", problem="internal", route="/livez") == 1
    assert total(series, "wurf_http_requests_in_flight") == 0


# The answer itself


def test_prometheus_finds_nothing_wrong_with_the_answer(own: Server) -> None:
    """`promtool` says what stands against the form, the names and the units."""
    (answer,) = ask(own, message("GET", "/metrics"))
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    checked = subprocess.run(
        [program("promtool"), "check", "metrics"],
        input=answer.text,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_head_says_of_metrics_what_get_says(own: Server) -> None:
    with Wire(own.port) as wire:
        wire.send(message("HEAD", "/metrics"))
        head = wire.until(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"text/plain" in head
        assert wire.ask(message("GET", "/livez")).json() == {"status": "alive"}


@pytest.mark.parametrize(
    "request_",
    [
        message("GET", "/metrics", b"Origin: https://a.example"),
        message("GET", "/metrics?what=all", b"Origin: https://a.example"),
        message("POST", "/metrics", b"Origin: https://a.example", body=b""),
        message("OPTIONS", "/metrics", b"Origin: https://a.example", b"Access-Control-Request-Method: GET"),
    ],
    ids=["asked for", "asked wrongly", "with another method", "before a request"],
)
def test_pages_of_other_sites_cannot_read_metrics(request_: bytes, own: Server) -> None:
    (answer,) = ask(own, request_)
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-request-id"]


# The token and several workers


@pytest.fixture(scope="module")
def together() -> Iterator[Server]:
    """Two workers that count together, and tell it only to who knows the token."""
    with serving(WURF_WORKERS="2", WURF_METRICS_TOKEN=TOKEN) as running:
        # One is enough for an answer.
        said = "Started server process"
        wait_until(lambda: running.written().count(said) == 2, "both workers", 3 * SECONDS)
        yield running


@pytest.mark.parametrize(
    "authorization",
    ["", TOKEN, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer", "Bearer "],
)
def test_without_the_token_metrics_are_not_told(authorization: str, together: Server) -> None:
    headers = (f"Authorization: {authorization}".encode(),) if authorization else ()
    (answer,) = ask(together, message("GET", "/metrics", *headers))
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "wurf_" not in answer.text
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_with_the_token_metrics_are_told(scheme: str, together: Server) -> None:
    (answer,) = ask(together, message("GET", "/metrics", f"Authorization: {scheme} {TOKEN}".encode()))
    assert total(scraped(answer), "wurf_workers") == 2


def test_the_token_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n", encoding="utf-8")
    assert Settings(metrics_token_file=tmp_path / "token").metrics_token == TOKEN


@pytest.mark.parametrize("token", ["short", "with blanks in between", "mit Ümläuten-in-sich"])
def test_a_token_that_cannot_be_sent_or_is_soon_guessed_stops_the_start(token: str) -> None:
    with pytest.raises(ValidationError):
        Settings(metrics_token=token)


@dataclass(frozen=True)
class Worker:
    """A connection to one worker."""

    wire: Wire

    def ask(self, request: bytes) -> httpx.Response:
        """Ask this worker."""
        return self.wire.ask(request)

    def metrics(self) -> list[Any]:
        """Ask this worker what has been counted."""
        return scraped(self.ask(message("GET", "/metrics", b"Authorization: Bearer " + TOKEN.encode())))

    def rolls(self) -> float:
        """Ask this worker how often was rolled."""
        return total(self.metrics(), "wurf_rolls_total")


def by_worker(server: Server, open_: ExitStack) -> list[Worker]:
    """Connect until both workers have taken a connection. Ids of requests begin with the worker's own."""
    found: dict[str, Worker] = {}
    deadline = time.monotonic() + SECONDS
    while len(found) < 2:
        assert time.monotonic() < deadline, "one of the workers takes no connection"
        worker = Worker(open_.enter_context(Wire(server.port)))
        answer = worker.ask(message("GET", "/livez"))
        found.setdefault(answer.headers["x-request-id"].partition("-")[0], worker)
    return list(found.values())


def workers(server: Server) -> set[int]:
    """List the processes that the service has started and that run code of their own."""
    return {child for child in children(server.process.pid) if b"spawn_main" in _command(child)}


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""  # it has ended since it was listed


def test_workers_add_up_and_lose_nothing_when_one_is_killed(together: Server) -> None:
    roll = message("POST", ROLL, body=BODY)
    with ExitStack() as open_:
        one, other = by_worker(together, open_)
        before = one.rolls()
        for worker, times in ((one, 3), (other, 4)):
            for _ in range(times):
                worker.ask(roll)
        assert one.rolls() == other.rolls() == before + 7
        started = workers(together)
        assert len(started) == 2
        os.kill(min(started), signal.SIGKILL)
        left = next(worker for worker in (one, other) if _answers(worker))
        wait_until(lambda: len(workers(together) - started) == 1, "a new worker", 3 * SECONDS)
        wait_until(lambda: total(left.metrics(), "wurf_workers") == 2, "its place", 3 * SECONDS)
        # The new one has taken the place of the dead one.
        processes = [one for one in left.metrics() if one.name == "wurf_process_start_time_seconds"]
        assert {sample.labels["worker"] for sample in processes[0].samples} == {"0", "1"}
        assert left.rolls() == before + 7
        for worker in by_worker(together, open_):
            worker.ask(roll)
        assert left.rolls() == before + 9


def _answers(worker: Worker) -> bool:
    try:
        return worker.ask(message("GET", "/livez")).status_code == 200
    except OSError:
        return False
