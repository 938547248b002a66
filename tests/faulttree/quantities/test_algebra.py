"""What holds of every quantity: round trips, one line of text, names of inputs, and the signs of effects."""

from __future__ import annotations

import json
import pickle
from functools import reduce
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.quantities.strategies import leaves, quantities, refuses

from surefoot.core import Estimate, InvalidInput
from surefoot.faulttree import (
    GLM,
    Counts,
    Exponential,
    Fixed,
    LogNormal,
    Measured,
    Operation,
    Parameter,
    PeriodicTest,
    Quantity,
    Weibull,
)
from surefoot.faulttree.quantities import signs

KNOWN = {"a": 0.3, "long name": 2.0}
PERCENTILES = np.linspace(0.02, 0.98, 25)


@settings(max_examples=20, deadline=None)
@given(quantities)
def test_plain_data_bring_back_the_quantity(quantity):
    written = json.dumps(quantity.to_dict(), allow_nan=False)
    back = Quantity.from_dict(json.loads(written))
    assert back == quantity
    assert hash(back) == hash(quantity)
    assert pickle.loads(pickle.dumps(quantity)) == quantity


@settings(max_examples=20, deadline=None)
@given(quantities)
def test_every_quantity_is_told_in_one_line(quantity):
    assert str(quantity)
    assert "\n" not in str(quantity)
    assert "Fixed(" not in str(quantity)


@settings(max_examples=20, deadline=None)
@given(quantities)
def test_values_drawn_at_the_means_of_settled_leaves_give_the_value_without_draws(quantity):
    found = quantity.leaves("e")
    means = {name: e.value for name, e in found.items() if e.provenance.method != "percentile"}
    expected = quantity.evaluate({}, "e", KNOWN)
    assert quantity.evaluate(means, "e", KNOWN) == pytest.approx(expected, rel=1e-9, nan_ok=True)


@settings(max_examples=20, deadline=None)
@given(quantities, st.integers(0, 2**32 - 1))
def test_arrays_give_what_single_draws_give(quantity, seed):
    rng = np.random.default_rng(seed)
    drawn = {name: e.dist.sample(rng, 3) for name, e in quantity.leaves("e").items()}
    together = np.broadcast_to(quantity.evaluate(drawn, "e", KNOWN), 3)
    single = [quantity.evaluate({n: v[i] for n, v in drawn.items()}, "e", KNOWN) for i in range(3)]
    assert together == pytest.approx(np.array(single, dtype=float), rel=1e-9, nan_ok=True)


@settings(max_examples=20, deadline=None)
@given(quantities, st.integers(0, 2**32 - 1))
def test_a_stated_sign_is_kept_everywhere(quantity, seed):
    tree = SimpleNamespace(events={"e": quantity}, parameters={k: Fixed(v) for k, v in KNOWN.items()})
    rng = np.random.default_rng(seed)
    found, others = quantity.leaves("e"), {}
    for name, estimate in found.items():
        others[name] = estimate.dist.ppf(rng.uniform(0.02, 0.98))
    for name, sign in signs(tree)["e"].items():
        drawn = others | {name: found[name].dist.ppf(PERCENTILES)}
        values = np.clip(np.broadcast_to(quantity.evaluate(drawn, "e", KNOWN), PERCENTILES.shape), 0, 1)
        steps = sign * np.diff(values[~np.isnan(values)])
        assert sign == 0 or (steps >= -1e-9).all()


@settings(max_examples=12, deadline=None)
@given(st.lists(leaves, min_size=2, max_size=4))
def test_uncertain_parts_are_numbered_in_the_order_of_reading(parts):
    assert list(Operation("add", tuple(parts)).leaves("pump")) == ["pump", "pump/2", "pump/3", "pump/4"][: len(parts)]


SIGNS = [
    (Exponential(LogNormal(1e-3, 3), 100.0), {"e": 1}),
    (Operation("sub", (1.0, Counts(1, 9))), {"e": -1}),
    (Operation("mul", (Counts(1, 9), Counts(1, 9))), {"e": 1, "e/2": 1}),
    (Operation("div", (Counts(1, 9), LogNormal(10.0, 2))), {"e": 1, "e/2": -1}),
    (Operation("div", (1.0, Operation("sub", (Counts(1, 9), 0.5)))), {"e": 0}),
    (Operation("pow", (Counts(1, 9), 2.0)), {"e": 1}),
    (Operation("sin", (Counts(1, 9),)), {"e": 0}),
    (Operation("mul", (-0.5, Operation("neg", (Counts(1, 9),)))), {"e": 1}),
    (GLM(0.0, LogNormal(1e-3, 3), LogNormal(0.1, 3), 10.0), {"e": 1, "e/2": -1}),
    (Weibull(LogNormal(1e3, 3), 2.0, 0.0, 10.0), {"e": -1}),
    (PeriodicTest(LogNormal(1e-3, 3), 10.0, 10.0, 100.0, average=True), {"e": 1}),
    (Operation("ite", (1.0, Counts(1, 9), 0.5)), {"e": 1}),
    (Operation("switch", (Counts(1, 9), 0.1, 0.5)), {"e": 0}),
]


def test_known_signs():
    for quantity, expected in SIGNS:
        assert signs(SimpleNamespace(events={"e": quantity}, parameters={}))["e"] == expected, quantity


def test_texts_name_what_a_reader_looks_for():
    assert str(LogNormal(1e-3, 3)) == "lognormal, mean 0.001, error factor 3, level 0.95"
    assert str(Exponential(Parameter("rate"), 8760)) == "exponential, rate parameter rate, time 8760"
    assert str(Counts(2, 100)) == "2 failures in 100 trials, prior Beta(0.5, 0.5)"
    assert str(Operation("add", (0.1, Parameter("x")))) == "add(0.1, parameter x)"
    assert "mean unavailability" in str(PeriodicTest.of(1e-3, 10, 10, 100, average=True))


def test_a_measured_estimate_keeps_everything_it_rests_on():
    estimate = Estimate.known("failure probability", 1e-3, source="field data", scope="camera")
    back = Quantity.from_dict(json.loads(json.dumps(Measured(estimate).to_dict())))
    assert back.estimate.to_dict() == estimate.to_dict()
    assert back.estimate.key == estimate.key


def test_nesting_without_end_is_refused():
    with pytest.raises(InvalidInput, match="nested"):
        reduce(lambda inner, _: Operation("neg", (inner,)), range(1000), Fixed(1.0))


def test_what_is_no_number_and_foreign_data_are_refused():
    for value in (float("nan"), float("inf"), "0.1", None, 1j):
        assert refuses(lambda value=value: Fixed(value)), value
    for data in ({"type": "no such"}, {"type": "fixed"}, {"type": "measured", "estimate": {}}, 3):
        assert refuses(lambda data=data: Quantity.from_dict(data)), data
