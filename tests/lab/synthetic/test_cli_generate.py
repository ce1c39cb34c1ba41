"""The command `unveil generate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import unveil.cli.generate  # noqa: F401 - registers the command
from unveil.cli.app import app
from unveil.errors import SettingError

runner = CliRunner()


def run(*arguments: str) -> tuple[int, str, BaseException | None]:
    result = runner.invoke(app, ["generate", *arguments])
    return result.exit_code, result.stdout, result.exception


def test_generate_writes_three_files_and_says_so(tmp_path: Path) -> None:
    """The first thing a newcomer runs."""
    out = tmp_path / "demo"
    code, stdout, _ = run("--records", "60", "--overlap", "0.5", "--errors", "2", "--out", str(out))
    assert 0 == code
    assert "2 × 60 records, 30 shared people" in stdout
    assert ["a.csv", "b.csv", "truth.csv"] == sorted(path.name for path in out.iterdir())


def test_generate_prints_json_that_can_be_piped(tmp_path: Path) -> None:
    """Stdout holds the object and nothing else."""
    _, stdout, _ = run("--records", "40", "--seed", "9", "--out", str(tmp_path / "x"), "--json")
    summary = json.loads(stdout)
    assert ([40, 40], 8, 9) == (summary["records"], summary["shared"], summary["seed"])
    assert all(Path(file).is_file() for file in summary["files"])


def test_folder_with_files_is_refused_unless_forced(tmp_path: Path) -> None:
    """Generated people must not land among real ones by mistake."""
    (tmp_path / "keep.csv").write_text("mine", encoding="utf-8")
    arguments = ("--records", "10", "--out", str(tmp_path))
    code, _, error = run(*arguments)
    assert 0 != code
    assert isinstance(error, SettingError)
    assert "--force" in (error.hint or "")
    assert ["keep.csv"] == [path.name for path in tmp_path.iterdir()]
    assert 0 == run(*arguments, "--force")[0]
    assert "mine" == (tmp_path / "keep.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--records", "0"),
        ("--overlap", "2"),
        ("--errors", "3"),
        ("--year-errors", "1.5"),
        ("--seed", "-1"),
        ("--layout", "hotel"),
    ],
)
def test_number_that_is_not_allowed_is_explained(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """And nothing is written."""
    _, _, error = run(*arguments, "--out", str(tmp_path / "x"))
    assert isinstance(error, SettingError)
    assert (error.hint or "").startswith("allowed:")
    assert not (tmp_path / "x").exists()


def test_year_errors_reach_the_files(tmp_path: Path) -> None:
    """The option is for evaluators who want blocking to fail now and then."""
    for rate in ("0", "1"):
        run("--records", "50", "--overlap", "1", "--year-errors", rate, "--out", str(tmp_path / rate))
    years = {
        rate: {
            name: {line.split(",")[0]: line.split(",")[4] for line in (tmp_path / rate / name).read_text().splitlines()}
            for name in ("a.csv", "b.csv")
        }
        for rate in ("0", "1")
    }
    for rate, expected in (("0", 0), ("1", 50)):
        truth = [line.split(",") for line in (tmp_path / rate / "truth.csv").read_text().splitlines()[1:]]
        assert expected == sum(years[rate]["a.csv"][a] != years[rate]["b.csv"][b] for a, b in truth)


def test_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """Not a traceback."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert isinstance(run("--out", str(tmp_path / "file"))[2], SettingError)


def test_clinic_layout_reaches_the_files(tmp_path: Path) -> None:
    """Its columns are those of the built-in schema clinic."""
    code, _, _ = run("--records", "30", "--layout", "clinic", "--out", str(tmp_path / "x"))
    assert 0 == code
    header = (tmp_path / "x" / "a.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "record_id,first_name,last_name,date_of_birth,sex,street,city" == header


def test_year_errors_are_refused_for_a_layout_without_years(tmp_path: Path) -> None:
    """An option that does nothing would mislead."""
    _, _, error = run("--layout", "clinic", "--year-errors", "0.1", "--out", str(tmp_path / "x"))
    assert isinstance(error, SettingError)
    assert not (tmp_path / "x").exists()
