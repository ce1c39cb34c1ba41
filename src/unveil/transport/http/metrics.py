"""What Prometheus is told: the gauges of a unit, and counts of the requests that it answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from unveil.transport.gauges import GaugeReading
from unveil.transport.http.endpoint import Endpoint

#: What is counted of requests: names as Prometheus has them, and what they mean.
COUNTERS: Final = {
    "unveil_requests_total": "requests answered, by method, path and status; refusals of strangers have no path",
    "unveil_received_bytes_total": "bytes of bodies taken",
}


class Metrics:
    """Counts requests and writes everything out as text."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        labels = ("method", "path", "status")
        requests, received = COUNTERS
        self._requests = Counter(requests, COUNTERS[requests], labels, registry=self._registry)
        self._bytes = Counter(received, COUNTERS[received], registry=self._registry)

    def count(self, endpoint: Endpoint | None, status: int, size: int) -> None:
        """One request was answered. Labels are those of the endpoint, so that nobody can add labels at will."""
        method, path = (endpoint.method, endpoint.path) if endpoint else ("", "")
        self._requests.labels(method, path, str(status)).inc()
        self._bytes.inc(size)

    def text(self, readings: Iterable[GaugeReading]) -> bytes:
        """These readings and all counts in Prometheus' text format."""
        gauges = CollectorRegistry(auto_describe=False)
        gauges.register(_Gauges(readings))
        return generate_latest(gauges) + generate_latest(self._registry)


class _Gauges(Collector):
    def __init__(self, readings: Iterable[GaugeReading]) -> None:
        self._readings = readings

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One family for each gauge."""
        families: dict[str, GaugeMetricFamily] = {}
        for reading in self._readings:
            gauge = reading.gauge
            family = families.setdefault(
                gauge.name, GaugeMetricFamily(gauge.name, gauge.help, labels=list(gauge.labels))
            )
            family.add_metric(list(reading.labels), float(reading.value))
        return iter(families.values())
