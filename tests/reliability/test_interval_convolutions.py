"""Convolutions and pools are those of torch, and bounds through them hold for all that can be sampled or searched."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.refusals import refused
from torch import nn

from surefoot.core import InvalidInput
from surefoot.reliability import Network, read_network
from surefoot.reliability.proofs.box_proofs import by_plane, least_margins, proves
from surefoot.reliability.proofs.layers import Range
from surefoot.reliability.proofs.linear_bounds import Affine, Plane, Scaling, interval_ranges, linear_ranges, step_of
from surefoot.reliability.proofs.model_conversion import read_part

SHAPE = (2, 9, 8)
FEATURES = 144
seeds = st.integers(0, 2**32 - 1)
pytestmark = pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")


@st.composite
def convolutions(draw):
    groups = draw(st.sampled_from([1, 2]))
    pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))
    padding = draw(st.one_of(st.tuples(st.integers(0, 2), st.integers(0, 2)), st.sampled_from(["same", "valid"])))
    stride = (1, 1) if padding == "same" else draw(pairs)
    options = {"groups": groups, "stride": stride, "padding": padding, "dilation": draw(pairs)}
    torch.manual_seed(draw(seeds))
    return nn.Conv2d(2, 2 * draw(st.integers(1, 2)), draw(pairs), bias=draw(st.booleans()), **options).double()


def rows_of(count, size, seed=0):
    return np.random.default_rng(seed).normal(size=(count, size))


def outputs_of(module, rows, shape=SHAPE):
    with torch.no_grad():
        return module.eval()(torch.from_numpy(rows).reshape(-1, *shape)).flatten(1).numpy()


@settings(deadline=None, max_examples=30)
@given(convolutions())
def test_convolutions_and_their_transposes_are_those_of_torch(module):
    (layer,), shape = read_part(module, SHAPE)
    rows = rows_of(3, FEATURES)
    np.testing.assert_allclose(layer.linear(rows) + layer.offset, outputs_of(module, rows), atol=1e-12)
    inputs = torch.zeros(3, *SHAPE, dtype=torch.float64, requires_grad=True)
    outputs = module(inputs)
    assert outputs.shape[1:] == shape
    coefficients = rows_of(3, layer.outputs, seed=1)
    outputs.backward(torch.from_numpy(coefficients).reshape(outputs.shape))
    np.testing.assert_allclose(layer.back(coefficients), inputs.grad.flatten(1), atol=1e-12)


def test_the_transpose_is_a_transposed_convolution():
    module = nn.Conv2d(2, 4, 3, stride=2, padding=1, groups=2, bias=False).double()
    (layer,), shape = read_part(module, (2, 7, 7))
    rows = rows_of(3, layer.outputs)
    expected = nn.functional.conv_transpose2d(
        torch.from_numpy(rows).reshape(3, *shape), module.weight, stride=2, padding=1, groups=2
    )
    np.testing.assert_allclose(layer.back(rows[:, None])[:, 0], expected.detach().flatten(1), atol=1e-12)


@given(convolutions())
@settings(deadline=None, max_examples=15)
def test_reach_is_the_layer_with_absolute_weights_and_roundings_count_one_window(module):
    (layer,), _ = read_part(module, SHAPE)
    magnitudes = np.abs(rows_of(3, FEATURES))
    module.weight.data.abs_()
    module.bias = None
    np.testing.assert_allclose(layer.reach(magnitudes), outputs_of(module, magnitudes), atol=1e-12)
    module.weight.data[:] = 1
    assert layer.roundings == outputs_of(module, np.ones((1, FEATURES))).max() + 4


POOLS = [
    nn.AvgPool2d(2),
    nn.AvgPool2d((3, 2), stride=(2, 1), padding=(1, 0)),
    nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False),
    nn.AvgPool2d(3, stride=2, padding=1, divisor_override=5),
    nn.AdaptiveAvgPool2d(1),
    nn.AdaptiveAvgPool2d((3, 4)),
    nn.AdaptiveAvgPool2d((None, 9)),
    nn.MaxPool2d(2),
    nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0)),
    nn.MaxPool2d(2, stride=1, dilation=2),
]


def test_pools_are_those_of_torch():
    for module in POOLS:
        layers, shape = read_part(module, SHAPE)
        rows = rows_of(3, FEATURES)
        np.testing.assert_allclose(
            Network(layers).scores(rows), outputs_of(module, rows), atol=1e-12, err_msg=repr(module)
        )
        assert outputs_of(module, rows).shape[1] == np.prod(shape), module


def settled(module, rng):
    """A normalisation with statistics and weights of its own, as training leaves them."""
    for values in (module.running_mean, module.weight.data, module.bias.data):
        values[:] = torch.from_numpy(rng.normal(size=len(values)))
    module.running_var[:] = torch.from_numpy(rng.uniform(0.5, 2, len(module.running_var)))
    return module


def test_normalisation_is_that_of_torch_in_evaluation_mode():
    for module, shape in [(nn.BatchNorm1d(2), (2,)), (nn.BatchNorm2d(2), SHAPE)]:
        settled(module.double().train(), np.random.default_rng(0))
        layers, _ = read_part(module, shape)
        assert all(isinstance(layer, Scaling) for layer in layers), module
        rows = rows_of(4, int(np.prod(shape)))
        np.testing.assert_allclose(
            Network(layers).scores(rows), outputs_of(module, rows, shape), atol=1e-12, err_msg=repr(module)
        )


def random_module(seed, pool, *, scale=1.0):
    """A small network with every kind of layer."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    pools = {"max": nn.MaxPool2d(2, stride=1), "mean": nn.AvgPool2d(2, padding=1), "none": nn.Identity()}
    features = nn.Sequential(
        nn.Conv2d(2, 4, 3, stride=int(rng.integers(1, 3)), padding=int(rng.integers(0, 2)), groups=2),
        settled(nn.BatchNorm2d(4), rng),
        nn.ReLU() if seed % 2 else nn.LeakyReLU(0.2),
        pools[pool],
        nn.Conv2d(4, 3, 2),
        nn.Dropout2d(),
        nn.ReLU(),
    )
    units = features.eval()(torch.zeros(1, *SHAPE)).numel()
    module = nn.Sequential(features, nn.Flatten(), nn.Linear(units, 3)).train()
    for weight in module.parameters():
        weight.data *= scale
    return module


