"""`unveil owner init`, `check` and `status` when a file is wrong: which one, where, and what to do."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import Done, unveil
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from cryptography.x509.oid import NameOID
from owner_trial import OwnerTrial

from unveil.cli.owner.check_lines import check_lines
from unveil.projects import pki
from unveil.projects.authority import check_authority
from unveil.projects.certificates import CertificateError
from unveil.projects.owner_config import OwnerConfig
from unveil.protocol.codec import encode
from unveil.protocol.messages import Agreement
from unveil.protocol.roles import RECORD_UNIT
from unveil.runtime.owner.check import check_report
from unveil.runtime.owner.folder import OwnerFolder
from unveil.runtime.owner.session import open_session

CONSENT = '[consent]\notherwise = 1\ncolumn = "consnt"\n[consent.layers]\nyes = 3\n'
LISTED = '[consent]\notherwise = 3\n[[consent.lists]]\nfile = "withdrawn.txt"\nlayer = 1\n'


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> OwnerTrial:
    return OwnerTrial(tmp_path_factory.mktemp("owner"))


@pytest.fixture
def here(trial: OwnerTrial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with everything that an owner needs in it."""
    for source in ("project.toml", "project.key", "pki/owner-a.pem", "pki/owner-a.key", "pki/authority.pem"):
        shutil.copy(trial.root / source, tmp_path)
    shutil.copy(trial.root / "people" / "a.csv", tmp_path / "people.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begin(**instead: str) -> Done:
    given = {
        "project": "project.toml", "name": "a", "data": "people.csv", "key": "project.key",
        "certificate": "owner-a.pem", "tls_key": "owner-a.key", "authority": "authority.pem",
    } | instead  # fmt: skip
    options = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", value)]
    return unveil("owner", "init", "mine", *options)


@pytest.mark.usefixtures("here")
def test_init_names_a_missing_file_as_it_was_given() -> None:
    """Here paths are relative to where one stands, and there is no configuration yet that could be wrong."""
    done = begin(data="persons.csv", policy="none.toml")
    assert 1 == done.returncode
    assert "error: --data persons.csv: no such file\n  --policy none.toml: no such file\n" in done.stderr
    assert "unveil.toml" not in done.stderr
    assert not Path("mine").exists()


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_hints_name_paths_that_can_be_copied(here: Path) -> None:
    """Nobody trusts a command with dots in the middle of its path."""
    (here / "owner-a.key").chmod(0o644)
    done = begin()
    assert "--tls-key owner-a.key: everybody on this machine can read it" in done.stderr
    assert "hint: mode 600: chmod 600 owner-a.key\n" in done.stderr
    (here / "owner-a.key").chmod(0o600)
    assert 0 == begin().returncode
    (here / "project.key").chmod(0o644)
    (here / "people.csv").rename("elsewhere.csv")
    assert f"data: {here}/people.csv: no such file" in unveil("owner", "check", "mine").stderr
    (here / "elsewhere.csv").rename("people.csv")
    done = unveil("owner", "check", "mine")
    assert 1 == done.returncode
    assert f"chmod 600 {here}/project.key" in done.stderr


def test_a_link_that_is_named_is_kept(here: Path) -> None:
    """Whoever points it elsewhere later means it."""
    (here / "people.csv").rename("first.csv")
    (here / "people.csv").symlink_to("first.csv")
    assert 0 == begin().returncode
    config = OwnerConfig.load(here / "mine")
    assert here.resolve() / "people.csv" == config.data
    assert not any(".." in path.parts for path in (config.data, config.key, config.project, *_tls(config)))


def _tls(config: OwnerConfig) -> tuple[Path, Path, Path]:
    return config.tls.certificate, config.tls.key, config.tls.authority


def test_a_folder_that_is_not_there_is_made_by_init(here: Path) -> None:
    """A slip in the name is the commonest mistake."""
    done = unveil("owner", "check", here / "nohospital")
    assert 1 == done.returncode
    assert "nohospital: no such folder\nhint: unveil owner init makes it\n" in done.stderr


def test_a_trials_folder_needs_the_word_for_it(trial: OwnerTrial) -> None:
    """A hint about paths would send people to the wrong line."""
    done = unveil("owner", "ledger", trial.owner("a"))
    assert 1 == done.returncode
    assert "hint: the folder is that of a trial: pass --demonstration" in done.stderr
    assert "relative" not in done.stderr


# Authorities


def test_an_authority_must_be_one_and_must_have_signed(trial: OwnerTrial, here: Path) -> None:
    """Else no unit would be believed, and it would look as if the network were down."""
    shutil.copy(trial.root / "pki" / "owner-b.pem", here / "other.pem")
    done = begin(authority="other.pem")
    assert 1 == done.returncode
    assert "other.pem: is not the certificate of an authority" in done.stderr
    pki.new_authority(here / "elsewhere")
    done = begin(authority="elsewhere/authority.pem")
    assert 1 == done.returncode
    assert "elsewhere/authority.pem: this authority did not sign owner-a.pem" in done.stderr
    assert not (here / "mine").exists()
    both = (here / "elsewhere" / "authority.pem").read_bytes() + (here / "authority.pem").read_bytes()
    (here / "both.pem").write_bytes(both)
    assert 0 == begin(authority="both.pem").returncode


def test_authorities_in_between_may_stand_behind_the_certificate(tmp_path: Path) -> None:
    """Hospitals have authorities of departments; TLS wants them sent along."""
    pki.new_authority(tmp_path / "root")
    root = x509.load_pem_x509_certificate((tmp_path / "root" / "authority.pem").read_bytes())
    root_key = load_pem_private_key((tmp_path / "root" / "authority.key").read_bytes(), None)
    assert isinstance(root_key, ec.EllipticCurvePrivateKey)
    middle, middle_key = _signed("middle", root, root_key, ca=True)
    own, _ = _signed("own", middle, middle_key, ca=False)
    certificate, authority = tmp_path / "own.pem", tmp_path / "root" / "authority.pem"
    certificate.write_bytes(own.public_bytes(Encoding.PEM) + middle.public_bytes(Encoding.PEM))
    check_authority(certificate, authority)
    certificate.write_bytes(own.public_bytes(Encoding.PEM))
    with pytest.raises(CertificateError, match="did not sign") as caught:
        check_authority(certificate, authority)
    assert "behind our own" in str(caught.value.hint)
    # The same name is not enough: the signature counts.
    pki.new_authority(tmp_path / "namesake")
    certificate.write_bytes(own.public_bytes(Encoding.PEM) + middle.public_bytes(Encoding.PEM))
    with pytest.raises(CertificateError, match="did not sign"):
        check_authority(certificate, tmp_path / "namesake" / "authority.pem")


def _signed(
    name: str,
    signer: x509.Certificate,
    signing_key: ec.EllipticCurvePrivateKey,
    *,
    ca: bool,
    key: ec.EllipticCurvePrivateKey | None = None,
    days: int = 1,
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key, now = key or ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(signer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    return built.sign(signing_key, SHA256()), key


def test_who_only_looks_needs_no_certificate_in_force(trial: OwnerTrial, here: Path) -> None:
    """Years later somebody may ask what left; to work one needs a certificate, and is told before the end."""
    key = load_pem_private_key((here / "owner-a.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    signer = x509.load_pem_x509_certificate((here / "authority.pem").read_bytes())
    signing_key = load_pem_private_key((trial.root / "pki" / "authority.key").read_bytes(), None)
    assert isinstance(signing_key, ec.EllipticCurvePrivateKey)
    soon, _ = _signed("own", signer, signing_key, ca=False, key=key)
    (here / "owner-a.pem").write_bytes(soon.public_bytes(Encoding.PEM))
    for done in (begin(), unveil("owner", "check", "mine")):
        assert 0 == done.returncode, done.stderr
        assert "note: " in done.stderr
        assert "the certificate ends" in done.stderr
    ended, _ = _signed("own", signer, signing_key, ca=False, key=key, days=-1)
    (here / "owner-a.pem").write_bytes(ended.public_bytes(Encoding.PEM))
    for command, expected in (("check", 1), ("upload", 1), ("run", 1), ("ledger", 0), ("status", 0), ("approve", 0)):
        done = unveil("owner", command, "mine")
        assert (expected, bool(expected)) == (done.returncode, "owner-a.pem: ended at" in done.stderr), done.stderr


# Consent


def test_a_consent_column_that_is_not_there_is_the_policys(here: Path) -> None:
    """The schema does not name it, and the header is fine."""
    (here / "policy.toml").write_text(CONSENT)
    policy = f"{here.resolve()}/policy.toml names it as consent.column"
    done = begin(policy="policy.toml")
    assert 1 == done.returncode
    assert "needed column missing: consnt" in done.stderr
    assert f"{policy}; the file has no column of nearly that name" in done.stderr
    assert "schema" not in done.stderr
    assert "header" not in done.stderr
    first, *rest = (here / "people.csv").read_text().splitlines()
    (here / "people.csv").write_text("\n".join([f"{first},consent", *(f"{line},yes" for line in rest)]))
    done = begin(policy="policy.toml")
    assert f"{policy}; the file's consent may be meant" in done.stderr
    (here / "policy.toml").write_text(CONSENT.replace("consnt", "consent"))
    assert 0 == begin(policy="policy.toml").returncode


def test_an_unknown_id_on_a_consent_list_is_told_by_its_line(here: Path) -> None:
    """The line can be looked up; the id is personal and stays out of logs and tickets."""
    known = (here / "people.csv").read_text().splitlines()[1].split(",")[0]
    (here / "policy.toml").write_text(LISTED)
    (here / "withdrawn.txt").write_text(f"{known}\n\nCANARY-1\n")
    done = begin(policy="policy.toml")
    assert 1 == done.returncode
    assert (
        f"{here.resolve()}/withdrawn.txt: 1 of 2 ids on this consent list are not in the data (line 3)" in done.stderr
    )
    assert 'not_in_data = "ignore"' in done.stderr
    assert "CANARY" not in done.stderr
    (here / "withdrawn.txt").write_text("\n".join([known, *(f"CANARY-{at}" for at in range(7))]))
    assert (
        "7 of 8 ids on this consent list are not in the data (lines 2, 3, 4, 5, 6, …)"
        in begin(policy="policy.toml").stderr
    )
    (here / "policy.toml").write_text(LISTED + 'not_in_data = "ignore"\n')
    assert 0 == begin(policy="policy.toml").returncode


def test_the_policy_of_the_documentation_works_as_printed(here: Path) -> None:
    """With what it says that it needs; an empty list of withdrawals is one."""
    text = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")
    (here / "policy.toml").write_text(text.split("```text\n")[1].split("```")[0])
    first, *rest = (here / "people.csv").read_text().splitlines()
    (here / "people.csv").write_text("\n".join([f"{first},consent", *(f"{line},yes" for line in rest)]))
    missing = begin(policy="policy.toml")
    assert "withdrawn.txt: no such file" in missing.stderr
    (here / "withdrawn.txt").touch()
    done = begin(policy="policy.toml")
    assert 0 == done.returncode, done.stderr


# Check and status


def test_check_bounds_pairs_and_reviews_whatever_is_refused(trial: OwnerTrial) -> None:
    """What the other owner refuses costs no label and is made up for; then more of our records are asked about."""
    folder = OwnerFolder.load(OwnerConfig.load(trial.owner("a"), demonstration=True), demonstration=True)
    report = check_report(folder)
    review = folder.member.project.linkage.protocol.review
    assert (20, 2, 1) == (review.budget, review.batches, review.rounds)
    # 5 iterations with one round of 10 reviews each
    assert (20, 50) == (report.review_unit.labels_asked, report.review_unit.reviews_asked)
    text = "\n".join(check_lines(report))
    assert "asks for 20 labels in at most 50 reviews" in text
    assert "caps.project.values" in text
    # 2 iterations of 1,500 pairs, 3 of 500; all but the first up to four times as large
    assert "asks about 4,500 pairs, and about up to 13,500 pairs if either owner refuses much" in text
    assert "caps.project.pairs" in text


def test_check_does_not_speak_of_what_was_sent(trial: OwnerTrial) -> None:
    """It may be run again when everything has been sent."""
    out = unveil("owner", "check", trial.owner("a"), "--demonstration").stdout
    assert "300 records; this command sends nothing" in out
    assert "nothing was sent" not in out


def test_changed_data_is_noticed_by_check_and_status(tmp_path: Path) -> None:
    """Handles stand for rows; whoever only ever looks should not hear of it last."""
    trial = OwnerTrial(tmp_path / "trial")
    folder, data = trial.owner("a"), trial.trial.data("owner-a")
    with open_session(folder, demonstration=True) as session:
        session.host.advance()
        session.host.take(RECORD_UNIT, "agreed", encode(Agreement(1, session.host.machine._presented)))
        session.host.advance()  # uploaded: before that, other data would get other handles
    assert 0 == unveil("owner", "check", folder, "--demonstration").returncode
    assert json.loads(unveil("owner", "status", folder, "--demonstration", "--json").stdout)["data"] is None
    text = data.read_text(encoding="utf-8")
    head, first, rest = text.split("\n", 2)
    changed = ",".join([first.split(",")[0], "Canary", *first.split(",")[2:]])
    data.write_text(f"{head}\n{changed}\n{rest}", encoding="utf-8")
    done = unveil("owner", "check", folder, "--demonstration")
    assert 1 == done.returncode
    assert "the data has changed since the linkage began" in done.stderr
    status = unveil("owner", "status", folder, "--demonstration").stdout
    assert "data         the data has changed since the linkage began" in status
    assert "next         put the data back as it was" in status
    data.write_text("", encoding="utf-8")
    assert f"data         {data}: is empty" in unveil("owner", "status", folder, "--demonstration").stdout
    data.write_text(text, encoding="utf-8")
    assert 0 == unveil("owner", "check", folder, "--demonstration").returncode
