"""
Every attack that is played, one row each.

Adding one is a row here and the function that plays it: it takes `AttackSettings` and tells its steps, and returns
`Played`. Command line, evidence run and report follow from the row.
"""

from __future__ import annotations

import shlex
import time
from typing import Final

from unveil.errors import SettingError
from unveil.lab.evidence import (
    attribute_filters,
    bits_of_attributes,
    blocking_keys,
    keys_and_filters,
    owners_view,
    record_filters,
    salts,
    uploads,
)  # fmt: skip
from unveil.lab.evidence.attack import MEASURES, Attack, AttackSettings
from unveil.lab.evidence.codings import LONGER, OWN, PLAIN
from unveil.lab.evidence.finding import AttackFinding, OnStep
from unveil.settings.mistakes import near

_REGISTER: Final = "record filters of everybody, and a register in which some of them have the same entry"
_ALL_OF_IT: Final = (
    "record filters and blocking keys of everybody, and a register in which some of them have the same entry"
)

#: What some attacks use, and with which shares of shared people the evidence run plays them.
_PEOPLE: Final = frozenset({"people"})
_SOME_SHARED: Final = frozenset({"people", "shared"})
FIFTH: Final = 0.2
_BOTH: Final = (1.0, FIFTH)
_NONE: Final = (None,)

#: Every attack, those on record filters first.
ATTACKS: Final = (
    Attack(
        name="graph-matching",
        title="Who is who, by similarities alone",
        attacker="record unit, or whoever gets a file of encodings",
        holds=_REGISTER,
        target="whose filter each is",
        measure="found",
        control="plain CLK of 1,024 bits",
        control_coding=PLAIN.name,
        at_least=0.9,
        at_most=0.02,
        play=record_filters.graph_matching,
        shares=_BOTH,
        control_shares=_BOTH,
    ),
    Attack(
        name="stripping",
        title="Undoing linear mixing by elimination",
        attacker="record unit, or whoever gets a file of encodings",
        holds=_REGISTER,
        target="the bits that were mixed, and then whose filter each is",
        measure="found",
        control="diffusion, t = 3, of 1,024 bits into 2,048",
        control_coding=LONGER.name,
        at_least=0.9,
        at_most=0.02,
        play=record_filters.stripping,
    ),
    Attack(
        name="known-people",
        title="Who is who, with some people known beforehand",
        attacker="record and review unit in one hand",
        holds=_REGISTER + "; of some people it knows which filter is theirs",
        target="whose filter each of the others is",
        measure="found",
        control="plain CLK of 1,024 bits",
        control_coding=PLAIN.name,
        at_least=0.9,
        at_most=0.06,
        play=record_filters.known_people,
        uses=frozenset({"people", "shared", "tries", "known"}),
        shares=_BOTH,
        control_shares=_BOTH,
    ),
    Attack(
        name="keys-and-filters",
        title="Who is who, by blocking keys and similarities together",
        attacker="record unit, or whoever gets a file of encodings",
        holds=_ALL_OF_IT,
        target="whose record each is",
        measure="found",
        control="whole hashes of keys beside plain CLK",
        control_coding=PLAIN.name,
        at_least=0.9,
        at_most=0.02,
        play=keys_and_filters.nobody_known,
        tries=1,
        of_keys=True,
        shares=_BOTH,
    ),
    Attack(
        name="keys-and-known-people",
        title="Who is who, by blocking keys, similarities and known people",
        attacker="record and review unit in one hand",
        holds=_ALL_OF_IT + "; of some people it knows which record is theirs",
        target="whose record each of the others is",
        measure="found",
        control="whole hashes of keys beside plain CLK",
        control_coding=PLAIN.name,
        at_least=0.9,
        at_most=0.06,
        play=keys_and_filters.some_known,
        tries=1,
        of_keys=True,
        uses=frozenset({"people", "shared", "tries", "known"}),
        shares=_BOTH,
    ),
    Attack(
        name="salt-groups",
        title="Who has the same year of birth or sound of a name, by what salts leave",
        attacker="record unit, or whoever gets a file of encodings",
        holds="record filters of everybody",
        target="which records have one salt",
        measure="alike",
        control="salted diffusion, t = 2",
        control_coding="salted-2",
        at_least=0.7,
        at_most=0.65,
        play=salts.groups_of_salts,
        uses=_PEOPLE,
        shares=_NONE,
        control_shares=_NONE,
        sized="keys",
        of_salts=True,
    ),
    Attack(
        name="joining-pairs",
        title="Joining the pairs of one record, by weights of filters",
        attacker="attribute unit",
        holds="what was sent of every attribute of records that are in several pairs, each under a key of its own",
        target="which of another pair's records it is",
        measure="found",
        control="filters themselves, without signs",
        at_least=0.1,
        at_most=2,
        beside_chance="times",
        play=attribute_filters.joining_by_weights,
        uses=_PEOPLE,
        shares=_NONE,
        control_shares=_NONE,
        sized="pairs",
    ),
    Attack(
        name="value-lengths",
        title="How long values are, by weights of filters",
        attacker="attribute unit",
        holds="what was sent of every attribute, and values of its own that it encodes",
        target="the number of q-grams of each value",
        measure="right",
        control="filters themselves, without signs",
        at_least=0.6,
        at_most=0.02,
        beside_chance="above",
        play=attribute_filters.lengths_of_values,
        uses=_PEOPLE,
        shares=_NONE,
        control_shares=_NONE,
        sized="pairs",
    ),
    Attack(
        name="value-frequencies",
        title="Which value it is, by frequency",
        attacker="attribute unit",
        holds="what was sent of an attribute with few values, and a register that says how frequent they are",
        target="the value of each record",
        measure="right",
        control="filters under one key for all pairs",
        at_least=0.5,
        at_most=0.05,
        play=attribute_filters.frequent_values,
        uses=_SOME_SHARED,
        shares=_BOTH,
        control_shares=_BOTH,
        sized="pairs",
    ),
    Attack(
        name="bits-to-attributes",
        title="Which attribute each bit of a record filter is of",
        attacker="record and attribute unit in one hand",
        holds="record filters of some pairs, and how alike each attribute of theirs is",
        target="the attribute of each bit",
        measure="right",
        control="an RBF, each bit sampled from one attribute's filter",
        at_least=0.9,
        at_most=0.1,
        beside_chance="above",
        play=bits_of_attributes.bits_to_attributes,
        uses=_PEOPLE,
        shares=_NONE,
        control_shares=_NONE,
        sized="pairs",
    ),
    Attack(
        name="key-patterns",
        title="Who is who, by patterns of blocking keys",
        attacker="record unit",
        holds="blocking keys of everybody, and a register in which some of them have the same entry",
        target="people in a candidate set of one",
        measure="found",
        control="whole hashes of every attribute by itself, and the same register",
        at_least=0.9,
        at_most=0.01,
        play=blocking_keys.patterns_of_keys,
        of_keys=True,
        uses=_SOME_SHARED,
        shares=_BOTH,
        sized="keys",
    ),
    Attack(
        name="frequent-keys",
        title="What frequent blocking keys are, by rank",
        attacker="record unit",
        holds="blocking keys of everybody, and a register that shares a fifth of them",
        target="the values of the 100 most frequent codes",
        measure="right",
        control="whole hashes, and the same register",
        at_least=0.9,
        at_most=0.05,
        play=blocking_keys.frequent_keys,
        of_keys=True,
        uses=_SOME_SHARED,
        shares=(FIFTH,),
        sized="keys",
    ),
    Attack(
        name="membership-wishes",
        title="Who is in the other register, by what is wished for",
        attacker="owner",
        holds="every wish for its own records, and near-copies of some that it planted",
        target="which of these are in the other register",
        measure="AUC",
        control="a project without decoys and strangers",
        at_least=0.7,
        at_most=0.55,
        play=owners_view.membership_from_wishes,
        uses=_PEOPLE,
        shares=_NONE,
        control_shares=_NONE,
        sized="wishes",
    ),
    Attack(
        name="membership-link-ids",
        title="Who is in the other register, by link ids of planted copies",
        attacker="owner",
        holds="its link table, and near-copies that it planted",
        target="which of its records are in the other register",
        measure="AUC",
        control="one link id for all records that match the same one",
        at_least=0.6,
        at_most=0.55,
        play=owners_view.membership_from_link_ids,
        uses=_PEOPLE,
        shares=_NONE,
        control_shares=_NONE,
        sized="owners",
    ),
    Attack(
        name="upload-order",
        title="Initials, by the order of an upload",
        attacker="record unit",
        holds="the order in which records came, of a register that is kept sorted",
        target="the initial of each record",
        measure="right",
        control="an upload in the order of the file",
        at_least=0.6,
        at_most=0.15,
        play=uploads.order_of_uploads,
    ),
)


