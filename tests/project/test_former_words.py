"""Files that say unproven, or open of a claim, are read as what both are called now: not shown.

The files in ``former`` were written by the last version that used these words.
"""

import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import surefoot as sf
from surefoot import report
from surefoot.case import Seal, Snapshot, verify
from surefoot.project import Result, Store, lock_path, moved, read_lock

FORMER = Path(__file__).parent / "former"
STATES = {"loose": "met", "strict": "not shown", "lost": "violated"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = shutil.copytree(FORMER, tmp_path_factory.mktemp("former") / "project")
    return sf.load(folder / "surefoot.yaml")


@pytest.fixture(scope="module")
def result(project):
    return sf.run(project, store=project.folder / "store")


def kept(name):
    return json.loads((FORMER / name).read_text())


def test_a_result_of_the_former_version_reads_as_one_of_this():
    assert {answer["name"]: answer["status"] for answer in kept("result.json")["answers"]} != STATES
    data = report.read(FORMER / "result.json")
    Draft202012Validator(report.result_schema()).validate(Result.from_dict(data).to_dict())
    for found in (Result.from_dict(data), Result.from_dict(kept("result.json"))):
        assert {answer.name: answer.verdict.status for answer in found.answers} == STATES
        assert {answer.name: answer.to_dict()["status"] for answer in found.answers} == STATES
        assert {target.name: target.status for target in found.iterations[-1].targets} == STATES
        assert found.judged["confidence"]["strict"][0] == "not shown"


def test_a_result_of_the_former_version_is_computed_again(project):
    found = sf.project.verify(kept("result.json"), project).comparisons
    verdicts = [each for each in found if each.what.startswith("verdict")]
    assert {each.recorded for each in verdicts} == set(STATES.values())
    assert all(each.same for each in verdicts)


def test_a_former_result_that_was_damaged_is_refused():
    data = kept("result.json")
    del data["answers"][0]["verdict"]["status"]
    with pytest.raises(sf.SurefootError):
        Result.from_dict(data)


def test_a_former_lock_file_does_not_say_that_a_verdict_moved(project, result):
    assert kept("surefoot.lock")["verdicts"]["strict"] != "not shown"
    locked = read_lock(lock_path(project))
    assert locked["verdicts"] == STATES
    assert "verdicts" not in {each.where for each in moved(locked, result)}


def test_a_former_seal_is_whole_and_its_assumptions_stand_as_they_stood(result):
    seal = Seal.read(FORMER / "surefoot.seal.json")
    assert seal.sealed.not_held["strict"] == "open", "what a digest covers stays as it is"
    assert seal.intact
    found = verify(seal, Snapshot(result.case, result.evaluation, result.evidence))
    assert not [each for each in found if each.where in seal.sealed.assumptions]


def test_a_former_iteration_in_a_store_is_part_of_the_history(project):
    store = Store.open(project.folder / "history")
    former = kept("iteration.json")
    store.record_iteration(former["project"], former["iteration"])
    first = sf.run(project, store=store).iterations[0]
    assert first.number == 1
    assert {target.name: target.status for target in first.targets} == STATES
