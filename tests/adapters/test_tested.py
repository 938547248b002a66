"""A component's answers beside the truth, and the way to them."""

import pickle

import numpy as np
import pytest

from surefoot.adapters import as_data, as_model, score
from surefoot.adapters import tested as put_together
from surefoot.core import InvalidInput
from tests.adapters.problems import problem

SCORES = np.asarray([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.7, 0.3]])


@pytest.fixture
def answers():
    rows = {
        "inputs": np.arange(4.0)[:, None],
        "labels": ["no", "no", "yes", "yes"],
        "groups": [7, 7, 8, 9],
        "attributes": {"age": [20, 30, 40, 50]},
    }
    return put_together(
        "camera", as_data(rows), SCORES, output="probability", classes=("no", "yes"), digests={"model": "m"}, caveats=()
    )


def test_a_tie_for_the_highest_score_is_a_failure(answers):
    assert answers.predictions.tolist() == [0, 0, 1, 0]
    assert answers.failed.tolist() == [False, True, False, True]


def test_no_step_can_change_what_others_get(answers, subtests):
    for part in ("labels", "scores", "inputs", "groups", "predictions", "failed", "age"):
        for way in (lambda found: found, lambda found: pickle.loads(pickle.dumps(found))):
            with subtests.test(part=part):
                found = way(answers)
                column = found.attributes[part] if part == "age" else getattr(found, part)
                with pytest.raises(ValueError, match="read-only"):
                    column[0] = 0


def test_arrays_of_the_caller_stay_writable_and_are_not_written():
    rows = {"inputs": np.zeros((2, 1)), "labels": np.asarray([0, 1]), "scores": np.eye(2)}
    data = as_data(rows)
    for name in rows:
        with pytest.raises(ValueError, match="read-only"):
            getattr(data, name)[0] = 1
        rows[name][0] = 1


def test_rows_of_one_class_keep_everything_known_of_them(answers):
    chosen = answers.of_class("yes")
    assert (len(chosen), chosen.classes_present, answers.classes_present) == (2, ("yes",), ("no", "yes"))
    assert chosen.inputs.tolist() == [[2.0], [3.0]]
    assert chosen.groups.tolist() == [8, 9]
    assert chosen.attributes["age"].tolist() == [40, 50]
    assert chosen.digests["model"] == "m"
    assert answers.of_class(None) is answers


def test_rows_that_do_not_occur_cannot_be_asked_about(answers):
    with pytest.raises(InvalidInput, match="no rows of class 'yes'"):
        answers.of_class("no").of_class("yes")
    with pytest.raises(InvalidInput, match="Did you mean 'yes'"):
        answers.of_class("yess")


def test_progress_counts_rows_and_the_batch_size_does_not_matter():
    data, seen = as_data((np.arange(7.0)[:, None], np.arange(7) % 2)), []
    model = as_model(lambda x: x[:, 0] / 10)
    scores = score(model, data, batch_size=3, progress=lambda *step: seen.append(step))
    assert seen == [(3, 7), (6, 7), (7, 7)]
    assert np.array_equal(scores, score(model, data, batch_size=100))


def test_rows_without_inputs_cannot_be_scored():
    with problem("data-column", "no inputs"):
        score(as_model(len), as_data({"labels": [0, 1], "scores": [0.5, 0.5]}), batch_size=2)
    with pytest.raises(InvalidInput, match="batch_size"):
        score(as_model(len), as_data((np.zeros((2, 1)), [0, 1])), batch_size=0)
