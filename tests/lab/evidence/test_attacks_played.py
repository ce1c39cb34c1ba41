"""Every attack of the catalogue succeeds where it must, and the default withstands it: small versions of the run."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from unveil.errors import SettingError
from unveil.lab.evidence import scene
from unveil.lab.evidence.attack import AttackSettings
from unveil.lab.evidence.catalogue import ATTACKS, FIFTH, attack_named, control_of, play
from unveil.lab.evidence.codings import CODINGS, OWN, coded
from unveil.lab.evidence.finding import AttackFinding, finding_of
from unveil.lab.evidence.run import passed
from unveil.lab.synthetic import generate, write
from unveil.schema import built_in

#: As few people as an attack can do with; and by how much chance alone may lift what is asked of so few.
SMALL = {
    "graph-matching": (400, 0.01),
    "known-people": (400, 0.04),
    "keys-and-filters": (400, 0.01),
    "keys-and-known-people": (400, 0.04),
    "salt-groups": (4_000, 0.0),
    "joining-pairs": (400, 0.0),
    "value-lengths": (300, 0.01),
    "value-frequencies": (1_000, 0.0),
    "bits-to-attributes": (1_500, 0.0),
    "key-patterns": (20_000, 0.0),
    "membership-wishes": (600, 0.03),
    "upload-order": (2_000, 0.0),
}


def setting(people: int) -> AttackSettings:
    return AttackSettings(schema=built_in("person"), people=people, known=50, tries=1)


@cache
def played(name: str, *, control: bool) -> AttackFinding:
    attack, usual = attack_named(name), setting(SMALL[name][0])
    return play(attack, control_of(attack, usual) if control else usual)


@pytest.mark.parametrize("name", SMALL)
def test_an_attack_succeeds_on_its_control(name: str) -> None:
    """What fails there proves nothing anywhere."""
    assert passed(played(name, control=True), control=True)


@pytest.mark.parametrize("name", SMALL)
def test_the_default_withstands_it(name: str) -> None:
    """As far as so few people can show."""
    found = played(name, control=False)
    assert found.first <= attack_named(name).most(found.chance) + SMALL[name][1]


def test_frequent_codes_are_named_by_the_same_register_and_not_by_one_that_shares_a_fifth() -> None:
    """Whole hashes beside the same register are the control; the rest is as the evidence run plays it."""
    attack, usual = attack_named("frequent-keys"), setting(20_000)
    assert (FIFTH,) == attack.shares
    assert 1.0 == play(attack, control_of(attack, usual)).first
    assert passed(play(attack, replace(usual, shared=FIFTH)), control=False)


def test_what_is_asked_may_follow_from_what_a_blind_guess_finds() -> None:
    """Twice chance is another share for other numbers of people, and a constant guess another one for each column."""
    joined, told, found = (attack_named(name) for name in ("joining-pairs", "value-lengths", "graph-matching"))
    assert 0.002 == joined.most(0.001)
    assert 0.42 == pytest.approx(told.most(0.4))
    assert 0.02 == found.most(0.4)
    assert "at most 2 times a blind guess" == joined.asked()


def test_keys_that_are_too_long_for_so_few_people_are_said_to_be() -> None:
    """A figure of a thousand people says little about keys that are made for fifty thousand."""
    few, enough = (play(attack_named("key-patterns"), setting(people)) for people in (1_000, 40_000))
    assert any("15 bits are for some 65,536 people" in note for note in few.notes)
    assert 1 == len(enough.notes)


@pytest.mark.parametrize("name", ["key-patterns", "keys-and-filters", "frequent-keys"])
def test_a_schema_without_blocking_keys_has_none_to_attack(name: str) -> None:
    """That is said, not played on nothing."""
    schema = built_in("person").model_copy(update={"blocking": ()})
    assert not attack_named(name).fits(schema)
    assert attack_named("graph-matching").fits(schema)
    with pytest.raises(SettingError, match="no blocking keys"):
        play(attack_named(name), replace(setting(100), schema=schema))


def test_a_schema_without_salts_has_no_groups_to_find() -> None:
    """Nor is it asked for there."""
    assert attack_named("salt-groups").fits(built_in("person"))
    assert not attack_named("salt-groups").fits(built_in("paper"))
    with pytest.raises(SettingError, match="salted by no field"):
        play(attack_named("salt-groups"), replace(setting(100), schema=built_in("paper")))


def test_patterns_of_keys_tell_a_clinics_patients_where_each_attribute_has_a_key() -> None:
    """Its own keys are so fine that whole hashes tell hardly anybody, which would prove nothing."""
    attack, usual = attack_named("key-patterns"), replace(setting(6_000), schema=built_in("clinic"))
    assert passed(play(attack, control_of(attack, usual)), control=True)


@pytest.mark.parametrize("name", ["joining-pairs", "value-lengths", "value-frequencies", "key-patterns"])
def test_attacks_on_what_units_hold_are_played_on_files(tmp_path: Path, name: str) -> None:
    """With entries that differ; fewer are found, and the figures are as complete."""
    write(generate(records=300, overlap=0.5, errors=1, seed=5), tmp_path)
    found = play(attack_named(name), replace(setting(200), data=tmp_path, shared=None))
    assert 0 <= found.first <= 1
    assert "--data FOLDER" in found.command


def test_a_longer_diffusion_is_stripped_and_matched() -> None:
    """Elimination needs more filters than there are input bits, so this one has few of them."""
    schema = built_in("person")
    layer = coded(schema, "longer-3").layer_r.model_copy(update={"m": 512, "h": 6})
    step = layer.hardening[0].model_copy(update={"m": 1024})
    weak = schema.model_copy(update={"layer_r": layer.model_copy(update={"hardening": (step,)})})
    usual = replace(setting(800), schema=weak)
    assert play(attack_named("graph-matching"), usual).first < 0.5
    assert play(attack_named("stripping"), usual).first > 0.7


def test_copies_tell_by_link_ids_only_where_one_id_stands_for_a_match() -> None:
    """The control is a way of working that the project no longer has."""
    attack, usual = attack_named("membership-link-ids"), setting(300)
    assert play(attack, control_of(attack, usual)).first >= attack.at_least
    assert play(attack, usual).first < 0.6


def test_a_finding_names_the_command_that_makes_it_again() -> None:
    """A figure that nobody can make again is an adjective."""
    found = played("graph-matching", control=True)
    words = "--people 400 --shared 1 --tries 1 --encoding plain --schema person --seed 1"
    assert f"unveil privacy attack graph-matching {words}" == found.command
    assert found == finding_of(found.as_json())


def test_names_are_unique_and_controls_are_codings() -> None:
    """A row that names an encoding that is not there would fail in the middle of a long run."""
    names = [each.name for each in ATTACKS]
    codings = [each.name for each in CODINGS]
    assert len(set(names)) == len(names)
    assert len({*codings, OWN}) == len(codings) + 1
    assert {each.control_coding for each in ATTACKS} - {None} <= set(codings)


@pytest.mark.parametrize("coding", [each.name for each in CODINGS])
def test_every_coding_fits_the_built_in_schemas(coding: str) -> None:
    """Filters before the last step are as full as the coding says, whatever the schema's own layer is."""
    for name in ("person", "clinic"):
        layer = coded(built_in(name), coding).layer_r
        assert layer.length >= 512
        assert 8 <= 1024 * layer.h / layer.m <= 20


