"""The report as one HTML document that loads nothing and runs nothing, with a page for a board in front."""

from __future__ import annotations

from typing import Final

from unveil.charts.document import document, section, tiles
from unveil.charts.dots import Group, share_chart
from unveil.charts.figures import NONE, count, counted, score, share
from unveil.charts.markup import Child, Markup, el
from unveil.charts.svg import figure
from unveil.charts.tables import table
from unveil.lab.evidence import trade
from unveil.lab.evidence.catalogue import BY_KNOWN_PEOPLE, BY_NOBODY_KNOWN
from unveil.lab.evidence.report.figures import PrivacyFigures
from unveil.lab.evidence.report.words import advice, for_the_board, residual_risks

_STYLE: Final = (
    "code { font-family: ui-monospace, monospace; font-size: .85em; overflow-wrap: anywhere; }\n"
    ".board li { margin: 0 0 .6rem; max-width: 44rem; }\n"
    "@media print { .front { break-after: page; } details > * { display: block; } }\n"
)
_GROUPS: Final = (Group("found", 0), Group("blind guess", 1))


def render(figures: PrivacyFigures) -> str:
    """The page, the same bytes for the same figures; it holds no value and no record id."""
    main = el(
        "main",
        _front(figures),
        _parties(figures),
        _disclosed(figures),
        _measures(figures),
        _attacks(figures),
        _trade(figures),
        _left(figures),
        _lower(figures),
        _commands(figures),
    )
    said = f"Made by Unveil {figures.version}. This page holds no value of a record, runs no scripts, loads nothing."
    return document(figures.title, main, el("footer", el("p", said)), style=_STYLE)


def _front(figures: PrivacyFigures) -> Markup:
    """The page for the board."""
    return el(
        "section",
        el("p", f"{figures.subject} · {figures.encoding}", class_="facts"),
        el("h1", figures.title, id="front"),
        el("p", "For the ethics board and the data protection officer; what follows has every figure in detail."),
        _tiles(figures),
        el("ul", *(el("li", sentence) for sentence in for_the_board(figures)), class_="board"),
        class_="front",
        aria_labelledby="front",
    )


def _tiles(figures: PrivacyFigures) -> Markup:
    without = [found for found in figures.attacks if found.attack in BY_NOBODY_KNOWN]
    known = [found for found in figures.attacks if found.attack in BY_KNOWN_PEOPLE]
    risk = figures.disclosed.risk
    return tiles(
        [
            (
                share(max((one.first for one in without), default=0.0), 1), "found by whoever knows nobody",
                "best of all attacks, on generated people",
            ),
            (
                share(max((one.first for one in known), default=0.0), 1), "found with people known beforehand",
                f"{count(max((one.known for one in known), default=0))} known",
            ),
            (count(risk.records), "records of which reviewers got values", f"of {count(figures.disclosed.records)}"),
            (score(risk.kapr), "KAPR of what they got", "0: nobody; 1: everybody is named"),
            (
                count(risk.smallest_k) if risk.records else NONE, "records share what is known of one",
                "the least of all records",
            ),
        ]
    )  # fmt: skip


def _parties(figures: PrivacyFigures) -> Markup:
    rows = [(one.party, one.who or NONE, one.holds, one.never) for one in figures.parties]
    heads = ("party", "who", "holds", "never holds")
    return section("parties", "Who takes part, and what each holds", table("Parties", heads, rows, texts=4))


def _disclosed(figures: PrivacyFigures) -> Markup:
    disclosed = figures.disclosed
    said = (
        "By the owner's ledger, which notes a disclosure before it is sent."
        if disclosed.real
        else "Nothing has been disclosed yet. This is what an owner of generated people discloses under this schema."
    )
    rows = [
        (
            one.unit, count(one.disclosures), count(one.values), count(one.records),
            f"{one.values / one.records:.2f}" if one.records else NONE, count(one.most_of_one),
        )
        for one in disclosed.left
    ]  # fmt: skip
    heads = ("unit", "disclosures", "values", "records", "values per record", "most of one record")
    by = [
        (name, *(share(one.by_attribute.get(name, 0), disclosed.records) for one in disclosed.left))
        for name in disclosed.left[0].by_attribute
    ]
    return section(
        "disclosed",
        "What was disclosed",
        el("p", said),
        el("p", f"Encoded as a whole: {counted(disclosed.uploaded, 'record')}."),
        table("What left, by unit", heads, rows),
        table("Records of which an attribute left at least once", ("attribute", *(o.unit for o in disclosed.left)), by),
        _risk(figures),
        _command(disclosed.command),
    )


def _risk(figures: PrivacyFigures) -> Markup:
    disclosed = figures.disclosed
    known = [
        (", ".join(one.attributes), count(one.records), count(one.unique), count(one.smallest_k), f"{one.median_k:g}")
        for one in disclosed.together
    ]
    kapr = [("held, by the ledger", score(disclosed.risk.kapr))]
    kapr += [(f"{name}, generated people", score(value)) for name, value in disclosed.kapr.items()]
    heads = ("known together", "records", "unique", "smallest k", "median k")
    caption = "Combinations of attributes that reviewers got of one record, and how many records share them"
    return el(
        "div",
        table("KAPR: 0 if nothing points at one person, 1 if everything does", ("of what", "KAPR"), kapr),
        el("p", "Held is what the review unit was sent; seen is what its reviewers could read."),
        table(caption, heads, known) if known else None,
    )


