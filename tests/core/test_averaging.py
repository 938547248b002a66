"""Bounds that hold on average: enumerated over all data sets of small worlds, so that averages are exact."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import surefoot as sf
from surefoot.core import Beta, Bound, Estimate, InvalidInput, MixedKinds, Provenance, QuantileBound, propagate

TREES = {
    "or": lambda a, b, c: 1 - (1 - a) * (1 - b) * (1 - c),
    "and": lambda a, b, c: a * b * c,
    "two of three": lambda a, b, c: a * b + a * c + b * c - 2 * a * b * c,
    "or and": lambda a, b, c: 1 - (1 - a) * (1 - b * c),
}


def average(value, limit, name="x", data=None, **more):
    data = {} if data is None else {"data": data}
    bounds = (Bound(limit, "upper", 1.0, "expectation"),)
    return Estimate("risk", value, scope=name, bounds=bounds, provenance=Provenance("test", {"n": name}, data=data))


def carried(f, inputs, **options):
    options = {"direction": dict.fromkeys(inputs, 1), "linear": list(inputs), **options}
    return propagate(f, inputs, quantity="top", **options)


def limit_of(found):
    (bound,) = found.bounds
    assert (bound.kind, bound.side) == ("expectation", "upper")
    return bound.limit


@settings(max_examples=25, deadline=None)
@given(tree=st.sampled_from(list(TREES)), data=st.data())
def test_independent_bounds_pass_on_average(tree, data):
    """Each input has a few equally likely data sets, with a true risk and a limit in each; E[limit] = E[risk]."""
    f, worlds = TREES[tree], []
    for _ in range(3):
        risks = np.array(data.draw(st.lists(st.floats(0, 0.6), min_size=2, max_size=3)))
        shift = data.draw(st.floats(0, 1))
        limits = (1 - shift) * risks.mean() + shift * risks[::-1]
        worlds.append(list(zip(risks, limits, strict=True)))
    bounds, truths = [], []
    for outcome in product(*worlds):
        inputs = {name: average(r, u, name) for name, (r, u) in zip("abc", outcome, strict=True)}
        bounds.append(limit_of(carried(f, inputs)))
        truths.append(f(*(r for r, _ in outcome)))
    assert np.mean(bounds) >= np.mean(truths) - 1e-12


@pytest.mark.parametrize("tree", list(TREES))
@pytest.mark.parametrize("linked", ["ab", "ac", "bc", "abc"])
def test_on_the_same_data_the_sum_of_limits_holds_whatever_the_dependence(tree, linked):
    """True risks are fixed; the limits of linked inputs rise and fall with one coin, alike or against each other."""
    f, risks = TREES[tree], dict(zip("abc", (0.1, 0.15, 0.2), strict=True))
    naive = {}
    for turns in product((1, -1), repeat=3):
        bounds, plain = [], []
        for coins in product((1, -1), repeat=4):
            side = {
                n: t * (coins[3] if n in linked else coins[i])
                for i, (n, t) in enumerate(zip("abc", turns, strict=True))
            }
            limits = {name: risk * (1 + side[name]) for name, risk in risks.items()}
            inputs = {n: average(0.1, u, n, data="one" if n in linked else n) for n, u in limits.items()}
            bounds.append(limit_of(carried(f, inputs)))
            plain.append(f(**limits))
        truth = f(**risks)
        assert np.mean(bounds) >= truth - 1e-12
        naive[turns] = np.mean(plain) / truth
    assert min(naive.values()) < 0.99  # the function of the limits alone would not hold


def test_inputs_on_the_same_data_are_one_event_and_the_reader_is_told():
    inputs = {"a": average(0.1, 0.2, "a", data="film"), "b": average(0.1, 0.3, "b", data="film")}
    found = carried(lambda a, b: a + b - a * b, inputs)
    assert limit_of(found) == pytest.approx(0.5)
    assert {"taken-together", "plug-in-value"} <= {c.code for c in found.caveats}
    apart = carried(lambda a, b: a + b - a * b, {**inputs, "b": average(0.1, 0.3, "b", data="other")})
    assert limit_of(apart) == pytest.approx(0.44)
    assert "independent-data" in {a.id for a in apart.assumptions}


def test_a_model_in_common_is_no_common_data():
    one, two = (average(0.1, 0.2, name) for name in "ab")
    same = [Provenance("test", {"n": e.scope}, data={"model": "m", "data": e.scope}) for e in (one, two)]
    inputs = {n: Estimate(e.quantity, e.value, scope=n, bounds=e.bounds, provenance=p)
              for n, e, p in zip("ab", (one, two), same, strict=True)}  # fmt: skip
    assert limit_of(carried(lambda a, b: a * b, inputs)) == pytest.approx(0.04)


@pytest.mark.parametrize("trials", [1, 5, 40])
@pytest.mark.parametrize("level", [0.6, 0.95])
def test_a_confidence_limit_over_its_level_holds_on_average(trials, level):
    """Exact averages over the binomial distribution, for every risk up to the level."""
    counts = np.arange(trials + 1)
    limits = np.array([sf.bounds.clopper_pearson(int(k), trials, level=level).upper(level) for k in counts])
    entered = np.minimum(limits / level, 1)
    for risk in np.linspace(0.001, level, 40):
        weights = stats.binom.pmf(counts, trials, risk)
        assert weights @ entered >= risk * (1 - 1e-12)


def test_confidence_bounds_join_those_that_hold_on_average():
    counted = sf.bounds.clopper_pearson(1, 100, level=0.95, scope="b")
    found = carried(lambda a, b: a + b - a * b, {"a": average(0.01, 0.05), "b": counted}, level=0.9)
    assert limit_of(found) == pytest.approx(1 - 0.95 * (1 - counted.upper(0.9) / 0.9))
    assert "fixed-quantity" in {a.id for a in found.assumptions}


def test_what_is_known_passes_and_needs_no_independence():
    known = Estimate.known("exposure", 3.0, source="register")
    found = carried(lambda a, k: a * k, {"a": average(0.01, 0.05), "k": known})
    assert limit_of(found) == pytest.approx(0.15)
    assert found.value == pytest.approx(0.03)
    assert not {"independent-data", "fixed-quantity"} & {a.id for a in found.assumptions}


def test_a_function_that_is_not_known_to_be_linear_is_refused_and_heuristic_on_request():
    inputs = {"a": average(0.01, 0.05)}
    with pytest.raises(MixedKinds, match="not known to be linear in 'a'"):
        carried(lambda a: 1 - np.exp(-a), inputs, linear=())
    found = carried(lambda a: 1 - np.exp(-a), inputs, linear=(), mix=True)
    assert found.upper(0.99) == pytest.approx(1 - np.exp(-0.05))
    assert {b.kind for b in found.bounds} == {"heuristic"}
    assert {"mixed-kinds", "plug-in-value"} <= {c.code for c in found.caveats}


def test_a_posterior_joins_only_on_request():
    dist = Beta(2, 98)
    believed = Estimate("risk", dist.mean, scope="b", dist=dist, bounds=(QuantileBound(dist, "upper", "credible"),))
    inputs = {"a": average(0.01, 0.05), "b": believed}
    with pytest.raises(MixedKinds, match="credible, expectation"):
        carried(lambda a, b: a + b, inputs)
    found = carried(lambda a, b: a + b, inputs, mix=True, level=0.95)
    assert found.upper(0.95) == pytest.approx(0.05 + dist.ppf(0.95))
    assert {b.kind for b in found.bounds} == {"heuristic"}


def test_an_upper_bound_makes_the_other_side_of_what_falls_and_needs_the_right_direction():
    (bound,) = carried(lambda a: 1 - a, {"a": average(0.01, 0.05)}, direction={"a": -1}).bounds
    assert (bound.side, bound.kind, bound.limit) == ("lower", "expectation", pytest.approx(0.95))
    with pytest.raises(sf.LevelUnavailable, match="lack the bounds"):
        carried(
            lambda a, b: b * (1 - a),
            {"a": average(0.01, 0.05), "b": average(0.1, 0.2, "y")},
            direction={"a": -1, "b": 1},
        )
    with pytest.raises(InvalidInput, match="as direction says"):
        carried(lambda a: 1 - a, {"a": average(0.01, 0.05)})


def test_the_result_combines_again_and_travels():
    inner = carried(lambda a, b: a * b, {"a": average(0.1, 0.2, "a"), "b": average(0.1, 0.3, "b")})
    outer = carried(lambda x, c: x + c - x * c, {"x": inner, "c": average(0.1, 0.1, "c")})
    assert limit_of(outer) == pytest.approx(0.06 + 0.1 - 0.006)
    again = carried(lambda x, a: x + a - x * a, {"x": inner, "a": average(0.1, 0.2, "a")})
    assert limit_of(again) == pytest.approx(0.06 + 0.2)
    assert Estimate.from_dict(outer.to_dict()) == outer
