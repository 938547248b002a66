"""Multilevel splitting against exact probabilities and brute force, in every precision and for every kind of model."""

import math
from functools import cache

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from scipy.stats import binomtest, chi2
from tests.refusals import refused
from tests.reliability.balls.ball_problems import (
    as_function,
    brute_force,
    digests,
    looked,
    network,
    problem_of,
    repeated,
    with_risk,
)

from surefoot.adapters import load_model
from surefoot.core import DiagnosticsError, InvalidInput, SurefootError
from surefoot.executors import Checkpointed, Processes, Serial
from surefoot.reliability import BallRisks, MultilevelSplitting
from surefoot.reliability.rare_events import splitting
from surefoot.testing import linear_world

COUNTED, PROVED, SPLIT = BallRisks.COUNTED, BallRisks.PROVED, BallRisks.SPLIT

nn = torch.nn
SMALL = MultilevelSplitting(particles=100, steps=10, rho=0.2)
BOXES = [
    # features, probability, kind, repetitions, particles, shape
    (2, 1e-2, "single", 40, 100, "even"),
    (2, 1e-4, "single", 30, 200, "even"),
    (2, 1e-10, "double", 30, 200, "even"),
    (2, 1e-6, "function", 30, 200, "even"),
    (10, 1e-6, "single", 30, 200, "even"),
    (10, 1e-10, "double", 20, 200, "concentrated"),
    (10, 1e-30, "function", 20, 200, "even"),
    (10, 1e-4, "single", 30, 200, "cut"),
    (100, 1e-4, "single", 24, 100, "even"),
    (100, 1e-10, "function", 10, 100, "cut"),
    (100, 1e-15, "double", 6, 120, "even"),
    (784, 1e-4, "single", 8, 60, "concentrated"),
    (784, 1e-2, "function", 6, 60, "even"),
    (3072, 1e-3, "single", 5, 50, "even"),
]


@pytest.mark.parametrize(("features", "probability", "kind", "repeats", "particles", "shape"), BOXES)
def test_linear_boxes_have_their_exact_probability(features, probability, kind, repeats, particles, shape):
    options = {} if shape == "even" else {shape: True}
    box = linear_world(features, probability, seed=5, single=kind == "single", **options)
    method = MultilevelSplitting(particles=particles, steps=10, rho=0.2)
    found = looked(method, repeated(box, repeats, kind), seed=2)
    assert (found.how == SPLIT).all()
    assert found.log_sd.mean() < 1.5
    low, high = found.interval(0.95)
    truth = math.exp(box.log_probability)
    held = int(((low <= truth) & (truth <= high)).sum())
    assert binomtest(held, repeats, 0.95, alternative="less").pvalue > 1e-3
    off = (found.log_risk + found.log_sd**2 / 2 - box.log_probability) / found.log_sd
    assert abs(off.mean()) < 4 / math.sqrt(repeats)
    assert (off**2).sum() < chi2(repeats).ppf(1 - 1e-4)


def test_the_rarest_are_reached_in_single_precision():
    box = linear_world(100, 1e-60, seed=1, single=True)
    found = looked(MultilevelSplitting(particles=100, steps=6, rho=0.2), repeated(box, 2, "single"))
    np.testing.assert_allclose(found.log_risk, box.log_probability, atol=6)


NETWORKS = [
    # widths, risk, undesired answers for the true label 0, points of brute force
    ((4, 16, 2), 1e-3, (0, 1), 1_000_000),
    ((6, 16, 3), 1e-4, (0, 1, 0), 2_000_000),
    ((6, 12, 12, 4), 1e-4, (0, 0, 1, 1), 2_000_000),
    ((8, 16, 16, 3), 1e-5, (0, 1, 1), 4_000_000),
]


@cache
def shifted(widths, risk, wrong, points):
    """A network, its ball, and how often it fails there by brute force."""
    undesired = np.zeros((widths[-1], widths[-1]), bool)
    undesired[0] = wrong
    centre = np.random.default_rng(sum(widths)).random(widths[0]).astype(np.float32)
    module = network(*widths, seed=sum(widths))
    with_risk(module, centre, 0.3, risk, undesired=undesired, label=0, seed=1)
    where = {"centres": np.tile(centre, (12, 1)), "radius": 0.3, "undesired": undesired}
    ball = tuple(corner[0] for corner in problem_of(module, **where).balls.corners(np.array([0])))
    return module, where, brute_force(module, ball, points, 2, undesired=undesired, label=0)


