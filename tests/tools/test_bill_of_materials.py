"""The bill of materials: valid by the rules of SPDX, complete, and the same bytes each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from tools.packaging import sbom
from tools.packaging.sbom import BILLS, bill, pinned, write

REQUIREMENTS = Path(__file__).parents[2] / "requirements"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Any file will do: the bill says its hash."""
    path = tmp_path_factory.mktemp("dist") / "unveil-0.1.0-py3-none-any.whl"
    path.write_bytes(b"a wheel")
    return path


@pytest.fixture(scope="module")
def written(wheel: Path) -> dict[str, Path]:
    """The bills, by the file of requirements that they are of."""
    return dict(zip(BILLS, write(wheel.parent, wheel), strict=True))


def packages_of(path: Path) -> dict[str, Any]:
    return {each["SPDXID"]: each for each in json.loads(path.read_text(encoding="utf-8"))["packages"]}


@pytest.mark.parametrize("name", BILLS)
def test_a_bill_is_valid(written: dict[str, Path], name: str) -> None:
    """By the library of those who wrote the rules."""
    assert [] == validate_full_spdx_document(parse_file(str(written[name])))


def test_what_breaks_the_rules_is_noticed(written: dict[str, Path], tmp_path: Path) -> None:
    """Else the test above would prove nothing."""
    found = json.loads(written["run"].read_text(encoding="utf-8"))
    found["relationships"][0]["relatedSpdxElement"] = "SPDXRef-nobody"
    broken = tmp_path / "broken.spdx.json"
    broken.write_text(json.dumps(found), encoding="utf-8")
    assert validate_full_spdx_document(parse_file(str(broken)))


@pytest.mark.parametrize("name", BILLS)
def test_every_pinned_requirement_is_listed_with_its_hashes_and_nothing_else(
    written: dict[str, Path], name: str
) -> None:
    """A library that is not listed is one that nobody is warned of."""
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    expected = pinned(text)
    assert sum(not line.startswith((" ", "#")) for line in text.splitlines()) == len(expected)
    assert text.count("--hash=sha256:") == sum(len(each.hashes) for each in expected)
    found = packages_of(written[name])
    assert {"SPDXRef-unveil", *(each.reference for each in expected)} == set(found)
    for package in expected:
        listed = found[package.reference]
        assert (package.name, package.version) == (listed["name"], listed["versionInfo"])
        assert list(package.hashes) == [each["checksumValue"] for each in listed["checksums"]]


@pytest.mark.parametrize("name", BILLS)
def test_every_requirement_that_is_installed_here_is_needed_by_something(written: dict[str, Path], name: str) -> None:
    """From the wheel, step by step, all of them are reached."""
    found = json.loads(written[name].read_text(encoding="utf-8"))
    steps: dict[str, set[str]] = {}
    for one in found["relationships"]:
        steps.setdefault(one["spdxElementId"], set()).add(one["relatedSpdxElement"])
    reached, open_ends = set(), ["SPDXRef-unveil"]
    while open_ends:
        reached.add(end := open_ends.pop())
        open_ends += steps.get(end, set()) - reached
    elsewhere = {each["SPDXID"] for each in found["packages"] if "comment" in each}
    assert {each["SPDXID"] for each in found["packages"]} - elsewhere <= reached


def test_most_licences_are_told(written: dict[str, Path]) -> None:
    """A list without licences answers half of what it is asked."""
    told = [each["licenseDeclared"] for each in packages_of(written["run"]).values()]
    assert told.count("NOASSERTION") < len(told) / 3


def test_the_same_commit_gives_the_same_bytes(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of everything else that is handed out; another pin gives another name."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    packages = pinned((REQUIREMENTS / "run.txt").read_text(encoding="utf-8"))
    assert bill("unveil", packages, wheel) == bill("unveil", packages, wheel)
    assert "2023-11-14T22:13:20Z" == bill("unveil", packages, wheel)["creationInfo"]["created"]
    fewer = bill("unveil", packages[1:], wheel)
    assert bill("unveil", packages, wheel)["documentNamespace"] != fewer["documentNamespace"]


@pytest.mark.parametrize("line", ["numpy>=2", "numpy==2.0", "git+ssh://host/numpy", "-r other.txt --hash=sha256:aa"])
def test_a_requirement_that_is_not_pinned_is_refused(line: str) -> None:
    """What is installed would not be what is listed."""
    with pytest.raises(ValueError, match="not pinned"):
        pinned(f"{line}\n")


def test_a_package_that_says_no_licence_of_spdx_is_not_given_one() -> None:
    """A guess in a list of licences is worse than a gap."""
    assert "NOASSERTION" == sbom._licence("no-such-package")
