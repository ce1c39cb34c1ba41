"""`unveil serve` before it listens: what is wrong is said, by key, and no mark is left."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from command_line import unveil

from odd_certificates import DAY, SERVER, reissue
from unveil.engines import problem
from unveil.lab.local_parties import folder
from unveil.lab.local_parties.folder import Trial
from unveil.lab.synthetic import generate, write
from unveil.schema import built_in
from unveil.schema.presets import with_preset

HOSTS = ("127.0.0.1",)


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    (tmp_path / "people").mkdir()
    write(generate(records=20, overlap=0.2, errors=1, seed=1), tmp_path / "people")
    return folder.make(tmp_path, with_preset(built_in(), "unveil", budget=10), seed=1, key=bytes(range(32)))


def made(trial: Trial) -> set[Path]:
    return set((trial.root / "record-unit").rglob("*"))


def test_a_role_that_does_not_exist_is_wrong_usage(trial: Trial) -> None:
    """As every other wrong choice is."""
    done = unveil("serve", "record", "--config", trial.config("record-unit"))
    assert (2, True) == (done.returncode, "record-unit" in done.stderr)


@pytest.mark.parametrize(
    ("certificate", "told"),
    [
        ({"ends": -DAY}, "record-unit.pem: ended at "),
        ({"begins": DAY}, "record-unit.pem: begins at "),
        ({"purposes": [SERVER]}, "record-unit.pem: cannot be used for client authentication"),
        ({"hosts": ["localhost"]}, "record-unit.pem: is for localhost, not for 127.0.0.1"),
    ],
)
def test_a_unit_with_an_unfit_certificate_does_not_start(trial: Trial, certificate: dict[str, Any], told: str) -> None:
    """In a demonstration neither: nobody would accept it there."""
    before = made(trial)
    reissue(trial.root / "pki", "record-unit", **{"hosts": HOSTS, **certificate})
    done = unveil("serve", "record-unit", "--config", trial.config("record-unit"), "--demonstration")
    assert (1, True) == (done.returncode, told in done.stderr)
    assert "tls.certificate: " in done.stderr
    assert before == made(trial)


def test_a_port_that_is_taken_is_explained_and_so_is_an_end_that_is_near(trial: Trial) -> None:
    """The hint names the file; the certificate still does, but not for long."""
    config = trial.config("record-unit")
    reissue(trial.root / "pki", "record-unit", hosts=HOSTS, ends=5.5 * DAY)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        lines = [f"port = {port}" if line.startswith("port = ") else line for line in config.read_text().splitlines()]
        config.write_text("\n".join(lines), encoding="utf-8")
        done = unveil("serve", "record-unit", "--config", config, "--demonstration")
    assert 1 == done.returncode
    assert "record-unit.pem: the certificate ends in 5 days" in done.stderr
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert f"hint: host and port stand under [listen] in {config}" in done.stderr


@pytest.mark.parametrize(
    ("engine", "told"),
    [("abacus", 'engine: "abacus" is not allowed; allowed: "auto"'), ("gpu", "engine: the GPU engine needs torch")],
)
def test_an_engine_that_this_machine_does_not_have_is_an_error_before_the_unit_listens(
    trial: Trial, engine: str, told: str
) -> None:
    """Not once all records are there, and never another engine in silence; a machine with a GPU would have started."""
    if engine == "gpu" and problem("gpu") is None:
        pytest.skip("this machine has a GPU")
    config, before = trial.config("record-unit"), made(trial)
    config.write_text(f'engine = "{engine}"\n' + config.read_text(), encoding="utf-8")
    done = unveil("serve", "record-unit", "--config", config, "--demonstration")
    assert (1, True, True) == (done.returncode, str(config) in done.stderr, told in done.stderr), done.stderr
    assert "hint: " in done.stderr
    assert before == made(trial)
