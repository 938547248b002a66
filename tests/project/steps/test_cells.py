"""Reliability in cells as a step."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KernelDensity
from tests.project.cell_project import rows
from tests.refusals import told

import surefoot as sf
from surefoot import adapters
from surefoot.executors import Serial
from surefoot.project import find_step

reliability_cells = find_step("reliability_cells")

PMI, ALONE, ACU = "failure probability", "failure probability by cells alone", "average cell unastuteness"
CLASSES = ("left", "right")


def above(limit):
    """A model that answers right of a limit."""

    def predict(inputs):
        return np.column_stack([np.full(len(inputs), limit), inputs[:, 0]])

    return predict


def as_data(inputs, labels, **more):
    return adapters.as_data({"inputs": inputs, "labels": labels, **more}, classes=CLASSES)


def assessed(*, model=None, train=None, test=None, operation=None, groups=None, **options):
    model = adapters.as_model(above(0.55) if model is None else model)
    test = rows(200, 2) if test is None else test
    data = as_data(*test, **({} if groups is None else {"groups": groups}))
    scored = adapters.scored(model, data, batch_size=1000)
    tested = adapters.tested(
        "side", data, scored.scores, output=scored.output, classes=scored.classes, digests={}, caveats=()
    )
    labelled = as_data(*(rows(300, 1) if train is None else train))
    further = None if operation is None else adapters.as_data({"inputs": operation})
    arguments = {"side": 0.05, "domain": [0, 1], **options}
    return reliability_cells(tested, labelled, model, Serial(), operation=further, **arguments)


@pytest.fixture(scope="module")
def usual():
    return assessed()


def test_without_inputs_from_operation_the_held_out_failures_are_bounded_exactly(usual):
    inputs, labels = rows(200, 2)
    wrong = int(((inputs[:, 0] > 0.55) != labels).sum())
    exact = sf.bounds.clopper_pearson(wrong, len(labels), level=0.95)
    assert wrong > 0
    assert usual[PMI].value == wrong / len(labels)
    assert usual[PMI].upper(0.975) == pytest.approx(exact.upper(0.975))
    assert {estimate.scope for estimate in usual.estimates} == {"side"}


def test_the_sum_over_cells_is_what_a_plain_loop_gives():
    found = assessed(side=0.1, bandwidth=0.1)[ALONE]
    inputs, labels = rows(300, 1)
    places = np.minimum((inputs * 10).astype(int), 9)
    fine = (np.arange(200) + 0.5) / 200
    points = np.stack(np.meshgrid(fine, fine, indexing="ij"), -1).reshape(-1, 2)
    density = np.exp(KernelDensity(bandwidth=0.1).fit(inputs).score_samples(points))
    mass = density.reshape(10, 20, 10, 20).sum(axis=(1, 3))
    answer = fine.reshape(10, 20) > 0.55
    total = 0.0
    for i, j in np.ndindex(10, 10):
        inside = labels[(places == [i, j]).all(axis=1)]
        label = inside[0] if len(inside) else round(answer[i].mean())
        crossed = len(set(inside.tolist())) > 1
        total += mass[i, j] / mass.sum() * (1.0 if crossed else np.mean(answer[i] != label))
    assert found.value == pytest.approx(total, abs=4 * found.details["sd_sampling"])
    assert found.details["sd_sampling"] < 0.005 * total


def test_inputs_from_operation_sharpen_the_bound_where_cells_judge_well():
    found = assessed(train=rows(20_000, 1), operation=rows(5_000, 3)[0], bandwidth=0.05)
    assert found[PMI].details["prediction_used"]
    limits = {row[0]: row[3] for row in found.tables["upper limits"].rows}
    assert limits["predicted strata (used)"] == found[PMI].upper(0.95) < limits["exact binomial"]
    truth = 0.045 / 0.99
    assert truth < found[PMI].upper(0.95)


def test_a_forest_is_read_and_its_numbers_are_the_classes_of_the_component():
    X, y = rows(300, 1)
    forest = RandomForestClassifier(7, random_state=0).fit(X, y)
    found = assessed(model=forest, train=(X, y))
    inputs, labels = rows(200, 2)
    assert found[PMI].details["failures"] == int((forest.predict(inputs) != labels).sum())
    kinds = " ".join(row[0] for row in found.tables["evidence"].rows)
    assert "exact" in kinds
    assert "sampled" not in kinds
    assert {row[0] for row in found.tables["failures by cells, by class"].rows} == set(CLASSES)
    profile = sf.profile.KDE("cross-validation")
    options = {
        "side": 0.05,
        "domain": [0, 1],
        "profile": profile,
        "estimator": sf.reliability.ExactTrees(),
        "holdout": rows(200, 2),
    }
    direct = sf.reliability.assess_cells(forest, X, y, **options)
    for estimate, expected in zip(found.estimates, (direct.pmi, direct.by_cells, direct.acu), strict=True):
        assert (estimate.value, estimate.upper(0.95)) == (expected.value, expected.upper(0.95))


def test_classes_listed_in_another_order_than_a_network_has_them_are_matched_by_name():
    from sklearn.linear_model import LogisticRegression

    X, y = rows(300, 1)
    names = np.where(y, "a", "b")
    fitted = LogisticRegression().fit(X, names)
    model, listed = adapters.as_model(fitted), ("b", "a")
    data, labelled = (
        adapters.as_data((X[part], names[part]), classes=listed) for part in (slice(150), slice(150, None))
    )
    scores = fitted.predict_proba(X[:150])[:, ::-1]
    tested = adapters.tested("side", data, scores, output="probability", classes=listed, digests={}, caveats=())
    found = reliability_cells(tested, labelled, model, Serial(), side=0.1, domain=[0, 1], estimator="interval")
    assert found[PMI].details["failures"] == int((fitted.predict(X[:150]) != names[:150]).sum())


def test_only_undesired_answers_count():
    inputs, labels = rows(200, 2)
    wrong = (inputs[:, 0] > 0.45) != labels
    found = assessed(model=above(0.45), undesired={"left": ["right"]})[PMI]
    assert found.scope == "side, left answered as right"
    assert found.details["failures"] == int(wrong.sum()) > 0


def test_all_six_assumptions_are_there_and_contradictions_are_said():
    found = assessed(side=0.2)
    known = {assumption.id: assumption for assumption in found.assumptions}
    assert known["separated-classes"].status == "contradicted"
    assert known["single-label-cells"].status == "contradicted"
    others = {"labelled-data-represent-operation", "better-than-chance", "uniform-inside", "independent-cells"}
    assert others <= set(known)
    assert {assumption.scope for assumption in found.assumptions} == {"side"}
    broken = [a for a in found[ALONE].assumptions if a.status == "contradicted"]
    assert [caveat.code for caveat in found[ALONE].caveats].count("assumption-contradicted") == len(broken) >= 2
    assert not {a.id for a in found[PMI].assumptions} & {"separated-classes", "single-label-cells"}


def test_a_sum_that_the_tests_contradict_is_not_shown_without_saying_so():
    found = assessed(train=tuple(part[::10] for part in rows(300, 1)))
    (against,) = [caveat for caveat in found[ALONE].caveats if caveat.code == "contradicted-by-tests"]
    failed, trials = found[PMI].details["failures"], found[PMI].details["trials"]
    assert f"{failed} of {trials} held-out tests failed" in against.text


def test_the_published_form_has_no_guarantee():
    found = assessed(as_published=True, samples=50, bandwidth=0.1)
    assert found[PMI].value == found[ALONE].value
    assert {bound.kind for bound in found[PMI].bounds} == {"heuristic"}


def test_groups_of_rows_speak_against_independence():
    found = assessed(groups=np.arange(len(rows(200, 2)[0])) // 10)[PMI]
    (independent,) = [a for a in found.assumptions if a.id == "independent-trials"]
    assert independent.status == "contradicted"
    assert sum(caveat.code == "assumption-contradicted" for caveat in found.caveats) == 1


def test_tables_and_figures_stay_small():
    found = assessed(side=0.005, features=["width", "height"], samples=100)
    assert len(found.tables["cells that add most"].rows) == 10
    assert found.tables["cells that add most"].columns[1:3] == ("width", "height")
    assert dict(row[:2] for row in found.tables["cells"].rows)["all"] == 40_000
    assert sum(len(item.content) for item in found.artefacts.values()) < 300_000
    assert b"width" in found.artefacts["where the risk sits"].content


def test_what_cannot_be_used_is_an_error_that_says_what_to_do():
    for changes, expected in [
        ({"domain": [0, 0.9]}, r"rows of the data set of on: lie outside the domain"),
        ({"operation": np.full((5, 2), 3.0)}, "rows of the data set of operation: lie outside the domain"),
        ({"domain": [[0, 1], [1, 0]]}, r"domain must be a pair \(low, high\) for each of the 2 features"),
        ({"side": 1e-7}, "cells need about .* Use a side"),
        ({"side": [0.1, 0.1, 0.1]}, "side must be a number above 0, or one for each of the 2 features"),
        ({"features": ["only one"]}, "features must name all 2 features"),
        ({"estimator": "exact_trees"}, "the model is no ensemble of trees that can be read"),
        ({"bandwidth": [0.1, 0.1, 0.1]}, "bandwidth"),
        ({"train": rows(200, 2)}, "nothing is held out"),
        ({"train": (rows(200, 1)[0], np.zeros(len(rows(200, 1)[0]), int))}, "one class only"),
        ({"train": (np.zeros((20, 3)), np.arange(20) % 2)}, "needs 2 features"),
        ({"train": (np.zeros((20, 2, 2)), np.arange(20) % 2)}, "must have rows of features"),
    ]:
        with told(changes), pytest.raises(sf.InvalidInput, match=expected):
            assessed(**changes)


def test_a_model_that_answers_differently_each_time_is_an_error():
    rng = np.random.default_rng(0)

    def restless(inputs):
        return above(0.55)(inputs + rng.normal(0, 0.3, inputs.shape))

    with pytest.raises(sf.DiagnosticsError, match="differently the second time"):
        assessed(model=restless)


def test_the_estimator_follows_from_the_model():
    from sklearn.neural_network import MLPClassifier

    X, y = rows(60, 4)
    network = MLPClassifier([3], solver="lbfgs", max_iter=200, random_state=0).fit(X, y)
    models = [RandomForestClassifier(2, random_state=0).fit(X, y), network, above(0.5)]
    results = [assessed(model=model, side=0.5, samples=9) for model in models]
    curves = ["the sum over cells, from k of them" in found.artefacts for found in results]
    assert curves[0]
    assert not all(curves), "where nothing fails in any cell, no curve begins"
    chosen = [found[PMI].provenance.params["estimator"] for found in results]
    assert [each.partition("(")[0] for each in chosen] == ["ExactTrees", "Interval", "MonteCarlo"]
    assert chosen[2].startswith("MonteCarlo(samples=9, allocation='sequential'")
    assert chosen[2] in chosen[1]
    published = assessed(model=models[0], side=0.5, samples=9, estimator="monte_carlo", as_published=True)
    assert "allocation='equal'" in published[PMI].provenance.params["estimator"]
