"""`unveil serve …` with a recorder in front of the server: python recorded_unit.py RECORDING serve ROLE --config …"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from traffic import Recorder

import unveil.runtime.serve
from unveil.cli import main

_application = unveil.runtime.serve.application  # type: ignore[attr-defined]


def _recorded(*unit: Any, **settings: Any) -> Any:
    app = _application(*unit, **settings)
    app.add_middleware(Recorder, path=Path(recording))
    return app


if __name__ == "__main__":
    recording = sys.argv.pop(1)
    unveil.runtime.serve.application = _recorded  # type: ignore[attr-defined]
    main()
