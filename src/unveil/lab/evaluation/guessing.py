"""
How well somebody who sees some figures about each record can guess which records are members.

The guesser is given the truth about half of the records and guesses the others: no owner knows that much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Reals

_FOLDS = 5


def auc(score: Reals, member: Flags) -> float:
    """
    How often a member has a higher score than somebody who is none, ties counting half; .5 if there is one kind only.

    (sum of the members' ranks - n_m (n_m + 1) / 2) / (n_m n_o)
    """
    from scipy.stats import rankdata

    members, others = int(member.sum()), int((~member).sum())
    if not members or not others:
        return 0.5
    ranks = rankdata(score)
    return float((ranks[member].sum() - members * (members + 1) / 2) / (members * others))


def advantage(score: Reals, member: Flags) -> float:
    """The AUC of whoever may also guess the other way round: never below .5."""
    return max(found := auc(score, member), 1 - found)


def learnt(seen: NDArray[np.float64], member: Flags, *, seed: int = 1) -> dict[str, float]:
    """
    AUC of guessers that have learnt from others' membership what to make of all figures (records × figures).

    Each record is guessed by a model that has not seen it: a logistic regression, and boosted trees.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if min(int(member.sum()), int((~member).sum())) < _FOLDS or not np.ptp(seen, axis=0).any():
        return {"logistic": 0.5, "trees": 0.5}
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, class_weight="balanced")),
        "trees": HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, min_samples_leaf=20, random_state=seed),
    }
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    return {
        name: auc(cross_val_predict(model, seen, member, cv=folds, method="predict_proba")[:, 1], member)
        for name, model in models.items()
    }
