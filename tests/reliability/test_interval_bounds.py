"""Bounds hold for everything that can be sampled, are exact where theory says so, and linear ones are narrower."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from surefoot.reliability import Network, read_network
from surefoot.reliability.proofs.box_proofs import least_margins, proved_answers, proves
from surefoot.reliability.proofs.layers import LOGISTIC, RELU, TANH, Activation, LeakyRelu, Range
from surefoot.reliability.proofs.linear_bounds import (
    Affine,
    Scaling,
    deviation,
    growth,
    interval_ranges,
    linear_ranges,
    span,
    step_of,
)

ACTIVATIONS = {"relu": RELU, "leaky": LeakyRelu(0.1), "tanh": TANH, "logistic": LOGISTIC}
MODULES = {"relu": nn.ReLU, "leaky": lambda: nn.LeakyReLU(0.1), "tanh": nn.Tanh, "logistic": nn.Sigmoid}
WIDTHS = (1e-9, 1e-4, 0.05, 1.0, 20.0)


def random_network(rng, sizes, activation: Activation, *, scale=1.0) -> Network:
    layers = []
    for inputs, outputs in pairwise(sizes):
        weight = rng.normal(size=(outputs, inputs)) * scale / np.sqrt(inputs)
        layers += [Affine(weight, rng.normal(size=outputs) * scale), activation]
    return Network(tuple(layers[:-1]))


def random_boxes(rng, count, dimensions, width):
    lower = rng.normal(size=(count, dimensions))
    return lower, lower + width * rng.random((count, dimensions))


def points_inside(rng, lower, upper, count=400):
    """Uniform points, then corners, of each box."""
    inside = lower[:, None] + (upper - lower)[:, None] * rng.random((len(lower), count, lower.shape[1]))
    corner = rng.random((len(lower), count // 4, lower.shape[1])) < 0.5
    return np.concatenate([inside, np.where(corner, lower[:, None], upper[:, None])], axis=1)


def bounds(network, lower, upper, classes, method="linear") -> Range:
    """Both ends of margins: class a is ahead of b by no more than b is behind at least."""
    others = [np.full(len(lower), other) for other in range(network.outputs)]
    behind = [least_margins(network, lower, upper, other, method=method) for other in others]
    most = [-found[np.arange(len(lower)), classes] for found in behind]
    return Range(least_margins(network, lower, upper, classes, method=method), np.stack(most, axis=1))


def margins_at(scores, classes):
    """Score of each box's class minus all scores: (boxes, points, classes)."""
    return np.take_along_axis(scores, classes[:, None, None], axis=2) - scores


networks = st.tuples(
    st.integers(0, 2**32 - 1), st.sampled_from(sorted(ACTIVATIONS)), st.integers(0, 3), st.sampled_from(WIDTHS)
)


@settings(deadline=None, max_examples=30)
@given(networks)
def test_no_sampled_margin_lies_outside_the_bounds_and_linear_ones_are_never_wider(case):
    seed, name, hidden, width = case
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(1, 6)), *rng.integers(1, 12, hidden), int(rng.integers(2, 5))]
    network = random_network(rng, sizes, ACTIVATIONS[name], scale=rng.choice([0.5, 2.0, 8.0]))
    lower, upper = random_boxes(rng, 8, sizes[0], width)
    classes = rng.integers(0, sizes[-1], 8)
    points = points_inside(rng, lower, upper)
    seen = margins_at(network.scores(points.reshape(-1, sizes[0])).reshape(8, -1, sizes[-1]), classes)
    wide, narrow = (bounds(network, lower, upper, classes, method=m) for m in ("interval", "linear"))
    assert (narrow.lower <= seen.min(axis=1)).all()
    assert (narrow.upper >= seen.max(axis=1)).all()
    assert (narrow.lower >= wide.lower).all()
    assert (narrow.upper <= wide.upper).all()


def random_module(seed, sizes, name, scale):
    torch.manual_seed(seed)
    module = nn.Sequential()
    for inputs, outputs in pairwise(sizes):
        module.extend([nn.Linear(inputs, outputs), MODULES[name]()])
        module[-2].weight.data *= scale
    return module[:-1]


def near_boundary(network, rng, count):
    """Points moved by bisection, some closer than others, to where the answer changes between two random points."""
    one, other = rng.normal(size=(2, count, network.inputs)) * 3
    steps = rng.integers(0, 50, count)
    for step in range(50):
        middle = (one + other) / 2
        moves = (network.decide(middle) == network.decide(one)) & (step < steps)
        one, other = np.where(moves[:, None], middle, one), np.where(moves[:, None], other, middle)
    return one


@settings(deadline=None, max_examples=25)
@given(networks, st.sampled_from([1.0, 30.0]))
def test_a_proved_box_has_one_answer_in_single_precision(case, scale):
    seed, name, hidden, width = case
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(1, 4)), *rng.integers(1, 12, hidden).tolist(), int(rng.integers(2, 5))]
    assert_proofs_hold(random_module(seed, sizes, name, scale), rng, 16, width)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_proved_box_has_one_answer_in_single_precision_at_the_edge_of_rounding(name):
    for seed in range(4):
        assert_proofs_hold(random_module(seed, (8, 32, 16, 2), name, 30.0), np.random.default_rng(seed), 200, 1e-12)


