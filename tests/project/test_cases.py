"""The case section of a project: frame, own part, what people answer for, and where limits come from."""

import pytest

from surefoot.case import Snapshot, compare, seal, verify
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
    risk = [float(each.evaluation.opinions()["risk"].probability) for each in (plain, answered)]
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


# The author's own tree as the case.

OWN = """
surefoot-case: 1
nodes:
  G1: {claim: The small system is safe enough., supported by: [S1], in context of: ["@context hazard"]}
  S1:
    argument: By what was counted, and by review.
    block: decomposition
    supported by:
      - G2
      - "@target risk"
  G2: {claim: Somebody reviewed it., stated: {likelihood: very likely, confidence: high confidence, by: A. Tester}}
"""


def owned(small, text=OWN, **case):
    (small.folder / "case.yaml").write_text(text)
    return assessed(small, frame="own", file="case.yaml", **case)


def test_in_an_own_frame_the_authors_tree_is_the_case(small):
    found = owned(small)
    assert [top.id for top in found.case.tops] == ["G1"]
    assert found.case["S1"].supported_by == ("G2", "risk")
    assert "rare" not in found.case
    assert {answer.name: answer.status for answer in found.answers}["rare"] == "violated"
    assert found.unattached[0] == "@target rare"
    notes = found.case.check(found.evidence, unattached=found.unattached)
    told = [(each.severity, each.where) for each in notes if each.code == "case-fragment-unattached"]
    assert told == [("note", "target rare"), ("note", "")]


def test_what_is_attached_by_its_own_key_goes_where_it_belongs(small):
    text = OWN.replace("supported by: [S1]", "supported by: [S1], attach: ['@target rare', '@assumption fixed-size']")
    top = owned(small, text).case["G1"]
    assert top.supported_by == ("S1", "rare")
    assert all(each.startswith("assumption.fixed-size") for each in top.in_context_of if "context" not in each)
    with pytest.raises(DiagnosticsError, match="names no fragment"):
        owned(small, OWN.replace("supported by: [S1]", "attach: S1"))


@pytest.mark.parametrize(
    ("old", "new", "line", "hint"),
    [
        ("@target risk", "@target rsk", 10, "Did you mean '@target risk'?"),
        ("@context hazard", "@context hazards", 4, "Did you mean '@context hazard'?"),
        ("@target risk", "@assumption fixed-sise", 10, "Did you mean '@assumption fixed-size'?"),
    ],
)
def test_a_fragment_that_there_is_not_is_told_with_its_line(small, old, new, line, hint):
    with pytest.raises(DiagnosticsError) as refused:
        owned(small, OWN.replace(old, new))
    (found,) = refused.value.diagnostics
    assert (found.code, found.where, found.hint) == ("case-fragment-unknown", f"case.yaml:{line}", hint)


def test_an_own_frame_needs_a_file_and_nothing_that_other_frames_are_filled_with(small):
    for case, code in [({}, "missing-key"), ({"file": "case.yaml", "claim": "It is safe."}, "unknown-key")]:
        (small.folder / "case.yaml").write_text(OWN)
        with pytest.raises(DiagnosticsError) as refused:
            assessed(small, frame="own", **case)
        assert [each.code for each in refused.value.diagnostics] == [code]


def test_an_own_frame_is_sealed_compared_answered_for_and_updated_by_operation(small):
    snapshots = []
    accepted = {name: {"by": "A. Tester", "why": "Planned."} for name in ("fixed-size", "independent-trials")}
    for incidents in (0, 900):
        told = {"claim": "risk", "exposure": 1000, "per": "demand", "incidents": incidents}
        found = owned(small, accepted=accepted, feedback=[told])
        snapshots.append(Snapshot(found.case, found.evaluation, found.evidence, feedback=found.feedback))
    before, after = snapshots
    assert {node.stated.by for node in before.case if node.stated} == {"A. Tester"}
    assert before.node("risk").standing == "supported"
    assert after.node("G1").standing == "contradicted"
    assert {"risk", "G1"} <= {change.id for change in compare(before, after).fell}
    sealed = seal(before)
    assert {"risk", "G2"} <= set(sealed.sealed.claims)
    assert [each.code for each in verify(sealed, before) if each.severity == "error"] == []
    assert {each.where for each in verify(sealed, after) if each.code == "seal-claim-fell"} >= {"risk"}


def test_operation_of_a_target_that_an_own_frame_does_not_use_is_refused(small):
    told = {"claim": "rare", "exposure": 1000, "per": "demand", "incidents": 0}
    with pytest.raises(DiagnosticsError, match="which the case does not use") as refused:
        owned(small, feedback=[told])
    assert "@target rare" in refused.value.diagnostics[0].hint
