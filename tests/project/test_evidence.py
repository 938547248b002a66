"""What counts as evidence: stated values and who answers for them, counts in documents, documents, and the register."""

import hashlib
import json

import numpy as np
import pytest

import surefoot as sf
from surefoot import report
from surefoot.bounds import clopper_pearson, garwood, stratified
from surefoot.case import Case, Node, Snapshot, seal
from surefoot.core import DiagnosticsError, Target
from surefoot.project import Document, Result, check, find_step, load

TEXT = "Of 1000 drives 2 went wrong.\n"
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()
DOCUMENT = {"path": "drives.md", "sha256": SHA256, "title": "Drives of May", "page": 12, "owner": "B. Kern"}
ANSWER = {"name": "A. Berg", "date": "2026-05-01", "reason": "The upper end of three registers."}
STATED = {"step": "stated", "quantity": "demand rate", "value": 0.05, "source": "a register"}
COUNTED = {"step": "counted", "failures": 2, "trials": 1000, "document": DOCUMENT}


def project(folder, evidence, targets=None, **sections):
    """The problem-free project of these steps; written, because sections name files."""
    (folder / "drives.md").write_text(TEXT)
    said = {"version": 1, "system": {"name": "Gate"}, "evidence": evidence, "targets": targets or {}, **sections}
    said = {name: value for name, value in said.items() if name != "evidence" or value}
    (folder / "surefoot.yaml").write_text(json.dumps(said))
    return load(folder / "surefoot.yaml")


def answered(folder, evidence, estimate, *, at_most=0.07, **sections):
    found = sf.run(project(folder, evidence, {"rare": {"estimate": estimate, "at_most": at_most}}, **sections))
    (answer,) = (each for each in found.answers if each.name == "rare")
    return found, answer


# Stated values.


def test_a_stated_value_below_the_limit_is_not_shown_and_the_line_to_write_is_told(tmp_path):
    found, answer = answered(tmp_path, {"demands": STATED}, "demands.demand rate")
    assert (answer.status, found.met, found.case.top.id in found.evaluation.nodes) == ("not shown", False, True)
    assert "under evidence: demands: answered_by: {name: " in answer.needed[0]
    assert found.evaluation["rare"].standing == "not shown"


def test_one_above_the_limit_violates_whoever_answers(tmp_path):
    for said in (STATED, {**STATED, "answered_by": ANSWER}):
        _, answer = answered(tmp_path, {"demands": said}, "demands.demand rate", at_most=0.04)
        assert (answer.status, answer.verdict.answered_by) == ("violated", ())


def test_with_an_answer_it_is_met_and_marked_in_every_output(tmp_path):
    found, answer = answered(tmp_path, {"demands": {**STATED, "answered_by": ANSWER}}, "demands.demand rate")
    assert (answer.status, answer.verdict.answered_by) == ("met", ("A. Berg",))
    assert found.evaluation["rare"].standing == "supported"
    again = Result.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.answers == found.answers
    texts = {
        "summary": str(found),
        "markdown": report.markdown(found),
        "junit": report.junit(found),
        "page": report.visible_text(report.html(found)),
        "json": report.as_json(found),
    }
    for name, text in texts.items():
        assert "A. Berg" in text, name
        assert "measured: 0.05" not in text, name
        assert "(certain" not in text, name
    sealed = seal(Snapshot(found.case, found.evaluation, evidence=found.evidence)).sealed
    assert "A. Berg (2026-05-01)" in sealed.claims["rare"].stated[0]
    assert type(sealed).from_dict(sealed.to_dict()) == sealed


def test_it_stays_so_through_a_product_and_a_tree(tmp_path):
    counted = {"counts": COUNTED}
    for said, status in ((STATED, "not shown"), ({**STATED, "answered_by": ANSWER}, "met")):
        factors = {"a": "counts.failure probability", "b": "demands.demand rate"}
        steps = {**counted, "demands": said, "both": {"step": "product", "factors": factors}}
        _, answer = answered(tmp_path, steps, "both.hazard probability")
        assert (answer.status, answer.verdict.bound.kind) == (status, "confidence")
        tree = {
            "inline": {"top": "top", "gates": {"top": {"and": ["a", "b"]}}, "events": {"a": None, "b": None}},
            "events": factors,
        }
        targets = {"rare": {"estimate": "tree.top event probability", "at_most": 0.07}}
        found = sf.run(project(tmp_path, {**counted, "demands": said}, targets, tree=tree))
        assert [each.status for each in found.answers] == [status]


