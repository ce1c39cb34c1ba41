"""`unveil encode`: records in, encodings out, and no value on the screen."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from sorted_register import guessed_initials, rank_correlation, sorted_register
from unveil.cli import main
from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.files import key_file as keyfile
from unveil.files.encoded import read_encodings
from unveil.files.read import read_records
from unveil.schema import built_in_text, load

SCHEMA = (
    'name = "t"\n[[attributes]]\nname = "first_name"\n[[attributes]]\nname = "zip"\n[[blocking]]\nfields = ["zip"]\n'
)
ROWS = "record_id,first_name,zip\nr1,CANARY,00501\n=r2,canaria,00501\nr3,,\n"


class Place:
    """A folder with records, a schema and a key, and the command line run in it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._patch, self._capsys = folder, monkeypatch, capsys
        (folder / "people.csv").write_text(ROWS)
        (folder / "schema.toml").write_text(SCHEMA)
        keyfile.new(folder / "key")
        monkeypatch.chdir(folder)

    def encode(self, *more: str, file: str = "people.csv", key: str = "key") -> tuple[int, str, str]:
        """Exit code, output and errors; whatever happens, no value and no secret is among them."""
        words = ["encode", file, "--key", key, "--schema", "schema.toml", "--out", "out.parquet", *more]
        self._patch.setattr(sys, "argv", ["unveil", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self._capsys.readouterr()
        assert "CANARY" not in out + err
        assert (self.folder / "key").read_text().splitlines()[1] not in out + err
        return int(ended.value.code or 0), out, err


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, monkeypatch, capsys)


def test_the_file_holds_what_the_encoder_makes(place: Place) -> None:
    """Ids stay the owner's own, so that links can be traced back."""
    assert 0 == place.encode("--project", "p")[0]
    found = read_encodings(place.folder / "out.parquet")
    assert "unveil" == found.metadata["origin"]
    schema = load(place.folder / "schema.toml")
    records = read_records(place.folder / "people.csv", schema)
    encoder = Encoder(schema, OwnerKey(keyfile.read(place.folder / "key")), project="p")
    assert {"r1", "=r2", "r3"} == set(found.ids)
    rows = [records.ids.index(name) for name in found.ids]
    assert encoder.m == found.m
    np.testing.assert_array_equal(encoder.record_level(records)[rows], found.filters)
    np.testing.assert_array_equal(encoder.blocking_keys(records)[rows], found.blocking)
    assert encoder.fingerprint().hex() == found.metadata["fingerprint"]


def test_the_order_of_the_file_is_not_that_of_a_sorted_register(place: Place) -> None:
    """Neither places nor initials can be read off it; the ids, which follow nothing here, stay with their records."""
    people = sorted_register(1000)
    columns = [people.columns[name].values() for name in ("first_name", "zip")]
    lines = [",".join(row) for row in zip(people.ids, *columns, strict=True)]
    (place.folder / "people.csv").write_text("\n".join(["record_id,first_name,zip", *lines]))
    code, _, err = place.encode()
    assert (0, "") == (code, err)
    places = {name: row for row, name in enumerate(people.ids)}
    order = [places[name] for name in read_encodings(place.folder / "out.parquet").ids]
    assert list(range(1000)) == sorted(order)
    assert abs(rank_correlation(order)) < 0.16, "five standard deviations"
    right, constant = guessed_initials(people, order)
    assert right < constant
    sure, _ = guessed_initials(people, range(1000))
    assert sure > 0.75, "the control: as the file has them"


def test_ids_that_number_the_records_are_warned_of(place: Place) -> None:
    """They sort the encodings back, however often these are shuffled."""
    lines = [f"{row},ann,00501" for row in range(100)]
    (place.folder / "people.csv").write_text("\n".join(["record_id,first_name,zip", *lines]))
    code, _, err = place.encode()
    assert 0 == code
    assert "note: the record ids follow the order of the file" in " ".join(err.split())


def test_the_file_says_how_it_was_made_and_nothing_secret(place: Place) -> None:
    """Whoever gets the file can see whether it fits theirs; the key is nowhere in its bytes."""
    place.encode("--project", "p")
    metadata = read_encodings(place.folder / "out.parquet").metadata
    assert ("t", "p", "first_name,zip") == (metadata["schema"], metadata["project"], metadata["attributes"])
    assert load(place.folder / "schema.toml").fingerprint() == metadata["schema_fingerprint"]
    assert 1024 == json.loads(metadata["encoding"])["m"]
    assert datetime.fromisoformat(metadata["created"]).tzinfo is not None
    data, secret = (place.folder / "out.parquet").read_bytes(), keyfile.read(place.folder / "key")
    for text in (secret, secret.hex().encode(), (place.folder / "key").read_bytes().split()[1], b"CANARY", b"00501"):
        assert text not in data


def test_the_result_is_printed(place: Place) -> None:
    """Count, fill rate, file, fingerprint."""
    code, out, _ = place.encode()
    fingerprint = read_encodings(place.folder / "out.parquet").metadata["fingerprint"]
    assert 0 == code
    for said in ("3 records written to out.parquet", "fill rate", fingerprint):
        assert said in out


def test_json_tells_the_same(place: Place) -> None:
    """The fill rate is the share of set bits."""
    _, out, _ = place.encode("--json")
    found = read_encodings(place.folder / "out.parquet")
    expected = {
        "file": "out.parquet",
        "records": 3,
        "m": 1024,
        "blocking_keys": 1,
        "fill_rate": round(float(np.bitwise_count(found.filters).sum()) / (3 * 1024), 4),
        "fingerprint": found.metadata["fingerprint"],
    }
    assert expected == json.loads(out)


def test_another_project_or_key_gives_other_encodings(place: Place) -> None:
    """The fingerprint shows it before anybody compares in vain."""
    keyfile.new(place.folder / "other")
    prints = [
        json.loads(place.encode("--json", "--force", "--project", project, key=key)[1])["fingerprint"]
        for project, key in (("p", "key"), ("q", "key"), ("p", "other"), ("p", "key"))
    ]
    assert prints[0] == prints[3]
    assert 3 == len(set(prints))


def test_randomised_response_is_drawn_afresh(place: Place) -> None:
    """Noise that is the same every time could be taken off again."""
    steps = "[layer_r]\nhardening = [{method = 'randomised-response', f = 0.5}]\n"
    (place.folder / "schema.toml").write_text(SCHEMA + steps)
    filters = []
    for _ in range(2):
        assert 0 == place.encode("--force")[0]
        filters.append(read_encodings(place.folder / "out.parquet").filters)
    assert not np.array_equal(filters[0], filters[1])


def test_an_existing_file_is_replaced_only_when_told(place: Place) -> None:
    """It may be hours of somebody's work."""
    (place.folder / "out.parquet").write_text("old")
    code, out, err = place.encode()
    assert (1, "", "old") == (code, out, (place.folder / "out.parquet").read_text())
    assert "exists already" in err
    assert "--force" in err
    assert 0 == place.encode("--force")[0]
    assert 3 == len(read_encodings(place.folder / "out.parquet"))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("people.csv", ROWS + "r1,CANARY,1\n", "people.csv, row 4, column record_id: has the same id as row 1"),
        ("people.csv", ROWS + "r4,CANARY\n", "people.csv, row 4: has 2 cells"),
        ("people.csv", "a,b\nCANARY,CANARY\n", "needed columns missing: record_id, first_name, zip"),
        ("schema.toml", SCHEMA + "q = 3", "blocking.0.q: unknown key"),
        ("key", "CANARY\nCANARY\n", "is not a key file of Unveil"),
    ],
)
def test_a_mistake_ends_with_1_a_line_and_no_file(place: Place, name: str, text: str, said: str) -> None:
    """And never with a traceback."""
    (place.folder / name).write_text(text)
    code, out, err = place.encode()
    assert (1, "") == (code, out)
    assert err.startswith("unveil: error: ")
    assert said in err
    assert {"people.csv", "schema.toml", "key"} == {path.name for path in place.folder.iterdir()}


