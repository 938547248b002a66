"""A small system that measures brightness by two eyes, and studies of it."""

from __future__ import annotations

import numpy as np

from surefoot.systems import Answer, Condition, Items, Module, Score, Study, System, conditions

SIDE = 6
CONDITIONS = conditions(["gaussian_noise", "brightness"], (1, 5))


def pictures(count, seed=0):
    """Flat grey pictures, and how bright each is."""
    truth = np.random.default_rng(seed).uniform(0.2, 0.6, count)
    return np.broadcast_to(truth[:, None, None, None], (count, SIDE, SIDE, 1)).astype(np.float32), truth


def items(count=20, seed=0, **more):
    photos, truth = pictures(count, seed)
    return Items({"photo": photos}, truth=truth, **more)


def looked(v):
    flat = np.asarray(v, dtype=np.float64).reshape(len(v), -1)
    return Answer(flat.mean(axis=1), np.column_stack([flat.mean(axis=1), flat.std(axis=1)]))


def shaken(seed, v):
    answer = looked(v)
    noise = np.random.default_rng(seed).normal(scale=0.01, size=len(answer.outputs))
    return Answer(answer.outputs + noise, answer.features)


def middle(v):
    return np.median(np.asarray(v, dtype=np.float64).reshape(len(v), -1), axis=1)


def joined(a, b):
    return (np.asarray(a) + np.asarray(b)) / 2


def eyes(first=looked, second=middle):
    """Two eyes in parallel, one of which may tremble, and a head that averages them."""
    return System(
        [
            Module("left", first, {"v": "photo"}, gives="number", noisy=shaken, distance="numeric"),
            Module("right", second, {"v": "photo"}, gives="number"),
            Module("head", joined, {"a": "left", "b": "right"}, gives="number", distance="numeric"),
        ],
        inputs={"photo": "image"},
        name="eyes",
    )


def study(system=None, data=None, **options):
    """A study of the eyes, small enough for a test."""
    given = {"conditions": CONDITIONS, "metric": "rmse", "passes": 3, "chunk": 8, **options}
    return Study(system or eyes(), data or items(), **given)


def measured_of(findings):
    """Everything that was measured, as plain lists."""
    found = {}
    for name, measured in findings.measured.items():
        for condition in measured.conditions:
            found[name, condition.label] = [
                measured.statistics(condition).tolist(),
                measured.faulty(condition).tolist(),
                *(repr(measured.score(score, condition).tolist()) for score in measured.scores),
            ]
    return found


def score(findings, module, name, condition=0):
    """A column of scores."""
    measured = findings.whole
    return measured.score(Score(module, name), measured.conditions[condition])


def darker(values, severity, *, seed, first):
    """A corruption that takes a tenth of the light for each step."""
    return np.asarray(values) * (1 - severity / 10)


DARK = Condition("darker", 5, "photo", function=darker)