def test_numbers_that_a_tree_states_need_one_answer_for_the_tree(tmp_path):
    inline = {"top": "top", "gates": {"top": {"and": ["a", "b"]}}, "events": {"a": None, "b": 0.1}}
    tree = {"inline": inline, "events": {"a": "counts.failure probability"}}
    targets = {"rare": {"estimate": "tree.top event probability", "at_most": 0.07}}
    (answer,) = sf.run(project(tmp_path, {"counts": COUNTED}, targets, tree=tree)).answers
    assert answer.status == "not shown"
    assert "under tree: answered_by:" in answer.needed[0]
    (stated,) = answer.estimate.unanswered
    assert stated.text.endswith("b.")
    (answer,) = sf.run(project(tmp_path, {"counts": COUNTED}, targets, tree={**tree, "answered_by": ANSWER})).answers
    assert (answer.status, answer.verdict.answered_by) == ("met", ("A. Berg",))


def test_a_tree_of_results_alone_states_nothing(tmp_path):
    inline = {"top": "top", "gates": {"top": {"or": ["a"]}}, "events": {"a": None}}
    tree = {"inline": inline, "events": {"a": "counts.failure probability"}, "target": {"at_most": 0.07}}
    (answer,) = sf.run(project(tmp_path, {"counts": COUNTED}, tree=tree)).answers
    assert (answer.status, answer.estimate.stated) == ("met", ())


def test_an_answer_needs_a_name_a_day_and_a_reason(tmp_path):
    for wrong in ({**ANSWER, "date": "May"}, {"name": "A", "date": "2026-05-01"}, {**ANSWER, "name": ""}):
        with pytest.raises(DiagnosticsError) as caught:
            project(tmp_path, {"demands": {**STATED, "answered_by": wrong}})
        assert {each.code for each in caught.value.diagnostics} <= {"wrong-value", "missing-key"}


# Counts in documents.


def test_counts_in_a_document_bound_as_rows_with_the_same_counts(tmp_path):
    """The same family at every level as ``binomial_bound`` on 1,000 rows of which 2 fail."""
    labels = np.zeros(1000, dtype=int)
    scores = np.eye(2)[np.where(np.arange(1000) < 2, 1, 0)]
    rows = sf.run(
        sf.Project.of(
            "Gate",
            data={"scores": scores, "labels": labels},
            classes=["no", "yes"],
            evidence={"counted": {"step": "binomial_bound"}},
        )
    )["counted.failure probability"]
    found = sf.run(project(tmp_path, {"counts": COUNTED}))["counts.failure probability"]
    assert (found.bounds, found.value, found.unit) == (rows.bounds, rows.value, rows.unit)
    assert (found.details["failures"], found.details["trials"]) == (2, 1000)


def test_what_must_be_believed_of_a_document_is_said_and_argued(tmp_path):
    found, answer = answered(tmp_path, {"counts": COUNTED}, "counts.failure probability")
    ids = {each.id for each in answer.estimate.assumptions}
    assert {"independent-trials", "fixed-size", "operational-profile", "counted-as-documented"} <= ids
    sides = {node.assumption.partition("[")[0] for node in found.case if node.kind == "side-claim"}
    assert ids <= sides
    assert any("counted by B. Kern" in node.text and "page 12" in node.text for node in found.case)
    assert answer.status == "met"


def test_events_in_hours_are_a_poisson_count(tmp_path):
    steps = {"counts": {"step": "counted", "events": 3, "hours": 5000, "document": DOCUMENT}}
    found = sf.run(project(tmp_path, steps))["counts.event rate"]
    assert found.bounds == garwood(3, 5000, level=0.95).bounds
    assert found.meets(Target(at_most=0.01, per="hour")).status == "met"
    steps["counts"] = {"step": "counted", "events": 3, "exposure": 800.5, "per": "km", "document": DOCUMENT}
    assert sf.run(project(tmp_path, steps))["counts.event rate"].unit == "per km"


