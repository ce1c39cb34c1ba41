"""Links of other tools: read as ours and written as theirs, with the rows and datasets that they count by."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from own_files import converted, write_json

from unveil.errors import InputError, SettingError
from unveil.files.write_table import write_table

VECTORS = Path(__file__).parents[1] / "vectors" / "interop"
IDS = ("record_id_a", "record_id_b")
NAMES: dict[str, Any] = {"names": ("a", "b")}


def links_file(path: Path, pairs: list[tuple[str, str]], **figures: list[float]) -> Path:
    """A file of links as `unveil link` writes them."""
    columns: dict[str, Any] = {name: pa.array([pair[side] for pair in pairs]) for side, name in enumerate(IDS)}
    write_table(path, pa.table({**columns, **figures}), ids=IDS)
    return path


def links_in(path: Path) -> dict[tuple[str, str], tuple[float, ...]]:
    """The links in a Parquet file of ours, with their figures."""
    rows = pq.read_table(path).to_pylist()
    return {(row.pop(IDS[0]), row.pop(IDS[1])): tuple(row.values()) for row in rows}


def tables(folder: Path, counts: tuple[int, int]) -> dict[str, Any]:
    """Tables whose rows results count, with ids that are not their numbers."""
    paths = []
    for side, count in zip("ab", counts, strict=True):
        paths.append(folder / f"{side}.csv")
        paths[-1].write_text("record_id\n" + "".join(f"{side}{row}\n" for row in range(count)))
    return {"rows": tuple(paths)}


@pytest.fixture
def rows(tmp_path: Path) -> dict[str, Any]:
    return tables(tmp_path, (4, 4))


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_our_own_links_are_read_in_every_format_of_theirs(suffix: str, tmp_path: Path) -> None:
    """Whatever name `unveil link --out` was given; ids that a spreadsheet would run come back as they were."""
    pairs = [("=1", "b"), ("'x", "-2")]
    path = links_file(tmp_path / f"links{suffix}", pairs, similarity=[0.5, 1.0], probability=[0.25, 0.75])
    done = converted(path, tmp_path / "out.parquet", "unveil-links")
    assert ("unveil-links", 2) == (done.source, done.count)
    assert dict(zip(pairs, [(0.5, 0.25), (1.0, 0.75)], strict=True)) == links_in(tmp_path / "out.parquet")


def test_scores_and_groups_of_the_real_anonlink_are_read(tmp_path: Path) -> None:
    """Its greedy solver groups two records at most, each a pair that it has scored."""
    found = json.loads((VECTORS / "anonlink.json").read_text())
    sides = tables(tmp_path, (400, 400))
    scores, groups = (write_json(tmp_path / f"{name}.json", found[name]) for name in ("scores", "groups"))
    converted(scores, tmp_path / "scores.parquet", "unveil-links", **sides)
    converted(groups, tmp_path / "groups.parquet", "unveil-links", **sides)
    scored, grouped = links_in(tmp_path / "scores.parquet"), links_in(tmp_path / "groups.parquet")
    expected = {(f"a{one[1]}", f"b{other[1]}"): (score,) for one, other, score in found["scores"]}
    assert expected == scored
    assert len(found["groups"]) == len(grouped)
    assert grouped.keys() < scored.keys()


def test_groups_and_scores_come_back_as_they_were(tmp_path: Path) -> None:
    """Through our links and back, the real anonlink's answers are the same."""
    found = json.loads((VECTORS / "anonlink.json").read_text())
    for name in ("scores", "groups"):
        path = write_json(tmp_path / "theirs.json", found[name])
        converted(path, tmp_path / "ours.parquet", "unveil-links")
        converted(tmp_path / "ours.parquet", tmp_path / "back.json", f"anonlink-{name}")
        back = json.loads((tmp_path / "back.json").read_text())
        if name == "groups":
            assert sorted(sorted(group) for group in found[name]) == sorted(back)
        else:
            assert sorted(found[name]) == sorted(back)


