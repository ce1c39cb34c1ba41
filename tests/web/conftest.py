"""One unit and one browser for all tests of a module: starting them takes most of the time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext
from review_site import LiveReview, live_review

from tools.browser import browsing


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveReview]:
    """A review unit over real TLS."""
    with live_review(tmp_path_factory.mktemp("unit")) as found:
        yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A real browser with a fresh profile."""
    with browsing(Path(tmp_path_factory.mktemp("profile"))) as context:
        context.set_default_timeout(20_000)
        yield context
