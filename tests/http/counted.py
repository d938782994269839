"""Reading what the service has counted."""

from collections.abc import Iterable

import httpx
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from app.http.metrics import Metrics
from app.http.odds import OddsDesk
from app.http.tally import Tally


def total(families: Iterable[Metric], name: str, **labels: str) -> float:
    """Add up the series of a name that have these labels."""
    return sum(
        sample.value
        for family in families
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def scraped(answer: httpx.Response) -> list[Metric]:
    """Read an answer of `/metrics` as Prometheus does."""
    assert answer.status_code == 200, answer.text
    return list(text_string_to_metric_families(answer.text))


def own_desk() -> OddsDesk:
    """Make what works odds out, with counts of its own."""
    return OddsDesk(Metrics(Tally()))


def lookups(desk: OddsDesk) -> tuple[float, float]:
    """Say how often odds were worked out, and how often they were remembered."""
    families = list(desk._metrics.collect())
    missed, found = (total(families, "wurf_odds_cache_lookups_total", result=one) for one in ("miss", "hit"))
    return missed, found
