"""A stand-in for the detector of the vehicle: two classes, eight features, tests and unlabelled operation."""

import numpy as np

WEIGHTS = np.array([1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
CENTRE = np.array([1.3, 1.2, 1.0, 0.9, 0.7, 0.5, 0.4, 0.2])
TESTS, APPROACHES = 6000, 20_000


def scores(inputs):
    """Scores of water and asset."""
    margin = inputs @ WEIGHTS
    return np.column_stack([-margin, margin]) / 2


def tests():
    """Labelled tests as operation brings them; the seed makes them the same each time."""
    inputs, labels = _seen(TESTS, seed=5)
    return {"inputs": inputs, "labels": labels}


def operation():
    """What the camera saw in operation; nobody has labelled it."""
    inputs, _ = _seen(APPROACHES, seed=6)
    return {"inputs": inputs}


def _seen(count, seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random(count) < 0.5).astype(int)
    centres = np.where(labels, 1.0, -1.0)[:, None] * CENTRE
    return centres + rng.normal(size=(count, len(WEIGHTS))), labels
