"""The dashboard and the alerts: they ask for what the service tells, and fire when they should."""

import json
import re
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.http.counted import scraped
from tests.http.wire import ROLL
from tests.needs import program
from tests.serving import ROOT

PROMETHEUS: Final = ROOT / "deploy" / "prometheus"
DASHBOARD: Final[dict[str, Any]] = json.loads(
    (ROOT / "deploy" / "grafana" / "wurf.json").read_text(encoding="utf-8")
)
PANELS: Final[list[dict[str, Any]]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
ALERTS: Final = (PROMETHEUS / "alerts.yml").read_text(encoding="utf-8")

Told = dict[str, set[str]]


@pytest.fixture(scope="module")
def told(client: httpx.Client) -> Told:
    """Every series name that the service tells, with its labels."""
    client.post(ROLL, json={"value": 11})
    names: Told = {}
    for family in scraped(client.get("/metrics")):
        for sample in family.samples:
            names.setdefault(sample.name, set()).update(sample.labels)
    return names


def asked() -> list[str]:
    """Everything that the dashboard and the alerts ask Prometheus."""
    queries = [target["expr"] for panel in PANELS for target in panel["targets"]]
    variables = [one["definition"] for one in DASHBOARD["templating"]["list"] if one["type"] == "query"]
    return [*queries, *variables, *re.findall(r"expr: \|\n(.*?)\n {8}for:", ALERTS, re.DOTALL)]


@pytest.mark.parametrize("query", asked())
def test_what_is_asked_for_is_told(query: str, told: Told) -> None:
    selectors = re.findall(r"(wurf_\w+)(?:\{([^}]*)\})?", query)
    assert selectors
    for name, matchers in selectors:
        assert name in told
        labels = set(re.findall(r"(\w+)(?:=~|!~|!=|=)\"", matchers))
        assert labels <= told[name] | {"job", "instance"}
    grouped = re.findall(r"(?:by|ignoring|on) \(([^)]*)\)|label_values\(\w+(?:\{[^}]*\})?, (\w+)\)", query)
    for label in ", ".join(one or other for one, other in grouped).split(", "):
        assert label in {"", "job", "instance"}.union(*(told[name] for name, _ in selectors))


def test_there_are_three_alerts_and_each_says_what_to_do() -> None:
    rules = ALERTS.split("- alert: ")[1:]
    assert [rule.partition("\n")[0] for rule in rules] == ["WurfErrors", "WurfSlow", "WurfSaturated"]
    for rule in rules:
        assert re.search(r"^ {8}for: \d+m$", rule, re.MULTILINE)
        assert len(rule.partition("runbook: >-")[2].split()) > 30


@pytest.mark.parametrize(
    "arguments",
    [("check", "rules", "alerts.yml"), ("test", "rules", "alerts.test.yml")],
    ids=["are well formed", "fire when they should"],
)
def test_alerts(arguments: tuple[str, ...]) -> None:
    ran = subprocess.run(
        [program("promtool"), *arguments],
        cwd=PROMETHEUS,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


README: Final = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Watching it\n")[2]


def test_the_readme_names_every_metric_and_its_labels(told: Told) -> None:
    rows = re.findall(r"^\| `(wurf_\w+…?)` \| (.*?) ?\|", README, re.MULTILINE)
    shown = {name: set(re.findall(r"\w+", labels)) for name, labels in rows}
    of_processes = shown.pop("wurf_process_…")
    found: Told = {}
    for name, labels in told.items():
        if name.startswith("wurf_process_"):
            assert labels == of_processes
        else:
            family = re.sub("_seconds_(bucket|count|sum)$", "_seconds", name)
            found.setdefault(family, set()).update(labels - {"le"})
    assert shown == found


def test_prometheus_reads_the_configuration_in_the_readme(tmp_path: Path) -> None:
    (configuration,) = re.findall(r"^```yaml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (tmp_path / "prometheus.yml").write_text(configuration, encoding="utf-8")
    (tmp_path / "wurf-metrics-token").write_text("a token", encoding="utf-8")
    (tmp_path / "alerts.yml").write_text(ALERTS, encoding="utf-8")
    ran = subprocess.run(
        [program("promtool"), "check", "config", "prometheus.yml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "3 rules found" in ran.stdout


# The dashboard


def test_the_dashboard_lets_the_operator_choose_where_the_numbers_come_from() -> None:
    assert DASHBOARD["uid"] == "wurf"
    assert [one["name"] for one in DASHBOARD["templating"]["list"]] == ["datasource", "job", "ruleset"]
    sources = re.findall(r'"uid": "([^"]*)"', json.dumps(DASHBOARD["panels"]))
    assert set(sources) == {"${datasource}"}
    assert "__inputs" not in DASHBOARD


@pytest.mark.parametrize("panel", PANELS, ids=[panel["title"] for panel in PANELS])
def test_a_panel_says_what_it_shows_and_in_which_unit(panel: dict[str, Any]) -> None:
    assert panel["title"]
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["targets"]
    assert all(target["legendFormat"] for target in panel["targets"])


def test_no_two_panels_lie_on_each_other() -> None:
    places = [panel["gridPos"] for panel in DASHBOARD["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    for one, other in combinations(places, 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        below = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert beside or below
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("panel", PANELS, ids=[panel["title"] for panel in PANELS])
def test_a_query_of_a_panel_is_one_that_prometheus_can_read(panel: dict[str, Any], tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": _filled(target["expr"])}
        for number, target in enumerate(panel["targets"])
    ]
    file = tmp_path / "panel.yml"
    file.write_text(json.dumps({"groups": [{"name": "panel", "rules": rules}]}), encoding="utf-8")
    ran = subprocess.run(
        [program("promtool"), "check", "rules", str(file)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _filled(query: str) -> str:
    """Put in what Grafana would."""
    return query.replace("$__rate_interval", "1m").replace("$job", "wurf").replace("$ruleset", ".*")
