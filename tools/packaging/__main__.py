"""`python -m tools.packaging build|bare|sbom|image`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.packaging import bare, distributions, image, sbom


def main(words: list[str] | None = None) -> int:
    """Build, try, or list what is handed to whoever runs Unveil."""
    parser = argparse.ArgumentParser(prog="python -m tools.packaging", description=__doc__)
    parser.add_argument("what", choices=("build", "bare", "sbom", "image"))
    parser.add_argument("--out", type=Path, default=distributions.ROOT / "dist", help="folder for what is made")
    given = parser.parse_args(words)
    wheel, source = distributions.build(given.out)
    _tell(f"{wheel}\n{source}")
    if given.what == "bare" and not bare.try_everywhere(wheel, _tell):
        _tell("no Python between 3.11 and 3.13 is here")
        return 1
    if given.what in {"bare", "sbom"}:
        _tell("\n".join(map(str, sbom.write(given.out, wheel))))
    return _image() if given.what == "image" else 0


def _image() -> int:
    program = image.builder()
    if program is not None:
        image.build(program, _tell)
        return 0
    if (reason := image.why_no_clean_root()) is not None:
        _tell(f"nothing builds images here, and steps cannot run in a clean root: {reason}")
        return 1
    image.run_steps(_tell)
    return 0


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
