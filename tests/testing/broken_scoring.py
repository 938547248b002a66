"""Detectors with one defect each in how it scores rows that are in order."""

import numpy as np
from tests.testing.defects import caught_by
from tests.testing.sound_detectors import Bare


@caught_by("asks to be fitted before it scores")
class ScoresUnfitted(Bare):
    def decision_function(self, features, predictions):
        return super().decision_function(features, predictions) if hasattr(self, "centres") else np.zeros(len(features))


@caught_by("asks to be fitted before it scores")
class StumblesUnfitted(Bare):
    def decision_function(self, features, predictions):
        self.centres  # noqa: B018
        return super().decision_function(features, predictions)


@caught_by("returns itself from fit")
class ReturnsNothing(Bare):
    def fit(self, features, labels):
        super().fit(features, labels)


@caught_by("gives one finite score a row")
class SinglePrecision(Bare):
    def decision_function(self, features, predictions):
        return super().decision_function(features, predictions).astype(np.float32)


@caught_by("gives one finite score a row")
class GivesColumns(Bare):
    def decision_function(self, features, predictions):
        return super().decision_function(features, predictions)[:, None]


@caught_by("gives one finite score a row")
class InfiniteFarAway(Bare):
    def distances(self, rows, numbers):
        found = super().distances(rows, numbers)
        return np.where(found > 3, np.inf, found)


@caught_by("gives no scores for no rows")
class NeedsRows(Bare):
    def distances(self, rows, numbers):
        found = super().distances(rows, numbers)
        return found - 0 * found.max()


@caught_by("does not mind the order of rows")
class Ordered(Bare):
    def distances(self, rows, numbers):
        return np.sort(super().distances(rows, numbers))


@caught_by("does not mind the size of batches")
class RelativeToBatch(Bare):
    def distances(self, rows, numbers):
        found = super().distances(rows, numbers)
        return found / found.sum() if len(found) else found


@caught_by("does not mind the layout of arrays")
class ReadsMemory(Bare):
    def checked(self, features):
        return super().checked(features.ravel(order="K").reshape(features.shape))


@caught_by("gives the same scores twice")
class Random(Bare):
    def distances(self, rows, numbers):
        return super().distances(rows, numbers) + 1e-3 * np.random.default_rng().random(len(rows))


@caught_by("gives the same scores twice")
class RandomFit(Bare):
    def fit(self, features, labels):
        super().fit(features, labels)
        self.spread *= 1 + np.random.default_rng().random()
        return self


@caught_by("forgets when it is fitted anew")
class Accumulates(Bare):
    seen = ((), ())

    def fit(self, features, labels):
        rows, names = (np.concatenate([*old, new]) for old, new in zip(self.seen, (features, labels), strict=True))
        super().fit(rows, names)
        self.seen = (rows,), (names,)
        return self


@caught_by("forgets when it is fitted anew")
class StaleCache(Bare):
    cache = None

    def distances(self, rows, numbers):
        self.cache = self.spread if self.cache is None else self.cache
        return np.linalg.norm(rows - self.centres[numbers], axis=1) / self.cache


@caught_by("leaves its inputs as they were")
class CentresInPlace(Bare):
    def fit(self, features, labels):
        super().fit(features, labels)
        features -= 1
        return self


@caught_by("leaves its inputs as they were")
class SortsPredictions(Bare):
    def decision_function(self, features, predictions):
        found = super().decision_function(features, predictions)
        predictions[:] = predictions[::-1].copy()
        return found


@caught_by("scores strange rows higher")
class UpsideDown(Bare):
    def distances(self, rows, numbers):
        return -super().distances(rows, numbers)


@caught_by("scores strange rows higher")
class Indifferent(Bare):
    def distances(self, rows, numbers):
        return 0 * super().distances(rows, numbers)
