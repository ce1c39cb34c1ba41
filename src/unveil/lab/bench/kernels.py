"""The CPU engine's innermost loop alone, to know what the processor could do at best."""

from __future__ import annotations

from unveil.engines.cpu.compile import kernel
from unveil.engines.cpu.vectors import reaches


@kernel
def count_again(quad: int, group: int, twos: int, start: int, times: int) -> int:
    """
    Compare the same quad and group so often, all words of them, which are counted by twos.

    Behind the four numbers to start from is room for what is found.
    """
    found = 0
    for _ in range(times):
        found += reaches(quad, group, twos, twos, start, start, start + 32)
    return found
