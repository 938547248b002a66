"""What the constructs of Open-PSA mean."""

from tests.faulttree.formats.texts import read_mef, write_mef

from surefoot.faulttree import (
    AlphaFactor,
    BetaFactor,
    Fixed,
    Formula,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    MultipleGreekLetter,
    Operation,
    Parameter,
    PhiFactor,
)

EVENTS = "".join(
    f'<define-basic-event name="{name}"><float value="0.{index}"/></define-basic-event>'
    for index, name in enumerate("abcd", start=1)
)
FORMULAS = {
    '<event name="a"/>': Formula("pass", ("a",)),
    '<constant value="true"/>': Formula("pass", (True,)),
    '<and><event name="a"/><event name="b" type="basic-event"/></and>': Formula("and", ("a", "b")),
    '<or><basic-event name="a"/><constant value="0"/></or>': Formula("or", ("a", False)),
    '<xor><event name="a"/><event name="b"/><event name="c"/></xor>': Formula("xor", ("a", "b", "c")),
    '<nand><event name="a"/><event name="b"/></nand>': Formula("nand", ("a", "b")),
    '<nor><event name="a"/><event name="b"/></nor>': Formula("nor", ("a", "b")),
    '<iff><event name="a"/><event name="b"/></iff>': Formula("iff", ("a", "b")),
    '<imply><event name="a"/><event name="b"/></imply>': Formula("imply", ("a", "b")),
    '<atleast min="1"><event name="a"/><event name="b"/></atleast>': Formula("atleast", ("a", "b"), 1),
    '<cardinality min="0" max="1"><event name="a"/><event name="b"/></cardinality>': Formula(
        "cardinality", ("a", "b"), 0, 1
    ),
    '<and><event name="a"/><not><or><event name="a"/><event name="b"/></or></not></and>': Formula(
        "and", ("a", Formula("not", (Formula("or", ("a", "b")),)))
    ),
}


def test_every_formula_is_read():
    for text, formula in FORMULAS.items():
        gate = f'<define-gate name="g">{text}</define-gate>'
        tree = read_mef(f'<opsa-mef><define-fault-tree name="T">{gate}{EVENTS}</define-fault-tree></opsa-mef>')
        assert tree.gates == {"g": formula}, text


def test_gates_that_repeat_an_input_are_read():
    gate = '<define-gate name="g"><or><event name="a"/><event name="a"/></or></define-gate>'
    tree = read_mef(f'<opsa-mef><define-fault-tree name="T">{gate}{EVENTS}</define-fault-tree></opsa-mef>')
    assert tree.gates["g"].inputs == ("a", "a")


COMPONENTS = """<opsa-mef name="model"><label>all</label>
<define-fault-tree name="T"><label>the tree</label><attributes><attribute name="by" value="us"/></attributes>
<define-gate name="top">
  <and><gate name="C.x"/><gate name="T.C.D.x"/><event name="open"/><event name="x"/></and></define-gate>
<define-gate name="x"><basic-event name="a"/></define-gate>
<define-component name="C" role="private">
  <define-gate name="x"><or><gate name="y"/><basic-event name="C.own"/></or></define-gate>
  <define-gate name="y"><or><gate name="D.x"/><basic-event name="own"/></or></define-gate>
  <define-basic-event name="own"><parameter name="rate"/></define-basic-event>
  <define-parameter name="rate" unit="hours-1"><label>of own</label><float value="0.25"/></define-parameter>
  <define-gate name="open" role="public"><event name="own"/></define-gate>
  <define-component name="D">
    <define-gate name="x"><or><event name="own"/><event name="b"/></or></define-gate></define-component>
</define-component>
</define-fault-tree>
<model-data>
  <define-basic-event name="a"><label>  A  label &lt;here&gt; </label><attributes>
    <attribute name="flavor" value="undeveloped" type="text"/></attributes><float value="0.5"/></define-basic-event>
  <define-basic-event name="b"/>
  <define-parameter name="rate"><float value="0.75"/></define-parameter>
</model-data></opsa-mef>"""


def test_containers_hide_what_is_private_and_names_resolve_from_inside_out():
    tree = read_mef(COMPONENTS)
    assert tree.top == "top"
    assert tree.gates == {
        "top": Formula("and", ("T.C.x", "T.C.D.x", "open", "x")),
        "x": Formula("pass", ("a",)),
        "T.C.x": Formula("or", ("T.C.y", "T.C.own")),
        "T.C.y": Formula("or", ("T.C.D.x", "T.C.own")),
        "T.C.D.x": Formula("or", ("T.C.own", "b")),
        "open": Formula("pass", ("T.C.own",)),
    }
    assert tree.events == {"T.C.own": Parameter("T.C.rate"), "a": Fixed(0.5), "b": None}
    assert tree.parameters == {"T.C.rate": Fixed(0.25), "rate": Fixed(0.75)}


