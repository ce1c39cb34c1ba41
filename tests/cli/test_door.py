"""
The one door to the terminal: whatever a command shows of what others wrote, nothing of it steers.

Each test plants ESC, a C1 control, a control of direction and a line feed where another party could put them.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import sqlite3
import unicodedata
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import Done, unveil
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from rich.text import Text

from unveil.cli.door import Terminal, say, say_error, say_failure, say_lines
from unveil.cli.owner.screen import WorkScreen
from unveil.cli.owner.status_lines import unit_line
from unveil.cli.review.drawing import BatchProgress, ReviewScreen
from unveil.roles.review_unit.display import ReviewablePair
from unveil.roles.review_unit.masking import Stage
from unveil.runtime.owner.status import UnitAnswer
from unveil.schema import built_in
from unveil.storage.database import Database
from unveil.transport.failures import Rejected
from unveil.transport.status import read_status

EVIL = "\x1b[2J\x9b31m\u202eevil\nforged: line"
CLI = Path(__file__).parents[2] / "src" / "unveil" / "cli"
#: What prints, and may be called in the door alone.
PRINTS = {"typer.echo", "typer.secho", "typer.confirm", "print", "Console", "sys.stdout.write", "sys.stderr.write"}


def harmless(text: str) -> str:
    """The text, once it is known that nothing in it steers and no line is forged; something must have been planted."""
    assert "evil" in text
    assert {"\n"} >= {each for each in text if unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
    assert not any(line.startswith("forged") for line in text.splitlines())
    return text


def shown(done: Done) -> str:
    """All that a command printed; it ended as commands end."""
    assert done.returncode in {0, 1, 2}
    assert "a defect of Unveil" not in done.stderr
    return harmless(done.stdout + done.stderr)


def calls(tree: ast.AST) -> list[str]:
    """What a file calls, as it is written."""
    return [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: str(path.relative_to(CLI)))
def test_nothing_is_printed_but_through_the_door(path: Path) -> None:
    """A place that is forgotten would not be missed otherwise."""
    found = PRINTS & set(calls(ast.parse(path.read_text(encoding="utf-8"))))
    assert (found != set()) == (path.name == "door.py")


def certificate(path: Path) -> Path:
    """A certificate of somebody who chose their name with care."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, EVIL),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, EVIL),
        ]
    )
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=9))
        .sign(key, SHA256())
    )
    path.write_bytes(made.public_bytes(Encoding.PEM))
    return path


def test_the_subject_of_a_certificate(tmp_path: Path) -> None:
    """Shown before its key is entered in a project file; as JSON it is told whole."""
    path = certificate(tmp_path / "theirs.pem")
    assert "\\u001b[2J\\u009b31m\\u202eevil\\u000aforged" in shown(unveil("pki", "show", path))
    told = unveil("pki", "show", path, "--json")
    harmless(told.stdout)
    assert EVIL in json.loads(told.stdout)["subject"]


