from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, precision_score, recall_score
from tests.project.steps.samples import answered, checked, scored, screening
from tests.refusals import told

import surefoot as sf
from surefoot.project import Conditions, find_step

metric_opinion = find_step("metric_opinion")

ODD = Conditions(odd={"density": ["low", "high"], "age group": ["young", "old"], "site": [1, 2, 3]})


def in_conditions(n=400, **changed):
    rng = np.random.default_rng(1)
    columns = {
        "density": rng.choice(["low", "high"], n),
        "age group": rng.choice(["young", "old"], n),
        "site": rng.choice([1, 2], n),
    }
    return screening(n, attributes=columns | changed)


def test_recall_matches_the_paper():
    """Herd and Burton, section 5: 470 found, 10 missed; the interval printed as 95% is the 99% one (errata SL 3)."""
    tested = answered([1] * 480, [1] * 470 + [0] * 10)
    evidence = metric_opinion(tested, metric="recall", positive="malignant", calibration=False, level=0.99)
    recall = evidence["recall"]
    assert recall.value == pytest.approx(0.9772, abs=5e-5)
    assert recall.interval(0.99) == pytest.approx(stats.beta(471, 11).interval(0.99))
    assert evidence.tables["chain"].rows[0][-2:] == pytest.approx((0.9560, 0.9910), abs=5e-5)
    assert {bound.kind for bound in recall.bounds} == {"credible"}
    assert [e.quantity for e in evidence.estimates] == ["recall"]


def test_the_discounted_recall_matches_the_paper():
    """Herd and Burton, Eqns. (26) and (27): trust (0.995, 0.004, 0.0002) on all 12,629 images (errata SL 3 and 4).

    The trust is given as a stated coverage: no forecasts have the printed sum of squared errors, 2.148, because each of
    the 10 missed signs was given less than 1/2 and so adds more than 1/4.
    """
    tested = answered([1] * 480, [1] * 470 + [0] * 10)
    trust = {"covered": 12_573, "total": 12_629}
    options = {"metric": "recall", "positive": "malignant", "calibration": False, "level": 0.99}
    evidence = metric_opinion(tested, coverage=trust, **options)
    assert evidence.tables["trust"].rows[0][2:5] == pytest.approx((0.995, 0.004, 0.0002), abs=5e-4)
    last = evidence.tables["chain"].rows[-1]
    assert last[1:4] == pytest.approx((0.9706, 0.0207, 0.0087), abs=1e-4)
    assert last[5:] == pytest.approx((0.9409, 0.9938), abs=1e-4)


def test_evidence_gives_the_metric_back():
    for metric, plain in [
        ("recall", lambda y, p: recall_score(y, p)),
        ("precision", lambda y, p: precision_score(y, p)),
        ("specificity", lambda y, p: recall_score(1 - y, 1 - p)),
        ("accuracy", lambda y, p: (y == p).mean()),
        ("f1", lambda y, p: f1_score(y, p)),
    ]:
        with told(metric):
            tested = screening(distance=1.0)
            found = metric_opinion(tested, metric=metric, positive="malignant")[metric]
            share = found.details["belief"] / (found.details["belief"] + found.details["disbelief"])
            assert share == pytest.approx(plain(tested.labels, tested.predictions))
            assert found.bounds[0].kind == ("heuristic" if metric == "f1" else "credible")


def test_ties_count_against_every_metric():
    tested = scored([1, 1, 0, 0], [[0.5, 0.5], [0.1, 0.9], [0.5, 0.5], [0.8, 0.2]])
    counts = {
        metric: (found.details["positive"], found.details["negative"])
        for metric in ("recall", "precision", "specificity", "accuracy")
        for found in metric_opinion(tested, metric=metric, positive="malignant", calibration=False).estimates
    }
    assert counts == {"recall": (1, 1), "precision": (1, 1), "specificity": (1, 1), "accuracy": (2, 2)}


def test_calibration_discounts_by_the_brier_score_of_all_rows():
    tested = screening()
    evidence = metric_opinion(tested, metric="recall", positive="malignant")
    errors = ((tested.scores[:, 1] - tested.labels) ** 2).sum()
    trust = (400 - errors) / 402
    assert evidence.tables["trust"].rows[0][2] == pytest.approx(trust)
    plain, trusted = evidence["recall"].details, evidence["trusted recall"].details
    assert trusted["belief"] == pytest.approx(trust * plain["belief"])
    assert trusted["uncertainty"] == pytest.approx(1 - trust * (plain["belief"] + plain["disbelief"]))
    assert {bound.kind for bound in evidence["trusted recall"].bounds} == {"heuristic"}


