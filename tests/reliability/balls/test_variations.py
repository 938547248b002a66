"""Balls that are families of natural variation: levels by simulation with known truth, proofs by brute force."""

import numpy as np
import pytest
from scipy import ndimage, stats
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from tests.refusals import refused

from surefoot import Target
from surefoot.adapters import as_model
from surefoot.core import InvalidInput
from surefoot.corruptions import Variation, corrupt
from surefoot.executors import Processes, Serial
from surefoot.reliability import (
    BallProblem,
    BallRisks,
    Interval,
    MonteCarlo,
    MultilevelSplitting,
    VariedBalls,
    assess_balls,
    assess_strengths,
    failing_neighbours,
)

REACH = 0.1
TRUTH = 0.125
"""Of operation: inputs between 0.3 and 0.7, each moved by up to 0.1, fail where that takes them across 0.5."""


def moved(inputs, amount):
    return inputs + amount[:, None]


def across(inputs):
    height = np.asarray(inputs).mean(axis=1) - 0.5
    return np.column_stack([-height, height])


def risk_at(heights):
    return np.clip((REACH - np.abs(heights - 0.5)) / (2 * REACH), 0, None)


def drawn(count, seed):
    heights = np.random.default_rng(seed).uniform(0.3, 0.7, count)
    return np.repeat(heights[:, None], 3, axis=1), (heights > 0.5).astype(int), heights


MOVED = Variation.by(moved, {"amount": [-REACH, REACH]})


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(max_iter=2000).fit(X[::2] / 16, y[::2])
    return model, X[1::2][:120] / 16, y[1::2][:120]


def test_limits_of_operation_keep_their_level():
    repeats, level, held, lower_held = 200, 0.9, 0, 0
    for seed in range(repeats):
        inputs, labels, _ = drawn(60, seed)
        found = assess_balls(
            across, inputs, labels, within=MOVED, estimator=MonteCarlo(20), level=level, seed=seed, checks=False
        )
        held += found.pmi.upper(level) >= TRUTH
        lower_held += found.pmi.lower(level) <= TRUTH
    # Fewer would come by chance once in a thousand times, if the level were kept.
    least = stats.binom.ppf(1e-3, repeats, level)
    assert held >= least
    assert lower_held >= least


@pytest.mark.parametrize("estimator", [MonteCarlo(400), MultilevelSplitting(400, steps=8)], ids=repr)
def test_intervals_of_balls_hold_as_often_as_they_say(estimator):
    inputs, labels, heights = drawn(400, 7)
    found = assess_balls(across, inputs, labels, within=MOVED, estimator=estimator, checks=False)
    low, high = found.cells.risks.interval(0.95)
    truth = risk_at(heights)
    held = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    assert held.sum() >= stats.binom.ppf(1e-3, held.size, 0.95)
    assert found.by_balls.value == pytest.approx(truth.mean(), abs=0.004)


def corner(inputs, first, second):
    return np.column_stack([first, second])


@pytest.mark.parametrize("gap", [1e-2, 1e-4])
def test_failures_too_rare_to_be_counted_are_split_in_parameter_space(gap):
    def scores(inputs):
        over = np.asarray(inputs).sum(axis=1) - (2 - gap)
        return np.column_stack([-over, over])

    family = Variation.by(corner, {"first": [0, 1], "second": [0, 1]})
    inputs, labels = np.zeros((40, 2)), np.zeros(40, int)
    found = assess_balls(
        scores,
        inputs,
        labels,
        within=family,
        classes=["0", "1"],
        estimator=MultilevelSplitting(400, steps=20),
        checks=False,
    )
    truth, risks = gap**2 / 2, found.cells.risks
    assert (risks.how == BallRisks.SPLIT).all()
    assert np.mean(risks.risk) / truth == pytest.approx(1, abs=4 * np.std(risks.risk) / truth / np.sqrt(40) + 0.02)
    low, high = risks.interval(0.95)
    assert ((low <= truth) & (truth <= high)).mean() >= 0.85


STEPS = {-0.2: 0.03, 0.0: 0.9, 0.05: 0.07}
STEPPED = {"amount": [-REACH, REACH], "step": {"values": list(STEPS), "chances": list(STEPS.values())}}


