"""Ways to know the truth: all states of a small tree, and SCRAM."""

import re
import shutil
import subprocess
from collections.abc import Callable

import numpy as np
import pytest

from surefoot.faulttree import CommonCause, FaultTree, Formula, probabilities

MODEL = """<?xml version="1.0"?>
<opsa-mef>
  <define-fault-tree name="T"><define-gate name="top">{formula}</define-gate></define-fault-tree>
  <define-CCF-group name="G" model="{model}">
    <members>{members}</members>
    <distribution><float value="{total!r}"/></distribution>
    <factors>{factors}</factors>
  </define-CCF-group>
</opsa-mef>
"""


def formula(minimum: int, members: tuple[str, ...]) -> str:
    """SCRAM refuses a count that is an or or an and."""
    events = "".join(f'<event name="{m}"/>' for m in members)
    if minimum in (1, len(members)):
        return f"<or>{events}</or>" if minimum == 1 else f"<and>{events}</and>"
    return f'<atleast min="{minimum}">{events}</atleast>'


def truth(item, gates, states, known):
    """The truth of an input in every state, as an array."""
    if isinstance(item, bool):
        return np.full(len(states), item)
    if isinstance(item, str) and item in gates and item not in known:
        known[item] = truth(gates[item], gates, states, known)
    if isinstance(item, str):
        return known[item]
    inputs = np.array([truth(i, gates, states, known) for i in item.inputs])
    count = inputs.sum(axis=0)
    return {
        "and": count == len(inputs),
        "or": count > 0,
        "not": count == 0,
        "pass": count == 1,
        "atleast": count >= (item.minimum or 0),
    }[item.kind]


@pytest.fixture(scope="session")
def exact() -> Callable[..., float]:
    """The probability that all ``failing`` and none of ``working`` fail, by adding up all states of the events."""

    def probability(tree: FaultTree, failing: tuple[str, ...], working: tuple[str, ...] = (), drawn=None) -> float:
        tree = tree.expanded
        names = list(tree.events)
        p = np.array([float(probabilities(tree, drawn or {})[name]) for name in names])
        states = (np.arange(2 ** len(names))[:, None] >> np.arange(len(names))) & 1 == 1
        weight = np.where(states, p, 1 - p).prod(axis=1)
        known = dict(zip(names, states.T, strict=True))
        holds = [truth(name, tree.gates, states, known) for name in failing]
        holds += [~truth(name, tree.gates, states, known) for name in working]
        return float(weight[np.logical_and.reduce(holds)].sum())

    return probability


@pytest.fixture(scope="session")
def tree_of() -> Callable[..., FaultTree]:
    """A tree whose top event is that ``minimum`` members of the group fail."""

    def tree(group: CommonCause, minimum: int = 2, **options) -> FaultTree:
        return FaultTree(
            "top", {"top": Formula("atleast", group.members, minimum=minimum)}, {}, groups=(group,), **options
        )

    return tree


@pytest.fixture(scope="session")
def scram(tmp_path_factory) -> Callable[..., float]:
    """SCRAM's probability that ``minimum`` members fail."""
    if not shutil.which("scram"):
        pytest.skip("SCRAM is not installed (Debian package scram)")

    def probability(model, members, total, factors: dict[int, float], minimum: int) -> float:
        file = tmp_path_factory.mktemp("scram") / "model.xml"
        file.write_text(
            MODEL.format(
                formula=formula(minimum, members),
                model=model,
                members="".join(f'<basic-event name="{m}"/>' for m in members),
                total=total,
                factors="".join(f'<factor level="{k}"><float value="{v!r}"/></factor>' for k, v in factors.items()),
            )
        )
        return run(file)

    def run(file) -> float:
        command = ["scram", "--bdd", "--probability", "1", "--ccf", "1", str(file)]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        (found,) = re.findall(r'<sum-of-products[^>]* probability="([^"]*)"', report)
        return float(found)

    probability.run = run
    return probability
