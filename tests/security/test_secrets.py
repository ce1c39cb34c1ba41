"""Keys, tokens and passphrases: in no argument, environment, log, error, repr or traceback; their files are private."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from field_run import KEY_DO, FieldRun
from live_units import LiveUnits
from planted import MARK, encodings_found, found_in_files, marks, of_bytes, of_text
from tomli_w import dumps as document
from two_projects import unit_config

from patience import PATIENCE
from unveil.lab.local_parties.folder import OWNERS, PARTY_FOLDERS, UNIT_FOLDERS

PASSWORD = "Passwort-Zwiebel-77"
PASSPHRASE = "correct horse Zwiebel staple"


def _needles(run: FieldRun) -> dict[str, bytes]:
    """key_do, the private keys, the reviewer's token and all planted values."""
    found = {f"key_do {how}": one for how, one in of_bytes(KEY_DO).items()}
    found |= {f"token {how}": one for how, one in of_text(run.observed.token.split(".")[2]).items()}
    for path in (run.trial.root / "pki").glob("*.key"):
        body = "".join(path.read_text(encoding="ascii").splitlines()[1:-1])
        found |= {f"{path.name} {how}": one for how, one in of_bytes(base64.b64decode(body)[36:68]).items()}
    return found | dict(marks())


def test_no_party_would_leave_a_core_dump(run: FieldRun) -> None:
    """Asked of the kernel while units and owners were at work."""
    assert {party: ["0", "0"] for party in PARTY_FOLDERS} == run.observed.core


def test_nothing_secret_is_in_arguments_or_environments(run: FieldRun) -> None:
    """Other users of a machine can list both."""
    seen = run.observed
    assert {*UNIT_FOLDERS, *OWNERS} == set(seen.arguments) == set(seen.environment)
    for text in (*seen.arguments.values(), *seen.environment.values()):
        assert text
        assert [] == encodings_found(text, _needles(run))


def test_nothing_secret_is_in_any_log(run: FieldRun) -> None:
    """And the logs are there, or this would show nothing."""
    for party in (*UNIT_FOLDERS, *OWNERS):
        text = (run.trial.root / party / "stderr.log").read_bytes()
        assert (b"request" in text) == (party in UNIT_FOLDERS)
        assert [] == encodings_found(text, _needles(run))
        assert b"Traceback" not in text


def test_logs_hold_ids_and_counts(run: FieldRun) -> None:
    """Every word of every line is a name from our tables, a number, a time or an id."""
    words = re.compile(
        r'"(?:[a-z_]+(?: [a-z]+)?|[A-Z]+|[A-Za-z]+Error|/[a-z0-9_/{}.]*|[0-9T:.\-]+Z|[0-9a-f]{16}|[0-9a-f]{32}|'
        r"simulation|[0-9]+(?:\.[0-9]+)+|uvicorn\.error|"
        r'[a-z_]+:[0-9]+|[A-Za-z]*)"|[0-9.e-]+|null'
    )
    for unit in UNIT_FOLDERS:
        lines = (run.trial.root / unit / "stderr.log").read_text(encoding="utf-8").splitlines()
        told = [line for line in lines if not line.startswith("{")]
        assert 1 == len(told), "where it listens, for whoever starts it"
        for line in lines:
            if line in told:
                continue
            assert "" == words.sub("", line).strip("{}:, ").replace(":", "").replace(",", "").replace(" ", ""), line


def test_files_with_secrets_are_private(run: FieldRun) -> None:
    """Databases with their write-ahead logs, caches and configurations, looked at while the parties ran."""
    modes = {path: mode for path, mode in run.observed.modes.items() if not path.endswith(("stderr.log", ".txt"))}
    modes = {path: mode for path, mode in modes.items() if not path.endswith("policy.toml")}
    kinds = {Path(path).suffix for path in modes}
    assert {".sqlite", ".sqlite-wal", ".sqlite-shm", ".arrays", ".toml"} <= kinds
    assert {} == {path: oct(mode) for path, mode in modes.items() if mode & 0o077}
    for path in (run.trial.root / "project.key", *(run.trial.root / "pki").glob("*.key")):
        assert 0o600 == path.stat().st_mode & 0o777


