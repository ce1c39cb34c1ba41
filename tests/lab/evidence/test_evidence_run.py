"""The evidence run: what is finished is kept, what the pictures show, which default follows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from unveil.engines import choose
from unveil.lab.evidence.codings import CODINGS, PLAIN
from unveil.lab.evidence.journal import FinishedPieces
from unveil.lab.evidence.outputs import write
from unveil.lab.evidence.plan import QUICK, Sizes, pieces_of
from unveil.lab.evidence.run import conduct, passed
from unveil.lab.evidence.speed import speed_of
from unveil.lab.evidence.trade import Traded, choice, pictures, traded
from unveil.lab.synthetic import generate
from unveil.schema import built_in

TINY = Sizes(usual=120, many=0, trade=100, owners=100, priced=120, known=20)


def test_an_interrupted_run_repeats_nothing(tmp_path: Path) -> None:
    """Ctrl-C after two pieces: the next call computes the others alone, and figures are the same."""
    chosen = ("plain", "salted-4")
    pieces = [
        piece
        for piece in pieces_of(built_in("person"), TINY, seed=1)
        if piece.kind in {"trade", "price"} and piece.setting.coding in chosen
    ]
    finished, seen = FinishedPieces(tmp_path), list[str]()

    def stop(name: str, share: float) -> None:
        seen.append(name)
        if share > 0 and len(set(seen)) > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        conduct(built_in("person"), pieces, finished, told=stop)
    kept = [piece.key in finished for piece in pieces]
    assert 2 == sum(kept)
    again = list[str]()
    found = conduct(built_in("person"), pieces, finished, told=lambda name, _: again.append(name))
    assert {piece.name for piece, done in zip(pieces, kept, strict=True) if not done} == set(again)
    assert found.as_json() == conduct(built_in("person"), pieces, finished, told=stop).as_json(), "nothing is left"
    rows = traded(found)
    assert list(chosen) == [row.coding for row in rows]
    files = write(tmp_path, found, rows, choice(rows))
    assert ["evidence.json", "trade-nobody-known.svg", "trade-known-people.svg"] == [file.name for file in files]
    content = json.loads((tmp_path / "evidence.json").read_text(encoding="utf-8"))
    assert len(content["trade"]) == 6
    assert rows == [Traded(**row) for row in content["encodings"]]


def test_a_piece_that_was_written_half_is_computed_anew(tmp_path: Path) -> None:
    """A file that cannot be read is none."""
    finished = FinishedPieces(tmp_path)
    finished.keep("whole", {"a": 1})
    (tmp_path / "pieces" / "half.json").write_text('{"a"', encoding="utf-8")
    assert "whole" in finished
    assert "half" not in finished


def test_every_piece_has_a_key_of_its_own_that_follows_from_what_decides_it() -> None:
    """Another seed, size or schema is another piece; the same call finds the same one."""
    schema = built_in("person")
    keys = [piece.key for piece in pieces_of(schema, Sizes(), seed=1)]
    assert len(set(keys)) == len(keys)
    assert keys == [piece.key for piece in pieces_of(schema, Sizes(), seed=1)]
    assert not set(keys) & {piece.key for piece in pieces_of(schema, Sizes(), seed=2)}
    assert not set(keys) & {piece.key for piece in pieces_of(built_in("clinic"), Sizes(), seed=1)}


def test_the_run_asks_what_must_be_shown() -> None:
    """Controls at 5,000; the default at 5,000 and 20,000, all and a fifth shared, with and without known people."""
    asked = {
        (piece.kind, piece.attack, piece.setting.coding, piece.setting.people, piece.setting.shared)
        for piece in pieces_of(built_in("person"), Sizes(), seed=1)
    }
    for shared in (1.0, 0.2):
        assert ("control", "graph-matching", "plain", 5_000, shared) in asked
        assert ("control", "known-people", "plain", 5_000, shared) in asked
        for people in (5_000, 20_000):
            assert ("own", "graph-matching", "own", people, shared) in asked
            assert ("own", "known-people", "own", people, shared) in asked
        assert ("own", "keys-and-filters", "own", 5_000, shared) in asked
        assert ("own", "keys-and-known-people", "own", 5_000, shared) in asked
    for people in (20_000, 50_000):
        assert {("own", name, "own", people, 1.0) for name in ("keys-and-filters", "keys-and-known-people")} <= asked
    for name in ("joining-pairs", "value-lengths", "bits-to-attributes", "membership-wishes"):
        assert {(kind, name, "own", 2_000, None) for kind in ("control", "own")} <= asked
    for shared in (1.0, 0.2):
        assert ("own", "key-patterns", "own", 50_000, shared) in asked
    assert ("control", "frequent-keys", "own", 50_000, 1.0) in asked
    assert ("own", "frequent-keys", "own", 50_000, 0.2) in asked
    assert ("control", "stripping", "longer-3", 5_000, 1.0) in asked
    assert {each.name for each in CODINGS} <= {coding for _, _, coding, _, _ in asked}
    assert {each.m for each in CODINGS if each.stripped} == {1024}
    assert QUICK.trade > 1024, "or nothing could be stripped"


def test_a_run_asks_nothing_of_what_a_schema_does_not_have() -> None:
    """Without blocking keys and salts nobody attacks them, and the rest is played all the same."""
    plain = built_in("paper").model_copy(update={"blocking": ()})
    asked = {piece.attack for piece in pieces_of(plain, TINY, seed=1)}
    assert not asked & {"key-patterns", "frequent-keys", "keys-and-filters", "keys-and-known-people", "salt-groups"}
    assert {"graph-matching", "known-people", "upload-order"} <= asked


def test_speed_stands_beside_plain_filters() -> None:
    """A salted diffusion takes longer to make, and twice as many bits no less to compare."""
    records = generate(records=300, overlap=0.2, seed=3).a
    own, plain = (speed_of(schema, records, choose()) for schema in (built_in("person"), PLAIN.of(built_in("person"))))
    assert own.encoding > own.encoding_plain > 0
    assert own.comparing > 0
    assert 0.2 < plain.comparing < 5, "of plain filters beside themselves"


def rows(own: tuple[float, float, float]) -> list[Traded]:
    """Plain filters, a schema's own with these figures, and one that withstands all at a price."""
    return [
        Traded(1, "own", "the own one", *own, record_level=0.9, encoding=20.0, comparing=1.5),
        Traded(2, "plain", "plain", 1.0, 1.0, 0.963, record_level=0.9, encoding=20.0, comparing=1.5),
        Traded(3, "salted-5", "salted, t = 5", 0.0, 0.01, 0.950, record_level=0.9, encoding=20.0, comparing=1.5),
    ]


