"""Files of scenarios: what they say is read, all that is wrong is told, and nothing else happens."""

import json
import random
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.hazards.scenarios.chains import scenarios

from surefoot.core import DiagnosticsError, SurefootError
from surefoot.faulttree import Fixed, Formula
from surefoot.hazards import Scenario, Scenarios

GOOD = """\
surefoot-scenarios: 1
name: Vehicle
scenarios:
  - id: S1
    rows: [R2]
    chain: [asset is misclassified, path comes close, distance is lost]
    barriers: {distance is lost: [sonar guidance fails]}
  - {rows: R3, chain: [drift, path comes close]}
gates:
  sonar guidance fails: {or: [no echo, computer fails]}
events:
  asset is misclassified: {component: detector}
  drift: 0.01
  no echo: {failures: 3, trials: 400}
  computer fails: {rate: 1.0e-7, time: mission}
labels: {drift: The position drifts}
parameters: {mission: 8}
"""


def read(text, folder):
    (folder / "f.yaml").write_text(text)
    return Scenarios.read(folder / "f.yaml")


def problems(text, folder):
    with pytest.raises(DiagnosticsError) as caught:
        read(text, folder)
    return [(each.code, each.where) for each in caught.value.diagnostics]


def test_a_file_is_what_it_says(tmp_path):
    path = tmp_path / "chains.yaml"
    path.write_text(GOOD)
    found = Scenarios.read(path)
    assert [(each.id, each.rows, each.place) for each in found.chains] == [
        ("S1", ("R2",), "chains.yaml:4"),
        ("S2", ("R3",), "chains.yaml:8"),
    ]
    assert found.chains[0].barriers == {"distance is lost": ("sonar guidance fails",)}
    assert found.gates == {"sonar guidance fails": Formula("or", ("no echo", "computer fails"))}
    assert found.events["drift"] == Fixed(0.01)
    assert found.attributes["asset is misclassified"]["component"] == "detector"
    assert found.labels["drift"] == "The position drifts"
    assert set(found.fault_tree().events) == {"asset is misclassified", "drift", "no echo", "computer fails"}


def test_what_is_written_reads_back_equal(tmp_path):
    found = read(GOOD, tmp_path)
    found.write(tmp_path / "chains.yaml")
    assert Scenarios.read(tmp_path / "chains.yaml") == found


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=scenarios())
def test_any_chains_with_gates_read_back_equal(found, tmp_path):
    found.write(tmp_path / "chains.yaml")
    assert Scenarios.read(tmp_path / "chains.yaml") == found


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.strip)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(names, min_size=3, max_size=6, unique=True), id=names, row=names)
def test_names_of_any_kind_read_back_or_are_refused_when_written(texts, id, row, tmp_path):
    *chain, barrier = texts
    found = Scenarios((Scenario(id, chain, {chain[-1]: (barrier,)}, (row,)),), name=id)
    try:
        found.write(tmp_path / "chains.yaml")
    except SurefootError:
        return
    assert Scenarios.read(tmp_path / "chains.yaml") == found


def test_problems_have_a_code_and_a_line(tmp_path):
    for old, new, expected in [
        ("surefoot-scenarios: 1", "surefoot-scenarios: 2", ("unsupported-version", "f.yaml:1")),
        ("surefoot-scenarios: 1\n", "", ("missing-key", "f.yaml:1")),
        ("name: Vehicle", "name: 3", ("wrong-value", "f.yaml:2")),
        ("labels:", "lables:", ("unknown-key", "f.yaml:16")),
        ("rows: [R2]", "row: [R2]", ("unknown-key", "f.yaml:5")),
        ("rows: [R2]", "rows: [2]", ("wrong-value", "f.yaml:5")),
        ("id: S1", "id: S2", ("hazop-duplicate", "f.yaml:8")),
        ("[drift, path comes close]", "[drift]", ("scenario-conflict", "f.yaml:8")),
        ("[drift, path comes close]", "[drift, drift]", ("scenario-conflict", "f.yaml:8")),
        ("[drift, path comes close]", "{drift: 1}", ("wrong-value", "f.yaml:8")),
        ("{distance is lost:", "{distance:", ("scenario-conflict", "f.yaml:4")),
        ("barriers: {distance is lost: [sonar guidance fails]}", "barriers: sonar", ("wrong-value", "f.yaml:7")),
        ("drift: 0.01", "path comes close: 0.01", ("scenario-conflict", "f.yaml:4")),
        ("{or: [no echo, computer fails]}", "{or: [no echo, computer fials]}", ("tree-undefined", "f.yaml:10")),
        ("{or: [no echo, computer fails]}", "{at least: 3, of: [no echo, drift]}", ("tree-gate", "f.yaml:10")),
        ("time: mission", "time: misson", ("tree-undefined", "f.yaml:15")),
        ("drift: 0.01", "drift: 1.01", ("tree-probability", "f.yaml:13")),
        ("[drift, path comes close]", "[path comes close, asset is misclassified]", ("scenario-loop", "f.yaml:8")),
    ]:
        assert old in GOOD, old
        assert expected in problems(GOOD.replace(old, new, 1), tmp_path), new


def test_all_problems_are_told_at_once(tmp_path):
    bad = GOOD.replace("labels", "lables").replace("rows: R3", "rows: 3").replace("rows: [R2]", "row: [R2]")
    assert len(problems(bad, tmp_path)) == 3


def test_a_file_without_chains_shows_how_to_write_one(tmp_path):
    with pytest.raises(DiagnosticsError) as caught:
        read("surefoot-scenarios: 1\n", tmp_path)
    assert "chain: [cause, event, consequence]" in caught.value.diagnostics[0].hint


def test_only_yaml_is_read_and_written(tmp_path):
    for name, use in product(["chains.json", "chains", "chains.xlsx"], [Scenarios.read, read(GOOD, tmp_path).write]):
        with pytest.raises(DiagnosticsError, match=r"\.yaml"):
            use(tmp_path / name)


def spoiled(seed):
    """The good file with a few pieces cut out, doubled, swapped or replaced."""
    chance, text = random.Random(seed), GOOD
    for _ in range(chance.randint(1, 4)):
        start, stop = sorted(chance.choices(range(len(text) + 1), k=2))
        stop = min(stop, start + 30)
        piece = chance.choice(
            ("", text[start:stop] * 2, "[]", "{", "null", "- ", ": ", "1e999", "&a", "!!x", "\x00", "é")
        )
        text = text[:start] + piece + text[stop:]
    return text


def test_spoiled_files_end_in_scenarios_or_in_problems(tmp_path):
    for seed in range(300):
        with suppress(SurefootError):
            found = read(spoiled(seed), tmp_path)
            for top in found.tops:
                found.fault_tree(top)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["a", "b", "", "S1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "chain", "id"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(
    chains=st.lists(
        st.dictionaries(st.sampled_from(["id", "chain", "rows", "barriers"]), values, max_size=4), max_size=3
    ),
    rest=st.dictionaries(st.sampled_from(["gates", "events", "labels", "groups", "name"]), values, max_size=3),
)
def test_any_data_end_in_scenarios_or_in_problems(tmp_path_factory, chains, rest):
    document = {"surefoot-scenarios": 1, "scenarios": chains, **rest}
    with suppress(SurefootError):
        read(json.dumps(document), tmp_path_factory.getbasetemp())
