"""Key files: made once, for one pair of eyes, and never shown."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.errors import KeyFileError
from unveil.files import key_file as keyfile

SECRET = bytes(range(200, 232))
TEXT = base64.urlsafe_b64encode(SECRET).decode().rstrip("=")


def key_file(tmp_path: Path, text: str | bytes, mode: int = 0o600) -> Path:
    path = tmp_path / "project.key"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(mode)
    return path


def refused(path: Path) -> KeyFileError:
    with pytest.raises(KeyFileError) as found:
        keyfile.read(path)
    assert TEXT[:8] not in f"{found.value} {found.value.hint}"
    assert "CANARY" not in f"{found.value} {found.value.hint}"
    assert found.value.__suppress_context__ or found.value.__context__ is None
    return found.value


def test_a_new_key_file_is_read_back(tmp_path: Path) -> None:
    """32 bytes, in two lines of text."""
    keyfile.new(tmp_path / "k")
    secret = keyfile.read(tmp_path / "k")
    assert 32 == len(secret)
    text = base64.urlsafe_b64encode(secret).decode().rstrip("=")
    assert f"unveil-key-1\n{text}\n" == (tmp_path / "k").read_text()


def test_two_new_keys_differ(tmp_path: Path) -> None:
    """They are drawn, not made up."""
    keyfile.new(tmp_path / "a")
    keyfile.new(tmp_path / "b")
    assert keyfile.read(tmp_path / "a") != keyfile.read(tmp_path / "b")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_new_key_file_is_readable_by_its_owner_alone(tmp_path: Path, umask: int) -> None:
    """Whatever the account's habits are."""
    before = os.umask(umask)
    try:
        keyfile.new(tmp_path / "k")
    finally:
        os.umask(before)
    assert 0o600 == stat.S_IMODE((tmp_path / "k").stat().st_mode)


def test_nothing_is_ever_replaced(tmp_path: Path) -> None:
    """Not a file, and not what a dangling link points to."""
    (tmp_path / "k").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("k", "link"):
        with pytest.raises(KeyFileError, match="exists already"):
            keyfile.new(tmp_path / name)
    assert "precious" == (tmp_path / "k").read_text()
    assert not (tmp_path / "elsewhere").exists()


def test_a_key_that_could_not_be_written_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a key would be refused later, when nobody knows why."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeyFileError, match="No space left"):
        keyfile.new(tmp_path / "k")
    assert [] == list(tmp_path.iterdir())


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """Rather than made: a key belongs where somebody decided."""
    with pytest.raises(KeyFileError, match="none does not exist"):
        keyfile.new(tmp_path / "none" / "k")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o602, 0o610])
def test_a_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    """It may have been copied already; chmod is the least that must happen."""
    error = refused(key_file(tmp_path, f"unveil-key-1\n{TEXT}\n", mode))
    assert "others" in error.message
    assert error.hint is not None
    assert error.hint.startswith("chmod 600")


@pytest.mark.parametrize("mode", [0o600, 0o400])
@pytest.mark.parametrize(
    "form", ["unveil-key-1\n{}\n", "unveil-key-1\r\n{}\r\n", "unveil-key-1\n{}=", "unveil-key-1\n{}"]
)
def test_a_sound_key_is_read(tmp_path: Path, form: str, mode: int) -> None:
    """Line ends and padding do not matter: mail programs change them."""
    assert SECRET == keyfile.read(key_file(tmp_path, form.format(TEXT), mode))


BROKEN = {
    "empty": ("", "not a key file"),
    "another mark": (f"unveil-key-2\n{TEXT}\n", "not a key file"),
    "only a secret": (f"{TEXT}\n", "not a key file"),
    "no key": ("unveil-key-1\n", "1 lines"),
    "two keys": (f"unveil-key-1\n{TEXT}\n{TEXT}\n", "3 lines"),
    "not base64": (f"unveil-key-1\n{TEXT[:-1]}!\n", "not base64url"),
    "the other base64": (f"unveil-key-1\n{TEXT[:-2]}+/\n", "not base64url"),
    "not ASCII": (f"unveil-key-1\n{TEXT[:-1]}é\n", "not base64url"),
    "short": (f"unveil-key-1\n{TEXT[:-4]}\n", "29 bytes, not 32"),
    "long": (f"unveil-key-1\n{TEXT}AAAA\n", "35 bytes, not 32"),
    "impossible length": (f"unveil-key-1\n{TEXT[:-2]}\n", "not base64url"),
    "stray bits": (f"unveil-key-1\n{TEXT[:-1]}{chr(ord(TEXT[-1]) + 1)}\n", "not base64url"),
    "huge": ("unveil-key-1\n" + "A" * 10_000_000, "not 32"),
    "people": ("record_id,first_name\n1,CANARY\n", "not a key file"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_key_file_is_refused(tmp_path: Path, case: str) -> None:
    """And nothing of it is shown."""
    text, problem = BROKEN[case]
    error = refused(key_file(tmp_path, text))
    assert problem in error.message
    assert error.hint


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    """A named pipe must not make the program wait for ever."""
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "not a plain file" in refused(tmp_path / "pipe").message
    assert "not a plain file" in refused(tmp_path).message
    assert "no such file" in refused(tmp_path / "none").message
    assert "not a path" in refused(Path("a\0b")).message


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.binary(max_size=80) | st.binary(max_size=60).map(lambda data: b"unveil-key-1\n" + data))
def test_any_contents_are_a_key_or_an_error(tmp_path: Path, data: bytes) -> None:
    """Nothing else ever comes out."""
    try:
        assert 32 == len(keyfile.read(key_file(tmp_path, data)))
    except KeyFileError as error:
        assert error.hint
