"""A recorded result is computed again from its files, or the difference is named."""

import json
import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import yaml
from sklearn.linear_model import LogisticRegression

import surefoot as sf
from surefoot.core import Artefact, Table
from surefoot.project import verify
from surefoot.report import same_page, shown_data, shown_form, write
from tests.project.conftest import ANSWERED, DEFINITION
from tests.refusals import told

HAZARD = "result hazard.hazard probability[linear on yes]"
RISK = "result counted.failure probability[linear]"


def recorded(small):
    return json.loads(json.dumps(sf.run(sf.load(small.file)).to_dict()))


def verified(before, small, **options):
    return verify(before, sf.load(small.file), **options)


def differing(found):
    return {c.what for c in found.different if c.matters}


def test_the_same_files_give_the_same_result(small):
    found = verified(recorded(small), small)
    assert found.different == ()
    assert found.reproduced
    kinds = {c.what.split()[0] for c in found.comparisons}
    assert kinds == {
        *(
            "definition",
            "file",
            "result",
            "assumption",
            "table",
            "figure",
            "origin",
            "code",
            "verdict",
            "answer",
            "order",
        ),
        *("case", "confidence", "met", "headline", "caveats", "feedback", "document", "version", "key"),
    }


def test_other_data_are_named(small):
    before = recorded(small)
    small.set_data(seed=3)
    found = differing(verified(before, small))
    assert "file linear.test" in found
    assert any(what.startswith("result counted.failure probability") for what in found)


def changed(data, path, value):
    *outer, last = path
    for key in outer:
        data = data[key]
    data[last] = value


ESTIMATE = ("evidence", "counted", "estimates", 0)
CHANGES = (
    {
        (*ESTIMATE, "value"): (0.001, RISK),
        ("evidence", "counted", "tables", "answers", "rows", 0, 1): (7, "table counted.answers"),
        ("answers", 0, "verdict", "bound", "limit"): (0.001, "answer risk"),
        ("answers", 1, "verdict", "status"): ("met", "verdict rare"),
        ("case", "nodes", "claim", "claim"): ("All is well.", "case"),
        ("confidence", "claim", 0): ("certain", "confidence in claim"),
    },
    {
        (*ESTIMATE, "assumptions", 0, "text"): ("x", RISK),
        ("answers", 0, "target", "at_most"): (0.9, "answer risk"),
    },
    {("answers", 0, "margin"): (50.0, "answer risk")},
    {("answers", 0, "claim"): ("All is well.", "answer risk")},
)
"""Changes that are told apart by where they are found, together."""


def test_whatever_is_changed_in_the_record_is_found(small):
    whole = recorded(small)
    for changes in CHANGES:
        before = deepcopy(whole)
        for path, (value, _) in changes.items():
            changed(before, path, value)
        assert {what for _, what in changes.values()} <= differing(verified(before, small)), changes


def test_a_damaged_record_is_refused(small):
    whole = recorded(small)
    for path, value in [
        (("definition",), []),
        (("evidence", "counted", "estimates"), "x"),
        (("answers",), [{}]),
        (("case",), None),
    ]:
        with told(path):
            before = deepcopy(whole)
            changed(before, path, value)
            with pytest.raises(sf.DiagnosticsError, match=r"file-unreadable|wrong-value"):
                verified(before, small)


def test_a_result_after_repeated_looks_is_verified_with_them(small):
    recorded(small)
    small.set_model(bias=0.3)
    before = recorded(small)
    assert before["answers"][0]["looks"] == 3
    assert differing(verified(before, small)) == set()


def test_verifying_is_no_look(small):
    before = recorded(small)
    verified(before, small)
    assert sf.run(sf.load(small.file)).looks[0].count == 2


def test_verdicts_on_adaptive_test_data_are_judged_again_at_their_level(small):
    small.set_definition(looks="adaptive")
    recorded(small)
    small.set_model(bias=0.3)
    before = recorded(small)
    assert before["answers"][0]["looks"] == 3
    assert differing(verified(before, small)) == set()


def test_what_a_report_withholds_needs_code(small):
    small.set_definition(looks="adaptive")
    with pytest.raises(sf.DiagnosticsError, match="code-refused"):
        verified(recorded(small), small, code=False)


