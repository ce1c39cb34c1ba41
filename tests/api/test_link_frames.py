"""`unveil.link`: data frames in, tables out that any library takes, and never a value on the screen."""

from __future__ import annotations

import pickle
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import READERS, folder, people, table

import unveil
from unveil.files.read import read_records
from unveil.schema import built_in

#: Of few people only those are opened who changed their name, and that is taken for another way to write it.
pytestmark = pytest.mark.filterwarnings("ignore:attribute last_name is hardly ever equal")


@cache
def linked() -> unveil.LinkResult:
    return unveil.link(table("a"), table("b"), schema="person")


def pairs(result: unveil.LinkResult) -> set[tuple[str, str]]:
    return set(pl.DataFrame(result.links).select("record_id_a", "record_id_b").iter_rows())


def values() -> set[str]:
    """Values and ids of records that are long enough not to be there by chance."""
    a = people().a
    found = {value for column in a.columns.values() for value in column.distinct if len(value) > 5} | set(a.ids)
    assert len(found) > 700
    return found


def test_two_frames_lead_to_persons_with_an_estimate_that_holds_the_truth() -> None:
    """What a notebook is opened for."""
    result = unveil.link(table("a"), table("b"))
    truth = {(people().a.ids[left], people().b.ids[right]) for left, right in people().truth.tolist()}
    f1 = 2 * len(pairs(result) & truth) / (len(result) + len(truth))
    assert result.estimate is not None
    low, _, high = result.estimate.f1
    assert low <= f1 <= high
    assert f1 > 0.94
    assert 1000 == len(result.persons)
    assert "no schema was given" in result.chosen[0]
    assert () == result.warnings


@pytest.mark.parametrize("library", READERS)
def test_every_library_gives_the_records_of_the_file(library: str) -> None:
    """Nobody's result may depend on which library read the file."""
    expected, found = (read_records(table("a", one), built_in()) for one in ("path", library))
    assert list(expected.ids) == list(found.ids)
    for name, column in expected.columns.items():
        assert column.values() == found.columns[name].values()


