"""What the shipped nginx does for one service behind it: what uvicorn answers itself or sets no bound for.

The table in deploy/README.md says the same in words.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from errno import ECONNRESET
from pathlib import Path
from socket import SO_ERROR, SOL_SOCKET, socket
from typing import Final, NamedTuple

import httpx
import pytest

from tests.deploy.proxy import SHIPPED, Proxy, proxying
from tests.http.wire import ROLL, Wire, as_json, assert_everyone_may_read, message
from tests.serving import ROOT, Server, serving, wait_until

PLAIN_TEXT: Final = (400, "text/plain; charset=utf-8", "Invalid HTTP request received.")
"""How uvicorn turns down what it cannot read, without a word to browsers of other origins."""
BODY: Final = b'{"value":11,"seed":"demo"}'
SENT_IN_PART: Final = message("POST", ROLL, b"Content-Length: %d" % len(BODY)) + BODY[:5]
UNREAD: Final = 40
"""So many OpenAPI documents are more than all buffers on the way hold."""
CONNECTIONS: Final = 200
"""As many requests as one address may have in work."""


@pytest.fixture(scope="module")
def proxy(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """One before the service that all tests share, which stands for both replicas."""
    with proxying((server.port, server.port), tmp_path_factory.mktemp("proxy")) as running:
        yield running


@pytest.fixture(scope="module")
def impatient(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """One that waits for a second where the shipped one waits for ten."""
    waits = ("client_header_timeout", "client_body_timeout", "send_timeout")
    changes = {f" {wait} 10s": f" {wait} 1s" for wait in waits}
    with proxying((server.port, server.port), tmp_path_factory.mktemp("impatient"), changes) as running:
        yield running


class Odd(NamedTuple):
    """A request, and the code of the problem document that nginx answers it with."""

    why: str
    request: bytes
    status: int
    code: str


REFUSED_IN_PLAIN_TEXT: Final = [
    Odd("no HTTP at all", b"hello\r\n\r\n", 400, "bad_request"),
    Odd("the beginning of TLS", bytes.fromhex("16030100050100000100"), 400, "bad_request"),
    Odd("an unknown method", message("FROB", "/livez"), 405, "method_not_allowed"),
    Odd("a tunnel", message("CONNECT", "localhost:80"), 400, "bad_request"),
    Odd("an address that is not ASCII", message("GET", "/\xff"), 400, "bad_request"),
    Odd("a control character in the address", message("GET", "/a\x01b"), 400, "bad_request"),
    Odd("a very long address", message("GET", "/" + "x" * 100_000), 414, "uri_too_long"),
    Odd("a zero byte in a header", message("GET", "/livez", b"A: b\0c"), 400, "bad_request"),
    Odd("a space before the colon", message("GET", "/livez", b"A : b"), 400, "bad_request"),
    Odd("a header in two lines", message("GET", "/livez", b"A: b\r\n c"), 400, "bad_request"),
    Odd("no length", message("POST", ROLL, b"Content-Length: x"), 400, "bad_request"),
    Odd("two lengths", message("POST", ROLL, b"Content-Length: 2", body=BODY), 400, "bad_request"),
    Odd(
        "a length and chunks",
        message("POST", ROLL, b"Content-Length: 26", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
        400,
        "bad_request",
    ),
    Odd(
        "a chunk without a size",
        message("POST", ROLL, b"Transfer-Encoding: chunked", body=b"zz\r\n\r\n"),
        400,
        "bad_request",
    ),
]
ANSWERED_ALL_THE_SAME: Final = [
    Odd("no host", b"GET /livez HTTP/1.1\r\n\r\n", 400, "bad_request"),
    Odd("two hosts", message("GET", "/livez", b"Host: elsewhere"), 400, "bad_request"),
    Odd("a version that is none", b"GET /livez HTTP/2.0\r\nHost: localhost\r\n\r\n", 400, "bad_request"),
    Odd("a header of 1 MB", message("GET", "/livez", b"A: " + b"x" * 10**6), 431, "headers_too_large"),
    Odd("10,000 headers", message("GET", "/livez", *[b"A: bbbbbbbb"] * 10_000), 431, "headers_too_large"),
]


def assert_problem_of_nginx(answer: httpx.Response, status: int, code: str) -> None:
    document = json.loads(answer.content)
    assert (answer.status_code, document["status"], document["code"]) == (status, status, code)
    assert answer.headers.get_list("content-type") == ["application/problem+json"]
    assert document["title"]
    assert document["detail"]
    assert document["request_id"] == answer.headers["x-request-id"]
    assert answer.headers.get_list("access-control-allow-origin") == ["*"]
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("odd", REFUSED_IN_PLAIN_TEXT, ids=lambda odd: odd.why)
def test_what_uvicorn_refuses_in_plain_text_is_a_problem_document_of_the_proxy(
    odd: Odd, server: Server, proxy: Proxy
) -> None:
    with Wire(server.port) as direct:
        answer = direct.ask(odd.request)
    assert (answer.status_code, answer.headers["content-type"], answer.text) == PLAIN_TEXT
    with proxy.wire() as proxied:
        assert_problem_of_nginx(proxied.ask(odd.request), odd.status, odd.code)


@pytest.mark.parametrize("odd", ANSWERED_ALL_THE_SAME, ids=lambda odd: odd.why)
def test_what_uvicorn_takes_without_a_bound_the_proxy_refuses(odd: Odd, server: Server, proxy: Proxy) -> None:
    with Wire(server.port) as direct:
        assert direct.ask(odd.request).status_code == 200
    with proxy.wire() as proxied:
        assert_problem_of_nginx(proxied.ask(odd.request), odd.status, odd.code)


@pytest.mark.parametrize("part", [b"", b"POST ", SENT_IN_PART[:40]], ids=["nothing", "a word", "a header"])
def test_a_client_that_stops_before_its_headers_end_is_let_go(
    part: bytes, server: Server, impatient: Proxy
) -> None:
    whole = SENT_IN_PART + BODY[5:]
    with Wire(server.port) as direct, impatient.wire() as proxied:
        direct.send(part)
        proxied.send(part)
        assert proxied.rest() == b""
        # Uvicorn waits for the rest for good.
        assert direct.ask(whole[len(part) :]).status_code == 200


def test_a_client_that_stops_within_its_body_is_let_go(impatient: Proxy) -> None:
    with impatient.wire() as proxied:
        proxied.send(SENT_IN_PART)
        assert proxied.rest() == b""


def test_a_client_that_reads_nothing_is_let_go(server: Server, impatient: Proxy) -> None:
    request, last = (message("GET", "/openapi.json", *headers) for headers in ((), (b"Connection: close",)))
    with Wire(server.port) as direct, impatient.wire() as proxied:
        for wire in (direct, proxied):
            wire.send(request * (UNREAD - 1) + last)
        wait_until(lambda: _error(proxied) == ECONNRESET, "the end of the connection")
        assert _error(direct) == 0
        assert direct.rest().count(b"HTTP/1.1 200 OK") == UNREAD


def _error(wire: Wire) -> int:
    return wire._socket.getsockopt(SOL_SOCKET, SO_ERROR)


def test_one_address_has_a_bounded_number_of_requests_in_work(proxy: Proxy) -> None:
    begun = message("POST", ROLL, b"Content-Length: %d" % len(BODY), b"Expect: 100-continue")
    with ExitStack() as opened:
        in_work = [opened.enter_context(proxy.wire()) for _ in range(CONNECTIONS)]
        for wire in in_work:
            wire.send(begun)
            # Asked for its body, a request has been counted.
            assert wire.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        with proxy.wire() as wire:
            answer = wire.ask(message("GET", "/livez"))
        assert_problem_of_nginx(answer, 429, "rate_limited")
        assert answer.headers["retry-after"] == "1"
        for wire in in_work:
            wire.send(BODY)
        assert {wire.receive().status_code for wire in in_work} == {200}
    with proxy.wire() as wire:
        assert wire.ask(message("POST", ROLL, body=BODY)).status_code == 200


def test_what_is_too_large_the_service_says_itself_up_to_twice_its_bound(proxy: Proxy) -> None:
    with proxy.wire() as wire:
        by_service = wire.ask(message("POST", "/v1/batch", body=b" " * (2**20 + 1)))
    assert (by_service.status_code, by_service.json()["code"]) == (413, "too_large")
    assert_everyone_may_read(by_service)
    with proxy.wire() as wire:
        by_nginx = wire.ask(message("POST", "/v1/batch", b"Content-Length: %d" % (2**21 + 1)))
    assert_problem_of_nginx(by_nginx, 413, "too_large")


def test_a_long_address_the_service_refuses_itself(proxy: Proxy) -> None:
    with proxy.wire() as wire:
        answer = wire.ask(message("GET", "/" + "x" * 17_000))
    assert (answer.status_code, answer.json()["code"]) == (414, "uri_too_long")
    assert_everyone_may_read(answer)


def test_without_any_replica_the_proxy_says_so_in_the_readers_language(tmp_path: Path) -> None:
    with socket() as taken:
        # Nobody listens there, and nobody else can.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with proxying((port, port), tmp_path) as alone, alone.wire() as wire:
            answers = [
                wire.ask(message("POST", ROLL, b"Accept-Language: de-AT", body=BODY)),
                wire.ask(message("POST", f"{ROLL}?lang=de", body=BODY)),
                wire.ask(message("POST", f"{ROLL}?lang=en", b"Accept-Language: de", body=BODY)),
            ]
    for answer, title in zip(answers, ("Keine Antwort", "Keine Antwort", "No answer"), strict=True):
        assert_problem_of_nginx(answer, 502, "bad_gateway")
        assert answer.json()["title"] == title
        assert answer.headers["retry-after"] == "1"


def test_a_request_id_is_the_same_in_answer_and_log(proxy: Proxy) -> None:
    with proxy.wire() as wire:
        given = wire.ask(message("POST", ROLL, b"X-Request-ID: table 7", body=BODY))
        made = wire.ask(message("POST", ROLL, body=BODY))
    assert given.headers["x-request-id"] == "table 7"
    ids = {"table 7", made.headers["x-request-id"]}
    wait_until(lambda: ids <= {line["request_id"] for line in proxy.logged()}, "the log")


def test_an_id_that_would_break_the_document_is_not_in_it(proxy: Proxy) -> None:
    with proxy.wire() as wire:
        answer = wire.ask(message("GET", "/metrics", b'X-Request-ID: "},{"'))
    assert_problem_of_nginx(answer, 404, "not_found")


def test_the_metrics_are_not_for_the_outside(server: Server, proxy: Proxy) -> None:
    del server
    for path in ("/metrics", "/metrics?x=1", "/%6detrics", "//metrics", "/v1/../metrics"):
        with proxy.wire() as wire:
            answer = wire.ask(message("GET", path))
        assert answer.json()["code"] == "not_found"


def test_a_limit_goes_by_the_address_that_the_proxy_sees_whatever_the_client_says(tmp_path: Path) -> None:
    settings = {"WURF_RATE_LIMIT": "3/hour", "WURF_TRUSTED_PROXIES": "127.0.0.1"}
    with serving(**settings) as limited, proxying((limited.port, limited.port), tmp_path) as proxy:
        spoofed = [b"X-Forwarded-For: 192.0.2.%d" % number for number in range(4)]
        with proxy.wire() as wire:
            statuses = [wire.ask(message("POST", ROLL, line, body=BODY)).status_code for line in spoofed]
        elsewhere = httpx.HTTPTransport(local_address="127.0.0.2", verify=proxy.tls)
        with httpx.Client(transport=elsewhere, base_url=proxy.url) as client:
            assert client.post(ROLL, content=BODY).status_code == 200
    assert statuses == [200, 200, 200, 429]


def test_the_log_holds_no_query(proxy: Proxy) -> None:
    with proxy.wire() as wire:
        wire.ask(message("GET", f"{ROLL}?request=%7B%22value%22%3A11%2C%22seed%22%3A%22Kr4ken%22%7D"))
    asked = {"method": "GET", "path": ROLL, "status": 200}
    wait_until(lambda: any(asked.items() <= line.items() for line in proxy.logged()), "the log")
    assert "Kr4ken" not in proxy.log.read_text(encoding="utf-8")


def test_a_batch_that_does_not_fit_into_the_buffer_passes(server: Server, proxy: Proxy) -> None:
    modifiers = [{"value": 1, "label": "x" * 100}] * 5
    item = {"ruleset": "zrps", "action": "roll", "request": {"value": 11, "modifiers": modifiers}}
    request = message("POST", "/v1/batch", body=as_json({"seed": "demo", "items": [item] * 1000}))
    with proxy.wire() as proxied, Wire(server.port) as direct:
        answer = proxied.ask(request)
        assert (answer.status_code, answer.content) == (200, direct.ask(request).content)


def test_http_leads_to_https_and_https_asks_to_stay(proxy: Proxy) -> None:
    with Wire(proxy.plain_port) as wire:
        answer = wire.ask(message("GET", "/v1/info?lang=de"))
    assert (answer.status_code, answer.headers["location"]) == (308, "https://localhost/v1/info?lang=de")
    with proxy.wire() as wire:
        for path in ("/v1/info", "/metrics"):
            answer = wire.ask(message("GET", path))
            assert answer.headers.get_list("strict-transport-security") == ["max-age=31536000"]


def block(variable: str) -> dict[str, str]:
    """Read one `map` of the problems."""
    shipped = (SHIPPED / "problems.conf").read_text(encoding="utf-8")
    (inside,) = re.findall(rf"(?ms)^map \S+ \${variable} {{\n(.*?)^}}", shipped)
    return {name: value.strip('"') for name, value in re.findall(r"(?m)^    (\S+) (.*);$", inside)}


def test_the_words_of_the_proxy_are_those_of_the_service_in_each_language() -> None:
    of_service = tomllib.loads((ROOT / "app" / "http" / "problem.toml").read_text(encoding="utf-8"))
    codes = set(block("problem_code").values())
    titles, details = block("problem_title"), block("problem_detail")
    assert (
        titles.keys()
        == details.keys()
        == {f"{language}:{code}" for language in ("de", "en") for code in codes}
    )
    for code in codes & of_service.keys():
        for language in ("de", "en"):
            words = of_service[code][language]
            assert titles[f"{language}:{code}"] == words["title"]
            assert re.fullmatch(
                re.sub(r"\\{\w+\\}", r"\\d+", re.escape(words["detail"])), details[f"{language}:{code}"]
            )
    (own,) = (name for name, value in block("problem_type").items() if value == "about:blank")
    assert set(re.findall(r"[a-z_]+", own)) == codes - of_service.keys()


def test_every_status_that_nginx_answers_itself_has_its_words() -> None:
    configuration = (SHIPPED / "nginx.conf").read_text(encoding="utf-8")
    answered = {
        changed or status
        for statuses, changed in re.findall(r"error_page ([\d ]+?)(?: =(\d+))? /", configuration)
        for status in ([statuses] if changed else statuses.split())
    }
    assert answered - {"500"} == block("problem_code").keys() - {"default"}