def _measures(figures: PrivacyFigures) -> Markup:
    measured = figures.measured
    rows = [
        (
            name, count(one.filters), f"{one.fill:.2f}", f"{one.gini.value:.4f}", f"{one.gini.ratio:.2f}",
            f"{one.js_distance.value:.4f}", f"{one.js_distance.ratio:.2f}", f"{one.entropy.value:.5f}",
            f"{one.entropy.ratio:.2f}",
        )
        for name, one in measured.encodings.items()
    ]  # fmt: skip
    heads = ("encoding", "filters", "fill", "Gini", "× floor", "JSD", "× floor", "entropy lost", "× floor")
    return section(
        "measures",
        "How evenly bits are spread",
        el(
            "p",
            "Each measure stands beside its ratio to what random filters have by chance. Near 1, bits tell nothing by "
            "how often they are set. That rules out a frequency table, and no attack that goes by similarities.",
        ),
        table(f"Bit statistics of {measured.of_whom}", heads, rows),
        el(
            "p",
            f"Of {counted(measured.records, 'record')} ({measured.of_whom}), {count(measured.unique)} are unique in "
            f"all attributes together, {share(measured.unique, measured.records)}.",
        ),
        _command(measured.command),
    )


def _attacks(figures: PrivacyFigures) -> Markup:
    rows: list[tuple[Child, ...]] = []
    for attack, found in figures.catalogue():
        shared = "" if found.shared is None else f", {found.shared:.0%} shared"
        known = f", {count(found.known)} known" if found.known else ""
        rows.append(
            (
                attack.title, attack.attacker, f"{count(found.people)} people{shared}{known}", f"{found.first:.4f}",
                NONE if found.ten is None else f"{found.ten:.4f}", f"{found.chance:.4f}",
                f"{attack.most(found.chance):.4g}", "yes" if found.first <= attack.most(found.chance) else "NO",
            )
        )  # fmt: skip
    heads = ("attack", "by", "on", "found", "first ten", "chance", "asked: at most", "holds")
    drawn = [
        (f"{attack.title}{'' if one.shared is None else f', {one.shared:.0%} shared'}", _cells(one.first, one.chance))
        for attack, one in figures.catalogue()
        if attack.measure == "found"
    ]
    picture = (
        figure(
            "attacks",
            "What each attack found",
            "Shares of people found at first guess, each beside that of a blind guess.",
            lambda width: share_chart(width, drawn, _GROUPS, x_label="people found at first guess"),
            "People found at first guess by each attack, on generated people with this schema, beside a blind guess.",
        )
        if drawn
        else None
    )
    return section(
        "attacks",
        "Attacks",
        el(
            "p",
            "Played on generated people, encoded with this project's own schema and parameters. Each of them succeeds "
            "on a weak encoding, which the evidence run shows; single tries vary, and the best counts.",
        ),
        picture,
        table("Attacks and what they found", heads, rows, texts=3),
    )


def _cells(*values: float) -> list[tuple[int, int]]:
    million = 1_000_000
    return [(round(value * million), million) for value in values]


def _trade(figures: PrivacyFigures) -> Markup | None:
    rows = list(figures.traded)
    if not rows or figures.choice is None:
        return None
    chosen = figures.choice
    pictures = [
        figure(
            f"trade-{key}",
            f"F1 against attacks, {who}",
            "Each number is an encoding of the table below; the diamond is the one that follows as the default.",
            trade.draw(rows, chosen, known=known),
            f"F1 against the people found at first guess, {who}. The coloured area is what is asked for.",
        )
        for key, who, known in (("nobody", "nobody known beforehand", False), ("known", "some known beforehand", True))
    ]
    cells = [
        (
            str(row.number), row.title, score(row.nobody_known), score(row.with_known), score(row.f1),
            f"{row.encoding:.1f} µs a record", f"{row.comparing:.2f} × plain",
        )
        for row in rows
    ]  # fmt: skip
    heads = ("no.", "encoding", "nobody known", "people known", "F1", "to encode", "to compare")
    return section(
        "trade",
        "What protection costs",
        el("p", f"{chosen.reason[:1].upper()}{chosen.reason[1:]}."),
        *pictures,
        table("Encodings", heads, cells, texts=2),
        _command(f"unveil privacy evidence --schema {figures.schema} --out FOLDER"),
    )


def _left(figures: PrivacyFigures) -> Markup:
    items = (el("li", one) for one in residual_risks(figures))
    return section("left", "What is left", el("ul", *items, class_="board"))


def _lower(figures: PrivacyFigures) -> Markup:
    rows = [(el("code", setting), effect) for setting, effect in advice(figures)]
    return section(
        "lower", "Settings that would lower it", table("Settings", ("setting", "what it lowers"), rows, texts=2)
    )


def _commands(figures: PrivacyFigures) -> Markup:
    rows = [(attack.title, el("code", found.command)) for attack, found in figures.catalogue()]
    rows += [
        ("this report", el("code", figures.command)),
        ("controls, larger figures, what encodings cost", el("code", "unveil privacy evidence --out FOLDER")),
    ]
    return section(
        "commands",
        "How to get these figures again",
        table("Commands", ("figure", "command"), rows, texts=2),
        el("p", f"Schema {figures.schema}, fingerprint {figures.fingerprint}.", class_="facts"),
    )


def _command(command: str) -> Markup | None:
    return el("p", "Made by ", el("code", command), class_="facts") if command else None