def test_labels_attributes_units_and_containers_are_kept():
    tree = read_mef(COMPONENTS)
    assert tree.labels == {"a": "A  label <here>", "T.C.rate": "of own"}
    assert tree.attributes == {
        "top": {"model": "model", "label of the model": "all", "label of T": "the tree", "by of T": "us"},
        "a": {"flavor": "undeveloped", "type of flavor": "text"},
        "T.C.rate": {"unit": "hours-1"},
        "open": {"container": "T.C"},
    }
    assert read_mef(write_mef(tree)) == tree


def test_a_gate_below_the_top_event_can_be_the_top_event():
    tree = read_mef(COMPONENTS, top="T.C.y")
    assert tree.top == "T.C.y"
    assert set(tree.gates) == {"T.C.y", "T.C.D.x"}
    assert set(tree.events) == {"T.C.own", "b"}
    assert set(tree.parameters) == {"T.C.rate"}


def test_a_parameter_may_have_the_name_of_an_event():
    text = """<opsa-mef><define-fault-tree name="T"><define-gate name="g"><event name="a"/></define-gate>
    <define-basic-event name="a"><label>event</label><parameter name="a"/></define-basic-event>
    <define-parameter name="a"><label>number</label><float value="0.5"/></define-parameter>
    </define-fault-tree></opsa-mef>"""
    tree = read_mef(text)
    assert tree.events == {"a": Parameter("a")}
    assert tree.labels == {"a": "event", "parameter a": "number"}
    assert read_mef(write_mef(tree)) == tree


def number(value):
    return f'<float value="{value}"/>'


TWO_BINS = f"<bin>{number(0.1)}{number(2)}</bin><bin>{number(1)}{number(3)}</bin>"
EXPRESSIONS = {
    '<int value="1"/>': Fixed(1.0),
    '<bool value="true"/>': Fixed(1.0),
    f"<lognormal-deviate>{number(-3)}{number(0.5)}</lognormal-deviate>": LogNormalMuSigma(-3, 0.5),
    f"<lognormal-deviate>{number(0.1)}{number(3)}{number(0.9)}</lognormal-deviate>": LogNormal(0.1, 3, 0.9),
    f"<histogram>{number(0)}{TWO_BINS}</histogram>": Histogram((0, 0.1, 1), (2, 3)),
    f"<switch><case><bool value='false'/>{number(0.1)}</case>{number(0.2)}</switch>": Operation(
        "switch", (0, 0.1, 0.2)
    ),
    f"<ite><lt>{number(1)}<pi/></lt>{number(0.1)}{number(0.2)}</ite>": Operation(
        "ite", (Operation("lt", (1, Operation("pi"))), 0.1, 0.2)
    ),
}


def test_every_expression_is_read():
    gate = '<define-gate name="g"><event name="e"/></define-gate>'
    for text, quantity in EXPRESSIONS.items():
        event = f'{gate}<define-basic-event name="e">{text}</define-basic-event>'
        tree = read_mef(f'<opsa-mef><define-fault-tree name="T">{event}</define-fault-tree></opsa-mef>')
        assert tree.events == {"e": quantity}, text


GROUP = """<opsa-mef><define-fault-tree name="T">
<define-gate name="g"><and><event name="a"/><event name="b"/></and></define-gate>
<define-CCF-group name="G" model="{}"><label>group</label>
<members><basic-event name="a"/><basic-event name="b"/></members>
<distribution><float value="0.1"/></distribution>{}</define-CCF-group></define-fault-tree></opsa-mef>"""
ONE, TWO = '<factor{}><float value="0.75"/></factor>', '<factor{}><float value="0.25"/></factor>'
GROUPS = {
    "beta-factor": (ONE.format(""), BetaFactor("G", ("a", "b"), 0.1, 0.75)),
    "MGL": (ONE.format(' level="2"'), MultipleGreekLetter("G", ("a", "b"), 0.1, (0.75,))),
    "alpha-factor": (
        f"<factors>{ONE.format('')}{TWO.format('')}</factors>",
        AlphaFactor("G", ("a", "b"), 0.1, (0.75, 0.25)),
    ),
    "phi-factor": (
        "<factors>" + TWO.format(' level="2"') + ONE.format(' level="1"') + "</factors>",
        PhiFactor("G", ("a", "b"), 0.1, (0.75, 0.25)),
    ),
}


def test_every_common_cause_group_is_read():
    for model, (factors, group) in GROUPS.items():
        tree = read_mef(GROUP.format(model, factors))
        assert tree.groups == (group,), model
        assert (tree.events, tree.labels) == ({}, {"G": "group"}), model
        assert read_mef(write_mef(tree)) == tree, model


def test_foreign_code_that_nothing_uses_changes_nothing():
    gate = '<define-gate name="g"><event name="a"/></define-gate>'
    library = '<define-extern-library name="lib" path="lib.so"/>'
    tree = read_mef(f'<opsa-mef>{library}<define-fault-tree name="T">{gate}{EVENTS}</define-fault-tree></opsa-mef>')
    assert tree.attributes["g"]["foreign code lib"] == "model.xml:1, which nothing uses"
    assert tree.left_out == ()
