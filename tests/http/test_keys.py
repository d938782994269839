"""API keys: who holds one is let in, and nobody else; what is open stays open."""

import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256

import httpx
import pytest

from app.http.keys import Keys, new_key
from app.main import create_app
from app.settings import Settings, WrongSettingError
from tests.http.wire import ROLL, assert_everyone_may_read, assert_problem
from tests.serving import ROOT, Server, serving
from tests.test_openapi import OPERATIONS

KEY = "wurf_the table's own key"
DIGEST = sha256(KEY.encode()).hexdigest()
OTHER = "wurf_another table's key"
BODY = b'{"value":11,"seed":"demo"}'
ODDS = f"{ROLL}/odds"
NO_DIGEST = "64 lower-case hexadecimal digits"


def digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service that asks for a key."""
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text(f"# the tables\nanna:{DIGEST}\n\n{digest(OTHER)}\n", encoding="utf-8")
    with serving(WURF_API_KEYS_FILE=str(file)) as running:
        yield running


@pytest.fixture(scope="module")
def asking(guarded: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=guarded.url) as client:
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {KEY}"},
        {"authorization": f"bearer  {KEY}"},
        {"X-API-Key": KEY},
        {"X-API-Key": OTHER},
        {"Authorization": "Bearer a gateway's own token", "X-API-Key": KEY},
        {"Authorization": f"Bearer {KEY}", "X-API-Key": "old"},
    ],
)
def test_a_key_lets_in_however_it_is_sent(headers: dict[str, str], asking: httpx.Client) -> None:
    assert asking.post(ROLL, content=BODY, headers=headers).json()["faces"] == [3]
    assert asking.get(ROLL, params={"request": BODY.decode()}, headers=headers).json()["faces"] == [3]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": KEY},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": f"Bearer {KEY}x"},
        {"Authorization": f"Bearer {KEY[:-1]}"},
        {"X-API-Key": ""},
        {"X-API-Key": DIGEST},
        {"X-API-Key": f"anna:{KEY}"},
    ],
)
def test_nothing_else_lets_in(headers: dict[str, str], asking: httpx.Client) -> None:
    answer = asking.post(ROLL, content=BODY, headers=headers)
    assert_problem(answer, 401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


FOR_CLIENTS = [one for one in OPERATIONS if one[1] != "/metrics"]
"""Metrics have a token of their own."""


@pytest.mark.parametrize(
    ("method", "path", "operation"), FOR_CLIENTS, ids=[one["operationId"] for _, _, one in FOR_CLIENTS]
)
def test_the_document_tells_which_paths_are_behind_the_key(
    method: str, path: str, operation: dict[str, object], asking: httpx.Client
) -> None:
    path = path.replace("{ruleset}", "zrps").replace("{code}", "validation")
    answer = asking.request(method, path)
    assert (answer.status_code == 401) == ("security" in operation)
    assert answer.status_code == 401 or answer.is_success
    assert ("401" in operation["responses"]) == ("security" in operation)  # type: ignore[operator]


@pytest.mark.parametrize(
    "path", ["/livez", "/readyz", "/metrics", "/v1/info", "/openapi.json", "/docs", "/docs.js"]
)
def test_health_and_documents_are_open(path: str, asking: httpx.Client) -> None:
    assert asking.get(path).status_code == 200
    assert asking.head(path).status_code == 200


def test_a_preflight_needs_no_key(asking: httpx.Client) -> None:
    headers = {
        "Origin": "https://table.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    answer = asking.options(ROLL, headers=headers)
    assert answer.status_code == 204
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    assert_everyone_may_read(answer)


@pytest.mark.parametrize(
    "path",
    [f"{ROLL}%0A", f"{ROLL}/", f"{ROLL}%00", "/v1/zrps/rol%6C", "/v1//zrps/roll", "/v1/zrps/x/../roll"],
)
def test_no_other_spelling_of_a_path_gets_around_the_key(path: str, asking: httpx.Client) -> None:
    url = httpx.URL(
        scheme=asking.base_url.scheme, host="127.0.0.1", port=asking.base_url.port, raw_path=path.encode()
    )
    assert asking.post(url, content=BODY).status_code in {401, 404}
    assert asking.get(url.copy_merge_params({"request": BODY.decode()})).status_code in {401, 404}
    assert asking.head(url.copy_merge_params({"request": BODY.decode()})).status_code in {401, 404}


def test_odds_behind_a_key_are_kept_by_the_asker_alone(asking: httpx.Client, client: httpx.Client) -> None:
    params = {"request": '{"value":11}'}
    behind = asking.get(ODDS, params=params, headers={"X-API-Key": KEY})
    assert behind.headers["cache-control"] == "private, max-age=3600"
    again = {"X-API-Key": KEY, "If-None-Match": behind.headers["etag"]}
    unchanged = asking.get(ODDS, params=params, headers=again)
    assert (unchanged.status_code, unchanged.headers["cache-control"]) == (304, "private, max-age=3600")
    assert client.get(ODDS, params=params).headers["cache-control"] == "public, max-age=3600"


def test_the_info_tells_whether_a_key_is_needed(asking: httpx.Client, client: httpx.Client) -> None:
    assert "api_keys" in asking.get("/v1/info").json()["features"]
    assert "api_keys" not in client.get("/v1/info").json()["features"]


def test_every_key_has_a_name() -> None:
    keys = Keys(f"anna:{DIGEST}, {digest(OTHER)}\nanna:{digest('new')}")
    assert keys.name_of({b"x-api-key": KEY.encode()}) == "anna"
    assert keys.name_of({b"x-api-key": b"new"}) == "anna"
    assert keys.name_of({b"x-api-key": OTHER.encode()}) == digest(OTHER)[:8]
    assert keys.name_of({b"x-api-key": b"neither"}) is None


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ("", "holds no key"),
        (" ,\n# none yet\n", "holds no key"),
        (f"{DIGEST},{DIGEST}", "holds a digest twice"),
        (f"anna:{DIGEST}\nbert:{DIGEST}", "holds a digest twice"),
        (DIGEST.upper(), NO_DIGEST),
        (DIGEST[:-1], NO_DIGEST),
        (f"{DIGEST}0", NO_DIGEST),
        (f"an na:{DIGEST}", NO_DIGEST),
        (f":{DIGEST}", NO_DIGEST),
        (f"{'n' * 65}:{DIGEST}", NO_DIGEST),
        (KEY, NO_DIGEST),
    ],
)
def test_wrong_keys_stop_the_start_and_are_not_repeated(entries: str, what: str) -> None:
    with pytest.raises(WrongSettingError, match=what) as wrong:
        create_app(Settings(api_keys=entries))
    assert str(wrong.value).startswith("WURF_API_KEYS: ")
    assert KEY not in str(wrong.value)


def test_the_command_makes_a_key_and_its_digest() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "app", "api-key"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    words = made.stdout.split()
    assert words[::2] == ["key", "digest"]
    assert sha256(words[1].encode()).hexdigest() == words[3]
    assert Keys(words[3]).name_of({b"x-api-key": words[1].encode()}) == words[3][:8]


def test_no_two_keys_are_the_same() -> None:
    assert len({new_key() for _ in range(100)}) == 100


def test_a_wrong_setting_stops_the_start_with_a_sentence() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "app", "serve"],
        cwd=ROOT,
        env={"WURF_API_KEYS": "no digest", "WURF_PORT": "0", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("WURF_API_KEYS: each entry is the SHA-256 digest of a key")
    assert "Traceback" not in ran.stderr
