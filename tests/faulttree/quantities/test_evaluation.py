"""Inputs and probabilities of whole trees, and what is wrong with their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from surefoot.core import Beta, Bound, DiagnosticsError, Estimate, InvalidInput, QuantileBound
from surefoot.faulttree import (
    Counts,
    Exponential,
    FaultTree,
    Fixed,
    Formula,
    LogNormal,
    Measured,
    MissionTime,
    NormalDeviate,
    Operation,
    Parameter,
    as_quantity,
    inputs,
    probabilities,
)


def tree(parameters=None, **events):
    return FaultTree("top", {"top": Formula("or", tuple(events))}, events, parameters=parameters or {})


def beta_estimate(scope="", failures=1.5, data=""):
    dist = Beta(failures, 98.5)
    bounds = (QuantileBound(dist, "upper", "credible"), QuantileBound(dist, "lower", "credible"))
    return Estimate("failure probability", dist.mean, scope=scope, bounds=bounds, dist=dist, details={"data": data})


def bounded(limit, data):
    bounds = (Bound(limit, "upper", 0.05, "confidence"),)
    return Estimate("failure probability", limit / 2, bounds=bounds, details={"data": data})


def codes(parameters=None, **events):
    try:
        found = tree(parameters, **events).problems
    except DiagnosticsError as error:
        found = error.diagnostics
    return [(d.code, d.severity, d.where) for d in found]


def test_equal_counts_of_two_events_are_two_inputs():
    found = inputs(tree(a=Counts(1, 9), b=Counts(1, 9)))
    assert list(found) == ["a", "b"]
    assert found["a"].belief_key != found["b"].belief_key


def test_one_estimate_of_two_events_is_one_input():
    estimate = beta_estimate()
    model = tree(a=Measured(estimate), b=Measured(estimate), c=Measured(beta_estimate("camera")))
    assert list(inputs(model)) == ["a", "c"]
    drawn = {"a": np.array([0.1, 0.2]), "c": np.array([0.3, 0.4])}
    assert probabilities(model, drawn)["b"] == pytest.approx([0.1, 0.2])


def test_the_name_of_a_shared_input_does_not_depend_on_the_events_asked_for():
    model = tree(a=Measured(beta_estimate()), b=Measured(beta_estimate()))
    assert list(inputs(model, events=["b"])) == ["a"]
    assert probabilities(model, {"a": 0.25}, events=["b"]) == {"b": 0.25}


def test_estimates_with_bounds_only_are_one_input_when_they_are_the_same_estimate():
    model = tree(
        a=Measured(bounded(0.1, "x")), b=Measured(bounded(0.2, "y")), c=Measured(bounded(0.1, "x")), d=Fixed(0.1)
    )
    assert list(inputs(model)) == ["a", "b"]


def test_a_shared_parameter_is_drawn_once():
    model = tree({"rate": LogNormal(1e-4, 3)}, a=Exponential(Parameter("rate"), 100), b=Parameter("rate"))
    assert list(inputs(model)) == ["rate"]
    drawn = np.array([1e-4, 1e-3])
    found = probabilities(model, {"rate": drawn})
    assert found["a"] == pytest.approx(-np.expm1(-100 * drawn))
    assert found["b"] == pytest.approx(drawn)


def test_an_event_and_a_parameter_of_one_name_stay_apart():
    model = tree({"a": LogNormal(1e-4, 3)}, a=LogNormal(1e-2, 3), b=Parameter("a"))
    assert list(inputs(model)) == ["parameter a", "a"]
    assert probabilities(model, {"parameter a": 0.3, "a": 0.6}) == {"a": 0.6, "b": 0.3}


def test_parameters_that_no_event_needs_are_no_inputs():
    model = tree({"used": Counts(1, 9), "unused": Counts(1, 9)}, a=Parameter("used"))
    assert list(inputs(model)) == ["used"]
    assert list(inputs(model, events=[])) == []


def test_inputs_without_a_draw_have_their_mean():
    model = tree({"mission-time": Fixed(100.0)}, a=Exponential(LogNormal(1e-3, 3), MissionTime()))
    assert probabilities(model)["a"] == pytest.approx(-np.expm1(-0.1))


def test_draws_beyond_0_and_1_are_cut():
    model = tree(a=LogNormal(0.5, 10), b=NormalDeviate(0.01, 1.0))
    found = probabilities(model, {"a": np.array([0.5, 3.0]), "b": -0.2})
    assert found["a"].tolist() == [0.5, 1.0]
    assert found["b"] == 0.0


def test_an_undefined_draw_is_an_error_that_names_the_event():
    model = tree(a=Operation("sqrt", (NormalDeviate(0.1, 1.0),)))
    with pytest.raises(DiagnosticsError, match="event 'a'"):
        probabilities(model, {"a": np.array([0.1, -0.1])})


def test_events_without_a_probability_are_all_named_when_they_are_needed():
    model = tree(a=None, b=Fixed(0.1), c=None)
    with pytest.raises(DiagnosticsError) as error:
        probabilities(model)
    assert [d.where for d in error.value.diagnostics] == ["event 'a'", "event 'c'"]
    assert probabilities(model, events=["b"]) == {"b": 0.1}
    assert inputs(model) == {}


def test_a_misspelled_input_is_refused():
    with pytest.raises(InvalidInput, match="pump"):
        probabilities(tree(pump=Counts(1, 9)), {"pumb": 0.1})


def test_drawn_means_follow_the_distribution():
    model = tree(a=Counts(3, 50))
    estimate = inputs(model)["a"]
    drawn = estimate.dist.sample(np.random.default_rng(0), 20_000)
    assert stats.kstest(probabilities(model, {"a": drawn})["a"], stats.beta(3.5, 47.5).cdf).pvalue > 1e-3


def test_a_long_chain_of_parameters_is_evaluated_without_recursion():
    chain = {f"p{i}": Operation("mul", (1.0, Parameter(f"p{i + 1}"))) for i in range(2000)} | {"p2000": Fixed(0.25)}
    model = tree(chain, a=Parameter("p0"))
    assert probabilities(model) == {"a": 0.25}
    assert model.problems == ()


def test_all_problems_are_found_at_once():
    found = codes(
        {"x": Parameter("y"), "y": Parameter("x"), "bad": Fixed(-1.0), "fine": Fixed(2.0)},
        a=Fixed(1.5),
        b=Parameter("ruin"),
        c=Exponential(Parameter("bad"), 10.0),
        d=Operation("div", (1.0, 0.0)),
        e=Operation("mul", (Parameter("fine"), 0.7)),
        f=Parameter("x"),
        g=LogNormal(Parameter("bad"), 3),
        h=None,
        i=Fixed(0.2),
    )
    assert found == [
        ("tree-undefined", "error", "event 'b'"),
        ("tree-cycle", "error", "parameter 'x'"),
        *[("tree-probability", "error", f"event {name!r}") for name in "acdeg"],
    ]


def test_an_assumed_mission_time_is_noted():
    assert codes(a=Exponential(1e-6, MissionTime())) == [("tree-probability", "note", "event 'a'")]
    assert codes({"mission-time": Fixed(10)}, a=Exponential(1e-6, MissionTime())) == []


def test_an_event_named_like_a_part_of_another_is_a_duplicate():
    found = codes(**{"a": Operation("mul", (Counts(1, 9), Counts(1, 9))), "a/2": Counts(1, 9)})
    assert found == [("tree-duplicate", "error", "a/2")]


def test_a_mean_above_1_is_an_error_and_a_wide_spread_is_none():
    assert codes(a=LogNormal(1.2, 3)) == [("tree-probability", "error", "event 'a'")]
    assert codes(a=LogNormal(0.5, 30)) == []


def test_numbers_estimates_and_distributions_become_quantities():
    estimate = beta_estimate()
    assert as_quantity(0.1) == Fixed(0.1)
    assert as_quantity(estimate) == Measured(estimate)
    assert as_quantity(Beta(1, 9)).distribution == Beta(1, 9)
    assert as_quantity(Counts(1, 2)) == Counts(1, 2)
    with pytest.raises(InvalidInput):
        as_quantity("0.1")