def assert_proofs_hold(module, rng, count, width):
    network = read_network(module)
    middle = near_boundary(network, rng, count)
    lower, upper = middle - width / 2, middle + width / 2
    points = points_inside(rng, lower, upper).astype(np.float32)
    with torch.no_grad():
        scores = module(torch.from_numpy(points.reshape(-1, network.inputs))).numpy()
    proved = proved_answers(network, lower, upper, splits=3, method="linear")
    answers = scores.argmax(axis=1).reshape(count, -1)
    assert (answers[proved >= 0] == proved[proved >= 0, None]).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_true_scores_of_a_point_in_exact_arithmetic_lie_in_its_bounds(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, (4, 9, 8, 3), RELU, scale=3.0)
    points = rng.normal(size=(20, 4))
    box = Range(points, points)
    truth = np.array([exact_scores(network, point) for point in points])
    ranges = linear_ranges(network, box)
    steps = [step_of(layer, inputs) for layer, inputs in zip(network.layers, ranges[:-1], strict=True)]
    for found in (interval_ranges(network, box)[-1], ranges[-1], span(np.eye(3)[None], steps, box)):
        assert (found.lower <= truth).all()
        assert (truth <= found.upper).all()
        assert (found.upper - found.lower < 1e-10).all()


def exact_scores(network, point):
    values = [Fraction(value) for value in point]
    for layer in network.layers:
        if layer is RELU:
            values = [max(value, Fraction(0)) for value in values]
        else:
            rows = zip(layer.weight, layer.offset, strict=True)
            values = [
                sum((Fraction(w) * v for w, v in zip(row, values, strict=True)), Fraction(offset))
                for row, offset in rows
            ]
    return values


@pytest.mark.parametrize("width", WIDTHS)
def test_margins_of_linear_networks_are_the_true_extremes_in_exact_arithmetic(width):
    rng = np.random.default_rng(3)
    scaling = Scaling(rng.normal(size=3) * 5, rng.normal(size=3))
    affine = Affine(rng.normal(size=(4, 3)), rng.normal(size=4))
    lower, upper = random_boxes(rng, 5, 3, width)
    classes = np.array([0, 1, 2, 3, 0])
    found = bounds(Network((scaling, affine)), lower, upper, classes)
    for box, of in enumerate(classes):
        for against in range(4):
            low, high = exact_extremes(scaling, affine, of, against, lower[box], upper[box])
            assert found.lower[box, against] <= low <= high <= found.upper[box, against]
            assert low - found.lower[box, against] < 1e-12 * (1 + width)
            assert found.upper[box, against] - high < 1e-12 * (1 + width)


def exact_extremes(scaling, affine, of, against, lower, upper):
    constant, low, high = Fraction(affine.offset[of]) - Fraction(affine.offset[against]), Fraction(0), Fraction(0)
    for i, (factor, offset) in enumerate(zip(scaling.factor, scaling.offset, strict=True)):
        weight = Fraction(affine.weight[of, i]) - Fraction(affine.weight[against, i])
        constant += weight * Fraction(offset)
        ends = [weight * Fraction(factor) * Fraction(end) for end in (lower[i], upper[i])]
        low, high = low + min(ends), high + max(ends)
    return constant + low, constant + high


@pytest.mark.parametrize("seed", range(8))
def test_proved_intervals_are_those_of_brute_force_on_piecewise_linear_networks_of_one_input(seed):
    rng = np.random.default_rng(seed)
    edges = np.linspace(-3, 3, 61)
    network = balanced(random_network(rng, (1, 16, 8, 3), RELU, scale=2.0), edges[:, None])
    proved = proved_answers(network, edges[:-1, None], edges[1:, None], splits=14, method="linear")
    truth = np.array([only_answer(network, low, high) for low, high in pairwise(edges)])
    assert (proved == truth).all()
    assert 0.5 < (proved >= 0).mean() < 1


def balanced(network, points):
    """The network with last offsets that make all classes answers."""
    last = network.layers[-1]
    return Network((*network.layers[:-1], Affine(last.weight, last.offset - network.scores(points).mean(axis=0))))


def only_answer(network, low, high):
    """The answer at all ends of straight pieces, between which margins are straight; -1 where it changes."""
    ends = kinks(network, low, high)
    scores = network.scores(ends[:, None])
    best = np.argsort(scores, axis=1)[:, ::-1]
    clear = (scores[range(len(ends)), best[:, 0]] - scores[range(len(ends)), best[:, 1]] > 1e-12).all()
    return best[0, 0] if clear and (best[:, 0] == best[0, 0]).all() else -1


