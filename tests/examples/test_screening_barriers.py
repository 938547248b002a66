"""The example of a component with barriers: the chain, by hand, and the target of people who read aspirates."""

import shutil
from pathlib import Path

import pytest
from scipy import stats

import surefoot as sf

FOLDER = Path(__file__).parents[2] / "examples" / "screening_barriers"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = shutil.copytree(FOLDER, tmp_path_factory.mktemp("example") / "screening")
    return sf.run(sf.load(folder))


def test_the_value_is_the_chain_with_its_barriers(result):
    missed = result["misses.failure probability"].value
    reader, second, aspirate, letter = 0.2, 6.5 / 121, 0.01, 1.5 / 40001
    home = 1 - (1 - missed * reader) * (1 - aspirate)
    by_hand = 1 - (1 - home * second) * (1 - letter)
    exact = result.evidence["scenarios"].tables["approximations"].rows[0]
    assert exact[:2] == ("exact", pytest.approx(by_hand, rel=1e-6))


def test_it_is_no_worse_than_people_who_read_aspirates(result):
    (answer,) = result.answers
    assert answer.verdict
    assert answer.verdict.limit == pytest.approx(stats.beta.ppf(0.025, 73, 1000 - 73 + 1))


def test_every_row_with_a_chain_leads_to_the_missed_malignancy(result):
    back = {row[0]: row[3] for row in result.evidence["scenarios"].tables["from rows to events"].rows}
    assert {row for row, top in back.items() if top == "malignancy is missed"} == {"R1", "R3", "R4"}
