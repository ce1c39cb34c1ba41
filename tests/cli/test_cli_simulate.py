"""`unveil simulate` and `unveil link`, as a person would run them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import unveil

from unveil.lab.synthetic import generate, write

EXACT_KEYS = [
    "dataset", "preset", "budget", "error", "seed", "t_opt", "t0", "t_final", "true_pairs", "candidate_pairs",
    "pairs_completeness", "trajectory", "initial_f1", "final_f1", "seconds", "peak_rss_mb",
    "estimated_precision", "estimated_recall", "estimated_f1", "attributes_disclosed", "kapr_held",
    "estimate_trusted", "reviewer_error", "kept_out", "warnings",
]  # fmt: skip
POINT_KEYS = ["reviewed_pairs", "clerical_labels", "threshold", "precision", "recall", "f1"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulate") / "people"
    folder.mkdir()
    write(generate(records=2000, overlap=0.2, errors=1, seed=5), folder)
    return folder


def simulated(people: Path, *arguments: str | Path) -> dict[str, Any]:
    done = unveil("simulate", "--data", people, "--json", *arguments)
    assert (0, "") == (done.returncode, done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_json_holds_exactly_the_documented_keys(people: Path) -> None:
    """Scripts of others read this object: a renamed key breaks them."""
    result = simulated(people, "--budget", "30", "--error", "0.2", "--offset", "0.02", "--seed", "3")
    assert EXACT_KEYS == list(result)
    assert all(list(point) == POINT_KEYS for point in result["trajectory"])
    assert ("people", "unveil", 30, 0.2, 3, 400) == tuple(
        result[key] for key in ("dataset", "preset", "budget", "error", "seed", "true_pairs")
    )
    assert result["t_opt"] + 0.02 == pytest.approx(result["t0"])
    assert 0 == result["trajectory"][0]["reviewed_pairs"]
    assert result["initial_f1"] == result["trajectory"][0]["f1"]
    assert result["final_f1"] == result["trajectory"][-1]["f1"]
    assert 1 + 5 == len(result["trajectory"])
    for low, point, high in (result[key] for key in EXACT_KEYS if key.startswith("estimated_")):
        assert 0 <= low <= point <= high <= 1
    shares = result["attributes_disclosed"]
    assert {"first_name", "zip"} < set(shares)
    assert 0 < max(shares.values()) <= 1
    assert 0 < result["kapr_held"] < 1
    assert 0 < result["reviewer_error"] < 1
    assert isinstance(result["estimate_trusted"], bool)
    assert {"owner a": {}, "owner b": {}} == result["kept_out"]
    assert [] == result["warnings"]


def two_digit_years(people: Path, folder: Path) -> Path:
    """The same people, of whom the second owner writes the year of birth without its century."""
    folder.mkdir()
    for name in ("a.csv", "truth.csv"):
        (folder / name).write_bytes((people / name).read_bytes())
    with (people / "b.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / "b.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "year_of_birth": row["year_of_birth"][2:]} for row in rows)
    return folder


def test_what_one_owner_writes_otherwise_is_warned_of_on_the_screen_and_in_the_report(
    people: Path, tmp_path: Path
) -> None:
    """Every link would be found by less, and nobody would know why."""
    report = tmp_path / "report.html"
    done = unveil("simulate", "--data", two_digit_years(people, tmp_path / "people"), "--report", report)
    assert 0 == done.returncode, done.stderr
    warned = [line.removeprefix("warning: ") for line in done.stdout.splitlines() if line.startswith("warning: ")]
    subjects = ["key first_name+year_of_birth", "key last_name+year_of_birth", "attribute year_of_birth"]
    assert subjects == [line.removeprefix("blocking ").split(" hardly")[0].removesuffix(" is") for line in warned]
    page = report.read_text(encoding="utf-8")
    assert all(line[1:] in page for line in warned)


def test_linking_two_files_warns_of_keys_by_name(people: Path, tmp_path: Path) -> None:
    """Whoever links files of encodings sees no value either."""
    folder, key = two_digit_years(people, tmp_path / "people"), tmp_path / "project.key"
    unveil("key", "new", key)
    files = [tmp_path / f"{side}.parquet" for side in "ab"]
    for side, file in zip("ab", files, strict=True):
        assert 0 == unveil("encode", folder / f"{side}.csv", "--key", key, "--out", file).returncode
    done = unveil("link", *files, "--out", tmp_path / "links.csv", "--json")
    warnings = json.loads(done.stdout)["warnings"]
    expected = [("key_hardly_agrees", key) for key in ("first_name+year_of_birth", "last_name+year_of_birth")]
    assert expected == [(warning["kind"], warning["subject"]) for warning in warnings]
    said = unveil("link", *files, "--out", tmp_path / "links.csv", "--force").stdout
    assert all(f"warning: {warning['sentence']}\n" in said for warning in warnings)


def test_same_seed_same_result_in_two_processes(people: Path) -> None:
    """Everything but the clock and the memory must repeat, or no figure can be checked by others."""
    arguments = ["--budget", "20", "--error", "0.2", "--seed", "4"]
    command = [sys.executable, "-m", "unveil", "simulate", "--data", str(people), "--json", *arguments]
    first = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    second = simulated(people, *arguments)
    for measured in ("seconds", "peak_rss_mb"):
        del first[measured], second[measured]
    assert first == second
    other = simulated(people, "--budget", "20", "--error", "0.2", "--seed", "5")
    assert first["trajectory"] != other["trajectory"]


def test_one_layer_never_opens_a_pair(people: Path) -> None:
    result = simulated(people, "--layers", "1")
    assert [(0, 0)] == [(point["reviewed_pairs"], point["clerical_labels"]) for point in result["trajectory"]]


def test_two_layers_run_on_a_saved_model(people: Path, tmp_path: Path) -> None:
    """The model learnt with a reviewer serves where there is none."""
    model = tmp_path / "model.npz"
    simulated(people, "--preset", "paper", "--budget", "100", "--save-model", model)
    result = simulated(people, "--preset", "paper", "--layers", "2", "--model", model, "--seed", "9")
    assert 0 == result["trajectory"][-1]["clerical_labels"]
    assert result["final_f1"] > result["initial_f1"]
    done = unveil("simulate", "--data", people, "--layers", "2", "--model", model)
    assert (1, True) == (done.returncode, "--preset paper" in done.stderr)  # else it would be ignored in silence


def test_folded_filters_are_another_encoding(people: Path) -> None:
    paper = ("--layers", "1", "--schema", "paper")
    plain, folded = simulated(people, *paper), simulated(people, *paper, "--encoding", "clk-xor")
    assert plain["t_opt"] > folded["t_opt"]


def test_report_opens_offline_and_shows_no_value(people: Path, tmp_path: Path) -> None:
    """A report about real data must not carry a record, not even in part."""
    report = tmp_path / "report.html"
    done = unveil("simulate", "--data", people, "--budget", "20", "--report", report)
    assert 0 == done.returncode
    text = report.read_text(encoding="utf-8")
    assert "http:" not in text
    assert "https:" not in text
    with (people / "a.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    surnames = {row["last_name"] for row in rows if len(row["last_name"]) > 5}
    assert not [name for name in surnames if name in text]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--preset", "none"), "no preset none"),
        (("--encoding", "md5"), "no encoding md5"),
        (("--engine", "abacus"), "abacus"),
        (("--offset", "0.1", "--threshold", "0.7"), "both --offset and --threshold"),
        (("--threshold", "1.5"), "threshold must lie between 0 and 1"),
        (("--error", "2"), "error must lie between 0 and 1"),
        (("--budget", "-1"), "budget must not be negative"),
        (("--model", "absent.npz"), "absent.npz"),
    ],
)
def test_a_wrong_setting_is_explained_in_one_line(people: Path, arguments: tuple[str, ...], said: str) -> None:
    done = unveil("simulate", "--data", people, *arguments)
    assert 1 == done.returncode
    assert done.stderr.startswith("unveil: error: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    done = unveil("simulate", "--data", tmp_path / "nowhere")
    assert 1 == done.returncode
    assert "nowhere" in done.stderr


def test_encode_and_link_find_the_people_in_both_files(people: Path, tmp_path: Path) -> None:
    """The single-layer path, from two owners' files to links."""
    key = tmp_path / "project.key"
    assert 0 == unveil("key", "new", key).returncode
    for side in "ab":
        done = unveil("encode", people / f"{side}.csv", "--key", key, "--out", tmp_path / f"{side}.parquet")
        assert 0 == done.returncode, done.stderr
    links = tmp_path / "links.csv"
    files = (tmp_path / "a.parquet", tmp_path / "b.parquet")
    done = unveil("link", *files, "--threshold", "0.58", "--one-to-one", "--out", links, "--json")
    assert 0 == done.returncode, done.stderr
    with links.open(encoding="utf-8") as file:
        found = {(row["record_id_a"], row["record_id_b"]) for row in csv.DictReader(file)}
    with (people / "truth.csv").open(encoding="utf-8") as file:
        truth = {(row["record_id_a"], row["record_id_b"]) for row in csv.DictReader(file)}
    assert len(found) == json.loads(done.stdout)["links"]
    assert [] == json.loads(done.stdout)["warnings"]
    assert len(found & truth) / len(truth) > 0.8
    assert len(found & truth) / len(found) > 0.8
    again = unveil("link", *files, "--out", links)
    assert (1, True) == (again.returncode, "--force" in again.stderr)


