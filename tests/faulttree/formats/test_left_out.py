"""What a file means and a static tree cannot say is refused, or told wherever the number goes."""

import shutil

import pytest
from tests.faulttree.formats.mef import scram as peer

from surefoot.core import DiagnosticsError, Target
from surefoot.faulttree import BeyondBudget, Counts, FaultTree, PartLeftOut

EVENTS = "".join(
    f'<define-basic-event name="{name}"><float value="0.{index}"/></define-basic-event>'
    for index, name in enumerate("abcr", start=1)
)
MODEL = f"""<opsa-mef>
<define-fault-tree name="T"><define-gate name="g">
<or><event name="a"/><event name="b"/><event name="c"/></or></define-gate>{EVENTS}
<define-house-event name="h"/></define-fault-tree>
<!-- more -->
</opsa-mef>"""
AND = '<hypothesis><and><basic-event name="a"/><basic-event name="b"/></and></hypothesis>'
SOURCE = '<source><basic-event name="a"/></source>'
EVENT_TREE = """<define-initiating-event name="I" event-tree="E"/><define-event-tree name="E">
<define-functional-event name="F"/><define-sequence name="S"/><define-sequence name="U"/>
<initial-state><fork functional-event="F">
<path state="on"><collect-formula><gate name="g"/></collect-formula><sequence name="S"/></path>
<path state="off"><sequence name="U"/></path></fork></initial-state></define-event-tree>"""


def model(more):
    return MODEL.replace("<!-- more -->", more)


def substitution(kind, source, target):
    said = f' type="{kind}"' if kind else ""
    return model(f'<define-substitution name="s"{said}>{AND}{source}<target>{target}</target></define-substitution>')


EXCHANGED = substitution("exchange-event", SOURCE, '<basic-event name="r"/>')
LEFT_OUT = {
    "exchange-event": ("x.xml", EXCHANGED, "x.xml:5: the substitution 's'"),
    "recovery-rule-with-source": (
        "x.xml",
        substitution("recovery-rule", SOURCE, '<basic-event name="r"/>'),
        "x.xml:5: the substitution 's'",
    ),
    "untyped-with-source": ("x.xml", substitution("", SOURCE, '<constant value="true"/>'), "the substitution 's'"),
    "unknown-attribute": (
        "x.xml",
        MODEL.replace('<event name="a"/>', '<event name="a" weight="2"/>').replace('"b"/>', '"b" weight="3"/>', 1),
        "x.xml:3 and 1 more: the attribute 'weight' of <event>",
    ),
    "atleast-with-max": (
        "x.xml",
        MODEL.replace("<or>", '<atleast min="1" max="2">').replace("</or>", "</atleast>"),
        "x.xml:3: the attribute 'max' of <atleast>",
    ),
    "galileo-pand": (
        "x.dft",
        'toplevel "g";\n"g" pand "a" "b";\n"a" prob=0.1; "b" prob=0.2;',
        "x.dft:2: the order that the pand gate 'g' asks for",
    ),
    "yaml": (
        "x.yaml",
        "surefoot-tree: 1\nleft out: [the second page]\ngates: {g: {or: [a, b]}}\nevents: {a: 0.1, b: 0.2}\n",
        "the second page",
    ),
}


@pytest.fixture(params=LEFT_OUT)
def partial(request, tmp_path):
    name, text, said = LEFT_OUT[request.param]
    (tmp_path / name).write_text(text)
    with pytest.warns(PartLeftOut, match="left out of the tree"):
        tree = FaultTree.read(tmp_path / name)
    return tree, said


def test_it_is_told_when_the_file_is_read(partial):
    tree, said = partial
    (text,) = tree.left_out
    assert said in text
    (problem,) = [problem for problem in tree.problems if problem.code == "tree-left-out"]
    assert problem.severity == "warning"


