"""SACM files as other tools write them, in their dialects; the files were written by hand for these tests."""

from pathlib import Path

import pytest

from surefoot.case import formats
from surefoot.core import DiagnosticsError

FOLDER = Path(__file__).with_name("foreign")
ONE_NAMESPACE, BY_PATH, BY_ELEMENT = (
    (FOLDER / f"{name}.xmi").read_text() for name in ("one_namespace", "by_path", "by_element")
)


def read(text, folder):
    path = folder / "foreign.xmi"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return formats.read_noted(path)


def test_one_namespace_with_ids(tmp_path):
    case, notes = (reading := read(ONE_NAMESPACE, tmp_path)).case, reading.notes
    assert (case.name, case.notation, dict(case.modules)) == ("Kettle", "cae", {})
    kinds = {node.id: node.kind for node in case}
    assert kinds == {
        "G1": "claim", "G2": "claim", "G3": "claim", "A1": "side-claim", "J1": "justification", "D1": "defeater",
        "M1": "side-claim", "S1": "argument", "E1": "evidence", "C1": "context",
    }  # fmt: skip
    top = case["G1"]
    assert top.text == "The kettle is acceptably safe."
    assert (top.note, top.tags) == ("The kettle is safe", ("owner: Ada",))
    assert (top.supported_by, top.in_context_of) == (("S1",), ("C1", "A1"))
    assert case["S1"].supported_by == ("G2", "G3")
    assert case["S1"].in_context_of == ("M1", "J1")
    assert case["G2"].undeveloped
    assert case["G3"].uninstantiated
    assert case["G3"].supported_by == ("E1",)
    assert case["D1"].challenges == ("S1",)
    assert case["E1"].digest == ""
    strange = [
        count for count, line in enumerate(ONE_NAMESPACE.splitlines(), 1) if "terminology" in line or "Hologram" in line
    ]
    assert [(note.code, note.where) for note in notes] == [("case-lost", f"foreign.xmi:{line}") for line in strange]
    assert case.top.id == "G1"


def test_gsn_types_with_places_instead_of_ids(tmp_path):
    case = read(BY_PATH, tmp_path).case
    assert case.notation == "gsn"
    assert {node.id: node.kind for node in case} == {
        "G1": "claim", "S1": "argument", "G2": "claim", "Sn1": "evidence", "C1": "context", "A1": "side-claim",
        "G3": "sub-case", "P1": "claim",
    }  # fmt: skip
    assert case["G1"].supported_by == ("S1",)
    assert case["S1"].supported_by == ("G2", "G3")
    assert case["G2"].supported_by == ("Sn1",)
    assert case["G1"].in_context_of == ("C1", "A1")
    assert case["G3"].of == "Parts/P1"
    assert case.resolved("G3") == "P1"
    assert (case["G1"].text, case["G1"].module) == ("It is safe", "Main")
    assert case["G2"].undeveloped
    assert case["G2"].public


def test_references_as_elements_and_a_package_alone(tmp_path):
    reading = read("\ufeff" + BY_ELEMENT, tmp_path)
    assert reading.case["G1"].supported_by == ("8d1f",)
    assert reading.case["8d1f"].text == "It stops"
    assert (reading.case.name, reading.case["G1"].module) == ("Alone", "")
    assert ["another file" in note.text for note in reading.notes] == [True]
    assert read(BY_ELEMENT.encode("utf-16"), tmp_path).case == reading.case


def test_a_reasoning_used_twice_with_other_premises_becomes_two_arguments(tmp_path):
    """Read as one, each claim would seem to need the premises of the other."""
    one = """<ArgumentPackage xmlns="http://omg.sacm/2.2/argumentation">
      <claim id="T1"/><claim id="T2"/><claim id="P1"/><claim id="P2"/><argumentReasoning id="S" name="By test"/>
      <assertedInference source="P1" target="T1" reasoning="S"/>
      <assertedInference source="P2" target="T2" reasoning="S"/>
    </ArgumentPackage>"""
    case = read(one, tmp_path).case
    assert (case["T1"].supported_by, case["T2"].supported_by) == (("S",), ("S-2",))
    assert (case["S"].supported_by, case["S-2"].supported_by) == (("P1",), ("P2",))
    assert case["S-2"].text == "By test"


def test_an_assumed_premise_stays_a_premise(tmp_path):
    text = """<ArgumentPackage xmlns="http://omg.sacm/2.2/argumentation"><claim id="T"/>
      <claim id="P" assertionDeclaration="assumed"/><assertedInference source="P" target="T"/></ArgumentPackage>"""
    case = read(text, tmp_path).case
    assert (case["P"].kind, case["P"].tags) == ("claim", ("SACM: assumed",))


def test_problems_are_collected_with_their_lines(tmp_path):
    text = """<ArgumentPackage xmlns="http://omg.sacm/2.2/argumentation">
      <claim id="T"/>
      <claim id="T"/>
      <assertedInference source="nowhere" target="T"/>
      <claim id="U"><taggedValue key="surefoot.number.json" content="{"/></claim>
      <claim id="V" gid="V"><taggedValue key="surefoot.kind" content="castle"/></claim>
    </ArgumentPackage>"""
    with pytest.raises(DiagnosticsError) as error:
        read(text, tmp_path)
    found = [(problem.code, problem.where) for problem in error.value.diagnostics]
    assert found == [
        ("case-syntax", "foreign.xmi:3"),
        ("case-syntax", "foreign.xmi:4"),
        ("case-syntax", "foreign.xmi:5"),
        ("case-value", "foreign.xmi:6"),
    ]
