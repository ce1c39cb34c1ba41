"""What two owners' profiles say will not match: found before anything leaves, without a value of either."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from unveil.encoding.planning.file_profile import ColumnProfile, FileProfile
from unveil.schema.attribute_types import TEXT

_FILL: Final = 0.2  # of the records
_SHARE: Final = 0.2  # of the values
_LONGER: Final = 1.5  # times
_UNREAD: Final = 0.02
_BEYOND: Final = 0.01
#: Roles in which the same signs in another order are another value, and the type that settles it.
_IN_ORDER: Final = {"birth_date": "date", "sex": "sex"}
_MOST: Final = 0.5  # of the values, for a format to speak for a column


@dataclass(frozen=True, slots=True)
class ProfileDifference:
    """A sentence about an attribute; a warning says that pairs may be lost, anything else is settled by its type."""

    attribute: str
    sentence: str
    is_warning: bool = True


def profile_differences(ours: FileProfile, theirs: FileProfile) -> tuple[ProfileDifference, ...]:
    """How the two files differ, attribute by attribute: columns, formats, gaps, lengths."""
    pairs = _pairs(ours, theirs)
    found = [
        ProfileDifference(one.attribute or one.column, "the other file has no column of it")
        for one in ours.columns
        if one.attribute and one not in [own for own, _ in pairs]
    ]
    found += [
        ProfileDifference(one.attribute or one.column, "the other file has it, and this one has no column of it")
        for one in theirs.columns
        if one.attribute and one not in [their for _, their in pairs]
    ]
    for own, their in pairs:
        name = own.attribute or own.column
        found += [ProfileDifference(name, sentence) for sentence in losses(own, their)]
        found += [ProfileDifference(name, sentence, is_warning=False) for sentence in _settled(own, their)]
    return tuple(found)


def _pairs(ours: FileProfile, theirs: FileProfile) -> list[tuple[ColumnProfile, ColumnProfile]]:
    """Columns that are the same attribute; where they were proposed apart, the only ones of a role, or of a name."""
    found: list[tuple[ColumnProfile, ColumnProfile]] = []
    by_schema = ours.schema is not None and ours.schema == theirs.schema

    def free(profile: FileProfile, side: int) -> list[ColumnProfile]:
        taken = [pair[side] for pair in found]
        return [one for one in profile.columns if one.attribute and one not in taken]

    for own in free(ours, 0):
        same = [
            one for one in free(theirs, 1) if one.attribute == own.attribute and (by_schema or one.role == own.role)
        ]
        if same:
            found.append((own, same[0]))
    if by_schema:
        return found
    for own in free(ours, 0):
        alike = [one for one in free(theirs, 1) if one.role == own.role != "other"]
        if alike:
            found.append((own, alike[0]))
    return found


def losses(own: ColumnProfile, their: ColumnProfile, places: tuple[str, str] = ("here", "there")) -> Iterator[str]:
    """What will not match of two columns that are read as one attribute; `places` says which of them is meant."""
    here, there = places
    if own.type != their.type:
        yield f"it is read as {own.type} {here} and as {their.type} {there}: one schema must say which"
    elif own.sent != their.sent and (own.type != TEXT or _is_number(own) or _is_number(their)):
        if min(own.sent_share, their.sent_share) > _MOST:
            yield f"values are compared as {own.sent} {here} and as {their.sent} {there}, and will not match"
    elif own.type == TEXT and own.role in _IN_ORDER and own.format != their.format:
        yield (
            f"written {own.format} {here} and {their.format} {there}, and compared as it stands: give it type = "
            f'"{_IN_ORDER[own.role]}" in the schema'
        )
    for where, one in zip(places, (own, their), strict=True):
        if one.unread > _UNREAD:
            yield f"{one.unread:.0%} of the values {where} cannot be read as {one.type} and count as missing"
    if abs(own.missing - their.missing) > _FILL:
        yield f"missing in {own.missing:.0%} of the records {here} and {their.missing:.0%} {there}"
    yield from _shapes(own, their, places)


def _shapes(own: ColumnProfile, their: ColumnProfile, places: tuple[str, str]) -> Iterator[str]:
    here, there = places
    shorter, longer = sorted((own.length, their.length))
    if shorter and longer > _LONGER * shorter:
        yield (
            f"values have {own.length:.0f} characters {here} and {their.length:.0f} {there}: does one abbreviate, or "
            "hold something else?"
        )
    if abs(own.several - their.several) > _SHARE:
        yield f"several words in {own.several:.0%} of the values {here} and {their.several:.0%} {there}"
    few, many = sorted((own.beyond, their.beyond))
    if many > _BEYOND and few < _BEYOND / 10:
        yield (
            f"letters beyond a to z are compared in {own.beyond:.1%} of the values {here} and {their.beyond:.1%} "
            f"{there}: normalise with plain-umlauts"
        )


def _settled(own: ColumnProfile, their: ColumnProfile) -> Iterator[str]:
    is_typed = own.type == their.type != TEXT
    if is_typed and own.format != their.format and own.sent == their.sent:
        yield f"written {own.format} here and {their.format} there; as {own.type} both are compared as {own.sent}"


def _is_number(one: ColumnProfile) -> bool:
    return any(sign.isdigit() for sign in one.sent) and not any(sign.isalpha() for sign in one.sent)
