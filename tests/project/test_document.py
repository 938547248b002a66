"""Control of the document: what the section may say, what its parts must agree on, and that no result rests on it."""

import json
from copy import deepcopy

import pytest
import yaml

import surefoot as sf
from surefoot.project import DocumentControl
from tests.project.conftest import DEFINITION
from tests.project.writing import problems

CONTROL = {
    "id": "SC-7",
    "title": "Safety case of the small system",
    "version": "1.1",
    "system_version": "3.2",
    "model_version": "2026-05",
    "author": "A. Weber",
    "status": "in review",
    "reviewers": [
        {"name": "B. Okafor", "role": "independent assessor", "state": "approved", "date": "2026-05-20"},
        {"name": "C. Lindqvist", "role": "quality", "state": "in review"},
    ],
    "history": [
        {"version": "1.0", "date": "2026-03-01", "change": "First issue.", "by": "A. Weber"},
        {"version": "1.1", "date": "2026-05-11", "change": "A new model."},
    ],
}


def assessed(small, **changes):
    small.set_definition(document={**deepcopy(CONTROL), **changes})
    return sf.run(sf.load(small.file))


def warnings(small, **changes):
    small.set_definition(document={**deepcopy(CONTROL), **changes})
    return [each for each in sf.project.check(sf.load(small.file)) if each.code == "document-control"]


def test_a_result_says_who_wrote_and_reviewed_it_and_comes_back_from_json(small):
    result = assessed(small)
    assert result.document == DocumentControl(**CONTROL)
    assert result.document.name("Small") == "SC-7, version 1.1"
    assert [each.name for each in result.document.approvals] == ["B. Okafor"]
    back = sf.Result.from_dict(json.loads(sf.report.as_json(result)))
    assert back.document == result.document
    assert back.to_dict() == result.to_dict()


def test_a_review_changes_nothing_of_what_was_found(small):
    plain = sf.run(sf.load(small.file))
    result = assessed(small)
    assert "document" not in result.definition
    assert (result.digest, result.keys) == (plain.digest, plain.keys)
    changed = assessed(small, status="withdrawn")
    assert changed.digest == result.digest
    assert len(changed.iterations) == len(result.iterations) == len(plain.iterations) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "approved"}, "document-control: document.reviewers[1].state is 'in review'"),
        ({"status": "approved", "reviewers": []}, "no reviewer is named who approved it"),
        ({"status": "finished"}, "must be 'draft', 'in review', 'approved' or 'withdrawn'"),
        ({"reviewers": [{"name": "B", "role": "assessor", "state": "approved"}]}, "the state approved and no date"),
        ({"history": [{"version": "1", "date": "2026-13-01", "change": "New."}]}, "must be a day such as 2026-05-01"),
        ({"history": [{"version": "1", "date": "1 May", "change": "New."}]}, "must be a day such as 2026-05-01"),
        ({"history": CONTROL["history"][::-1]}, "not in the order of its dates"),
        ({"history": [CONTROL["history"][0]] * 2}, "two entries of its history for version '1.0'"),
        ({"reviewer": []}, "Did you mean 'reviewers'?"),
    ],
)
def test_what_cannot_be_is_a_problem_with_its_place(small, changes, said):
    changed = {**CONTROL, **changes}
    document = json.loads(json.dumps(changed))
    found = problems(small, document=document, evidence=DEFINITION["evidence"], targets=DEFINITION["targets"])
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": "2.0"}, "the last entry of the history is '1.1'"),
        ({"author": "B. Okafor"}, "is the author, whose review is not independent"),
        ({"reviewers": [{**CONTROL["reviewers"][0], "date": "2026-04-01"}]}, "before the last entry of the history"),
    ],
)
def test_what_does_not_agree_is_a_warning(small, changes, said):
    assert warnings(small) == []
    found = warnings(small, **changes)
    assert [each.severity for each in found] == ["warning"]
    assert said in found[0].text


def test_projects_made_in_python_have_it_too(small):
    said = {name: part for name, part in DEFINITION.items() if name in ("version", "system")}
    stated = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "log"}
    file = {**said, "evidence": {"demands": stated}, "document": CONTROL}
    assert sf.run(sf.project.from_data(file, folder=small.folder)).document.author == "A. Weber"
    assert yaml.safe_load(yaml.safe_dump(CONTROL)) == CONTROL
