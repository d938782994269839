"""Rate limits that replicas share, in a real Redis: counted together, off while it is away, and on again."""

import asyncio
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from app.http.counting import Memory, Shared
from app.http.limits import TooMuchError, policies
from app.main import create_app
from app.settings import Settings, WrongSettingError
from tests.http.test_limits import FORWARDED, Clock, batch, left
from tests.http.wire import ROLL, SECONDS, assert_problem
from tests.needs import program
from tests.serving import Server, free_port, serving

BODY = b'{"value":11,"seed":"demo"}'
PASSWORD = "a-password-of-Redis"  # noqa: S105  of the Redis that the tests start
AWHILE = 0.01
"""Redis counts time in thousandths of a second."""
OFF = "rate limits are off: Redis does not answer"
ON = "rate limits are on again: Redis answers"


class Redis:
    """A Redis of the test's own, which can be killed, stopped and started again."""

    def __init__(self, folder: Path) -> None:
        """Choose a port; nothing runs yet."""
        self.port = free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it and wait until it listens."""
        command = [program("redis-server"), "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(
            [*command, "--requirepass", PASSWORD, "--dir", str(self._folder)], stdout=subprocess.DEVNULL
        )
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert time.monotonic() < deadline, "Redis did not start"
                time.sleep(0.02)
            else:
                return

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it without a word."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(SECONDS)
            self._process = None


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    """A Redis that runs."""
    one = Redis(tmp_path)
    one.start()
    yield one
    one.kill()


@contextmanager
def replicas(redis: Redis, number: int, limit: str = "4/hour") -> Iterator[list[Server]]:
    settings = {
        "WURF_RATE_LIMIT": limit,
        "WURF_BATCH_ITEM_LIMIT": "10/hour",
        "WURF_RATE_LIMIT_STORAGE": redis.url,
        "WURF_TRUSTED_PROXIES": "127.0.0.1",
    }
    with ExitStack() as running:
        yield [running.enter_context(serving(**settings)) for _ in range(number)]


def ask(server: Server, address: str = "203.0.113.1") -> httpx.Response:
    return httpx.post(server.url + ROLL, content=BODY, headers={FORWARDED: address}, timeout=SECONDS)


def until_limited(server: Server, address: str) -> None:
    """Ask until the answers tell of limits again."""
    deadline = time.monotonic() + SECONDS
    while "ratelimit" not in ask(server, address).headers:
        assert time.monotonic() < deadline, "the limits did not come back"
        time.sleep(0.1)


def test_replicas_count_together(redis: Redis) -> None:
    with replicas(redis, 2) as (one, other):
        answers = [ask(server) for server in (one, other, one, other, one, other)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429, 429]
        assert [left(answer)["default"] for answer in answers] == [3, 2, 1, 0, 0, 0]
        assert answers[0].headers["ratelimit"] == '"default";r=3;t=3600'
        assert_problem(answers[4], 429, "rate_limited")
        assert 3590 < int(answers[4].headers["retry-after"]) <= 3601
        assert ask(other, "203.0.113.2").status_code == 200
        for server, items, status in [(one, 8, 200), (other, 3, 429), (one, 2, 200), (other, 1, 429)]:
            answer = httpx.post(
                f"{server.url}/v1/batch", content=batch(items), headers={FORWARDED: "203.0.113.3"}
            )
            assert answer.status_code == status


def test_rolls_go_on_while_redis_is_away_and_limits_when_it_is_back(tmp_path: Path) -> None:
    redis = Redis(tmp_path)
    with replicas(redis, 1) as (server,):
        # It is away already when the service starts.
        assert [ask(server).status_code for _ in range(6)] == [200] * 6
        assert server.written().count(OFF) == 1
        redis.start()
        until_limited(server, "203.0.113.9")
        assert [ask(server).status_code for _ in range(5)] == [200] * 4 + [429]
        assert server.written().count(ON) == 1
        redis.kill()
        answers = [ask(server) for _ in range(6)]
        assert {answer.status_code for answer in answers} == {200}
        assert not any("ratelimit" in answer.headers for answer in answers)
        assert server.written().count(OFF) == 2
        redis.start()
        until_limited(server, "203.0.113.9")
        assert server.written().count(ON) == 2
        assert PASSWORD not in server.written()
        redis.kill()


def test_a_redis_that_hangs_holds_up_no_roll(redis: Redis) -> None:
    with replicas(redis, 1) as (server,):
        assert left(ask(server)) == {"default": 3}
        redis.signal(signal.SIGSTOP)
        answers = [ask(server) for _ in range(20)]
        assert {answer.status_code for answer in answers} == {200}
        assert not any("ratelimit" in answer.headers for answer in answers)
        assert OFF in server.written()
        redis.signal(signal.SIGCONT)
        until_limited(server, "203.0.113.9")
        # Answers that came too late are not taken for those to later questions.
        assert [left(ask(server, "203.0.113.4"))["default"] for _ in range(4)] == [3, 2, 1, 0]


def test_more_requests_at_once_than_connections_are_all_counted(redis: Redis) -> None:
    limits = policies("default", "75/hour")

    async def spend(shared: Shared) -> bool:
        try:
            await shared.spend(limits, "a", 1)
        except TooMuchError:
            return False
        return True

    async def crowd() -> list[bool]:
        shared = Shared(redis.url)
        allowed = await asyncio.gather(*(spend(shared) for _ in range(100)))
        assert not shared.away
        await shared.close()
        return allowed

    assert sum(asyncio.run(crowd())) == 75


def test_redis_and_memory_tell_the_same(redis: Redis) -> None:
    limits = policies("default", "5/2 hours;9/day")
    costs = [1, 2, 3, 2, 1, 1, 6, 10]

    async def told() -> list[object]:
        shared = Shared(redis.url)
        seen: list[object] = []
        for cost in costs:
            try:
                seen.append(await shared.spend(limits, "a", cost))
            except TooMuchError as refused:
                seen.append((list(refused.standings), refused.seconds))
            await asyncio.sleep(AWHILE)
        await shared.close()
        return seen

    memory = Memory()
    expected: list[object] = []
    for cost in costs:
        try:
            expected.append(memory.spend(limits, "a", cost))
        except TooMuchError as refused:
            expected.append((list(refused.standings), refused.seconds))
        time.sleep(AWHILE)
    assert asyncio.run(told()) == expected


def test_the_log_repeats_itself_while_redis_stays_away(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    limits = policies("default", "5/hour")

    async def ask_now_and_then() -> None:
        shared = Shared(f"redis://:{PASSWORD}@127.0.0.1:{free_port()}", clock)
        for _ in range(10):
            assert await shared.spend(limits, "a", 1) == []
            clock.now += 15
        await shared.close()

    asyncio.run(ask_now_and_then())
    lines = [record.getMessage() for record in caplog.records if record.name == "wurf"]
    assert lines == [f"{OFF} (StorageError)"] * 3


@pytest.mark.parametrize(
    "url",
    [
        "redis://host",
        "redis://host:many",
        f"http://:{PASSWORD}@host:6379",
        f"memcached://:{PASSWORD}@host:6379",
        f"{PASSWORD}",
    ],
)
def test_a_wrong_address_stops_the_start_and_is_not_repeated(url: str) -> None:
    with pytest.raises(WrongSettingError, match=r"^WURF_RATE_LIMIT_STORAGE: needs an address") as wrong:
        create_app(Settings(rate_limit="5/hour", rate_limit_storage=url))
    assert PASSWORD not in str(wrong.value)


def test_the_address_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "redis"
    file.write_text("redis://127.0.0.1:6379/0\n", encoding="utf-8")
    app = create_app(Settings(rate_limit="5/hour", rate_limit_storage_file=file))
    assert app.service.admission.shared is not None
    # Rolls have to wait for Redis; where only batches are limited, they need not.
    assert not app.at_once
    assert create_app(Settings(batch_item_limit="5/hour", rate_limit_storage_file=file)).at_once
