"""Sequences of event trees as top events."""

import pytest
from tests.faulttree.formats.mef.scram import probabilities, run
from tests.faulttree.formats.texts import read_mef, read_mef_all, write_mef

from surefoot.core import DiagnosticsError
from surefoot.faulttree import Formula, Operation, UniformDeviate

EVENTS = "".join(
    f'<define-basic-event name="{name}"><float value="0.{index}"/></define-basic-event>'
    for index, name in enumerate("abcd", start=1)
)
EVENT_TREE = (
    """<opsa-mef>
<define-initiating-event name="I" event-tree="E"/><define-initiating-event name="J" event-tree="E"/>
<define-rule name="both">
 <block><rule name="first"/><collect-formula><event name="b"/></collect-formula></block></define-rule>
<define-rule name="first"><collect-formula><gate name="g"/></collect-formula></define-rule>
<define-event-tree name="E"><define-functional-event name="F"/><define-functional-event name="H"/>
<define-sequence name="S"><label>bad</label>
 <if><and><test-initiating-event name="I"/><test-functional-event name="F" state="bad"/></and>
  <collect-formula><event name="c"/></collect-formula>
  <collect-formula><event name="d"/></collect-formula></if></define-sequence>
<define-sequence name="U"/>
<define-branch name="later"><fork functional-event="H">
 <path state="on"><set-house-event name="h"><constant value="true"/></set-house-event>
  <rule name="both"/><sequence name="S"/></path>
 <path state="off"><collect-formula><gate name="g"/></collect-formula><sequence name="S"/></path></fork></define-branch>
<initial-state><fork functional-event="F">
 <path state="good"><branch name="later"/></path>
 <path state="bad"><branch name="later"/></path>
 <path state="skip"><sequence name="U"/></path></fork></initial-state>
</define-event-tree>
<define-fault-tree name="T"><define-gate name="g"><or><event name="a"/><house-event name="h"/></or></define-gate>
<define-house-event name="h"><constant value="false"/></define-house-event>"""
    + EVENTS
    + "</define-fault-tree></opsa-mef>"
)


def test_instructions_of_event_trees_are_followed():
    tree = read_mef(EVENT_TREE, top="I/S")
    assert tree.labels["S"] == "bad"
    assert tree.houses == {"h": False, "h=true": True}
    assert tree.gates["g [h=true]"] == Formula("or", ("a", "h=true"))
    on, off = ("g [h=true]", "b"), ("g",)
    ways = [(*on, "d"), (*off, "d"), (*on, "c"), (*off, "c")]
    assert tree.gates["S"] == Formula("or", tuple(Formula("and", way) for way in ways))
    assert read_mef(write_mef(tree)) == tree


def test_scram_follows_instructions_of_event_trees_alike(scram, tmp_path):
    path = tmp_path / "tree.xml"
    path.write_text(EVENT_TREE)
    theirs = probabilities(path)
    names = ("I/S", "J/S", "I/U")
    ours = {name: read_mef(path, top=name).probability() for name in names}
    assert ours == pytest.approx({name: theirs[name] for name in names}, rel=1e-5)


EXPRESSION_TREE = """<opsa-mef><define-event-tree name="E"><define-functional-event name="F"/>
<define-sequence name="S"/><define-sequence name="U"/>
<define-branch name="more"><collect-expression>{0}</collect-expression><fork functional-event="H">
 <path state="on"><sequence name="S"/></path><path state="off"><sequence name="U"/></path></fork></define-branch>
<initial-state><fork functional-event="F">
 <path state="good"><collect-expression><ite><test-functional-event name="F" state="good"/><float value="0.5"/>
  <float value="0.3"/></ite></collect-expression><branch name="more"/></path>
 <path state="bad"><collect-expression><float value="0.25"/></collect-expression><branch name="more"/></path>
</fork></initial-state></define-event-tree></opsa-mef>"""