def test_the_result_is_not_exact_and_guarantees_nothing(partial):
    tree, said = partial
    result = tree.analyse(target=Target(at_most=1.0))
    assert not result.exact
    assert result.probability == pytest.approx(tree.probability())
    assert [bound.kind for bound in result.top.bounds] == ["heuristic", "heuristic"]
    assert result.top.dist is None
    (caveat,) = [caveat for caveat in result.top.caveats if caveat.code == "tree-left-out"]
    assert (caveat.severity, said in caveat.text) == ("warning", True)
    assert result.verdict.status == "not shown"
    assert said in str(result)
    (estimate,) = result.evidence().estimates
    assert caveat in estimate.caveats


def test_verdicts_comparisons_and_allocations_tell_of_it_too(partial):
    tree, said = partial
    verdict = tree.analyse(target=Target(at_most=1.0, kinds=("heuristic",))).verdict
    assert (verdict.status, "caveat tree-left-out" in verdict.text) == ("met", True)
    change = tree.what_if({"a": 0.5})
    for found in (change.before, change.after):
        assert "tree-left-out" in [caveat.code for caveat in found.caveats]
        assert {bound.kind for bound in found.bounds} == {"heuristic"}
    assert said in tree.allocate(0.01, events=["a"]).notes[-1]


def test_it_is_written_and_read_back_and_stays_with_changed_trees(partial, tmp_path):
    tree, _ = partial
    for ending in ("xml", "yaml", "json"):
        tree.write(tmp_path / f"written.{ending}")
        with pytest.warns(PartLeftOut):
            assert FaultTree.read(tmp_path / f"written.{ending}") == tree, ending
    assert tree.with_events({"a": 0.5}).left_out == tree.left_out
    assert tree.expanded.left_out == tree.left_out


def test_uncertain_inputs_keep_their_spread(tmp_path):
    (tmp_path / "x.dft").write_text('toplevel "g";\n"g" pand "a" "b";\n"a" prob=0.1; "b" prob=0.2;')
    with pytest.warns(PartLeftOut):
        tree = FaultTree.read(tmp_path / "x.dft")
    result = tree.with_events({"a": Counts(1, 100)}).analyse()
    low, high = result.top.interval(0.9)
    assert low < result.top.value < high
    assert {bound.kind for bound in result.top.bounds} == {"heuristic"}


def test_bounds_beyond_the_budget_are_not_certain_either(partial, monkeypatch):
    def too_large(*_):
        raise BeyondBudget(low=1e-4, high=2e-4)

    monkeypatch.setattr(FaultTree, "compile", too_large)
    result = partial[0].analyse()
    assert (result.compiled, result.exact, result.top.interval(0.95)) == (False, False, (1e-4, 2e-4))
    assert {bound.kind for bound in result.top.bounds} == {"heuristic"}
    assert {"tree-left-out", "tree-beyond-budget"} <= {caveat.code for caveat in result.top.caveats}