def test_a_group_of_several_records_makes_every_link_between_the_parties(tmp_path: Path, rows: dict[str, Any]) -> None:
    """The service writes an object; a group of one party alone makes no link, and that is said."""
    groups = write_json(tmp_path / "groups.json", {"groups": [[[1, 3], [0, 0], [0, 2]], [[0, 1], [0, 3]]]})
    done = converted(groups, tmp_path / "out.parquet", "unveil-links", **rows)
    assert {("a0", "b3"): (), ("a2", "b3"): ()} == links_in(tmp_path / "out.parquet")
    assert any("1 groups hold records of one party alone" in line for line in done.notes)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([[[0, 4], [1, 0]]], "a row that a does not have"),
        ([[[0, -1], [1, 0]]], "a row that a does not have"),
        ([[[0, 1], [2, 0]]], "party 2"),
        ([[[0, True], [1, 0]]], "a row that a does not have"),
        ([[7]], "something else"),
        ([7], "not a list of records"),
    ],
)
def test_groups_about_other_files_are_refused(groups: Any, said: str, tmp_path: Path, rows: dict[str, Any]) -> None:
    """A row that does not exist would otherwise be somebody else."""
    path = write_json(tmp_path / "groups.json", {"groups": groups})
    with pytest.raises(InputError, match=said):
        converted(path, tmp_path / "out.parquet", "unveil-links", **rows)


def test_a_table_of_link_ids_has_everybody_once(tmp_path: Path, rows: dict[str, Any]) -> None:
    """Who is known to one site alone has a LINK_ID, too; rows count from 0."""
    path = links_file(tmp_path / "links.csv", [("a1", "b3"), ("a0", "b0")], similarity=[0.9, 0.8])
    converted(path, tmp_path / "ids.csv", "codi-link-ids", **rows, names=("site-1", "site-2"))
    with (tmp_path / "ids.csv").open(newline="") as file:
        header, *lines = csv.reader(file)
    assert ["LINK_ID", "site-1", "site-2"] == header
    assert [["0", "0"], ["1", "3"], ["2", ""], ["3", ""], ["", "1"], ["", "2"]] == [line[1:] for line in lines]
    assert 6 == len({line[0] for line in lines})
    converted(tmp_path / "ids.csv", tmp_path / "out.parquet", "unveil-links", **rows)
    assert {("a0", "b0"): (), ("a1", "b3"): ()} == links_in(tmp_path / "out.parquet")


def test_link_ids_need_links_that_are_one_to_one(tmp_path: Path, rows: dict[str, Any]) -> None:
    """A row of the table has one record of a site."""
    path = links_file(tmp_path / "links.csv", [("a1", "b3"), ("a1", "b0")], similarity=[0.9, 0.8])
    with pytest.raises(SettingError, match="several links") as refused:
        converted(path, tmp_path / "ids.csv", "codi-link-ids", **rows)
    assert "link with --one-to-one" == refused.value.hint
    with pytest.raises(SettingError, match="every record of both sites"):
        converted(links_file(tmp_path / "one.csv", [("1", "2")]), tmp_path / "ids.csv", "codi-link-ids")


def test_predictions_of_the_real_splink_are_read(tmp_path: Path) -> None:
    """Each with its own probability, a's record on a's side."""
    with (VECTORS / "splink-predictions.csv").open(newline="") as file:
        theirs = list(csv.DictReader(file))
    done = converted(VECTORS / "splink-predictions.csv", tmp_path / "out.parquet", "unveil-links")
    assert "splink" == done.source
    expected = {(row["unique_id_l"], row["unique_id_r"]): (float(row["match_probability"]),) for row in theirs}
    assert expected == links_in(tmp_path / "out.parquet")
    for row in theirs:  # our weights are Splink's
        odds = float(row["match_probability"]) / (1 - float(row["match_probability"]))
        assert math.isclose(float(row["match_weight"]), math.log2(odds), abs_tol=1e-6)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_our_links_are_predictions_of_splink(suffix: str, tmp_path: Path) -> None:
    """With its columns; the dataset whose name comes first stands left, and comes back where it was."""
    pairs = [("=1", "9"), ("2", "8")]
    path = links_file(tmp_path / "links.csv", pairs, similarity=[0.5, 0.75], probability=[0.8, 1.0])
    out = tmp_path / f"predictions{suffix}"
    names: dict[str, Any] = {"names": ("registry", "hospital")}
    converted(path, out, "splink", **names)
    rows = (
        pq.read_table(out).to_pylist() if suffix == ".parquet" else list(csv.DictReader(out.read_text().splitlines()))
    )
    expected = {"source_dataset_l": "hospital", "unique_id_l": "9", "source_dataset_r": "registry", "unique_id_r": "=1"}
    assert expected.items() <= rows[0].items()
    assert math.isclose(2.0, float(rows[0]["match_weight"]))
    assert math.isfinite(float(rows[1]["match_weight"]))
    converted(out, tmp_path / "back.parquet", "unveil-links", **names)
    assert dict(zip(pairs, [(0.8,), (1.0,)], strict=True)) == links_in(tmp_path / "back.parquet")


