"""Numbers as people read them."""

from __future__ import annotations

import math

NONE = "–"
_MINUTE = 60
_KILO = 1000


def count(number: float) -> str:
    """A whole number with thousands separated: 4,500."""
    return f"{round(number):,}" if math.isfinite(number) else NONE


def counted(number: int, one: str, many: str | None = None) -> str:
    """A count with its noun: 1 pair, 4,500 pairs."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def score(number: float) -> str:
    """A figure between 0 and 1 with three decimals: .853."""
    if not math.isfinite(number):
        return NONE
    text = f"{number:.3f}"
    return text[1:] if text.startswith("0.") else text


def threshold(number: float) -> str:
    """A similarity with two decimals, or three where the third counts: .75."""
    text = score(number)
    return text.removesuffix("0") if len(text) > len(".00") else text


def share(part: float, whole: float) -> str:
    """A share of a whole in percent with two significant figures: 0.31 %, 9.0 %, 100 %."""
    if not whole or not math.isfinite(part / whole):
        return NONE
    percent = 100 * part / whole
    if percent == 0:
        return "0 %"
    if percent < 0.001:  # noqa: PLR2004 - three decimals hold nothing smaller
        return "< 0.001 %"
    if 99 < percent < 100:  # noqa: PLR2004 - nearly all is not all
        return f"{min(percent, 99.9):.1f} %"
    # One digit less from where rounding adds one before the point.
    decimals = next((digits for least, digits in ((9.95, 0), (0.995, 1), (0.0095, 2)) if percent >= least), 3)
    return f"{percent:.{decimals}f} %"


def duration(seconds: float) -> str:
    """A time: 8 ms, 0.42 s, 12.3 s, 2 min 5 s."""
    if not math.isfinite(seconds):
        return NONE
    if seconds < 0.0995:  # noqa: PLR2004 - below a tenth of a second, milliseconds read better
        return f"{seconds * _KILO:.0f} ms"
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes} min {rest} s"


def size(number: float) -> str:
    """A number of bytes: 512 B, 14.2 MB."""
    if not math.isfinite(number):
        return NONE
    for unit in ("B", "kB", "MB", "GB"):
        if number < _KILO:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 99.95 else f"{number:.1f} {unit}"  # noqa: PLR2004
        number /= _KILO
    return f"{number:.1f} TB"


def in_words(name: str) -> str:
    """A name from the schema or the protocol in words: first_name becomes first name."""
    return name.replace("_", " ").replace("-", " ")
