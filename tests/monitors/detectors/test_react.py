import numpy as np
import pytest
import torch
from scipy.special import logsumexp
from sklearn.metrics import roc_auc_score
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Detector, Energy, ReAct

RNG = np.random.default_rng(1)
WEIGHTS, BIAS = RNG.normal(size=(3, 5)), RNG.normal(size=3)
USUAL, QUERIES = np.maximum(RNG.normal(size=(200, 5)), 0), np.maximum(3 * RNG.normal(size=(40, 5)), 0)


@pytest.mark.parametrize(("percentile", "temperature"), [(90, 1.0), (50, 1.0), (100, 2.5), (0, 1.0)])
def test_it_is_the_energy_of_cut_off_features(percentile, temperature):
    limit = np.percentile(USUAL.ravel(), percentile)
    logits = np.array(
        [[sum(w * min(h, limit) for w, h in zip(row, x, strict=True)) for row in WEIGHTS] for x in QUERIES]
    )
    expected = -temperature * logsumexp((logits + BIAS) / temperature, axis=1)
    found = ReAct(WEIGHTS, BIAS, percentile=percentile, temperature=temperature).fit(USUAL).decision_function(QUERIES)
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_layer_of_torch_scores_as_torch_does():
    torch.manual_seed(0)
    layer = torch.nn.Linear(5, 3).double()
    limit = torch.quantile(torch.tensor(USUAL), 0.9)
    with torch.no_grad():
        expected = -torch.logsumexp(layer(torch.tensor(QUERIES).clamp(max=limit)), dim=1).numpy()
    assert ReAct.of(layer).fit(USUAL).decision_function(QUERIES) == pytest.approx(expected, rel=1e-12)


def test_a_layer_without_bias_has_a_bias_of_zero():
    layer = torch.nn.Linear(5, 3, bias=False)
    assert ReAct.of(layer, percentile=80, temperature=2.0).parameters == {"percentile": 80.0, "temperature": 2.0}
    assert np.asarray(ReAct.of(layer).bias).tolist() == [0.0, 0.0, 0.0]


def test_a_layer_that_changes_later_does_not_change_it():
    layer = torch.nn.Linear(5, 3)
    detector = ReAct.of(layer).fit(USUAL)
    before = detector.decision_function(QUERIES)
    with torch.no_grad():
        layer.weight.mul_(2)
    assert detector.decision_function(QUERIES).tolist() == before.tolist()


def test_cutting_off_tells_what_energy_alone_takes_for_usual():
    """Sun et al. 2021: strange inputs have a few activations that are far too large, which make logits large."""
    weights = np.abs(WEIGHTS)
    usual, strange = np.maximum(RNG.normal(1, 0.3, (200, 5)), 0), 9.0 * np.eye(5)[RNG.integers(5, size=200)]
    cut, alone = ReAct(weights).fit(usual), Energy().fit(usual @ weights.T)
    truth = np.repeat([0, 1], 200)
    both = np.concatenate([usual, strange])
    assert roc_auc_score(truth, cut.decision_function(both)) > 0.95
    assert roc_auc_score(truth, alone.decision_function(both @ weights.T)) < 0.2


def test_files_keep_the_layer(tmp_path):
    made = ReAct(WEIGHTS, BIAS, percentile=70).fit(USUAL)
    made.save(tmp_path / "made.npz")
    read = Detector.load(tmp_path / "made.npz")
    assert read.parameters == made.parameters
    assert read.decision_function(QUERIES).tolist() == made.decision_function(QUERIES).tolist()
    assert read.fit(USUAL[:50]).decision_function(QUERIES) == pytest.approx(
        ReAct(WEIGHTS, BIAS, percentile=70).fit(USUAL[:50]).decision_function(QUERIES)
    )


def test_features_must_fit_the_layer():
    with pytest.raises(InvalidInput, match="the layer's 5 inputs; found 4 columns"):
        ReAct(WEIGHTS, BIAS).fit(USUAL[:, :4])


def test_a_layer_is_checked():
    for arguments, match in [
        ((np.ones(3),), "a row for each class"),
        ((np.ones((0, 5)),), "a row for each class"),
        ((WEIGHTS, np.ones(2)), "weights, bias must have the same length"),
        ((WEIGHTS * np.nan,), "weights must be finite"),
    ]:
        with refused((arguments, match), InvalidInput, match=match):
            ReAct(*arguments)


def test_a_percentile_lies_between_0_and_100():
    for percentile in [-1, 100.5, np.nan, "most"]:
        with refused(percentile, InvalidInput, match="percentile must"):
            ReAct(WEIGHTS, percentile=percentile)


def test_only_a_linear_layer_will_do():
    with pytest.raises(InvalidInput, match=r"needs a torch Linear; found Conv2d\. Give the last layer"):
        ReAct.of(torch.nn.Conv2d(1, 1, 1))


def test_features_whose_logits_overflow_are_refused():
    with pytest.raises(InvalidInput, match="logits made of the features must be finite"):
        ReAct(WEIGHTS * 1e10).fit(USUAL).decision_function(np.full((1, 5), -1e308))


def test_extreme_features_have_a_limit_or_are_refused():
    extreme = np.array([[-1.7e308] * 5, [1.7e308] * 5])
    with pytest.raises(InvalidInput, match="percentile of the features"):
        ReAct(WEIGHTS, percentile=50).fit(extreme)
