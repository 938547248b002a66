"""Boxes proved safe hold no undesired answer; what cannot be read is not proved; hopeless work stops early."""

import numpy as np
import pytest
import torch
from torch import nn

from surefoot.adapters import as_model
from surefoot.reliability import proved_safe, read_network
from surefoot.reliability.proofs import box_proofs
from surefoot.reliability.proofs.box_proofs import provable, proves

SHAPE = (1, 6, 6)
FEATURES = 36


@pytest.fixture(scope="module")
def module():
    """A network that tells apart where the brightest of three stripes lies."""
    torch.manual_seed(0)
    images, labels = stripes(600)
    network = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 2), nn.ReLU(), nn.Flatten(), nn.Linear(36, 3)
    )
    optimiser = torch.optim.Adam(network.parameters(), 0.01)
    for _ in range(60):
        optimiser.zero_grad()
        nn.functional.cross_entropy(network(torch.from_numpy(images)), torch.from_numpy(labels)).backward()
        optimiser.step()
    return network


def stripes(count, seed=0):
    rng = np.random.default_rng(seed)
    images, labels = 0.4 * rng.random((count, *SHAPE)), rng.integers(0, 3, count)
    for row in (0, 1):
        images[np.arange(count), 0, 2 * labels + row] += 0.5
    return images.astype(np.float32), labels


def boxes_of(radius, count=150):
    images, labels = stripes(count, seed=1)
    rows = images.reshape(count, FEATURES).astype(float)
    return np.maximum(rows - radius, 0), np.minimum(rows + radius, 1), labels


def others(labels):
    return labels[:, None] != np.arange(3)


def attacked(module, lower, upper, labels, steps=10):
    """Answers at corners that a climb along gradient signs reaches, one row for each step."""
    low, high = torch.from_numpy(lower).float(), torch.from_numpy(upper).float()
    points, answers = (low + high) / 2, []
    for _ in range(steps):
        points.requires_grad_()
        scores = module(points.reshape(-1, *SHAPE))
        answers.append(scores.argmax(dim=1).numpy())
        nn.functional.cross_entropy(scores, torch.from_numpy(labels)).backward()
        points = torch.where(points.grad > 0, high, low)
    return np.array(answers)


@pytest.mark.parametrize("radius", [0.1, 0.15])
def test_no_undesired_answer_is_found_in_boxes_proved_safe(module, radius):
    lower, upper, labels = boxes_of(radius)
    safe = proved_safe(as_model(module), SHAPE, lower, upper, others(labels), labels)
    right = attacked(module, lower, upper, labels) == labels
    assert right[:, safe].all()
    assert safe.any()
    assert not right[:, ~safe].all()


def test_only_undesired_classes_need_to_be_beaten(module):
    lower, upper, labels = boxes_of(0.12)
    strict = proved_safe(module, SHAPE, lower, upper, others(labels), labels)
    one = others(labels) & (np.arange(3) != (labels[:, None] + 1) % 3)
    lenient = proved_safe(module, SHAPE, lower, upper, one, labels)
    assert lenient[strict].all()
    assert lenient.sum() > strict.sum()
    assert proved_safe(module, SHAPE, lower, upper, np.zeros_like(one), labels).all()


def test_each_method_proves_what_the_cheaper_one_does_and_corners_lose_no_proof(module):
    lower, upper, labels = boxes_of(0.08)
    network = read_network(module, SHAPE)
    interval, linear = (proves(network, lower, upper, labels, method=m) for m in ("interval", "linear"))
    margins = box_proofs.in_batches(
        box_proofs.by_planes, network, box_proofs.Range(lower, upper), labels, rows=network.inner
    )
    np.testing.assert_array_equal(linear, ((margins > network.tie) | ~others(labels)).all(axis=1))
    assert interval.sum() < linear.sum() < len(labels)


def counted(monkeypatch):
    """Boxes that linear bounds were asked for, by call."""
    asked, by_plane = [], box_proofs.by_plane
    monkeypatch.setattr(
        box_proofs, "by_plane", lambda network, box, c: asked.append(len(c)) or by_plane(network, box, c)
    )
    return asked


def test_linear_bounds_are_given_up_where_the_first_boxes_are_not_proved(module, monkeypatch):
    asked = counted(monkeypatch)
    network = read_network(module, SHAPE)
    assert not provable(network, *boxes_of(0.5), patience=10).any()
    assert sum(asked) == 10


def test_linear_bounds_go_on_where_one_of_the_first_boxes_is_proved(module, monkeypatch):
    network = read_network(module, SHAPE)
    asked = counted(monkeypatch)
    found = provable(network, *boxes_of(0.05), patience=10)
    np.testing.assert_array_equal(found, proves(network, *boxes_of(0.05)))
    left = ~proves(network, *boxes_of(0.05), method="interval")
    assert sum(asked) == 2 * left.sum()


def test_intervals_alone_need_no_patience(module, monkeypatch):
    asked = counted(monkeypatch)
    network = read_network(module, SHAPE)
    found = provable(network, *boxes_of(0.02), method="interval")
    np.testing.assert_array_equal(found, proves(network, *boxes_of(0.02), method="interval"))
    assert not asked


class Inverted(nn.Module):
    def forward(self, x):
        return 1 - x


def test_nothing_is_proved_for_models_that_cannot_be_read(module):
    lower, upper, labels = boxes_of(0.01, 5)
    for model in (nn.Sequential(Inverted(), module), lambda inputs: np.eye(3)[:1].repeat(len(inputs), axis=0)):
        assert not proved_safe(model, SHAPE, lower, upper, others(labels), labels).any()
    assert not proved_safe(module, (FEATURES,), lower, upper, others(labels), labels).any()
    assert proved_safe(module, SHAPE, lower, upper, others(labels), labels).any()


def test_nothing_is_proved_for_a_model_that_does_not_answer_as_its_layers_say(module):
    lower, upper, labels = boxes_of(0.01, 5)
    swapped = as_model(module)
    function = swapped.function
    object.__setattr__(swapped, "function", lambda inputs: -function(inputs))
    assert not proved_safe(swapped, SHAPE, lower, upper, others(labels), labels).any()


def test_other_classes_than_the_model_has_prove_nothing(module):
    lower, upper, labels = boxes_of(0.01, 5)
    assert not proved_safe(module, SHAPE, lower, upper, np.ones((5, 4), dtype=bool), labels).any()


def test_boxes_of_a_module_in_training_mode_with_dropout_are_those_of_evaluation(module):
    lower, upper, labels = boxes_of(0.02)
    training = nn.Sequential(*module[:4], nn.Dropout(0.9), *module[4:]).train()
    found = proved_safe(training, SHAPE, lower, upper, others(labels), labels)
    np.testing.assert_array_equal(found, proved_safe(module, SHAPE, lower, upper, others(labels), labels))
    assert training.training


def test_no_boxes_are_no_proofs(module):
    lower, upper, labels = (part[:0] for part in boxes_of(0.1, 5))
    assert proved_safe(module, SHAPE, lower, upper, others(labels), labels).shape == (0,)