def test_a_key_that_others_can_read_is_refused(place: Place) -> None:
    """Before a single record is read."""
    (place.folder / "key").chmod(0o644)
    code, _, err = place.encode(file="none.csv")
    assert 1 == code
    assert "chmod 600" in err


def test_the_built_in_schema_is_the_default(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first try needs no schema."""
    names = [line.split('"')[1] for line in built_in_text().splitlines() if line.startswith("name = ")][1:]
    (place.folder / "p.csv").write_text(",".join(["record_id", *names]) + "\n1" + ",x" * len(names) + "\n")
    monkeypatch.setattr(sys, "argv", ["unveil", "encode", "p.csv", "--key", "key", "--out", "p.parquet"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert (1, 3) == read_encodings(place.folder / "p.parquet").blocking.shape[:2]


def test_wrong_usage_ends_with_2(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is named by its file; there is no way to pass it as an argument."""
    assert 2 == place.encode("--nothing")[0]
    monkeypatch.setattr(sys, "argv", ["unveil", "encode", "people.csv", "--out", "out.parquet"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert 2 == ended.value.code


def test_help_gives_an_example(place: Place) -> None:
    """Most people begin with one."""
    code, out, _ = place.encode("--help")
    assert (0, True) == (code, "Example: unveil encode people.csv" in out)