def test_blocking_loses_no_link_that_comparing_all_pairs_finds_among_its_candidates(
    people: Path, tmp_path: Path
) -> None:
    """All pairs is a superset: blocking only ever takes candidates away."""
    key = tmp_path / "project.key"
    unveil("key", "new", key)
    for side in "ab":
        unveil("encode", people / f"{side}.csv", "--key", key, "--out", tmp_path / f"{side}.parquet")
    files = (tmp_path / "a.parquet", tmp_path / "b.parquet")
    found = []
    for more in ((), ("--all-pairs",)):
        out = tmp_path / f"links{len(more)}.csv"
        assert 0 == unveil("link", *files, "--threshold", "0.8", "--out", out, *more).returncode
        found.append(set(out.read_text(encoding="utf-8").splitlines()))
    assert found[0] <= found[1]


def test_files_under_different_keys_are_refused(people: Path, tmp_path: Path) -> None:
    """They would look unrelated: no link would be found, and nobody would know why."""
    for side in "ab":
        unveil("key", "new", tmp_path / f"{side}.key")
        unveil(
            "encode", people / f"{side}.csv", "--key", tmp_path / f"{side}.key", "--out", tmp_path / f"{side}.parquet"
        )
    out = tmp_path / "links.csv"
    done = unveil("link", tmp_path / "a.parquet", tmp_path / "b.parquet", "--out", out)
    assert 1 == done.returncode
    assert "different keys" in done.stderr
    assert not out.exists()