def test_links_of_a_threshold_are_labels_and_no_predictions(tmp_path: Path) -> None:
    """They have no probability; a score of one is what a label says."""
    path = links_file(tmp_path / "links.csv", [("1", "9")], similarity=[0.5])
    with pytest.raises(SettingError, match="no probability"):
        converted(path, tmp_path / "predictions.csv", "splink", **NAMES)
    converted(path, tmp_path / "labels.csv", "splink-labels", **NAMES)
    (row,) = csv.DictReader((tmp_path / "labels.csv").read_text().splitlines())
    assert {"source_dataset_l": "a", "unique_id_l": "1", "source_dataset_r": "b", "unique_id_r": "9"} == {
        name: row[name] for name in row if name != "clerical_match_score"
    }
    assert 1.0 == float(row["clerical_match_score"])


def test_labels_that_say_no_match_make_no_links(tmp_path: Path) -> None:
    """How many there were is said; sides may stand either way round."""
    path = tmp_path / "labels.csv"
    path.write_text(
        "source_dataset_l,unique_id_l,source_dataset_r,unique_id_r,clerical_match_score\n"
        "a,1,b,9,0.9\na,2,b,8,0.2\nb,7,a,3,1.0\n"
    )
    done = converted(path, tmp_path / "out.parquet", "unveil-links")
    assert {("1", "9"): (0.9,), ("3", "7"): (1.0,)} == links_in(tmp_path / "out.parquet")
    assert any("1 labels say no match" in line for line in done.notes)
    path.write_text(path.read_text() + "a,1,a,2,0.9\n")
    with pytest.raises(InputError, match=r"row 4.*no pair of a and b"):
        converted(path, tmp_path / "out.parquet", "unveil-links")


def test_an_answer_of_ul_mds_is_read_as_json_and_as_csv(tmp_path: Path) -> None:
    """The server answers in one, the client writes the other."""
    found = json.loads((VECTORS / "ul-mds.json").read_text(encoding="utf-8"))["answer"]
    expected = {(m["domain"]["id"], m["range"]["id"]): (m["similarity"],) for m in found["matches"]}
    converted(write_json(tmp_path / "answer.json", found), tmp_path / "out.parquet", "unveil-links")
    assert expected == links_in(tmp_path / "out.parquet")
    converted(tmp_path / "out.parquet", tmp_path / "matches.csv", "ul-mds-matches")
    converted(tmp_path / "matches.csv", tmp_path / "again.parquet", "unveil-links")
    assert expected == links_in(tmp_path / "again.parquet")


@pytest.mark.parametrize("figure", ["1.5", "-0.1", "nan", "x", ""])
def test_a_figure_that_is_none_is_named_by_its_row(figure: str, tmp_path: Path) -> None:
    """A probability above one would count as surer than sure."""
    path = tmp_path / "links.csv"
    path.write_text(f"record_id_a,record_id_b,similarity\n1,2,0.5\n3,4,{figure}\n")
    with pytest.raises(InputError, match="row 2, column similarity: holds something else"):
        converted(path, tmp_path / "out.parquet", "unveil-links")


def test_encodings_do_not_become_links(tmp_path: Path) -> None:
    """That is what linking is for."""
    with pytest.raises(SettingError, match="clkhash holds encodings, and splink holds links"):
        converted(VECTORS / "clks-a.json", tmp_path / "out.csv", "splink")
