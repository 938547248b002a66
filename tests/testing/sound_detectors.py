"""Sound detectors: one with nothing of Surefoot in it, one on Surefoot's base; both pass every check that applies."""

import json
from dataclasses import dataclass

import numpy as np

from surefoot.monitors import Detector

HUGE = 1e140


class Bare:
    """Distance to the mean of the predicted class, in units of its spread: what the protocol asks for and no more."""

    def fit(self, features, labels):
        rows, labels = self.checked(features), self.answers(labels, len(features))
        if not len(rows):
            raise ValueError("needs rows to fit")
        self.names = sorted(set(labels.tolist()))
        self.centres = np.array([rows[labels == name].mean(axis=0) for name in self.names])
        self.spread = rows.std() + 1e-9
        return self

    def decision_function(self, features, predictions):
        if not hasattr(self, "centres"):
            raise ValueError("call fit first")
        rows = self.checked(features)
        if rows.shape[1] != self.centres.shape[1]:
            raise ValueError(f"{rows.shape[1]} columns instead of {self.centres.shape[1]}")
        return self.distances(rows, self.numbers(self.answers(predictions, len(rows))))

    def distances(self, rows, numbers):
        return np.linalg.norm(rows - self.centres[numbers], axis=1) / self.spread

    def numbers(self, answers):
        if not set(answers.tolist()) <= set(self.names):
            raise ValueError("a class that was not fitted")
        return np.array([self.names.index(name) for name in answers.tolist()], dtype=int)

    def checked(self, features):
        rows = np.asarray(features, dtype=float)
        if not np.isfinite(rows).all():
            raise ValueError("features must be finite")
        if np.abs(rows).max(initial=0) > HUGE:
            raise ValueError("features are too large")
        return rows

    def answers(self, classes, rows):
        if len(classes) != rows:
            raise ValueError("one class a row")
        return np.asarray(classes)


class Whole(Bare):
    """The same with all that the checks can look at."""

    takes, by_class, members = "features", True, ()

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, features, labels=None):
        if labels is None:
            raise ValueError("needs labels")
        return super().fit(features, labels)

    def decision_function(self, features, predictions=None):
        if predictions is None:
            raise ValueError("needs predictions")
        return super().decision_function(features, predictions)

    def score_one(self, features, prediction):
        return float(self.decision_function(np.asarray(features)[None], np.asarray(prediction)[None])[0])

    @property
    def parameters(self):
        return {"power": self.power}

    @property
    def learned(self):
        return {"names": np.array(self.names), "centres": self.centres, "spread": np.array(self.spread)}

    @classmethod
    def restored(cls, parameters, learned, members=(), objects=None):
        made = cls(**parameters)
        made.names, made.centres, made.spread = learned["names"].tolist(), learned["centres"], float(learned["spread"])
        return made

    def save(self, path):
        np.savez(path, parameters=np.array(json.dumps(self.parameters)), **self.learned)

    @classmethod
    def load(cls, path, **objects):
        with np.load(path) as read:
            arrays = dict(read)
        return cls.restored(json.loads(str(arrays.pop("parameters"))), arrays)


@dataclass(eq=False)
class Based(Detector, name="testing_based"):
    """Distance to the mean row, on Surefoot's base."""

    power: float = 1.0

    def _fit(self, rows, classes):
        return {"centre": rows.mean(axis=0)}

    def _score(self, rows, classes, ready):
        with np.errstate(over="ignore"):
            distance = np.linalg.norm(rows - ready["centre"], axis=1) ** self.power
        return np.minimum(distance, np.finfo(float).max)
