"""Sealed keys: opened with the passphrase and unharmed, or not at all."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.errors import KeyFileError
from unveil.files import key_file as keyfile
from unveil.files import private_file
from unveil.files import sealed_key as sealed

pytestmark = pytest.mark.slow  # guessing a passphrase is meant to take long

SECRET = bytes(range(100, 132))
PASSPHRASE = "five words drawn at random"
LOW = 14  # the least cost that is accepted, for speed
TEXT = sealed.seal(SECRET, PASSPHRASE, cost=LOW).encode()
RAW = base64.b64decode(b"".join(TEXT.split(b"\n")[1:-2]))
#: A key sealed once and for all: later versions must open it.
PINNED = b"""\
-----BEGIN UNVEIL SEALED KEY-----
VU5WSwEOaRM4cKQbkwW1FxjVPJrnDW2Lgrqtz+NznQPXHq7N9AuhnqDJzve55GdO
ShYFLLFDlJKSD8coORGmNR13RPGjl88ojlu9SUR06zzLrw==
-----END UNVEIL SEALED KEY-----
"""


def refused(text: bytes, passphrase: str = PASSPHRASE) -> str:
    with pytest.raises(KeyFileError) as found:
        sealed.open_sealed(text, passphrase)
    assert found.value.__suppress_context__ or found.value.__context__ is None
    return f"{found.value} {found.value.hint}"


def armour(raw: bytes) -> bytes:
    return f"{sealed.BEGIN}\n{base64.b64encode(raw).decode()}\n{sealed.END}\n".encode()


WRONG = refused(TEXT, "another passphrase")


def test_a_sealed_key_is_opened_with_its_passphrase() -> None:
    """And says nothing of the key before."""
    assert SECRET == sealed.open_sealed(TEXT, PASSPHRASE)
    assert SECRET not in RAW
    assert base64.b64encode(SECRET)[:20] not in TEXT


def test_a_key_sealed_by_this_version_is_opened_by_later_ones() -> None:
    """Exports lie in safes for years."""
    assert SECRET == sealed.open_sealed(PINNED, PASSPHRASE)


@settings(max_examples=25, deadline=None)
@given(
    st.binary(min_size=32, max_size=32),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=30, max_size=60).map(
        lambda text: f"five words drawn at random {text}"
    ),
)
def test_any_key_survives_any_strong_passphrase(secret: bytes, passphrase: str) -> None:
    """Whatever script it is written in."""
    assert secret == sealed.open_sealed(sealed.seal(secret, passphrase, cost=LOW).encode(), passphrase)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(RAW) - 1), st.integers(1, 255))
def test_any_changed_byte_is_refused(place: int, change: int) -> None:
    """Header, salt, nonce, key and tag; and always with the same words as a wrong passphrase."""
    raw = bytearray(RAW)
    raw[place] ^= change
    assert WRONG == refused(armour(bytes(raw)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(TEXT.strip()) - 1), st.integers(1, 255))
def test_any_changed_character_is_refused(place: int, change: int) -> None:
    """In the text, too; only blanks between the first and the last line may become others: mail programs do that."""
    text = bytearray(TEXT)
    text[place] ^= change
    framed = text.startswith(sealed.BEGIN.encode()) and text.strip().endswith(sealed.END.encode())
    if framed and bytes(text).split() == TEXT.split():
        assert SECRET == sealed.open_sealed(bytes(text), PASSPHRASE)
    else:
        assert WRONG == refused(bytes(text))


@pytest.mark.parametrize(
    "text",
    [b"", b"x", TEXT[:-1] * 2, TEXT * 100, armour(RAW[:-1]), armour(RAW + b"x"), armour(b""), armour(SECRET),
     TEXT.replace(b"-----END", b"=-----END"), b"\xff" * 200],
)  # fmt: skip
def test_what_is_no_sealed_key_is_refused_alike(text: bytes) -> None:
    """Nobody learns from the answer what was wrong."""
    assert WRONG == refused(text)


@pytest.mark.parametrize("change", [lambda text: text.replace(b"\n", b"\r\n"), lambda text: b"\n " + text + b"\n\n"])
def test_line_ends_do_not_matter(change: object) -> None:
    """Mail programs change them."""
    assert callable(change)
    assert SECRET == sealed.open_sealed(change(TEXT), PASSPHRASE)


@pytest.mark.parametrize("cost", [0, 1, 13, 19, 30, 63, 255])
def test_a_hostile_cost_is_refused_before_memory_is_taken(cost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """2^255 blocks would never end, 2^30 would take a terabyte; too few would make guessing cheap."""

    def must_not_run(*_: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr(sealed, "_key", must_not_run)
    assert WRONG == refused(armour(RAW[:5] + bytes([cost]) + RAW[6:]))


def test_the_cost_is_that_of_a_careful_export() -> None:
    """256 MiB for every guess, and the file says so, so that a later version may ask for more."""
    raw = base64.b64decode("".join(sealed.seal(SECRET, PASSPHRASE).splitlines()[1:-1]))
    assert (b"UNVK", 1, 18) == (raw[:4], raw[4], raw[5])


def test_two_exports_of_one_key_differ() -> None:
    """Salt and nonce are fresh."""
    assert TEXT != sealed.seal(SECRET, PASSPHRASE, cost=LOW).encode()


@pytest.mark.parametrize(
    "weak",
    ["", "short", "elevenchars", "a" * 40, "abab" * 10, " " * 30 + "abcdef", "x" * 1025, "hospital-register-2025"],
)
def test_a_weak_passphrase_is_refused_unseen(weak: str) -> None:
    """It would be guessed sooner than the cipher is broken."""
    with pytest.raises(KeyFileError, match="passphrase") as found:
        sealed.seal(SECRET, weak, cost=LOW)
    assert not weak.strip() or weak not in str(found.value)


def test_spellings_of_one_passphrase_are_one() -> None:
    """Keyboards differ in how they send an accent."""
    composed, split = "caf\u00e9 au lait bleu sous la pluie", "cafe\u0301 au lait bleu sous la pluie"
    assert SECRET == sealed.open_sealed(sealed.seal(SECRET, composed, cost=LOW).encode(), split)


def test_half_a_character_is_a_wrong_passphrase() -> None:
    """Not a traceback."""
    assert WRONG == refused(TEXT, "\ud800" + PASSPHRASE)
    assert WRONG == refused(TEXT, "x" * 100_000)


def test_only_keys_are_sealed() -> None:
    """A mistake of ours, not of a user's."""
    with pytest.raises(ValueError, match="32 bytes"):
        sealed.seal(b"short", PASSPHRASE)
    with pytest.raises(ValueError, match="cost"):
        sealed.seal(SECRET, PASSPHRASE, cost=30)


