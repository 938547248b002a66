"""Answers of a component, made up in the test."""

from __future__ import annotations

import numpy as np

from surefoot.adapters import Tested

CLASSES = ("benign", "malignant")


def screening(n=400, *, seed=0, distance=2.0, sort=None, **further):
    """A screening component whose log-odds are normal; every row has its own inputs."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    odds = np.where(labels == 1, 1, -1) * rng.normal(distance, 1, n)
    if sort is not None:
        order = np.argsort(labels if sort == "class" else odds, kind="stable")
        labels, odds = labels[order], odds[order]
    p = 1 / (1 + np.exp(-odds))
    given = {"inputs": rng.normal(size=(n, 3))} | further
    given["attributes"] = given.get("attributes", {})
    return Tested("screening", labels, np.column_stack([1 - p, p]), "probability", CLASSES, **given)


def scored(labels, scores, classes=CLASSES, *, output="score", **further):
    """A component with these scores."""
    return Tested("screening", np.asarray(labels), np.asarray(scores, dtype=float), output, classes, **further)


def answered(labels, answers, classes=CLASSES, **further):
    """A component that gives labels only."""
    scores = np.eye(len(classes))[np.asarray(answers, dtype=int)]
    return scored(labels, scores, classes, output="label", **further)


def checked(estimate):
    """Status of each assumption by id."""
    return {assumption.id: assumption.status for assumption in estimate.assumptions}