REFUSED = {
    "delete-terms-with-an-event": (substitution("delete-terms", "", '<basic-event name="r"/>'), "tree-syntax"),
    "recovery-rule-without-event": (substitution("recovery-rule", "", '<constant value="false"/>'), "tree-syntax"),
    "exchange-event-without-source": (substitution("exchange-event", "", '<basic-event name="r"/>'), "tree-syntax"),
    "substitution-with-two-targets": (
        substitution("", "", '<basic-event name="r"/></target><target><constant value="false"/>'),
        "tree-syntax",
    ),
    "initiating-event-with-a-frequency": (
        model(EVENT_TREE.replace('"E"/>', '"E"><float value="0.1"/></define-initiating-event>', 1)),
        "tree-syntax",
    ),
    "functional-event-with-a-value": (
        model(EVENT_TREE.replace('"F"/>', '"F"><float value="0.1"/></define-functional-event>', 1)),
        "tree-syntax",
    ),
    "sequence-twice": (model(EVENT_TREE.replace('"U"/>', '"U"/><define-sequence name="S"/>', 1)), "tree-duplicate"),
    "initial-state-twice": (
        model(
            EVENT_TREE.replace("<initial-state>", '<initial-state><sequence name="U"/></initial-state><initial-state>')
        ),
        "tree-duplicate",
    ),
    "instruction-after-a-link": (
        model(
            EVENT_TREE.replace(
                '<define-sequence name="S"/>',
                '<define-sequence name="S"><event-tree name="E"/><block/></define-sequence>',
            )
        ),
        "tree-syntax",
    ),
    "reference-on-a-path": (
        model(EVENT_TREE.replace('<path state="off">', '<path state="off"><gate name="g"/>')),
        "tree-syntax",
    ),
    "house-event-set-backward": (
        model(
            EVENT_TREE.replace(
                '<path state="off">',
                '<path state="off"><set-house-event name="h" direction="backward"><constant value="true"/>'
                "</set-house-event>",
            )
        ),
        "tree-unsupported",
    ),
    "group-with-more-in-it": (
        model(
            '<define-CCF-group name="G" model="beta-factor"><members><basic-event name="x"/><basic-event name="y"/>'
            '</members><distribution><float value="0.1"/></distribution><factor level="2"><float value="0.2"/></factor>'
            '<factors><factor level="2"><float value="0.3"/></factor></factors></define-CCF-group>'
        ),
        "tree-syntax",
    ),
    "foreign-function": (
        MODEL.replace('<float value="0.1"/>', '<extern-function name="f"/>'),
        "tree-unsupported",
    ),
    "mission-time-in-years": (
        MODEL.replace(
            '<float value="0.1"/>',
            '<exponential><float value="0.1"/><system-mission-time unit="years"/></exponential>',
        ),
        "tree-probability",
    ),
    "parameter-in-another-unit": (
        MODEL.replace('<float value="0.1"/>', '<parameter name="p" unit="hours-1"/>').replace(
            "<define-house",
            '<define-parameter name="p" unit="years-1"><float value="0.1"/></define-parameter><define-house',
        ),
        "tree-probability",
    ),
}


def test_what_would_be_misread_is_refused(tmp_path):
    path = tmp_path / "x.xml"
    for case, (text, code) in REFUSED.items():
        path.write_text(text)
        with pytest.raises(DiagnosticsError) as error:
            FaultTree.read_all(path)
        assert {problem.code for problem in error.value.diagnostics} == {code}, case
        assert all(problem.where.startswith("x.xml:") for problem in error.value.diagnostics), case


@pytest.mark.skipif(shutil.which("scram") is None, reason="SCRAM is not installed")
def test_scram_refuses_it_too(tmp_path):
    path = tmp_path / "x.xml"
    path.write_text(model(EVENT_TREE))
    assert not peer.refusal(path)
    for case, (text, _) in REFUSED.items():
        path.write_text(text)
        assert peer.refusal(path), case


def test_what_is_refused_is_read_without_it(tmp_path):
    path = tmp_path / "x.xml"
    path.write_text(model(EVENT_TREE))
    trees = FaultTree.read_all(path)
    assert {name: tree.probability() for name, tree in trees.items()} == pytest.approx(
        {"g": 1 - 0.9 * 0.8 * 0.7, "I/S": 1 - 0.9 * 0.8 * 0.7, "I/U": 1.0}
    )


def test_attributes_of_other_namespaces_are_none_of_the_format(tmp_path):
    path = tmp_path / "x.xml"
    said = '<opsa-mef xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="mef.xsd">'
    path.write_text(MODEL.replace("<opsa-mef>", said))
    assert FaultTree.read(path).left_out == ()


def test_a_second_top_level_of_galileo_is_refused(tmp_path):
    path = tmp_path / "x.dft"
    path.write_text('toplevel "g";\ntoplevel "h";\n"g" or "a";\n"h" or "a";\n"a" prob=0.1;')
    with pytest.raises(DiagnosticsError) as error:
        FaultTree.read(path)
    assert [(each.code, each.where) for each in error.value.diagnostics] == [("tree-duplicate", "x.dft:2")]