def test_groups_are_counted_together_and_strata_weighed(tmp_path):
    parts = [{"name": "day", "failures": 2, "trials": 900}, {"name": "night", "failures": 3, "trials": 100}]
    step = {"step": "counted", "document": DOCUMENT}
    found = sf.run(project(tmp_path, {"counts": {**step, "groups": parts}}))
    assert found["counts.failure probability"].bounds == clopper_pearson(5, 1000, level=0.95).bounds
    assert found["counts.failure probability[night]"].bounds == clopper_pearson(3, 100, level=0.95).bounds
    shared = [{**part, "share": share} for part, share in zip(parts, (0.6, 0.4), strict=True)]
    found = sf.run(project(tmp_path, {"counts": {**step, "strata": shared}}))["counts.failure probability"]
    assert found.bounds == stratified([2, 3], [900, 100], [0.6, 0.4], level=0.95).bounds


def test_rates_of_strata_cover_what_is_true():
    """Simulated with known rates; the limits share the miss probability, so that they miss seldom."""
    rng = np.random.default_rng(3)
    rates, hours, shares, missed = (0.01, 0.05), (300, 100), (0.3, 0.7), 0
    truth = sum(share * rate for share, rate in zip(shares, rates, strict=True))
    counted = find_step("counted")
    for _ in range(120):
        parts = [
            {"name": str(place), "events": int(rng.poisson(rate * t)), "hours": float(t), "share": share}
            for place, (rate, t, share) in enumerate(zip(rates, hours, shares, strict=True))
        ]
        read = counted.read({"document": {"url": "https://example.org"}, "strata": parts})
        missed += counted(document=read.document, strata=read.strata)["event rate"].upper(0.95) < truth
    assert missed <= 12


@pytest.mark.parametrize(
    "said",
    [
        {"failures": 1},
        {"failures": 1, "hours": 10},
        {},
        {"failures": 5, "trials": 3},
        {"groups": [{"name": "a", "failures": 1, "trials": 3, "share": 1.0}]},
        {"strata": [{"name": "a", "failures": 1, "trials": 3}]},
        {"groups": [{"name": "a", "failures": 1, "trials": 3}, {"name": "b", "events": 1, "hours": 3}]},
        {"groups": [{"name": "a", "failures": 1, "trials": 3}] * 2},
    ],
)
def test_counts_that_say_nothing_are_refused(tmp_path, said):
    with pytest.raises(DiagnosticsError) as caught:
        sf.run(project(tmp_path, {"counts": {"step": "counted", "document": DOCUMENT, **said}}))
    assert {each.code for each in caught.value.diagnostics} == {"step-failed"}


def test_a_document_with_another_hash_is_an_error_and_an_address_without_one_is_marked(tmp_path):
    with pytest.raises(DiagnosticsError) as caught:
        project(tmp_path, {"counts": {**COUNTED, "document": {**DOCUMENT, "sha256": "0" * 64}}})
    assert [each.code for each in caught.value.diagnostics] == ["document-changed"]
    address = {"url": "https://example.org/drives.pdf", "title": "Drives"}
    _, answer = answered(tmp_path, {"counts": {**COUNTED, "document": address}}, "counts.failure probability")
    assert "document-unchecked" in answer.verdict.text
    _, answer = answered(
        tmp_path, {"counts": {**COUNTED, "document": {**address, "sha256": SHA256}}}, "counts.failure probability"
    )
    assert "document-unchecked" not in answer.verdict.text


def test_a_document_lies_in_one_place(tmp_path):
    for wrong in ({}, {"path": "drives.md", "url": "https://example.org"}, {"path": "absent.md"}):
        with pytest.raises(DiagnosticsError) as caught:
            project(tmp_path, {"counts": {**COUNTED, "document": wrong}})
        assert {each.code for each in caught.value.diagnostics} <= {"wrong-value", "file-missing"}
    assert Document(url="https://example.org/a.pdf", id="TR-7").name == "TR-7"


