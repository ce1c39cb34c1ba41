"""
Make the shipped priors anew: `python -m tools.train_priors`.

Two generated registers with known truth are encoded and compared as two owners' would be, for several designs (one or
two unequal attributes, small and large overlap, wrong years of birth). M_R's prior is learnt on all candidate pairs,
M_A's on the pairs that M_R is least certain of, which are the ones it will be asked about.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import unveil.models.priors
from unveil.engines import choose
from unveil.lab.simulation.study import Study
from unveil.lab.synthetic import Rates, generate
from unveil.linkage.attributes import agreement_classes, attribute_similarities
from unveil.linkage.outcome import Flags, Outcomes, Reals
from unveil.models.attribute_evidence import ATTRIBUTE_EVIDENCE, summary_evidence
from unveil.models.logistic import LogisticModel, Prior
from unveil.models.priors import as_data
from unveil.models.record_evidence import RECORD_EVIDENCE, record_evidence
from unveil.roles.owner.frequency import all_frequency_classes
from unveil.schema import built_in

#: Records, overlap, least number of unequal attributes, share of wrong years of birth, seed.
DESIGNS = (
    (50_000, 0.2, 1, 0.01, 11),
    (50_000, 0.2, 2, 0.02, 12),
    (50_000, 0.1, 1, 0.01, 13),
    (50_000, 0.3, 1, 0.0, 14),
)
_ASKED = 6000  # pairs per design on which M_A's prior is learnt


def main() -> None:
    """Train and write both files into the room of priors."""
    studies = [_study(*design) for design in DESIGNS]
    record, attribute = train(studies)
    for name, prior in (("record", record), ("attribute", attribute)):
        about = "learnt on generated people by python -m tools.train_priors"
        path = Path(unveil.models.priors.__file__).with_name(f"{name}.json")
        path.write_text(json.dumps(as_data(prior, about), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        sys.stdout.write(f"{path.name} written\n")


def train(studies: list[Study]) -> tuple[Prior, Prior]:
    """The priors of M_R and M_A, learnt on these studies."""
    rows = [_record_rows(study) for study in studies]
    record = _fit(np.vstack(rows), np.concatenate([study.is_true for study in studies]), RECORD_EVIDENCE, 1.0)
    features, truth = [], []
    for study, row in zip(studies, rows, strict=True):
        model = LogisticModel(record)
        asked = np.argsort(np.abs(model.log_odds(row)), kind="stable")[:_ASKED]
        features.append(_attribute_rows(study, asked, model.predict(row[asked])))
        truth.append(study.is_true[asked])
    return record, _fit(np.vstack(features), np.concatenate(truth), ATTRIBUTE_EVIDENCE, 0.1)


def _study(records: int, overlap: float, errors: int, years: float, seed: int) -> Study:
    people = generate(records=records, overlap=overlap, errors=errors, seed=seed, rates=Rates(year_of_birth=years))
    return Study("generated", built_in(), people.a, people.b, people.truth, choose(), seed=seed)


def _record_rows(study: Study) -> Reals:
    return record_evidence(study.comparison.pairs, *study.encode(), max_block=study.schema.protocol.max_block)


def _attribute_rows(study: Study, asked: NDArray[np.int64], told: Outcomes) -> Reals:
    pairs = study.comparison.pairs
    left, right = pairs.left[asked], pairs.right[asked]
    # Under one key for all instead of one per pair: the similarities are alike, and it is much faster.
    filters = [study.encoder.attribute_level(records) for records in (study.a, study.b)]
    similarity = attribute_similarities(filters[0][left], filters[1][right])
    classes = [
        all_frequency_classes(records, study.schema)[rows] for records, rows in ((study.a, left), (study.b, right))
    ]
    return summary_evidence(similarity, agreement_classes(similarity, *classes), told, study.schema)


def _fit(features: Reals, truth: Flags, names: tuple[str, ...], looseness: float) -> Prior:
    from sklearn.linear_model import LogisticRegression

    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    learner = LogisticRegression(C=looseness, max_iter=5000).fit((features - mean) / scale, truth)
    return Prior(names, mean, scale, learner.coef_[0], float(learner.intercept_[0]))


if __name__ == "__main__":
    main()
