"""What is written is read back as it was, whatever the tree says."""

import json

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.faulttree.formats.dressed import GROUPS, PARAMETERS, QUANTITIES, dressed_trees, texts

from surefoot import documents
from surefoot.core import DiagnosticsError
from surefoot.documents import Findings, as_json, as_yaml, scalar
from surefoot.documents.yaml import resolve
from surefoot.faulttree import CommonCause, FaultTree, Fixed, Formula, Quantity
from surefoot.faulttree.formats import read
from surefoot.faulttree.formats.plain import plain_data
from surefoot.faulttree.formats.reading import read_plain


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(dressed_trees())
def test_a_tree_survives_yaml_and_json(tree):
    data = plain_data(tree)
    assert from_yaml(as_yaml(data)) == tree
    assert from_json(as_json(data)) == tree
    assert yaml.safe_load(as_yaml(data)) == data
    assert json.loads(as_json(data)) == data


def from_yaml(text):
    findings = Findings("tree.yaml")
    return read_plain(documents.yaml.parse(text, findings), findings).tree()


def from_json(text):
    findings = Findings("tree.json")
    return read_plain(documents.json.parse(text, findings), findings).tree()


def test_every_quantity_and_group_is_tried():
    assert set(QUANTITIES) == set(Quantity._members)
    assert set(GROUPS) == set(CommonCause._members)


@pytest.mark.parametrize("tag", QUANTITIES)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_every_quantity_survives_yaml(tag, data):
    quantity = data.draw(QUANTITIES[tag])
    parameters = dict.fromkeys(PARAMETERS, Fixed(1e-6))
    tree = FaultTree("top", {"top": Formula("pass", ("e",))}, {"e": quantity}, parameters=parameters)
    found = from_yaml(as_yaml(plain_data(tree))).events["e"]
    assert found == quantity
    assert found.to_dict() == quantity.to_dict()


@settings(max_examples=200)
@given(texts | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.booleans() | st.none())
def test_words_and_numbers_are_read_back_by_any_reader_of_yaml(value):
    text = scalar(value)
    assert yaml.safe_load(f"[{text}]") == [value]
    if not text.startswith('"'):
        assert resolve(text) == value


@pytest.mark.parametrize("suffix", ["yaml", "yml", "json", "YAML"])
def test_a_file_is_written_and_read(tmp_path, suffix):
    tree = FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Fixed(0.1), "b": None}, name="Füße")
    tree.write(tmp_path / f"tree.{suffix}")
    assert read(tmp_path / f"tree.{suffix}") == tree
    assert [path.name for path in tmp_path.iterdir()] == [f"tree.{suffix}"]


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_deep_formulas_survive_and_bottomless_ones_are_refused(tmp_path, suffix):
    nested(200).write(tmp_path / f"deep.{suffix}")
    assert read(tmp_path / f"deep.{suffix}") == nested(200)
    with pytest.raises(DiagnosticsError, match="nested more than 200 deep"):
        nested(201).write(tmp_path / f"deeper.{suffix}")


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
        assert read(tmp_path / f"chain.{suffix}") == tree
