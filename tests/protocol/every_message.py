"""Hypothesis strategies: any message of any kind, with contents that would be recognised if they leaked."""

from __future__ import annotations

from hypothesis import strategies as st

from unveil.protocol import messages as m

ids = st.binary(min_size=m.ID, max_size=m.ID)
names = st.sampled_from(["first_name", "last_name", "zip"])
part_of_parts = st.integers(1, m.MOST_PARTS).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n)))


def column(width: int, count: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=width * count, max_size=width * count)


@st.composite
def record_encodings(draw: st.DrawFn) -> m.RecordEncodings:
    n, words, keys = draw(st.integers(0, 3)), draw(st.integers(1, 3)), draw(st.integers(0, 2))
    part, parts = draw(part_of_parts)
    return m.RecordEncodings(
        upload=draw(ids),
        part=part,
        parts=parts,
        m=64 * words - draw(st.integers(0, 63)),
        blocking_keys=keys,
        handles=draw(column(m.ID, n)),
        filters=draw(column(8 * words, n)),
        blocking=draw(column(m.HASH * keys, n)),
    )


@st.composite
def attribute_encodings(draw: st.DrawFn) -> m.AttributeEncodings:
    n, width, words = draw(st.integers(0, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    filters, classes = draw(column(width * words * 8, n)), draw(column(width, n))
    return m.AttributeEncodings(width, 64 * words, draw(column(m.ID, n)), filters, classes)


@st.composite
def attribute_wish(draw: st.DrawFn) -> m.AttributeWish:
    n, width = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    return m.AttributeWish(width, draw(column(m.ID, n)), draw(column(m.ID, n)), draw(column(width, n)))


@st.composite
def further_wish(draw: st.DrawFn) -> m.FurtherWish:
    n, width = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    return m.FurtherWish(width, draw(column(m.ID, n)), draw(column(m.ID, n)), draw(column(width, n)))


@st.composite
def review_task(draw: st.DrawFn) -> m.ReviewTask:
    n, width = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    return m.ReviewTask(width, draw(column(m.ID, n)), draw(column(width, n)), draw(column(width, n)))


@st.composite
def attribute_values(draw: st.DrawFn) -> m.AttributeValues:
    values = draw(st.lists(st.dictionaries(names, st.text(max_size=12)), max_size=3))
    return m.AttributeValues(draw(column(m.ID, len(values))), tuple(values))


@st.composite
def encoding_wish(draw: st.DrawFn) -> m.EncodingWish:
    n = draw(st.integers(0, 3))
    uploads = b"".join(sorted(draw(st.sets(ids, min_size=1, max_size=3))))
    return m.EncodingWish(
        draw(st.integers(0, 9)), uploads, draw(column(m.ID, n)), draw(column(m.ID, n)), draw(column(m.KEY_PAIR, n))
    )


@st.composite
def outcome_message(draw: st.DrawFn, kind: type[m.ReviewLabel | m.Labels]) -> m.ReviewLabel | m.Labels:
    n = draw(st.integers(0, 3))
    return kind(draw(column(m.ID, n)), draw(column(1, n)), draw(column(m.REAL, n)))


@st.composite
def batch_learnt(draw: st.DrawFn) -> m.BatchLearnt:
    gained, kept, lost, rest = (draw(st.integers(0, 1000)) for _ in range(4))
    pairs = 1 + gained + kept + lost + rest
    shares = (draw(st.integers(0, m.IN_ALL)), draw(st.integers(0, m.IN_ALL)))
    return m.BatchLearnt(draw(st.integers(1, pairs)), pairs, gained + kept, gained, lost, *shares)


@st.composite
def bootstrap(draw: st.DrawFn) -> m.Bootstrap:
    n = draw(st.integers(0, 3))
    return m.Bootstrap(draw(column(m.ID, n)), draw(column(1, n)), draw(column(1, n)), draw(column(m.REAL, n)))


@st.composite
def link_table(draw: st.DrawFn) -> m.LinkTable:
    n, (part, parts) = draw(st.integers(0, 3)), draw(part_of_parts)
    return m.LinkTable(part, parts, draw(column(m.ID, n)), draw(column(m.ID, n)))


@st.composite
def join_table(draw: st.DrawFn) -> m.JoinTable:
    part, parts = draw(part_of_parts)
    quality = draw(column(m.SEALED_QUALITY, 1))
    sealed = [draw(st.binary(max_size=80)) for _ in range(2)]
    return m.JoinTable(part, parts, draw(column(m.RUN, 1)), sealed[0], quality, sealed[1])


link_quality = st.builds(
    m.LinkQuality,
    st.integers(0, 2**32 - 1),
    st.integers(0, 100),
    st.integers(0, 1),
    st.just(b"") | st.binary(min_size=72, max_size=72),
)
owners_answers = st.builds(
    m.OwnersAnswers, st.integers(0, 99), st.integers(0, 2**32 - 1), st.binary(min_size=8, max_size=8)
)


BY_KIND: dict[type[m.Message], st.SearchStrategy[m.Message]] = {
    m.Fingerprint: ids.map(m.Fingerprint),
    m.Agreement: st.builds(m.Agreement, st.integers(0, 1), st.binary(min_size=16, max_size=16)),
    m.RecordEncodings: record_encodings(),
    m.EncodingWish: encoding_wish(),
    m.Bootstrap: bootstrap(),
    m.AttributeEncodings: attribute_encodings(),
    m.Refusal: st.lists(ids, max_size=3).map(lambda some: m.Refusal(b"".join(some))),
    m.AttributeWish: attribute_wish(),
    m.FurtherWish: further_wish(),
    m.ReviewTask: review_task(),
    m.AttributeValues: attribute_values(),
    m.ReviewLabel: outcome_message(m.ReviewLabel),
    m.BatchLearnt: batch_learnt(),
    m.Labels: outcome_message(m.Labels),
    m.LinkTable: link_table(),
    m.JoinTable: join_table(),
    m.LinkQuality: link_quality,
    m.OwnersAnswers: owners_answers,
}
any_message = st.one_of(*BY_KIND.values())

#: One small message of each kind, with the word SECRET wherever content can stand.
_ID, _REAL = b"SECRET" + bytes(10), b"SECRET" + bytes(2)
SAMPLES: tuple[m.Message, ...] = (
    m.Fingerprint(_ID),
    m.Agreement(1, bytes(range(16))),
    m.RecordEncodings(bytes(16), 0, 1, 64, 1, _ID, b"SECRET" + bytes(2), b"SECRET" + bytes(10)),
    m.EncodingWish(0, _ID, _ID, _ID, _ID * 2),
    m.Bootstrap(_ID, b"T", b"S", _REAL),
    m.AttributeEncodings(1, 64, _ID, _REAL, b"S"),
    m.Refusal(_ID),
    m.AttributeWish(1, _ID, _ID, b"S"),
    m.FurtherWish(1, _ID, _ID, b"S"),
    m.ReviewTask(1, _ID, b"S", b"S"),
    m.AttributeValues(_ID, ({"last_name": "SECRET"},)),
    m.ReviewLabel(_ID, b"S", _REAL),
    m.BatchLearnt(1, 9, 3, 1, 1, 9_000, 9_100),
    m.Labels(_ID, b"S", _REAL),
    m.LinkTable(0, 1, _ID, _ID),
    m.JoinTable(0, 1, _ID * 2, b"SECRET", b"SECRET" + bytes(83), b"SECRET"),
    m.LinkQuality(7, 1, 0, b"SECRET" + bytes(66)),
    m.OwnersAnswers(0, 7, b"SECRET" + bytes(2)),
)
