"""The steps that judge a runtime monitor."""

import numpy as np
import pytest
from scipy import stats
from tests.refusals import told

from surefoot.adapters import Data, Tested
from surefoot.core import InvalidInput, Undefined
from surefoot.monitors import DETECTORS
from surefoot.project import find_step

monitor = find_step("monitor")
monitor_layer = find_step("monitor_layer")

CLASSES = ("cat", "dog", "owl")


def scores_of(labels, rng, sure=3.0):
    logits = rng.normal(size=(labels.size, 3))
    logits[np.arange(labels.size), labels] += sure
    return logits


def answered(n=2000, *, seed=0, groups=None, output="score", **attributes):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    inputs = rng.normal(size=(n, 4)) + labels[:, None]
    scores = scores_of(labels, rng)
    if output == "probability":
        scores = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return Tested("pets", labels, scores, output, CLASSES, inputs, groups, attributes)


def usual(n=600, classes=CLASSES):
    rng = np.random.default_rng(9)
    labels = rng.integers(0, 3, n)
    order = [CLASSES.index(name) for name in classes]
    scores = scores_of(labels, rng)[:, order]
    return Data("d", rng.normal(size=(n, 4)) + labels[:, None], None, scores, "score", classes)


def figures(evidence):
    return {estimate.quantity: estimate for estimate in evidence.estimates}


def test_alarms_of_a_column_are_counted():
    rows = answered()
    alarms = rows.failed ^ (np.arange(2000) % 10 == 0)
    found = figures(monitor(answered(alarm=alarms.astype(int)), alarm="alarm"))
    missed, spurious = int((rows.failed & ~alarms).sum()), int((~rows.failed & alarms).sum())
    assert found["residual hazard"].value == missed / 2000
    assert found["availability cost"].value == spurious / 2000
    assert found["hazard without the monitor"].value == rows.failed.mean()
    exact = stats.binomtest(missed, 2000).proportion_ci(0.9, method="exact").high
    assert found["residual hazard"].upper(0.95) == pytest.approx(exact)
    assert found["undetected failure"].upper(0.95) == pytest.approx(exact)
    assert found["spurious alarm"].value == spurious / 2000


def test_gain_and_residual_hazard_sum_to_the_hazard_without_the_monitor():
    found = figures(monitor(answered(), availability=0.1))
    total = found["safety gain"].value + found["residual hazard"].value
    assert total == pytest.approx(found["hazard without the monitor"].value)
    assert found["safety gain"].value > 0


def test_rows_that_chose_the_threshold_do_not_judge():
    found = figures(monitor(answered(), availability=0.1, calibrate=0.25))
    assert found["residual hazard"].details["rows"] == 1500
    fixed = [a for a in found["residual hazard"].assumptions if a.id == "monitor-fixed"]
    assert [a.status for a in fixed] == ["supported"]


def test_a_stated_threshold_uses_all_rows_and_stays_an_assumption():
    found = figures(monitor(answered(), threshold=0.3))["residual hazard"]
    assert found.details["rows"] == 2000
    assert [a.status for a in found.assumptions if a.id == "monitor-fixed"] == ["unchecked"]


@pytest.mark.parametrize("mode", ["expectation", "probability"])
def test_a_budget_of_hazard_is_kept(mode):
    found = figures(monitor(answered(6000), hazard=0.015, mode=mode))
    assert found["residual hazard"].value < 0.02
    assert found["hazard without the monitor"].value > 0.025


def test_a_budget_that_nothing_keeps_is_an_error_in_words():
    with pytest.raises(Undefined, match="within"):
        monitor(answered(40), hazard=1e-6, mode="probability")


def test_every_detector_can_be_named():
    for name in sorted(set(DETECTORS.names(beside=None)) - {"brightness", "contrast"}):
        with told(name):
            if name == "autoencoder":
                pytest.importorskip("torch")
            found = figures(monitor(answered(300), fit=usual(200), detector=name, availability=0.2))
            assert found["safety gain"].value + found["residual hazard"].value > 0


