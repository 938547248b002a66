"""Combining estimates."""

import itertools
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefoot.core import (
    Assumption,
    Beta,
    Bound,
    Empirical,
    Estimate,
    InvalidInput,
    LevelUnavailable,
    MixedKinds,
    Point,
    Provenance,
    QuantileBound,
    joint_draws,
    propagate,
)


def credible(scope, a=2.5, b=98.5, **changes):
    dist = Beta(a, b)
    bounds = (QuantileBound(dist, "upper", "credible"), QuantileBound(dist, "lower", "credible"))
    return replace(Estimate("p", dist.mean, scope=scope, bounds=bounds, dist=dist), **changes)


def confidence(scope, failures=2, trials=100):
    bounds = (
        QuantileBound(Beta(failures + 1, trials - failures), "upper", "confidence"),
        QuantileBound(Beta(failures, trials - failures + 1), "lower", "confidence"),
    )
    return Estimate("p", failures / trials, scope=scope, bounds=bounds, provenance=Provenance("cp", {"k": failures}))


def both(a, b):
    return a * b


def either(a, b):
    return a + b - a * b


def test_independent_inputs_match_the_product_of_moments():
    result = propagate(both, {"a": credible("x"), "b": credible("y")}, quantity="and", draws=200_000)
    assert result.value == pytest.approx(Beta(2.5, 98.5).mean ** 2, rel=0.01)


def test_a_shared_input_is_drawn_once_and_drawing_it_twice_would_be_optimistic():
    shared = credible("one sensor feeds both channels")
    once = propagate(both, {"a": shared, "b": shared}, quantity="and", draws=200_000)
    twice = propagate(both, {"a": shared, "b": credible("pretended second sensor")}, quantity="and", draws=200_000)

    second_moment = stats.beta(2.5, 98.5).moment(2)
    assert once.value == pytest.approx(second_moment, rel=0.02)
    assert twice.value < 0.8 * once.value
    assert twice.upper(0.95) < 0.9 * once.upper(0.95)
    assert [c.code for c in once.caveats] == ["same-input"]


def test_an_input_shared_through_an_intermediate_result_is_drawn_once():
    a, b = credible("x"), credible("y")
    inner = propagate(either, {"a": a, "b": b}, quantity="or", draws=5000)
    nested = propagate(lambda o, a: o * a, {"o": inner, "a": a}, quantity="both", draws=5000)
    flat = propagate(lambda a, b: either(a, b) * a, {"a": a, "b": b}, quantity="both", draws=5000)
    assert nested.dist.draws == pytest.approx(flat.dist.draws, rel=1e-12)
    assert set(nested.provenance.inputs) >= {a.key, b.key, inner.key}


def test_a_shared_input_with_other_draws_is_refused_rather_than_decoupled():
    a = credible("x")
    inner = propagate(either, {"a": a, "b": credible("y")}, quantity="or", draws=500)
    with pytest.raises(InvalidInput, match="same seed and draws"):
        propagate(both, {"a": inner, "b": a}, quantity="and", draws=1000)
    unrelated = propagate(both, {"a": inner, "b": credible("z")}, quantity="and", draws=1000)
    assert len(unrelated.dist.draws) == 1000


def test_inputs_measured_on_the_same_data_are_pointed_out():
    data = {"test set": "abc"}
    a = credible("x", provenance=Provenance("m", {"i": 1}, data=data))
    b = credible("y", provenance=Provenance("m", {"i": 2}, data=data))
    assert [c.code for c in propagate(both, {"a": a, "b": b}, quantity="and").caveats] == ["shared-data"]


def test_joint_draws_are_those_of_propagate():
    shared = credible("x")
    inputs = {"a": shared, "b": credible("y"), "c": shared}
    drawn = joint_draws(inputs, draws=500, seed=3, where="test")
    result = propagate(lambda a, b, c: a * b + c, inputs, quantity="sum", draws=500, seed=3)
    assert result.dist.draws == pytest.approx(drawn["a"] * drawn["b"] + drawn["c"])
    assert drawn["a"] is drawn["c"]


