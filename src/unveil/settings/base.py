"""What all settings are made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


def whole(value: object) -> object:
    """The value if it is a whole number; ValueError if not."""
    # In Python true equals 1, so a choice of numbers would take it.
    if type(value) is not int:
        raise ValueError("not a whole number")
    return value


class Settings(BaseModel):
    """A part of a settings file: immutable, and no key goes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
