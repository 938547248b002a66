"""A recorded result is computed again from its files, or the difference is named."""

import json
from copy import deepcopy

import pytest

import surefoot as sf
from surefoot.project import verify
from tests.refusals import told

RISK = "result counted.failure probability[linear]"


def recorded(small):
    return json.loads(json.dumps(sf.run(sf.load(small.file)).to_dict()))


def differing(comparisons):
    return {c.what for c in comparisons if not c.same and c.matters}


def test_the_same_files_give_the_same_result(small):
    comparisons = verify(recorded(small), folder=small.folder)
    assert differing(comparisons) == set()
    kinds = {c.what.split()[0] for c in comparisons}
    assert kinds == {"file", "result", "verdict", "answer", "table", "case", "confidence", "version", "key"}


def test_other_data_are_named(small):
    before = recorded(small)
    small.set_data(seed=3)
    found = differing(verify(before, folder=small.folder))
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
        assert {what for _, what in changes.values()} <= differing(verify(before, folder=small.folder)), changes


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
                verify(before, folder=small.folder)


def test_a_result_after_repeated_looks_is_verified_with_them(small):
    recorded(small)
    small.set_model(bias=0.3)
    before = recorded(small)
    assert before["answers"][0]["looks"] == 3
    assert differing(verify(before, folder=small.folder)) == set()


def test_verifying_is_no_look(small):
    before = recorded(small)
    verify(before, folder=small.folder)
    assert sf.run(sf.load(small.file)).looks[0].count == 2


def test_verdicts_on_adaptive_test_data_are_judged_again_at_their_level(small):
    small.set_definition(looks="adaptive")
    recorded(small)
    small.set_model(bias=0.3)
    before = recorded(small)
    assert before["answers"][0]["looks"] == 3
    assert differing(verify(before, folder=small.folder)) == set()


def test_what_was_in_memory_cannot_be_verified(tmp_path):
    evidence = {"counted": {"step": "binomial_bound"}}
    project = sf.Project.of("X", model=lambda x: x, data=([[0.1, 0.9], [0.8, 0.2]], [1, 0]), evidence=evidence)
    with pytest.raises(sf.DiagnosticsError, match="was an object in memory"):
        verify(sf.run(project).to_dict(), folder=tmp_path)