def test_what_was_in_memory_cannot_be_verified():
    evidence = {"counted": {"step": "binomial_bound"}}
    project = sf.Project.of("X", model=lambda x: x, data=([[0.1, 0.9], [0.8, 0.2]], [1, 0]), evidence=evidence)
    with pytest.raises(sf.DiagnosticsError, match="was an object in memory"):
        verify(sf.run(project).to_dict(), project)


# Attacks: whoever hands in a report wants it to pass in the folder of whoever looks at it.


@pytest.fixture
def honest(small):
    """The folder of whoever verifies, in which nothing of the applicant runs."""
    return small


def page_of(folder, definition, place):
    """The report that somebody makes of a project with another definition, of the same model and data."""
    file = folder / "loosened.yaml"
    file.write_text(yaml.safe_dump(definition, sort_keys=False))
    result = sf.run(sf.load(file))
    file.unlink()
    return write(result, place)


def verified_page(path, small, **options):
    return verified(shown_data(path), small, form=shown_form(path), **options)


LOOSENED = {
    ("targets", "risk", "at_most"): 0.9,
    ("targets", "risk", "level"): 0.5,
    ("system", "hazard"): "None.",
    ("evidence", "exposure", "value"): 1e-9,
    ("components", "linear", "data", "test", "path"): "easy.npz",
}


def test_every_difference_of_a_loosened_copy_is_named(honest, tmp_path):
    (honest.folder / "easy.npz").write_bytes((honest.folder / "test.npz").read_bytes())
    definition = deepcopy(DEFINITION)
    for path, value in LOOSENED.items():
        changed(definition, path, value)
    found = verified_page(page_of(honest.folder, definition, tmp_path / "r.html"), honest)
    assert {f"definition {'.'.join(path)}" for path in LOOSENED} <= differing(found)


def test_a_check_that_was_removed_or_a_target_that_is_missing_is_named(honest, tmp_path):
    condition = {"id": "adults", "text": "Only adults.", "column": "age", "at_least": 18}
    honest.set_definition(conditions={"assumptions": [condition]})
    unchecked = {"assumptions": [{"id": "adults", "text": "Only adults."}]}
    loosened = {**DEFINITION, "conditions": unchecked, "targets": {"risk": DEFINITION["targets"]["risk"]}}
    found = verified_page(page_of(honest.folder, loosened, tmp_path / "r.html"), honest)
    named = differing(found)
    assert {"definition conditions.assumptions.0.column", "definition conditions.assumptions.0.at_least"} <= named
    assert {"definition targets.rare.at_most", "verdict rare", RISK} <= named


class Payload:
    def __init__(self, place):
        self.place = str(place)

    def __reduce__(self):
        return exec, (f"open({self.place!r}, 'w').write('owned')",)


def test_code_that_a_report_names_never_runs(honest, tmp_path):
    before, owned = recorded(honest), tmp_path / "owned"
    (tmp_path / "payload.pkl").write_bytes(pickle.dumps(Payload(owned)))
    (tmp_path / "payload.py").write_text(f"open({str(owned)!r}, 'w')\ndef predict(x): return x\n")
    model = ("definition", "components", "linear", "model")
    for source in (
        {"path": str(tmp_path / "payload.pkl"), "trust": "pickle"},
        {"factory": "payload:predict", "weights": str(tmp_path / "payload.pkl")},
    ):
        attack = deepcopy(before)
        changed(attack, model, source)
        changed(attack, ("definition", "components", "linear", "data", "test"), {"callable": "payload:predict"})
        found = verified(attack, honest)
        assert not owned.exists()
        assert any(what.startswith("definition components.linear.model") for what in differing(found)), source


def test_without_code_nothing_runs_and_the_rest_is_compared(honest):
    before = recorded(honest)
    calls = honest.calls
    found = verified(before, honest, code=False)
    assert found.reproduced
    assert honest.calls == calls
    assert set(found.not_computed) == {"counted", "missed"}
    assert "linear:predict" in found.not_computed["counted"]
    computed = {each.what for each in found.comparisons}
    assert {"result exposure.exposure", HAZARD} <= computed
    assert not any(what.startswith("result counted") for what in computed)


def attacked(before, changes):
    attack = deepcopy(before)
    for path, value in changes:
        changed(attack, path, value)
    return attack


