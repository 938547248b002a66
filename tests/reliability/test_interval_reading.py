"""Layers read from scikit-learn and torch give the scores that the models give; anything else is refused in words."""

import numpy as np
import pytest
import torch
from sklearn.datasets import make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from tests.refusals import refused
from torch import nn

from surefoot.adapters import as_model
from surefoot.core import InvalidInput
from surefoot.reliability import read_network

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, Y = make_blobs(200, centers=3, n_features=3, random_state=0)
BINARY = (Y == 1).astype(int)


def perceptron(**options):
    return MLPClassifier(hidden_layer_sizes=(7, 5), max_iter=30, random_state=0, **options)


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def test_softmax_of_the_layers_is_predict_proba_of_perceptrons():
    for labels in [Y, BINARY]:
        for activation in ["relu", "tanh", "logistic", "identity"]:
            model = perceptron(activation=activation).fit(X, labels)
            np.testing.assert_allclose(
                softmax(read_network(model).scores(X)), model.predict_proba(X), atol=1e-12, err_msg=repr(activation)
            )


SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler((-1, 3)),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(with_centering=False),
    RobustScaler(with_scaling=False),
    "passthrough",
]


def test_scalers_before_a_perceptron_are_read():
    for scaler in SCALERS:
        model = make_pipeline(scaler, perceptron()).fit(X, Y)
        np.testing.assert_allclose(
            softmax(read_network(model).scores(X)), model.predict_proba(X), atol=1e-12, err_msg=repr(scaler)
        )


def test_linear_classifiers_decide_as_their_layers():
    for labels in [Y, BINARY]:
        for model in [LogisticRegression(), LinearDiscriminantAnalysis(), RidgeClassifier()]:
            fitted = make_pipeline(StandardScaler(), model).fit(X, labels)
            assert (read_network(fitted).decide(X) == fitted.predict(X)).all(), model


def test_a_perceptron_trained_in_single_precision_is_read_with_its_rounding():
    assert read_network(perceptron().fit(X.astype(np.float32), Y)).unit == 2.0**-24
    assert read_network(perceptron().fit(X, Y)).unit == 2.0**-53


def test_loaded_models_and_methods_are_read_through():
    model = perceptron().fit(X, Y)
    expected = read_network(model).scores(X)
    for given in (model.predict_proba, as_model(model), as_model(model.predict), as_model(as_model(model))):
        assert (read_network(given).scores(X) == expected).all()


def module(*end, outputs=3):
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Flatten(),
        nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Dropout(0.5)),
        nn.Linear(6, 5, bias=False),
        nn.Tanh(),
        nn.Identity(),
        nn.Linear(5, 4),
        nn.Sigmoid(),
        nn.Linear(4, outputs),
        *end,
    ).double()


def torch_scores(model):
    with torch.no_grad():
        return model.eval()(torch.from_numpy(X)).numpy()


def test_torch_sequences_are_read():
    model = module()
    np.testing.assert_allclose(read_network(model).scores(X), torch_scores(model), atol=1e-12)


def test_a_softmax_at_the_end_of_a_torch_sequence_keeps_the_order():
    for end in [nn.Softmax(dim=1), nn.LogSoftmax(dim=-1)]:
        model = module(end)
        scores = read_network(model).scores(X)
        found = np.exp(torch_scores(model)) if isinstance(end, nn.LogSoftmax) else torch_scores(model)
        np.testing.assert_allclose(softmax(scores), found, atol=1e-12, err_msg=repr(end))


def test_one_torch_output_is_the_score_of_the_second_class():
    for end in ((), (nn.Sigmoid(),)):
        network = read_network(module(*end, outputs=1))
        logit = torch_scores(module(outputs=1))
        np.testing.assert_allclose(network.scores(X), np.hstack([0 * logit, logit]), atol=1e-12)


def test_several_torch_outputs_keep_the_sigmoid_that_can_saturate():
    model = module(nn.Sigmoid())
    np.testing.assert_allclose(read_network(model).scores(X), torch_scores(model), atol=1e-12)


def test_torch_precision_is_known():
    for kind, unit in [(torch.float64, 2.0**-53), (torch.float32, 2.0**-24), (torch.bfloat16, 2.0**-8)]:
        assert read_network(module().to(kind)).unit == unit, kind


def test_coarser_matrix_products_of_torch_are_known():
    torch.set_float32_matmul_precision("medium")
    try:
        assert read_network(module().float()).factors == 2.0**-7
    finally:
        torch.set_float32_matmul_precision("highest")


def test_inputs_of_another_size_than_an_estimator_takes_are_refused():
    model = perceptron().fit(X, Y)
    assert read_network(model, (3, 1)).inputs == 3
    with pytest.raises(InvalidInput, match=r"inputs of shape \(2, 2\) for a model that takes 3 features"):
        read_network(model, (2, 2))


class Doubling(nn.Linear):
    def forward(self, x):
        return 2 * super().forward(x)


def spoilt():
    model = perceptron().fit(X, Y)
    model.coefs_[0][0, 0] = np.nan
    return model


REFUSED = {
    "RandomForestClassifier": lambda: RandomForestClassifier(5).fit(X, Y),
    "function": lambda: lambda x: x,
    "not fitted": lambda: perceptron(),
    "PolynomialFeatures": lambda: make_pipeline(PolynomialFeatures(2), perceptron()).fit(X, Y),
    "clip=True": lambda: make_pipeline(MinMaxScaler(clip=True), perceptron()).fit(X, Y),
    "SGDClassifier": lambda: SGDClassifier(loss="log_loss", random_state=0).fit(X, Y),
    "several labels": lambda: perceptron().fit(X, np.eye(3, dtype=int)[Y]),
    "NaN": spoilt,
    "Conv1d": lambda: nn.Sequential(nn.Linear(3, 4), nn.Conv1d(1, 1, 1)),
    "Softmax": lambda: nn.Sequential(nn.Linear(3, 4), nn.Softmax(dim=1), nn.Linear(4, 2)),
    "over the classes": lambda: nn.Sequential(nn.Linear(3, 4), nn.Softmax(dim=0)),
    "Flatten": lambda: nn.Sequential(nn.Flatten(0), nn.Linear(3, 4)),
    "Doubling": lambda: nn.Sequential(Doubling(3, 4)),
    "begin with a linear layer": lambda: nn.Sequential(nn.ReLU(), nn.Linear(3, 4)),
}


def test_what_cannot_be_read_is_refused_with_a_remedy():
    for found in REFUSED:
        with refused(found, InvalidInput, match=found) as caught:
            read_network(REFUSED[found]())
        assert "MonteCarlo" in caught.value.remedy, found