def test_another_content_of_the_document_is_another_key(tmp_path):
    said = {"counts": {**COUNTED, "document": {"path": "drives.md"}}}
    first = sf.run(project(tmp_path, said))
    found = load(tmp_path / "surefoot.yaml")
    (tmp_path / "drives.md").write_text("Other words.\n")
    assert sf.run(found).keys["counts"] != first.keys["counts"]


def test_a_condition_of_the_system_beside_counts_of_others_is_unchecked_and_no_mistake(tmp_path):
    (tmp_path / "case.yaml").write_text(
        "surefoot-case: 1\nnodes:\n"
        "  G1: {claim: It holds., supported by: [S1], in context of: ['@condition dry']}\n"
        "  S1: {argument: By counts., block: substitution, supported by: ['@target rare']}\n"
    )
    targets = {"rare": {"estimate": "counts.failure probability", "at_most": 0.07}}
    conditions = {"assumptions": [{"id": "dry", "text": "It is dry."}]}
    own = {"conditions": conditions, "case": {"frame": "own", "file": "case.yaml"}}
    found = sf.run(project(tmp_path, {"counts": COUNTED}, targets, **own))
    about = {each.code for each in found.case.check(found.evidence) if each.where == "assumption.dry"}
    assert about == {"case-assumption-unchecked"}


# Documents without numbers.

REVIEW = {"step": "document", "document": DOCUMENT, "kind": "review", "state": "accepted", "by": "C. Mann"}


@pytest.mark.parametrize(
    ("changes", "standing", "code"),
    [
        ({}, "supported", None),
        ({"state": "reviewed"}, "not shown", "case-document-draft"),
        ({"state": "draft"}, "not shown", "case-document-draft"),
        ({"by": ""}, "not shown", "case-document-anonymous"),
        ({"document": {**DOCUMENT, "sha256": "0" * 64}}, "not shown", "case-document-stale"),
        ({"document": {**DOCUMENT, "sha256": None}}, "supported", "case-document-unpinned"),
    ],
)
def test_a_node_rests_on_a_document_that_somebody_accepted(tmp_path, changes, standing, code):
    found = sf.run(project(tmp_path, {"review-of-labels": {**REVIEW, **changes}}))
    claim = Node("C1", "claim", "The labels are right", ("S1",))
    argument = Node("S1", "argument", "By review", ("E1",), block="evidence incorporation")
    evidence = Node("E1", "evidence", "Review of labels", rests_on="review-of-labels")
    case = Case.of([claim, argument, evidence])
    assert case.evaluate(found.evidence)["C1"].standing == standing
    codes = {each.code for each in case.check(found.evidence) if each.code.startswith("case-document")}
    assert codes == ({code} if code else set())


def test_a_document_is_evidence_of_a_project_and_of_what_was_read_back(tmp_path):
    found = sf.run(project(tmp_path, {"review": REVIEW}))
    assert check(load(tmp_path / "surefoot.yaml")) == []
    again = Result.from_dict(json.loads(json.dumps(found.to_dict())))
    case = Case.of([Node("C1", "claim", "It holds", ("E1",)), Node("E1", "evidence", "Review", rests_on="review")])
    assert case.evaluate(again.evidence)["C1"].standing == "supported"


# The register.


