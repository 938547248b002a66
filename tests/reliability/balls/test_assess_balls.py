"""Reliability in balls, end to end, with risks that are known."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.refusals import refused
from tests.reliability.balls.known_truth import Known, world

from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.executors import Processes, Serial
from surefoot.reliability import (
    Adaptive,
    ByRisk,
    ByWeight,
    Reliability,
    Stratified,
    WithReplacement,
    assess_balls,
    assess_radii,
)

ROWS = 240
DESIGNS = [WithReplacement(), ByWeight(), ByRisk(), Stratified(), Adaptive()]


class Uncertain:
    """Weights that carry their uncertainty."""

    def __init__(self, values, sd):
        self.values, self.sd = values, sd
        self.caveats = (Diagnostic("weights-estimated", "Weights come from the data."),)

    def draws(self, count, rng):
        return self.values * rng.lognormal(0, self.sd, (count, len(self.values)))


@pytest.fixture(scope="module")
def given_rows():
    rng = np.random.default_rng(0)
    inputs = rng.random((ROWS, 2, 2)).astype(np.float32)
    labels = (inputs.reshape(ROWS, -1).sum(axis=1) > 2).astype(int)
    model = LogisticRegression().fit(inputs.reshape(ROWS, -1), labels)
    labels[:4] = 1 - labels[:4]
    return lambda pictures: model.predict_proba(pictures.reshape(len(pictures), -1)), inputs, labels


@pytest.fixture(scope="module")
def risk():
    return tuple(world("common", equal=True, seed=3, balls=ROWS)[0].tolist())


def assessed(rows, risk, **options):
    return assess_balls(*rows, **({"radius": 1e-4, "estimator": Known(risk), "checks": False} | options))


def test_all_balls_give_the_mean_of_their_risks(given_rows, risk):
    found = assessed(given_rows, risk)
    assert isinstance(found, Reliability)
    assert found.pmi.value == found.acu.value == pytest.approx(np.mean(risk))
    assert found.by_balls.details["sd"] == 0
    assert found.pmi.upper(0.95) > found.pmi.value > found.pmi.lower(0.95)
    assert {family.kind for family in found.pmi.bounds} == {"confidence"}
    assert len(found.cells) == ROWS


def test_weights_weigh_and_need_no_scale(given_rows, risk):
    weights = np.linspace(1, 3, ROWS)
    found, scaled = (assessed(given_rows, risk, weights=scale * weights) for scale in (1, 1e-300))
    assert found.pmi.value == pytest.approx(np.average(risk, weights=weights))
    assert found.acu.value == pytest.approx(np.mean(risk))
    assert scaled.pmi.value == pytest.approx(found.pmi.value)
    assert found.pmi.digest != assessed(given_rows, risk).pmi.digest


def test_uncertain_weights_widen_the_limit_and_keep_their_caveats(given_rows, risk):
    values = np.linspace(1, 3, ROWS)
    plain, unsure = (assessed(given_rows, risk, weights=w) for w in (values, Uncertain(values, 1.0)))
    assert unsure.pmi.value == pytest.approx(plain.pmi.value)
    assert unsure.pmi.upper(0.95) > plain.pmi.upper(0.95)
    assert "weights-estimated" in {caveat.code for caveat in unsure.pmi.caveats}
    assert {row[0]: row[2] for row in unsure.variance_shares.rows}["weights"] > 0.1


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_a_budget_is_kept_and_progress_counts_up_to_it(given_rows, risk, design):
    told = []
    found = assessed(given_rows, risk, design=design, budget=90, progress=lambda *step: told.append(step))
    assert len(found.cells) <= 90 == found.cells["draws"].sum() == told[-1][0]
    assert told == sorted(told)
    assert {total for _, total in told} == {90}
    assert found.pmi.lower(0.999) <= np.mean(risk) <= found.pmi.upper(0.999)


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_curves_end_at_the_mean_of_all_draws(given_rows, risk, design):
    found = assessed(given_rows, risk, design=design, budget=90, weights=np.linspace(1, 3, ROWS))
    for of, estimate in (("pmi", found.by_balls), ("acu", found.acu)):
        k, mean, _, upper = found.by_k(of=of).rows[-1]
        assert (k, mean) == (90, pytest.approx(estimate.value))
        assert upper > mean


def test_curves_of_equal_weights_end_at_the_value_to_sign(given_rows, risk):
    for design in DESIGNS:
        found = assessed(given_rows, risk, design=design, budget=90)
        assert found.by_k().rows[-1][1] == pytest.approx(found.pmi.value, rel=1e-12), design
        assert found.by_k(of="acu").rows[-1][1] == pytest.approx(found.acu.value, rel=1e-12), design


def test_the_curve_of_all_balls_ends_at_their_mean(given_rows, risk):
    assert assessed(given_rows, risk).by_k().rows[-1][:2] == (ROWS, pytest.approx(np.mean(risk)))


def test_the_place_of_the_work_leaves_no_trace(risk):
    inputs = np.random.default_rng(1).random((ROWS, 3))
    labels = (inputs.sum(axis=1) > 1.5).astype(int)
    model = LogisticRegression().fit(inputs, labels)
    found = [
        assessed((model, inputs, labels), risk, budget=60, executor=executor) for executor in (Serial(), Processes(2))
    ]
    assert found[0].pmi.digest == found[1].pmi.digest
    assert found[0].pmi.key == found[1].pmi.key
    assert found[0].pmi.digest != assessed((model, inputs, labels), risk, budget=60, seed=1).pmi.digest


def test_a_centre_that_fails_is_counted_and_its_answer_shown(given_rows, risk):
    found = assessed(given_rows, risk)
    wrong = np.flatnonzero(found.cells["label"] != found.cells["answer"])
    assert set(range(4)) <= set(wrong.tolist())
    assert found.stated.centres == (len(wrong), ROWS)
    assert f"{len(wrong)} of {ROWS} fail" in str(found)


def test_centres_that_fail_more_often_than_the_balls_say_contradict_them(given_rows):
    found = assessed(given_rows, (1e-9,) * ROWS)
    assert found.contradicted
    assert "contradicted by tests" in str(found)
    assert "contradicted" in repr(found)
    column = found.limits.columns.index("labelled rows")
    assert "contradict it" in {row[column] for row in found.limits.rows}


def test_held_out_tests_keep_the_signed_limit_above_their_own(given_rows):
    _, inputs, labels = given_rows
    found = assessed(given_rows, (1e-9,) * ROWS, holdout=(inputs, 1 - labels))
    assert found.pmi.upper(0.95) > 0.9
    assert "the larger of balls and tests (used)" in {row[0] for row in found.limits.rows}


def test_all_limits_stand_side_by_side_and_one_is_marked(given_rows, risk):
    for equal in [True, False]:
        for design in [*DESIGNS, None]:
            budget = {} if design is None else {"design": design, "budget": 60}
            found = assessed(given_rows, risk, weights=None if equal else np.linspace(1, 3, ROWS), **budget)
            names = [row[0] for row in found.limits.rows]
            assert sum(name.endswith("(used)") for name in names) == 1, (equal, design)
            assert ("operation, distribution-free (used)" in names) == equal, (equal, design)
            assert ("frame, Eqn. (15)" in names) == (design is not None), (equal, design)
            used = next(row for row in found.limits.rows if row[0].endswith("(used)"))
            assert used[3:5] == pytest.approx((found.pmi.upper(0.95), found.pmi.upper(0.975))), (equal, design)


def test_assumptions_are_checked_and_contradictions_become_caveats(given_rows, risk):
    _, inputs, _ = given_rows
    found = assess_balls(
        *given_rows, radius=0.3, estimator=Known(risk, trials=5), budget=100, operational=inputs, seed=2
    )
    status = {assumption.id: assumption.status for assumption in found.assumptions}
    assert status["single-label-balls"] == "contradicted"
    assert status["frame-represents-operation"] == status["deterministic-model"] == "supported"
    assert status["uniform-inside"] == "unchecked"
    assert status["sampling-of-balls-dominates"] == "contradicted"
    assert "assumption-contradicted" in {caveat.code for caveat in found.pmi.caveats}
    assert "sampling-of-balls-dominates" not in {assumption.id for assumption in found.pmi.assumptions}


def test_answers_that_change_with_their_batch_contradict_a_model_without_chance(given_rows, risk):
    scores, inputs, labels = given_rows

    def coarse(rows):
        return scores(rows) * (1 + 1e-3 * (len(rows) == 1))

    found = assess_balls(coarse, inputs, labels, radius=1e-4, estimator=Known(risk))
    status = {assumption.id: assumption.status for assumption in found.assumptions}
    assert "model-batch-dependent" in {caveat.code for caveat in found.pmi.caveats}
    assert status["deterministic-model"] == "contradicted"


def test_centres_are_shown_as_unweighted_beside_weights(given_rows, risk):
    found = assessed(given_rows, (1e-9,) * ROWS, weights=np.linspace(1, 3, ROWS))
    assert "centres alone, unweighted, exact binomial" in {row[0] for row in found.limits.rows}
    assert "contradict it" not in {row[-1] for row in found.limits.rows}
    assert not found.contradicted
    assert "centres alone, exact binomial" in {row[0] for row in assessed(given_rows, risk).limits.rows}


def test_operation_unlike_the_rows_is_noticed(given_rows, risk):
    found = assess_balls(*given_rows, radius=1e-4, estimator=Known(risk), operational=given_rows[1] ** 4)
    status = {assumption.id: assumption.status for assumption in found.assumptions}
    assert status["frame-represents-operation"] == "contradicted"


def test_answers_as_labels_work_where_no_scores_tell_more(given_rows, risk):
    scores, inputs, labels = given_rows
    found = assessed((lambda rows: scores(rows).argmax(axis=1), inputs, labels), risk, budget=60)
    assert found.pmi.lower(0.999) <= np.mean(risk) <= found.pmi.upper(0.999)


def test_the_top_balls_are_those_that_add_most(given_rows, risk):
    found = assessed(given_rows, risk)
    assert [row[0] for row in found.top(5).rows] == np.argsort(-np.array(risk))[:5].tolist()
    assert found.top(5).columns == found.cells.table().columns
    assert set(found.cells.columns) >= {"number", "how", "calls"}
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize("weights", [None, np.linspace(1, 3, ROWS)], ids=["equal", "unequal"])
def test_risks_of_zero_everywhere_are_no_proof_of_zero(given_rows, weights):
    for options in ({}, {"budget": 50}, {"budget": 50, "design": ByWeight()}):
        found = assessed(given_rows, (0.0,) * ROWS, weights=weights, **options)
        assert found.pmi.value == 0 < 0.5 / ROWS < found.pmi.upper(0.95) < found.pmi.upper(0.999)
        assert found.by_k().rows == ()
        assert found.top().rows == ()


def test_radii_share_their_draws(given_rows, risk):
    table = assess_radii(*given_rows, radii=[1e-6, 0.4], estimator=Known(risk), budget=50)
    assert [row[:2] for row in table.rows] == [(1e-6, "yes"), (0.4, "no")]
    assert table.rows[0][2:] == table.rows[1][2:]


def test_other_centres_take_the_place_of_the_inputs(given_rows, risk):
    _, inputs, _ = given_rows
    found = assessed(given_rows, risk, centres=inputs / 2)
    assert found.problem.balls.centres[0] == pytest.approx(inputs[0].ravel() / 2)


def test_wrong_input_is_refused_with_what_and_where(given_rows, risk):
    for wrong, words in [
        ({"budget": 1}, "budget"),
        ({"budget": 2.5}, "budget"),
        ({"weights": [1, 2]}, "one for each row"),
        ({"weights": np.zeros(ROWS)}, "not all 0"),
        ({"weights": -np.ones(ROWS)}, "at least 0"),
        ({"weights": np.full(ROWS, np.nan)}, "weights"),
        ({"design": ByRisk}, "design must be an object"),
        ({"design": "adaptive"}, "design must be an object"),
        ({"executor": 2}, "executor must be an object"),
        ({"holdout": np.ones((3, 2, 2))}, "holdout must be"),
        ({"holdout": (np.ones((3, 4)), [0, 1, 0])}, "shape of those in X"),
        ({"operational": np.ones((3, 5))}, "shape of those in X"),
        ({"centres": np.ones((3, 2, 2))}, "shape of X"),
        ({"level": 1.0}, "level"),
        ({"seed": -1}, "seed"),
        ({"radius": 0}, "radius"),
        ({"undesired": {"7": ["1"]}}, "undesired"),
    ]:
        with refused(words, (InvalidInput, DiagnosticsError), match=words):
            assessed(given_rows, risk, **wrong)


def test_pictures_in_the_wrong_channel_order_are_told_from_a_broken_model():
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 2, 3), torch.nn.Flatten(), torch.nn.Linear(72, 2))
    pictures = np.random.default_rng(0).random((6, 8, 8, 3)).astype(np.float32)
    with pytest.raises(DiagnosticsError, match=r"inputs have shape \(8, 8, 3\), and the model takes \(3, 8, 8\)"):
        assess_balls(model, pictures, np.arange(6) % 2, radius=0.01)
