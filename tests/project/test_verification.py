"""A recorded result is computed again from its files, or the difference is named."""

import json

import pytest

import surefoot as sf
from surefoot.project import verify


def recorded(small):
    return json.loads(json.dumps(sf.run(sf.load(small.file)).to_dict()))


def differing(comparisons):
    return {c.what for c in comparisons if not c.same and c.matters}


def test_the_same_files_give_the_same_result(small):
    comparisons = verify(recorded(small), folder=small.folder)
    assert differing(comparisons) == set()
    kinds = {c.what.split()[0] for c in comparisons}
    assert kinds == {"file", "result", "verdict", "version"}


def test_other_data_are_named(small):
    before = recorded(small)
    small.set_data(seed=3)
    found = differing(verify(before, folder=small.folder))
    assert "file linear.test" in found
    assert any(what.startswith("result counted.failure probability") for what in found)


def test_a_number_changed_in_the_record_is_found(small):
    before = recorded(small)
    before["evidence"]["counted"]["estimates"][0]["value"] /= 2
    assert {what.partition("[")[0] for what in differing(verify(before, folder=small.folder))} == {
        "result counted.failure probability"
    }


def test_verifying_is_no_look(small):
    before = recorded(small)
    verify(before, folder=small.folder)
    assert sf.run(sf.load(small.file)).looks[0].count == 1


def test_what_was_in_memory_cannot_be_verified(tmp_path):
    evidence = {"counted": {"step": "binomial_bound"}}
    project = sf.Project.of("X", model=lambda x: x, data=([[0.1, 0.9], [0.8, 0.2]], [1, 0]), evidence=evidence)
    with pytest.raises(sf.DiagnosticsError, match=r"component.model was an object in memory"):
        verify(sf.run(project).to_dict(), folder=tmp_path)
