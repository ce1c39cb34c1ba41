"""The GPU engine where there is no GPU: a clear word, a way back, and its kernels' logic in Triton's interpreter."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unveil.engines import choose, problem
from unveil.engines.gpu import engine as gpu
from unveil.engines.gpu.engine import linear_need
from unveil.engines.measure import needed
from unveil.errors import EngineError
from unveil.linkage.engine import Measure

HAS_TRITON = all(importlib.util.find_spec(name) for name in ("torch", "triton"))
HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_GPU = gpu.problem() is None


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU, so there is nothing to explain")
def test_without_a_gpu_the_engine_says_what_is_missing_and_what_to_do() -> None:
    found = problem("gpu")
    assert found is not None
    assert found.hint
    with pytest.raises(EngineError):
        choose("gpu")


@pytest.mark.skipif(HAS_GPU, reason="with a GPU, auto takes it")
def test_auto_falls_back_to_the_processor() -> None:
    assert choose("auto").name in ("cpu", "reference")


@pytest.mark.skipif(not HAS_TRITON, reason="PyTorch and Triton are an optional extra of some gigabytes")
def test_the_kernels_agree_with_the_reference_in_the_interpreter() -> None:
    script = Path(__file__).with_name("kernels_in_interpreter.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "agreed\n") == (done.returncode, done.stdout), done.stderr


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is an optional extra of some gigabytes")
def test_blocks_agree_with_the_reference_where_pytorch_computes_on_the_processor() -> None:
    """The same tensors as on a GPU: bits, rows and the number of candidates, whatever a step and a slab hold."""
    script = Path(__file__).with_name("blocks_on_the_processor.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (0, "agreed\n") == (done.returncode, done.stdout), done.stderr


@pytest.mark.parametrize("measure", ["dice", "jaccard", "hamming"])
@pytest.mark.parametrize("floor", [0.0, 1 / 3, 0.5, 0.7, 0.8, 0.9, 1.0])
def test_what_the_kernel_asks_for_never_exceeds_the_exact_need(measure: Measure, floor: float) -> None:
    """It rounds down on both sides: a pair may be looked at twice, but none is passed over."""
    m = 256
    slope, level = linear_need(measure, floor, m)
    exact = needed(floor, most=2 * m, m=m, measure=measure)
    for x in range(0, m + 1, 7):
        for y in range(0, m + 1, 5):
            asked = int((slope * x + level - 1e-6) // 1) + int((slope * y - 1e-6) // 1)
            assert asked <= exact[x + y]
            assert max(asked, 0) >= exact[x + y] - 4 or exact[x + y] > min(x, y)
