"""
The messages. Each carries a batch as columns: `bytes` of equal-sized entries side by side, one per pair or record.

Ids, handles and keys are random bytes. g is one byte (0 or 1), p a little-endian 64-bit float. A message checks its
own shape when it is made and prints its kind and size only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from unveil.protocol.columnar import ID_BYTES, Columnar

ID = ID_BYTES  # of a handle, pair id, task id, wish id or link id
KEY_PAIR = 32  # bytes of key_pair
OWNER_KEY = 32  # bytes of key_do, which no message carries
RUN = 32  # bytes that name a run, the uploads that were compared
HASH = 16  # bytes of a hashed blocking key
REAL = 8  # bytes of a float
POSITION = 8  # bytes of a row or position in a decision; no message has one
FIGURES = 9  # of the quality of links: three, each with its interval
COUNT = 4  # bytes of a count in a column
SEALED_QUALITY = 89  # bytes of the quality of links, sealed: a mark, nine floats and a tag
IN_ALL = 10_000  # a share that is sent as a number is one of ten-thousandths
MOST_PARTS = 65536  # that one upload or link table may come in
MOST_WISHES = 1000  # entries of one wish: units ask for far fewer, and nobody must build an answer without bound
LONGEST_VALUE = 256  # characters of a value for review: no name, date or address is longer, and masking takes time


def filter_bytes(m: int) -> int:
    """Bytes of a filter of m bits on the wire and on disk: whole 64-bit words, as `linkage.bits` holds it."""
    return -(-m // 64) * 8


@dataclass(frozen=True, slots=True, repr=False)
class Message(Columnar):
    """A batch that one party sends to another. Few may be empty: what says nothing would still be kept for ever."""

    MAY_BE_EMPTY: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, repr=False)
class Fingerprint(Message):
    """Owner to record unit, before anything else: equal for owners that share key and parameters; tells no more."""

    fingerprint: bytes

    def __post_init__(self) -> None:
        if len(self.fingerprint) != ID:
            raise ValueError(f"a fingerprint has {ID} bytes")


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Message):
    """Record unit to owner: whether all owners sent this fingerprint (1), so that it may upload."""

    agree: int
    fingerprint: bytes

    def __post_init__(self) -> None:
        if self.agree not in (0, 1):
            raise ValueError("agree must be 0 or 1")
        if len(self.fingerprint) != ID:
            raise ValueError(f"a fingerprint has {ID} bytes")


@dataclass(frozen=True, slots=True, repr=False)
class RecordEncodings(Message):
    """
    Owner to record unit: every record as a whole, in parts, perhaps empty ones. `part` counts from 0.

    `upload` is the same 16 bytes in all parts of an upload, and in those of no other.
    """

    KEY = "handles"
    MAY_BE_EMPTY = True
    upload: bytes
    part: int
    parts: int
    m: int
    blocking_keys: int
    handles: bytes
    filters: bytes
    blocking: bytes

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        _check_part(self.part, self.parts)
        if len(self.upload) != ID:
            raise ValueError(f"an upload is known by {ID} bytes")

    def widths(self) -> Mapping[str, int]:
        """Filters are m bits in whole 64-bit words; a hashed key of zeros was omitted."""
        widths = {"handles": ID, "filters": filter_bytes(self.m)}
        if self.blocking_keys:
            widths["blocking"] = HASH * self.blocking_keys
        elif self.blocking:
            raise ValueError("blocking keys were sent but none was announced")
        return widths


@dataclass(frozen=True, slots=True, repr=False)
class EncodingWish(Message):
    """
    Record unit to owner: encode these records' attributes, each under a key used for that pair alone.

    At most 1,000 of them. `batch` is the batch that they belong to, counted from 0. `uploads` are the uploads that were
    compared, in rising order, 16 bytes each: they are the run that keys of pairs are bound to.
    """

    KEY = "pair_ids"
    WIDTHS = {"pair_ids": ID, "handles": ID, "key_pairs": KEY_PAIR}
    batch: int
    uploads: bytes
    pair_ids: bytes
    handles: bytes
    key_pairs: bytes

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        each = [self.uploads[start : start + ID] for start in range(0, len(self.uploads), ID)]
        if not each or len(each[-1]) != ID or each != sorted(set(each)):
            raise ValueError(f"uploads are {ID} bytes each, in rising order")


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(Message):
    """
    Record unit to attribute unit: the pairs of a batch, perhaps none, and what M_R thinks of them.

    `strangers` marks pairs (1) whose records have nothing to do with each other: owners answer, and nothing else comes
    of it.
    """

    KEY = "pair_ids"
    MAY_BE_EMPTY = True
    WIDTHS = {"pair_ids": ID, "strangers": 1, "g": 1, "p": REAL}
    pair_ids: bytes
    strangers: bytes
    g: bytes
    p: bytes


@dataclass(frozen=True, slots=True, repr=False)
class AttributeEncodings(Message):
    """Owner to attribute unit: one keyed filter of m bits and one frequency class per attribute."""

    KEY = "pair_ids"
    attributes: int
    m: int
    pair_ids: bytes
    filters: bytes
    classes: bytes

    def widths(self) -> Mapping[str, int]:
        """A filter and a class for each attribute."""
        return {"pair_ids": ID, "filters": self.attributes * filter_bytes(self.m), "classes": self.attributes}


@dataclass(frozen=True, slots=True, repr=False)
class Refusal(Message):
    """An answer too: not these pairs (owner to attribute unit) or tasks (owner to review unit, review unit upward)."""

    KEY = "ids"
    WIDTHS = {"ids": ID}
    ids: bytes


@dataclass(frozen=True, slots=True, repr=False)
class AttributeWish(Message):
    """
    Attribute unit to owner: send these attributes of these pairs to the review unit (1 = asked for).

    At most 1,000 pairs, each once ever, and only those whose encodings the owner granted. What a reviewer asks for
    besides is a `FurtherWish`.
    """

    KEY = "task_ids"
    attributes: int
    pair_ids: bytes
    task_ids: bytes
    asked: bytes

    def widths(self) -> Mapping[str, int]:
        """A mark for each attribute."""
        return {"pair_ids": ID, "task_ids": ID, "asked": self.attributes}


@dataclass(frozen=True, slots=True, repr=False)
class FurtherWish(Message):
    """
    A reviewer's wish: one more attribute of each of these tasks (1 = asked for).

    Review unit to attribute unit, which passes it on to owners. They answer as they answer a task, under the wish's own
    id, and only within the number that the project file allows.
    """

    KEY = "wish_ids"
    attributes: int
    task_ids: bytes
    wish_ids: bytes
    asked: bytes

    def widths(self) -> Mapping[str, int]:
        """A mark for each attribute."""
        return {"task_ids": ID, "wish_ids": ID, "asked": self.attributes}


@dataclass(frozen=True, slots=True, repr=False)
class ReviewTask(Message):
    """Attribute unit to review unit: state of each attribute, and how common an agreeing value is."""

    KEY = "task_ids"
    attributes: int
    task_ids: bytes
    states: bytes
    classes: bytes

    def widths(self) -> Mapping[str, int]:
        """A state and a class for each attribute."""
        return {"task_ids": ID, "states": self.attributes, "classes": self.attributes}


@dataclass(frozen=True, slots=True, repr=False)
class AttributeValues(Message):
    """
    Owner to review unit: the values asked for and granted, by task; the only message that carries plaintext.

    A value has at most 256 characters; longer ones stay at the owner.
    """

    KEY = "task_ids"
    WIDTHS = {"task_ids": ID}
    task_ids: bytes
    values: tuple[Mapping[str, str], ...]

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        if len(self.values) != len(self):
            raise ValueError(f"{len(self.values)} sets of values for {len(self)} tasks")


@dataclass(frozen=True, slots=True, repr=False)
class ReviewLabel(Message):
    """Review unit to attribute unit: what the reviewer decided."""

    KEY = "task_ids"
    WIDTHS = {"task_ids": ID, "g": 1, "p": REAL}
    task_ids: bytes
    g: bytes
    p: bytes


@dataclass(frozen=True, slots=True, repr=False)
class BatchLearnt(Message):
    """
    Attribute unit to review unit: what the labels of a batch changed, over all pairs that were compared by attribute.

    `labels` of them were learnt from. Of `pairs`, `matches` are matches now; `gained` became one, `lost` are none any
    more. `right_before` and `right_after` are the share of decisions that is expected to be right, in ten-thousandths,
    0 where the unit cannot tell.
    """

    labels: int
    pairs: int
    matches: int
    gained: int
    lost: int
    right_before: int
    right_after: int

    def __post_init__(self) -> None:
        if not self.labels or self.labels > self.pairs:
            raise ValueError("labels are of pairs, and without any nothing was learnt")
        if self.gained > self.matches or self.matches + self.lost > self.pairs:
            raise ValueError("more pairs changed than there are")
        if max(self.right_before, self.right_after) > IN_ALL:
            raise ValueError("a share is 10,000 ten-thousandths at most")


@dataclass(frozen=True, slots=True, repr=False)
class Labels(Message):
    """Attribute unit to record unit: outcomes of a batch that are new or changed, perhaps none. Pair id, g, p alone."""

    KEY = "pair_ids"
    MAY_BE_EMPTY = True
    WIDTHS = {"pair_ids": ID, "g": 1, "p": REAL}
    pair_ids: bytes
    g: bytes
    p: bytes


@dataclass(frozen=True, slots=True, repr=False)
class LinkTable(Message):
    """
    Record unit to owner: a link id for every record, which follows from this owner's upload and a secret alone.

    In parts; empty for an owner without records. Records that are the same have the same id; otherwise nothing about
    any record shows in it, and no other owner has any of these ids.
    """

    KEY = "handles"
    MAY_BE_EMPTY = True
    WIDTHS = {"handles": ID, "link_ids": ID}
    part: int
    parts: int
    handles: bytes
    link_ids: bytes

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        _check_part(self.part, self.parts)


@dataclass(frozen=True, slots=True, repr=False)
class JoinTable(Message):
    """
    Record unit to owner: which link ids of both owners belong together, sealed for whoever may join the tables.

    In parts, whose sizes follow from the owner's own records. `run` are 32 bytes that name the run, `key` is this
    owner's half of the key (32 bytes), or the key as it is sealed for a research centre (80). `quality` is how good the
    links seem, sealed for the same.
    """

    part: int
    parts: int
    run: bytes
    key: bytes
    quality: bytes
    sealed: bytes

    def __post_init__(self) -> None:
        Message.__post_init__(self)
        _check_part(self.part, self.parts)
        if len(self.run) != RUN:
            raise ValueError(f"a run is known by {RUN} bytes")
        if len(self.quality) != SEALED_QUALITY:
            raise ValueError(f"the quality of links, sealed, has {SEALED_QUALITY} bytes")


@dataclass(frozen=True, slots=True, repr=False)
class LinkQuality(Message):
    """
    Record unit to owner: about how many links there are and how good they seem, if the project file lets owners know.

    `links` is off by `off_by` at most, nine times in ten. `figures` are precision, recall and F1, each low, point and
    high, as 64-bit floats; none where links are few. `trusted` (1) says that labels do not contradict the models.
    """

    links: int
    off_by: int
    trusted: int
    figures: bytes

    def __post_init__(self) -> None:
        if self.trusted not in (0, 1):
            raise ValueError("trusted must be 0 or 1")
        if len(self.figures) not in (0, FIGURES * REAL):
            raise ValueError(f"{FIGURES} figures or none")


@dataclass(frozen=True, slots=True, repr=False)
class OwnersAnswers(Message):
    """
    Attribute unit to record unit, after each batch: of the pairs asked about so far, how many each owner answered.

    `batch` counts from 0. `answered` has a count of 32 bits for each owner, in the order of their names.
    """

    batch: int
    asked: int
    answered: bytes

    def __post_init__(self) -> None:
        if not self.answered or len(self.answered) % COUNT:
            raise ValueError(f"counts have {COUNT} bytes")


def _check_part(part: int, parts: int) -> None:
    if not part < parts <= MOST_PARTS:
        raise ValueError("not a part of as many as announced")
