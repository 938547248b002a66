from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.special import softmax
from tests.refusals import refused
from torch import nn

from surefoot.adapters import as_model
from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.monitors import ODIN, Detector

RNG = np.random.default_rng(2)
INPUTS = RNG.normal(size=(30, 6))


def linear():
    torch.manual_seed(0)
    return nn.Linear(6, 4).double()


def curved():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 4)).double()


def log_confidence(module, x, temperature):
    with torch.no_grad():
        logits = module.eval()(torch.tensor(x)).numpy()
    return np.log(softmax(logits / temperature, axis=1).max(axis=1))


@pytest.mark.parametrize(("temperature", "epsilon"), [(1000.0, 0.0014), (1.0, 0.1), (10.0, 0.0)])
def test_scores_of_a_linear_model_are_the_closed_form(temperature, epsilon):
    module = linear()
    w, b = (p.detach().numpy() for p in (module.weight, module.bias))
    p = softmax((INPUTS @ w.T + b) / temperature, axis=1)
    gradient = (w[p.argmax(axis=1)] - p @ w) / temperature
    moved = INPUTS + epsilon * np.sign(gradient)
    expected = 1 - softmax((moved @ w.T + b) / temperature, axis=1).max(axis=1)
    found = ODIN(module, temperature=temperature, epsilon=epsilon).fit(INPUTS).decision_function(INPUTS)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("temperature", [1.0, 1000.0])
def test_the_step_goes_where_finite_differences_rise(temperature):
    module, step = curved(), 1e-5
    slopes = []
    for aside in step * np.eye(6):
        up, down = (log_confidence(module, INPUTS + s * aside, temperature) for s in (1, -1))
        slopes.append(temperature * (up - down) / (2 * step))
    clear = (np.abs(slopes) > 1e-4).all(axis=0)
    assert clear.mean() > 0.7
    moved = INPUTS + 0.01 * np.sign(np.transpose(slopes))
    found = ODIN(module, temperature=temperature, epsilon=0.01).fit(INPUTS).decision_function(INPUTS)
    np.testing.assert_allclose(found[clear], 1 - np.exp(log_confidence(module, moved, temperature))[clear], rtol=1e-12)


def test_the_step_makes_the_model_surer():
    module = curved()
    still, moved = (ODIN(module, epsilon=e).fit(INPUTS).decision_function(INPUTS) for e in (0.0, 0.01))
    assert (moved < still).all()


def test_single_precision_keeps_the_order_at_a_high_temperature():
    module = linear().float()
    logits = module(torch.tensor(INPUTS, dtype=torch.float32)).detach().numpy().astype(float)
    found = ODIN(module, epsilon=0.0).fit(INPUTS).decision_function(INPUTS)
    assert found == pytest.approx(1 - softmax(logits / 1000, axis=1).max(axis=1), rel=1e-12)
    assert len(np.unique(found)) == len(found)
    assert np.ptp(found) < 0.01


def test_the_size_of_batches_does_not_matter():
    one, many = (ODIN(curved(), batch=b).fit(INPUTS).decision_function(INPUTS) for b in (1, 7))
    assert one == pytest.approx(many, rel=1e-12)


def test_the_module_stays_as_it_was():
    module = curved().train()
    module[0].weight.requires_grad_(False)
    module[4](torch.zeros(1, 8, dtype=torch.float64)).sum().backward()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    gradient = module[4].bias.grad.clone()
    module[2].eval()
    ODIN(module).fit(INPUTS).decision_function(INPUTS)
    assert [part.training for part in module] == [True, True, False, True, True]
    assert [p.requires_grad for p in module.parameters()][:2] == [False, True]
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert torch.equal(module[4].bias.grad, gradient)
    assert module[0].bias.grad is None


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_it_works_where_gradients_are_switched_off(mode):
    module = curved()
    expected = ODIN(module).fit(INPUTS).decision_function(INPUTS)
    with mode():
        assert ODIN(module).fit(INPUTS).decision_function(INPUTS).tolist() == expected.tolist()


def test_images_and_answers_with_a_field_of_logits_will_do():
    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(18, 3))

        def forward(self, x):
            return SimpleNamespace(logits=self.body(x))

    torch.manual_seed(0)
    module, images = Wrapped(), RNG.random((5, 1, 5, 5))
    found = ODIN(module).fit(images).decision_function(images)
    assert found == pytest.approx(ODIN(module.body).fit(images).decision_function(images))


def test_without_the_step_any_model_of_logits_will_do():
    def logits(x):
        return x[:, :3]

    expected = 1 - softmax(INPUTS[:, :3] / 1000, axis=1).max(axis=1)
    assert ODIN(logits, epsilon=0).fit(INPUTS).decision_function(INPUTS) == pytest.approx(expected)
    assert ODIN(as_model(linear())).fit(INPUTS).decision_function(INPUTS).shape == (30,)


def test_files_do_not_hold_the_model(tmp_path):
    module = linear()
    made = ODIN(module, epsilon=0.01).fit(INPUTS)
    made.save(tmp_path / "made.npz")
    with pytest.raises(InvalidInput, match=r"needs its model\. Use load\(path, model="):
        Detector.load(tmp_path / "made.npz")
    read = Detector.load(tmp_path / "made.npz", model=module)
    assert read.parameters == {"temperature": 1000.0, "epsilon": 0.01, "batch": 256}
    assert read.decision_function(INPUTS).tolist() == made.decision_function(INPUTS).tolist()


def test_the_step_needs_a_torch_module():
    def numpy_model(x):
        return x

    with pytest.raises(InvalidInput, match="needs a torch module; found numpy_model"):
        ODIN(numpy_model)


def test_a_model_of_probabilities_is_refused():
    from sklearn.linear_model import LogisticRegression

    known = LogisticRegression().fit(INPUTS, np.arange(30) % 3)
    with pytest.raises(InvalidInput, match="one logit for each class; found a model that gives a probability"):
        ODIN(known, epsilon=0)
    scored = ODIN(known.decision_function, epsilon=0).fit(INPUTS).decision_function(INPUTS)
    assert np.isfinite(scored).all()


def test_a_single_logit_is_refused():
    for epsilon in [0.0, 0.1]:
        for module in [nn.Linear(6, 1), nn.Sequential(nn.Linear(6, 1), nn.Flatten(0))]:
            with refused((epsilon, module), InvalidInput, match="one logit for each class"):
                ODIN(module, epsilon=epsilon).fit(INPUTS)


def test_a_model_without_gradient_is_refused_when_it_is_fitted():
    class Rounded(nn.Linear):
        def forward(self, x):
            return super().forward(x.detach())

    with pytest.raises(InvalidInput, match=r"no gradient by its inputs\. Use epsilon=0"):
        ODIN(Rounded(6, 3)).fit(INPUTS)
    assert ODIN(Rounded(6, 3), epsilon=0).fit(INPUTS).decision_function(INPUTS).shape == (30,)


def test_inputs_of_a_shape_that_the_model_does_not_take_are_refused():
    with pytest.raises(DiagnosticsError, match="the model raised"):
        ODIN(linear()).fit(np.ones((2, 7)))


def test_inputs_beyond_the_models_precision_are_refused():
    with pytest.raises(DiagnosticsError, match="NaN or infinity"):
        ODIN(linear().float()).fit(INPUTS).decision_function(np.full((1, 6), 1e300))


def test_options_are_checked():
    for options in [{"temperature": 0}, {"epsilon": -1}, {"epsilon": np.nan}, {"batch": 0}, {"temperature": np.inf}]:
        with refused(options, InvalidInput, match=next(iter(options))):
            ODIN(linear(), **options)
