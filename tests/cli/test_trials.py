import pytest
from scipy import stats

from surefoot.bounds import trials_needed


def numbers(output):
    return [int(word.replace(",", "")) for word in output.split() if word.replace(",", "").isdigit()]


def test_table_shows_the_trials_for_few_failures(surefoot):
    found = surefoot("trials", "--at-most", "1e-3")
    expected = [n for k in (0, 1, 2, 5) for n in (k, trials_needed(1e-3, level=0.95, failures=k))]
    assert numbers(found.stdout) == expected
    assert found.exit_code == 0


def test_level_and_failures_are_used(surefoot):
    found = surefoot("trials", "--at-most", "0.01", "--level", "0.99", "--failures", "3")
    assert numbers(found.stdout) == [3, trials_needed(0.01, level=0.99, failures=3)]


def test_tests_that_were_run_show_a_bound(surefoot):
    found = surefoot("trials", "--tests", "3000", "--failures", "1")
    assert f"at most {stats.beta.ppf(0.95, 2, 2999):.4g} at level 0.95" in found.stdout


@pytest.mark.parametrize(
    ("at_most", "failures", "word"), [(0.01, 1, "is shown"), (0.0015, 1, "is not shown"), (0.001, 30, "is violated")]
)
def test_tests_that_were_run_are_held_against_a_target(surefoot, at_most, failures, word):
    found = surefoot("trials", "--tests", "3000", "--failures", failures, "--at-most", at_most)
    assert word in found.stdout


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--at-most", "2"],
        ["--at-most", "0"],
        ["--at-most", "nan"],
        ["--at-most", "1e-300"],
        ["--at-most", "0.1", "--level", "1"],
        ["--at-most", "0.1", "--failures", "-1"],
        ["--tests", "5", "--failures", "6"],
        ["--tests", "0"],
        ["--tests", "many"],
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_refused(surefoot, words):
    found = surefoot("trials", *words)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert "error" in found.stderr.lower()


@pytest.mark.parametrize("words", [["--at-most", "5%"], ["--at-most", "2"], ["--at-most", "0.1", "--level", "95"]])
def test_shares_are_asked_for_in_plain_words(surefoot, words):
    assert "Give a share between 0 and 1, such as 0." in " ".join(surefoot("trials", *words).stderr.split())
