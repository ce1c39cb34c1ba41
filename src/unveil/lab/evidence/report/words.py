"""What the figures of a report mean, in plain words: who holds what, what is left, and what would lower it."""

from __future__ import annotations

from collections.abc import Mapping

from unveil.charts.figures import count, counted, share
from unveil.lab.evidence.catalogue import BY_KNOWN_PEOPLE, BY_NOBODY_KNOWN
from unveil.lab.evidence.finding import AttackFinding
from unveil.lab.evidence.report.figures import PartyHolds, PrivacyFigures
from unveil.protocol.roles import Role
from unveil.schema import Schema

#: A record that at most so many people share what is known of is as good as named.
_FEW = 5


def holdings(schema: Schema, who: Mapping[str, str]) -> tuple[PartyHolds, ...]:
    """The parties of a project with this schema, and what each holds."""
    keys = counted(len(schema.blocking), "hashed blocking key") if schema.blocking else "no blocking key"
    rows = (
        (
            Role.OWNER, "owner", "its own records, the common key, its policy, a ledger of what left",
            "another owner's record; any decision about a pair",
        ),
        (
            Role.RECORD_UNIT, "record unit",
            f"one filter of {count(schema.layer_r.length)} bits and {keys} for each record, and how alike they are",
            "a value of a record, an attribute's filter, the common key",
        ),
        (
            Role.ATTRIBUTE_UNIT, "attribute unit",
            "filters of single attributes of the pairs that it was told about, each pair under a key of its own",
            "a value of a record, a record's filter, any key",
        ),
        (
            Role.REVIEW_UNIT, "review unit",
            "for each open pair the values that are shown at least in part, erased when it is decided",
            "any other value, any filter",
        ),
    )  # fmt: skip
    return tuple(PartyHolds(name, who.get(role.value, ""), holds, never) for role, name, holds, never in rows)


def encoding_words(schema: Schema) -> str:
    """The record encoding in words."""
    layer = schema.layer_r
    steps = []
    for step in layer.hardening:
        by = f" salted by {', '.join(step.by)}" if step.by else ""
        t = f", t = {step.t}" if step.method == "diffusion" else ""
        steps.append(f"{step.method}{t}{by}")
    return f"{layer.encoding.upper()} of {count(layer.m)} bits, {', then '.join(steps) or 'not hardened'}"


def for_the_board(figures: PrivacyFigures) -> list[str]:
    """The first page: four or five sentences without a word of the trade."""
    alone = [found for found in figures.attacks if found.attack in BY_NOBODY_KNOWN]
    known = [found for found in figures.attacks if found.attack in BY_KNOWN_PEOPLE]
    sentences = []
    if alone:
        worst = max(alone, key=lambda found: found.first)
        sentences.append(
            "Names and addresses do not leave the organisation for the comparison; scrambled records do. We attacked "
            f"these as somebody could who holds them and a register of the same people: of {count(worst.of)} people "
            f"the best attack that we have found {share(worst.first, 1)} ({_verdict(worst, figures)})."
        )
    if known:
        worst = max(known, key=lambda found: found.first)
        sentences.append(
            f"Somebody who in addition knows {count(worst.known)} of these people beforehand, as two units in one hand "
            f"could, found {share(worst.first, 1)} of the others ({_verdict(worst, figures)})."
        )
    disclosed, risk = figures.disclosed, figures.disclosed.risk
    whose = "of these" if disclosed.real else "in a linkage of generated people of"
    sentences.append(
        f"Single values are shown to reviewers only where a pair is in doubt, and then only as much as the decision "
        f"needs: {whose} {counted(disclosed.records, 'record')}, something was shown of {count(risk.records)}, "
        f"{count(risk.values)} values in all."
        if risk.records
        else "No value of a record was shown to a reviewer."
    )
    if risk.records:
        sentences.append(
            f"The least that anybody can hide behind: what is known of one record fits {count(risk.smallest_k)} "
            f"{'record' if risk.smallest_k == 1 else 'records'} of the owner's own register."
        )
    sentences.append(
        "These attacks are the ones that we know and could make. A low figure says what was found, not what can be."
    )
    return sentences


def _verdict(found: AttackFinding, figures: PrivacyFigures) -> str:
    most = next(attack.most(found.chance) for attack, each in figures.catalogue() if each is found)
    return f"asked for is at most {share(most, 1)}" + ("" if found.first <= most else ": NOT MET")


def residual_risks(figures: PrivacyFigures) -> list[str]:
    """What remains, in plain words."""
    risks = []
    for attack, found in figures.catalogue():
        most = attack.most(found.chance)
        if found.first > most:
            risks.append(
                f"{attack.title}: {attack.attacker} reaches {found.first:.3f} where at most {most:.4g} is "
                "asked. Treat what that party holds as personal data."
            )
    if not figures.is_salted:
        risks.append(
            "Record filters are not salted by fields, so all similarities between records can be seen. Whoever holds "
            "a similar register can find out whose they are."
        )
    if figures.compares_by_keys:
        risks.append(
            f"With {counted(figures.compares_by_keys, 'blocking key')} the record unit sees which records share a key, "
            "and how large such groups are."
        )
    risk = figures.disclosed.risk
    if risk.records and risk.smallest_k <= _FEW:
        risks.append(
            f"What reviewers got of at least one record fits only {counted(risk.smallest_k, 'record')}: somebody who "
            "knows that person would recognise them."
        )
    risks += [
        "The record unit and another unit in one hand know more than both apart: keep them in different organisations.",
        "Units see when owners answer, how often and how much. Reviewers can photograph a screen.",
    ]
    return risks


def advice(figures: PrivacyFigures) -> list[tuple[str, str]]:
    """Settings that would lower what is left, each with what it lowers."""
    found = []
    if not figures.is_salted:
        found.append(
            (
                "layer_r.hardening: diffusion with `by`, as `unveil schema propose` writes it",
                "hides similarities between people who differ in the field; nearly nobody was found",
            )
        )
    elif any(one.attack == "known-people" and one.first > attack.at_most for attack, one in figures.catalogue()):
        found.append(("layer_r.hardening: a higher t", "what known people give away, for some F1"))
    if figures.compares_by_keys:
        found.append(
            ("blocking: fewer keys, or none where all pairs can be compared", "which records share a key, at some cost")
        )
    risk = figures.disclosed.risk
    if risk.records:
        found += [
            ("policy: review.smallest_k", "values are refused that would leave fewer records to hide behind"),
            ("policy: caps of the review unit by record and attribute", "how much of one record is ever shown"),
            ("protocol.review.lower, higher", "values are asked for only where they are more alike"),
        ]
    found.append(("protocol.layers = 1 or 2", "nothing is shown to reviewers, or nothing leaves by attribute at all"))
    return found
