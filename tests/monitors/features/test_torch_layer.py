"""Features of torch layers, against layers called by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.monitors import KNN, Detector, Energy, Ensemble, MaxSoftmax, Monitor, TorchFeatures, features

layer_features = features.layer_features

IMAGES = np.random.default_rng(0).random((11, 1, 6, 6)).astype(np.float32)
BATCH = torch.from_numpy(IMAGES)


class Net(nn.Module):
    """A small network whose activation changes what batch normalisation gave, in place."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.act = nn.ReLU(inplace=True)
        self.tail = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.Dropout(0.5), nn.Linear(8, 3))
        self.unused = nn.Linear(2, 2)

    def forward(self, x):
        return self.tail(self.act(self.norm(self.conv(x))))


@pytest.fixture
def net():
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        return Net()


def by_hand(net):
    """What norm, act and the inner linear layer give, and the answer, in evaluation mode."""
    with torch.no_grad():
        norm = torch.nn.functional.batch_norm(
            net.conv(BATCH), net.norm.running_mean, net.norm.running_var, net.norm.weight, net.norm.bias
        )
        act = torch.relu(norm)
        inner = net.tail[1](act.flatten(1))
        return SimpleNamespace(
            norm=norm.numpy(), act=act.numpy(), inner=inner.numpy(), answer=net.tail[3](inner).numpy()
        )