def test_frames_of_two_libraries_give_the_links_of_their_files() -> None:
    """A key makes them comparable to the letter; nothing else is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "attribute last_name is hardly ever equal")
        found = unveil.link(table("a", "pandas"), table("b", "polars"), schema="person", key=_key())
    assert pairs(of_files()) == pairs(found)


@cache
def of_files() -> unveil.LinkResult:
    return unveil.link(folder() / "a.csv", str(folder() / "b.csv"), schema="person", key=_key())


@cache
def _key() -> unveil.Key:
    return unveil.Key.new()


def test_pandas_polars_duckdb_and_arrow_take_what_comes_out() -> None:
    """Without a copy: Arrow has the very memory of the result."""
    links = linked().links
    assert len(links) == len(pd.DataFrame.from_arrow(links)) == len(pl.DataFrame(links)) == pa.table(links).num_rows
    counted = duckdb.sql("select count(*) from links")
    assert counted is not None
    assert [(len(links),)] == counted.fetchall()
    once, again = (pa.table(links).column("similarity").chunk(0).buffers()[1].address for _ in range(2))
    assert once == again
    assert pa.table(linked()).equals(pa.table(links)), "the result stands for its links"


@pytest.mark.parametrize("name", ["frame.csv", "frame.parquet", "frame.json"])
def test_results_are_saved_in_the_format_that_the_name_asks_for(tmp_path: Path, name: str) -> None:
    """And nothing is overwritten unasked."""
    path = tmp_path / name
    linked().persons.write(path)
    read: dict[str, Any] = {"csv": pl.read_csv, "parquet": pl.read_parquet, "json": pl.read_json}
    assert 1000 == len(read[path.suffix[1:]](path))
    with pytest.raises(unveil.UnveilError, match="exists already"):
        linked().persons.write(path)


def test_nothing_that_a_notebook_shows_holds_a_value() -> None:
    """Notebooks are sent around with what they show."""
    result, encoded = linked(), unveil.encode(_shuffled(), key=_key())
    shown: list[Any] = [result, result.links, result.persons, result.plot(), unveil.profile(table("a")), encoded]
    text = " ".join([*map(repr, shown), *(one._repr_html_() for one in shown), result.report()])
    assert set() == {value for value in values() if value in text}
    assert "redacted" in repr(_key())


def _shuffled() -> Any:
    return pl.DataFrame(table("a")).sample(fraction=1, shuffle=True, seed=1)


@pytest.mark.parametrize("name", ["estimate", "course", "similarity", "worth"])
def test_pictures_are_saved_as_svg_that_needs_nothing_else(tmp_path: Path, name: str) -> None:
    """No variable, script or address that a viewer would not know."""
    path = tmp_path / "picture.svg"
    linked().plot(name).save(path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<svg ")
    for never in ("var(", "<script", "href", "@import", "url("):
        assert never not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_picture_that_there_is_not_is_told_with_those_there_are() -> None:
    with pytest.raises(unveil.UnveilError, match="no picture coarse") as refused:
        linked().plot("coarse")
    assert "similarity" in str(refused.value.hint)


def test_a_surname_that_pandas_takes_for_a_gap_is_warned_of(tmp_path: Path) -> None:
    """Mr NA would be linked to nobody, and nobody would know why."""
    text = (folder() / "a.csv").read_text(encoding="utf-8").splitlines()
    cells = text[1].split(",")
    cells[text[0].split(",").index("last_name")] = "NA"
    path = tmp_path / "a.csv"
    path.write_text("\n".join([text[0], ",".join(cells), *text[2:]]), encoding="utf-8")
    careless = pd.read_csv(path, dtype=str)
    with pytest.warns(unveil.UnveilWarning, match=r"a, column last_name: 1 values are missing.*keep_default_na"):
        result = unveil.link(careless, table("b"), schema="person")
    assert "keep_default_na=False" in result.warnings[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unveil.profile(pd.read_csv(path, dtype=str, keep_default_na=False))
        unveil.profile(path)


def test_one_table_handed_in_twice_is_warned_of() -> None:
    """Links of a table with itself look perfect."""
    with pytest.warns(unveil.UnveilWarning, match="500 records stand in both"):
        unveil.link(table("a"), table("a", "polars"), schema="person")


def test_what_is_no_table_is_told_with_what_would_be() -> None:
    """Lists of dictionaries are what people try first."""
    with pytest.raises(unveil.UnveilError, match="a is of type list, which offers no Arrow stream"):
        unveil.link([{"first_name": "x"}], table("b"))  # type: ignore[arg-type]


def test_columns_and_ids_of_either_table_can_be_named() -> None:
    """Two organisations name columns in their own ways."""
    b = pl.DataFrame(table("b")).rename({"last_name": "Nachname", "record_id": "Fall"})
    result = unveil.link(table("a"), b, schema="person", columns_b={"last_name": "Nachname"}, id_b="Fall", key=_key())
    assert pairs(of_files()) == pairs(result)
    numbered = unveil.link(table("a"), b.drop("Fall"), schema="person", columns_b={"last_name": "Nachname"}, id_b="row")
    assert {right for _, right in pairs(numbered)} <= set(map(str, range(1, 501)))


def test_owners_encode_and_a_unit_links_from_memory_or_from_files(tmp_path: Path) -> None:
    """The unit holds encodings and needs no key."""
    frames = [pl.DataFrame(table(side)).sample(fraction=1, shuffle=True, seed=2) for side in "ab"]
    hospital, registry = (unveil.encode(frame, key=_key(), project="p") for frame in frames)
    assert hospital.fingerprint == registry.fingerprint
    assert 0.3 < hospital.fill_rate < 0.55
    hospital.write(tmp_path / "a.parquet")
    result = unveil.link(tmp_path / "a.parquet", registry)
    assert result.estimate is not None
    assert not result.estimate.trusted
    assert pairs(unveil.link(hospital, registry)) == pairs(result)
    assert ["record_id", "filter", "block_0", "block_1", "block_2"] == pa.table(hospital).column_names
    with pytest.raises(unveil.UnveilError, match="one of the two is encodings"):
        unveil.link(hospital, table("b"))


def test_ids_that_follow_the_order_of_the_table_are_warned_of() -> None:
    """They sort the encodings back."""
    with pytest.warns(unveil.UnveilWarning, match="ids follow the order"):
        unveil.encode(table("a"), key=_key())


def test_a_key_is_saved_for_its_owner_alone_and_never_pickled(tmp_path: Path) -> None:
    """A pickle is sent around like a notebook."""
    _key().write(tmp_path / "key")
    again = unveil.Key.read(tmp_path / "key")
    assert again.owner_key == _key().owner_key
    assert 0o600 == (tmp_path / "key").stat().st_mode & 0o777
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(_key())


def test_a_threshold_links_without_any_model() -> None:
    """The plain way; there is nothing to estimate and nothing to draw."""
    result = unveil.link(table("a"), table("b"), schema="person", threshold=0.78, one_to_one=True)
    assert result.estimate is None
    assert "probability" not in result.links.column_names
    with pytest.raises(unveil.UnveilError, match="nothing to draw"):
        result.plot()


def test_a_simulation_on_ones_own_tables_is_that_of_the_command_line() -> None:
    """The same seed, the same people, the same figures."""
    truth = pl.read_csv(folder() / "truth.csv", infer_schema=False)
    run = unveil.simulate(table("a"), table("b", "polars"), truth, budget=20, seed=3)
    assert run.f1 == pl.DataFrame(run.trajectory)["f1"][-1] == run.summary()["final_f1"]
    assert run.f1 > run.summary()["initial_f1"]
    assert "<table" in run._repr_html_()
    with pytest.raises(unveil.UnveilError, match="two tables and the truth"):
        unveil.simulate(table("a"))
