"""
Build the documentation into static files that load nothing from elsewhere: `python -m tools.site [FOLDER]`.

Pages are staged first: README, changelog and licence lie beside the others there, so that links to them stay live. What
the site's program would fetch for pages that we have not (diagrams, galleries, editors) is cut out of its scripts.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Pages from beside `docs`, and what they are called on the site.
BESIDE = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "src/unveil/lab/synthetic/data/README.md": "name-tables.md",
}
#: What a script would fetch from elsewhere, were there a page with a diagram or an editor.
_ELSEWHERE = re.compile(
    r"https://(?:unpkg\.com|cdn\.jsdelivr\.net|fonts\.googleapis\.com|fonts\.gstatic\.com)/[^\"'`)\s]*"
)
_NOTHING = "about:blank"


class SiteError(Exception):
    """The site cannot be built, or not without warnings."""


def build(out: Path) -> None:
    """Write the site into the folder, which is replaced."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder)
        _stage(stage)
        done = subprocess.run(
            [sys.executable, "-m", "zensical", "build", "--clean", "--strict"],
            cwd=stage, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = done.stdout + done.stderr
        if done.returncode or "Warning" in said:
            raise SiteError(said)
        for script in (stage / "site").rglob("*.js"):
            text = script.read_text(encoding="utf-8")
            script.write_text(_ELSEWHERE.sub(_NOTHING, text), encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(stage / "site", out)


def _stage(stage: Path) -> None:
    docs = stage / "docs"
    shutil.copytree(ROOT / "docs", docs)
    shutil.copy(ROOT / "zensical.toml", stage)
    shutil.copy(ROOT / "LICENSE", docs / "LICENSE.txt")
    for name, called in BESIDE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        (docs / called).write_text(_links(text.replace("](docs/", "]("), ""), encoding="utf-8")
    for page in docs.glob("*.md"):
        if page.name not in BESIDE.values():
            page.write_text(_links(page.read_text(encoding="utf-8"), "../"), encoding="utf-8")


def _links(text: str, before: str) -> str:
    """The text with links to the files beside `docs` leading to the pages that stand for them."""
    for name, called in {**BESIDE, "LICENSE": "LICENSE.txt"}.items():
        text = text.replace(f"]({before}{name}", f"]({called}")
    return text


def main(arguments: list[str] | None = None) -> int:
    """Build the site and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "site")
    out = parser.parse_args(arguments).folder
    try:
        build(out)
    except SiteError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{out / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
