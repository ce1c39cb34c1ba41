"""The tokens of clkhash: parts of n characters, the value as a whole, or the numbers around a number."""

from __future__ import annotations

from collections.abc import Callable

from unveil.interop.clkhash_schema import ExactComparison, Hashing, NgramComparison, NumericComparison
from unveil.interop.clkhash_values import UnfitValue


def tokeniser(hashing: Hashing) -> Callable[[str], list[str]]:
    """A function from a text to its tokens, those that occur twice twice; of no text there are none."""
    match hashing.comparison:
        case NgramComparison() as how:
            return _ngrams(how)
        case ExactComparison():
            return lambda text: [text] if text else []
        case NumericComparison() as how:
            return _numeric(how)


def _ngrams(how: NgramComparison) -> Callable[[str], list[str]]:
    n, edge = how.n, " " * (how.n - 1)

    def tokens(text: str) -> list[str]:
        if not text:
            return []
        padded = edge + text + edge
        parts = [padded[at : at + n] for at in range(len(padded) - n + 1)]
        return [f"{place} {part}" for place, part in enumerate(parts, 1)] if how.positional else parts

    return tokens


def _numeric(how: NumericComparison) -> Callable[[str], list[str]]:
    """
    For a number v the 2r + 1 multiples of the interval d around 2·r·v·10^p, rounded to one of them.

    Numbers nearer to each other than the threshold distance have tokens in common, the more the nearer they are.
    """
    resolution, interval, scale = how.resolution, how.interval, 10**how.precision

    def tokens(text: str) -> list[str]:
        if not text:
            return []
        centre = 2 * resolution * _scaled(text, scale)
        rest = centre % interval
        if rest:
            centre += -rest if rest < interval / 2 else interval - rest
        return [str(centre + step * interval) for step in range(-resolution, resolution + 1)]

    return tokens


def _scaled(text: str, scale: int) -> int:
    """The number in units of its last digit that counts."""
    try:
        return int(text) * scale  # first, for no digit of a long number is lost so
    except ValueError:
        pass
    try:
        number = float(text)
        return round(number * scale) if scale > 1 else int(number)
    except (ValueError, OverflowError):
        raise UnfitValue("is no number") from None