@pytest.mark.parametrize("name", ["brightness", "contrast"])
def test_detectors_of_pictures_take_pictures(name):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    rows = Tested("pets", labels, scores_of(labels, rng), "score", CLASSES, rng.random((200, 4, 4)))
    fit = Data("d", rng.random((50, 4, 4)), None, scores_of(labels[:50], rng), "score", CLASSES)
    assert figures(monitor(rows, fit=fit, detector=name, availability=0.2))


def test_the_names_are_those_of_the_catalogue_that_need_no_objects():
    schema = find_step("monitor").parameters.model_json_schema()["properties"]["detector"]
    assert set(schema["enum"]) == set(DETECTORS.own) - {"ensemble", "odin", "react", "reconstruction"}


def test_the_order_of_classes_in_the_fitted_rows_does_not_matter():
    plain = monitor(answered(300), fit=usual(200), detector="mahalanobis", availability=0.2)
    turned = monitor(answered(300), fit=usual(200, CLASSES[::-1]), detector="mahalanobis", availability=0.2)
    assert figures(plain)["safety gain"] == figures(turned)["safety gain"]


def test_threats_are_marked_by_an_attribute():
    threat = np.arange(2000) % 2
    rows = answered(strange=threat, score=threat + np.random.default_rng(0).normal(size=2000))
    found = figures(monitor(rows, score="score", detects="threats", threat="strange", threshold=0.5))
    assert found["hazard without the monitor"].value == 0.5
    assert found["safety gain"].value == pytest.approx(0.5 * stats.norm.cdf(0.5), abs=0.03)


def test_severe_errors_weigh_more():
    found = figures(monitor(answered(), threshold=np.inf, severity={"cat": {"dog": 4.0}, "dog": {"cat": 1.0}}))
    rows = answered()
    pairs = list(zip(rows.labels.tolist(), rows.predictions.tolist(), strict=True))
    expected = (4 * pairs.count((0, 1)) + pairs.count((1, 0))) / 4 / 2000
    assert found["hazard without the monitor"].value == pytest.approx(expected)
    assert found["residual hazard"].value == pytest.approx(expected)


def test_groups_are_the_units_where_they_are_used():
    rows = answered(groups=np.repeat(np.arange(100), 20))
    found = figures(monitor(rows, availability=0.1, groups="use"))["residual hazard"]
    assert (found.unit, found.details["unit"], found.details["units"]) == ("per demand", "group", 50)


def test_others_are_compared_at_the_same_cost():
    found = monitor(answered(), availability=0.1, against=["energy", "max_logit"])
    names = {row[0] for row in found.tables["monitors compared"].rows}
    assert {"max_softmax", "energy", "max_logit"} <= names
    assert "monitors compared" in found.artefacts


def test_posteriors_can_be_had_for_fault_trees():
    found = figures(monitor(answered(), availability=0.1, events="credible"))["undetected failure"]
    assert found.dist is not None


def test_a_monitor_that_never_fires_is_told():
    found = monitor(answered(), threshold=np.inf)
    codes = {caveat.code for caveat in figures(found)["safety gain"].caveats}
    assert "monitor-constant" in codes
    assert "never raised an alarm" in str(found.tables["model and monitor"].rows)


def test_a_layer_of_a_network_is_watched():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    found = monitor_layer(answered(300), net, layer="1", fit=usual(200), availability=0.2)
    assert figures(found)["safety gain"].scope == "pets with mahalanobis at 1"
    with pytest.raises(InvalidInput, match="layer"):
        monitor_layer(answered(300), net, layer="9", fit=usual(200), availability=0.2)