def test_the_register_names_everything_with_its_hash_and_the_claims_it_serves(tmp_path):
    (tmp_path / "case.yaml").write_text(
        "surefoot-case: 1\nnodes:\n"
        "  claim: {claim: The gate is safe enough., supported by: [reviewed, S8]}\n"
        "  reviewed: {argument: By review, block: evidence incorporation, supported by: [E9]}\n"
        "  E9: {evidence: Review, rests on: review}\n"
        "  S8: {argument: By a certificate, block: evidence incorporation, supported by: [E8]}\n"
        "  E8: {evidence: Certificate, url: 'https://example.org/c.pdf'}\n"
    )
    labels = np.zeros(200, dtype=int)
    np.savez(tmp_path / "test.npz", scores=np.eye(2)[labels], labels=labels)
    data = {"path": "test.npz", "scores": "scores", "labels": "labels", "owner": "D. Horn", "version": "2026-05"}
    steps = {
        "counts": COUNTED,
        "review": REVIEW,
        "tested": {"step": "binomial_bound"},
        "both": {"step": "product", "factors": {"a": "counts.failure probability", "b": "tested.failure probability"}},
    }
    targets = {"rare": {"estimate": "both.hazard probability", "at_most": 0.07}}
    parts = {"components": {"lane": {"data": {"test": data}, "classes": ["no", "yes"]}}, "case": {"file": "case.yaml"}}
    found = sf.run(project(tmp_path, steps, targets, **parts))
    entries = {each.id: each for each in found.register}
    assert len(entries) == len(found.register)
    assert entries["counts"].digest == SHA256
    assert (entries["counts"].owner, entries["counts"].serves, entries["counts"].state) == (
        "B. Kern",
        ("rare",),
        "counted in",
    )
    assert (entries["review"].kind, entries["review"].state, entries["review"].serves) == (
        "review",
        "accepted",
        ("claim",),
    )
    assert (entries["lane.test"].owner, entries["lane.test"].version) == ("D. Horn", "2026-05")
    assert entries["lane.test"].digest == found.digests["lane.test"]
    assert entries["lane.test"].serves == ("rare",)
    (product,) = (each for name, each in entries.items() if name.startswith("both."))
    assert (product.serves, product.digest) == (("rare",), found["both.hazard probability"].digest)
    assert entries["case.file"].kind == "case file"
    assert (entries["E8"].kind, entries["E8"].serves) == ("document", ("claim",))
    assert entries["E8"].checked == "unchecked: no hash is known"
    again = Result.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.register == found.register
    table = found.register.table()
    assert len(table.rows) == len(entries)
    assert table.columns[0] == "id"


def test_an_assumption_that_results_share_makes_no_result_serve_the_claims_of_another(tmp_path):
    steps = {"day": COUNTED, "night": {**COUNTED, "failures": 1, "document": {**DOCUMENT, "title": "Drives of June"}}}
    targets = {name: {"estimate": f"{name}.failure probability", "at_most": 0.07} for name in steps}
    found = sf.run(project(tmp_path, steps, targets))
    shared = [node for node in found.case if node.assumption == "fixed-size"]
    assert len(shared) == 1
    assert {each.id: each.serves for each in found.register if each.kind == "result"} == {
        "day.failure probability": ("day",),
        "night.failure probability": ("night",),
    }


def test_a_document_that_two_steps_read_is_registered_once(tmp_path):
    document = {**DOCUMENT, "id": "TR-7"}
    steps = {"counts": {**COUNTED, "document": document}, "review": {**REVIEW, "document": document}}
    targets = {"rare": {"estimate": "counts.failure probability", "at_most": 0.07}}
    entries = [each for each in sf.run(project(tmp_path, steps, targets)).register if each.id == "TR-7"]
    assert [(each.kind, each.serves, each.state) for each in entries] == [("review", ("rare",), "accepted, counted in")]


def test_owner_and_version_of_data_change_no_result(tmp_path):
    labels = np.zeros(200, dtype=int)
    np.savez(tmp_path / "test.npz", scores=np.eye(2)[labels], labels=labels)
    keys = []
    for more in ({}, {"owner": "D. Horn", "version": "2"}):
        data = {"path": "test.npz", "scores": "scores", "labels": "labels", **more}
        parts = {"components": {"lane": {"data": {"test": data}, "classes": ["no", "yes"]}}}
        keys.append(sf.run(project(tmp_path, {"tested": {"step": "binomial_bound"}}, **parts)).keys)
    assert keys[0] == keys[1]


def test_counts_out_of_one_document_at_an_address_are_known_to_share_it(tmp_path):
    address = {"url": "https://example.org/log.pdf", "sha256": "ab" * 32}
    steps = {
        "page3": {"step": "counted", "failures": 9, "trials": 1000, "document": {**address, "page": 3}},
        "page7": {"step": "counted", "failures": 1, "trials": 990, "document": {**address, "page": 7}},
    }
    result = sf.run(project(tmp_path, steps))
    data = [set(result[f"{name}.failure probability"].provenance.data.values()) for name in steps]
    assert data[0] & data[1]
