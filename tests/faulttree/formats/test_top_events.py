"""Files with several top events: never answered for one of them without a word."""

import pytest

from surefoot.core import DiagnosticsError
from surefoot.faulttree import FaultTree, Fixed

A, B, C = 0.1, 0.2, 0.3
TOPS = {"or": 1 - (1 - A) * (1 - B), "and": A * B, "last": B * C}
DEFINED = "".join(
    f'<define-basic-event name="{name}"><float value="{value}"/></define-basic-event>'
    for name, value in (("a", A), ("b", B), ("c", C))
)


def gate(name, kind, *inputs):
    inner = "".join(f'<event name="{each}"/>' for each in inputs)
    return f'<define-gate name="{name}"><{kind}>{inner}</{kind}></define-gate>'


GATES = (gate("or", "or", "a", "b"), gate("and", "and", "a", "b"), gate("last", "and", "inner", "b"))
INNER = gate("inner", "and", "c")
FILES = {
    "one.xml": f'<opsa-mef><define-fault-tree name="T">{"".join(GATES)}{INNER}{DEFINED}</define-fault-tree></opsa-mef>',
    "trees.xml": "<opsa-mef>"
    + "".join(f'<define-fault-tree name="T{i}">{each}</define-fault-tree>' for i, each in enumerate(GATES))
    + f'<define-fault-tree name="T3">{INNER}</define-fault-tree><model-data>{DEFINED}</model-data></opsa-mef>',
    "x.yaml": f"""surefoot-tree: 1
gates: {{or: {{or: [a, b]}}, and: {{and: [a, b]}}, last: {{and: [inner, b]}}, inner: {{and: [c]}}}}
events: {{a: {A}, b: {B}, c: {{probability: {C}, label: the third}}}}
""",
    "x.json": '{"surefoot-tree": 1, "gates": {"or": {"or": ["a", "b"]}, "and": {"and": ["a", "b"]}, "last": '
    f'{{"and": ["inner", "b"]}}, "inner": {{"and": ["c"]}}}}, "events": {{"a": {A}, "b": {B}, "c": {C}}}}}',
    "x.dft": f'"or" or "a" "b"; "and" and "a" "b"; "last" and "inner" "b"; "inner" and "c";'
    f'"a" prob={A}; "b" prob={B}; "c" prob={C};',
    "x.dag": f"or := a | b;\nand := a & b;\nlast := inner & b;\ninner := c;\np(a) = {A};\np(b) = {B};\np(c) = {C};\n",
}


@pytest.fixture(params=FILES)
def path(request, tmp_path):
    file = tmp_path / request.param
    file.write_text(FILES[request.param])
    return file


def test_all_are_read_and_each_is_what_naming_it_gives(path):
    trees = FaultTree.read_all(path)
    assert {name: tree.probability() for name, tree in trees.items()} == pytest.approx(TOPS)
    assert [tree.top for tree in trees.values()] == list(TOPS)
    assert [sorted(tree.events) for tree in trees.values()] == [["a", "b"], ["a", "b"], ["b", "c"]]
    assert all(tree.problems == () for tree in trees.values())
    for name, tree in trees.items():
        named = FaultTree.read(path, top=name)
        assert (named.top, named.probability()) == (tree.top, pytest.approx(tree.probability()))


def test_one_must_be_named_to_be_read_alone(path):
    with pytest.raises(DiagnosticsError) as error:
        FaultTree.read(path)
    (problem,) = error.value.diagnostics
    assert problem.code == "tree-undefined"
    assert all(name in problem.text for name in TOPS)
    assert "read_all" in problem.hint
    assert list(FaultTree.read_all(path, top="inner")) == ["inner"]


def test_a_stated_top_event_is_the_only_one(tmp_path):
    (tmp_path / "x.yaml").write_text(FILES["x.yaml"] + "top: or\n")
    (tree,) = FaultTree.read_all(tmp_path / "x.yaml").values()
    assert tree == FaultTree.read(tmp_path / "x.yaml")
    assert [problem.code for problem in tree.problems] == ["tree-unreachable"]


def test_labels_go_with_the_trees_that_have_the_event(tmp_path):
    (tmp_path / "x.yaml").write_text(FILES["x.yaml"])
    trees = FaultTree.read_all(tmp_path / "x.yaml")
    assert [dict(tree.labels) for tree in trees.values()] == [{}, {}, {"c": "the third"}]


def test_all_problems_of_a_file_are_found_at_once(tmp_path):
    (tmp_path / "x.yaml").write_text(
        "surefoot-tree: 1\ngates:\n  g: {or: [a, x]}\n  h: {at least: 3, of: [a, b]}\nevents:\n  a: 2\n  b: 0.1\n"
    )
    with pytest.raises(DiagnosticsError) as error:
        FaultTree.read_all(tmp_path / "x.yaml")
    found = [(problem.code, problem.where) for problem in error.value.diagnostics]
    assert found == [("tree-undefined", "x.yaml:3"), ("tree-gate", "x.yaml:4"), ("tree-probability", "x.yaml:6")]


def test_a_mission_time_goes_to_the_trees_that_ask_for_one(tmp_path):
    rate = "<exponential><float value='1e-3'/><system-mission-time/></exponential>"
    (tmp_path / "x.xml").write_text(FILES["one.xml"].replace(f'<float value="{C}"/>', rate))
    trees = FaultTree.read_all(tmp_path / "x.xml", mission_time=10)
    assert [tree.parameters.get("mission-time") for tree in trees.values()] == [None, None, Fixed(10.0)]
    with pytest.raises(DiagnosticsError, match="tree-unsupported"):
        FaultTree.read_all(tmp_path / "x.xml", top="or", mission_time=10)


