"""The documentation as a site: it builds without a warning, loads nothing from elsewhere, and its links are live."""

from __future__ import annotations

import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tools import site

ROOT = Path(__file__).parents[2]
#: What a browser fetches by itself; a link is followed by people alone.
FETCHED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "object": "data",
}
FETCHED_LINKS = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
STYLE_FETCHES = re.compile(r"url\(\s*[\"']?(?:https?:)?//[^)]*|@import[^;]*//[^;]*")
ADDRESS = re.compile(r"(?:https?:)?//")


class Page(HTMLParser):
    """What a page fetches, where its links lead, and the places in it that a link may name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag in FETCHED and FETCHED[tag] in given:
            self.fetched.append(given[FETCHED[tag]])
        if tag == "link" and FETCHED_LINKS & set(given.get("rel", "").split()):
            self.fetched.append(given["href"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; that it is built at all says that there was no warning."""
    out = tmp_path_factory.mktemp("site") / "site"
    site.build(out)
    return out


@pytest.fixture(scope="module")
def pages(built: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(built.rglob("*.html"))}


def test_no_page_fetches_anything_from_elsewhere(pages: dict[Path, Page]) -> None:
    """Who reads about privacy is nobody's business, and the site is read where there is no network."""
    assert len(pages) > 20
    assert [] == [(path.name, each) for path, page in pages.items() for each in page.fetched if ADDRESS.match(each)]


def test_no_style_and_no_script_fetches_anything_from_elsewhere(built: Path) -> None:
    """Fonts, diagrams and editors would come from others' machines."""
    for path in built.rglob("*.css"):
        assert [] == re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*|@import[^;]*//[^;]*", path.read_text("utf-8")), (
            path.name
        )
    scripts = "".join(path.read_text("utf-8") for path in built.rglob("*.js"))
    # What stays are names of formats and addresses that a person has to click on.
    hosts = set(re.findall(r"https?://([a-z0-9.-]+)", scripts))
    assert {"unpkg.com", "cdn.jsdelivr.net", "fonts.googleapis.com", "fonts.gstatic.com"}.isdisjoint(hosts)


def test_every_link_leads_to_a_file_and_a_place_in_it(pages: dict[Path, Page]) -> None:
    """A dead link costs a reader more than none."""
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if path.name == "404.html" or (not parts.path and not parts.fragment):
                continue
            ids = pages[target].ids if target in pages else {unquote(parts.fragment)}
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in ids):
                dead.append((path.name, link))
    assert [] == dead


def test_every_page_stands_in_the_navigation_and_screens_in_the_gallery() -> None:
    """What nobody comes past is read by nobody."""
    nav = str(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"])
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} | set(site.BESIDE.values())
    assert pages == set(re.findall(r"'([\w-]+\.md)'", nav))
    gallery = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    shown = re.findall(r"images/([\w-]+\.png)", gallery)
    assert len(shown) > 12
    assert set(shown) <= {path.name for path in (ROOT / "docs" / "images").glob("*.png")}


def test_a_page_with_a_dead_link_is_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise building without a warning would prove nothing."""

    def with_a_dead_link(stage: Path) -> None:
        (stage / "docs").mkdir()
        (stage / "docs" / "index.md").write_text("[nowhere](nowhere.md)\n")
        (stage / "zensical.toml").write_text('[project]\nsite_name = "x"\n')

    monkeypatch.setattr(site, "_stage", with_a_dead_link)
    with pytest.raises(site.SiteError, match="page does not exist"):
        site.build(tmp_path / "site")
    assert [] == list(tmp_path.iterdir())