@pytest.mark.parametrize("kind", ["torch", "function"])
@pytest.mark.parametrize(("widths", "risk", "wrong", "points"), NETWORKS)
def test_small_networks_have_the_risk_of_brute_force(widths, risk, wrong, points, kind):
    module, where, failures = shifted(widths, risk, wrong, points)
    problem = problem_of(module if kind == "torch" else as_function(module), **where)
    found = looked(MultilevelSplitting(particles=300, steps=10, rho=0.2), problem)
    assert (found.how == SPLIT).all()
    assert failures > 20
    middle = found.log_risk + found.log_sd**2 / 2
    error = math.sqrt((found.log_sd**2).mean() / 12 + 1 / failures)
    assert abs(middle.mean() - math.log(failures / points)) < 4 * error
    assert error < 0.25
    low, high = found.interval(0.95)
    held = int(((low <= failures / points) & (failures / points <= high)).sum())
    assert binomtest(held, 12, 0.9, alternative="less").pvalue > 1e-3


def test_reflected_moves_find_the_same_as_informed_ones():
    box = linear_world(10, 1e-5, seed=3)
    found = looked(
        MultilevelSplitting(particles=200, steps=60, rho=0.2, moves="reflected"), repeated(box, 20, "double")
    )
    off = (found.log_risk + found.log_sd**2 / 2 - box.log_probability) / found.log_sd
    assert abs(off.mean()) < 4 / math.sqrt(20)
    assert found.log_sd.mean() < 1


# What is found in a ball depends on its number and the seed alone.


def own_risks(kind, count=20):
    """Balls that all differ, for a model of a kind."""
    dtype = torch.float64 if kind == "double" else torch.float32
    module = network(30, 21, 3, seed=1, dtype=dtype)
    centres = np.random.default_rng(2).random((count, 30))
    centres = centres.astype(np.float32 if kind == "single" else float)
    labels = as_function(module)(centres).argmax(1)
    weights = [layer.weight.detach().double().numpy() for layer in (module[0], module[2])]

    def function(inputs):
        return np.maximum(inputs @ weights[0].T, 0) @ weights[1].T

    return problem_of(
        function if kind == "function" else module, centres, 0.15, labels=labels, undesired=~np.eye(3, dtype=bool)
    )


ODD = MultilevelSplitting(particles=57, steps=5, rho=0.2, floor=-20)


@pytest.mark.parametrize("kind", ["single", "double", "function"])
def test_a_ball_has_the_same_risk_among_any_others(kind, monkeypatch):
    problem = own_risks(kind)
    everything = looked(ODD, problem)
    assert len(set(everything.log_risk.tolist())) > 8
    chosen = np.array([11, 2, 17, 10, 3])
    for numbers in (chosen, chosen[:1]):
        assert digests(looked(ODD, problem, numbers)) == digests(everything.take(numbers))
    monkeypatch.setattr(splitting, "CACHED_VALUES", 57 * 30 * 3)
    monkeypatch.setattr(splitting, "IN_MEMORY", 7)
    assert digests(looked(ODD, problem)) == digests(everything)
    assert digests(looked(ODD, problem, seed=2)) != digests(everything)


def test_processes_find_what_one_process_finds():
    problem = own_risks("single")
    assert digests(looked(ODD, problem, executor=Processes(2))) == digests(looked(ODD, problem))


def test_a_ball_that_is_chosen_twice_has_its_risk_twice():
    problem = own_risks("function", 6)
    twice = looked(ODD, problem, [4, 1, 4])
    assert digests(twice) == digests(looked(ODD, problem).take(np.array([4, 1, 4])))
    assert twice.how[0] != PROVED


def test_progress_ends_at_all_balls():
    told = []
    looked(ODD, own_risks("single"), progress=lambda done, total: told.append((done, total)))
    assert told == [(8, 20), (16, 20), (20, 20)]


# Every call of the model is counted.


def test_calls_are_those_that_were_made_without_gradients():
    asked = []
    box = linear_world(12, 1e-4, seed=1)
    function = lambda inputs: (asked.append(len(inputs)), box.scores(inputs))[1]  # noqa: E731
    found = looked(SMALL, problem_of(function, np.tile(box.centre, (3, 1)), box.radius))
    # One more says whether the model returns scores.
    assert found.calls.sum() == sum(asked) - 1


