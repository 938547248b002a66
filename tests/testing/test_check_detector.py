import pickle

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from tests.refusals import refused
from tests.testing import broken_refusals  # noqa: F401
from tests.testing.broken_copies import Overflows
from tests.testing.broken_scoring import GivesColumns, UpsideDown
from tests.testing.defects import BROKEN
from tests.testing.sound_detectors import Bare, Based, Whole

from surefoot.core import InvalidInput
from surefoot.testing import ConformanceError, DetectorReport, check_detector

RNG = np.random.default_rng(0)


class OnInputs(Whole):
    takes = "inputs"


class UpsideDownAndOver(UpsideDown, Overflows):
    pass


def failures(kind, **options):
    with pytest.raises(ConformanceError) as caught:
        check_detector(kind, **options)
    return {check.name: check.detail for check in caught.value.found.of("failed")}


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_a_defect_is_caught_by_its_own_check(kind):
    found = failures(kind)
    assert BROKEN[kind] in found
    assert found[BROKEN[kind]]
    assert not any("raises AssertionError" in detail for detail in found.values())


def test_every_check_has_a_detector_that_fails_it():
    assert {check.name for check in check_detector(Whole).checks} == set(BROKEN.values())


def test_sound_detectors_pass():
    for kind in [Bare, Whole, Based]:
        report = check_detector(kind)
        assert report.passed, kind
        assert len(report.checks) == len(set(BROKEN.values())), kind


def test_all_checks_apply_to_a_whole_detector():
    assert check_detector(Whole).of("skipped") == ()


def test_what_a_bare_detector_lacks_is_skipped_and_not_passed():
    skipped = {check.name: check.detail for check in check_detector(Bare()).of("skipped")}
    assert skipped["keeps its scores in a file"] == "it has no save"
    assert skipped["keeps its parameters as JSON"] == "it has no parameters"
    assert skipped["scores one row as in a batch"] == "it has no score_one"
    assert skipped["refuses classes it was not fitted with"] == "it does not say by_class"
    assert len(skipped) == 8


def test_a_class_an_object_and_a_function_will_do():
    for make in [Whole, Whole(), lambda: Whole(power=2.0)]:
        assert check_detector(make).passed, make


def test_an_object_stays_as_it_was():
    detector = Based()
    check_detector(detector)
    assert not detector.fitted


def test_a_fitted_detector_is_refused():
    with pytest.raises(InvalidInput, match="fitted already"):
        check_detector(Based().fit(np.eye(3)))


def test_what_is_no_detector_is_refused():
    for make in [3, object, lambda: 3, lambda: Based]:
        with refused(make, InvalidInput, match="detector"):
            check_detector(make)


def test_an_estimator_of_scikit_learn_fails_for_what_it_lacks():
    found = failures(lambda: IsolationForest(n_estimators=20, random_state=0))
    assert "scores strange rows higher" in found
    assert "decision_function() takes 2 positional arguments" in found["gives one finite score a row"]


def test_all_failures_are_named_at_once():
    with pytest.raises(ConformanceError, match=r"check_detector: UpsideDownAndOver fails 2 checks") as caught:
        check_detector(UpsideDownAndOver)
    _, second, third = str(caught.value).splitlines()
    assert second.startswith("  failed  scores strange rows higher: strange rows score higher in 0.0% of pairs")
    assert third.startswith("  failed  copes with huge values or refuses them: rows 1e+150 times as large: gives -inf")
    assert "passed  refuses NaN" in str(caught.value.found)


def test_the_error_is_an_assertion_and_survives_a_pickle():
    with pytest.raises(AssertionError) as caught:
        check_detector(GivesColumns)
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again.found, DetectorReport)
    assert str(again) == str(caught.value)


def test_a_report_is_a_table_and_text():
    report = check_detector(Based(power=2.0))
    assert report.table().columns == ("check", "outcome", "detail")
    assert len(report.table().rows) == len(report.checks)
    first, *lines = str(report).splitlines()
    assert first.startswith("Based(power=2.0): ")
    assert len(lines) == len(report.checks)


@pytest.mark.parametrize("seed", range(5))
def test_other_seeds_make_other_rows_and_the_same_verdict(seed):
    assert check_detector(Whole, seed=seed).passed
    assert "scores strange rows higher" in failures(UpsideDown, seed=seed)


def test_given_rows_are_used():
    rows, labels = RNG.normal(size=(60, 4)), np.array(["cat", "dog", "owl"] * 20)
    assert check_detector(Whole, features=rows, labels=labels, predictions=labels[::-1].copy()).passed
    found = failures(Based, features=rows, strange=np.zeros((20, 4)))
    assert list(found) == ["scores strange rows higher"]


def test_given_rows_are_checked():
    for given, match in [
        ({"features": np.ones((4, 2)), "labels": [0, 1]}, "labels must give one class a row"),
        ({"features": np.ones((4, 2)), "predictions": [0, 1]}, "predictions must give one class a row"),
        ({"features": np.ones((1, 2))}, "at least two rows of a class"),
        ({"features": [[np.nan]]}, "features must be finite"),
        ({"seed": -1}, "seed"),
    ]:
        with refused(match, InvalidInput, match=match):
            check_detector(Whole, **given)


def test_a_detector_on_inputs_needs_features():
    with pytest.raises(InvalidInput, match=r"needs features.*Give inputs that its model takes"):
        check_detector(OnInputs)
    report = check_detector(OnInputs, features=RNG.normal(size=(60, 4)))
    assert [c.name for c in report.of("skipped") if "not given" in c.detail] == ["scores strange rows higher"]


class Noting(Whole):
    """Notes what it scores: the rows it was fitted to first, then other usual ones, then strange ones."""

    scored: list[np.ndarray]

    def fit(self, features, labels=None):
        return super().fit(np.reshape(features, (len(features), -1)), labels)

    def decision_function(self, features, predictions=None):
        if hasattr(self, "centres"):
            self.scored.append(np.array(features))
        return super().decision_function(np.reshape(features, (len(features), -1)), predictions)


def noted(takes, *bases, **given):
    """What a detector of that kind is first asked to score, and why it fails."""
    kind = type("Noting", (*bases, Noting), {"takes": takes, "scored": []})
    with pytest.raises(ConformanceError) as caught:
        check_detector(kind, **given)
    return kind.scored[:3], {check.name: check.detail for check in caught.value.found.of("failed")}


class FirstColumn:
    """Scores rows by their first column."""

    def distances(self, rows, numbers):
        return -rows[:, 0]


def test_the_share_of_pairs_is_the_area_under_the_curve():
    given = {"features": RNG.integers(0, 6, (60, 1)) * 1.0, "strange": RNG.integers(1, 7, (20, 1)) * 1.0}
    (_, usual, strange), failed = noted("features", FirstColumn, **given)
    area = roc_auc_score(np.repeat([0, 1], [len(usual), len(strange)]), -np.concatenate([usual, strange]))
    assert f"in {area:.1%} of pairs" in failed["scores strange rows higher"]


def test_rows_are_made_for_what_a_detector_takes():
    for takes in ("features", "logits", "probabilities", "images"):
        (fitted, usual, strange), _ = noted(takes, FirstColumn)
        assert fitted.shape[1:] == usual.shape[1:] == strange.shape[1:], takes
        assert not set(map(bytes, fitted)) & set(map(bytes, usual)), takes
        assert fitted.ndim == (3 if takes == "images" else 2), takes
        if takes == "probabilities":
            for rows in (fitted, usual, strange):
                assert rows.sum(axis=1) == pytest.approx(1.0)