#: Attacks that find whose record is whose, by what the attacker knows beforehand.
BY_NOBODY_KNOWN: Final = frozenset({"graph-matching", "stripping", "keys-and-filters"})
BY_KNOWN_PEOPLE: Final = frozenset({"known-people", "keys-and-known-people"})


def attack_named(name: str) -> Attack:
    """The attack of that name."""
    found = next((each for each in ATTACKS if each.name == name), None)
    if found is None:
        names = tuple(each.name for each in ATTACKS)
        raise SettingError(f"no attack {name}{near(name, names)}", hint=f"choose one of {', '.join(names)}")
    return found


def play(attack: Attack, setting: AttackSettings, *, told: OnStep = lambda _, __: None) -> AttackFinding:
    """Play an attack."""
    begun = time.monotonic()
    played = attack.play(setting, told)
    return AttackFinding(
        attack=attack.name,
        coding=setting.coding,
        people=setting.people,
        shared=setting.shared if "shared" in attack.uses else None,
        known=setting.known if "known" in attack.uses else 0,
        of=played.of,
        measure=MEASURES[attack.measure],
        tries=played.tries,
        chance=played.chance,
        seconds=round(time.monotonic() - begun, 2),
        command=command_of(attack, setting),
        settings=setting.as_json(),
        notes=played.notes,
    )


def control_of(attack: Attack, setting: AttackSettings) -> AttackSettings:
    """The setting in which the attack must succeed, or it proves nothing."""
    weak = setting.with_coding(attack.control_coding or OWN)
    return AttackSettings(**{name: getattr(weak, name) for name in weak.__slots__} | {"weak": True})


def command_of(attack: Attack, setting: AttackSettings) -> str:
    """The command that plays it again."""
    words = ["unveil", "privacy", "attack", attack.name, "--people", str(setting.people)]
    if "shared" in attack.uses and setting.shared is not None:
        words += ["--shared", f"{setting.shared:g}"]
    if "known" in attack.uses:
        words += ["--known", str(setting.known)]
    if "tries" in attack.uses:
        words += ["--tries", str(setting.tries)]
    if setting.coding != OWN:
        words += ["--encoding", setting.coding]
    if setting.weak and not attack.control_coding:
        words += ["--weak"]
    words += ["--schema", setting.schema.name, "--seed", str(setting.seed)]
    if setting.data is not None:
        words += ["--data", "FOLDER"]
    return shlex.join(words)