def test_calibration_of_all_classes_is_used_for_accuracy():
    rng = np.random.default_rng(0)
    scores, labels = rng.dirichlet(np.ones(3), 200), rng.integers(0, 3, 200)
    tested = scored(labels, scores, ("a", "b", "c"), output="probability")
    rows = metric_opinion(tested, metric="accuracy").tables["trust"].rows
    assert rows[0][3] == pytest.approx(((scores - np.eye(3)[labels]) ** 2).sum() / 2 / 202)
    by_bins = metric_opinion(tested, metric="accuracy", calibrated_by="ece").tables["trust"].rows
    expected = sf.opinions.expected_calibration_error(scores.max(axis=1), scores.argmax(axis=1) == labels)
    assert by_bins[0][2] == pytest.approx(float(expected.belief))


def test_coverage_is_measured_on_pairs_of_conditions():
    tested = in_conditions()
    evidence = metric_opinion(tested, conditions=ODD, metric="recall", positive="malignant")
    columns = {name: np.array([str(v) for v in tested.attributes[name].tolist()]) for name in ODD.odd}
    seen = {((a, x), (b, y)) for a, b in combinations(columns, 2) for x, y in zip(columns[a], columns[b], strict=True)}
    total = 2 * 2 + 2 * 3 + 2 * 3
    assert evidence.tables["trust"].rows[1][-1] == f"{len(seen)} of {total} combinations of 2 dimensions"
    assert evidence.tables["trust"].rows[1][2] == pytest.approx(len(seen) / (total + 2))
    missing = {row[0] for row in evidence.tables["missing coverage"].rows}
    assert missing == {f"{name} = {v}, site = 3" for name in ("density", "age group") for v in ODD.odd[name]}
    assert checked(evidence["trusted recall"])["complete-conditions"] == "unchecked"


def test_values_match_across_file_formats_and_rows_outside_the_table_show_nothing():
    as_text = in_conditions(site=np.array(["1", "2", "3", "9"] * 100))
    as_numbers = in_conditions(site=np.array([1.0, 2.0, 3.0, 9.0] * 100))
    as_objects = in_conditions(site=np.array([1, "2", 3, None] * 100, dtype=object))
    notes = {
        metric_opinion(t, conditions=ODD, metric="recall", positive="malignant").tables["trust"].rows[1][-1]
        for t in (as_text, as_numbers, as_objects)
    }
    assert notes == {"16 of 16 combinations of 2 dimensions"}
    nowhere = in_conditions(density=np.full(400, "unknown"))
    evidence = metric_opinion(nowhere, conditions=ODD, metric="recall", positive="malignant")
    assert evidence.tables["trust"].rows[1][2] == 0


def test_values_of_conditions_are_compared_exactly():
    batches = Conditions(odd={"batch": [2024001, 2024002, 2024003], "dose": [0.1234567, 0.1234568]})
    for kind in (int, str, object):
        column = np.array([2024001, 2024002] * 200, dtype=kind)
        tested = screening(attributes={"batch": column, "dose": np.array([0.1234567, 0.1234568] * 200)})
        tables = metric_opinion(tested, conditions=batches, metric="accuracy", ways=1).tables
        assert {row[0] for row in tables["missing coverage"].rows} == {"batch = 2024003"}
        assert tables["trust"].rows[1][-1] == "4 of 5 combinations of 1 dimension"


def test_a_single_dimension_is_covered_value_by_value():
    one = Conditions(odd={"density": ["low", "high", "unknown"]})
    rows = metric_opinion(in_conditions(), conditions=one, metric="recall", positive="malignant").tables["trust"].rows
    assert rows[1][-1] == "2 of 3 combinations of 1 dimension"


def test_a_table_of_very_many_dimensions_is_counted_too():
    names = [f"d{i}" for i in range(70)]
    rng = np.random.default_rng(0)
    tested = screening(50, attributes={name: rng.integers(0, 2, 50) for name in names})
    wide = Conditions(odd={name: [0, 1] for name in names})
    note = metric_opinion(tested, conditions=wide, metric="accuracy", ways=1).tables["trust"].rows[1][-1]
    assert note == "140 of 140 combinations of 1 dimension"