def test_pairs_with_something_in_common_are_found_among_many_inputs():
    data = {"test set": "abc"}
    many = {f"n{i}": credible(f"s{i}") for i in range(400)}
    many["n7"] = many["n3"]
    for i in (5, 9, 11):
        many[f"n{i}"] = credible(f"s{i}", provenance=Provenance("m", {"i": i}, data=data))
    found = propagate(lambda **drawn: sum(drawn.values()), many, quantity="sum", draws=100).caveats
    assert [c.code for c in found] == ["same-input", *["shared-data"] * 3]
    assert [c.text.split(" were")[0] for c in found[1:]] == [
        f"'n{a}' and 'n{b}'" for a, b in ((5, 9), (5, 11), (9, 11))
    ]


def test_same_seed_same_digest_other_seed_other_digest():
    inputs = {"a": credible("x"), "b": credible("y")}
    first, again, other = (propagate(both, inputs, quantity="and", seed=s) for s in (1, 1, 2))
    assert (first.key, first.digest) == (again.key, again.digest)
    assert first.key != other.key
    assert first.digest != other.digest


def test_the_names_and_order_of_inputs_do_not_change_the_draws():
    a, b = credible("x"), credible("y", 1.5, 50)
    forward = propagate(either, {"a": a, "b": b}, quantity="or")
    backward = propagate(either, {"b": a, "a": b}, quantity="or")
    assert forward.dist.draws == pytest.approx(backward.dist.draws)


def test_different_functions_never_share_a_key():
    inputs = {"a": credible("x"), "b": credible("y")}

    def closed_over(weight):
        return lambda a, b: weight * a + b

    functions = [
        lambda a, b: a + b,
        lambda a, b: a * b,
        lambda a, b: a + 2 * b,
        lambda a, b: a + 3 * b,
        *(closed_over(w) for w in (0.1, 0.2)),
        lambda a, b, k=1: a + k * b,
        both,
        either,
    ]
    keys = {propagate(f, inputs, quantity="q", draws=10).key for f in functions}
    assert len(keys) == len(functions)


def test_known_values_stay_certain():
    a, b = (Estimate.known(n, v, source="table") for n, v in (("a", 0.1), ("b", 0.2)))
    result = propagate(both, {"a": a, "b": b}, quantity="and")
    assert result.dist == Point(0.1 * 0.2)
    assert result.upper(0.999999) == result.lower(0.999999) == result.value


def test_alpha_is_split_equally_and_bounds_follow_the_direction():
    a, b = confidence("x"), confidence("y", 5)
    result = propagate(lambda a, b: a / b, {"a": a, "b": b}, quantity="ratio", direction={"a": +1, "b": -1}, level=0.95)
    assert result.value == pytest.approx(0.4)
    assert result.upper(0.95) == pytest.approx(a.upper(0.975) / b.lower(0.975))
    assert result.lower(0.95) == pytest.approx(a.lower(0.975) / b.upper(0.975))
    assert {bound.kind for bound in result.bounds} == {"confidence"}
    assert result.dist is None


def test_ten_events_at_95_percent_need_bounds_at_995():
    events = {f"e{i}": confidence(f"event {i}", i) for i in range(10)}
    result = propagate(
        lambda **p: sum(p.values()), events, quantity="any", direction=dict.fromkeys(events, 1), level=0.95
    )
    assert result.upper(0.95) == pytest.approx(sum(e.upper(0.995) for e in events.values()))


def test_alpha_is_shared_among_all_names_but_not_with_what_is_certain():
    a, constant = confidence("x"), Estimate.known("k", 2.0, source="design")
    result = propagate(
        lambda a, b, k: a * b * k,
        {"a": a, "b": a, "k": constant},
        quantity="q",
        direction={"a": 1, "b": 1, "k": 1},
        level=0.95,
    )
    assert result.upper(0.95) == pytest.approx(2 * a.upper(0.975) ** 2)


def test_two_components_with_equal_counts_are_both_charged_for_alpha():
    same, other = confidence(""), confidence("")
    result = propagate(either, {"a": same, "b": other}, quantity="or", direction={"a": 1, "b": 1}, level=0.95)
    assert result.upper(0.95) == pytest.approx(either(same.upper(0.975), same.upper(0.975)))