def searched(module, lower, upper, labels, steps=8):
    """Points that gradient signs and corners lead to, for each box and rival: (boxes, rivals, features)."""
    low, high = (torch.from_numpy(end)[:, None].repeat(1, 3, 1) for end in (lower, upper))
    points = (low + high) / 2
    own, rival = torch.from_numpy(labels)[:, None].expand(-1, 3).reshape(-1, 1), torch.arange(3).repeat(len(labels))
    for _ in range(steps):
        points.requires_grad_()
        scores = module(points.reshape(-1, *SHAPE))
        (scores.gather(1, own) - scores.gather(1, rival[:, None])).sum().backward()
        points = torch.where(points.grad > 0, low, high)
    return points.detach().numpy()


cases = st.tuples(seeds, st.sampled_from(["max", "mean", "none"]), st.sampled_from([1e-6, 0.01, 0.1, 1.0]))


@settings(deadline=None, max_examples=20)
@given(cases)
def test_no_margin_that_sampling_or_a_search_finds_lies_below_the_bounds(case):
    seed, pool, width = case
    module = random_module(seed, pool).double().eval()
    network = read_network(module, SHAPE)
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=(4, FEATURES))
    upper = lower + width * rng.random((4, FEATURES))
    labels = rng.integers(0, 3, 4)
    share = rng.random((4, 100, FEATURES))
    points = np.concatenate(
        [lower[:, None] + (upper - lower)[:, None] * share, searched(module, lower, upper, labels)], 1
    )
    scores = outputs_of(module, points.reshape(-1, FEATURES)).reshape(4, -1, 3)
    seen = (np.take_along_axis(scores, labels[:, None, None], axis=2) - scores).min(axis=1)
    box = Range(lower, upper)
    wide, narrow = (least_margins(network, lower, upper, labels, method=m) for m in ("interval", "linear"))
    assert (narrow <= seen).all()
    assert (narrow >= wide).all()
    one = by_plane(network, box, labels)
    assert (one <= seen).all()


def test_linear_bounds_are_close_to_what_a_search_finds_in_small_boxes():
    for pool in ["max", "mean", "none"]:
        module = random_module(3, pool).double().eval()
        network, rng = read_network(module, SHAPE), np.random.default_rng(0)
        lower = rng.normal(size=(20, FEATURES))
        upper, labels = lower + 1e-3, rng.integers(0, 3, 20)
        points = searched(module, lower, upper, labels)
        scores = outputs_of(module, points.reshape(-1, FEATURES)).reshape(20, 3, 3)
        found = scores[np.arange(20), :, labels] - scores.diagonal(axis1=1, axis2=2)
        middle = network.scores((lower + upper) / 2)
        at_middle = np.take_along_axis(middle, labels[:, None], axis=1) - middle
        moved, gap = at_middle - found, found - least_margins(network, lower, upper, labels)
        assert np.median(gap[moved > 0] / moved[moved > 0]) < 0.02, pool


