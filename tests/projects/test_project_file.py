"""The project file: read, explained by key, written, and joined without losing anybody."""

from __future__ import annotations

import multiprocessing
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from project_parts import UNITS, owner, project, public_key, unit

from unveil.errors import SettingError
from unveil.projects.project import Party, Project, ProjectLimits
from unveil.projects.project_file import join, load, load_draft, parse_project, project_text, write_new
from unveil.protocol.codec import VERSION
from unveil.schema import Hardening, Schema, built_in, built_in_names
from unveil.schema.presets import ENCODINGS, PRESETS, with_encoding, with_preset
from unveil.settings.reader import ProjectError
from unveil.settings.shape import LONGEST

NAMES = st.from_regex(r"\A[a-z][a-z0-9-]{0,62}\Z")
HOSTS = st.sampled_from(["127.0.0.1", "[::1]", "unit.example.org", "h"])
SCHEMAS = [
    with_encoding(with_preset(built_in(name), preset), encoding)
    for name in built_in_names()
    for preset in PRESETS
    for encoding in ENCODINGS
]


def hardened() -> Schema:
    """Every hardening method, with and without what it takes."""
    steps = (
        Hardening(method="diffusion", t=5, m=2048),
        Hardening(method="re-sampling"),
        Hardening(method="balance"),
        Hardening(method="randomised-response", f=0.01),
    )
    schema = built_in()
    return schema.model_copy(update={"layer_r": schema.layer_r.model_copy(update={"hardening": steps})})


@st.composite
def projects(draw: st.DrawFn) -> Project:
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    ports = draw(st.permutations(range(1, 4)))
    units = [
        Party(
            role=role,
            name=draw(st.just("") | NAMES),
            address=f"https://{draw(HOSTS)}:{port}",
            public_key=public_key(role),
        )
        for role, port in zip(UNITS, ports, strict=True)
    ]
    parties = draw(st.permutations([*units, *(owner(name, key=public_key(f"owner {name}")) for name in names)]))
    limits = ProjectLimits(
        records_per_owner=draw(st.integers(1, 1 << 31)),
        message_bytes=draw(st.integers(1 << 16, 1 << 30)),
        copies=draw(st.integers(1, 1000)),
        near_copies=draw(st.floats(0, 1)),
    )
    data = {"name": draw(NAMES), "limits": limits, "parties": tuple(parties)}
    return Project.model_validate(data | {"schema": draw(st.sampled_from([*SCHEMAS, hardened()]))})


@settings(max_examples=60, deadline=None)
@given(projects())
def test_a_project_survives_being_written(trial: Project) -> None:
    """Parties, limits, schema and fingerprint."""
    again = parse_project(project_text(trial))
    assert trial == again
    assert trial.fingerprint() == again.fingerprint()


def plain_values(value: object) -> list[object]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if inner is None else [leaf for each in inner for leaf in plain_values(each)]


@settings(max_examples=20, deadline=None)
@given(projects())
def test_a_project_file_holds_nothing_that_toml_readers_disagree_on(trial: Project) -> None:
    """Text, truth values, 64-bit numbers: other programs read it too. Dates and longer numbers are in no project."""
    values = plain_values(tomllib.loads(project_text(trial)))
    assert {str, bool, int, float} >= {type(value) for value in values}
    assert all(-(1 << 63) <= value < 1 << 63 for value in values if isinstance(value, int))


def problems(text: str, **options: Any) -> dict[str, str]:
    with pytest.raises(ProjectError) as found:
        parse_project(text, source="trial.toml", **options)
    assert found.value.message.startswith("trial.toml: ")
    assert all(problem.what and problem.allowed for problem in found.value.problems)
    return {problem.key: f"{problem.what}; {problem.allowed}" for problem in found.value.problems}


def changed(**changes: Any) -> str:
    return project_text(project().model_copy(update=changes))