def test_without_code_what_rests_on_what_was_recorded_is_computed(honest):
    changes = {
        HAZARD: (("evidence", "hazard", "estimates", 0, "value"), 1e-9),
        "verdict risk": (("answers", 0, "verdict", "status"), "violated"),
        "definition targets.risk.at_most": (("definition", "targets", "risk", "at_most"), 0.9),
        "file linear.model": (("digests", "linear.model"), "0" * 64),
        "origin of counted": (("evidence", "counted", "provenance", "data", "model"), "0" * 64),
    }
    found = verified(attacked(recorded(honest), changes.values()), honest, code=False)
    assert differing(found) >= set(changes)


def test_without_code_no_data_are_made_and_no_pickle_is_read(tmp_path):
    owned = tmp_path / "owned"
    (tmp_path / "m.py").write_text(
        f"open({str(owned)!r}, 'w')\nimport numpy as np\n"
        "def rows(): return {'inputs': np.eye(2)[[0, 1] * 50], 'labels': np.array([0, 1] * 50)}\n"
    )
    inputs, labels = np.eye(2)[[0, 1] * 50], np.array([0, 1] * 50)
    (tmp_path / "m.pkl").write_bytes(pickle.dumps(LogisticRegression().fit(inputs, labels)))
    definition = {
        "version": 1,
        "system": {"name": "X"},
        "components": {"c": {"model": {"path": "m.pkl", "trust": "pickle"}, "data": {"test": {"callable": "m:rows"}}}},
        "evidence": {"counted": {"step": "binomial_bound"}},
        "targets": {"risk": {"estimate": "counted.failure probability", "at_most": 0.2}},
    }
    (tmp_path / "surefoot.yaml").write_text(yaml.safe_dump(definition))
    project = sf.load(tmp_path)
    before = json.loads(json.dumps(sf.run(project, store=tmp_path / "store").to_dict()))
    owned.unlink()
    (tmp_path / "m.pkl").write_bytes(pickle.dumps(Payload(owned)))
    found = verify(before, project, code=False)
    assert not owned.exists()
    assert differing(found) >= {"file c.model"}
    assert found.not_computed == {"counted": "m.pkl, m:rows"}


def test_each_thing_a_report_shows_is_compared(honest):
    honest.set_definition(document={"title": "Safety of X", "status": "draft"})
    before = recorded(honest)
    exposure = ("evidence", "exposure")
    estimate = (*exposure, "estimates", 0)
    caveat = {"code": "checks-off", "text": "x", "severity": "note", "where": "", "hint": ""}
    identity = before["evidence"]["exposure"]["assumptions"][0]["id"]
    changes = {
        "met": (("met",), not before["met"]),
        "headline": (("headline", "text"), "Yes."),
        "answer risk": (("answers", 0, "status"), "alone"),
        "result exposure.exposure": ((*estimate, "assumptions", 0, "text"), "x"),
        f"assumption of exposure: {identity}": ((*exposure, "assumptions", 0, "text"), "x"),
        "origin of exposure": ((*estimate, "provenance", "method"), "x"),
        "origin of hazard": (("evidence", "hazard", "provenance", "params", "level"), 0.5),
        "code and inputs of hazard": (("evidence", "hazard", "provenance", "inputs"), ["x"]),
        "key of counted": (("keys", "counted"), "x"),
        "document": (("document", "status"), "approved"),
        "caveats": (("caveats",), [caveat]),
        "feedback": (("feedback",), [feedback()]),
        "more": (("more",), "x"),
    }
    found = verified(attacked(before, changes.values()), honest, code=False)
    assert differing(found) >= set(changes)
    assert not found.reproduced
    assert len(found.not_compared) == 3


def feedback():
    numbers = {"exposure": 1e6, "incidents": 0}
    return {"claim": "claim", "per": "hour", "since": "", "until": "", "source": "logs", **numbers}


def test_looks_that_only_the_store_knows_are_listed_and_their_level_follows_from_them(honest):
    before = recorded(honest)
    found = verified(attacked(before, [(("answers", 0, "corrected_level"), 0.95)]), honest)
    assert "answer risk" in differing(found)
    assert any("looked at" in each for each in found.not_compared)
    for number in (0, -1, True, 2.0, 10**12):
        with told(number), pytest.raises(sf.DiagnosticsError, match="file-unreadable"):
            verified(attacked(before, [(("answers", 0, "looks"), number)]), honest, code=False)


