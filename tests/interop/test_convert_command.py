"""`unveil encode --clkhash-schema`, `convert` and `link` as a person runs them, and the page that shows them."""

from __future__ import annotations

import base64
import csv
import json
import re
import shlex
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil.cli import main
from unveil.files.encoded import read_encodings
from unveil.interop.formats import FORMATS
from unveil.lab.synthetic import generate
from unveil.lab.synthetic.write import write

VECTORS = Path(__file__).parents[1] / "vectors" / "interop"
PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
SECRET = "geheim: 祕密 und 42 Zeichen"
FEATURES = ("first_name", "last_name", "date_of_birth", "street", "city")


class Place:
    """A folder with two registers, a linkage schema and a secret, and the command line run in it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._patch, self._capsys = folder, monkeypatch, capsys
        write(generate(records=400, overlap=0.4, layout="clinic", seed=1), folder / "people")
        for side, name in (("a", "hospital"), ("b", "registry")):
            (folder / "people" / f"{side}.csv").rename(folder / f"{name}.csv")
        (folder / "linkage.json").write_text(json.dumps(linkage()))
        self.secret(SECRET)
        monkeypatch.chdir(folder)

    def secret(self, text: str, mode: int = 0o600) -> None:
        path = self.folder / "secret.txt"
        path.unlink(missing_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        path.chmod(mode)

    def run(self, line: str) -> tuple[int, str, str]:
        """Exit code, output and errors of a command line; no secret is among them."""
        self._patch.setattr("sys.argv", ["unveil", *shlex.split(line)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self._capsys.readouterr()
        assert "geheim" not in out + err
        return int(ended.value.code or 0), out, err

    def done(self, line: str) -> str:
        """What a command prints that ends well."""
        code, out, err = self.run(line)
        assert 0 == code, (line, err)
        return out + err

    def refused(self, line: str) -> str:
        """What a command says that refuses."""
        code, _, err = self.run(line)
        assert 1 == code
        return err


def linkage() -> dict[str, Any]:
    """A linkage schema for the register of a clinic."""
    comparison = {"type": "ngram", "n": 2, "positional": False}
    hashing = {"comparison": comparison, "strategy": {"bitsPerFeature": 100}}
    features = [{"identifier": name, "format": {"type": "string"}, "hashing": hashing} for name in FEATURES]
    ignored = [{"identifier": name, "ignored": True} for name in ("record_id", "sex")]
    return {"version": 3, "clkConfig": {"l": 1024, "kdf": {"type": "HKDF"}}, "features": [*ignored, *features]}


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, monkeypatch, capsys)


def test_encode_writes_the_file_that_clkhash_writes(place: Place) -> None:
    """The same people, schema and secret as the real package had: the same bytes."""
    said = place.done("encode hospital.csv --clkhash-schema linkage.json --key secret.txt --out clks.json")
    assert (VECTORS / "clks-a.json").read_bytes() == (place.folder / "clks.json").read_bytes()
    assert "in the order of the file" in said


def test_a_parquet_file_is_in_random_order_and_keeps_the_ids(place: Place) -> None:
    """Ids stay with their CLKs; the order of a sorted register would tell who is who."""
    said = place.done("encode hospital.csv --clkhash-schema linkage.json --key secret.txt --out own.parquet")
    file = read_encodings(place.folder / "own.parquet")
    clks = json.loads((VECTORS / "clks-a.json").read_text())["clks"]
    theirs = dict(zip((row["record_id"] for row in rows_in(place.folder / "hospital.csv")), clks, strict=True))
    assert list(file.ids) != list(theirs)
    raw = np.packbits(np.unpackbits(file.filters.view(np.uint8), axis=1, bitorder="little"), axis=1)
    assert theirs == dict(zip(file.ids, (base64.b64encode(row).decode() for row in raw), strict=True))
    assert "clkhash" == file.origin
    assert file.metadata["fingerprint"] in said


def test_anonlinks_pairs_are_ours(place: Place) -> None:
    """CLKs of the real clkhash, compared by the real anonlink: the same pairs, with the same similarity."""
    theirs = json.loads((VECTORS / "anonlink.json").read_text())
    for side, name in (("a", "hospital"), ("b", "registry")):
        place.done(f"convert {VECTORS / f'clks-{side}.json'} --to unveil --ids {name}.csv --out {side}.parquet")
    place.done(f"link a.parquet b.parquet --threshold {theirs['threshold']} --all-pairs --out links.csv")
    ids = [[row["record_id"] for row in rows_in(place.folder / f"{name}.csv")] for name in ("hospital", "registry")]
    expected = {(ids[0][one[1]], ids[1][other[1]]): score for one, other, score in theirs["scores"]}
    found = {(row["record_id_a"], row["record_id_b"]): float(row["similarity"]) for row in rows_in(Path("links.csv"))}
    assert expected.keys() == found.keys()
    assert all(abs(expected[pair] - found[pair]) < 1e-6 for pair in found)


@pytest.mark.parametrize("file", ["anonlink", "anonlink-ties"])
def test_anonlinks_groups_are_our_one_to_one_links(place: Place, file: str) -> None:
    """
    Its greedy solver goes on with records whose best is taken, and so does ours.

    Of the second file's pairs hardly any has a similarity of its own: there, who comes first decides, too.
    """
    theirs = json.loads((VECTORS / f"{file}.json").read_text())
    for at, side in enumerate("ab"):
        clks = (
            theirs["clks"][at] if "clks" in theirs else json.loads((VECTORS / f"clks-{side}.json").read_text())["clks"]
        )
        (place.folder / f"{side}.json").write_text(json.dumps({"clks": clks}))
        place.done(f"convert {side}.json --to unveil --out {side}.parquet --force")
    how = f"--threshold {theirs['threshold']} --all-pairs --one-to-one"
    place.done(f"link a.parquet b.parquet {how} --out links.csv --force")
    found = {(row["record_id_a"], row["record_id_b"]) for row in rows_in(Path("links.csv"))}
    assert len(theirs["groups"]) > 50
    assert {tuple(str(1 + row) for _, row in sorted(group)) for group in theirs["groups"]} == found


def test_the_models_link_clks_too(place: Place) -> None:
    """With an estimate of how good the links are, and near it."""
    for name in ("hospital", "registry"):
        place.done(f"encode {name}.csv --clkhash-schema linkage.json --key secret.txt --out {name}.parquet")
    assert "estimated precision" in place.done("link hospital.parquet registry.parquet --out links.csv")
    truth = {tuple(row.values()) for row in rows_in(place.folder / "people" / "truth.csv")}
    found = {(row["record_id_a"], row["record_id_b"]) for row in rows_in(place.folder / "links.csv")}
    assert len(found & truth) > 0.9 * len(found)
    assert len(found & truth) > 0.7 * len(truth)


def test_mixed_origins_are_refused_and_the_cure_is_named(place: Place) -> None:
    """The bits would be compared without complaint, and nobody found."""
    place.done("key new project.key")
    place.done("encode hospital.csv --schema clinic --key project.key --out own.parquet")
    place.done("encode registry.csv --clkhash-schema linkage.json --key secret.txt --out clks.parquet")
    for more in ("", "--threshold 0.5 --all-pairs"):
        said = place.refused(f"link own.parquet clks.parquet --out links.csv {more}")
        assert "the first file holds encodings of unveil, and the second one of clkhash" in said
        assert "unveil encode --clkhash-schema" in said
    assert not Path("links.csv").exists()


def test_encodings_that_came_by_way_of_another_format_keep_their_origin(place: Place) -> None:
    """Said once, and the way back is open; said by nobody, they are that tool's."""
    place.done("key new project.key")
    place.done("encode hospital.csv --schema clinic --key project.key --out own.parquet")
    assert "--origin unveil" in place.done("convert own.parquet --to clkhash --out clks.json")
    place.done("convert clks.json --to unveil --origin unveil --out back.parquet")
    own, back = (read_encodings(place.folder / f"{name}.parquet") for name in ("own", "back"))
    assert "unveil" == back.origin
    assert own.filters.tolist() == back.filters.tolist()
    assert "no origin" in place.refused("convert clks.json --to unveil --origin unveill --out other.parquet")