def test_margins_of_a_network_without_activations_are_those_of_the_worst_corners():
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(2, 3, 3, stride=2), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(6, 3)).double()
    network, rng = read_network(module, SHAPE), np.random.default_rng(0)
    lower = rng.normal(size=(5, FEATURES))
    upper, labels = lower + rng.random((5, FEATURES)), rng.integers(0, 3, 5)
    scores = outputs_of(module, searched(module, lower, upper, labels, 1).reshape(-1, FEATURES)).reshape(5, 3, 3)
    truth = scores[np.arange(5), :, labels] - scores.diagonal(axis1=1, axis2=2)
    found = least_margins(network, lower, upper, labels)
    np.testing.assert_allclose(found, truth, atol=1e-12)
    assert (found <= truth + 1e-14).all()


def test_sparse_layers_have_the_bounds_of_dense_ones():
    for pool in ["max", "mean", "none"]:
        network, rng = read_network(random_module(1, pool).double(), SHAPE), np.random.default_rng(0)
        layers = [
            Affine(np.asarray(p.weight.toarray()), p.offset)
            if hasattr(p, "effort") and not isinstance(p, Affine | Scaling)
            else p
            for p in network.layers
        ]
        lower = rng.normal(size=(5, FEATURES))
        found, expected = (
            least_margins(n, lower, lower + 0.1, rng.integers(0, 1, 5)) for n in (network, Network(tuple(layers)))
        )
        np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=repr(pool))


def test_planes_of_largest_values_hold_and_touch_where_the_largest_is_known():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        (pool,), _ = read_part(nn.MaxPool2d(3, stride=2, padding=1), SHAPE)
        lower = rng.normal(size=(6, FEATURES))
        box = Range(lower, lower + rng.choice([0, 1e-3, 1.0], (6, 1)))
        coefficients = rng.normal(size=(1, 4, pool.outputs))
        plane = Plane.of(coefficients).behind([step_of(pool, box)])
        points = lower[:, None] + (box.upper - lower)[:, None] * rng.random((6, 200, FEATURES))
        truth = np.einsum("rw,bpw->bpr", coefficients[0], pool.apply(points.reshape(-1, FEATURES)).reshape(6, 200, -1))
        below = np.einsum("brf,bpf->bpr", plane.coefficients, points) + plane.constant[:, None]
        assert (below <= truth + 1e-12).all(), seed
        _, alone = pool.leaders(box)
        np.testing.assert_allclose(below[alone.all(axis=1)], truth[alone.all(axis=1)], atol=1e-12, err_msg=repr(seed))


def test_ranges_of_all_layers_hold_sampled_values():
    for pool in ["max", "mean", "none"]:
        network, rng = read_network(random_module(2, pool).double(), SHAPE), np.random.default_rng(0)
        lower = rng.normal(size=(1, FEATURES))
        box, points = Range(lower, lower + 0.2), lower + 0.2 * rng.random((500, FEATURES))
        for ranges in (interval_ranges(network, box), linear_ranges(network, box)):
            for depth, found in enumerate(ranges):
                values = Network(network.layers[:depth]).scores(points)
                assert (found.lower <= values).all(), pool
                assert (values <= found.upper).all(), pool


@settings(deadline=None, max_examples=15)
@given(seeds, st.sampled_from(["max", "mean", "none"]), st.sampled_from([1.0, 10.0]))
def test_a_proved_box_has_one_answer_in_single_precision_at_the_edge_of_rounding(seed, pool, scale):
    module, rng = random_module(seed, pool, scale=scale).eval(), np.random.default_rng(seed)
    network = read_network(module, SHAPE)
    points = on_boundary(network, rng.normal(size=(2, 60, FEATURES)), steps=rng.integers(10, 40, (60, 1)))
    answers = network.decide(points)
    proved = proves(network, points, points, answers)
    assume(0 < proved.sum() < 60)
    given_by = outputs_of(module, points[proved].astype(np.float32)).argmax(axis=1)
    np.testing.assert_array_equal(given_by, answers[proved])


