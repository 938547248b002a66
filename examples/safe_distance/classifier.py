"""A stand-in for the classifier of the vehicle: two classes, eight features, and tests drawn from operation."""

import numpy as np

WEIGHTS = np.array([1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
TESTS = 6000


def scores(inputs):
    """Scores of water and asset."""
    margin = inputs @ WEIGHTS
    return np.column_stack([-margin, margin]) / 2


def tests():
    """Labelled tests as operation brings them; the seed makes them the same each time."""
    rng = np.random.default_rng(5)
    labels = (rng.random(TESTS) < 0.5).astype(int)
    centres = np.where(labels, 1.0, -1.0)[:, None] * np.array([1.3, 1.2, 1.0, 0.9, 0.7, 0.5, 0.4, 0.2])
    return {"inputs": centres + rng.normal(size=(TESTS, len(WEIGHTS))), "labels": labels}