def test_numbers_stated_without_a_source_are_different_inputs():
    high, low = Estimate("p", 0.5, dist=Beta(50, 50)), Estimate("p", 0.01, dist=Beta(1, 99))
    assert high.key != low.key
    assert propagate(lambda a, b: a + b, {"a": high, "b": low}, quantity="s").value == pytest.approx(0.51, rel=0.01)


def test_one_measurement_shown_at_two_levels_is_drawn_once():
    one, two = (credible("x", provenance=Provenance("m", {"level": level})) for level in (0.9, 0.95))
    result = propagate(lambda a, b: a - b, {"a": one, "b": two}, quantity="difference")
    assert set(result.dist.draws) == {0.0}


def test_data_digests_of_all_inputs_are_kept():
    a, b = (credible(s, provenance=Provenance("m", data={"losses": s})) for s in "xy")
    assert dict(propagate(both, {"a": a, "b": b}, quantity="and").provenance.data) == {"a.losses": "x", "b.losses": "y"}


@pytest.mark.parametrize(("f", "sign"), [(lambda a: a * 1.0, -1), (lambda a: 1 - a, 1), (lambda a: 4 * a * (1 - a), 1)])
def test_a_wrong_direction_is_noticed(f, sign):
    with pytest.raises(InvalidInput, match="as direction says"):
        propagate(f, {"a": confidence("x", 60, 100)}, quantity="q", direction={"a": sign})


def test_a_known_value_with_a_heuristic_bound_does_not_become_certain():
    vague = Estimate("x", 0.01, dist=Point(0.01), bounds=(Bound(0.01, "upper", 0.05, "heuristic"),))
    assert propagate(lambda a: a * 1.0, {"a": vague}, quantity="y").bounds[0].kind == "heuristic"


def test_draws_from_a_confidence_distribution_are_not_passed_off_as_credible():
    dist = Beta(3, 98)
    odd = Estimate("x", 0.02, dist=dist, bounds=(QuantileBound(dist, "upper", "confidence"),))
    with pytest.raises(MixedKinds):
        propagate(lambda a: a * 1.0, {"a": odd}, quantity="y")


def test_inputs_of_several_units_need_the_unit_of_the_result():
    rate, hours = credible("x", unit="per hour"), Estimate.known("mission", 2.0, source="plan", unit="hours")
    with pytest.raises(InvalidInput, match="different units; found hours, per hour"):
        propagate(both, {"a": rate, "b": hours}, quantity="q")
    assert propagate(both, {"a": rate, "b": hours}, quantity="q", unit="per mission").unit == "per mission"


def test_split_bounds_combine_again_at_other_levels():
    inner = propagate(both, {"a": confidence("x"), "b": confidence("y")}, quantity="and", direction={"a": 1, "b": 1})
    outer = propagate(
        either, {"a": inner, "b": confidence("z")}, quantity="top", direction={"a": 1, "b": 1}, level=0.95
    )
    assert outer.upper(0.95) >= either(inner.upper(0.975), confidence("z").upper(0.975)) * (1 - 1e-12)
    with pytest.raises(LevelUnavailable):
        outer.upper(1 - 1e-14)


def test_split_bounds_cover_the_truth_by_simulation():
    rng = np.random.default_rng(3)
    p, q, covered = 0.03, 0.06, 0
    for failures, other in zip(rng.binomial(200, p, 400), rng.binomial(200, q, 400), strict=True):
        a, b = confidence("x", int(failures), 200), confidence("y", int(other), 200)
        result = propagate(either, {"a": a, "b": b}, quantity="or", direction={"a": 1, "b": 1}, level=0.9)
        covered += result.upper(0.9) >= either(p, q)
    assert stats.binomtest(covered, 400, 0.9, alternative="less").pvalue > 0.01


