"""Torch modules as parts of a system, against torch itself."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from tests.refusals import told
from torch import nn
from torch.nn import functional

from surefoot import SurefootError
from surefoot.systems import System, torch_module

ROWS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)


def seeded(build):
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(1)
        return build()


def network(rate=0.5):
    return seeded(
        lambda: nn.Sequential(nn.Linear(3, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(rate), nn.Linear(16, 2))
    )


def plain():
    return seeded(lambda: nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2)))


class Two(nn.Module):
    """Takes two inputs and gives two things; one of its layers never runs."""

    def __init__(self):
        super().__init__()
        self.inner, self.unused = nn.Linear(6, 4), nn.Linear(1, 1)

    def forward(self, a, b):
        hidden = self.inner(torch.cat([a, 2 * b], dim=1))
        return {"sum": hidden.sum(1), "all": hidden}


def answered(net, rows=ROWS):
    with torch.no_grad():
        return net.eval()(torch.from_numpy(rows)).numpy()


def of(module):
    return System([module], inputs=dict.fromkeys(module.inputs.values(), "any"))


def test_outputs_and_features_are_those_of_the_network():
    net = network()
    module = torch_module("m", net, {"v": "x"}, layer="2")
    trace = of(module).run({"x": ROWS})
    np.testing.assert_allclose(trace.outputs["m"], answered(net), atol=1e-6)
    np.testing.assert_allclose(trace.features["m"], answered(net[:3]), atol=1e-6)


def test_evaluation_mode_is_used_and_the_mode_is_kept():
    net = network().train()
    net[1].eval()
    before = [part.training for part in net.modules()]
    module = torch_module("m", net, {"v": "x"}, layer="0")
    module.run(v=ROWS)
    module.noisy(3, v=ROWS)
    assert [part.training for part in net.modules()] == before
    assert [len(part._forward_hooks) for part in net.modules()] == [0] * len(before)


def test_several_inputs_go_to_forward_in_their_order_and_decode_makes_ports():
    net = seeded(Two)
    module = torch_module(
        "m",
        net,
        {"first": "x", "second": "y"},
        gives={"sum": "number", "all": "vector"},
        decode=lambda answer: {port: value.numpy() for port, value in answer.items()},
    )
    trace = of(module).run({"x": ROWS, "y": ROWS[::-1].copy()})
    with torch.no_grad():
        expected = net(torch.from_numpy(ROWS), torch.from_numpy(ROWS[::-1].copy()))
    np.testing.assert_allclose(trace.outputs["m.sum"], expected["sum"], atol=1e-6)
    np.testing.assert_allclose(trace.outputs["m.all"], expected["all"], atol=1e-6)


def test_a_layer_that_does_not_run_is_told():
    module = torch_module("m", seeded(Two), {"a": "x", "b": "y"}, layer="unused", gives="number")
    trace = of(module).run({"x": ROWS, "y": ROWS})
    assert "does not run in a forward pass" in trace.faults[0].text


@pytest.mark.parametrize("pool", ["flatten", "mean", lambda layer: layer.max(axis=(2, 3))])
def test_features_are_pooled(pool):
    net = seeded(lambda: nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(64, 1), nn.Flatten(0)))
    images = np.random.default_rng(1).random((3, 1, 6, 6)).astype(np.float32)
    features = torch_module("m", net, {"v": "x"}, layer="0", pool=pool, gives="number").run(v=images).features
    maps = answered(net[:1], images)
    expected = {"flatten": maps.reshape(3, -1), "mean": maps.mean((2, 3))}.get(pool if isinstance(pool, str) else "")
    np.testing.assert_allclose(features, maps.max((2, 3)) if expected is None else expected, atol=1e-6)


@pytest.mark.parametrize("gives", ["number", "vector"])
def test_a_column_of_numbers_fits_a_port_of_numbers(gives):
    net = seeded(lambda: nn.Linear(3, 1))
    trace = of(torch_module("m", net, {"v": "x"}, gives=gives)).run({"x": ROWS})
    assert trace.faults == {}
    assert np.shape(trace.outputs["m"][0]) == (() if gives == "number" else (1,))


def test_passes_are_those_of_dropout_done_by_hand():
    net = network(0.3)
    found = torch_module("m", net, {"v": "x"}).noisy(7, v=ROWS).outputs
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        hidden = net.eval()[:3](torch.from_numpy(ROWS))
        by_hand = net[4](functional.dropout(hidden, 0.3, training=True))
    np.testing.assert_allclose(found, by_hand, atol=1e-6)


def test_dropout_may_be_forced_after_a_layer_that_has_none():
    net = plain()
    found = torch_module("m", net, {"v": "x"}, dropout="1", rate=0.25).noisy(5, v=ROWS).outputs
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(5)
        by_hand = net[2](functional.dropout(net[:2](torch.from_numpy(ROWS)), 0.25, training=True))
    np.testing.assert_allclose(found, by_hand, atol=1e-6)


def test_the_same_seed_gives_the_same_pass_and_leaves_the_random_state():
    module, before = torch_module("m", network(), {"v": "x"}), torch.get_rng_state()
    one, same, other = (module.noisy(seed, v=ROWS).outputs for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    assert torch.equal(before, torch.get_rng_state())


def test_a_module_without_dropout_has_no_noise_of_its_own():
    assert torch_module("m", plain(), {"v": "x"}).noisy is None
    assert torch_module("m", network(), {"v": "x"}, noisy=False).noisy is None


def test_what_is_wrong_is_told_when_the_module_is_made():
    for options, said in [
        ({"rate": 0.5}, "no dropout layer"),
        ({"dropout": "1"}, "needs layers and a rate"),
        ({"dropout": "9", "rate": 0.5}, "layer"),
        ({"dropout": "1", "rate": 1.5}, "rate"),
        ({"layer": "9"}, "layer"),
    ]:
        with told(options), pytest.raises(SurefootError, match=said):
            torch_module("m", plain(), {"v": "x"}, **options)


def test_threads_get_the_passes_of_their_seeds():
    modules = [torch_module(name, network(), {"v": "x"}, layer="2") for name in "ab"]
    expected = [modules[0].noisy(seed, v=ROWS).outputs for seed in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda seed: modules[seed % 2].noisy(seed, v=ROWS).outputs, range(40)))
        calm = list(pool.map(lambda seed: modules[seed % 2].run(v=ROWS).outputs, range(40)))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(calm, [modules[0].run(v=ROWS).outputs] * 40)


def test_a_pickled_module_gives_the_same_answers():
    module = torch_module("m", network(), {"v": "x"}, layer="2")
    again = pickle.loads(pickle.dumps(module))
    for one, other in ((module.run(v=ROWS), again.run(v=ROWS)), (module.noisy(3, v=ROWS), again.noisy(3, v=ROWS))):
        np.testing.assert_array_equal(one.outputs, other.outputs)
        np.testing.assert_array_equal(one.features, other.features)


def test_the_version_follows_weights_layers_and_what_is_read():
    def version(net=None, **options):
        return torch_module("m", network() if net is None else net, {"v": "x"}, **options).version

    trained = network()
    with torch.no_grad():
        trained[0].weight += 0.01
    tanh = network()
    tanh[2] = nn.Tanh()
    different = [
        version(),
        version(trained),
        version(tanh),
        version(network(0.4)),
        version(layer="2"),
        version(layer="3"),
        version(layer="2", pool="mean"),
        version(rate=0.2),
        version(dropout="2", rate=0.2),
        version(decode=lambda answer: answer.numpy()),
    ]
    assert len(set(different)) == len(different)
    assert version() == version()