def test_groups_and_parameters_go_with_their_events(tmp_path):
    (tmp_path / "x.yaml").write_text(
        """surefoot-tree: 1
gates: {first: {and: [p, q]}, second: {or: [r]}}
events: {r: rate}
groups: {pumps: {type: beta-factor, members: [p, q], distribution: total, beta: 0.1}}
parameters: {total: base, base: 0.01, rate: 0.2}
"""
    )
    first, second = FaultTree.read_all(tmp_path / "x.yaml").values()
    assert ([group.name for group in first.groups], list(first.parameters)) == (["pumps"], ["total", "base"])
    assert (second.groups, list(second.parameters)) == ((), ["rate"])


PHASES = """<define-alignment name="M"><define-phase name="p" time-fraction="0.75"/>
<define-phase name="q" time-fraction="0.25"><set-house-event name="h"><constant value="true"/></set-house-event>
</define-phase></define-alignment>"""


def test_every_top_event_has_every_phase(tmp_path):
    house = '<define-house-event name="h"/>' + gate("held", "or", "h", "a") + gate("other", "and", "h", "b")
    text = f'<opsa-mef>{PHASES}<define-fault-tree name="T">{house}{DEFINED}</define-fault-tree></opsa-mef>'
    (tmp_path / "x.xml").write_text(text)
    trees = FaultTree.read_all(tmp_path / "x.xml")
    assert {name: tree.probability() for name, tree in trees.items()} == pytest.approx(
        {"held@p": A, "held@q": 1.0, "other@p": 0.0, "other@q": B}
    )
    assert FaultTree.read(tmp_path / "x.xml", top="other@q") == trees["other@q"]
    with pytest.raises(DiagnosticsError, match="held@p, held@q"):
        FaultTree.read(tmp_path / "x.xml", top="held")


def test_phases_of_two_alignments_with_one_name_are_told_apart(tmp_path):
    other = PHASES.replace('"M"', '"N"').replace('"true"', '"false"')
    house = '<define-house-event name="h"/>' + gate("held", "or", "h", "a")
    text = f'<opsa-mef>{PHASES}{other}<define-fault-tree name="T">{house}{DEFINED}</define-fault-tree></opsa-mef>'
    (tmp_path / "x.xml").write_text(text)
    trees = FaultTree.read_all(tmp_path / "x.xml")
    assert list(trees) == ["held@M.p", "held@M.q", "held@N.p", "held@N.q"]
    assert [tree.houses["h"] for tree in trees.values()] == [False, True, False, False]


def test_phases_that_set_nothing_leave_one_top_event(tmp_path):
    plain = PHASES.replace('<set-house-event name="h"><constant value="true"/></set-house-event>', "")
    text = f'<opsa-mef>{plain}<define-fault-tree name="T">{GATES[0]}{DEFINED}</define-fault-tree></opsa-mef>'
    (tmp_path / "x.xml").write_text(text)
    tree = FaultTree.read(tmp_path / "x.xml")
    assert tree.attributes["or"]["alignment M"] == "p 0.75, q 0.25"
    assert tree.left_out == ()


def test_substitutions_hold_for_every_top_event(tmp_path):
    both = '<hypothesis><and><basic-event name="a"/><basic-event name="b"/></and></hypothesis>'
    excluded = f'<define-substitution name="s">{both}<target><constant value="false"/></target></define-substitution>'
    (tmp_path / "x.xml").write_text(FILES["one.xml"].replace("</opsa-mef>", f"{excluded}</opsa-mef>"))
    found = {name: tree.probability() for name, tree in FaultTree.read_all(tmp_path / "x.xml").items()}
    assert found == pytest.approx({"or": A + B - 2 * A * B, "and": 0.0, "last": B * C * (1 - A)})


@pytest.mark.parametrize("others", ["", gate("other", "or", "a")], ids=["one root", "two roots"])
def test_substitutions_hold_in_every_phase(tmp_path, others):
    both = '<hypothesis><and><basic-event name="a"/><basic-event name="b"/></and></hypothesis>'
    excluded = f'<define-substitution name="s">{both}<target><constant value="false"/></target></define-substitution>'
    gates = '<define-house-event name="h"/>' + gate("held", "or", "h", "a", "b", "c") + others
    tree = f'<define-fault-tree name="T">{gates}{DEFINED}</define-fault-tree>'
    (tmp_path / "x.xml").write_text(f"<opsa-mef>{PHASES}{excluded}{tree}</opsa-mef>")
    trees = FaultTree.read_all(tmp_path / "x.xml", top="held")
    assert {tree.top for tree in trees.values()} == {"held-with-substitutions"}
    first = 1 - (1 - A) * (1 - B) * (1 - C) - A * B
    assert [tree.probability() for tree in trees.values()] == pytest.approx([first, 1 - A * B])
    assert all(FaultTree.read(tmp_path / "x.xml", top=name) == tree for name, tree in trees.items())


def test_each_of_many_top_events_has_what_it_depends_on(tmp_path):
    count = 3000
    gates = "".join(gate(f"g{i}", "or", f"e{i}", "a") for i in range(count))
    events = "".join(f'<define-basic-event name="e{i}"><float value="0.1"/></define-basic-event>' for i in range(count))
    text = f'<opsa-mef><define-fault-tree name="T">{gates}{events}{DEFINED}</define-fault-tree></opsa-mef>'
    (tmp_path / "x.xml").write_text(text)
    trees = FaultTree.read_all(tmp_path / "x.xml")
    assert len(trees) == count
    assert sum(len(tree.events) for tree in trees.values()) == 2 * count
