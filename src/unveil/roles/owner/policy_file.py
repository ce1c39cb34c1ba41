"""
The disclosure policy as a file: TOML text in, settings out, every mistake explained by its key.

Nothing is read here. Whoever reads the data and the lists hands their contents to `PolicyFile.policy`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from unveil.errors import Problem, SettingError, SettingsFileError
from unveil.roles.owner.allowance import Caps
from unveil.roles.owner.policy import Policy, StandingAnswer, plain
from unveil.settings import reader
from unveil.settings.base import Settings, whole
from unveil.settings.mistakes import near, shown

HighestLayer = Annotated[Literal[1, 2, 3], BeforeValidator(whole)]
Cap = Annotated[int, Field(ge=0)]


class PolicyFileError(SettingsFileError):
    """The policy file has mistakes."""

    HINT = "docs/policy.md explains the file and has an example"


class ConsentList(Settings):
    """A list of record ids, one per line, and the highest layer of the records on it."""

    file: str = Field(min_length=1, description="name of the file, beside this one")
    layer: HighestLayer = Field(description="highest layer of the records on the list")
    not_in_data: Literal["refuse", "ignore"] = Field(
        "refuse", description="what to do when an id on the list is not in the data"
    )


class ConsentRules(Settings):
    """How far each record may go: 1 compared as a whole only, 2 its attributes encoded, 3 shown to reviewers."""

    otherwise: HighestLayer = Field(
        description="highest layer of records that neither column nor list says anything about"
    )
    column: str | None = Field(None, min_length=1, description="column of the data that holds each record's consent")
    layers: dict[str, HighestLayer] = Field(
        default_factory=dict, description="for each entry of the column, a highest layer"
    )
    lists: tuple[ConsentList, ...] = Field((), description="one table per list; a list can only lower what holds else")


class Attributes(Settings):
    """Attributes that stay at home."""

    never_shown: tuple[str, ...] = Field((), description="values that no reviewer gets, not even in part")
    never_encoded: tuple[str, ...] = Field((), description="not encoded for the attribute unit, and never shown")


class ReviewRules(Settings):
    """What reviewers may get of one record."""

    smallest_k: int = Field(1, ge=1, description="our records that must share all that reviewers get of one of them")


class AnswerShares(Settings):
    """Share of the records for which wishes are answered, drawn by lot once and for all; of the rest, none is."""

    attribute_unit: float = Field(1.0, ge=0, le=1, description="wishes of the record unit for encoded attributes")
    review: float = Field(1.0, ge=0, le=1, description="wishes for values to be reviewed")


class RecordCaps(Settings):
    """For each record."""

    pairs: Cap | None = Field(None, description="pairs for which its attributes are encoded")
    reviews: Cap | None = Field(None, description="reviews in which it is shown")


class AttributeCaps(Settings):
    """For each attribute."""

    records: Cap | None = Field(None, description="records of which reviewers get this attribute")


class TotalCaps(Settings):
    """For all records together."""

    pairs: Cap | None = Field(None, description="pairs for which attributes are encoded")
    values: Cap | None = Field(None, description="values that reviewers get")


class CapTables(Settings):
    """The most that may go. What would go beyond a cap is refused."""

    record: RecordCaps = RecordCaps()
    attribute: AttributeCaps = AttributeCaps()
    project: TotalCaps = TotalCaps()
    day: TotalCaps = TotalCaps()


class StandingRule(Settings):
    """An answer given without a person to wishes for values that would wait for one; the first that fits counts."""

    answer: Literal["approve", "refuse"] = Field(description="what is answered; caps, consent and k hold all the same")
    only: tuple[str, ...] | None = Field(None, description="to wishes that ask for none but these attributes")
    any: tuple[str, ...] | None = Field(None, min_length=1, description="to wishes that ask for one of these at least")
    smallest_k: int = Field(
        1, ge=1, description="and whose answer, with what went before, so many of our records share"
    )


class PolicyFile(Settings):
    """A policy as it is written down."""

    version: Annotated[Literal[1], BeforeValidator(whole)] = Field(1, description="version of this format")
    approval: Literal["none", "further", "review", "all"] = Field(
        "none",
        description="what waits for a person's approval: nothing, what reviewers ask for besides, all values for "
        "review, or encoded attributes too",
    )
    standing: tuple[StandingRule, ...] = Field((), description="one table for each answer that needs no person")
    consent: ConsentRules | None = None
    attributes: Attributes = Attributes()
    review: ReviewRules = ReviewRules()
    answers: AnswerShares = AnswerShares()
    caps: CapTables = CapTables()

    def settings(self) -> Policy:
        """The policy without consent, which needs the data."""
        caps = self.caps
        return Policy(
            response_rate_a=self.answers.attribute_unit,
            response_rate_c=self.answers.review,
            never=frozenset(self.attributes.never_shown),
            never_encoded=frozenset(self.attributes.never_encoded),
            smallest_k=self.review.smallest_k,
            approval=self.approval,
            standing=tuple(
                StandingAnswer(
                    each.answer == "approve",
                    None if each.only is None else frozenset(each.only),
                    None if each.any is None else frozenset(each.any),
                    each.smallest_k,
                )
                for each in self.standing
            ),
            caps=Caps(
                record_pairs=caps.record.pairs,
                record_reviews=caps.record.reviews,
                attribute_records=caps.attribute.records,
                project_pairs=caps.project.pairs,
                project_values=caps.project.values,
                day_pairs=caps.day.pairs,
                day_values=caps.day.values,
            ),
        )

    def policy(
        self,
        ids: Sequence[str],
        *,
        column: Sequence[str] | None = None,
        lists: Mapping[str, Sequence[str]] | None = None,
    ) -> Policy:
        """
        The policy for the records with these ids.

        `column` holds the entries of the consent column in the order of the records, `lists` the ids on each list by
        the name of its file. Both must be there if the file speaks of them.
        """
        policy, consent = self.settings(), self.consent
        if consent is None:
            return policy
        if (consent.column is not None) != (column is not None):
            raise SettingError("the consent column must be read if, and only if, the policy names one")
        otherwise = consent.otherwise
        if column is not None:
            if len(column) != len(ids):
                raise SettingError(f"{len(column)} consent entries for {len(ids)} records")
            policy, otherwise = policy.with_consent(column, consent.layers, otherwise), 3
        return policy.with_list(ids, self._listed(consent, ids, lists or {}), otherwise)

    @staticmethod
    def _listed(consent: ConsentRules, ids: Sequence[str], lists: Mapping[str, Sequence[str]]) -> dict[str, int]:
        """The layer of each listed id; of one that is on several lists, the lowest."""
        listed: dict[str, int] = {}
        for one in consent.lists:
            if one.file not in lists:
                raise SettingError(f"the consent list {one.file} was not read")
            named = set(lists[one.file])
            if one.not_in_data == "ignore":
                named.intersection_update(ids)
            listed |= {entry: min(one.layer, listed.get(entry, one.layer)) for entry in named}
        return listed


def parse(text: str, *, names: Sequence[str], source: str = "policy") -> PolicyFile:
    """The policy in that text, for a schema with attributes of these names."""
    kind = reader.SettingsKind(
        model=PolicyFile,
        error=PolicyFileError,
        cross_check=lambda found: [*_check_consent(found.consent), *_check_names(found, names)],
        judged_last=("consent",),
    )
    return reader.parse(text, kind, source=source)


def _check_consent(consent: ConsentRules | None) -> Iterator[Problem]:
    if consent is None:
        return
    if consent.column is None and not consent.lists:
        yield Problem("consent", "neither a column nor a list says who consents", "column, or lists, or both")
    if consent.column is None and consent.layers:
        yield Problem("consent.layers", "there is no column that it could explain", "column and layers together")
    if consent.column is not None and not consent.layers:
        yield Problem("consent.layers", "missing", "a table: an entry of the column = 1, 2 or 3")
    entries = [plain(entry) for entry in consent.layers]
    for index, entry in enumerate(consent.layers):
        if entries[index] in entries[:index]:
            what = f"{shown(entry)} is there already, but for case or blanks, which do not count"
            yield Problem("consent.layers", what, "each entry once")
    files = [one.file for one in consent.lists]
    for index, file in enumerate(files):
        if file in files[:index]:
            yield Problem(f"consent.lists.{index}.file", f"{shown(file)} is there already", "each list once")


def _check_names(file: PolicyFile, names: Sequence[str]) -> Iterator[Problem]:
    lists = {f"attributes.{key}": getattr(file.attributes, key) for key in ("never_shown", "never_encoded")}
    for number, each in enumerate(file.standing):
        lists |= {f"standing.{number}.only": each.only or (), f"standing.{number}.any": each.any or ()}
    for key, listed in lists.items():
        for index, name in enumerate(listed):
            if name not in names:
                what = f"no attribute {shown(name)}{near(name, names)}"
                yield Problem(f"{key}.{index}", what, ", ".join(names))