def test_expressions_multiply_on_a_way_and_add_up_over_ways():
    tree = read_mef(EXPRESSION_TREE.format('<float value="0.4"/>'), top="S")
    assert tree.gates == {"S": Formula("pass", ("S-ways",))}
    first = Operation("mul", (Operation("ite", (1, 0.5, 0.3)), 0.4))
    assert tree.events["S-ways"] == Operation("add", (first, Operation("mul", (0.25, 0.4))))
    assert tree.probability() == pytest.approx(0.5 * 0.4 + 0.25 * 0.4)


def test_an_uncertain_expression_that_several_ways_collect_is_one_number():
    deviate = "<uniform-deviate><float value='0.1'/><float value='0.3'/></uniform-deviate>"
    tree = read_mef(EXPRESSION_TREE.format(deviate), top="S")
    assert tree.parameters == {"collected at line 3": UniformDeviate(0.1, 0.3)}
    assert tree.events["S-ways"].references() == ("collected at line 3",)


def test_formulas_and_expressions_are_not_mixed():
    mixed = EVENT_TREE.replace(
        "<set-house", '<collect-expression><float value="0.1"/></collect-expression><set-house', 1
    )
    with pytest.raises(DiagnosticsError, match=r"model.xml:13: .*tree-unsupported"):
        read_mef(mixed, top="I/S")


def test_a_way_on_which_nothing_is_collected_is_certain():
    assert read_mef(EVENT_TREE, top="I/U").gates == {"U": Formula("pass", (True,))}


def test_rules_that_lead_to_each_other_are_refused():
    with pytest.raises(DiagnosticsError, match=r"tree-cycle.*circle"):
        read_mef(EVENT_TREE.replace('<rule name="first"/>', '<rule name="both"/>'), top="I/S")


def test_branches_that_lead_to_each_other_are_refused():
    circle = EVENT_TREE.replace(
        '<sequence name="S"/></path></fork></define-branch>', '<branch name="later"/></path></fork></define-branch>'
    )
    with pytest.raises(DiagnosticsError, match=r"tree-cycle.*circle"):
        read_mef(circle, top="I/S")


@pytest.mark.parametrize("kind", ["branch", "rule", "sequence"])
def test_what_an_event_tree_refers_to_must_be_there(kind):
    broken = EVENT_TREE.replace(f'<{kind} name="', f'<{kind} name="no-', 1)
    with pytest.raises(DiagnosticsError, match=rf"tree-undefined.*{kind} 'no-") as error:
        read_mef(broken, top="I/S")
    assert error.value.diagnostics[0].where.startswith("model.xml:")


@pytest.mark.parametrize("tag", ["define-event-tree", "define-rule", "define-initiating-event"])
def test_what_is_there_twice_is_refused(tag):
    twice = f'<{tag} name="{{}}" event-tree="E"/></opsa-mef>'
    name = {"define-event-tree": "E", "define-rule": "both", "define-initiating-event": "I"}[tag]
    with pytest.raises(DiagnosticsError, match=rf"tree-duplicate.*'{name}'"):
        read_mef(EVENT_TREE.replace("</opsa-mef>", twice.format(name)), top="I/S")


def test_a_fork_without_its_functional_event_is_refused():
    broken = EVENT_TREE.replace('<fork functional-event="F">', "<fork>")
    with pytest.raises(DiagnosticsError, match=r"tree-syntax.*'functional-event'"):
        read_mef(broken, top="I/S")


PHASES = """<opsa-mef><define-alignment name="M"><define-phase name="p" time-fraction="0.75"/>
<define-phase name="q" time-fraction="0.25"><set-house-event name="h"><constant value="true"/></set-house-event>
</define-phase></define-alignment>"""


def test_scram_finds_the_same_for_every_sequence_in_every_phase(scram, tmp_path):
    path = tmp_path / "tree.xml"
    path.write_text(EVENT_TREE.replace("<opsa-mef>", PHASES, 1))
    theirs = {
        f"{start.get('name')}/{sequence.get('name')}@{start.get('phase')}": float(sequence.get("value"))
        for start in run(path).iter("initiating-event")
        for sequence in start.iter("sequence")
    }
    trees = read_mef_all(path)
    ours = {name: tree.probability() for name, tree in trees.items() if "/" in name}
    assert len(ours) == 8
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert set(trees) - set(ours) == {"g@p", "g@q"}
