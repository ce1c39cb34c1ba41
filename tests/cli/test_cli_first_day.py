"""The mistakes of a first day: each is answered by what is wrong and by the cure, and none is silent."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import Done, unveil

from unveil.lab.synthetic import generate, write

HEADER = "record_id,first_name,last_name,date_of_birth,sex,street,city"
LINK = ("link", "mine.csv", "theirs.csv", "--out", "links.csv")
WITH_SCHEMA = (*LINK, "--schema", "clinic")


@dataclass(frozen=True)
class Mistake:
    """What somebody does to the file, what they type, and what must be said of it; `fails` unless it is a warning."""

    words: str
    change: Callable[[str], str]
    command: tuple[str, ...]
    said: tuple[str, ...]
    codec: str = "utf-8"
    fails: bool = True


def same(text: str) -> str:
    return text


def renamed(text: str) -> str:
    return text.replace(HEADER, "Nr,Vorname,Nachname,Geburtsdatum,Geschlecht,Strasse,Ort")


def other_sign(text: str) -> str:
    return text.replace(",", ";")


def without_header(text: str) -> str:
    return text.split("\n", 1)[1]


def without_id(text: str) -> str:
    return "".join(line.split(",", 1)[1] + "\n" for line in text.splitlines())


def with_umlauts(text: str) -> str:
    return HEADER + text.removeprefix(HEADER).replace("E", "É")


def first_lines(count: int) -> Callable[[str], str]:
    return lambda text: "".join(line + "\n" for line in text.splitlines()[:count])


def line_changed(number: int, change: Callable[[str], str]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        lines = text.splitlines()
        lines[number] = change(lines[number])
        return "\n".join(lines) + "\n"

    return changed


def _with_age(line: str) -> str:
    cells = line.split(",")
    return ",".join([*cells[:3], f"about {cells[3][2:4]}", *cells[4:]]) + "\n"


MISTAKES = (
    Mistake(
        "the wrong delimiter",
        other_sign,
        (*LINK, "--delimiter-a", "comma"),
        ("mine.csv", "cut at the wrong sign", "leave --delimiter out"),
    ),
    Mistake(
        "the wrong delimiter, with a schema",
        other_sign,
        (*WITH_SCHEMA, "--delimiter-a", "comma"),
        ("needed columns missing", "say --delimiter semicolon"),
    ),
    Mistake("no header", without_header, LINK, ("the first line seems to be a record", "--no-header")),
    Mistake("no header, with a schema", without_header, WITH_SCHEMA, ("needed columns missing", "--no-header")),
    Mistake(
        "other column names",
        renamed,
        WITH_SCHEMA,
        ("record_id", "--column last_name=Nachname", "--column date_of_birth=Geburtsdatum", "--id row"),
    ),
    Mistake("no id", without_id, WITH_SCHEMA, ("needed column missing: record_id", "--id row")),
    Mistake(
        "an id that repeats", line_changed(3, lambda line: "a00000" + line[6:]), WITH_SCHEMA, ("row 3", "--id row")
    ),
    Mistake(
        "a column of that name is not there", same, (*LINK, "--id-a", "Nr"), ("no column Nr", "--id names a column")
    ),
    Mistake(
        "a Latin-1 file read as UTF-8",
        with_umlauts,
        (*WITH_SCHEMA, "--encoding-a", "utf-8"),
        ("mine.csv, row", "is not UTF-8", "--encoding"),
        codec="latin-1",
    ),
    Mistake(
        "a UTF-8 file read as Latin-1",
        with_umlauts,
        ("check", "mine.csv", "--encoding", "latin-1"),
        ("UTF-8", "--encoding"),
        fails=False,
    ),
    Mistake(
        "an encoding that does not exist", same, (*LINK, "--encoding", "latin1251x"), ("--encoding", "windows-1252")
    ),
    Mistake(
        "a file that is not there",
        same,
        ("link", "mein.csv", "theirs.csv", "--out", "x.csv"),
        ("no such file", "mine.csv lies there"),
    ),
    Mistake(
        "a folder in the place of a file",
        same,
        ("link", "folder", "theirs.csv", "--out", "x.csv"),
        ("is a directory", "name the file"),
    ),
    Mistake(
        "a title above the header",
        lambda text: "People of the clinic\n\n" + text,
        ("check", "mine.csv"),
        ("note: mine.csv: 1 line before the header is left out",),
        fails=False,
    ),
    Mistake(
        "a total below the records",
        lambda text: text + "Total: 150\n",
        LINK,
        ("row 151", "has 1 cell", "take the line out", "a total"),
    ),
    Mistake(
        "a total in a record's form",
        lambda text: text + "Total,150,,,,,\n",
        ("check", "mine.csv"),
        ("row 151", "seems to be a total", "take it out"),
        fails=False,
    ),
    Mistake(
        "the header once more",
        lambda text: text + text,
        WITH_SCHEMA,
        ("row 151", "is the header once more", "take the line out"),
    ),
    Mistake(
        "columns of a fixed width",
        lambda text: text.replace(",", "      "),
        LINK,
        ("nothing stands between the values", "export the file", "as CSV"),
    ),
    Mistake(
        "a column without a name",
        lambda text: text.replace("last_name", ""),
        ("check", "mine.csv"),
        ("column 3 has no name in the header", "left out"),
        fails=False,
    ),
    Mistake(
        "dates that are none",
        lambda text: HEADER + "\n" + "".join(_with_age(line) for line in text.splitlines()[1:]),
        ("check", "mine.csv"),
        ("warning: column date_of_birth: its name says day, month and year of birth", "write dates as 1944-01-09"),
        fails=False,
    ),
    Mistake(
        "options of one file where there is one",
        same,
        ("schema", "new", "--from", "mine.csv", "--out", "x.toml", "--encoding-b", "utf-8"),
        ("there is one", "leave -a and -b out"),
    ),
    Mistake("an empty file", lambda _: "", LINK, ("mine.csv: is empty", "export it again")),
    Mistake("a header alone", first_lines(1), LINK, ("a header and no records", "export it again")),
    Mistake("too few rows", first_lines(2), LINK, ("1 record: too few", "--schema")),
    Mistake(
        "a line with a cell too many",
        line_changed(2, lambda line: line + ",x"),
        LINK,
        ("row 2", "has 8 cells", "quotes"),
    ),
    Mistake(
        "a quote that is never closed", line_changed(2, lambda line: '"' + line), LINK, ("never closed", "close it")
    ),
    Mistake(
        "two columns of one name",
        lambda text: text.replace("last_name", "first_name"),
        LINK,
        ("the same name", "a name of its own"),
    ),
    Mistake(
        "an old workbook",
        lambda _: "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1",
        LINK,
        ("xls", "save it as xlsx"),
        codec="latin-1",
    ),
    Mistake("a schema that does not exist", same, (*LINK, "--schema", "clinik"), ("clinik", "did you mean clinic")),
    Mistake(
        "an attribute that does not exist",
        same,
        (*WITH_SCHEMA, "--column", "lastname=last_name"),
        ("no attribute lastname", "last_name"),
    ),
    Mistake(
        "a column that does not exist",
        same,
        (*WITH_SCHEMA, "--column", "last_name=lastname"),
        ("lastname", "--column last_name=last_name"),
    ),
    Mistake("no key file", same, (*LINK, "--key", "nokey"), ("nokey: no such file", "unveil key new")),
    Mistake("another file in the place of a key", same, (*LINK, "--key", "not.key"), ("not.key", "unveil key new")),
    Mistake(
        "encodings and records",
        same,
        ("link", "mine.parquet", "theirs.csv", "--out", "x.csv"),
        ("theirs.csv", "unveil encode makes"),
    ),
    Mistake(
        "encodings under two keys",
        same,
        ("link", "mine.parquet", "theirs.parquet", "--out", "x.csv"),
        ("different keys", "fingerprint"),
    ),
    Mistake(
        "a result that exists",
        same,
        ("link", "mine.csv", "theirs.csv", "--out", "mine.csv"),
        ("exists already", "--force"),
    ),
    Mistake(
        "a folder that is not there",
        same,
        ("link", "mine.csv", "theirs.csv", "--out", "no/links.csv"),
        ("does not exist", "mkdir -p no"),
    ),
    Mistake(
        "a format that is not written",
        same,
        ("link", "mine.csv", "theirs.csv", "--out", "links.xlsx"),
        ("not written as xlsx", "links.csv"),
    ),
    Mistake(
        "days in another notation",
        lambda text: text,
        ("check", "mine.csv", "--schema", "clinic", "--against", "german.json"),
        ("warning: date_of_birth: written", 'type = "date"'),
        fails=False,
    ),
    Mistake(
        "a file in the place of a profile",
        same,
        ("check", "mine.csv", "--against", "theirs.csv"),
        ("no profile", "--out profile.json"),
    ),
    Mistake(
        "a truth without a pair",
        same,
        ("simulate", "--data", "people", "--schema", "clinic", "--report", "r.html"),
        ("warning: the truth names no pair", "record_id_a"),
        fails=False,
    ),
    Mistake(
        "no truth",
        same,
        ("simulate", "--data", "untrue", "--schema", "clinic", "--report", "r.html"),
        ("truth.csv", "unveil link"),
    ),
    Mistake("a command that does not exist", same, ("lnik", "mine.csv", "theirs.csv"), ("No such command", "link")),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What everybody has on a first day: two files, a key, encodings, a few things that are none of these."""
    root = tmp_path_factory.mktemp("first-day")
    people = root / "people"
    write(generate(records=150, overlap=0.5, layout="clinic", seed=4), people)
    shutil.copy(people / "b.csv", root / "theirs.csv")
    (root / "folder").mkdir()
    (root / "untrue").mkdir()
    for name in ("a.csv", "b.csv"):
        shutil.copy(people / name, root / "untrue" / name)
    for key, out in (("one", "mine"), ("two", "theirs")):
        unveil("key", "new", root / f"{key}.key")
        source = people / ("a.csv" if out == "mine" else "b.csv")
        unveil("encode", source, "--schema", "clinic", "--key", root / f"{key}.key", "--out", root / f"{out}.parquet")
    with (root / "theirs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    german = io.StringIO()
    csv.writer(german).writerows([[*row[:3], ".".join(reversed(row[3].split("-"))), *row[4:]] for row in rows])
    (root / "german.csv").write_text(german.getvalue())
    unveil("check", root / "german.csv", "--schema", "clinic", "--out", root / "german.json")
    (people / "truth.csv").write_text("record_id_a,record_id_b\n")
    (root / "not.key").write_text("hello\n")
    (root / "not.key").chmod(0o600)
    return root


def run(folder: Path, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> Done:
    text = (folder / "untrue" / "a.csv").read_text(encoding="utf-8")
    (folder / "mine.csv").write_bytes(mistake.change(text).encode(mistake.codec))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "300")
    return unveil(*mistake.command)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.words)
def test_a_mistake_is_answered_with_the_cure(folder: Path, mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six tries once failed before the first link; a message that names the cure costs one."""
    done = run(folder, mistake, monkeypatch)
    said = done.stdout + done.stderr
    assert mistake.fails == (done.returncode != 0), said
    assert "Traceback" not in said
    assert [] == [part for part in mistake.said if part not in said], said


def test_no_answer_shows_a_value(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are copied into mails to whoever helps."""
    text = (folder / "untrue" / "a.csv").read_text(encoding="utf-8")
    values = {row["last_name"] for row in csv.DictReader(io.StringIO(text)) if len(row["last_name"]) > 6}
    for mistake in (one for one in MISTAKES if one.fails):
        done = run(folder, mistake, monkeypatch)
        assert set() == {value for value in values if value in done.stdout + done.stderr}, mistake.words


def test_nothing_half_done_is_left_behind(folder: Path) -> None:
    """Whoever mends the mistake types the same command again."""
    assert [] == [
        path.name for path in folder.rglob("*") if path.name in {"links.csv", "x.csv"} or "part" in path.suffix
    ]
