"""Counts of a unit for Prometheus: its own, and those of the requests it answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from unveil.transport.http.endpoint import Endpoint

_NAME: Final = re.compile(r"[a-z][a-z_]{0,63}")


class Metrics:
    """Counts requests and writes everything out as text."""

    def __init__(self, of_unit: Callable[[], Mapping[str, float]]) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_OfUnit(of_unit))
        labels = ("method", "path", "status")
        self._requests = Counter("unveil_requests", "Requests answered", labels, registry=self._registry)
        self._bytes = Counter("unveil_received_bytes", "Bytes of bodies taken", registry=self._registry)

    def count(self, endpoint: Endpoint | None, status: int, size: int) -> None:
        """One request was answered. Labels are those of the endpoint, so that nobody can add labels at will."""
        method, path = (endpoint.method, endpoint.path) if endpoint else ("", "")
        self._requests.labels(method, path, str(status)).inc()
        self._bytes.inc(size)

    def text(self) -> bytes:
        """All counts in Prometheus' text format."""
        return generate_latest(self._registry)


class _OfUnit(Collector):
    def __init__(self, of_unit: Callable[[], Mapping[str, float]]) -> None:
        self._of_unit = of_unit

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The unit's own counts; a name that Prometheus would not take is left out."""
        for name, value in self._of_unit().items():
            if _NAME.fullmatch(name):
                yield GaugeMetricFamily(f"unveil_{name}", name.replace("_", " "), value=value)
