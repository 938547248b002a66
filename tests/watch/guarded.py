"""A small component with known behaviour: two numbers in the unit square, wrong where the second is large."""

import numpy as np

from surefoot import watch
from surefoot.project import Project, run

CLASSES = ("left", "right")
CONDITIONS = {
    "assumptions": [
        {"id": "warm", "text": "It is warm.", "column": "heat", "at_least": 10},
        {"id": "stated", "text": "Nobody kicks it."},
    ],
    "odd": {"light": ["day", "night"]},
}


def answer(inputs):
    """Probability of the right side; wrong where the second number is above 0.98."""
    right = (inputs[:, 0] > 0.5) ^ (inputs[:, 1] > 0.98)
    return np.column_stack([~right, right]).astype(float)


def rows(count, seed, *, wrong=None):
    """Inputs with their labels; ``wrong`` says how often the component fails."""
    rng = np.random.default_rng(seed)
    inputs = rng.random((count, 2))
    if wrong is not None:
        failing = rng.random(count) < wrong
        inputs[:, 1] = np.where(failing, 0.98 + 0.02 * rng.random(count), 0.98 * rng.random(count))
    return inputs, np.where(inputs[:, 0] > 0.5, "right", "left")


def attributes(count, *, heat=20.0, light="day"):
    return {"heat": np.full(count, heat), "light": np.full(count, light)}


def project(count=1500, **further):
    inputs, labels = rows(count, seed=0)
    data = {"inputs": inputs, "labels": labels, "attributes": attributes(count)}
    return Project.of(
        "Side guard",
        model=answer,
        data=data,
        classes=list(CLASSES),
        conditions=CONDITIONS,
        evidence={"errors": {"step": "binomial_bound"}, "lefts": {"step": "binomial_bound", "of": "left"}},
        targets={
            "errors": {"estimate": "errors.failure probability", "at_most": 0.05},
            "lefts": {"estimate": "lefts.failure probability", "at_most": 0.05},
        },
        name="guard",
        **further,
    )


def watched(level=0.99, given=None):
    made = given or project()
    return watch.Watch(made, run(made), level=level)
