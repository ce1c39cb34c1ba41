"""
Engines: the same functions on different hardware. The reference engine defines what is right.

* `reference`  plain NumPy, short enough to be checked by reading
* `cpu`        Numba kernels on all cores
* `gpu`        one graphics processor
* `spark`      a cluster, or this machine as if it were one
* `measure`    the similarity measures, defined once for all of them

Each engine's module offers `problem()`, which is None where the engine can work, and its class. An engine that this
machine does not have is an error with a reason and a hint, never replaced in silence; `auto` takes the fastest that one
machine has, and Spark only who asks for it.
"""

from __future__ import annotations

import importlib
from typing import Final

from unveil.errors import EngineError
from unveil.linkage.engine import Engine

#: Fastest first, which is the order in which `auto` tries them.
_BY_ITSELF: Final = ("gpu", "cpu", "reference")
_CLASSES: Final = {
    "gpu": "GpuEngine", "cpu": "CpuEngine", "reference": "ReferenceEngine", "spark": "SparkEngine",
}  # fmt: skip
NAMES: Final = ("auto", "reference", "cpu", "gpu", "spark")

#: Engines that take a number of threads.
_THREADED: Final = ("cpu", "spark")


def choose(name: str = "auto", *, threads: int | None = None) -> Engine:
    """The engine of that name; `auto` takes the fastest that this machine has. Threads: all cores if not given."""
    if name not in NAMES:
        raise EngineError(f"no engine {name}", hint=f"choose one of {', '.join(NAMES)}")
    if threads is not None and threads < 1:
        raise EngineError("an engine needs at least one thread")
    if name == "auto":
        name = next(candidate for candidate in _BY_ITSELF if problem(candidate) is None)
    found = problem(name)
    if found is not None:
        raise found
    module = importlib.import_module(f"unveil.engines.{name}.engine")
    return getattr(module, _CLASSES[name])(**({"threads": threads} if name in _THREADED else {}))


def problem(name: str) -> EngineError | None:
    """Why the engine of that name cannot work on this machine; None if it can."""
    try:
        module = importlib.import_module(f"unveil.engines.{name}.engine")
    except ModuleNotFoundError as error:
        if error.name in {f"unveil.engines.{name}", f"unveil.engines.{name}.engine"}:
            return EngineError(f"the engine {name} is not part of this installation", hint=_OTHERS)
        return EngineError(f"the engine {name} needs {error.name}", hint=f"install {error.name}, or {_OTHERS}")
    except (ImportError, OSError):
        return EngineError(f"the library of the engine {name} cannot be loaded", hint=_OTHERS)
    return module.problem()


_OTHERS: Final = "use the engine auto, which takes the fastest that there is"
