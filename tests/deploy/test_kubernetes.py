"""The Kubernetes files: valid to the letter, and in agreement with each other and with the service."""

from pathlib import Path
from typing import Any, Final

import kubernetes_validate
import pytest
import yaml

from app import __version__
from app.serving import GRACE_SECONDS
from app.settings import Settings
from tests.serving import ROOT

FOLDER: Final = ROOT / "deploy" / "kubernetes"
KUSTOMIZATIONS: Final = sorted(FOLDER.glob("*/kustomization.yaml"))
RESOURCES: Final = sorted(set(FOLDER.glob("*/*.yaml")) - set(KUSTOMIZATIONS))
OLDEST: Final = "1.30"
"""The first version whose preStop may sleep by default."""
NEWEST: Final = kubernetes_validate.latest_version()


def read(path: Path) -> dict[str, Any]:
    (document,) = yaml.safe_load_all(path.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def resource(kind: str) -> dict[str, Any]:
    (found,) = [document for path in RESOURCES if (document := read(path))["kind"] == kind]
    return found


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = resource("Deployment")["spec"]["template"]["spec"]
    return spec


def container() -> dict[str, Any]:
    (only,) = pod()["containers"]
    assert isinstance(only, dict)
    return only


def environment() -> dict[str, str]:
    return {entry["name"]: entry["value"] for entry in container()["env"]}


def labels() -> dict[str, str]:
    found: dict[str, str] = resource("Deployment")["spec"]["template"]["metadata"]["labels"]
    return found


def http_port() -> dict[str, Any]:
    (only,) = container()["ports"]
    assert isinstance(only, dict)
    return only


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("path", RESOURCES, ids=lambda path: path.stem)
def test_a_file_is_valid_and_has_no_field_too_many(path: Path, version: str) -> None:
    kubernetes_validate.validate(read(path), version, strict=True)


def test_a_wrong_field_would_be_noticed() -> None:
    deployment = read(FOLDER / "base" / "deployment.yaml")
    deployment["spec"]["template"]["spec"]["containers"][0]["readyProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="readyProbe"):
        kubernetes_validate.validate(deployment, NEWEST, strict=True)


@pytest.mark.parametrize("path", KUSTOMIZATIONS, ids=lambda path: path.parent.name)
def test_a_kustomization_lists_every_file_beside_it(path: Path) -> None:
    kustomization = read(path)
    assert kustomization.keys() <= {"apiVersion", "kind", "resources", "labels", "images"}
    listed = kustomization["resources"]
    assert len(listed) == len(set(listed))
    files = {name for name in listed if (path.parent / name).is_file()}
    assert files == {other.name for other in path.parent.glob("*.yaml")} - {path.name}
    for base in set(listed) - files:
        assert (path.parent / base / "kustomization.yaml").resolve() in KUSTOMIZATIONS


def test_every_resource_has_the_name_and_the_label() -> None:
    for path in RESOURCES:
        metadata = read(path)["metadata"]
        assert metadata == {"name": "wurf", "labels": labels()}


def test_everything_that_selects_pods_selects_those_of_the_deployment() -> None:
    assert resource("Deployment")["spec"]["selector"] == {"matchLabels": labels()}
    assert resource("Service")["spec"]["selector"] == labels()
    assert resource("PodDisruptionBudget")["spec"]["selector"] == {"matchLabels": labels()}
    assert resource("NetworkPolicy")["spec"]["podSelector"] == {"matchLabels": labels()}
    for spread in pod()["topologySpreadConstraints"]:
        assert spread["labelSelector"] == {"matchLabels": labels()}
    target = resource("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    deployment = resource("Deployment")
    assert target == {
        "apiVersion": deployment["apiVersion"],
        "kind": deployment["kind"],
        "name": deployment["metadata"]["name"],
    }


def test_every_port_is_the_one_that_the_service_listens_on() -> None:
    assert http_port() == {"name": "http", "containerPort": int(environment()["WURF_PORT"])}
    (service_port,) = resource("Service")["spec"]["ports"]
    assert service_port["targetPort"] == http_port()["name"]
    (rule,) = resource("NetworkPolicy")["spec"]["ingress"]
    assert [port["port"] for port in rule["ports"]] == [http_port()["name"]]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container()[probe]["httpGet"]["port"] == http_port()["name"]
    (host,) = resource("Ingress")["spec"]["rules"]
    (path,) = host["http"]["paths"]
    assert path["backend"]["service"] == {
        "name": resource("Service")["metadata"]["name"],
        "port": {"name": service_port["name"]},
    }
    assert resource("Ingress")["spec"]["tls"][0]["hosts"] == [host["host"]]


def test_the_probes_ask_what_is_meant_for_them() -> None:
    asked = {
        probe: container()[probe]["httpGet"]["path"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert asked == {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}


def test_the_image_is_the_one_of_this_version() -> None:
    (image,) = read(FOLDER / "base" / "kustomization.yaml")["images"]
    assert image == {"name": container()["image"], "newTag": __version__}


def test_no_service_of_that_name_can_change_a_setting() -> None:
    # A Service named wurf would otherwise bring WURF_PORT=tcp://… into every pod.
    assert pod()["enableServiceLinks"] is False
    assert environment()["WURF_HOST"] == "0.0.0.0"  # noqa: S104  the pod's own network


def test_the_settings_are_known_and_right() -> None:
    values = {name.removeprefix("WURF_").lower(): value for name, value in environment().items()}
    assert values.keys() <= Settings.model_fields.keys()
    Settings.model_validate(values)


def test_there_is_time_for_all_that_comes_before_the_end() -> None:
    sleep = container()["lifecycle"]["preStop"]["sleep"]["seconds"]
    readiness = container()["readinessProbe"]
    assert sleep >= readiness["periodSeconds"] * readiness["failureThreshold"]
    needed = sleep + int(environment()["WURF_DRAIN_SECONDS"]) + GRACE_SECONDS
    assert pod()["terminationGracePeriodSeconds"] >= needed + 5


def test_the_pod_is_locked_in() -> None:
    assert pod()["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 10001,
        "runAsGroup": 10001,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert "USER 10001:10001" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert container()["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod()["serviceAccountName"] == resource("ServiceAccount")["metadata"]["name"]
    assert pod()["automountServiceAccountToken"] is False
    assert resource("ServiceAccount")["automountServiceAccountToken"] is False
    policy = resource("NetworkPolicy")["spec"]
    assert (set(policy["policyTypes"]), policy["egress"]) == ({"Ingress", "Egress"}, [])


def test_a_pod_may_always_go_without_the_service_going() -> None:
    assert resource("HorizontalPodAutoscaler")["spec"]["minReplicas"] >= 2
    assert resource("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1
    strategy = resource("Deployment")["spec"]["strategy"]["rollingUpdate"]
    assert strategy == {"maxUnavailable": 0, "maxSurge": 1}
    assert "replicas" not in resource("Deployment")["spec"]