def test_calls_are_those_that_were_made_with_gradients():
    asked = []
    box = linear_world(12, 1e-4, seed=1)
    module = box.module()
    module.register_forward_hook(
        lambda _m, inputs, _o: asked.append((3 if inputs[0].requires_grad else 1, len(inputs[0])))
    )
    found = looked(SMALL, problem_of(module, np.tile(box.centre, (3, 1)), box.radius))
    # A call says whether the model returns scores, one with a gradient whether it has some.
    assert found.calls.sum() == sum(cost * rows for cost, rows in asked) - 1 - 3


# Models of other kinds.


def saved_as_onnx(module, path):
    """Linear layers and ReLUs as a graph of their own."""
    layers, nodes, held, name = list(module), [], [], "x"
    for number, layer in enumerate(layers):
        after = f"after{number}"
        if isinstance(layer, nn.Linear):
            values = [layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy()]
            held += [numpy_helper.from_array(v, f"{kind}{number}") for kind, v in zip("wb", values, strict=True)]
            nodes.append(helper.make_node("Gemm", [name, f"w{number}", f"b{number}"], [after]))
        else:
            nodes.append(helper.make_node("Relu", [name], [after]))
        name = after
    ends = [
        helper.make_tensor_value_info(end, TensorProto.FLOAT, [None, size])
        for end, size in (("x", layers[0].in_features), (name, layers[-1].out_features))
    ]
    graph = helper.make_graph(nodes, "graph", ends[:1], ends[1:], held)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def rare_network(count=10):
    """A network, and balls with a risk near 1e-4."""
    module, centre = network(5, 10, 3, seed=6), np.full(5, 0.5, np.float32)
    undesired = ~np.eye(3, dtype=bool)
    with_risk(module, centre, 0.2, 1e-4, undesired=undesired, label=0, seed=1, count=200_000)
    return module, {"centres": np.tile(centre, (count, 1)), "radius": 0.2, "undesired": undesired}


def assert_agree(one, other):
    """Means of repeated estimates, within what their stated errors allow."""
    parts = [(r.log_risk + r.log_sd**2 / 2, r.log_sd**2) for r in (one, other)]
    error = math.sqrt(sum(variance.mean() / len(variance) for _, variance in parts))
    assert abs(parts[0][0].mean() - parts[1][0].mean()) < 4 * error
    assert error < 0.4


def test_an_onnx_model_agrees_with_its_torch_twin(tmp_path):
    module, where = rare_network()
    saved_as_onnx(module, tmp_path / "m.onnx")
    twin = load_model(path="m.onnx", folder=tmp_path, output="logit")
    centres = where["centres"]
    np.testing.assert_allclose(twin.answers(centres), as_function(module)(centres), rtol=1e-4, atol=1e-6)
    assert_agree(*(looked(SMALL, problem_of(model, **where)) for model in (module, twin)))


def test_probabilities_agree_with_logits():
    module, where = rare_network()
    soft = problem_of(nn.Sequential(module, nn.Softmax(1)), **where, returns="probability")
    assert_agree(looked(SMALL, problem_of(module, **where)), looked(SMALL, soft))


@pytest.mark.parametrize("returns", ["logit", "probability", "score"])
def test_a_single_column_agrees_with_two(returns):
    box = linear_world(6, 1e-4, seed=2)
    single = nn.Linear(6, 1, dtype=torch.float64)
    with torch.no_grad():
        single.weight[:], single.bias[:] = torch.tensor(box.weights), box.offset
    model = nn.Sequential(single, nn.Sigmoid()) if returns == "probability" else nn.Sequential(single)
    found = looked(SMALL, problem_of(model, np.tile(box.centre, (10, 1)), box.radius, returns=returns))
    assert_agree(found, looked(SMALL, repeated(box, 10, "double")))


def test_permuted_columns_change_nothing():
    module, where = rare_network(3)
    order = [1, 2, 0]
    moved = network(5, 10, 3, seed=6)
    with torch.no_grad():
        for ours, theirs in zip(moved.parameters(), module.parameters(), strict=True):
            ours.copy_(theirs)
        moved[-1].weight[order], moved[-1].bias[order] = module[-1].weight.clone(), module[-1].bias.clone()
    plain, other = problem_of(module, **where), problem_of(moved, **where, columns=tuple(order))
    np.testing.assert_allclose(looked(SMALL, plain).log_risk, looked(SMALL, other).log_risk, atol=0.5)
    assert (looked(SMALL, problem_of(moved, **where)).risk != looked(SMALL, plain).risk).all()


