"""The review unit's log says which reviewer opened and decided what, of processes that really ran."""

from __future__ import annotations

import json

import pytest
from field_run import FieldRun
from typer.testing import CliRunner

import unveil.cli.audit  # noqa: F401 - joins the application
from unveil.cli.app import app
from unveil.lab.local_parties.folder import PROJECT
from unveil.runtime.review_audit import review_acts


def token_id(token: str) -> str:
    """The public half of a token."""
    return token.split(".")[1]


def test_every_verdict_and_opening_has_its_reviewer(plain_run: FieldRun) -> None:
    """Two reviewers took turns over TLS, each with a token of their own."""
    observed = plain_run.observed
    acts = review_acts(str(plain_run.trial.database("review-unit")), PROJECT)
    decided = {act.task: act.reviewer for act in acts if act.act == "decided"}
    assert {task: token_id(token) for task, token in observed.verdicts.items()} == decided
    assert 2 == len(set(decided.values()))
    opened = [(act.task, act.reviewer) for act in acts if act.act == "opened"]
    assert [(next(iter(observed.opened)), token_id(observed.token))] == opened


def test_a_verdict_of_one_reviewer_cannot_be_given_again_by_another(plain_run: FieldRun) -> None:
    """They would be told that it is theirs, while the log says otherwise. Their own they may repeat."""
    assert (True, []) == (len(plain_run.observed.verdicts) > 5, plain_run.observed.ascribed)


def test_the_secret_half_of_a_token_is_in_no_listing(plain_run: FieldRun) -> None:
    """An auditor is shown ids."""
    database = str(plain_run.trial.database("review-unit"))
    shown = CliRunner().invoke(app, ["audit", "reviews", database, "--project", PROJECT])
    told = CliRunner().invoke(app, ["audit", "reviews", database, "--project", PROJECT, "--json"])
    assert (0, 0) == (shown.exit_code, told.exit_code)
    for token in (plain_run.observed.token, plain_run.observed.other_token):
        mine = [act for act in json.loads(told.stdout) if act["reviewer"] == token_id(token)]
        count = sum(act["act"] == "decided" for act in mine)
        assert f"{token_id(token)}: {count} decided" in shown.stdout
        assert not any(token.split(".")[2] in text for text in (shown.stdout, told.stdout))


@pytest.mark.parametrize("unit", ["record-unit", "owner-a"])
def test_other_parties_have_no_reviews(plain_run: FieldRun, unit: str) -> None:
    """And say so."""
    done = CliRunner().invoke(app, ["audit", "reviews", str(plain_run.trial.database(unit)), "--project", PROJECT])
    assert "is the database of the" in str(done.exception)
