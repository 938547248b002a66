"""Files that are wrong or hostile: coded problems with their lines, all at once."""

import pytest
from tests.faulttree.formats.texts import read_mef

from surefoot.core import DiagnosticsError

TREE = '<opsa-mef><define-fault-tree name="T">{}</define-fault-tree></opsa-mef>'
GATE = '<define-gate name="{}">{}</define-gate>'
EVENT = '<define-basic-event name="{}">{}</define-basic-event>'


def problems(text):
    with pytest.raises(DiagnosticsError) as error:
        read_mef(text)
    return error.value.diagnostics


def only_problem(text):
    (found,) = problems(text)
    return found


ATTACKS = {
    "billion laughs": '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><opsa-mef name="&b;"/>',
    "external entity": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><opsa-mef><label>&a;</label></opsa-mef>',
    "parameter entity": '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://example.org/x.dtd"> %a;]><opsa-mef/>',
    "declared attributes": '<!DOCTYPE x [<!ATTLIST gate name CDATA "y">]><opsa-mef/>',
    "undefined entity": "<opsa-mef><label>&a;</label></opsa-mef>",
    "entity of an external document type": '<!DOCTYPE x SYSTEM "x.dtd"><opsa-mef><label>&a;</label></opsa-mef>',
    "inclusion": '<opsa-mef xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/passwd"/></opsa-mef>',
    "deep nesting": TREE.format(GATE.format("g", "<not>" * 100_000)),
    "many open elements": "<opsa-mef>" * 1000,
    "no XML": "name := a & b;<",
    "empty": b"",
    "zero bytes": b"\0" * 100,
    "an encoding that nobody knows": b'<?xml version="1.0" encoding="martian"?><opsa-mef/>',
    "a multi-byte encoding": b'<?xml version="1.0" encoding="shift_jis"?><opsa-mef/>',
    "bytes that are no UTF-8": b'<opsa-mef name="\xff\xfe"/>',
    "cut off": TREE[:30],
    "two roots": "<opsa-mef/><opsa-mef/>",
    "half a surrogate pair": '<opsa-mef name="\ud800"/>',
}


def test_what_a_safe_reader_refuses_is_a_syntax_problem():
    for name, text in ATTACKS.items():
        assert {found.code for found in problems(text)} == {"tree-syntax"}, name


def test_a_document_type_without_declarations_is_harmless():
    text = "<!DOCTYPE opsa-mef>\n" + TREE.format(GATE.format("g", '<event name="e"/>') + EVENT.format("e", ""))
    assert read_mef(text).events == {"e": None}


def test_a_file_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(DiagnosticsError, match="file-missing"):
        read_mef(tmp_path / "no.xml")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(DiagnosticsError, match="file-unreadable"):
        read_mef(tmp_path)


WRONG = """<opsa-mef>
<define-fault-tree name="T">
<define-gate name="top"><or><gate name="a"/><gate name="b"/></or></define-gate>
<define-gate name="a"><most><event name="x"/></most></define-gate>
<define-gate name="b"><atleast min="two"><event name="x"/><event name="y"/></atleast></define-gate>
<define-gate name="a"><event name="x"/></define-gate>
<define-gate><event name="x"/></define-gate>
<define-gate name="c"><and><event name="x"/></and><or><event name="y"/></or></define-gate>
<define-basic-event name="x"><float value="a lot"/></define-basic-event>
<define-basic-event name="y"><float/></define-basic-event>
<define-basic-event name="z"><exponential><float value="1"/></exponential></define-basic-event>
<define-basic-event name="v"><parameter name="p"/></define-basic-event>
<define-basic-event name="w"><beta-deviate><int value="0"/><int value="1"/></beta-deviate></define-basic-event>
<define-basic-event name="u"><extern-function name="f"/></define-basic-event>
<define-house-event name="h"><constant value="maybe"/></define-house-event>
<define-house-event name="i"><float value="1"/></define-house-event>
<define-basic-event name="s"><test-initiating-event name="I"/></define-basic-event>
<define-component name="C" role="secret"/>
<something/>
<define-CCF-group name="G" model="gamma-factor"><members><basic-event name="m"/></members></define-CCF-group>
<define-CCF-group name="K" model="MGL"/>
<define-parameter name="q"/>
<define-CCF-group name="H" model="MGL"><members><basic-event name="k"/><basic-event name="l"/></members>
<distribution><float value="0.1"/></distribution><factor level="3"><float value="0.1"/></factor></define-CCF-group>
</define-fault-tree>
</opsa-mef>"""
EXPECTED = {
    4: ("tree-syntax", "<most>"),
    5: ("tree-gate", "whole number"),
    6: ("tree-duplicate", "'a' is defined twice, first at model.xml:4"),
    7: ("tree-syntax", "no attribute 'name'"),
    8: ("tree-syntax", "needs one element inside, it has 2"),
    9: ("tree-probability", "'a lot'"),
    10: ("tree-syntax", "no attribute 'value'"),
    11: ("tree-syntax", "takes 2 arguments, it has 1"),
    12: ("tree-undefined", "the parameter 'p'"),
    13: ("tree-probability", "alpha must exceed 0"),
    14: ("tree-unsupported", "foreign functions"),
    15: ("tree-syntax", "true or false"),
    16: ("tree-syntax", "<float>"),
    17: ("tree-unsupported", "inside an event tree"),
    18: ("tree-syntax", "private or public"),
    19: ("tree-syntax", "<something>"),
    20: ("tree-unsupported", "'gamma-factor'"),
    21: ("tree-syntax", "<members>"),
    22: ("tree-syntax", "the parameter 'q'"),
    23: ("tree-gate", "counts from 2"),
}


