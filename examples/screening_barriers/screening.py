"""The component of the demo: 30 measurements of cell nuclei into a logistic regression, tested on the other half.

Data: breast cancer Wisconsin (diagnostic), which comes with scikit-learn (Street, Wolberg & Mangasarian 1993).
"""

from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


@cache
def _halves():
    data = load_breast_cancer()
    malignant = 1 - data.target
    train, test = train_test_split(np.arange(len(malignant)), test_size=0.5, stratify=malignant, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(data.data[train], malignant[train])
    return model, data.data[test], malignant[test]


def scores(inputs):
    """Probabilities of benign and malignant."""
    return _halves()[0].predict_proba(inputs)


def tests():
    """The half of the patients that the model was not trained on."""
    _, inputs, labels = _halves()
    return {"inputs": inputs, "labels": labels}