def test_another_secret_or_schema_is_refused_where_it_shows(place: Place) -> None:
    """Files that Unveil made say so; those that clkhash made cannot, and are taken."""
    place.done("encode hospital.csv --clkhash-schema linkage.json --key secret.txt --out hospital.parquet")
    place.secret("another")
    place.done("encode registry.csv --clkhash-schema linkage.json --key secret.txt --out registry.parquet")
    assert "different keys" in place.refused("link hospital.parquet registry.parquet --out links.csv")
    place.done(f"convert {VECTORS / 'clks-b.json'} --to unveil --out clks.parquet")
    place.done("link hospital.parquet clks.parquet --threshold 0.8 --all-pairs --out links.csv")


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        ("x", 0o644, "others on this machine can read it"),
        ("", 0o600, "holds no secret"),
        ("unveil-key-1\nA", 0o600, "is a key file"),
    ],
)
def test_a_secret_is_kept_as_a_key_is(text: str, mode: int, said: str, place: Place) -> None:
    """It opens the same doors."""
    place.secret(text, mode)
    assert said in place.refused("encode hospital.csv --clkhash-schema linkage.json --key secret.txt --out a.parquet")


def test_a_value_that_does_not_fit_the_schema_is_named_by_row_and_column(place: Place) -> None:
    """And never by itself."""
    schema = linkage()
    schema["features"][4]["format"] = {"type": "date", "format": "%d.%m.%Y"}
    (place.folder / "dates.json").write_text(json.dumps(schema))
    said = place.refused("encode hospital.csv --clkhash-schema dates.json --key secret.txt --out a.parquet")
    assert "hospital.csv, row 1, column date_of_birth: is no date in the format %d.%m.%Y" in said
    assert "missingValue" in said
    assert rows_in(place.folder / "hospital.csv")[0]["date_of_birth"] not in said


