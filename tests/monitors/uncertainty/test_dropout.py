"""Monte Carlo dropout, against masks drawn by hand."""

import numpy as np
import pytest
import torch
from tests.refusals import refused
from torch import nn
from torch.nn import functional

from surefoot.core import DiagnosticsError, InvalidInput, Undefined
from surefoot.monitors import mc_dropout, predictive_entropy, uncertainty

IdenticalPasses = uncertainty.IdenticalPasses

INPUTS = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def seeded(build):
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(1)
        return build()


def net(rate=0.5):
    return seeded(
        lambda: nn.Sequential(nn.Linear(3, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(rate), nn.Linear(16, 2))
    )


def without_dropout():
    return seeded(lambda: nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2)))


def state(module):
    weights = {name: value.clone() for name, value in module.state_dict().items()}
    flags = [(part.training, len(part._forward_hooks), getattr(part, "p", None)) for part in module.modules()]
    return weights, flags


def test_passes_are_those_of_dropout_done_by_hand():
    module = net(0.3).eval()
    found = mc_dropout(module, INPUTS, passes=4, seed=7)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(7)
        hidden = module[:3](torch.from_numpy(INPUTS))
        by_hand = [module[4](functional.dropout(hidden, 0.3, training=True)).numpy() for _ in range(4)]
    np.testing.assert_allclose(found, by_hand, atol=1e-6)


def test_the_mean_over_many_masks_is_the_answer_of_a_linear_head():
    module, copies = net(), 1000
    passes = mc_dropout(module, np.repeat(INPUTS, copies, axis=0), passes=4, batch=5 * copies)
    masked = passes.reshape(4, 5, copies, 2).swapaxes(0, 1).reshape(5, -1, 2)
    with torch.no_grad():
        answer = module.eval()(torch.from_numpy(INPUTS)).numpy()
    error = masked.std(axis=1) / np.sqrt(4 * copies)
    assert (np.abs(masked.mean(axis=1) - answer) < 5 * error).all()


@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("options", [{}, {"rate": 0.2}, {"rate": 0.2, "layer": "2"}], ids=["own", "rate", "layer"])
def test_the_module_and_the_random_state_stay_as_they_were(training, options):
    module = net().train(training)
    module[1].eval()
    before, generator = state(module), torch.get_rng_state()
    mc_dropout(module, INPUTS, **options)
    after = state(module)
    assert before[1] == after[1]
    assert all(torch.equal(before[0][name], after[0][name]) for name in before[0])
    assert torch.equal(generator, torch.get_rng_state())


def test_the_module_stays_as_it_was_after_an_error():
    module = net().train()
    before = state(module)[1]
    with pytest.raises(DiagnosticsError, match="the model raised"):
        mc_dropout(module, INPUTS[:, :2])
    assert state(module)[1] == before


def test_the_seed_decides_the_passes():
    module = net()
    one, same, other = (mc_dropout(module, INPUTS, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert (one[0] != one[1]).any()


def test_batches_cover_all_inputs_and_are_counted():
    told = []
    passes = mc_dropout(net(), INPUTS, passes=3, batch=2, progress=lambda done, total: told.append((done, total)))
    assert passes.shape == (3, 5, 2)
    assert told == [(done, 9) for done in range(1, 10)]


def test_a_rate_of_its_own_replaces_that_of_the_layers():
    spread = [mc_dropout(net(0.5), INPUTS, passes=200, rate=rate).std(axis=0).mean() for rate in (None, 0.5, 0.05)]
    assert spread[0] == spread[1]
    assert spread[2] < spread[1] / 2


def test_dropout_can_be_forced_after_named_layers():
    module = without_dropout()
    found = mc_dropout(module, INPUTS, passes=3, rate=0.4, layer="1", seed=3)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(3)
        hidden = module[:2](torch.from_numpy(INPUTS))
        by_hand = [module[2](functional.dropout(hidden, 0.4, training=True)).numpy() for _ in range(3)]
    np.testing.assert_allclose(found, by_hand, atol=1e-6)
    both = mc_dropout(module, INPUTS, rate=0.4, layer=["0", "1"])
    assert (both[0] != both[1]).any()


def test_probabilities_are_asked_for_by_name():
    module = net()
    raw, probabilities = (mc_dropout(module, INPUTS, output=output) for output in ("raw", "probability"))
    np.testing.assert_allclose(probabilities, torch.softmax(torch.from_numpy(raw), dim=2), atol=1e-6)
    assert predictive_entropy(probabilities).shape == (5,)
    with pytest.raises(InvalidInput, match="softmax"):
        predictive_entropy(raw)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 8, num_layers=2, dropout=0.5, batch_first=True)

    def forward(self, x):
        return self.rnn(x)[0][:, -1]


class Attentive(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.5, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)

    def forward(self, x):
        return self.encoder(x).mean(dim=1)


@pytest.mark.parametrize(("kind", "width"), [(Recurrent, 3), (Attentive, 4)], ids=["recurrent", "transformer"])
def test_dropout_inside_recurrent_and_attention_layers_is_switched_on(kind, width):
    module = seeded(kind)
    rows = np.random.default_rng(0).normal(size=(4, 6, width)).astype(np.float32)
    passes = mc_dropout(module, rows, passes=2)
    assert (passes[0] != passes[1]).any(axis=1).all()


def test_a_forced_layer_may_answer_with_a_tuple():
    module = seeded(Recurrent)
    rows = np.random.default_rng(0).normal(size=(4, 6, 3)).astype(np.float32)
    passes = mc_dropout(module, rows, passes=2, layer="rnn", rate=0.5)
    dropped = (passes == 0).mean()
    assert 0.2 < dropped < 0.8


class Functional(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(functional.dropout(self.hidden(x), training=self.training))


class Idle(Functional):
    def __init__(self):
        super().__init__()
        self.forgotten = nn.Dropout()


class Beside(Functional):
    """Dropout runs, and reaches nothing."""

    def __init__(self):
        super().__init__()
        self.beside = nn.Dropout()

    def forward(self, x):
        self.beside(x)
        return self.head(self.hidden(x))


def test_dropout_as_a_function_is_out_of_reach_and_layers_are_named():
    with pytest.raises(InvalidInput, match=r"hidden, head.*called as a function"):
        mc_dropout(Functional(), INPUTS)


def test_dropout_layers_that_never_run_are_named():
    with pytest.raises(Undefined, match="forgotten"):
        mc_dropout(Idle(), INPUTS)


def test_identical_passes_are_said():
    with pytest.warns(IdenticalPasses, match="same answers"):
        mc_dropout(Beside(), INPUTS)


def test_options_out_of_range_are_refused():
    for options, message in [
        ({"layer": "1"}, "layers and a rate"),
        ({"layer": [], "rate": 0.1}, "layers and a rate"),
        ({"layer": "11", "rate": 0.1}, "Did you mean '1'"),
        ({"rate": 1.0}, "rate must lie"),
        ({"rate": 0.0}, "rate must lie"),
        ({"passes": 0}, "passes"),
        ({"batch": 0}, "batch"),
        ({"seed": -1}, "seed"),
        ({"output": "logit"}, "unknown output"),
    ]:
        with refused((options, message), InvalidInput, match=message):
            mc_dropout(net(), INPUTS, **options)


def test_what_is_no_module_and_no_inputs_are_refused():
    with pytest.raises(InvalidInput, match="torch module"):
        mc_dropout(np.sum, INPUTS)
    with pytest.raises(InvalidInput, match="at least one input"):
        mc_dropout(net(), INPUTS[:0])