def test_other_versions_are_told_and_what_depends_on_them_is_not_compared(honest):
    before = attacked(recorded(honest), [(("versions", "numpy"), "0.1")])
    found = verified(before, honest, code=False)
    assert found.reproduced
    assert [each.what for each in found.different] == ["version numpy"]
    assert any("versions" in each for each in found.not_compared)


def test_names_that_look_alike_are_told_apart(honest):
    before = recorded(honest)
    targets = before["definition"]["targets"]
    targets["r\u0456sk"] = targets.pop("risk")
    named = differing(verified(before, honest, code=False))
    assert "definition targets.r\\u0456sk.at_most" in named
    assert "definition targets.risk.at_most" in named


def test_a_key_with_a_dot_does_not_pass_for_two_keys(honest):
    before = recorded(honest)
    system = before["definition"]["system"]
    before["definition"]["system.name"] = system.pop("name")
    system["name"] = "Small"
    assert "definition system.name" in differing(verified(before, honest, code=False))


def test_an_answer_that_comes_twice_hides_nothing(honest):
    before = recorded(honest)
    before["answers"] = [{**before["answers"][0], "claim": "All is well."}, *before["answers"]]
    assert "answer risk" in differing(verified(before, honest, code=False))


def test_a_model_that_was_exchanged_is_noticed_whatever_the_report_says(honest):
    before = recorded(honest)
    honest.set_model(bias=0.3)
    found = differing(verified(before, honest, code=False))
    assert {"file linear.model", "origin of counted"} <= found


def test_a_report_of_another_project_or_without_a_step_is_none_of_this_folder(honest):
    before = recorded(honest)
    other = attacked(before, [(("definition", "system", "name"), "Other")])
    assert "definition system.name" in differing(verified(other, honest, code=False))
    del before["evidence"]["counted"]
    with pytest.raises(sf.DiagnosticsError, match="not-assessed"):
        verified(before, honest, code=False)


def test_a_step_that_only_the_folder_has_is_named(honest):
    before = recorded(honest)
    more = {**DEFINITION["evidence"], "again": {"step": "stated", **stated(0.5)}}
    asked = {"again": {"estimate": "again.again", "at_most": 0.1}}
    honest.set_definition(evidence=more, targets={**DEFINITION["targets"], **asked})
    named = differing(verified(before, honest, code=False))
    assert {"definition targets.again.at_most", "result again.again", "verdict again", "order"} <= named


def stated(value):
    return {"quantity": "again", "value": value, "source": "x", "answered_by": {**ANSWERED}}


def test_a_project_file_behind_a_link_is_that_of_the_folder_it_is_named_in(honest, tmp_path):
    before = recorded(honest)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "surefoot.yaml").symlink_to(honest.file)
    with pytest.raises(sf.DiagnosticsError, match="file-missing"):
        verify(before, sf.load(elsewhere), code=False)


def test_a_former_version_of_the_data_hides_nothing_but_what_it_lists(honest):
    former = attacked(recorded(honest), [(("version",), 3), (("answers", 0, "status"), "alone")])
    former = {name: item for name, item in former.items() if name not in ("confidence", "document")}
    found = verified(former, honest, code=False)
    assert differing(found) == {"answer risk"}
    assert any("former version" in each for each in found.not_compared)


def test_pictures_and_rows_of_a_page_are_those_of_this_result(honest, tmp_path):
    result = sf.run(sf.load(honest.file))
    counted = result.evidence["counted"]
    (name, table), *_ = counted.tables.items()
    other = Artefact("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"><title>Fine</title></svg>')
    for figures, tables in (
        (dict.fromkeys(counted.artefacts, other), counted.tables),
        (counted.artefacts, {**counted.tables, name: Table(table.columns, table.rows[:-1])}),
    ):
        forged = replace(
            result, evidence={**result.evidence, "counted": replace(counted, artefacts=figures, tables=tables)}
        )
        page = write(forged, tmp_path / "r.html")
        assert same_page(page)
        named = differing(verified_page(page, honest))
        assert any(each.startswith(("figure counted.", "table counted.")) for each in named), named
        assert "page" in named