def test_confidence_and_credible_mix_only_on_request_and_become_heuristic():
    inputs = {"a": confidence("x"), "b": credible("y")}
    with pytest.raises(MixedKinds, match="mix=True"):
        propagate(both, inputs, quantity="and", direction={"a": 1, "b": 1})
    mixed = propagate(both, inputs, quantity="and", direction={"a": 1, "b": 1}, mix=True)
    assert {bound.kind for bound in mixed.bounds} == {"heuristic"}
    assert [c.code for c in mixed.caveats] == ["mixed-kinds"]


def test_one_heuristic_input_makes_the_result_heuristic():
    dist = Beta(2.5, 98.5)
    vague = credible("x", bounds=(QuantileBound(dist, "upper", "heuristic"),))
    sampled = propagate(both, {"a": vague, "b": credible("y")}, quantity="and")
    split = propagate(both, {"a": vague, "b": confidence("y")}, quantity="and", direction={"a": 1, "b": 1})
    assert {bound.kind for e in (sampled, split) for bound in e.bounds} == {"heuristic"}


def test_an_expectation_does_not_combine_silently():
    average = Estimate("p", 0.01, bounds=(Bound(0.02, "upper", 1.0, "expectation"),))
    with pytest.raises(MixedKinds, match="expectation"):
        propagate(both, {"a": average, "b": confidence("y")}, quantity="and", direction={"a": 1, "b": 1})


def test_assumptions_and_caveats_of_inputs_are_kept():
    one, two = Assumption("iid", "independent"), Assumption("rep", "representative")
    a, b = credible("x", assumptions=(one,)), credible("y", assumptions=(two, one))
    assert propagate(both, {"a": a, "b": b}, quantity="and").assumptions == (one, two)


def test_the_function_may_bring_assumptions_of_its_own():
    own = Assumption("independent-failures", "The channels fail independently.")
    result = propagate(both, {"a": credible("x"), "b": credible("y")}, quantity="and", assumptions=[own])
    assert result.assumptions == (own,)


def test_results_round_trip_through_json_and_pickle():
    sampled = propagate(both, {"a": credible("x"), "b": credible("y")}, quantity="and", draws=50)
    split = propagate(both, {"a": confidence("x"), "b": confidence("y")}, quantity="and", direction={"a": 1, "b": 1})
    for e in (sampled, split):
        assert Estimate.from_dict(json.loads(json.dumps(e.to_dict()))) == e
        assert pickle.loads(pickle.dumps(e)) == e
    assert isinstance(sampled.dist, Empirical)


def test_bad_calls_are_refused(subtests):
    for call, message in (
        (lambda: propagate(both, {}, quantity="q"), "at least one input"),
        (lambda: propagate(both, {"a": confidence("x"), "b": confidence("y")}, quantity="q"), "need a direction"),
        (
            lambda: propagate(
                both, {"a": confidence("x"), "b": confidence("y")}, quantity="q", direction={"a": 1, "c": 1}
            ),
            "for each input",
        ),
        (
            lambda: propagate(
                both, {"a": confidence("x"), "b": confidence("y")}, quantity="q", direction={"a": 1, "b": 2}
            ),
            r"\+1 or -1",
        ),
        (lambda: propagate(lambda a: a[:3], {"a": credible("x")}, quantity="q"), "one number a draw"),
        (lambda: propagate(lambda b: b, {"a": credible("x")}, quantity="q"), "take the arguments a"),
        (lambda: propagate(lambda a: max(a, 0.1), {"a": credible("x")}, quantity="q"), "numpy operations"),
        (lambda: propagate(both, [credible("x")], quantity="q"), "mapping of names"),
        (lambda: propagate(both, {"a": 0.1, "b": 0.2}, quantity="q"), "mapping of names"),
        (lambda: propagate(both, {"a": credible("x"), "b": credible("y")}, quantity="q", seed=-1), "seed"),
        (
            lambda: propagate(both, {"a": confidence("x"), "b": confidence("y")}, quantity="q", direction="up"),
            "each input",
        ),
        (lambda: propagate(lambda a: a * np.nan, {"a": credible("x")}, quantity="q"), "must be finite"),
        (lambda: propagate(both, {"a": credible("x"), "b": credible("y")}, quantity="q", draws=0), "draws"),
        (lambda: propagate(both, {"a": credible("x"), "b": credible("y")}, quantity="q", level=1.0), "level"),
    ):
        with subtests.test(line=call.__code__.co_firstlineno), pytest.raises(InvalidInput, match=message):
            call()