def on_boundary(network, ends, steps):
    """Points moved by bisection, some closer than others, to where the answer changes between two points."""
    one, other = ends
    for step in range(steps.max()):
        middle = (one + other) / 2
        moves = (network.decide(middle) == network.decide(one))[:, None] & (step < steps)
        one, other = np.where(moves, middle, one), np.where(moves, other, middle)
    return one


def test_mean_and_bias_of_a_normalisation_that_cancel_out_still_round():
    torch.manual_seed(0)
    module = nn.Sequential(nn.Flatten(), nn.BatchNorm1d(FEATURES), nn.Linear(FEATURES, 2))
    module[1].running_mean[:] = 1e6
    module[1].bias.data[:] = 1e6 / np.sqrt(1 + module[1].eps)
    network = read_network(module, SHAPE)
    points = np.random.default_rng(0).normal(size=(2000, FEATURES))
    with torch.no_grad():
        single = module.eval()(torch.from_numpy(points.astype(np.float32))).numpy()
    answers = network.decide(points)
    assert (single.argmax(axis=1) != answers).any()
    proved = proves(network, points, points, answers, method="interval")
    assert (single.argmax(axis=1) == answers)[proved].all()


def test_nested_sequences_in_training_mode_are_read_as_in_evaluation():
    for pool in ["max", "mean", "none"]:
        module = random_module(5, pool).double()
        assert module.training, pool
        network = read_network(module, SHAPE)
        assert module.training, pool
        rows = rows_of(4, FEATURES)
        np.testing.assert_allclose(network.scores(rows), outputs_of(module, rows), atol=1e-12, err_msg=repr(pool))
        assert (network.inputs, network.outputs) == (FEATURES, 3), pool


def test_rows_may_be_folded_into_images_by_the_model_itself():
    module = nn.Sequential(nn.Unflatten(1, SHAPE), random_module(1, "max")).double()
    rows = rows_of(4, FEATURES)
    for shape in (None, (FEATURES,)):
        np.testing.assert_allclose(read_network(module, shape).scores(rows), outputs_of(module, rows, (FEATURES,)))


class Shifted(nn.Module):
    def forward(self, x):
        return x - 0.5


def hooked():
    part = nn.Flatten()
    part.register_forward_hook(lambda module, inputs, outputs: 2 * outputs)
    return part


LINEAR = nn.Linear(FEATURES, 2)
REFUSED = {
    "Shifted": (Shifted(), nn.Flatten(), LINEAR),
    "layer Flatten": (hooked(), LINEAR),
    r"Linear.*shape \(2, 9, 8\)": (LINEAR,),
    r"Conv2d\(3.*shape \(2, 9, 8\)": (nn.Conv2d(3, 1, 2), nn.Flatten(), LINEAR),
    r"Conv2d.*kernel_size=\(10, 10\)": (nn.Conv2d(2, 1, 10), nn.Flatten(), LINEAR),
    "reflect": (nn.Conv2d(2, 2, 3, padding=1, padding_mode="reflect"), nn.Flatten(), LINEAR),
    "ceil_mode=True": (nn.MaxPool2d(2, ceil_mode=True), nn.Flatten(), nn.Linear(40, 2)),
    "BatchNorm2d": (nn.BatchNorm2d(2, track_running_stats=False), nn.Flatten(), LINEAR),
    "negative_slope=2": (nn.Flatten(), LINEAR, nn.LeakyReLU(2), nn.Linear(2, 2)),
    r"outputs have the shape \(2, 1, 1\)": (nn.Conv2d(2, 2, 3), nn.AdaptiveAvgPool2d(1)),
    "without weights": (nn.AdaptiveAvgPool2d(1), nn.Flatten()),
    "NaN or infinite": (nn.Conv2d(2, 1, 1), nn.Flatten(), nn.Linear(72, 2)),
}
nn.init.constant_(REFUSED["NaN or infinite"][0].weight, np.nan)


def test_layers_that_cannot_be_read_are_refused_with_a_remedy():
    for found in REFUSED:
        with refused(found, InvalidInput, match=found) as caught:
            read_network(nn.Sequential(*REFUSED[found]), SHAPE)
        assert "MonteCarlo" in caught.value.remedy, found


def test_images_of_unknown_shape_are_refused():
    with pytest.raises(InvalidInput, match="no known shape"):
        read_network(random_module(0, "none"))


def test_convolutions_too_large_for_memory_are_refused():
    with pytest.raises(InvalidInput, match="more than 16,777,216 products"):
        read_network(nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.Flatten(), nn.Linear(65536, 2)), (64, 32, 32))