@pytest.mark.parametrize("batch", [1, 4, 11, 256])
def test_features_and_predictions_come_from_one_pass(net, batch):
    runs = []
    net.register_forward_hook(lambda *_: runs.append(1))
    features, predictions = TorchFeatures(net, "tail.1", batch=batch)(IMAGES)
    np.testing.assert_allclose(features, by_hand(net).inner, atol=1e-6)
    np.testing.assert_array_equal(predictions, by_hand(net).answer.argmax(axis=1))
    assert len(runs) == -(-11 // batch)


def test_features_are_flattened_averaged_or_pooled_by_a_function(net):
    act = by_hand(net).act
    np.testing.assert_allclose(TorchFeatures(net, "act").features(IMAGES), act.reshape(11, -1), atol=1e-6)
    np.testing.assert_allclose(
        TorchFeatures(net, "act", pool="mean").features(IMAGES), act.mean(axis=(2, 3)), atol=1e-6
    )
    largest = TorchFeatures(net, "act", pool=lambda maps: maps.max(axis=(2, 3)))
    np.testing.assert_allclose(largest.features(IMAGES), act.max(axis=(2, 3)), atol=1e-6)


def test_features_are_those_before_a_later_layer_changes_them_in_place(net):
    found = TorchFeatures(net, "norm").features(IMAGES)
    assert found.min() < 0
    np.testing.assert_allclose(found, by_hand(net).norm.reshape(11, -1), atol=1e-6)


def test_scores_are_the_answer_of_the_module(net):
    np.testing.assert_allclose(TorchFeatures(net, "act").scores(IMAGES), by_hand(net).answer, atol=1e-6)


def test_the_module_stays_as_it_was(net):
    net.train()
    net.norm.eval()
    flags = [part.training for part in net.modules()]
    mean = net.norm.running_mean.clone()
    TorchFeatures(net, "act")(IMAGES)
    assert [part.training for part in net.modules()] == flags
    assert torch.equal(net.norm.running_mean, mean)
    assert not net.act._forward_hooks
    with pytest.raises(DiagnosticsError, match="the model raised"):
        TorchFeatures(net, "conv")(IMAGES[:, :, :2])
    assert not net.conv._forward_hooks


def test_classes_name_the_columns_of_the_answer(net):
    names = TorchFeatures(net, "act", classes=["cat", "dog", "fox"])(IMAGES)[1]
    assert names.tolist() == [["cat", "dog", "fox"][number] for number in by_hand(net).answer.argmax(axis=1)]
    with pytest.raises(InvalidInput, match="2 for 3 columns"):
        TorchFeatures(net, "act", classes=["cat", "dog"])(IMAGES)


def test_layers_are_listed_in_their_order(net):
    names = TorchFeatures.layers(net)
    assert names == ["conv", "norm", "act", "tail", "tail.0", "tail.1", "tail.2", "tail.3", "unused"]


@pytest.mark.parametrize(
    ("layer", "message"),
    [("tial.1", "Did you mean 'tail.1'"), ("", "unknown layer"), (3, "unknown layer")],
    ids=["misspelt", "empty", "number"],
)
def test_unknown_layers_are_refused(net, layer, message):
    with pytest.raises(InvalidInput, match=message):
        TorchFeatures(net, layer)


def test_a_layer_that_never_runs_is_refused(net):
    with pytest.raises(InvalidInput, match="unused"):
        TorchFeatures(net, "unused")(IMAGES)


class Shared(nn.Module):
    """One activation called twice, and an answer that is a tuple."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.act = nn.Linear(3, 4), nn.Linear(4, 2), nn.Tanh()

    def forward(self, x):
        return self.act(self.second(self.act(self.first(x)))), "more"


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(3, 5, batch_first=True), nn.Linear(5, 2)

    def forward(self, x):
        return {"logits": self.head(self.rnn(x)[0][:, -1])}


def test_a_layer_called_twice_gives_its_last_call():
    rows = np.ones((2, 3), dtype=np.float32)
    shared = TorchFeatures(Shared(), "act")
    np.testing.assert_array_equal(shared.features(rows), shared.scores(rows))


def test_a_layer_that_gives_a_tuple_counts_with_its_first_tensor():
    module = Recurrent()
    rows = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    with torch.no_grad():
        steps = module.rnn(torch.from_numpy(rows))[0].numpy()
    last = TorchFeatures(module, "rnn", pool=lambda given: given[:, -1])
    np.testing.assert_allclose(last.features(rows), steps[:, -1], atol=1e-6)
    assert last.scores(rows).shape == (2, 2)


def test_one_column_is_the_prediction_unless_a_rule_is_given():
    module = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    rows = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    plain = TorchFeatures(module, "0")
    np.testing.assert_array_equal(plain(rows)[1], plain.scores(rows)[:, 0])
    ruled = TorchFeatures(module, "0", predict=lambda scores: scores[:, 0] > 0)
    assert ruled(rows)[1].dtype == bool
    with pytest.raises(InvalidInput, match="predict="):
        TorchFeatures(module, "0", classes=["no", "yes"])(rows)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_modules_of_any_precision_give_features(net, dtype):
    features, predictions = TorchFeatures(net.to(dtype), "tail.1")(IMAGES)
    assert (features.shape, predictions.shape) == ((11, 8), (11,))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"pool": "max"}, "unknown pool"), ({"batch": 0}, "batch")],
    ids=["pool", "batch"],
)
def test_options_out_of_range_are_refused(net, options, message):
    with pytest.raises(InvalidInput, match=message):
        TorchFeatures(net, "act", **options)


def test_pooling_that_loses_inputs_is_refused(net):
    with pytest.raises(DiagnosticsError, match="for 11 inputs"):
        TorchFeatures(net, "act", pool=lambda maps: maps[1:])(IMAGES)


def test_no_inputs_and_no_module_are_refused(net):
    with pytest.raises(InvalidInput, match="at least one input"):
        TorchFeatures(net, "act")(IMAGES[:0])
    with pytest.raises(InvalidInput, match="torch module"):
        TorchFeatures(np.sum, "act")
    with pytest.raises(InvalidInput, match="torch module"):
        TorchFeatures.layers(np.sum)


def test_layer_features_looks_into_a_loaded_module(net):
    view = layer_features(net, "tail.1")
    np.testing.assert_allclose(view(IMAGES), by_hand(net).inner, atol=1e-6)
    with pytest.raises(InvalidInput, match="no layers"):
        layer_features(np.sum, "tail.1")


class Largest(Detector):
    """Scores rows by their largest value."""

    name = "largest"

    def _fit(self, rows, classes):
        return {}

    def _score(self, rows, classes, ready):
        return rows.max(axis=1)


def test_a_monitor_watches_a_layer(net):
    watch = TorchFeatures(net, "tail.1")
    detector = Largest().fit(watch.features(IMAGES))
    monitor = Monitor(detector, threshold=0.0, watch=watch)
    expected = by_hand(net).inner.max(axis=1)
    np.testing.assert_allclose(monitor.scores(IMAGES), expected, atol=1e-6)
    seen = [monitor.step(image) for image in IMAGES]
    np.testing.assert_allclose([one.score for one in seen], expected, atol=1e-6)
    assert [one.prediction for one in seen] == by_hand(net).answer.argmax(axis=1).tolist()


def test_a_monitor_sees_features_logits_and_inputs_of_one_pass(net):
    watch = TorchFeatures(net, "tail.1", pool=lambda layer: layer)
    calls = []
    net.register_forward_hook(lambda *seen: calls.append(1))
    usual = watch.forward_pass(IMAGES)
    np.testing.assert_allclose(usual.logits, by_hand(net).answer, atol=1e-6)
    np.testing.assert_array_equal(usual.inputs, IMAGES)
    both = Ensemble([Energy(), KNN(2)], held_out=0).fit(usual)
    monitor = Monitor(both, threshold=0.9, watch=watch)
    calls.clear()
    np.testing.assert_allclose(monitor.scores(IMAGES), both.decision_function(usual), atol=1e-6)
    assert len(calls) == 1
    assert [monitor.step(image).alarm for image in IMAGES] == monitor.alarms(IMAGES).tolist()
    # A detector of answers gets these, not the features.
    energy = Monitor(Energy().fit(usual), threshold=0.0, watch=watch)
    np.testing.assert_allclose(energy.scores(IMAGES), energy.detector.decision_function(usual.logits), atol=1e-6)


def test_a_module_that_ends_in_a_softmax_says_so(net):
    watch = TorchFeatures(nn.Sequential(net, nn.Softmax(1)), "0.tail.1", answers="probabilities")
    seen = watch.forward_pass(IMAGES)
    np.testing.assert_allclose(np.sum(seen.probabilities, axis=1), 1, atol=1e-6)
    with pytest.raises(InvalidInput, match="shows no logits"):
        Energy().fit(seen)
    assert MaxSoftmax(on="probabilities").fit(seen).decision_function(seen).shape == (11,)


def test_threads_that_share_a_module_get_their_own_features():
    from concurrent.futures import ThreadPoolExecutor

    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(64, 3))
    module.train()
    watch = TorchFeatures(module, "1")
    rows = np.random.default_rng(0).normal(size=(600, 1, 8)).astype(np.float32)
    alone = [watch(row) for row in rows]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(watch, rows))
    for (seen, answer), (seen_alone, answer_alone) in zip(together, alone, strict=True):
        np.testing.assert_array_equal(seen, seen_alone)
        np.testing.assert_array_equal(answer, answer_alone)
    assert module.training
