"""The Compose file: its two replicas and the nginx before them agree with each other."""

import re
from ipaddress import ip_address, ip_network
from typing import Any, Final

import yaml

from app.serving import GRACE_SECONDS
from app.settings import Settings
from tests.deploy.proxy import SHIPPED
from tests.serving import ROOT

COMPOSE: Final[dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]
REPLICAS: Final = {name: service for name, service in SERVICES.items() if re.fullmatch(r"wurf-\d", name)}
NGINX: Final = (SHIPPED / "nginx.conf").read_text(encoding="utf-8")
DRAIN_SECONDS: Final = Settings.model_fields["drain_seconds"].default


def test_nginx_knows_every_replica_by_its_name_and_port() -> None:
    servers = re.findall(r"^ +server (\S+):(\d+) ", NGINX, re.MULTILINE)
    assert servers == [(name, service["environment"]["WURF_PORT"]) for name, service in REPLICAS.items()]
    assert SERVICES["proxy"]["depends_on"] == {name: {"condition": "service_healthy"} for name in REPLICAS}


def test_each_has_an_address_of_its_own_that_stays() -> None:
    network = COMPOSE["networks"]["replicas"]
    assert network["internal"] is True
    inside = {name: SERVICES[name]["networks"]["replicas"]["ipv4_address"] for name in (*REPLICAS, "proxy")}
    assert len(set(inside.values())) == len(inside)
    (subnet,) = network["ipam"]["config"]
    assert all(ip_address(address) in ip_network(subnet["subnet"]) for address in inside.values())
    for service in REPLICAS.values():
        assert service["environment"]["WURF_TRUSTED_PROXIES"] == inside["proxy"]
        assert set(service["networks"]) == {"replicas"}


def test_the_ports_outside_lead_to_those_nginx_listens_on() -> None:
    listened = set(re.findall(r"^ +listen (\d+)", NGINX, re.MULTILINE))
    assert {port.rpartition(":")[2] for port in SERVICES["proxy"]["ports"]} == listened
    assert SERVICES["proxy"]["healthcheck"]["test"][-1] in listened


def test_nginx_finds_its_configuration_and_may_write_where_it_wants_to() -> None:
    proxy = SERVICES["proxy"]
    (volume,) = proxy["volumes"]
    source, target, mode = volume.split(":")
    command = proxy["entrypoint"]
    assert ((ROOT / source), mode) == (SHIPPED, "ro")
    assert command[command.index("-c") + 1] == f"{target}/nginx.conf"
    (writable,) = proxy["tmpfs"]
    assert writable.split(":")[0] == command[command.index("-p") + 1]
    paths = re.findall(r"^ *(?:pid|\w+_temp_path) ([^;]+);", NGINX, re.MULTILINE)
    assert len(paths) == 6
    assert not any(path.startswith("/") for path in paths)


def test_only_the_proxy_is_reached_from_outside() -> None:
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"wurf", "proxy"}
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["wurf"]["ports"])


def test_a_plain_up_starts_one_service_and_nothing_else() -> None:
    profiles = {name: service.get("profiles") for name, service in SERVICES.items()}
    assert profiles == {"wurf": None} | {name: ["replicas"] for name in (*REPLICAS, "proxy")}


def test_every_service_is_locked_in() -> None:
    for service in SERVICES.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert {"mem_limit", "pids_limit", "healthcheck", "restart"} <= service.keys()


def test_every_setting_is_known_and_what_replicas_share_comes_from_outside() -> None:
    for name, service in SERVICES.items():
        if name == "proxy":
            continue
        settings = {key.removeprefix("WURF_").lower() for key in service["environment"]}
        assert settings <= Settings.model_fields.keys()
    for service in REPLICAS.values():
        assert service["environment"]["WURF_NONCE_SECRET"] is None
        assert service["environment"]["WURF_SIGNING_KEY"] is None


def test_there_is_time_to_finish() -> None:
    for name, service in SERVICES.items():
        seconds = int(service["stop_grace_period"].removesuffix("s"))
        assert seconds > (30 if name == "proxy" else DRAIN_SECONDS + GRACE_SECONDS)