def test_a_misspelt_attack_or_coding_is_named() -> None:
    """With what was probably meant."""
    with pytest.raises(SettingError, match="graph-matching"):
        attack_named("graph-maching")
    with pytest.raises(SettingError, match="plain"):
        coded(built_in(), "plane")


@pytest.mark.parametrize("shared", [0.2, 1.0])
def test_shared_people_have_the_same_entry_in_both(shared: float) -> None:
    """The attacker to protect against has a good copy; and order tells it nothing."""
    made = scene.generated(built_in("clinic"), people=200, shared=shared, seed=2)
    rows = np.flatnonzero(made.truth >= 0).tolist()
    assert round(200 * shared) == made.shared == len(rows)
    for name, column in made.targets.columns.items():
        entries = made.register.columns[name]
        assert [column[row] for row in rows] == [entries[int(made.truth[row])] for row in rows]
    assert abs(np.corrcoef(rows, made.truth[rows])[0, 1]) < 0.5


def test_a_schema_with_names_of_its_own_is_played_by_what_its_attributes_mean() -> None:
    """An attribute that no generated person has is left empty, and the finding says so."""
    schema = built_in("person")
    attributes = [
        each.model_copy(update={"name": f"x_{each.name}", "role": each.meaning}) for each in schema.attributes
    ]
    strange = attributes[0].model_copy(update={"name": "shoe_size", "role": "other"})
    other = schema.model_copy(update={"attributes": (*attributes, strange)})
    made = scene.generated(other, people=100, shared=1.0, seed=1)
    assert ("shoe_size",) == made.left_out
    assert set(made.targets.columns["shoe_size"].values()) == {""}
    assert len(set(made.targets.columns["x_last_name"].values())) > 10


@pytest.mark.parametrize("shared", [None, 0.2])
def test_real_files_are_attacked_as_they_are_or_as_copies(tmp_path: Path, shared: float | None) -> None:
    """Where entries differ the attacker has what another register knows; else a copy."""
    write(generate(records=300, overlap=0.5, errors=1, seed=5), tmp_path)
    made = scene.of_files(tmp_path, built_in("person"), people=150, shared=shared, seed=1)
    assert (150, 150) == (len(made.targets), len(made.register))
    assert made.shared == (75 if shared is None else 30)
    rows = np.flatnonzero(made.truth >= 0).tolist()
    same = [
        all(c[row] == made.register.columns[name][int(made.truth[row])] for name, c in made.targets.columns.items())
        for row in rows
    ]
    assert all(same) == (shared is not None)