#: What is replaced in a sound file, by what, and the key and a word of the explanation.
MISTAKES = {
    "name": ('name = "trial"', 'name = "Trial 1"', "name", "small letters, digits, dashes"),
    "no name": ('name = "trial"\n', "", "name", "missing"),
    "a version as text": (f"protocol = {VERSION}", f'protocol = "{VERSION}"', "protocol", "whole number"),
    "a version that is not spoken": (f"protocol = {VERSION}", "protocol = 99", "protocol", f"; {VERSION}"),
    "limit": ("records_per_owner = 10000000", "records_per_owner = 0", "limits.records_per_owner", "at least 1"),
    "bytes": ("message_bytes = ", "message_bytes = 999", "limits.message_bytes", "at most"),
    "unknown key": ('name = "trial"', 'name = "trial"\nnmae = "x"', "nmae", "did you mean name"),
    "the attribute's name": ('name = "trial"', 'name = "trial"\nlinkage = "x"', "linkage", "unknown key"),
    "unknown limit": ("[limits]", "[limits]\nspeed = 1", "limits.speed", "unknown key"),
    "who joins": ('join = "owners"', 'join = "owner"', "links.join", "did you mean owners"),
    "no key to join with": ('join = "owners"', 'join = "research-centre"', "links.public_key", "nobody could join"),
    "a key where owners join": (
        'join = "owners"', f'join = "owners"\npublic_key = "{"A" * 43}"', "links.public_key", "without anybody's key",
    ),
    "a key that is none": (
        'join = "owners"', 'join = "research-centre"\npublic_key = "abc"', "links.public_key", "not a public key",
    ),
    "role": ('role = "review unit"', 'role = "reviewunit"', "parties.2.role", "did you mean review unit"),
    "owner's name": ('role = "owner"\nname = "a"', 'role = "owner"\nname = "A"', "parties.3.name", "small letters"),
    "no owner's name": ('role = "owner"\nname = "a"', 'role = "owner"', "parties.3.name", "missing"),
    "owner's address": (
        'role = "owner"\nname = "a"', 'role = "owner"\nname = "a"\naddress = "https://h"', "parties.3.address",
        "no port",
    ),
    "plain http": ("https://rec", "http://rec", "parties.0.address", "no address of a unit"),
    "no address": ('address = "https://rec.example.org:8443"\n', "", "parties.0.address", "missing for the record"),
    "the same address": ("https://att.", "https://rec.", "parties.1.address", "used twice"),
    "key": (public_key("a"), public_key("a")[:-1] + "B", "parties.3.public_key", "sha256: and 43 letters"),
    "no key": (f'public_key = "{public_key("a")}"\n', "", "parties.3.public_key", "missing"),
    "the same key": (public_key("b"), public_key("a"), "parties.4.public_key", "the owner a has the same one"),
    "a unit's key": (public_key("b"), public_key("review unit"), "parties.4.public_key", "the review unit has"),
    "the same name": ('name = "b"', 'name = "a"', "parties.4.name", "an owner a already"),
    "two record units": ('role = "attribute unit"', 'role = "record unit"', "parties.1.role", "a record unit already"),
    "schema key": ("[schema.layer_a]", "[schema.layer_a]\nh = 3", "schema.layer_a.h", "unknown key"),
    "schema value": ("weight = 12.04", "weight = -1.0", "schema.attributes.0.weight", 'in "first_name"'),
    "a key twice": ('name = "trial"', 'name = "trial"\nname = "trial"', "(file)", "not valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_explained_by_its_key(mistake: str) -> None:
    """Each alone, at its key, with what would be allowed."""
    right, wrong, key, words = MISTAKES[mistake]
    text = project_text(project())
    assert right in text
    found = problems(text.replace(right, wrong, 1))
    assert [key] == list(found)
    assert words in found[key]


def test_every_mistake_is_told_at_once() -> None:
    """Nobody likes to mend a file five times."""
    text = project_text(project()).replace('name = "trial"', 'name = "T"').replace("weight = 12.04", "weight = -1.0")
    text = text.replace("https://rec", "http://rec").replace("[limits]", "[limits]\nspeed = 1")
    text = text.replace('name = "b"', 'name = "a"')
    expected = {"name", "limits.speed", "schema.attributes.0.weight", "parties.0.address", "parties.4.name"}
    assert expected == set(problems(text))


def test_a_schema_must_be_there_and_be_a_table() -> None:
    """The file stands on its own: no path that other parties lack."""
    head = f'name = "x"\nprotocol = {VERSION}\n'
    assert "missing" in problems(head, draft=True)["schema"]
    assert '"person" is not allowed' in problems(head + 'schema = "person"', draft=True)["schema"]
    assert "missing" in problems(head + "[schema]\n", draft=True)["schema.attributes"]


def test_a_project_that_cannot_begin_is_a_draft() -> None:
    """`load_draft` takes it, `load` says who is missing."""
    text = project_text(project(unit("record unit"), owner("a")))
    assert "without attribute unit, review unit, owner" in problems(text)["parties"]
    assert ("attribute unit", "review unit", "owner") == parse_project(text, draft=True).missing()


def test_units_share_a_key_in_demonstrations_only() -> None:
    """One machine may play all units to show how it works; that separates nothing."""
    shared = public_key("shared")
    everybody = (*(unit(role, key=shared, port=port) for port, role in enumerate(UNITS, 1)), owner("a"), owner("b"))
    text = project_text(project(*everybody))
    assert ["parties.1.public_key", "parties.2.public_key"] == list(problems(text))
    assert 1 == len(parse_project(text, demonstration=True).shared_keys())


def test_owners_never_share_a_key() -> None:
    """Whoever holds it fetches what is addressed to the other."""
    for holder in ("a", "record unit"):
        text = changed(parties=(*project().parties[:4], owner("b", key=public_key(holder))))
        assert ["parties.4.public_key"] == list(problems(text, demonstration=True))


@pytest.mark.parametrize(
    "text",
    ["", "=", "name = ", "a = 1979-99-99", "a = " + "9" * 5000, "x = " + "[" * 2000, "schema = " + "0x" + "f" * 9000,
     "[schema]\nname = 0x" + "f" * 9000, "[[schema]]", "schema = [[[1]]]", "[schema]\nattributes = [[{a = [1]}]]",
     "parties = 3", "parties = [3]", "limits = []", "parties = [{}]", "[schema]\nname = 2025-01-01"],
)  # fmt: skip
def test_odd_files_are_explained_not_crashed_on(text: str) -> None:
    """A project file comes from others."""
    assert problems(text)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_damage_is_noticed_or_harmless(data: st.DataObject) -> None:
    """One character changed: an explained mistake, or a project with another fingerprint, or nothing that matters."""
    text = project_text(project())
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from('ab1 ="[].#\n\\'))
    try:
        found = parse_project(text[:place] + letter + text[place + 1 :])
    except ProjectError:
        return
    same = found.model_dump(exclude={"linkage"}) == project().model_dump(exclude={"linkage"})
    schemas = found.linkage.fingerprint() == project().linkage.fingerprint()
    assert (same and schemas) == (found.fingerprint() == project().fingerprint())


@pytest.mark.parametrize("case", ["none", "folder", "long", "bytes", "path"])
def test_what_is_no_text_file_is_refused(tmp_path: Path, case: str) -> None:
    """With its name and the reason."""
    path = {"none": tmp_path / "x", "folder": tmp_path, "path": Path("a\0b")}.get(case, tmp_path / "project.toml")
    if case == "long":
        path.write_bytes(b"#" * (LONGEST + 1))
    elif case == "bytes":
        path.write_bytes(b"\xff\xfe\x00")
    reason = {"none": "no such file", "folder": "not a plain file", "long": "longer than 1024 kB"}
    with pytest.raises(ProjectError, match=reason.get(case, "not UTF-8 text|not a plain file|no such file")):
        load(path)
    with pytest.raises(ProjectError):
        join(path, owner("a"))


def draft(tmp_path: Path) -> Path:
    path = tmp_path / "project.toml"
    write_new(path, Project.model_validate({"name": "trial", "schema": built_in()}))
    return path


def test_parties_join_one_after_the_other(tmp_path: Path) -> None:
    """Until the project can begin."""
    path = draft(tmp_path)
    for party in project().parties:
        with pytest.raises(ProjectError, match="without"):
            load(path)
        assert party == join(path, party).parties[-1]
    assert project() == load(path)
    assert ["project.toml"] == [each.name for each in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("party", "words"),
    [
        (owner("a", key=public_key("new")), "an owner a already"),
        (owner("c", key=public_key("b")), "the owner b has the same one"),
        (unit("review unit", port=1, key=public_key("new")), "a review unit already"),
        (owner("c", key=public_key("record unit")), "the record unit has the same one"),
    ],
)
def test_whoever_is_there_already_does_not_join_again(tmp_path: Path, party: Party, words: str) -> None:
    """Neither by role, nor by name, nor by key; and the file stays as it was."""
    path = tmp_path / "project.toml"
    write_new(path, project())
    before = path.read_bytes()
    with pytest.raises(ProjectError, match=words):
        join(path, party)
    with pytest.raises(ProjectError, match=words):
        join(path, party, demonstration=True)
    assert before == path.read_bytes()


def test_a_failing_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole or not at all."""
    path = draft(tmp_path)
    before = path.read_bytes()

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(SettingError, match="No space left"):
        join(path, owner("a"))
    assert before == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_joining_keeps_who_may_read_the_file(tmp_path: Path) -> None:
    """Services read it under other accounts."""
    path = draft(tmp_path)
    assert 0o644 == stat.S_IMODE(path.stat().st_mode)
    path.chmod(0o640)
    join(path, owner("a"))
    assert 0o640 == stat.S_IMODE(path.stat().st_mode)


def _join_all(path: Path, names: list[str]) -> None:
    for name in names:
        join(path, owner(name))


def test_nobody_is_lost_when_many_join_at_once(tmp_path: Path) -> None:
    """Each reads the file, adds itself and writes it: one after the other, or names would vanish."""
    path = draft(tmp_path)
    context = multiprocessing.get_context("spawn")
    names = [[f"o{process}-{index}" for index in range(8)] for process in range(3)]
    processes = [context.Process(target=_join_all, args=(path, each)) for each in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [0, 0, 0] == [process.exitcode for process in processes]
    assert {name for each in names for name in each} == {each.name for each in load_draft(path).owners()}


def test_an_existing_file_is_never_replaced_by_a_new_project(tmp_path: Path) -> None:
    """Others have joined it, perhaps."""
    path = draft(tmp_path)
    with pytest.raises(SettingError, match="exists already"):
        write_new(path, project())
    assert () == load_draft(path).parties


def test_a_project_file_names_no_columns() -> None:
    """No fingerprint knows them: whoever hands the file round would decide which column of others' files leaves."""
    text = project_text(project())
    assert "column" not in text
    assert "[schema.input]" not in text
    named = text.replace('name = "city"\n', 'name = "city"\ncolumn = "diagnosis"\n', 1)
    found = problems(named + '\n[schema.input]\nid = "city"\n')
    assert {"schema.attributes.4.column", "schema.input.id"} == set(found)
    for said in found.values():
        assert "a project file names no columns" in said
        assert "changes no fingerprint" in said


def test_columns_of_a_schema_are_left_out_of_a_project_file() -> None:
    """A person's own schema may name them; shared, it means the same without."""
    own = built_in().read_from({"city": "ort"}, id_column="pid")
    trial = project(schema=own)
    again = parse_project(project_text(trial))
    assert built_in() == again.linkage == own.without_columns()
    assert trial.fingerprint() == again.fingerprint()
    assert {"city": "ort"} == own.columns
    assert {} == again.linkage.columns


def test_files_of_earlier_versions_still_open() -> None:
    """They have the default of the id column written out, which names nobody's column."""
    text = project_text(project())
    assert parse_project(text) == parse_project(text + '\n[schema.input]\nid = "record_id"\n')
