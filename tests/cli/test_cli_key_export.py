"""`unveil key export`, `import` and `fingerprint`: a key reaches the other owners, and nobody else."""

from __future__ import annotations

import getpass
import io
import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from command_line import unveil

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.files import key_file as keyfile
from unveil.files import sealed_key as sealed
from unveil.schema import built_in

PASSPHRASE = "five words drawn at random"


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least cost, for speed; what a real export costs is tested beside the cryptography."""
    seal = sealed.seal
    monkeypatch.setattr(sealed, "seal", lambda secret, passphrase: seal(secret, passphrase, cost=14))


@pytest.fixture
def key(tmp_path: Path) -> Path:
    keyfile.new(tmp_path / "do.key")
    return tmp_path / "do.key"


def passphrase_file(tmp_path: Path, text: str = PASSPHRASE + "\n", mode: int = 0o600) -> Path:
    path = tmp_path / "passphrase"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_a_key_travels_sealed(tmp_path: Path, key: Path) -> None:
    """Exported, mailed, imported: the same key, in files for one pair of eyes, and never printed."""
    words = ("--passphrase-file", passphrase_file(tmp_path))
    out = unveil("key", "export", key, "--out", tmp_path / "sealed", *words)
    assert (0, f"sealed key written to {tmp_path / 'sealed'}\n") == (out.returncode, out.stdout)
    assert "another way than the file" in out.stderr
    (tmp_path / "sealed").chmod(0o644)  # as a mail program leaves it
    back = unveil("key", "import", tmp_path / "sealed", "--out", tmp_path / "copy.key", *words)
    assert (0, f"key written to {tmp_path / 'copy.key'}\n") == (back.returncode, back.stdout)
    assert keyfile.read(key) == keyfile.read(tmp_path / "copy.key")
    assert 0o600 == stat.S_IMODE((tmp_path / "copy.key").stat().st_mode)
    secret = key.read_text().split()[1]
    assert secret not in out.stdout + out.stderr + back.stdout + back.stderr + (tmp_path / "sealed").read_text()


def test_a_sealed_key_is_first_readable_by_its_owner_alone(tmp_path: Path, key: Path) -> None:
    """Who may have it is the owner's to decide."""
    unveil("key", "export", key, "--out", tmp_path / "s", "--passphrase-file", passphrase_file(tmp_path), "--json")
    assert 0o600 == stat.S_IMODE((tmp_path / "s").stat().st_mode)


def test_json_is_one_object_and_nothing_beside_it(tmp_path: Path, key: Path) -> None:
    """For scripts."""
    words = ("--passphrase-file", passphrase_file(tmp_path), "--json")
    done = unveil("key", "export", key, "--out", tmp_path / "s", *words)
    assert ({"file": str(tmp_path / "s")}, "") == (json.loads(done.stdout), done.stderr)
    done = unveil("key", "import", tmp_path / "s", "--out", tmp_path / "k", *words)
    assert ({"file": str(tmp_path / "k")}, "") == (json.loads(done.stdout), done.stderr)


def answers(monkeypatch: pytest.MonkeyPatch, *typed: str) -> Iterator[str]:
    left = iter(typed)
    monkeypatch.setattr(getpass, "getpass", lambda *_, **__: next(left))
    return left


