"""How much a top event rises with what feeds it, against derivatives written out by hand."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from surefoot.faulttree import Budget, FaultTree
from surefoot.project.next_labels import Top

AND_OR = {
    "top": "top",
    "gates": {"top": {"or": ["both", "brake"]}, "both": {"and": ["camera", "radar"]}},
    "events": {"camera": 0.02, "radar": 0.05, "brake": 1e-3},
}


def top(tree, references, budget=None):
    with TemporaryDirectory() as folder:
        path = Path(folder, "tree.json")
        path.write_text(json.dumps({"surefoot-tree": 1, **tree}))
        return Top(FaultTree.read(path), references, budget or Budget())


def test_the_weight_is_the_derivative():
    found = top(AND_OR, {"camera": "a.failures", "brake": "b.failures"}).weights
    assert found == pytest.approx({"a.failures": 0.05 * (1 - 1e-3), "b.failures": 1 - 0.02 * 0.05})


def test_events_that_one_result_feeds_add_up():
    found = top(AND_OR, {"camera": "a.failures", "radar": "a.failures"}).weights
    assert found == pytest.approx({"a.failures": (0.05 + 0.02) * (1 - 1e-3)})


def test_an_event_without_influence_weighs_nothing():
    tree = {"top": "top", "gates": {"top": {"or": ["a", {"and": ["a", "b"]}]}}, "events": {"a": 0.1, "b": 0.2}}
    assert top(tree, {"a": "a.failures", "b": "b.failures"}).weights == {"a.failures": 1.0, "b.failures": 0.0}


def test_a_tree_beyond_its_budget_has_no_weights():
    gates = {"top": {"or": [f"pair {i}" for i in range(30)]}}
    gates |= {f"pair {i}": {"at least": 2, "of": [f"e{(i * k) % 31}" for k in (1, 2, 3, 5)]} for i in range(30)}
    tree = {"top": "top", "gates": gates, "events": {f"e{i}": 0.01 for i in range(31)}}
    assert top(tree, {"e1": "a.failures"}, Budget(40, 120.0)).weights is None


def test_the_top_event_is_computed_again_from_limits():
    found = top(AND_OR, {"camera": "a.failures"})
    assert found.probability({"a.failures": 0.5, "b.failures": 0.9}) == pytest.approx(1 - (1 - 0.5 * 0.05) * (1 - 1e-3))