def test_every_problem_is_found_with_its_line():
    found = {int(d.where.removeprefix("model.xml:")): d for d in problems(WRONG)}
    assert {line: d.code for line, d in found.items()} == {line: code for line, (code, _) in EXPECTED.items()}
    for line, (_, words) in EXPECTED.items():
        assert words in found[line].text


STRUCTURE = """<opsa-mef><define-fault-tree name="T">
<define-gate name="top"><or><gate name="a"/><event name="no"/></or></define-gate>
<define-gate name="a"><and><gate name="b"/><event name="x"/></and></define-gate>
<define-gate name="b"><gate name="a"/></define-gate>
<define-gate name="c"><atleast min="3"><event name="x"/><gate name="top"/></atleast></define-gate>
<define-basic-event name="x"><float value="1.5"/></define-basic-event>
</define-fault-tree></opsa-mef>"""


def test_problems_of_the_tree_have_lines_too():
    found = {(d.code, d.where) for d in problems(STRUCTURE)}
    assert found == {
        ("tree-undefined", "model.xml:2"),
        ("tree-cycle", "model.xml:3"),
        ("tree-gate", "model.xml:5"),
        ("tree-probability", "model.xml:6"),
    }


def test_a_reference_of_the_wrong_kind_is_refused():
    text = TREE.format(GATE.format("g", '<gate name="e"/>') + EVENT.format("e", '<float value="0.1"/>'))
    found = only_problem(text)
    assert found.code == "tree-undefined"
    assert "'e' is referred to as a gate, and is a basic event, defined at model.xml:1" in found.text


def test_a_reference_holds_nothing():
    assert only_problem(TREE.format(GATE.format("g", '<gate name="h"><not/></gate>'))).code == "tree-syntax"


def test_several_roots_are_listed():
    gates = GATE.format("a", '<event name="e"/>') + GATE.format("b", '<event name="e"/>')
    found = only_problem(TREE.format(gates + EVENT.format("e", "")))
    assert found.code == "tree-undefined"
    assert "Possible are a, b." in found.text
    assert "top=" in found.hint


def test_an_unknown_top_event_is_refused_with_what_there_is():
    text = TREE.format(GATE.format("a", '<event name="e"/>') + EVENT.format("e", ""))
    with pytest.raises(DiagnosticsError, match=r"tree-undefined.*'b'.* a\b"):
        read_mef(text, top="b")


PHASES = (
    '<opsa-mef><define-alignment name="A"><define-phase name="P" time-fraction="{}"/>'
    '<define-phase name="Q" time-fraction="0.5">{}</define-phase></define-alignment></opsa-mef>'
)
SET = '<set-house-event name="h"><constant value="true"/></set-house-event>'


def test_what_is_wrong_with_an_alignment_is_found():
    for name, text, code in (
        ("sum", PHASES.format("0.4", ""), "tree-probability"),
        ("negative", PHASES.format("-1", ""), "tree-probability"),
        ("no number", PHASES.format("some", ""), "tree-probability"),
        ("unknown house event", PHASES.format("0.5", SET), "tree-undefined"),
        ("another element", PHASES.format("0.5", "<not/>"), "tree-syntax"),
    ):
        assert only_problem(text).code == code, name


WORDS = '<opsa-mef><define-fault-tree name="T"><define-gate name="g">{}<event name="e"/></define-gate>{}'
WORDS += "</define-fault-tree></opsa-mef>"


def test_an_attribute_of_ours_that_someone_broke_is_refused():
    for said in ("[]", "no JSON", '{"name": 1}', '{"attributes": {"a": 1}}', "[" * 10_000):
        attributes = f"<attributes><attribute name='surefoot' value='{said}'/></attributes>"
        found = problems(WORDS.format(attributes, EVENT.format("e", "")))
        assert (found[0].code, "'surefoot'" in found[0].text) == ("tree-syntax", True), said[:30]
