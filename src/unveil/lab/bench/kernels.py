"""The CPU engine's innermost loop alone, to know what the processor could do at best."""

from __future__ import annotations

from unveil.engines.cpu.compile import kernel
from unveil.engines.cpu.vectors import reaches


@kernel
def count_again(quad: int, group: int, words: int, start: int, times: int) -> int:
    """Compare the same quad and group so often."""
    found = 0
    for _ in range(times):
        found += reaches(quad, group, words, words, start, start)
    return found
