"""Detectors with one defect each in what it refuses or how it scores one row."""

import numpy as np
from tests.testing.defects import caught_by
from tests.testing.sound_detectors import Bare, Whole


@caught_by("refuses NaN")
class FillsNaN(Bare):
    def checked(self, features):
        return super().checked(np.where(np.isnan(features), 0.0, features))


@caught_by("refuses infinities")
class ClipsInfinities(Bare):
    def checked(self, features):
        return super().checked(np.where(np.isposinf(features), 1.0, features))


@caught_by("refuses NaN")
class SaysNothing(Bare):
    def checked(self, features):
        if np.isnan(features).any():
            raise ValueError("bad")
        return super().checked(features)


@caught_by("refuses NaN")
class RefusesNaNInFitOnly(Bare):
    def decision_function(self, features, predictions):
        return super().decision_function(np.nan_to_num(features, nan=0.0, posinf=np.inf, neginf=-np.inf), predictions)


@caught_by("refuses rows of another shape")
class DropsColumns(Bare):
    def decision_function(self, features, predictions):
        return super().decision_function(features[:, : self.centres.shape[1]], predictions)


@caught_by("refuses to be fitted to no rows")
class FitsNothing(Bare):
    def fit(self, features, labels):
        return super().fit(features, labels) if len(features) else self


@caught_by("refuses labels of another length")
class FillsLabels(Bare):
    def fit(self, features, labels):
        return super().fit(features, np.resize(labels, len(features)) if len(features) else labels)


@caught_by("refuses predictions of another length")
class FillsPredictions(Whole):
    def decision_function(self, features, predictions=None):
        wanted = predictions is not None and len(predictions) == 1
        return super().decision_function(features, np.resize(predictions, len(features)) if wanted else predictions)


@caught_by("refuses classes it was not fitted with")
class GuessesClasses(Whole):
    def numbers(self, answers):
        return super().numbers(np.where(np.isin(answers, self.names), answers, self.names[0]))


@caught_by("asks for classes just where it says so")
class NeedsLabelsUnsaid(Whole):
    by_class = False


@caught_by("asks for classes just where it says so")
class NeedsNoLabels(Whole):
    def fit(self, features, labels=None):
        return super().fit(features, np.zeros(len(features), dtype=int) if labels is None else labels)


@caught_by("refuses in score_one what it refuses in a batch")
class QuickPath(Whole):
    """Scores one row without the checks of a batch."""

    def score_one(self, features, prediction):
        rows, number = np.asarray(features)[None], self.names.index(prediction)
        return float(self.distances(rows, np.array([number]))[0])


@caught_by("scores one row as in a batch")
class OtherPath(Whole):
    def score_one(self, features, prediction):
        return 2 * super().score_one(features, prediction)


@caught_by("scores one row as in a batch")
class PathOfArrays(Whole):
    def score_one(self, features, prediction):
        return np.array(super().score_one(features, prediction))
