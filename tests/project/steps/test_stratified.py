"""The step that weighs failures by stratum of operation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.refusals import told

from surefoot.adapters import Data, Tested
from surefoot.core import Answer, DiagnosticsError, InvalidInput, Target
from surefoot.project import find_step

stratified_bound = find_step("stratified_bound")

CLASSES = ("no", "yes")
DIGEST = "0123456789abcdef"


def answered(sure, right, *, light=None, labels=None):
    """Answers that are yes with a probability, and right or wrong."""
    sure = np.asarray(sure, float)
    truth = np.where(right, 1, 0) if labels is None else np.asarray(labels)
    attributes = {} if light is None else {"light": np.asarray(light)}
    scores = np.column_stack([1 - sure, sure])
    return Tested("net", truth, scores, "probability", CLASSES, attributes=attributes)


def operation(sure, light=None):
    sure = np.asarray(sure, float)
    attributes = {} if light is None else {"light": np.asarray(light)}
    scores = np.column_stack([1 - sure, sure])
    return Data(DIGEST, scores=scores, output="probability", classes=CLASSES, attributes=attributes)


DAY_AND_NIGHT = answered(
    [0.9] * 100, [True] * 48 + [False] * 2 + [True] * 40 + [False] * 10, light=["day"] * 50 + ["night"] * 50
)


def test_strata_weigh_as_in_operation():
    (found,) = stratified_bound(DAY_AND_NIGHT, strata="light", shares={"day": 0.9, "night": 0.1}).estimates
    assert found.value == pytest.approx(0.9 * 2 / 50 + 0.1 * 10 / 50)
    assert found.lower(0.95) < found.value < found.upper(0.95)


def test_shares_that_are_stated_meet_no_target_until_somebody_answers_for_them():
    shares = {"day": 0.9, "night": 0.1}
    answer = Answer("A. Berg", "2026-05-01", "Logs of a year.")
    for said, status in ((None, "not shown"), (answer, "met")):
        (found,) = stratified_bound(DAY_AND_NIGHT, strata="light", shares=shares, answered_by=said).estimates
        assert [each.id for each in found.stated] == ["known-shares"]
        assert found.meets(Target(at_most=0.9)).status == status
    rows = operation([0.9] * 20, light=["day"] * 18 + ["night"] * 2)
    (found,) = stratified_bound(DAY_AND_NIGHT, strata="light", operation=rows).estimates
    assert found.stated == ()


def test_shares_may_come_from_operational_rows():
    rows = operation([0.9] * 1000, light=["day"] * 900 + ["night"] * 100)
    (stated,) = stratified_bound(DAY_AND_NIGHT, strata="light", shares={"day": 0.9, "night": 0.1}).estimates
    (counted,) = stratified_bound(DAY_AND_NIGHT, strata="light", operation=rows).estimates
    assert counted.value == pytest.approx(stated.value)
    assert counted.upper(0.95) > stated.upper(0.95)
    assert {a.id for a in counted.assumptions} - {a.id for a in stated.assumptions} == {"sampled-shares"}


def test_a_stratum_without_tests_counts_as_failing():
    shares = {"day": 0.8, "night": 0.1, "fog": 0.1}
    (found,) = stratified_bound(DAY_AND_NIGHT, strata="light", shares=shares).estimates
    assert found.value == pytest.approx(0.8 * 0.04 + 0.1 * 0.2 + 0.1)
    assert found.upper(0.95) > found.value


def test_doubtful_rows_form_strata_of_their_own():
    sure = np.linspace(0.501, 0.999, 1600)
    evidence = stratified_bound(answered(sure, [True] * 1600), operation=operation(sure))
    shares = [row[1:3] for row in evidence.tables["strata"].rows]
    assert shares == [(1.0, 1600), (0.0625, 100), (0.1875, 300), (0.75, 1200)]
    assert set(evidence.artefacts) == {"failure probability"}


def test_one_stratum_gives_the_exact_bound():
    sure = np.full(200, 0.9)
    rows = answered(sure, [True] * 195 + [False] * 5)
    (found,) = stratified_bound(rows, operation=operation(sure)).estimates
    assert found.upper(0.95) == pytest.approx(stats.binomtest(5, 200).proportion_ci(0.9).high)


def test_of_one_class_only_its_rows_count():
    labels = np.tile([0, 1, 1, 1], 100)
    rows = answered(np.tile([0.1, 0.9, 0.9, 0.2], 100), None, labels=labels)
    (found,) = stratified_bound(rows, operation=operation(rows.scores[:, 1]), of="yes").estimates
    assert found.value == pytest.approx(1 / 3, rel=0.05)
    assert found.scope == "net on yes"


def sheet(tmp_path, *lines, digest=DIGEST[:12]):
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(["component,digest,row,label", *(f"{line[0]},{digest},{line[1]}" for line in lines)]))
    return str(path)


def test_labels_of_a_sheet_count_too(tmp_path):
    rows = answered([0.9] * 10, [True] * 10)
    labels = sheet(tmp_path, ("net", "0,yes"), ("net", "1,no"), ("net", "2,?"), ("other", "3,no"))
    evidence = stratified_bound(rows, operation=operation([0.9] * 50), labels=labels)
    (whole, _) = evidence.tables["strata"].rows
    assert whole[2:5] == (13, 13, 2)


@pytest.mark.parametrize(
    ("line", "told"),
    [("99,yes", "other operational data"), ("1,maybe", "none of the classes no, yes")],
)
def test_a_sheet_that_does_not_fit_is_refused(tmp_path, line, told):
    with pytest.raises(DiagnosticsError, match=told):
        stratified_bound(answered([0.9], [True]), operation=operation([0.9] * 9), labels=sheet(tmp_path, ("net", line)))


def test_a_sheet_drawn_from_other_strata_is_refused(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(f"component,digest,row,stratum,share,label\nnet,{DIGEST[:12]},1,2,0.1875,yes\n")
    with pytest.raises(DiagnosticsError, match="drawn from other strata"):
        stratified_bound(answered([0.9], [True]), operation=operation([0.9] * 9), labels=str(path))


def test_a_sheet_of_other_data_is_refused(tmp_path):
    labels = sheet(tmp_path, ("net", "1,yes"), digest="f" * 12)
    with pytest.raises(DiagnosticsError, match="other operational data"):
        stratified_bound(answered([0.9], [True]), operation=operation([0.9] * 9), labels=labels)


def test_what_cannot_be_computed_is_told():
    for options, problem in [
        ({}, "exactly one of operation and shares"),
        ({"shares": {"a": 1.0}}, "needs operation"),
        ({"shares": {"day": 1.0}, "strata": "light"}, "operation does not have: night"),
        ({"shares": {"day": 0.5, "night": 0.4}, "strata": "light"}, "sum to 1"),
        ({"shares": {"day": 1.0}, "strata": "weather"}, "no attribute"),
        ({"shares": {"day": 1.0}, "strata": "light", "labels": "labels.csv"}, "labels: needs operation"),
        ({"shares": {f"hour {n}": 1 / 31 for n in range(31)}, "strata": "light"}, "31 strata, and at most 30"),
    ]:
        with told(options), pytest.raises(InvalidInput, match=problem):
            stratified_bound(DAY_AND_NIGHT, **options)


def test_answers_form_strata_of_their_own():
    sure = [0.9] * 60 + [0.1] * 40
    rows = answered(sure, None, labels=[1] * 57 + [0] * 3 + [0] * 40)
    (found,) = stratified_bound(rows, strata="prediction", shares={"yes": 0.2, "no": 0.8}).estimates
    assert found.value == pytest.approx(0.2 * 3 / 60)


def test_operational_scores_follow_the_classes_of_the_test_set():
    sure = np.linspace(0.501, 0.999, 1600)
    rows = answered(sure, [True] * 1600)
    given = operation(sure)
    turned = replace(given, scores=given.scores[:, ::-1], classes=CLASSES[::-1])
    (straight,), (crossed,) = (stratified_bound(rows, operation=each).estimates for each in (given, turned))
    assert crossed.upper(0.95) == straight.upper(0.95)


def test_operational_rows_of_other_classes_are_refused():
    strange = replace(operation([0.9] * 9), classes=("no", "maybe"))
    with pytest.raises(InvalidInput, match="have other classes"):
        stratified_bound(answered([0.9], [True]), operation=strange)


def test_a_sheet_without_rows_of_the_component_is_refused(tmp_path):
    labels = sheet(tmp_path, ("other", "1,yes"))
    with pytest.raises(DiagnosticsError, match="no rows of the component 'net'"):
        stratified_bound(answered([0.9], [True]), operation=operation([0.9] * 9), labels=labels)
