"""`python -m tools.reference docs`."""

from __future__ import annotations

import sys

from tools.reference.pages import main

sys.exit(main())
