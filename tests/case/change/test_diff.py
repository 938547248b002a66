"""Which claims fell or rose, and why."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.change.assessed import QUANTITY, case, node, snapshot, step

from surefoot.case import Assessed, Case, Cause, Evaluation, Feedback, Node, Policy, Snapshot, Stated, compare
from surefoot.core import Evidence, InvalidInput, Provenance
from surefoot.opinions import Opinion

GOOD, BAD, SO_SO = 1, 60, 9


def before(**rest):
    return snapshot(case(), step("misses", GOOD), step("alarms", GOOD), **rest)


def sorts(change):
    return {cause.sort for cause in change.causes}


def test_nothing_differs_from_itself():
    found = compare(before(), before())
    assert found.empty
    assert found.lines() == [
        "Nothing differs.",
        "Unchanged: 8 nodes, 3 claims standing as before, 2 of evidence.",
    ]


def test_new_data_let_a_claim_fall_with_the_chain_to_the_top():
    after = snapshot(case(), step("misses", BAD, data="d2"), step("alarms", GOOD))
    found = compare(before(), after)
    assert [(c.id, c.before, c.after) for c in found.fell] == [
        ("top", "supported", "contradicted"),
        ("misses", "supported", "contradicted"),
    ]
    top, misses = found.fell
    assert misses.chain == ("misses", "over", "top")
    assert misses.changed == top.changed == ("tests",)
    assert misses.causes == (Cause("data", "door.test", "d1d1d1d1d1d1...", "d2d2d2d2d2d2...", "misses"),)
    assert found.rose == ()
    assert found.unchanged.claims == ("alarms",)
    assert found.unchanged.evidence == ("alarm tests",)


def test_a_claim_rises_again():
    worse = snapshot(case(), step("misses", BAD, model="m2"), step("alarms", GOOD))
    found = compare(worse, before())
    assert [c.id for c in found.rose] == ["top", "misses"]
    assert found.fell == ()
    assert sorts(found.rose[1]) == {"model"}


def test_the_cause_is_named():
    for changed, sort in (
        ({"data": "d2"}, "data"),
        ({"model": "m2"}, "model"),
        ({"seed": 7}, "seed"),
        ({"sources": "s2"}, "code"),
        ({"params": {"of": "malignant"}}, "parameter"),
        ({"params": {"asked": {"limit": 0.1}}}, "target"),
    ):
        after = snapshot(case(), step("misses", SO_SO, **changed), step("alarms", GOOD))
        found = compare(before(), after)
        assert {c.id: c.after for c in found.fell} == {"top": "not shown", "misses": "not shown"}, changed
        assert sorts(found.fell[0]) == {sort}, changed


def test_a_changed_model_with_the_same_result_is_told_and_nothing_falls():
    after = snapshot(case(), step("misses", GOOD, model="m2"), step("alarms", GOOD))
    found = compare(before(), after)
    assert not found.claims
    (change,) = found.evidence
    assert change.same
    assert found.inputs == (Cause("model", "door.model", "m1m1m1m1m1m1...", "m2m2m2m2m2m2..."),)


def test_causes_are_followed_through_the_steps_before():
    def combined(model):
        misses = step("misses", GOOD if model == "m1" else BAD, model=model)
        tree = Provenance("step.product", {"factors": "misses"}, (misses.key,))
        return misses, replace(step("alarms", GOOD if model == "m1" else BAD), provenance=tree)

    old, new = (snapshot(case(), *combined(model)) for model in ("m1", "m2"))
    alarms = next(change for change in compare(old, new).fell if change.id == "alarms")
    assert Cause("model", "door.model", "m1m1m1m1m1m1...", "m2m2m2m2m2m2...", "misses") in alarms.causes


def test_a_tightened_limit_is_named_where_the_claim_falls_and_a_loosened_one_where_it_rises():
    tight = snapshot(case(limit=0.001), step("misses", GOOD), step("alarms", GOOD))
    found = compare(before(), tight)
    assert {c.id: c.after for c in found.fell} == {"top": "not shown", "misses": "not shown", "alarms": "not shown"}
    assert "limit tightened: at most 0.01 -> at most 0.001" in str(next(n for n in found.nodes if n.id == "misses"))
    assert sorts(found.fell[0]) == {"target"}
    assert set(found.fell[0].changed) == {"misses", "alarms"}
    back = compare(tight, before())
    assert {c.id for c in back.rose} == {"top", "misses", "alarms"}
    assert "limit loosened" in str(back.nodes[0])


def test_evidence_that_is_only_judged_otherwise_did_not_change():
    """The evidence moved with the number above it, which is what changed."""
    measured = {"misses": step("misses", GOOD), "alarms": step("alarms", GOOD)}
    old, new = (Snapshot(case(limit), case(limit).evaluate(measured), measured) for limit in (0.01, 0.001))
    assert old.node("tests").standing != new.node("tests").standing
    misses = next(change for change in compare(old, new).fell if change.id == "misses")
    assert misses.changed == ("misses",)
    assert sorts(misses) == {"target"}


def test_what_somebody_answers_for_is_a_judgement():
    def judged(stated):
        return case().with_nodes([node("top", "claim", "over", "staff"), node("staff", "claim", stated=stated)])

    measured = {"misses": step("misses", GOOD), "alarms": step("alarms", GOOD)}
    accepted = Stated(Opinion(0.9, 0.0, 0.1), by="A. Assessor", why="seen")
    old, new = (Snapshot(judged(each), judged(each).evaluate(measured), measured) for each in (None, accepted))
    found = compare(old, new)
    assert [change.id for change in found.rose] == ["top", "staff"]
    assert [str(cause) for cause in found.rose[0].causes] == ["judgement of staff"]
    assert "by A. Assessor: seen" in str(found.nodes[0])


def test_a_broken_assumption_is_the_cause():
    after = snapshot(case(), step("misses", GOOD, data="d2", check="contradicted"), step("alarms", GOOD))
    found = compare(before(), after)
    misses = next(change for change in found.fell if change.id == "misses")
    assert misses.after == "not shown"
    assert "iid" in misses.changed
    assert next(e for e in found.evidence if e.id == "iid").moved == "supported -> contradicted"


def test_added_removed_and_reworded_nodes():
    old = before()
    nodes = {**old.case.nodes, "top": replace(old.case["top"], text="Safe enough", supported_by=("over", "new"))}
    del nodes["iid"]
    nodes["counted"] = replace(nodes["counted"], in_context_of=())
    nodes["new"] = node("new", "argument")
    found = compare(old, Snapshot(Case(nodes, name="door guard")))
    told = {change.id: (change.what, change.details) for change in found.nodes}
    assert told["new"] == ("added", ())
    assert told["iid"] == ("removed", ())
    assert told["counted"] == ("changed", ("in context of -iid",))
    assert told["top"] == ("changed", ("supported by +new", "text: 'claim top' -> 'Safe enough'"))
    assert found.unknown == ("How claims stand now is not known: it was not assessed.",)
    assert not found.claims
    assert not found.evidence


def test_a_renamed_node_is_recognised_and_compared():
    old = before()
    nodes = {
        ("m" if i == "misses" else i): replace(n, id="m") if i == "misses" else n for i, n in old.case.nodes.items()
    }
    nodes["over"] = replace(nodes["over"], supported_by=("m", "alarms"))
    renamed = Case(nodes, name="door guard")
    found = compare(old, snapshot(renamed, step("misses", BAD, data="d2"), step("alarms", GOOD)))
    assert [(c.what, c.before, c.id) for c in found.nodes] == [("renamed", "misses", "m")]
    assert {c.id: c.after for c in found.fell} == {"m": "contradicted", "top": "contradicted"}


def test_a_supported_claim_that_is_gone_fell():
    old = before()
    nodes = {i: n for i, n in old.case.nodes.items() if i not in ("alarms", "alarm tests")}
    nodes["over"] = replace(nodes["over"], supported_by=("misses",))
    found = compare(old, snapshot(Case(nodes), step("misses", GOOD), step("alarms", GOOD)))
    assert [(c.id, c.after, c.chain) for c in found.fell] == [("alarms", "gone", ("alarms", "over", "top"))]


def moved(old, confidence):
    nodes = {**old.evaluation.nodes, "top": Assessed("supported", confidence=confidence)}
    return replace(old, evaluation=Evaluation(old.case, nodes))


def test_confidence_that_sinks_by_more_than_the_threshold_is_a_fall():
    old = moved(before(), 0.9)
    assert compare(old, moved(old, 0.86)).claims == ()
    (change,) = compare(old, moved(old, 0.84)).fell
    assert str(change) == "top fell: supported, confidence 90% -> 84%"
    assert compare(old, moved(old, 0.86), threshold=0.01).fell
    assert compare(old, moved(old, 0.99)).rose


def test_what_nobody_recorded_is_said_to_be_unknown():
    nodes = {**before().evaluation.nodes, "top": Assessed("not shown")}
    after = replace(before(), evaluation=Evaluation(case(), nodes))
    (change,) = compare(before(), after).fell
    assert change.changed == ("top",)
    assert str(change.causes[0]) == "unknown nothing that is recorded differs"


def test_another_policy_is_a_cause():
    strict = replace(case(), policy=Policy(discounting="uncertainty"))
    after = snapshot(strict, step("misses", GOOD), step("alarms", GOOD))
    nodes = {**after.evaluation.nodes, "top": Assessed("not shown")}
    (change,) = compare(before(), replace(after, evaluation=Evaluation(strict, nodes))).fell
    assert sorts(change) == {"policy"}


def test_a_case_without_assessment_loses_no_evidence():
    found = compare(Snapshot(case()), before())
    assert not found.evidence
    assert found.unknown == ("How claims stand before is not known: it was not assessed.",)
    assert found.lines()[0] == found.unknown[0]


def test_digests_written_in_files_are_compared():
    nodes = {**case().nodes, "tests": replace(case()["tests"], digest="a" * 64)}
    other = {**nodes, "tests": replace(nodes["tests"], digest="b" * 64)}
    (change,) = compare(Snapshot(Case(nodes)), Snapshot(Case(other))).evidence
    assert change.moved == "aaaaaaaaaaaa... -> bbbbbbbbbbbb..."


def test_evidence_that_vanished_is_told():
    after = before()
    evidence = {"misses": after.evidence["misses"]}
    nodes = {**after.evaluation.nodes, "alarm tests": Assessed("not shown")}
    lost = replace(after, evidence=evidence, evaluation=Evaluation(after.case, nodes))
    (change,) = compare(before(), lost).evidence
    assert (change.id, change.moved) == ("alarm tests", "is not measured any more")


def test_the_table_and_json_hold_all_of_it():
    after = snapshot(case(), step("misses", BAD, data="d2"), step("alarms", GOOD))
    found = compare(before(), after)
    table = found.table()
    assert ("claim", "misses") in {row[:2] for row in table.rows}
    assert len(table.rows) == len(found.claims) + len(found.evidence) + len(found.nodes) + len(found.inputs)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["different"] is True
    assert data["fell"][1]["causes"][0]["sort"] == "data"
    assert "because of: data door.test d1d1d1d1d1d1... -> d2d2d2d2d2d2... (step misses)" in "\n".join(found.lines())


def test_operation_that_contradicts_a_claim_is_the_cause():
    old, after = before(), before()
    nodes = {**after.evaluation.nodes, "misses": Assessed("contradicted")}
    field = (Feedback("misses", 1000.0, "demand", 90, since="2026-01-01"),)
    found = compare(old, replace(after, evaluation=Evaluation(after.case, nodes), feedback=field))
    (change,) = found.fell
    assert change.changed == ("misses",)
    assert [str(cause) for cause in change.causes] == [
        "operation of misses absent -> 90 in 1000 (demand) since 2026-01-01"
    ]
    assert found.inputs == change.causes


def test_a_threshold_is_a_share():
    with pytest.raises(InvalidInput, match="threshold"):
        compare(before(), before(), threshold=5)


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_changed_leaves_are_named_as_a_search_finds_them(data):
    """On random graphs the changed nodes below a fallen claim are those that a walk downward meets."""
    size = data.draw(st.integers(2, 14))
    below = {i: data.draw(st.lists(st.integers(i + 1, size - 1), unique=True, max_size=3)) for i in range(size - 1)}
    nodes = [
        node(f"n{i}", "claim" if below.get(i) else "evidence", *(f"n{j}" for j in below.get(i, ())))
        for i in range(size)
    ]
    changed = data.draw(st.sets(st.sampled_from([n.id for n in nodes if n.kind == "evidence"])))
    found = compare(*(fallen(Case.of(nodes), changed, when) for when in (0, 1)))
    reach = {n.id: {n.id} for n in nodes}
    for i in reversed(range(size)):
        reach[f"n{i}"] |= {each for j in below.get(i, ()) for each in reach[f"n{j}"]}
    expected = {n.id: reach[n.id] & changed for n in nodes if n.kind == "claim" and reach[n.id] & changed}
    assert {c.id: set(c.changed) for c in found.fell if not c.more} == {
        i: c for i, c in expected.items() if len(c) <= 8
    }
    assert {c.id for c in found.fell} == set(expected)


def fallen(given, changed, when):
    """All nodes above a changed one are not shown the second time."""
    written = given.with_nodes(replace(given[i], digest=f"{when}{i}") for i in changed)
    nodes = {}
    for i in written.upward:
        low = when and (i in changed or any(nodes[j].standing == "not shown" for j in written[i].below))
        nodes[i] = Assessed("not shown" if low else "supported")
    return Snapshot(written, Evaluation(written, nodes))


@pytest.mark.parametrize("shape", ["deep", "wide"])
def test_ten_thousand_nodes_are_compared(shape):
    size = 10_000
    under = {i: [i + 1] for i in range(size - 1)} if shape == "deep" else {0: range(1, size)}
    nodes = [
        node(f"n{i}", "evidence" if i == size - 1 else "claim", *(f"n{j}" for j in under.get(i, ())))
        for i in range(size)
    ]
    given = Case.of(nodes)
    old, new = (fallen(given, {f"n{size - 1}"}, when) for when in (0, 1))
    found = compare(old, new)
    assert "fell" in "\n".join(found.lines())
    assert len(found.fell) == (size - 1 if shape == "deep" else 1)
    assert found.fell[0].chain[-1] == "n0"


def test_a_long_chain_names_both_ends():
    size = 300
    nodes = [node(f"n{i}", "claim", f"n{i + 1}") for i in range(size - 1)] + [Node(f"n{size - 1}", "evidence", "e")]
    found = compare(*(fallen(Case.of(nodes), {f"n{size - 1}"}, when) for when in (0, 1)))
    last = next(change for change in found.fell if change.id == f"n{size - 2}")
    assert (len(last.chain), last.chain[-1], last.left_out) == (101, "n0", size - 2 - 100)
    assert "(287 more) < n0" in "\n".join(found.lines())


def test_circles_are_survived():
    nodes = [node("a", "claim", "b"), node("b", "claim", "a"), node("c", "claim")]
    found = compare(Snapshot(Case.of(nodes)), Snapshot(Case.of(nodes)))
    assert found.empty


def test_an_estimate_alone_is_traced_too():
    def alone(failures):
        return {f"misses.{QUANTITY}": step("misses", failures)[QUANTITY]}

    evidence = compare(*(Snapshot(case(), evidence=alone(failures)) for failures in (1, 3))).evidence
    assert "parameter failures 1 -> 3" in str(evidence[0])


def test_steps_that_feed_each_other_in_a_circle_do_not_hang():
    def steps(seed):
        return {"misses": Evidence((), provenance=Provenance("a", {}, ("x",), seed=seed))}

    assert compare(*(Snapshot(case(), evidence=steps(seed)) for seed in (1, 2))).evidence