def stepped(inputs, amount, step):
    return inputs + (amount + step)[:, None]


def stepped_risk_at(heights):
    above = {step: np.clip((heights + step + REACH - 0.5) / (2 * REACH), 0, 1) for step in STEPS}
    return sum(chance * np.where(heights > 0.5, 1 - above[step], above[step]) for step, chance in STEPS.items())


@pytest.mark.parametrize("estimator", [MonteCarlo(77), MultilevelSplitting(200, steps=8)], ids=repr)
def test_every_discrete_value_is_looked_into_beside_a_range(estimator):
    inputs, labels, heights = drawn(120, 7)
    family, how = Variation.by(stepped, STEPPED), {"estimator": estimator, "input_range": (-1, 2), "checks": False}
    found = assess_balls(across, inputs, labels, within=family, **how)
    truth, risks = stepped_risk_at(heights), found.cells.risks
    low, high = risks.interval(0.95)
    held = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    assert held.sum() >= stats.binom.ppf(1e-3, held.size, 0.95)
    assert ((risks.risk - truth) ** 2).mean() < 2 * risks.variance.mean()
    assert found.by_balls.value == pytest.approx(truth.mean(), abs=0.01)
    assert len({len(each) for each in risks.strata}) == 1
    # A value at which no failure is possible adds none, however few points it has.
    far = heights < 0.3 - 0.05 + REACH
    assert (risks.take(np.flatnonzero(far & (labels == 0))).failures == 0).all()
    apart = assess_balls(across, inputs, labels, within=family, executor=Processes(2), **how)
    assert apart.pmi.digest == found.pmi.digest


@pytest.mark.parametrize(
    ("chances", "trials"), [([0.5, 0.5], [6, 6]), ([0.03, 0.97], [1, 9]), ([0.2, 0.3, 0.5], [3, 3, 5])], ids=repr
)
def test_limits_over_discrete_values_keep_their_level_whatever_fails(chances, trials):
    inputs, labels, _ = drawn(2, 1)
    family = Variation.by(stepped, STEPPED)
    how = {"estimator": MonteCarlo(20), "input_range": (-1, 2), "checks": False}
    kind = type(assess_balls(across, inputs, labels, within=family, **how).cells.risks)
    outcomes = np.stack([grid.ravel() for grid in np.meshgrid(*(np.arange(n + 1) for n in trials))], axis=1)
    strata = []
    for failures, n in zip(outcomes.T, trials, strict=True):
        with np.errstate(divide="ignore"):
            log_risk = np.log(failures / n)
        how_found, none = np.full(len(failures), BallRisks.COUNTED, np.uint8), np.zeros(len(failures), np.int64)
        strata.append(BallRisks(log_risk, np.zeros(len(failures)), how_found, failures, none + n, none + n))
    low, high = kind.of(np.array(chances), strata).interval(0.9)
    grid = np.concatenate([np.linspace(0, 1, 15), [1e-3, 0.999]])
    for shares in np.stack([each.ravel() for each in np.meshgrid(*[grid] * len(trials))], axis=1):
        mass = np.prod([stats.binom.pmf(k, n, p) for k, n, p in zip(outcomes.T, trials, shares, strict=True)], axis=0)
        risk = np.dot(chances, shares)
        assert mass[high < risk - 1e-12].sum() <= 0.05 + 1e-9
        assert mass[low > risk + 1e-12].sum() <= 0.05 + 1e-9


def test_discrete_values_are_apart_where_something_else_varies_too():
    family = Variation.of({"translation": {"down": {"values": [0, 1]}}, "rotation": [-3, 3]}, picture=(8, 8))
    (first, half), (second, other) = family.strata
    assert (first.dimensions, half, second.dimensions, other) == (1, 0.5, 1, 0.5)
    assert str(second).startswith("translation (down 1 pixels, right 0 pixels), then rotation (angle uniform")
    assert Variation.of({"rotation": [-3, 3]}).strata == ()
    assert Variation.of({"translation": {"down": {"values": [0, 1]}, "right": 0}}).strata == ()


