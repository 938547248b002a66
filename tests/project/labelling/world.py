"""A world with known truth: a model whose doubts say how often it is wrong, and a tree that it feeds."""

import csv

import numpy as np

from surefoot.project import Project

CLASSES = ("=left", "right")
TREE = {
    "inline": {
        "top": "crash",
        "gates": {"crash": {"and": ["misses", "brakes"]}},
        "events": {"misses": 0.5, "brakes": 0.1},
    },
    "events": {"misses": "counted.failure probability"},
    "target": {"at_most": 0.004},
}
STRATIFIED = {"step": "stratified_bound", "operation": "operation"}


def model(inputs):
    right = 1 / (1 + np.exp(-8 * inputs[:, 0]))
    return np.column_stack([1 - right, right])


def rows(count, seed):
    """Inputs, and labels that are as random as the model says."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(count, 2))
    return inputs, (rng.random(count) < model(inputs)[:, 1]).astype(int)


TEST = rows(500, 0)
OPERATION = rows(6000, 1)


def project(step, *, tree=TREE, targets=None, more=None, **changed):
    data = {"test": (TEST[0], np.asarray(CLASSES)[TEST[1]]), "operation": {"inputs": OPERATION[0]}}
    return Project.of(
        "World",
        model=model,
        data=data | changed,
        classes=CLASSES,
        evidence={"counted": step, **(more or {})},
        targets=targets,
        tree=tree,
        seed=3,
    )


def fill(path, labels=OPERATION[1]):
    """Do what people do with the sheet."""
    with open(path, encoding="utf-8-sig", newline="") as stream:
        found = list(csv.DictReader(stream))
    with open(path, "w", newline="") as stream:
        writer = csv.DictWriter(stream, found[0])
        writer.writeheader()
        writer.writerows({**row, "label": CLASSES[labels[int(row["row"])]]} for row in found)