def test_the_passphrase_is_asked_for_twice_at_export_and_once_at_import(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip of the finger would lock everybody out; it is asked again until both agree."""
    left = answers(monkeypatch, PASSPHRASE, "slip", PASSPHRASE, PASSPHRASE, "one too many")
    done = unveil("key", "export", key, "--out", tmp_path / "s", "--own-passphrase")
    assert (0, "one too many") == (done.returncode, next(left))
    assert PASSPHRASE not in done.stdout + done.stderr
    left = answers(monkeypatch, PASSPHRASE, "one too many")
    assert 0 == unveil("key", "import", tmp_path / "s", "--out", tmp_path / "k").returncode
    assert "one too many" == next(left)
    assert keyfile.read(key) == keyfile.read(tmp_path / "k")


def test_a_passphrase_is_no_argument(tmp_path: Path, key: Path) -> None:
    """Arguments are seen by everybody on the machine."""
    assert 2 == unveil("key", "export", key, "--out", tmp_path / "s", "--passphrase", PASSPHRASE).returncode


def test_a_weak_passphrase_exports_nothing(tmp_path: Path, key: Path) -> None:
    """And is not repeated."""
    path = passphrase_file(tmp_path, "hunter2\n")
    done = unveil("key", "export", key, "--out", tmp_path / "s", "--passphrase-file", path)
    assert 1 == done.returncode
    assert done.stderr.startswith("unveil: error: the passphrase is too weak")
    assert "hunter2" not in done.stderr
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(("mode", "words"), [(0o644, "others on this machine"), (0o600, "not UTF-8")])
def test_a_passphrase_file_that_will_not_do(tmp_path: Path, key: Path, mode: int, words: str) -> None:
    """Readable by others, or no text."""
    path = passphrase_file(tmp_path, mode=mode)
    path.write_bytes(b"\xff" * 30)
    done = unveil("key", "export", key, "--out", tmp_path / "s", "--passphrase-file", path)
    assert 1 == done.returncode
    assert words in done.stderr


def test_wrong_passphrase_and_damage_look_the_same(tmp_path: Path, key: Path) -> None:
    """And leave no file behind."""
    unveil("key", "export", key, "--out", tmp_path / "s", "--passphrase-file", passphrase_file(tmp_path))
    target = ("--out", tmp_path / "k", "--passphrase-file")
    wrong = unveil("key", "import", tmp_path / "s", *target, passphrase_file(tmp_path, "quite another one"))
    lines = (tmp_path / "s").read_text().splitlines()
    lines[1] = lines[1][:-1] + ("A" if lines[1][-1] != "A" else "B")
    (tmp_path / "s").write_text("\n".join(lines))
    damaged = unveil("key", "import", tmp_path / "s", *target, passphrase_file(tmp_path))
    assert (1, wrong.stderr) == (wrong.returncode, damaged.stderr)
    assert "the passphrase is wrong or the file is damaged" in wrong.stderr
    assert not (tmp_path / "k").exists()


def test_another_file_is_told_from_a_sealed_key(tmp_path: Path, key: Path) -> None:
    """Before a passphrase is asked for."""
    done = unveil("key", "import", key, "--out", tmp_path / "k")
    assert (1, True) == (done.returncode, "is not a sealed key of Unveil" in done.stderr)
    assert key.read_text().split()[1] not in done.stderr


@pytest.mark.parametrize("command", ["export", "import"])
def test_an_existing_file_is_kept(tmp_path: Path, key: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody types a passphrase for nothing."""
    answers(monkeypatch)
    (tmp_path / "s").write_text(sealed.seal(keyfile.read(key), PASSPHRASE))
    (tmp_path / "there").symlink_to("nowhere")
    done = unveil("key", command, key if command == "export" else tmp_path / "s", "--out", tmp_path / "there")
    assert 1 == done.returncode
    assert "exists already" in done.stderr
    assert not (tmp_path / "nowhere").exists()


def test_owners_compare_a_fingerprint_of_key_and_project(tmp_path: Path, key: Path) -> None:
    """The one that the protocol compares; another key gives another."""
    project = tmp_path / "project.toml"
    plain = ("--preset", "schema", "--decoys", "0", "--evenness", "0", "--further-attributes", "0")
    assert 0 == unveil("project", "new", project, "--name", "trial", *plain).returncode
    done = unveil("key", "fingerprint", key, "--project", project)
    expected = Encoder(built_in(), OwnerKey(keyfile.read(key)), project="trial").fingerprint().hex()
    assert (0, expected + "\n") == (done.returncode, done.stdout)
    keyfile.new(tmp_path / "other.key")
    other = json.loads(unveil("key", "fingerprint", tmp_path / "other.key", "--project", project, "--json").stdout)
    assert "trial" == other["project"]
    assert expected != other["fingerprint"]


def test_without_a_terminal_the_option_is_named(tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library would read the passphrase from a pipe, in plain sight."""
    monkeypatch.setattr(getpass, "getpass", getpass.fallback_getpass)  # type: ignore[attr-defined]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSPHRASE}\n{PASSPHRASE}\n"))
    done = unveil("key", "export", key, "--out", tmp_path / "s", "--own-passphrase")
    assert (1, False) == (done.returncode, (tmp_path / "s").exists())
    assert "no terminal to ask for the passphrase\nhint: --passphrase-file names a file" in done.stderr
    assert "GetPassWarning" not in done.stderr


def test_a_sealed_copy_is_not_a_key(tmp_path: Path, key: Path) -> None:
    """Its hints are about copies: another may be made at any time, and import makes a key of it."""
    (tmp_path / "s").write_text(sealed.seal(keyfile.read(key), PASSPHRASE))
    (tmp_path / "s").chmod(0o644)
    done = unveil("key", "export", key, "--out", tmp_path / "s")
    assert done.stderr.endswith("exists already\nhint: choose another name for the sealed copy\n")
    done = unveil("key", "export", tmp_path / "s", "--out", tmp_path / "t")
    assert "s: is a sealed key, not a key file\nhint: unveil key import opens it" in done.stderr


def test_a_missing_key_may_be_another_owners_to_send(tmp_path: Path) -> None:
    """Whoever makes a second key finds no links."""
    assert 0 == unveil("project", "new", tmp_path / "p.toml", "--name", "trial").returncode
    done = unveil("key", "fingerprint", tmp_path / "none.key", "--project", tmp_path / "p.toml")
    assert (1, True, True) == (done.returncode, "no such file" in done.stderr, "unveil key import" in done.stderr)


def test_a_passphrase_is_made_and_written_where_only_its_owner_reads(tmp_path: Path, key: Path) -> None:
    """By default; it opens the key, and is printed nowhere when it goes to a file."""
    done = unveil("key", "export", key, "--out", tmp_path / "s", "--passphrase-out", tmp_path / "words", "--json")
    made = (tmp_path / "words").read_text().strip()
    assert (0, 6) == (done.returncode, len(made.split()))
    assert made not in done.stdout + done.stderr
    assert 0o600 == stat.S_IMODE((tmp_path / "words").stat().st_mode)
    back = unveil("key", "import", tmp_path / "s", "--out", tmp_path / "k", "--passphrase-file", tmp_path / "words")
    assert (0, keyfile.read(key)) == (back.returncode, keyfile.read(tmp_path / "k"))


def test_without_a_terminal_a_made_passphrase_is_not_printed(tmp_path: Path, key: Path) -> None:
    """It would end up in the log of whatever runs the command."""
    done = unveil("key", "export", key, "--out", tmp_path / "s")
    assert (1, False) == (done.returncode, (tmp_path / "s").exists())
    assert "no terminal to show the passphrase on\nhint: --passphrase-out names a file" in done.stderr


@pytest.mark.slow
def test_on_a_terminal_a_made_passphrase_is_shown_once(tmp_path: Path, key: Path) -> None:
    """A real terminal and a real process: the words on the screen open the file."""
    words = ["-m", "unveil", "key", "export", str(key), "--out", str(tmp_path / "s")]
    child = pexpect.spawn(sys.executable, words, encoding="utf-8", timeout=60)
    child.expect("passphrase: ([a-z ]+)\r\n")
    made = child.match.group(1)
    child.expect(pexpect.EOF)
    assert made not in child.before
    assert keyfile.read(key) == sealed.open_sealed((tmp_path / "s").read_bytes(), made)


def test_two_sources_of_a_passphrase_are_one_too_many(tmp_path: Path, key: Path) -> None:
    """Nobody would know which one counts."""
    words = ("--own-passphrase", "--passphrase-out", tmp_path / "w")
    assert 2 == unveil("key", "export", key, "--out", tmp_path / "s", *words).returncode