@pytest.mark.parametrize(
    ("own", "expected"),
    [((0.001, 0.02, 0.962), "own"), ((0.03, 0.02, 0.962), "salted-5"), ((0.001, 0.07, 0.962), "salted-5")],
)
def test_the_default_is_the_best_that_withstands_every_attack(own: tuple[float, float, float], expected: str) -> None:
    """Not the best of all, and not one that falls to known people."""
    chosen = choice(rows(own))
    assert expected == chosen.coding
    assert chosen.reason.startswith("of 3 encodings ")


def test_no_default_follows_where_all_fall() -> None:
    """Nothing is marked then, and the pictures are drawn all the same."""
    fallen = [replace(row, nobody_known=0.5) for row in rows((0.1, 0.1, 0.9))]
    chosen = choice(fallen)
    assert chosen.coding is None
    drawn = pictures(fallen, chosen)
    assert all(
        "<script" not in svg and "http" not in svg.replace("http://www.w3.org/2000/svg", "") for svg in drawn.values()
    )
    assert "M" not in {row.coding for row in fallen if row.coding == chosen.coding}


def test_a_control_that_fails_is_no_success() -> None:
    """The two readings of one figure."""
    from test_attacks_played import played

    weak, strong = played("graph-matching", control=True), played("graph-matching", control=False)
    assert passed(weak, control=True)
    assert not passed(strong, control=True)
    assert passed(strong, control=False)