def kinks(network, low, high):
    """All inputs where a unit of a hidden layer crosses 0, layer by layer, and both ends."""
    ends = np.array([low, high])
    for depth in [i for i, layer in enumerate(network.layers) if layer is RELU]:
        values = Network(network.layers[:depth]).scores(ends[:, None])
        left, right = values[:-1], values[1:]
        crossing = left * right < 0
        share = left[crossing] / (left - right)[crossing]
        at = np.broadcast_to(ends[:-1, None], crossing.shape)[crossing]
        widths = np.broadcast_to(np.diff(ends)[:, None], crossing.shape)[crossing]
        ends = np.sort(np.concatenate([ends, at + share * widths]))
    return ends


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_lines_hold_in_higher_precision(name):
    exact = {
        "relu": lambda z: np.maximum(z, 0),
        "leaky": lambda z: np.where(z > 0, z, np.longdouble(0.1) * z),
        "tanh": np.tanh,
        "logistic": lambda z: 1 / (1 + np.exp(-z)),
    }[name]
    rng = np.random.default_rng(0)
    lower = rng.normal(size=3000) * 10 ** rng.uniform(-3, 1.5, 3000)
    upper = lower + 10 ** rng.uniform(-12, 2, 3000)
    lines = ACTIVATIONS[name].lines(Range(lower, upper))
    wide = np.longdouble
    z = lower.astype(wide) + (upper.astype(wide) - lower) * np.linspace(0, 1, 401, dtype=wide)[:, None]
    assert (exact(z) - lines.low_slope * z >= lines.low_offset).all()
    assert (exact(z) - lines.high_slope * z <= lines.high_offset).all()


def test_rounding_of_a_leak_in_single_precision_is_allowed_for():
    values = np.random.default_rng(0).normal(size=5000).astype(np.float32)
    single = np.maximum(values, np.float32(0.1) * values)
    error = np.abs(single - LeakyRelu(0.1).apply(values.astype(float)))
    assert error.max() > 0
    assert (error <= LeakyRelu(0.1).passed(np.zeros(5000), np.abs(values), 2.0**-24)).all()


def test_factors_rounded_before_products_are_allowed_for():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 6))
    plain = random_network(rng, (6, 12, 8, 3), RELU)
    coarse = [Affine(ten_bits(layer.weight), layer.offset) if layer is not RELU else RELU for layer in plain.layers]
    values = points
    for layer in coarse:
        values = layer.apply(values) if layer is RELU else layer.linear(ten_bits(values)) + layer.offset
    error = np.abs(values - plain.scores(points))
    allowed = [
        deviation(network, interval_ranges(network, Range(points, points)))
        for network in (Network(plain.layers, factors=2.0**-10), plain)
    ]
    assert (error <= allowed[0]).all()
    assert (error > allowed[1]).all()


def ten_bits(values):
    """Numbers with ten digits after the leading one, the others cut off, as tensor cores take them."""
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.trunc(fraction * 2**11) / 2**11, exponent)


@pytest.mark.parametrize("name", ["tanh", "logistic"])
def test_lines_close_in_on_the_function_with_the_square_of_the_width(name):
    lower = np.linspace(-4, 4, 101)
    gaps = []
    for width in (0.1, 0.01):
        lines = ACTIVATIONS[name].lines(Range(lower, lower + width))
        gaps.append((lines.high_offset - lines.low_offset).max())
    assert gaps[1] < gaps[0] / 90


@pytest.mark.parametrize("scale", [1e60, 1e200, 1e307])
def test_nothing_is_proved_where_numbers_overflow(scale):
    rng = np.random.default_rng(0)
    network = random_network(rng, (2, 4, 4, 2), RELU, scale=scale)
    lower, upper = random_boxes(rng, 20, 2, 0.1)
    assert not proves(network, lower, upper, network.decide(lower)).any()


def test_ranges_that_cost_too_much_are_left_to_intervals(monkeypatch):
    rng = np.random.default_rng(1)
    network = random_network(rng, (3, 8, 8, 3), RELU)
    box = Range(*random_boxes(rng, 5, 3, 0.3))
    monkeypatch.setattr("surefoot.reliability.proofs.linear_bounds.EFFORT", 0)
    for found, expected in zip(linear_ranges(network, box), interval_ranges(network, box), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_nothing_is_known_of_a_sum_of_too_many_terms_for_its_precision():
    assert growth(1000, 2.0**-9) == np.inf
    assert growth(1000) == pytest.approx(2000 * 2.0**-53)


def test_no_boxes_give_no_bounds():
    network = random_network(np.random.default_rng(0), (2, 4, 3), RELU)
    none = np.empty((0, 2))
    assert bounds(network, none, none, np.empty(0, dtype=np.int64)).lower.shape == (0, 3)


def test_bounds_do_not_depend_on_how_boxes_are_batched(monkeypatch):
    rng = np.random.default_rng(1)
    network = random_network(rng, (3, 8, 8, 3), TANH)
    lower, upper = random_boxes(rng, 30, 3, 0.3)
    classes = network.decide(lower)
    together = bounds(network, lower, upper, classes)
    for name in ("box_proofs", "linear_bounds"):
        monkeypatch.setattr(f"surefoot.reliability.proofs.{name}.NUMBERS", 1)
    for one, other in zip(bounds(network, lower, upper, classes), together, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
