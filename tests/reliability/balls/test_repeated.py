"""Whether splitting notices what it cannot reach."""

import numpy as np
import pytest

import surefoot as sf
from surefoot.executors import Serial
from surefoot.reliability import BallRisks, MonteCarlo, MultilevelSplitting, assess_balls
from surefoot.testing import linear_world

COUNTED = BallRisks.COUNTED

FEATURES = 10
REACHED, WORDS = "splitting-reaches-all-failures", "met every kind of failure that matters"
SPLITTING = MultilevelSplitting(particles=200, floor=-40.0)


def points(count, seed=0):
    return 0.5 + 0.001 * np.random.default_rng(seed).random((count, FEATURES))


def decoyed(inputs):
    """Class 1 comes near to winning in one corner and never does; class 2 wins near another one."""
    away = (inputs - 0.5) / 0.1
    half = FEATURES // 2
    near = 0.1 * (away[:, :half].sum(axis=1) - 1.02 * half)
    far = away[:, half:].sum(axis=1) - 0.88 * half
    return np.column_stack([np.zeros(len(inputs)), near, far])


def check_of(model, classes, **options):
    found = assess_balls(
        model, points(6), np.zeros(6, int), radius=0.1, estimator=SPLITTING, classes=classes, seed=3, **options
    )
    return next((a for a in found.pmi.assumptions if a.id == REACHED), None), found


def test_a_linear_model_is_said_the_same_of_again():
    world = linear_world(FEATURES, 1e-6, seed=1)
    weights = world.weights / np.abs(world.weights).sum()
    reach = 0.1 * np.abs(weights).sum()
    scores = lambda x: np.column_stack([np.zeros(len(x)), (x - 0.5) @ weights - 0.6 * reach])  # noqa: E731
    assumption, found = check_of(scores, ("a", "b"))
    assert assumption.status == "supported"
    assert assumption.check.figures["balls split again"] == 6
    assert not [c for c in found.pmi.caveats if WORDS in c.text]


def test_failures_behind_a_nearer_miss_are_noticed():
    assumption, found = check_of(decoyed, ("a", "b", "c"))
    assert assumption.status == "contradicted"
    assert [c.code for c in found.pmi.caveats if WORDS in c.text] == ["assumption-contradicted"]


def test_counting_does_not_rest_on_it():
    found = assess_balls(
        decoyed, points(6), np.zeros(6, int), radius=0.1, estimator=MonteCarlo(50), classes=("a", "b", "c")
    )
    assert REACHED not in [a.id for a in found.pmi.assumptions]


def test_without_checks_it_is_listed_unchecked():
    assumption, _ = check_of(decoyed, ("a", "b", "c"), checks=False)
    assert assumption.status == "unchecked"


@pytest.mark.parametrize("steps", [1, 3])
def test_a_model_on_plateaus_is_counted_and_never_said_to_fail(steps):
    def stairs(inputs):
        level = np.floor((inputs[:, 0] - 0.4) / 0.2 * (steps + 1)).clip(0, steps)
        return np.column_stack([np.zeros(len(inputs)), -1 + 0.9 * level / steps])

    found = assess_balls(
        stairs, points(30), np.zeros(30, int), radius=0.1, estimator=SPLITTING, classes=("a", "b"), executor=Serial()
    )
    assert (found.cells.how == COUNTED).all()
    assert found.pmi.value == 0
    assert found.pmi.lower(0.95) == 0
    assert found.pmi.upper(0.95) > 0
    assert isinstance(found, sf.reliability.Reliability)
