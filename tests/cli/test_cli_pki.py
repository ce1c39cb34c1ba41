"""`unveil pki`: an authority for trials, on the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import unveil

from unveil.projects import pki
from unveil.projects.certificates import read_certificate


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert 0 == unveil("pki", "new", tmp_path / "ca").returncode
    return tmp_path / "ca"


def test_an_authority_issues_a_certificate(folder: Path) -> None:
    """Files, public key and expiry are told; the private key is not."""
    done = unveil("pki", "issue", folder, "record-unit", "--host", "unit.example.org", "--host", "10.0.0.1")
    assert 0 == done.returncode
    found = read_certificate(folder / "record-unit.pem")
    assert {"unit.example.org", "10.0.0.1"} == set(found.hosts)
    assert found.public_key in done.stdout
    assert f"expires {found.not_after:%Y-%m-%d}" in done.stdout
    secret = (folder / "record-unit.key").read_text().splitlines()[1]
    assert secret not in done.stdout + done.stderr


def test_json_names_the_files(folder: Path) -> None:
    """For scripts that set up trials."""
    done = json.loads(unveil("pki", "issue", folder, "a", "--json").stdout)
    assert {"certificate", "key", "public_key", "not_after"} == set(done)
    assert read_certificate(Path(done["certificate"])).public_key == done["public_key"]
    assert ("127.0.0.1", "localhost") == read_certificate(Path(done["certificate"])).hosts


def test_a_certificate_is_shown(folder: Path) -> None:
    """Days left, hosts, and the public key for the project file."""
    public_key = pki.issue(folder, "a", days=30).public_key
    shown = unveil("pki", "show", folder / "a.pem")
    assert 0 == shown.returncode
    assert "(29 days left)" in shown.stdout
    assert public_key in shown.stdout
    found = json.loads(unveil("pki", "show", folder / "a.pem", "--json").stdout)
    assert (public_key, True, False, ["127.0.0.1", "localhost"]) == (
        found["public_key"],
        found["valid"],
        found["authority"],
        found["hosts"],
    )
    assert "authority" in unveil("pki", "show", folder / "authority.pem").stdout


def test_an_expired_certificate_is_shown_as_such(folder: Path) -> None:
    """Most failures of TLS are this one."""
    now, day = datetime.now(UTC), timedelta(days=1)
    pki.issue(folder, "old", not_before=now - 3 * day, not_after=now - day)
    pki.issue(folder, "early", not_before=now + day, not_after=now + 3 * day)
    assert "(EXPIRED)" in unveil("pki", "show", folder / "old.pem").stdout
    assert "(NOT YET)" in unveil("pki", "show", folder / "early.pem").stdout
    assert json.loads(unveil("pki", "show", folder / "old.pem", "--json").stdout)["valid"] is False


def test_failures_are_one_line_and_a_hint(folder: Path) -> None:
    """And nothing is replaced."""
    before = (folder / "authority.key").read_bytes()
    for words in (("new", folder), ("issue", folder, "Bad Name"), ("show", folder / "none.pem"), ("show", folder)):
        done = unveil("pki", *words)
        assert 1 == done.returncode
        assert done.stderr.startswith("unveil: error: ")
        assert "Traceback" not in done.stderr
    assert before == (folder / "authority.key").read_bytes()
    assert 2 == unveil("pki", "issue", folder).returncode
