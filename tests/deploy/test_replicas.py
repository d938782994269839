"""Two replicas behind the nginx that this project ships: one of them may go at any time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.deploy.proxy import Proxy, proxying
from tests.deploy.replicas import NO_CONNECTION, Load, Replica, rolling
from tests.http.seeded import REQUESTS, contents
from tests.http.wire import ROLL, as_json, message
from tests.serving import wait_until

BAD_GATEWAY = 502


@pytest.fixture(scope="module")
def replicas() -> Iterator[list[Replica]]:
    """Two of them, started side by side."""
    with ThreadPoolExecutor(2) as starting:
        both = list(starting.map(lambda _: Replica(), range(2)))
    yield both
    for replica in both:
        replica.stop()


@pytest.fixture(scope="module")
def proxy(replicas: list[Replica], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    first, second = replicas
    with proxying((first.port, second.port), tmp_path_factory.mktemp("proxy")) as running:
        yield running


def answered(proxy: Proxy, replica: Replica, start: int = 0) -> int:
    """Count the answers that the proxy has from a replica, from a line of its log on."""
    address = f"127.0.0.1:{replica.port}"
    return sum(line["replicas"].endswith(address) for line in proxy.logged()[start:])


def wait_until_it_answers(proxy: Proxy, replica: Replica) -> None:
    """Wait until the proxy sends requests to a replica (again)."""
    start = len(proxy.logged())
    wait_until(lambda: answered(proxy, replica, start) > 0, "a replica to be asked")


def assert_each_roll_is_what_its_seed_gives(load: Load, replica: Replica) -> None:
    assert not load.given_up
    assert len(load.rolls) > 200
    asked = {
        roll.seed: message("POST", ROLL, body=as_json({"value": 11, "seed": roll.seed}))
        for roll in load.rolls
    }
    assert len(asked) == len(load.rolls)
    right = contents(replica.port, list(asked.values()))
    for roll in load.rolls:
        assert roll.content == right[asked[roll.seed]]


def test_a_seed_gives_the_same_bytes_from_either_and_through_the_proxy(
    replicas: list[Replica], proxy: Proxy
) -> None:
    first, second = (contents(replica.port, REQUESTS) for replica in replicas)
    start = len(proxy.logged())
    # More than one connection, so that both replicas are asked everything sooner or later.
    with ThreadPoolExecutor(4) as clients:
        proxied = list(clients.map(lambda _: contents(proxy.port, REQUESTS, proxy.tls), range(4)))
    assert all(each == first == second for each in proxied)
    wait_until(lambda: len(proxy.logged()) >= start + 4 * len(REQUESTS), "the log")
    assert all(answered(proxy, replica, start) > 0 for replica in replicas)


def test_a_killed_replica_costs_a_client_one_more_try_at_most(replicas: list[Replica], proxy: Proxy) -> None:
    victim, survivor = replicas
    with rolling(proxy) as load:
        load.go_on_for(100)
        assert answered(proxy, victim) > 0
        victim.kill()
        load.go_on_for(300)
        victim.start()
        wait_until_it_answers(proxy, victim)
        load.go_on_for(20)
    assert load.refusals() <= {BAD_GATEWAY, NO_CONNECTION}
    assert_each_roll_is_what_its_seed_gives(load, survivor)


def test_replicas_restarted_in_turn_under_load_refuse_nobody(replicas: list[Replica], proxy: Proxy) -> None:
    with rolling(proxy) as load:
        for replica in replicas:
            wait_until_it_answers(proxy, replica)
        for replica in replicas:
            assert replica.stop() == 0
            replica.start()
            wait_until_it_answers(proxy, replica)
        load.go_on_for(100)
    assert load.refusals() == set()
    assert_each_roll_is_what_its_seed_gives(load, replicas[0])