def test_bad_words_are_refused():
    for words, said in [
        ({}, "exactly once"),
        ({"threshold": 0.1, "hazard": 0.1}, "threshold: and hazard:"),
        ({"threshold": 0.1, "calibrate": 0.5}, "has no effect"),
        ({"hazard": 0.1, "delta": 0.5}, "goes with mode: probability"),
        ({"score": "half", "options": {"k": 5}, "threshold": 1.0}, "needs no detector"),
        ({"alarm": "alarm"}, "no attribute 'alarm'"),
        ({"alarm": "half", "threshold": 1.0}, "stands alone"),
        ({"alarm": "half", "calibrate": 0.5}, "stands alone"),
        ({"threshold": 1.0, "options": {"temperature": 2.0}, "against": ["max_softmax"]}, "against: names max_softmax"),
        ({"alarm": "half"}, "0 or 1"),
        ({"score": "words", "threshold": 1.0}, "must be numbers"),
        ({"detects": "threats", "threshold": 1.0}, "threat: names"),
        ({"threat": "half", "threshold": 1.0}, "threat: names"),
        ({"detector": "knn", "threshold": 1.0}, "needs fit:"),
        ({"detector": "max_softmax", "options": {"heat": 2}, "threshold": 1.0}, "takes temperature, on"),
        ({"severity": {"cat": {"elk": 1.0}}, "threshold": 1.0}, "elk"),
        ({"severity": {"cat": {"dog": 1.0}}, "undesired": {"cat": ["dog"]}, "threshold": 1.0}, "without undesired"),
        ({"groups": "use", "threshold": 1.0}, "belong together"),
    ]:
        with told(words):
            rows = answered(200, half=np.full(200, 0.5), words=np.full(200, "x"))
            with pytest.raises(InvalidInput, match=said):
                monitor(rows, **words)


def test_detectors_of_logits_refuse_probabilities():
    with pytest.raises(InvalidInput, match="needs logits"):
        monitor(answered(200, output="probability"), detector="energy", threshold=1.0)


def test_detectors_of_scores_refuse_labels():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 50)
    rows = Tested("pets", labels, np.eye(3)[labels], "label", CLASSES)
    with pytest.raises(InvalidInput, match="needs scores"):
        monitor(rows, threshold=1.0)


COLUMNS = {
    "alarm of 2": ({"alarm": "mark"}, np.r_[0, 2, 1, 2], r"alarm: 'mark' must be 0 or 1; found 2 in row 1 \(2 such"),
    "alarm of text": ({"alarm": "mark"}, np.array(["no", "yes"] * 2), "alarm: 'mark' must be numbers; found text such"),
    "threat of 0.5": (
        {"detects": "threats", "threat": "mark", "threshold": 0.5},
        np.full(4, 0.5),
        "threat: 'mark' must be 0 or 1; found 0.5 in row 0",
    ),
    "infinite score": (
        {"score": "mark", "threshold": 0.5},
        np.r_[1, np.inf, 0, 0],
        "must be finite; found inf in row 1",
    ),
}


def test_a_column_that_does_not_fit_is_named_with_its_row():
    for words, column, said in COLUMNS.values():
        with told(words), pytest.raises(InvalidInput, match=said):
            monitor(answered(4, mark=column), **words)


def test_a_misspelt_option_gets_a_suggestion():
    with pytest.raises(InvalidInput, match=r"isolation_forest has no 'tree'\. Did you mean 'trees'\? It takes"):
        monitor(answered(), detector="isolation_forest", fit=usual(), options={"tree": 5}, availability=0.1)


def test_classes_that_were_not_fitted_are_called_by_name():
    rows = usual()
    cats = rows.scores.argmax(axis=1) == 0
    few = Data("d", rows.inputs[cats], None, rows.scores[cats], "score", CLASSES)
    with pytest.raises(InvalidInput, match="not fitted with; found dog, owl"):
        monitor(answered(), detector="feature_box", fit=few, availability=0.1)


@pytest.mark.parametrize("level", [0.99, 0.999])
def test_a_high_level_has_as_many_draws_as_it_needs(level):
    rows = answered(groups=np.repeat(np.arange(100), 20))
    found = monitor(rows, availability=0.1, groups="use", against=["doctor"], level=level)
    low, high = figures(found)["undetected failure"].interval(level)
    assert 0 <= low < high < 1
    assert any(head.startswith("from (99") for head in found.tables["detection"].columns)