SHIFTS = {"translation": {"down": {"values": [-1, 0, 1], "chances": [0.2, 0.7, 0.1]}, "right": {"values": [0, 2]}}}


def by_hand(model, inputs, labels):
    """The chance of a wrong answer over all shifts, one by one."""
    risk = np.zeros(len(inputs))
    for down, chance in zip([-1, 0, 1], [0.2, 0.7, 0.1], strict=True):
        for right in (0, 2):
            pictures = inputs.reshape(-1, 8, 8)
            shifted = np.stack([ndimage.shift(p, [down, right], order=0, mode="nearest") for p in pictures])
            risk += chance / 2 * (model.predict(shifted.reshape(-1, 64)) != labels)
    return risk


@pytest.mark.parametrize("answers", ["scores", "labels"])
def test_where_parameters_have_finitely_many_values_all_are_tried(digits, answers):
    model, inputs, labels = digits
    asked = model if answers == "scores" else model.predict
    found = assess_balls(asked, inputs, labels, within=SHIFTS, picture=(8, 8), classes=list(range(10)))
    truth = by_hand(model, inputs, labels)
    assert 0 < truth.mean() < 1
    np.testing.assert_allclose(found.cells.risk, truth, atol=1e-12)
    assert set(found.cells.how) == {BallRisks.EXHAUSTED}
    np.testing.assert_array_equal(found.cells.risks.interval(0.95), np.stack([found.cells.risk] * 2))
    assert not found.cells.risks.variance.any()
    assert found.cells.kinds().rows[0][0] == "every value tried"
    assert found.cells.calls.tolist() == [6] * len(inputs)
    # What remains to be uncertain about is which rows there are.
    assert found.variance_parts.inside == 0
    assert found.pmi.upper(0.95) > truth.mean()


def test_severities_of_a_corruption_without_chance_are_all_tried(digits):
    model, inputs, labels = digits
    found = assess_balls(model, inputs, labels, within={"contrast": {"severity": [1, 3]}}, picture=(8, 8))
    worse = [corrupt(inputs.reshape(-1, 8, 8), "contrast", s, channels="none").reshape(-1, 64) for s in (1, 3)]
    expected = np.mean([model.predict(each) != labels for each in worse], axis=0)
    np.testing.assert_allclose(found.cells.risk, expected, atol=1e-12)


def test_the_answer_says_which_variation_was_meant(digits):
    model, inputs, labels = digits
    found = assess_balls(model, inputs, labels, within={"rotation": [-10, 10]}, picture=(8, 8), budget=30)
    words = "rotation (angle uniform from -10 to 10 degrees)"
    assert found.pmi.quantity == "failure probability within variation v of operational inputs"
    assert found.by_balls.quantity == "failure probability within variation v of the rows"
    for estimate in (found.pmi, found.by_balls, found.acu):
        assert estimate.scope == f"v = {words}"
        assert "within" in estimate.provenance.params
        assert "radius" not in estimate.provenance.params
    known = {assumption.id: assumption for assumption in found.pmi.assumptions}
    assert words in known["variation-as-in-operation"].text
    assert "any other variation" in known["variation-as-in-operation"].text
    assert known["variation-keeps-labels"].status == "unchecked"
    assert not {"uniform-inside", "single-label-balls"} & set(known)
    # Nobody has looked whether operation varies so: no verdict says that a target is violated.
    assert found.pmi.meets(Target(at_most=1e-6)).status != "violated"


def test_rows_that_fail_more_often_than_their_variation_speak_against_it():
    inputs, labels, _ = drawn(300, 3)
    wrong = np.where(np.random.default_rng(0).random(300) < 0.3, 1 - labels, labels)

    def centres_fail(inputs):
        scores = across(inputs)
        exactly = np.isin(np.asarray(inputs)[:, 0], failing)
        return np.where(exactly[:, None], scores[:, ::-1], scores)

    failing = inputs[wrong != labels, 0]
    found = assess_balls(centres_fail, inputs, labels, within=MOVED, estimator=MonteCarlo(200))
    assert "contradicted-by-tests" in {caveat.code for caveat in found.pmi.caveats}
    known = {assumption.id: assumption.status for assumption in found.pmi.assumptions}
    assert known["variation-as-in-operation"] == "contradicted"


