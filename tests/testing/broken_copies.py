"""Detectors with one defect each with odd rows or in copies."""

import pickle
import threading
import warnings

import numpy as np
from tests.testing.defects import caught_by
from tests.testing.sound_detectors import Bare, Whole


@caught_by("copes with a class of one row")
class SpreadOfClasses(Bare):
    def fit(self, features, labels):
        super().fit(features, labels)
        names, labels = self.names, np.asarray(labels)
        with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.spread = np.array([np.asarray(features)[labels == name].std(axis=0, ddof=1).mean() for name in names])
        return self

    def distances(self, rows, numbers):
        return np.linalg.norm(rows - self.centres[numbers], axis=1) / self.spread[numbers]


@caught_by("copes with constant features")
class Inverse(Bare):
    """Mahalanobis without care for singular covariances."""

    def fit(self, features, labels):
        super().fit(features, labels)
        self.precision = np.linalg.inv(np.cov(features.T))
        return self


@caught_by("copes with fewer rows than features")
class NeedsManyRows(Bare):
    def fit(self, features, labels):
        if 0 < len(features) < features.shape[1]:
            raise ValueError("needs more rows")
        return super().fit(features, labels)


@caught_by("copes with duplicate rows")
class LogOfDistances(Bare):
    def fit(self, features, labels):
        super().fit(features, labels)
        apart = np.linalg.norm(features[:, None] - features, axis=2) + np.diag(np.full(len(features), np.inf))
        self.spread = float(apart.min(axis=1).max()) or np.nan
        return self


@caught_by("copes with a single class or refuses it")
class NeedsAnother(Bare):
    def distances(self, rows, numbers):
        return super().distances(rows, numbers) + 0 * self.centres[1, 0]


@caught_by("copes with huge values or refuses them")
class Overflows(Bare):
    def distances(self, rows, numbers):
        with np.errstate(over="ignore"):
            return super().distances(rows, numbers) ** 3

    def checked(self, features):
        rows = np.asarray(features, dtype=float)
        super().checked(rows / 1e20)
        return rows


@caught_by("keeps its scores in a file")
class LosesItsSpread(Whole):
    def save(self, path):
        np.savez(path, parameters=np.array("{}"), **{**self.learned, "spread": np.array(1.0)})


@caught_by("writes no pickle")
class SavesPickle(Whole):
    def save(self, path):
        path.write_bytes(pickle.dumps(vars(self)))

    @classmethod
    def load(cls, path, **objects):
        made = cls()
        vars(made).update(pickle.loads(path.read_bytes()))
        return made


@caught_by("writes no pickle")
class SavesObjects(Whole):
    def save(self, path):
        np.savez(path, extra=np.array([{}], dtype=object), parameters=np.array("{}"), **self.learned)

    @classmethod
    def load(cls, path, **objects):
        with np.load(path, allow_pickle=True) as read:
            return cls.restored({}, dict(read))


@caught_by("keeps its parameters as JSON")
class ArrayParameter(Whole):
    @property
    def parameters(self):
        return {"power": np.array(self.power)}

    def save(self, path):
        np.savez(path, parameters=np.array("{}"), **self.learned)


@caught_by("keeps its parameters as JSON")
class ForgetsParameters(Whole):
    def __init__(self, power=1.0):
        self.power = power + 1


@caught_by("keeps its scores in a copy")
class SharesState(Bare):
    def __deepcopy__(self, memo):
        return self


@caught_by("keeps its scores in a pickle")
class HoldsLambda(Bare):
    def __init__(self):
        self.root = lambda x: x


@caught_by("keeps its scores in a pickle")
class LosesStateInPickle(Bare):
    def __getstate__(self):
        return {**vars(self), "spread": 1.0} if hasattr(self, "spread") else {}

    def __deepcopy__(self, memo):
        made = type(self)()
        vars(made).update(vars(self))
        return made


@caught_by("keeps its scores in a copy")
class HoldsLock(Bare):
    def __init__(self):
        self.lock = threading.Lock()


@caught_by("gives no warnings about numbers")
class Warns(Bare):
    def distances(self, rows, numbers):
        return super().distances(rows, numbers) + 0 * np.exp(1e3 * np.ones(1)[:, None]).clip(0, 1)[0]
