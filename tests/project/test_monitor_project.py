"""A monitored component from a project file: its figures, its event in the fault tree, its claim in the case."""

import pytest

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.project import load
from surefoot.report import html

TREE = """
surefoot-tree: 1
name: Door
top: door closes on somebody
gates:
  door closes on somebody: {and: [person is missed and nobody is told, beam fails]}
events:
  person is missed and nobody is told: {component: linear}
  beam fails: 0.001
"""
GUARDED = {"step": "monitor", "availability": 0.2}
TARGETS = {"guarded": {"estimate": "guarded.residual hazard", "at_most": 0.2}}
SECTION = {
    "file": "door.yaml",
    "events": {"person is missed and nobody is told": "guarded.undetected failure"},
    "target": {"at_most": 1e-3, "source": "hazard analysis"},
}


@pytest.fixture
def guarded(small):
    (small.folder / "door.yaml").write_text(TREE)
    small.set_definition(evidence={"guarded": GUARDED}, targets=TARGETS, tree=SECTION)
    return small


def test_the_monitored_component_is_an_event_of_its_own(guarded):
    result = sf.run(load(guarded.file))
    undetected = result["guarded.undetected failure"]
    top = result["tree.top event probability"]
    assert top.value == pytest.approx(undetected.value * 0.001)
    assert undetected.value == pytest.approx(result["guarded.residual hazard"].value)
    assert undetected.value < result["guarded.hazard without the monitor"].value


def test_the_case_argues_the_residual_hazard_and_lists_what_it_rests_on(guarded):
    page = html(sf.run(load(guarded.file)))
    assert "By evaluate: What a monitor is worth" in page
    assert "Monitor and threshold were fixed before these rows were seen." in page
    assert "gain against cost" in page.lower()


def test_the_same_project_gives_the_same_figures(guarded):
    first, second = (sf.run(load(guarded.file)) for _ in range(2))
    assert first["guarded.residual hazard"].digest == second["guarded.residual hazard"].digest


def test_a_misspelt_detector_is_found_before_anything_is_run(guarded):
    guarded.set_definition(evidence={"guarded": {**GUARDED, "detector": "max_softmx"}})
    with pytest.raises(DiagnosticsError, match="max_softmax"):
        load(guarded.file)


def test_a_column_that_is_not_there_is_told_when_the_step_runs(guarded):
    guarded.set_definition(evidence={"guarded": {"step": "monitor", "alarm": "bell"}}, targets={}, tree=None)
    with pytest.raises(DiagnosticsError, match="no attribute 'bell'"):
        sf.run(load(guarded.file))
