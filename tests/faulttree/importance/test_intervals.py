"""Intervals of importance: they cover, and they say what they are."""

import numpy as np
import pytest

from surefoot.core import Beta, Bound, Estimate, LevelUnavailable, QuantileBound, propagate
from surefoot.faulttree import MEASURES, Counts, FaultTree, Fixed, Formula, Measured

GATES = {"top": Formula("or", ("g", "c")), "g": Formula("and", ("a", "b"))}
PRIOR, TRIALS = (1.0, 4.0), 40


def tree_of(**quantities):
    return FaultTree("top", GATES, quantities)


def measured(name, low, value, high):
    bounds = (Bound(low, "lower", 0.0, "certain"), Bound(high, "upper", 0.0, "certain"))
    return Measured(Estimate(name, value, bounds=bounds))


def test_intervals_cover_the_truth_as_often_as_they_say():
    # True parameters from the prior, data from them: a 90% credible interval then covers in 90% of the worlds.
    rng, worlds = np.random.default_rng(6), 150
    covered = dict.fromkeys(MEASURES, 0)
    for world in range(worlds):
        truth = dict(zip("abc", rng.beta(*PRIOR, 3), strict=True))
        data = {n: Counts(int(rng.binomial(TRIALS, p)), TRIALS, prior=PRIOR) for n, p in truth.items()}
        found = tree_of(**data).importance(level=0.9, draws=400, seed=world, gates=False)
        exact = tree_of(**{n: Fixed(p) for n, p in truth.items()}).importance(gates=False)
        for measure in MEASURES:
            low, high = found.interval("a", measure)
            covered[measure] += low <= exact.of("a", measure) <= high
    # 150 worlds at 90%: four standard errors are 0.098.
    assert all(abs(count / worlds - 0.9) < 0.098 for count in covered.values()), covered


def test_gates_have_intervals_from_the_same_draws():
    tree = tree_of(a=Counts(3, 100), b=Counts(5, 100), c=Counts(1, 1000))
    found = tree.importance(seed=3)
    low, high = found.interval("g", "criticality")
    assert low < found.of("g", "criticality") < high
    # "g" is "a and b" and nothing else uses them: to take "g" away is to take "a" away.
    assert found.interval("a", "criticality") == pytest.approx((low, high))


def test_bounds_without_distributions_give_the_whole_range():
    tree = tree_of(a=measured("a", 0.05, 0.1, 0.2), b=measured("b", 0.1, 0.2, 0.4), c=Fixed(0.01))
    found = tree.importance()
    rng = np.random.default_rng(0)
    points = zip(rng.uniform(0.05, 0.2, 20), rng.uniform(0.1, 0.4, 20), strict=True)
    known = [tree_of(a=Fixed(a), b=Fixed(b), c=Fixed(0.01)).importance(gates=False) for a, b in points]
    for measure in MEASURES:
        low, high = found.interval("a", measure)
        inside = [one.of("a", measure) for one in known]
        assert low - 1e-12 <= min(inside)
        assert max(inside) <= high + 1e-12
    assert found.interval("a", "birnbaum") == pytest.approx((0.1 * 0.99, 0.4 * 0.99))


def test_a_bound_of_an_input_at_no_level_leaves_values_and_a_note():
    only = Measured(Estimate("b", 0.2, bounds=(Bound(0.3, "upper", 0.05, "confidence"),)))
    found = tree_of(a=Fixed(0.1), b=only, c=Fixed(0.01)).importance()
    assert found.kind is None
    assert found.of("a", "birnbaum") == pytest.approx(0.2 * 0.99)
    assert found.interval("a", "birnbaum") == (None, None)
    assert "No intervals" in found.notes[0]


def test_too_few_draws_for_the_level_are_refused():
    tree = tree_of(a=Counts(3, 100), b=Fixed(0.1), c=Fixed(0.1))
    with pytest.raises(LevelUnavailable, match="20000"):
        tree.importance(level=0.999, draws=1000)


def test_joint_importance_has_intervals():
    found = tree_of(a=Counts(3, 100), b=Counts(5, 100), c=Counts(1, 10)).joint_importance([("a", "b")], seed=1)
    # P = ab + c - abc, so the mixed derivative by a and b is 1 - c.
    assert found.values[0] == pytest.approx(1 - 1.5 / 11)
    assert found.low[0] < found.values[0] < found.high[0] <= 1


def test_inputs_from_one_earlier_propagation_keep_their_common_draws():
    posterior = Beta(3, 97)
    bounds = tuple(QuantileBound(posterior, side, "credible") for side in ("upper", "lower"))
    source = Estimate("sensor", posterior.mean, bounds=bounds, dist=posterior)
    one, other = (propagate(_times(k), {"p": source}, quantity=f"channel {k}", draws=4000, seed=5) for k in (1, 2))
    found = tree_of(a=Measured(one), b=Measured(other), c=Fixed(0.0)).importance(draws=1000, seed=0)
    # Birnbaum of a and b are the probabilities of b and a: b is always twice a, draw by draw.
    low, high = np.array([found.interval(name, "birnbaum") for name in "ab"])
    assert low == pytest.approx(2 * high)


def _times(factor):
    return lambda p: factor * p


def test_certain_bounds_give_intervals_that_are_called_certain():
    found = tree_of(a=measured("a", 0.0, 0.1, 0.2), b=measured("b", 0.0, 0.1, 0.2), c=Fixed(0.0)).importance()
    assert found.kind == "certain"
    assert found.interval("a", "birnbaum") == (0.0, pytest.approx(0.2))
    assert "In brackets: certain intervals" in str(found)
    assert "In brackets" not in str(tree_of(a=Fixed(0.1), b=Fixed(0.1), c=Fixed(0.1)).importance())