def test_coverage_can_be_stated_or_left_out():
    tested = in_conditions()
    stated = metric_opinion(
        tested, conditions=ODD, metric="recall", positive="malignant", coverage={"covered": 90, "total": 100}
    )
    assert stated.tables["trust"].rows[1][2] == pytest.approx(90 / 102)
    assert checked(stated["trusted recall"])["stated-coverage"] == "unchecked"
    without = metric_opinion(tested, conditions=ODD, metric="recall", positive="malignant", coverage=False)
    assert checked(without["trusted recall"])["covered-conditions"] == "unchecked"
    for wrong in ({"covered": 9, "total": 5}, {"covered": 1}, {"covered": 0, "total": 0}):
        with pytest.raises(sf.InvalidInput):
            metric_opinion(tested, metric="recall", positive="malignant", coverage=wrong)


def test_dimensions_must_be_attributes():
    with pytest.raises(sf.InvalidInput, match=r"found density, age group, site.*coverage: false"):
        metric_opinion(screening(), conditions=ODD, metric="recall", positive="malignant")


def test_the_chain_only_loses_belief():
    rows = metric_opinion(in_conditions(), conditions=ODD, metric="recall", positive="malignant").tables["chain"].rows
    assert [row[0] for row in rows] == ["recall", "after calibration", "after coverage"]
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)
    for row in rows:
        assert sum(row[1:4]) == pytest.approx(1)
        assert row[5] < row[4] < row[6]


def test_prior_and_operator_can_be_chosen():
    options = {"metric": "recall", "positive": "malignant", "prior_weight": 10.0, "base_rate": 0.9}
    evidence = metric_opinion(screening(), how="probability", **options)
    details = evidence["recall"].details
    positive, total = details["positive"], details["positive"] + details["negative"]
    assert evidence["recall"].value == pytest.approx((positive + 9) / (total + 10))
    trust = evidence.tables["trust"].rows[0]
    assert evidence["trusted recall"].details["belief"] == pytest.approx(
        (trust[2] + 0.9 * trust[4]) * details["belief"]
    )


def test_repeated_rows_contradict_the_posterior():
    tested = screening(groups=np.repeat(np.arange(100), 4))
    evidence = metric_opinion(tested, metric="recall", positive="malignant")
    assert {checked(e)["independent-trials"] for e in evidence.estimates} == {"contradicted"}


def test_what_does_not_occur_has_no_metric():
    for labels, metric, text in [
        ([0, 0], "recall", "no rows of class 'malignant'"),
        ([1, 1], "specificity", "no rows of another class"),
        ([0, 0], "precision", "no rows that were answered 'malignant'"),
        ([0, 0], "f1", "no rows of class 'malignant' or answered so"),
    ]:
        with told(labels), pytest.raises(sf.InvalidInput, match=text):
            metric_opinion(answered(labels, labels), metric=metric, positive="malignant", calibration=False)


def test_bad_input_is_told_in_plain_words():
    with pytest.raises(sf.InvalidInput, match=r"needs probabilities; found labels.*calibration: false"):
        metric_opinion(answered([0, 1], [0, 1]), metric="accuracy")
    with pytest.raises(sf.InvalidInput, match=r"recall is about one class.*positive: malignant"):
        metric_opinion(screening(), metric="recall")
    with pytest.raises(sf.InvalidInput, match="Did you mean 'malignant'"):
        metric_opinion(screening(), metric="recall", positive="malign")
    with pytest.raises(sf.InvalidInput, match="Did you mean 'recall'"):
        metric_opinion(screening(), metric="recal", positive="malignant")
    with pytest.raises(sf.InvalidInput, match="unknown measure of calibration"):
        metric_opinion(screening(), metric="accuracy", calibrated_by="hosmer")
    with pytest.raises(sf.InvalidInput, match="level"):
        metric_opinion(screening(), metric="accuracy", level=1.5)


def test_all_right_all_wrong_and_one_row_have_an_opinion():
    for answers in [[1] * 5, [0] * 5, [1]]:
        with told(answers):
            tested = answered([1] * len(answers), answers)
            found = metric_opinion(tested, metric="recall", positive="malignant", calibration=False)["recall"]
            hits = sum(answers)
            assert found.interval(0.9) == pytest.approx(stats.beta(hits + 1, len(answers) - hits + 1).interval(0.9))
