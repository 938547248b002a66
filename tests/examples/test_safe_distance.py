"""The example from a measured classifier to the hazard runs, and what it says would be needed is enough."""

import shutil
from pathlib import Path

import pytest
from scipy import stats

import surefoot as sf
from surefoot.bounds import jeffreys

FOLDER = Path(__file__).parents[2] / "examples" / "safe_distance"
EVENT = "classifier misses the asset"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = shutil.copytree(FOLDER, tmp_path_factory.mktemp("example") / "safe_distance")
    return sf.run(sf.load(folder))


def test_the_target_is_not_shown_and_the_classifier_is_asked_for_more(result):
    (answer,) = result.answers
    assert answer.verdict.status == "not shown"
    assert any(EVENT in sentence and "would show it" in sentence for sentence in answer.needed)


def test_the_value_is_that_of_the_tree_written_out(result):
    missed = result["missed.failure probability"].value
    mission, sonar, operator, camera = 8, 3.5 / 4001, 0.1, 2e-3
    computer, keeping, thruster = 1e-7 * mission, 2e-7 * mission, 1e-6 * mission
    by_hand = (camera + missed) * sonar * operator + computer + 0.05 * keeping + 0.05 * thruster
    exact = result.evidence["tree"].tables["approximations"].rows[0]
    assert exact[:2] == ("exact", pytest.approx(by_hand, rel=0.01))


def test_what_would_be_needed_is_enough(result):
    (answer,) = result.answers
    needed = answer.estimate.details["requirements"][EVENT]["needed"]
    trials = 40_000
    failures = int(needed * trials * 0.8)
    assert stats.beta.ppf(0.95, failures + 0.5, trials - failures + 0.5) < needed
    better = jeffreys(failures, trials, level=0.95, scope="better")
    tree = sf.FaultTree.read(FOLDER / "tree.yaml").with_events({EVENT: better})
    assert tree.analyse(target=answer.target).verdict