def table(path: Path, columns: list[str]) -> Path:
    """A file of records with such columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        names = ["Anna", "Berta", "Carla", "Doris", "Emil", "Fritz", "Gerd", "Hans", "Ida", "Jutta", "Karl"]
        for row in range(60):
            writer.writerow([row, *(names[(row * place + place) % 11] for place in range(1, len(columns)))])
    return path


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_the_columns_of_a_table(tmp_path: Path, more: list[str]) -> None:
    """A header is written by whoever exports the file; the schema that is proposed still names the column."""
    path = table(tmp_path / "people.csv", ["id", "last_name", EVIL.replace("\n", " "), "evil\u202e"])
    shown(unveil("schema", "propose", path, *more))


def test_columns_that_are_missing(tmp_path: Path) -> None:
    """The error names those that are there."""
    path = table(tmp_path / "people.csv", ["record_id", f"last_name{EVIL}", "evil\x9b"])
    done = unveil("schema", "check", "--data", path)
    assert done.returncode
    for text in (done.stderr, unveil("schema", "propose", path, "--id", "evil\x1b").stderr):
        assert "\x1b" not in text
        assert "\x9b" not in text


@pytest.mark.parametrize("text", ['name = "x"\n"ev\\u001b[2Jil\\nevil" = 1\n', 'name = "evil\\u009b\\nforged: x"\n'])
@pytest.mark.parametrize("command", [("schema", "check"), ("project", "show")])
def test_keys_and_values_of_a_settings_file(tmp_path: Path, command: tuple[str, str], text: str) -> None:
    """A project file comes by mail."""
    path = tmp_path / "theirs.toml"
    path.write_text(text, encoding="utf-8")
    shown(unveil(*command, path))


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_the_names_in_a_database(tmp_path: Path, more: list[str]) -> None:
    """An auditor looks at what somebody else wrote."""
    path = tmp_path / "unit.sqlite"
    with Database.open(path, role="record unit") as database:
        log = database.project("flu")
        log.append(kind="decision", body=b"d", time=1.0)
        log.close({EVIL: 1}, {})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE projects SET name = ?, identity = ?, state = ?", [EVIL, EVIL, EVIL])
    shown(unveil("audit", "verify", path, *more))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE projects SET name = 'flu', identity = '', state = 'closed'")
    shown(unveil("audit", "kept", path, "--project", "flu", *more))


def test_the_name_of_a_file(tmp_path: Path) -> None:
    """It may have come in an archive."""
    shown(unveil("key", "import", tmp_path / EVIL, "--out", tmp_path / "k"))
    shown(unveil("pki", "show", tmp_path / EVIL))
    assert 0 == unveil("key", "new", tmp_path / "k").returncode
    shown(unveil("encode", tmp_path / EVIL, "--key", tmp_path / "k", "--out", tmp_path / "o"))


def test_what_a_unit_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Its status, why it took no message, why it cannot be reached; a count that is no number is not known."""
    status = read_status({"role": "record unit", "kept_pairs": EVIL, "refused": {"owner a": EVIL}, "state": "open"})
    say_lines(["record unit    " + unit_line(UnitAnswer(status)), unit_line(UnitAnswer(None, EVIL))])
    say_failure(Rejected(EVIL))
    say_error(EVIL, EVIL)
    say(EVIL, err=True)
    printed = capsys.readouterr()
    assert "kept pairs" not in harmless(printed.out)
    harmless(printed.err)


@pytest.mark.parametrize("terminal", [True, False])
def test_what_goes_wrong_while_an_owner_works(terminal: bool) -> None:  # noqa: FBT001
    """On a line that is drawn anew again and again, and as lines; the console's own movements are its own."""
    out = io.StringIO()
    console = Terminal(file=out, force_terminal=terminal, width=200, color_system=None)
    with WorkScreen(console, live=True) as screen:
        screen.note(EVIL)
        screen.show_phase(EVIL)
        screen.trouble("record unit", EVIL)
    text = out.getvalue()
    assert "\\u001b[2J\\u009b31m\\u202eevil\\u000aforged" in text
    assert not any(each in text for each in ("\x1b[2J", "\x9b", "\u202e", "\nforged"))


def test_values_that_a_reviewer_is_shown() -> None:
    """They are another owner's, and a reviewer has opened them whole."""
    schema = built_in()
    name = schema.names[0]
    pair = ReviewablePair(
        bytes(16), dict.fromkeys(schema.names, "equal") | {name: "shown"}, {name: (EVIL, EVIL[1:] + "s")}, {}
    )
    out = io.StringIO()
    console = Terminal(file=out, width=200, height=60, color_system=None)
    screen = ReviewScreen(console, schema)
    console.print(screen.pair(BatchProgress(1, [], 0, 5), pair, {name: Stage.FULL}, row=0, confidence="6"))
    harmless(out.getvalue())


def test_a_table_and_a_text_of_the_console() -> None:
    """Whatever is rendered goes through the same door, markup and styles included."""
    out = io.StringIO()
    console = Terminal(file=out, width=200, force_terminal=True)
    console.print(Text("evil \x1b]0;title\x07 \x9b2J \u202e"), "[bold]evil \x1b[5n[/bold]")
    text = out.getvalue()
    assert not any(each in text for each in ("\x1b]0", "\x07", "\x9b", "\u202e", "\x1b[5n"))
    assert "\x1b[1m" in text  # bold is the console's own