def test_columns_with_other_names_are_named(place: Place) -> None:
    """As for any other schema."""
    text = (place.folder / "hospital.csv").read_text()
    (place.folder / "other.csv").write_text(text.replace("first_name", "Vorname", 1).replace("record_id", "PatNr", 1))
    line = "encode other.csv --clkhash-schema linkage.json --key secret.txt --out clks.json"
    assert "first_name" in place.refused(line)
    place.done(f"{line} --column first_name=Vorname --id PatNr")
    assert (VECTORS / "clks-a.json").read_bytes() == (place.folder / "clks.json").read_bytes()


def test_whoever_links_clks_as_they_are_is_told_to_convert_them(place: Place) -> None:
    """It is what one tries first."""
    path = VECTORS / "clks-a.json"
    said = place.refused(f"link {path} {path} --out links.csv")
    assert "is a file of CLKs" in said
    assert "unveil convert" in said


def test_formats_lists_what_there_is(place: Place) -> None:
    """And the page does, too."""
    found = json.loads(place.done("formats --json"))["formats"]
    assert list(FORMATS) == [one["format"] for one in found]
    assert "[party, row]" in place.done("formats")
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in FORMATS)


def test_every_command_of_the_page_runs(place: Place) -> None:
    """In the order in which it stands there, on files as it describes them."""
    for side, name in (("b", "registry-clks"),):
        (place.folder / f"{name}.json").write_bytes((VECTORS / f"clks-{side}.json").read_bytes())
    theirs = json.loads((VECTORS / "anonlink.json").read_text())
    (place.folder / "groups.json").write_text(json.dumps(theirs["groups"]))
    (place.folder / "primat.csv").write_text("1,AQIAAAAAAAAE\n2,gEA=\n")
    ids = [row["record_id"] for row in rows_in(place.folder / "hospital.csv")]
    (place.folder / "site.csv").write_text("record_id\n" + "\n".join(ids) + "\n")
    with zipfile.ZipFile(place.folder / "site.zip", "w") as archive:
        archive.writestr("output/name-sex-dob-zip.json", (VECTORS / "clks-a.json").read_text())
        archive.writestr("output/metadata-20260102.json", json.dumps({"number_of_records": len(ids)}))
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("unveil ")]
    assert len(lines) >= 15
    for line in lines:
        place.done(line.removeprefix("unveil "))
    assert rows_in(place.folder / "predicted.csv")