def test_processes_find_what_one_process_finds(digits):
    model, inputs, labels = digits
    how = {"within": {"fog": {"severity": [1]}, "rotation": [-9, 9]}, "picture": (8, 8), "estimator": MonteCarlo(20)}
    serial, apart = (
        assess_balls(model, inputs[:20], labels[:20], executor=executor, checks=False, **how)
        for executor in (Serial(), Processes(2))
    )
    assert serial.pmi.digest == apart.pmi.digest
    assert serial.pmi.key == apart.pmi.key


def test_failing_neighbours_are_what_the_variation_makes(digits):
    model, inputs, labels = digits
    family = Variation.of({"rotation": [-40, 40]}, picture=(8, 8))
    balls = VariedBalls(inputs, 0.0, (64,), variation=family)
    problem = BallProblem(as_model(model), balls, labels, ~np.eye(10, dtype=bool))
    found = failing_neighbours(problem, np.arange(10), seed=0)
    there = np.isfinite(found).all(axis=1)
    assert there.any()
    assert (model.predict(found[there]) != labels[:10][there]).all()
    finest = family.varied(np.repeat(inputs[:1], 20_001, axis=0), np.linspace(0, 1, 20_001)[:, None])
    for row, truth in zip(found[there][:1], np.flatnonzero(there)[:1], strict=True):
        near = (
            finest
            if truth == 0
            else family.varied(np.repeat(inputs[truth][None], 20_001, axis=0), np.linspace(0, 1, 20_001)[:, None])
        )
        assert np.abs(near - row).max(axis=1).min() < 2e-3


def test_the_curve_of_risk_rises_with_strength_from_that_of_the_inputs(digits):
    model, inputs, labels = digits
    table = assess_strengths(
        model,
        inputs,
        labels,
        within={"rotation": [-40, 40]},
        picture=(8, 8),
        strengths=[1, 0.01, 0.5],
        estimator=MonteCarlo(100),
    )
    strengths, values = ([row[table.columns.index(name)] for row in table.rows] for name in ("strength", "by balls"))
    assert strengths == [0.01, 0.5, 1.0]
    assert values[0] == pytest.approx((model.predict(inputs) != labels).mean(), abs=0.01)
    assert values[0] < values[1] < values[2]
    assert table.rows[1][1] == "rotation (angle uniform from -20 to 20 degrees)"


def test_where_only_one_value_lies_so_near_the_curve_is_that_of_the_inputs(digits):
    model, inputs, labels = digits
    table = assess_strengths(
        model,
        inputs,
        labels,
        within={"translation": {"down": 0, "right": {"values": [-1, 0, 1]}}},
        picture=(8, 8),
        strengths=[0.5, 1],
    )
    wrong = (model.predict(inputs) != labels).mean()
    values = [row[table.columns.index("by balls")] for row in table.rows]
    assert values[0] == pytest.approx(wrong, abs=1e-12)
    assert values[1] > wrong
    assert table.rows[0][1] == "translation (down 0 pixels, right 0 pixels)"


def restless(inputs, amount):
    return np.clip(inputs + np.random.default_rng().normal(size=inputs.shape), 0, 1)


def test_what_cannot_be_meant_is_refused(digits):
    model, inputs, labels = digits
    turned = {"within": {"rotation": [-9, 9]}, "picture": (8, 8)}
    for options, said in [
        ({}, "either a radius or a variation"),
        ({"radius": 0.1, **turned}, "either a radius or a variation"),
        ({"within": {"rotation": [-9, 9]}}, "must be pictures"),
        ({"within": {"rotation": 9}, "picture": (8, 8)}, "nothing varies"),
        ({"within": Variation.by(restless, {"amount": [0, 1]})}, "otherwise the second time"),
        ({**turned, "estimator": Interval()}, "hold in boxes"),
        ({**turned, "picture": (8, 9)}, "must be pictures"),
    ]:
        with refused(said, InvalidInput, match=said):
            assess_balls(model, inputs, labels, **options)
    with pytest.raises(InvalidInput, match="strength above 0"):
        assess_strengths(model, inputs, labels, **turned, strengths=[0])
