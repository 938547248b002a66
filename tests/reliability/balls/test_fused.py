"""The kernel for two-layer perceptrons: its weights everywhere, its moves where there is a GPU."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.adapters import as_model
from surefoot.executors import Serial
from surefoot.reliability import BallProblem, BallRisks, Balls, MultilevelSplitting
from surefoot.reliability.rare_events.margins import TorchMargins, best_margins
from surefoot.reliability.rare_events.walks import MOST_CLASSES, FusedWalk, Perceptron, fused

SPLIT = BallRisks.SPLIT

torch = pytest.importorskip("torch")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


def network(features=50, hidden=100, classes=7, seed=3):
    torch.manual_seed(seed)
    made = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(features, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, classes)
    )
    with torch.no_grad():
        made[1].weight *= 3
        made[3].weight *= 3
    return made


def problem(module, *, balls=32, radius=0.15, columns=()):
    features = module[1].in_features
    inputs = np.random.default_rng(0).random((balls, features)).astype(np.float32)
    with torch.no_grad():
        labels = module(torch.from_numpy(inputs).to(module[1].weight.device)).argmax(1).cpu().numpy()
    classes = module[3].out_features
    model = replace(as_model(module), returns="logit")
    return BallProblem(model, Balls(inputs, radius, (features,)), labels, ~np.eye(classes, dtype=bool), columns)


def test_the_weights_it_reads_give_the_scores_of_the_network():
    for scale in [1e-6, 1.0, 1e5]:
        module = network()
        with torch.no_grad():
            module[1].weight *= scale
            module[1].bias *= scale
        made = Perceptron.of(module[1], module[3], 1.0)
        inputs = torch.rand(20, 50)
        with torch.no_grad():
            expected = module(inputs)
        hidden = torch.relu(inputs @ made.weight[:50] + made.offset)
        found = (hidden @ made.second.float() + made.second_offset) * made.unit
        spread = float(expected.std())
        np.testing.assert_allclose(found[:, :7], expected, atol=2e-3 * spread, rtol=2e-3, err_msg=repr(scale))
        assert found.shape[1] == MOST_CLASSES, scale
        assert float(hidden.max()) < 2**15, scale
        np.testing.assert_allclose(made.first.float(), made.weight, rtol=1e-3, atol=1e-6, err_msg=repr(scale))


def test_it_is_for_perceptrons_on_a_gpu():
    margins = best_margins(problem(network()))
    assert isinstance(margins, TorchMargins)
    assert fused(margins) is None


def test_answers_are_told_apart_in_the_order_of_the_columns():
    order = (2, 0, 1, 3, 4, 5, 6)
    asked = problem(network(), columns=order)
    table = FusedWalk(best_margins(asked), None)._undesired(np.arange(4)).numpy()
    assert (table[:, 7:] == -1).all()
    for row, label in zip(table, asked.labels[:4], strict=True):
        assert row[order[label]] == 0
        assert row[:7].sum() == 6


@needs_gpu
@pytest.mark.parametrize(("features", "hidden", "classes"), [(50, 100, 7), (784, 256, 10), (3, 16, 2)])
def test_one_kernel_finds_what_plain_moves_find(features, hidden, classes):
    asked = problem(network(features, hidden, classes).cuda(), radius=0.15 if features < 100 else 0.05)
    balls = np.arange(len(asked.balls))
    assert fused(best_margins(asked)) is not None
    kernel = MultilevelSplitting(1000, 200, moves="reflected").risks(asked, balls, executor=Serial(), seed=1)
    plain = MultilevelSplitting(1000, 60).risks(asked, balls, executor=Serial(), seed=2)
    both = (kernel.how == SPLIT) & (plain.how == SPLIT)
    assert both.sum() > 2
    gaps = (kernel.log_risk - plain.log_risk)[both] / np.hypot(kernel.log_sd, plain.log_sd)[both]
    assert abs(gaps.mean()) < 4 / np.sqrt(both.sum())
    assert gaps.std() < 2