def test_a_machine_with_too_little_memory_says_so(tmp_path: Path) -> None:
    """In a line that a person understands."""
    resource = pytest.importorskip("resource")
    code = (
        "import resource\n"
        "from cryptography.hazmat.primitives.kdf.scrypt import Scrypt\n"
        "from unveil.files import sealed_key as sealed\n"
        f"sealed.seal(bytes(32), {PASSPHRASE!r}, cost=14)\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), {resource.RLIM_INFINITY}))\n"
        f"sealed.seal(bytes(32), {PASSPHRASE!r})\n"
    )
    if not os.path.exists("/proc/self/statm"):  # noqa: PTH110 - asked of the system, not of a project's file
        pytest.skip("needs /proc")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "takes 256 MiB of memory" in done.stderr


def test_a_key_file_is_written_once(tmp_path: Path) -> None:
    """An imported key is a key file like any other."""
    keyfile.write(tmp_path / "k", SECRET)
    assert SECRET == keyfile.read(tmp_path / "k")
    with pytest.raises(KeyFileError, match="exists already"):
        keyfile.write(tmp_path / "k", SECRET)
    with pytest.raises(KeyFileError, match="32 bytes, not 5"):
        keyfile.write(tmp_path / "other", b"short")
    assert not (tmp_path / "other").exists()


def test_files_are_private_unless_said_otherwise(tmp_path: Path) -> None:
    """A sealed key comes by mail, so anybody may have read it."""
    path = tmp_path / "f"
    path.write_text("contents")
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match="others"):
        private_file.read(path, longest=4, error=KeyFileError, hint="")
    assert b"cont" == private_file.read(path, longest=4, error=KeyFileError, hint="", private=False)
