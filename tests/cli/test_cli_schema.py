"""`unveil schema`: shows what there is and explains what is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from unveil.cli import main
from unveil.schema import built_in, built_in_text, parse

Outcome = tuple[int, str, str]

MISTAKEN = (
    'name = "mine"\n[[attributes]]\nname = "first_name"\nq = "two"\nhh = 3\n[[blocking]]\nfields = ["frst_name"]\n'
)


@pytest.fixture
def unveil_(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs the command line and gives its exit code, output and errors."""

    def run(*words: str | Path) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["unveil", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code or 0
        assert isinstance(code, int)
        return (code, *capsys.readouterr())

    return run


def test_show_prints_the_built_in_schema_with_its_comments(unveil_: Callable[..., Outcome]) -> None:
    """It is meant to be saved, read and changed."""
    assert (0, built_in_text(), "") == unveil_("schema", "show")
    assert (0, built_in_text(), "") == unveil_("schema", "show", "person")


def test_show_json_fills_in_every_default(unveil_: Callable[..., Outcome]) -> None:
    """Programs need not know the defaults."""
    code, out, _ = unveil_("schema", "show", "--json")
    assert 0 == code
    assert built_in().model_dump(mode="json") == json.loads(out)


def test_show_prints_a_file(unveil_: Callable[..., Outcome], tmp_path: Path) -> None:
    """As it stands, comments included."""
    text = '# mine\nname = "mine"\nattributes = [{name = "a"}]'
    (tmp_path / "mine.toml").write_text(text)
    assert (0, text + "\n", "") == unveil_("schema", "show", tmp_path / "mine.toml")
    code, out, _ = unveil_("schema", "show", tmp_path / "mine.toml", "--json")
    assert (0, parse(text).model_dump(mode="json")) == (code, json.loads(out))


def test_show_answers_an_unknown_name_with_the_known_ones(unveil_: Callable[..., Outcome]) -> None:
    """A misspelt name is no missing file."""
    code, out, err = unveil_("schema", "show", "persn")
    assert (1, "") == (code, out)
    assert "did you mean person?" in err


def test_check_says_what_a_valid_schema_means(unveil_: Callable[..., Outcome], tmp_path: Path) -> None:
    """Attributes, encodings, blocking, layers: so that a wrong meaning is noticed, not only a wrong key."""
    hardened = "h = 12\nhardening = [{method = 'xor-fold'}]"
    (tmp_path / "s.toml").write_text(built_in_text("paper").replace("h = 12\n", f"{hardened}\n"))
    code, out, err = unveil_("schema", "check", tmp_path / "s.toml")
    assert (0, "") == (code, err)
    for said in (
        "paper is valid",
        "last_name",
        "clk, m=1024, h=12, then xor-fold",
        "m=256",
        "soundex(last_name)",
        "3:",
    ):
        assert said in out


def test_check_warns_of_what_is_known_to_be_broken(unveil_: Callable[..., Outcome]) -> None:
    """With the figure, and in JSON; what comes with Unveil to link people by has nothing of it."""
    _, out, _ = unveil_("schema", "check", "paper")
    warnings = [line for line in out.splitlines() if line.startswith("warning: ")]
    assert ["layer_r", "layer_r", "layer_a"] == [line.split(": ")[1] for line in warnings]
    assert "35 % of 50,000 people" in out
    found = [json.loads(unveil_("schema", "check", name, "--json")[1])["weak"] for name in ("paper", "person")]
    assert [3, 0] == [len(each) for each in found]


def test_check_mentions_a_column_of_another_name_and_missing_blocking(
    unveil_: Callable[..., Outcome], tmp_path: Path
) -> None:
    """No blocking means that all pairs are compared, which may take long."""
    (tmp_path / "s.toml").write_text('name = "x"\nattributes = [{name = "a", column = "Ä"}]\n[protocol]\nlayers = 1\n')
    _, out, _ = unveil_("schema", "check", tmp_path / "s.toml")
    assert "from column Ä" in out
    assert "every pair is compared" in out
    assert "labels" not in out


def test_check_lists_every_mistake_by_key_and_fails(unveil_: Callable[..., Outcome], tmp_path: Path) -> None:
    """All of them at once, each with what would be allowed."""
    (tmp_path / "s.toml").write_text(MISTAKEN)
    code, out, err = unveil_("schema", "check", tmp_path / "s.toml")
    assert (1, "") == (code, out)
    lines = err.splitlines()
    assert f"unveil: error: {tmp_path / 's.toml'}: 3 mistakes" == lines[0]
    assert [
        "attributes.0.q",
        "attributes.0.hh",
        "blocking.0.fields",
    ] == [line.split(":")[0].strip() for line in lines[1:4]]
    assert all("allowed: " in line for line in lines[1:4])
    assert lines[4].startswith("hint: ")


def test_check_json_tells_the_same(unveil_: Callable[..., Outcome], tmp_path: Path) -> None:
    """On success and on mistakes, and the exit code holds too."""
    (tmp_path / "s.toml").write_text(MISTAKEN)
    code, out, err = unveil_("schema", "check", tmp_path / "s.toml", "--json")
    found = json.loads(out)
    assert (1, "", False) == (code, err, found["valid"])
    assert ["attributes.0.q", "attributes.0.hh", "blocking.0.fields"] == [each["key"] for each in found["mistakes"]]
    (tmp_path / "s.toml").write_text(built_in_text())
    code, out, _ = unveil_("schema", "check", tmp_path / "s.toml", "--json")
    assert (0, True, built_in().fingerprint()) == (code, json.loads(out)["valid"], json.loads(out)["fingerprint"])


@pytest.mark.parametrize("words", [("schema", "check"), ("schema", "nothing"), ("schema", "show", "--nothing")])
def test_wrong_usage_ends_with_2(unveil_: Callable[..., Outcome], words: tuple[str, ...]) -> None:
    """Scripts tell wrong usage from failure."""
    assert 2 == unveil_(*words)[0]


@pytest.mark.parametrize("command", ["show", "check"])
def test_help_gives_an_example(unveil_: Callable[..., Outcome], command: str) -> None:
    """Most people begin with one."""
    code, out, _ = unveil_("schema", command, "--help")
    assert (0, True) == (code, f"Example: unveil schema {command}" in out)
