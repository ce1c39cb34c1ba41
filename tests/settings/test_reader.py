"""One reader for every settings file: strict, every mistake by its key, all of them in one error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from unveil.errors import Problem, SchemaError, SettingsFileError, UnveilError
from unveil.projects.owner_config import OwnerConfig
from unveil.projects.project_file import load as load_project
from unveil.projects.unit_config import UnitConfig
from unveil.roles.owner.policy_file import PolicyFileError
from unveil.roles.owner.policy_file import parse as parse_policy
from unveil.schema import Schema
from unveil.schema import load as load_schema
from unveil.schema import parse as parse_schema
from unveil.settings.base import Settings
from unveil.settings.choices import OneOf
from unveil.settings.mistakes import allowed_values
from unveil.settings.reader import ProjectError, SettingsKind, load, parse
from unveil.settings.shape import LONGEST

ROWS = {"red": 1, "green": 2}


class Lamp(Settings):
    """A lamp."""

    watts: int = Field(5, ge=1, description="how bright")
    colour: Annotated[str, OneOf(ROWS)] = Field("red", description="which colour")


class House(Settings):
    """A house, as a settings file might describe it."""

    name: str = Field(pattern="^[a-z]+$", description="its name")
    lamps: tuple[Lamp, ...] = Field((), description="one table per lamp")
    rooms: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict, description="windows of each room")
    budget: int = Field(100, ge=0, description="watts in all")


class HouseError(SettingsFileError):
    """A house has mistakes."""

    HINT = "ask an architect"


def cross_check(house: House) -> Iterator[Problem]:
    if sum(lamp.watts for lamp in house.lamps) > house.budget:
        yield Problem("budget", "too little for all lamps", "more")
    if house.lamps and not house.rooms:
        yield Problem("rooms", "lamps without a room", "a room")


def kind(**more: Any) -> SettingsKind[House]:
    return SettingsKind(model=House, error=HouseError, cross_check=cross_check, instead={"name": "unnamed"}, **more)


def refused(text: str, **more: Any) -> HouseError:
    with pytest.raises(HouseError) as found:
        parse(text, kind(**more), source="house.toml")
    return found.value


def keys(text: str, **more: Any) -> list[str]:
    return [problem.key for problem in refused(text, **more).problems]


def test_a_sound_file_is_read(tmp_path: Path) -> None:
    """From a text or from a file, with or without a byte order mark."""
    text = 'name = "mill"\nrooms = {hall = 2}\n[[lamps]]\ncolour = "green"\n'
    expected = House(name="mill", rooms={"hall": 2}, lamps=(Lamp(colour="green"),))
    (tmp_path / "house.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert expected == parse(text, kind(), source="house.toml") == load(tmp_path / "house.toml", kind())


def test_every_mistake_is_told_in_one_error_that_counts_them() -> None:
    """Those of single keys first, then those that only several keys show."""
    error = refused('nam = "x"\nbudget = 9\n[[lamps]]\nwatts = 10\ncolour = "grene"\n')
    assert error.message == (
        "house.toml: 5 mistakes\n"
        "  name: missing; allowed: text, matching ^[a-z]+$ (its name)\n"
        '  lamps.0.colour: "grene" is not allowed (did you mean green?); allowed: "red", "green"\n'
        "  nam: unknown key (did you mean name?); allowed: name, lamps, rooms, budget\n"
        "  budget: too little for all lamps; allowed: more\n"
        "  rooms: lamps without a room; allowed: a room"
    )
    assert ("house.toml", "ask an architect") == (error.source, error.hint)
    assert refused("budget = -1\nname = 'a'").message.startswith("house.toml: one mistake\n")


def test_a_key_is_told_once() -> None:
    """A mistaken budget gives way to its default, which may be too small as well: that is no second mistake."""
    assert ["budget", "rooms"] == keys('name = "a"\nbudget = "x"\n[[lamps]]\nwatts = 1000\n')


def test_a_table_may_be_judged_last() -> None:
    """An entry that is left out because it is mistaken must not make its table look empty."""
    text = 'name = "a"\nrooms = {hall = 0}\n[[lamps]]\n'
    assert ["rooms.hall", "rooms"] == keys(text)
    assert ["rooms.hall"] == keys(text, judged_last=("rooms",))
    assert ["rooms"] == keys(text.replace("hall = 0", ""), judged_last=("rooms",))


def test_entries_under_names_of_the_writers_own_are_explained() -> None:
    """What they may be stands in the type of the table."""
    assert (
        "rooms.hall: 0 is not allowed; allowed: a whole number, at least 1"
        in refused('name = "a"\nrooms = {hall = 0}').message
    )


def test_the_hint_fits_the_mistake() -> None:
    """A kind may have a hint, and better ones for certain keys; a file that is no TOML has that of the error."""
    more = {"hint": "see the plan", "hint_at": {"budget": "lamps cost"}}
    assert "see the plan" == refused("name = 1", **more).hint
    assert "lamps cost" == refused("name = 1\nbudget = -1", **more).hint
    assert "ask an architect" == refused("name = ", **more).hint


def test_nothing_is_converted() -> None:
    """Whoever wrote "5" or true may have meant something else than 5 or 1."""
    for wrong in ('"5"', "true", "5.0"):
        assert ["budget"] == keys(f'name = "a"\nbudget = {wrong}')


class Painted(Settings):
    """A choice from a table and the same as a type."""

    table: Annotated[str, OneOf(ROWS)]
    literal: Literal["red", "green"]


@pytest.mark.parametrize("wrong", ['"grean"', "5", "true", "[]", "{a = 1}", "1.5", "1979-05-27"])
def test_a_choice_from_a_table_is_explained_like_any_other(wrong: str) -> None:
    """In the same words, whatever stands there."""
    painted = SettingsKind(model=Painted, error=HouseError, cross_check=lambda _: ())
    with pytest.raises(HouseError) as found:
        parse(f"table = {wrong}\nliteral = {wrong}", painted, source="x")
    table, literal = found.value.problems
    assert (table.what, table.allowed) == (literal.what, literal.allowed)


def test_a_choice_from_a_table_has_the_same_json_schema_as_any_other() -> None:
    """Other tools read it."""
    properties = Painted.model_json_schema()["properties"]
    assert properties["literal"] | {"title": "Table"} == properties["table"]
    table, literal = (Painted.model_fields[name] for name in ("table", "literal"))
    assert allowed_values(literal.annotation, literal.metadata) == allowed_values(table.annotation, table.metadata)


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (load_schema, SchemaError),
        (load_project, ProjectError),
        (OwnerConfig.load, ProjectError),
        (UnitConfig.load, ProjectError),
    ],
)
def test_every_kind_of_file_is_read_with_the_same_care(read: Any, error: type[UnveilError], tmp_path: Path) -> None:
    """What is too long, missing, no text or no TOML is explained alike, by an error of the file's kind."""
    for content, words in (
        (b"#" * (LONGEST + 1), "longer than 1024 kB"),
        (b"\xff", "not UTF-8"),
        (b"=", "not valid TOML"),
    ):
        (tmp_path / "file.toml").write_bytes(content)
        with pytest.raises(error, match=words):
            read(tmp_path / "file.toml")
    with pytest.raises(error, match="no such file"):
        read(tmp_path / "none.toml")


def test_all_errors_of_settings_files_are_of_one_kind() -> None:
    """Whoever reads any of them needs to catch one."""
    with pytest.raises(SettingsFileError) as of_schema:
        parse_schema("x = 1")
    with pytest.raises(SettingsFileError) as of_policy:
        parse_policy("x = 1", names=())
    assert (SchemaError, PolicyFileError) == (of_schema.type, of_policy.type)
    assert of_schema.value.hint != of_policy.value.hint


def test_lists_nested_as_deep_as_they_can_be_read_are_explained() -> None:
    """What can just be read cannot always be copied, which looking further needs; it depends on who calls."""

    def through_another(text: str) -> Schema:
        return parse_schema(text)

    for depth in range(300, 520):
        for read in (parse_schema, through_another):
            with pytest.raises(SchemaError):
                read("x = " + "[" * depth + "]" * depth)