def bounded(low, value, high, name="x"):
    bounds = (Bound(high, "upper", 0.0, "certain"), Bound(low, "lower", 0.0, "certain"))
    return Estimate("p", value, scope=name, bounds=bounds)


def test_a_wrong_direction_of_a_weak_input_is_noticed():
    inputs = {"a": confidence("x", 20, 400), "b": confidence("y", 1, 100_000)}
    f = lambda a, b: a * (1 - b)  # noqa: E731
    with pytest.raises(InvalidInput, match=r"as direction says; found \+1 for 'b'"):
        propagate(f, inputs, quantity="q", direction={"a": 1, "b": 1})
    right = propagate(f, inputs, quantity="q", direction={"a": 1, "b": -1}, level=0.95)
    assert right.upper(0.95) == pytest.approx(inputs["a"].upper(0.975) * (1 - inputs["b"].lower(0.975)))


@settings(max_examples=50, deadline=None)
@given(
    count=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    turned=st.lists(st.sampled_from([1, -1]), min_size=4, max_size=4),
)
def test_directions_that_miss_the_extremes_of_a_multilinear_function_are_refused(count, seed, turned):
    """The extremes of such a function over a box are at its corners, so all of them can be looked at."""
    rng = np.random.default_rng(seed)
    corners = np.array(list(itertools.product((0, 1), repeat=count)))
    weights = rng.normal(size=len(corners)) * 10.0 ** rng.integers(-3, 3, len(corners))
    low, high = np.sort(rng.uniform(-1, 1, (2, count)), axis=0)
    names = [f"x{place}" for place in range(count)]

    def f(**values):
        table = np.array([values[name] for name in names])
        return sum(w * np.prod(table[c == 1], axis=0) for w, c in zip(weights, corners, strict=True))

    direction = dict(zip(names, turned, strict=False))
    inputs = {n: bounded(lo, (lo + hi) / 2, hi, n) for n, lo, hi in zip(names, low, high, strict=True)}
    box = [f(**dict(zip(names, np.where(c, high, low), strict=True))) for c in corners]
    used = [f(**{n: (hi if direction[n] * side > 0 else lo) for n, lo, hi in zip(names, low, high, strict=True)})
            for side in (1, -1)]  # fmt: skip
    slack = 1e-7 * np.abs(box).max()
    if used[0] < max(box) - slack or used[1] > min(box) + slack:
        with pytest.raises(InvalidInput, match="as direction says"):
            propagate(f, inputs, quantity="q", direction=direction)
    elif all((np.sign(np.diff(_line(f, names, n, low, high, c))) in (0, direction[n])) for n in names for c in corners):
        assert propagate(f, inputs, quantity="q", direction=direction).upper(0.9) == pytest.approx(max(box), abs=slack)


def _line(f, names, name, low, high, corner):
    at = dict(zip(names, np.where(corner, high, low), strict=True))
    place = names.index(name)
    return [f(**{**at, name: end[place]}) for end in (low, high)]


def test_many_inputs_are_tried_out_one_by_one():
    inputs = {f"e{i}": confidence(f"event {i}", i) for i in range(30)}
    direction = dict.fromkeys(inputs, 1)
    with pytest.raises(InvalidInput, match="'e7'"):
        propagate(lambda **p: sum(p.values()) - 2 * p["e7"] + 10 * p["e8"], inputs, quantity="q", direction=direction)


def test_corners_where_a_function_is_undefined_are_passed_over():
    a, b = bounded(0.0, 0.1, 0.2, "a"), bounded(0.0, 0.1, 0.2, "b")
    ratio = lambda a, b: np.where(a + b > 0, a / np.where(a + b > 0, a + b, 1), np.nan)  # noqa: E731
    found = propagate(ratio, {"a": a, "b": b}, quantity="q", direction={"a": 1, "b": -1})
    assert (found.lower(0.9), found.upper(0.9)) == (0.0, 1.0)
