"""What is written is read back as it was, whatever the tree says."""

import json

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.faulttree.formats.dressed import GROUPS, PARAMETERS, QUANTITIES, dressed_trees, texts
from tests.faulttree.formats.texts import read_text, text_of

from surefoot.core import DiagnosticsError
from surefoot.documents import scalar
from surefoot.faulttree import CommonCause, FaultTree, Fixed, Formula, Quantity


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(dressed_trees())
def test_a_tree_survives_yaml_and_json(tree):
    as_yaml, as_json = text_of(tree, "yaml"), text_of(tree, "json")
    assert read_text(as_yaml, "tree.yaml") == tree
    assert read_text(as_json, "tree.json") == tree
    assert yaml.safe_load(as_yaml) == json.loads(as_json)


def test_every_quantity_and_group_is_tried():
    assert set(QUANTITIES) == set(Quantity._members)
    assert set(GROUPS) == set(CommonCause._members)


@settings(max_examples=5, deadline=None)
@given(st.fixed_dictionaries(QUANTITIES))
def test_every_quantity_survives_yaml(quantities):
    parameters = dict.fromkeys(PARAMETERS, Fixed(1e-6))
    tree = FaultTree("top", {"top": Formula("or", tuple(quantities))}, quantities, parameters=parameters)
    found = read_text(text_of(tree, "yaml"), "tree.yaml").events
    assert dict(found) == quantities
    assert {name: each.to_dict() for name, each in found.items()} == {n: q.to_dict() for n, q in quantities.items()}


@settings(max_examples=60)
@given(texts | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.booleans() | st.none())
def test_words_and_numbers_are_read_back_by_any_reader_of_yaml(value):
    assert yaml.safe_load(f"[{scalar(value)}]") == [value]


def test_a_file_is_written_and_read(tmp_path):
    tree = FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Fixed(0.1), "b": None}, name="Füße")
    names = [f"tree.{suffix}" for suffix in ("YAML", "json", "yaml", "yml")]
    for name in names:
        tree.write(tmp_path / name)
        assert FaultTree.read(tmp_path / name) == tree, name
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_deep_formulas_survive_and_bottomless_ones_are_refused(tmp_path):
    for suffix in ("yaml", "json"):
        nested(200).write(tmp_path / f"deep.{suffix}")
        assert FaultTree.read(tmp_path / f"deep.{suffix}") == nested(200), suffix
        with pytest.raises(DiagnosticsError) as error:
            nested(201).write(tmp_path / f"deeper.{suffix}")
        assert error.value.diagnostics[0].code == "tree-unsupported", suffix


def nested(depth):
    formula = Formula("not", ("a",))
    for _ in range(depth):
        formula = Formula("or", (formula, "b"))
    return FaultTree("top", {"top": formula}, {"a": Fixed(0.1), "b": Fixed(0.2)})


def test_a_chain_of_ten_thousand_gates_survives(tmp_path):
    gates = {f"g{i}": Formula("or", (f"g{i + 1}", "e")) for i in range(10_000)} | {"g10000": Formula("pass", ("e",))}
    tree = FaultTree("g0", gates, {"e": Fixed(0.1)})
    for suffix in ("yaml", "json"):
        tree.write(tmp_path / f"chain.{suffix}")
        assert FaultTree.read(tmp_path / f"chain.{suffix}") == tree
