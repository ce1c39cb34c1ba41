"""`unveil demo --review` and `unveil link --review`: a page on loopback that only one's own browser can reach."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import BrowserContext, Page

from patience import PATIENCE
from unveil.lab.synthetic import generate, write

ARGUMENTS = ("-m", "unveil", "demo", "--records", "2000", "--budget", "20", "--review")


@contextmanager
def demo(out: Path, arguments: tuple[str, ...] = ARGUMENTS) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command at work, and its link."""
    process = subprocess.Popen(
        [sys.executable, *arguments, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        link = ""
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+/review/join#\S+", line):
                link = found[0]
                break
        yield process, link
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def stage(page: Page, *names: str) -> str:
    page.wait_for_selector(", ".join(f"#page[data-stage='{name}']" for name in names))
    return page.get_attribute("#page", "data-stage") or ""


def press(page: Page, key: str) -> None:
    """A key, until what follows from it is drawn."""
    before = page.get_attribute("#page", "data-steps")
    page.keyboard.press(key)
    page.wait_for_selector(f"#page[data-steps]:not([data-steps='{before}'])")


def test_a_newcomer_reviews_stops_and_goes_on(browser: BrowserContext, tmp_path: Path) -> None:
    """The link lets one browser in; a label and an opening survive Ctrl-C; at the end the report is there."""
    page = browser.new_page()
    with demo(tmp_path) as (process, link):
        page.goto(link)
        page.wait_for_selector("button:focus")
        page.keyboard.press("Enter")
        stage(page, "pair")
        assert "Risk of this pair" in page.inner_text("main")
        press(page, "m")
        stage(page, "pair", "end")
        address, secret = link.split("/review/join#")
        second = httpx.post(
            f"{address}/review/join", data={"invitation": secret}, headers={"origin": address}, trust_env=False
        )
        assert 403 == second.status_code
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode != 0
    with demo(tmp_path) as (process, link):
        page.goto(link)
        page.wait_for_selector("button:focus")
        page.keyboard.press("Enter")
        stage(page, "pair", "end")
        assert 1 == page.locator(".drafts li").count()
        for _ in range(400):
            found = stage(page, "pair", "end", "waiting", "finished")
            if found == "finished":
                break
            if found == "waiting":
                page.wait_for_timeout(100)
            else:
                press(page, "n" if found == "pair" else "h")
        text, _ = process.communicate(timeout=PATIENCE)
        assert 0 == process.returncode
        assert "Report:" in text
    assert (tmp_path / "report.html").exists()
    page.close()


def test_whoever_links_two_files_reviews_at_the_page_stops_and_goes_on(browser: BrowserContext, tmp_path: Path) -> None:
    """The same page on people of one's own: a label survives Ctrl-C, though no key was given."""
    write(generate(records=1000, overlap=0.3, errors=1, seed=6), tmp_path)
    files = (str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    arguments = ("-m", "unveil", "link", *files, "--schema", "person", "--review", "--budget", "10")
    page = browser.new_page()
    for labels in (0, 1):
        with demo(tmp_path / "links.csv", arguments) as (process, link):
            page.goto(link)
            page.wait_for_selector("button:focus")
            page.keyboard.press("Enter")
            stage(page, "pair")
            assert labels == page.locator(".drafts li").count()
            if not labels:
                press(page, "m")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
    page.close()
