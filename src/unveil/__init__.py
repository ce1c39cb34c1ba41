"""
Unveil links records about the same people across organisations that may not show each other their data.

`link`, `encode`, `profile` and `simulate` are for notebooks and programs; `unveil.api` has them all. They are imported
when they are first used, so that `import unveil` itself takes no time.
"""

__version__ = "0.1.0"

_API = frozenset({
    "ProfiledColumn", "EncodedTable", "Estimate", "Key", "LinkResult", "ResultTable", "Schema", "SimulationResult",
    "SvgPicture", "ProfiledTable", "Reading", "UnveilError", "UnveilWarning", "encode", "link", "profile", "simulate",
})  # fmt: skip

__all__ = ["__version__", *sorted(_API)]  # noqa: PLE0604 - type checkers read the stub beside this file


def __getattr__(name: str) -> object:
    """A name of the API, imported as it is first used."""
    if name not in _API:
        raise AttributeError(f"module 'unveil' has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module("unveil.api"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """What there is, the names that were not imported yet among it."""
    return sorted({*globals(), *_API})
