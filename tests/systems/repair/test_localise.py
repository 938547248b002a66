"""Which module the error comes from, on systems where it is known by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import told

from surefoot import SurefootError
from surefoot.metrics import tasks
from surefoot.systems import CLEAN, Condition, Items, Module, System, blame, localise

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 2, 40)


def raised(values, severity, *, seed, first):
    """Every input rises by its severity."""
    return [value + severity for value in values]


UP = Condition("raised", 2, "x", function=raised)
HIGHER = Condition("raised", 5, "x", function=raised)


def times(factor):
    return lambda v: [factor * value for value in v]


def total(**inputs):
    return [sum(row) for row in zip(*inputs.values(), strict=True)]


def number(name, run, **inputs):
    return Module(name, run, inputs, gives="number")


def parallel(factors, combine=total):
    """Modules beside each other, each with its factor, and what combines them."""
    names = [f"m{i}" for i in range(len(factors))]
    modules = [number(name, times(factor), v="x") for name, factor in zip(names, factors, strict=True)]
    return System([*modules, number("sum", combine, **{name: name for name in names})], inputs={"x": "number"})


def data(system, values=X):
    """Items whose truth is what the system gives on clean inputs."""
    return Items({"x": list(values)}, truth=system.run({"x": list(values)}).outputs[system.output])


def shares(found, figure="share"):
    return {cause.module: getattr(cause, figure).value for cause in found.causes}


@given(st.lists(st.floats(0.1, 5), min_size=1, max_size=5))
@settings(max_examples=12, deadline=None)
def test_modules_that_add_up_have_the_shares_of_their_factors(factors):
    system = parallel(factors)
    found = localise(system, data(system), [UP], "mae", draws=100)
    expected = [factor / sum(factors) for factor in factors]
    for figure in ("share", "removed", "brought"):
        np.testing.assert_allclose(list(shares(found, figure).values()), expected, rtol=1e-9)
    assert found.causes[0].added.value == pytest.approx(2 * sum(factors))


def test_one_module_may_carry_all():
    system = parallel([0.0, 3.0, 0.0])
    found = localise(system, data(system), [UP], "mae", draws=100)
    assert shares(found) == pytest.approx({"m0": 0.0, "m1": 1.0, "m2": 0.0}, abs=1e-12)


def test_in_a_chain_either_module_mends_all_and_each_has_half():
    chain = System([number(n, times(2), v=s) for n, s in (("a", "x"), ("b", "a"), ("c", "b"))], inputs={"x": "number"})
    found = localise(chain, data(chain), [UP], "mae", draws=100)
    assert shares(found, "removed") == {"a": 1.0, "b": 1.0}
    assert shares(found, "brought") == {"a": 0.0, "b": 0.0}
    assert shares(found) == {"a": 0.5, "b": 0.5}


def test_what_goes_round_all_modules_is_no_share_of_theirs():
    # The head sees the input itself too: with a mended the error is 2, without 2 + 2 * 3; only that is divided.
    skip = System([number("a", times(3), v="x"), number("head", total, a="a", x="x")], inputs={"x": "number"})
    found = localise(skip, data(skip), [UP], "mae", draws=100)
    assert found.causes[0].added.value == pytest.approx(6.0)
    assert shares(found) == {"a": pytest.approx(1.0)}


def shapley(values, modules):
    """By all orders in which modules are hit."""
    found = dict.fromkeys(modules, 0.0)
    orders = list(permutations(modules))
    for order in orders:
        for place, module in enumerate(order):
            found[module] += values[frozenset(order[: place + 1])] - values[frozenset(order[:place])]
    return {module: total / len(orders) for module, total in found.items()}


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_shares_are_shapley_values_by_all_orders_and_sum_to_1(better):
    def combined(**inputs):
        a, b, c, d = (np.asarray(values) for values in inputs.values())
        return np.maximum(a * b, c) + np.sqrt(np.abs(c * d))

    def judged(output, truth):
        error = abs(output - truth)
        return error if better == "lower" else 1 - error / 1000

    system, names = parallel([0.5, 1.0, 2.0, 0.1], combined), ["m0", "m1", "m2", "m3"]
    items = data(system)
    found = localise(system, items, [HIGHER], tasks.mean_of(judged, better=better), draws=100)
    clean, hit = (system.run({"x": [x + rise for x in X]}).outputs for rise in (0, 5))
    values = {}
    for number_ in range(16):
        some = frozenset(name for place, name in enumerate(names) if number_ >> place & 1)
        answer = combined(**{name: (hit if name in some else clean)[name] for name in names})
        values[some] = np.abs(answer - np.array(items.truth)).mean()
    expected = shapley(values, names)
    whole = values[frozenset(names)]
    assert shares(found) == pytest.approx({name: value / whole for name, value in expected.items()})
    assert sum(shares(found).values()) == pytest.approx(1.0)
    removed = {name: (whole - values[frozenset(names) - {name}]) / whole for name in names}
    assert shares(found, "removed") == pytest.approx(removed)
    assert shares(found, "brought") == pytest.approx({name: values[frozenset({name})] / whole for name in names})


def test_against_true_outputs_clean_error_is_divided_too():
    # Both modules are wrong on clean inputs already: by 1 and by 3.
    system = System(
        [
            number("a", lambda v: [x + 1 for x in v], v="x"),
            number("b", lambda v: [x + 3 for x in v], v="x"),
            number("sum", total, a="a", b="b"),
        ],
        inputs={"x": "number"},
    )
    items = Items({"x": list(X)}, truth=list(2 * X))
    truths = {"a": list(X), "b": list(X)}
    found = localise(system, items, [CLEAN, UP], "mae", truths=truths, draws=100)
    assert found.reference == "true"
    assert [cause.share.value for cause in found.causes] == pytest.approx([0.25, 0.75, 3 / 8, 5 / 8])
    alone = localise(system, items, [CLEAN], "mae", truths={"b": list(X)}, draws=100)
    assert shares(alone) == {"b": pytest.approx(1.0)}


def test_truth_of_one_port_stands_for_that_port():
    split = Module(
        "split",
        lambda v: {"p": [x + 1 for x in v], "q": [x + 2 for x in v]},
        {"v": "x"},
        gives={"p": "number", "q": "number"},
    )
    system = System([split, number("sum", total, p="split.p", q="split.q")], inputs={"x": "number"})
    items = Items({"x": list(X)}, truth=list(2 * X))
    found = localise(system, items, [CLEAN], "mae", truths={"split.q": list(X)}, draws=100)
    assert found.causes[0].added.value == pytest.approx(2.0)


def test_items_without_an_answer_are_left_out_and_counted():
    def picky(v):
        if any(value > 3.5 for value in v):
            raise ValueError("too high")
        return [2 * value for value in v]

    system = System(
        [number("a", picky, v="x"), number("b", times(1), v="x"), number("s", total, a="a", b="b")],
        inputs={"x": "number"},
    )
    found = localise(system, data(system), [UP], "mae", draws=100)
    assert found.left_out == int((X + 2 > 3.5).sum()) > 0
    assert shares(found) == pytest.approx({"a": 2 / 3, "b": 1 / 3})
    assert "Left out" in str(found)


def test_a_gain_has_no_shares():
    system = parallel([1.0, 1.0])
    items = Items({"x": list(X)}, truth=list(2 * (X + 2)))
    found = localise(system, items, [UP], "mae", draws=100)
    assert found.causes[0].added.value == pytest.approx(-4.0)
    assert shares(found) == {"m0": None, "m1": None}


def test_batches_do_not_matter_and_progress_is_told():
    system, told = parallel([1.0, 2.0]), []
    whole = localise(system, data(system), [UP, HIGHER], "rmse", draws=100)
    parts = localise(system, data(system), [UP, HIGHER], "rmse", draws=100, batch=7, progress=lambda *a: told.append(a))
    assert whole.table == parts.table
    assert told == [(i + 1, 12) for i in range(12)]


NINE = parallel([1.0] * 9)


def test_what_cannot_be_localised_is_told():
    for options, said in [
        ({}, "8 modules apart at most; found 9"),
        ({"modules": ["m0", "m0"]}, "each once"),
        ({"modules": []}, "each once"),
        ({"modules": ["m10"]}, "unknown module"),
        ({"modules": ["m0"], "conditions": [CLEAN]}, "not clean"),
        ({"modules": ["m0"], "items": Items({"x": [1.0]})}, "need their truth"),
        ({"modules": ["m0"], "batch": 0}, "batch"),
        ({"truths": {"x": list(X)}}, "unknown module"),
        ({"truths": {"x": list(X)}, "modules": ["m0"]}, "unknown place"),
        ({"truths": {"m1": [1.0]}}, "one value an item; found 1 of 'm1' for 40 items"),
        ({"truths": {"m1": list(X)}, "modules": ["m0", "m1"]}, "no truth; found m0"),
    ]:
        with told(options):
            given = {"items": data(NINE), "conditions": [UP], "metric": "mae", **options}
            with pytest.raises(SurefootError, match=said):
                localise(NINE, **given)


def test_intervals_hold_the_true_share():
    # The first module brings 1 with probability 0.7, the second 2 always: the true share is 0.7 / 2.7.
    held, rounds = 0, 60
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        hits = (rng.random(60) < 0.7).astype(float)
        system = System(
            [
                number("a", lambda v, h: list(np.asarray(v) * np.asarray(h)), v="x", h="h"),
                number("b", times(2), v="x"),
                number("sum", total, a="a", b="b"),
            ],
            inputs={"x": "number", "h": "number"},
        )
        items = Items({"x": [0.0] * 60, "h": hits}, truth=[0.0] * 60)
        figure = (
            localise(system, items, [Condition("raised", 1, "x", function=raised)], "mae", draws=400, seed=seed)
            .causes[0]
            .share
        )
        held += figure.low <= 0.7 / 2.7 <= figure.high
    assert held >= 52


def exact(output, truth):
    return float(abs(output - truth) > 0.5)


def test_blame_is_a_partition_of_the_failed_items():
    rng = np.random.default_rng(1)
    system = System(
        [
            number("a", lambda v: [x if x < 3 else x + 9 for x in v], v="x"),
            number("b", lambda v: [x if x < 3.4 else x - 7 for x in v], v="x"),
            number("sum", total, a="a", b="b"),
        ],
        inputs={"x": "number"},
    )
    values = rng.uniform(0, 4, 200)
    items = Items({"x": list(values)}, truth=list(2 * values))

    def slight(values, severity, *, seed, first):
        return [value + 0.1 * severity if severity < 5 else value + 0.3 for value in values]

    conditions = [CLEAN, *(Condition("slight", level, "x", function=slight) for level in (1, 5))]
    found = blame(system, items, conditions, tasks.mean_of(exact), batch=33)
    assert list(found) == [
        "fails on clean inputs",
        "corruption through a",
        "corruption through b",
        "corruption that no single module mends",
    ]
    for condition, rise in zip(conditions, (0, 0.1, 0.3), strict=True):
        masks = np.array([found[cause][condition] for cause in found])
        answers = np.array(system.run({"x": list(values + rise)}).outputs["sum"])
        np.testing.assert_array_equal(masks.sum(axis=0), np.abs(answers - 2 * values) > 0.5)
    clean_a, worse_a = values >= 3, values + 0.1 >= 3
    clean_b, worse_b = values >= 3.4, values + 0.1 >= 3.4
    first = conditions[1]
    np.testing.assert_array_equal(found["fails on clean inputs"][CLEAN], clean_a | clean_b)
    np.testing.assert_array_equal(found["corruption through a"][first], worse_a & ~clean_a & ~worse_b & ~clean_b)


def test_blame_takes_the_first_module_that_mends_and_counts_what_raises_as_failed():
    def picky(v):
        if any(value > 3 for value in v):
            raise ValueError("too high")
        return list(v)

    chain = System(
        [number("a", picky, v="x"), number("b", times(1), v="a"), number("c", times(1), v="b")], inputs={"x": "number"}
    )
    found = blame(chain, Items({"x": [1.0, 2.0, 4.0]}, truth=[1.0, 2.0, 4.0]), [CLEAN, UP], "mae", limit=1.5)
    assert found["fails on clean inputs"][CLEAN].tolist() == [False, False, True]
    assert found["corruption through a"][UP].tolist() == [True, True, False]
    assert found["fails on clean inputs"][UP].tolist() == [False, False, True]
    later = blame(chain, Items({"x": [1.0]}, truth=[1.0]), [UP], "mae", limit=1.5, modules=["b"])
    assert later["corruption through b"][UP].tolist() == [True]
