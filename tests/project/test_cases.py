"""The case section of a project: frame, own part, what people answer for, and where limits come from."""

import pytest

from surefoot.core import DiagnosticsError
from surefoot.project import load, run
from tests.project.conftest import DEFINITION
from tests.refusals import told

MAIN = """
surefoot-case: 1
modules: {own: {file: own.yaml}}
nodes:
  claim:
    claim: ""
    in context of: [boundary]
  boundary: {context: Only this system., note: added}
"""
MODULE = """
surefoot-case: 1
nodes:
  own-claim: {claim: %s, undeveloped: true}
"""


def write_case(folder, words="It is kept.", main=MAIN):
    (folder / "case.yaml").write_text(main)
    (folder / "own.yaml").write_text(MODULE % words)


def assessed(small, **case):
    small.set_definition(case=case)
    return run(load(small.file), store=small.folder / "store")


def test_the_own_part_is_merged_and_a_change_in_a_module_of_it_is_noticed(small):
    write_case(small.folder)
    before = assessed(small, file="case.yaml")
    assert "boundary" in before.case["claim"].in_context_of
    assert before.case["own-claim"].module == "own"
    write_case(small.folder, "It is kept for ever.")
    after = assessed(small, file="case.yaml")
    assert after.case["own-claim"].text == "It is kept for ever."
    assert before.digests["case.file"] != after.digests["case.file"]


@pytest.mark.parametrize("frame", ["targets", "component", "system"])
def test_every_frame_has_the_claim_of_the_target(small, frame):
    found = assessed(small, frame=frame)
    assert found.case["risk"].number is not None
    errors = [each for each in found.case.check(found.evidence) if each.severity == "error"]
    assert [(each.code, each.where.rpartition("/")[2]) for each in errors] == [("case-claim-contradicted", "rare")]


def test_what_somebody_answers_for_is_stated_and_counts(small):
    plain = assessed(small)
    accepted = {"fixed-size": {"by": "A. Tester", "why": "Planned.", "likelihood": "very likely"}}
    answered = assessed(small, accepted=accepted)
    stated = [node.stated for node in answered.case if node.assumption.startswith("fixed-size")]
    assert {(each.by, each.why) for each in stated} == {("A. Tester", "Planned.")}
    risk = [float(each.evaluation["risk"].opinion.probability) for each in (plain, answered)]
    assert risk[0] < risk[1]


def test_what_cannot_be_is_said(small):
    for case, words in [
        ({"accepted": {"fixed-sise": {"by": "A", "why": "B"}}}, "no result rests on an assumption 'fixed-sise'"),
        ({"file": "absent.yaml"}, "absent.yaml"),
        ({"functions": {"nobody": ["timing"]}}, "is no component"),
        ({"speaks_of": {"nobody": "timing"}}, "is no target"),
        ({"accepted": {"fixed-size": {"by": "A", "why": "B", "likelihood": "absolutely"}}}, "cannot be"),
    ]:
        with told(case), pytest.raises(DiagnosticsError, match=words):
            assessed(small, **case)


def test_the_steps_that_led_to_a_limit_are_in_the_case(small):
    reference = {"events": 12, "exposure": 100, "per": "demand", "name": "people", "source": "logs"}
    asked = {"estimate": DEFINITION["targets"]["risk"]["estimate"], "principle": "gale", "reference": reference}
    small.set_definition(targets={"risk": asked}, case={"frame": "system"})
    found = run(load(small.file), store=small.folder / "store")
    assert "12" in found.case["SubC3.risk"].text
    assert "logs" in found.case["SubC3.risk"].text