def test_pictures_reach_the_model_in_their_shape():
    shapes = set()

    class Watched(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Flatten(), network(12, 2, seed=1))

        def forward(self, inputs):
            shapes.add(tuple(inputs.shape[1:]))
            return self.inner(inputs)

    looked(SMALL, problem_of(Watched(), np.full((2, 12), 0.5), 0.1, shape=(3, 2, 2)))
    assert shapes == {(3, 2, 2)}


def test_labels_are_no_scores():
    problem = problem_of(lambda x: (x.sum(1) > 1).astype(int), np.full((2, 2), 0.4), 0.2, returns="label")
    with pytest.raises(DiagnosticsError, match="needs scores") as error:
        looked(SMALL, problem)
    assert "MonteCarlo" in str(error.value)


def test_scores_that_are_no_numbers_stop_the_climb():
    for bad in [np.nan, np.inf]:

        def function(inputs, bad=bad):
            rise = inputs.sum(1) - 1.4
            return np.column_stack([-rise, np.where(rise > -0.05, bad, rise)])

        with refused(bad, DiagnosticsError, match="NaN or infinity"):
            looked(SMALL, problem_of(function, np.full((2, 2), 0.5), 0.2))


# Interrupted runs, and too little memory.


def test_an_interrupted_run_goes_on_with_the_missing_batches(tmp_path):
    problem, asked = own_risks("function", 40), []
    inner = problem.model.function

    def counted(inputs):
        asked.append(len(inputs))
        if 0 < breaks < len(asked):
            raise RuntimeError("power cut")
        return inner(inputs)

    counting = problem_of(counted, problem.balls.centres, 0.15, labels=problem.labels, undesired=problem.undesired)
    breaks = 0
    whole = looked(ODD, counting)
    needed, breaks = len(asked), int(len(asked) * 0.75)
    asked.clear()
    with pytest.raises(DiagnosticsError, match="power cut"):
        looked(ODD, counting, executor=Checkpointed(Serial(), tmp_path))
    asked.clear()
    breaks = 0
    assert digests(looked(ODD, counting, executor=Checkpointed(Serial(), tmp_path))) == digests(whole)
    assert 0 < len(asked) < 0.7 * needed
    asked.clear()
    assert digests(looked(ODD, counting, executor=Checkpointed(Serial(), tmp_path))) == digests(whole)
    assert asked == []


class Short(nn.Module):
    """Runs out of memory in its first few calls with many rows."""

    def __init__(self, module, times):
        super().__init__()
        self.module, self.times = module, times

    def forward(self, inputs):
        if len(inputs) > 1 and self.times:
            self.times -= 1
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return self.module(inputs)


def test_smaller_batches_are_tried_where_memory_runs_out():
    box = linear_world(8, 1e-3, seed=4)
    short = Short(box.module(), 5)
    found = looked(SMALL, problem_of(short, np.tile(box.centre, (4, 1)), box.radius))
    assert short.times == 0
    assert digests(found) == digests(looked(SMALL, repeated(box, 4, "double")))


def test_memory_that_is_never_enough_is_said():
    box = linear_world(8, 1e-3, seed=4)
    with pytest.raises(SurefootError, match="memory runs out"):
        looked(SMALL, problem_of(Short(box.module(), 1000), box.centre, box.radius))


# Parameters.


def test_parameters_are_checked():
    for options in [
        {"particles": 9},
        {"particles": 10.5},
        {"steps": 0},
        {"rho": 0},
        {"rho": 1},
        {"rho": 0.99, "particles": 10},
        {"rho": float("nan")},
        {"moves": "magic"},
        {"floor": 0},
        {"floor": 1},
        {"floor": float("nan")},
    ]:
        with refused(options, InvalidInput, match="MultilevelSplitting"):
            MultilevelSplitting(**options)


def test_the_seed_is_checked():
    for seed in [-1, 1.5, "a", True]:
        with refused(seed, InvalidInput):
            looked(SMALL, own_risks("function", 2), seed=seed)


def test_no_balls_are_no_work():
    assert len(looked(SMALL, own_risks("function", 2), [])) == 0


def test_frequent_failures_are_counted():
    box = linear_world(5, 0.4, seed=1)
    found = looked(SMALL, repeated(box, 200, "function"))
    assert (found.how == COUNTED).all()
    assert (found.calls == 100).all()
    assert binomtest(int(found.failures.sum()), 200 * 100, math.exp(box.log_probability)).pvalue > 1e-3