def test_temporary_folders_are_empty(run: FieldRun) -> None:
    """What is not written cannot be left behind."""
    for party in (*UNIT_FOLDERS, *OWNERS):
        left = [path.name for path in (run.trial.root / party / "tmp").rglob("*") if path.is_file()]
        assert [] == [name for name in left if not name.endswith((".nbi", ".nbc"))]  # compiled code


# Errors


def _fails(*words: str | Path, cwd: Path, typed: str = "") -> bytes:
    """What a command prints that fails in good order."""
    done = subprocess.run(
        [sys.executable, "-m", "unveil", *map(str, words)],
        capture_output=True, cwd=cwd, input=typed.encode(), check=False, timeout=PATIENCE,
        env=os.environ | {"TMPDIR": str(cwd)},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode in {1, 2}, said
    assert b"error" in said.lower()
    assert b"Traceback" not in said
    return said


def test_a_database_that_is_not_there_is_not_named_with_its_password(units: LiveUnits, tmp_path: Path) -> None:
    """Nor is one of a kind that nobody knows."""
    folder = units.folder.root / "record-unit"
    needles = of_text(PASSWORD)
    for number, url in enumerate((
        f"postgresql://unit:{PASSWORD}@127.0.0.1:1/unit", f"mysql://unit:{PASSWORD}@127.0.0.1/unit",
        f"postgresql://unit:{PASSWORD}@127.0.0.1:port/unit", f"postgresql://127.0.0.1:1/unit?password={PASSWORD}",
    )):  # fmt: skip
        config = folder / f"bad-{number}.toml"
        config.write_text(document(unit_config("record-unit", 0) | {"database": url, "data": f"bad-{number}"}))
        said = _fails("serve", "record-unit", "--config", config, cwd=tmp_path)
        assert [] == encodings_found(said, needles)


def test_a_key_file_that_is_wrong_is_not_quoted(plain_run: FieldRun, tmp_path: Path) -> None:
    """Whatever is wrong with it."""
    secret = base64.urlsafe_b64encode(KEY_DO).decode().rstrip("=")
    needles = of_bytes(KEY_DO) | of_text(secret[:20])
    key, passphrase = tmp_path / "bad.key", tmp_path / "phrase"
    passphrase.write_text(PASSPHRASE)
    passphrase.chmod(0o600)
    for text in (secret, f"unveil-key-1\n{secret}x\n", f"unveil-key-1\n{secret[:20]}\n", f"unveil-key-2\n{secret}\n"):
        key.unlink(missing_ok=True)
        key.write_text(text)
        key.chmod(0o600)
        said = _fails("key", "fingerprint", key, "--project", plain_run.trial.project_path, cwd=tmp_path)
        assert [] == encodings_found(said, needles)
    good = tmp_path / "good.key"
    good.write_text(f"unveil-key-1\n{secret}\n")
    good.chmod(0o644)
    said = _fails("key", "export", good, "--out", tmp_path / "sealed", "--passphrase-file", passphrase, cwd=tmp_path)
    assert [] == encodings_found(said, needles | of_text(PASSPHRASE))


def test_a_wrong_passphrase_is_not_quoted(tmp_path: Path) -> None:
    """Neither from a file nor from the keyboard; what comes out is sealed."""
    key, right, wrong = tmp_path / "a.key", tmp_path / "right", tmp_path / "wrong"
    for path, text in ((right, PASSPHRASE), (wrong, PASSPHRASE[::-1]), (key, "")):
        path.write_text(text or f"unveil-key-1\n{base64.urlsafe_b64encode(KEY_DO).decode().rstrip('=')}\n")
        path.chmod(0o600)
    words = [sys.executable, "-m", "unveil", "key", "export", "a.key", "--out", "sealed", "--passphrase-file", "right"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=True, timeout=PATIENCE)
    needles = of_text(PASSPHRASE) | of_text(PASSPHRASE[::-1]) | of_bytes(KEY_DO)
    said = done.stdout + done.stderr
    said += _fails("key", "import", "sealed", "--out", "b.key", "--passphrase-file", "wrong", cwd=tmp_path)
    said += _fails("key", "import", "sealed", "--out", "b.key", cwd=tmp_path, typed=PASSPHRASE[::-1] + "\n")
    assert [] == encodings_found(said, needles)
    assert [] == found_in_files(tmp_path, needles, but=[key, right, wrong])
    assert 0o600 == (tmp_path / "sealed").stat().st_mode & 0o777


def test_data_that_cannot_be_read_is_not_quoted(plain_run: FieldRun, tmp_path: Path) -> None:
    """A row too long, an id twice, half a character: the row is told, never what stands in it."""
    header = "record_id,first_name,middle_name,last_name,year_of_birth,city,zip,place_of_birth\n"
    row = f"1{MARK},a{MARK},,b{MARK},1950,c{MARK},12345,d{MARK}\n"
    folder = tmp_path / "owner"
    folder.mkdir()
    text = (plain_run.trial.config("owner-a") / "unveil.toml").read_text(encoding="utf-8")
    text = text.replace("../", f"{plain_run.trial.root}/").replace(
        str(plain_run.trial.database("owner-a")), "own.sqlite"
    )
    text = "\n".join(line for line in text.splitlines() if not line.startswith("policy"))
    (folder / "unveil.toml").write_text(re.sub(r"(?m)^data = .*$", 'data = "bad.csv"', text))
    bad = {
        "an id twice": (header + row + row).encode(),
        "a row too long": (header + row.replace("12345", f"1,2,3,4{MARK}")).encode(),
        "broken UTF-8": header.encode() + row.encode() + row.encode().replace(b"\xc3\xa9", b"\xc3"),
    }
    for what, data in bad.items():
        (folder / "bad.csv").write_bytes(data)
        said = _fails("owner", "check", folder, "--demonstration", cwd=tmp_path)
        assert [] == encodings_found(said, marks()), what


# Objects


def _reachable(thing: Any, seen: dict[int, Any], depth: int = 6) -> Iterator[Any]:
    """Every object of ours that can be reached from a thing, the thing included; not what raw containers hold."""
    if id(thing) in seen or depth == 0 or isinstance(thing, str | bytes | int | float | type):
        return
    seen[id(thing)] = thing
    if type(thing).__module__.startswith("unveil"):
        yield thing
        names = [*getattr(thing, "__dict__", {})]
        names += [field.name for field in fields(thing)] if is_dataclass(thing) else []
        names += [*getattr(type(thing), "__slots__", ())]
        for name in names:
            yield from _reachable(getattr(thing, name, None), seen, depth - 1)
    elif isinstance(thing, Mapping):
        for inner in thing.values():
            yield from _reachable(inner, seen, depth - 1)
    elif isinstance(thing, list | tuple | set):
        for inner in thing:
            yield from _reachable(inner, seen, depth - 1)


def test_no_object_of_a_party_prints_a_secret(run: FieldRun) -> None:
    """An owner with everything it knows: records, key, policy, log, machine, the way to the units."""
    needles = _needles(run)
    owner = run.owner("owner-a")
    with owner.open(demonstration=True) as database:
        host = owner.host(database)
        _ = host.machine
        clients = owner.clients()
        things = list(_reachable([owner, host, clients, *host.log.entries()], {}))
        kinds = {type(thing).__name__ for thing in things}
        assert {
            "OwnerFolder",
            "Encoder",
            "Subkeys",
            "Records",
            "Column",
            "Host",
            "Owner",
            "Ledger",
            "UnitClient",
            "LogEntry",
        } <= kinds
        prk = owner.encoder._keys._prk
        for thing in things:
            for text in (repr(thing), str(thing), f"{[thing]}"):
                assert [] == encodings_found(text.encode(), needles), type(thing)
                assert repr(prk) not in text
        for client in clients.values():
            client.close()


def test_a_traceback_through_an_owner_shows_no_secret(run: FieldRun) -> None:
    """A defect deep inside, with every local variable printed as debuggers and error collectors do."""
    owner = run.owner("owner-a")
    needles = _needles(run)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    with owner.open(demonstration=True) as database:
        host = owner.host(database)
        machine = host.machine
        machine._encoder.pair_level = broken  # type: ignore[assignment, method-assign]
        with pytest.raises(RuntimeError) as caught:
            host.deciding(lambda one: one._encoder.pair_level(one._records, one._records, []))  # type: ignore[arg-type, return-value]
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    frames = [frame for frame in shown.stack if "unveil" in frame.filename and "tests" not in frame.filename]
    assert frames
    for frame in frames:
        assert [] == encodings_found(repr(frame.locals).encode(), needles)
