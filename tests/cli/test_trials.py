from scipy import stats

from surefoot.bounds import demonstration, trials_needed


def numbers(output):
    """Whole numbers, and shares in per cent as such."""
    return [
        int(word.strip("%").replace(",", "")) for word in output.split() if word.strip("%").replace(",", "").isdigit()
    ]


def passed(failures, tests, rate):
    return int(100 * stats.binom.cdf(failures, tests, rate))


def test_table_shows_the_trials_for_few_failures(surefoot):
    found = surefoot("trials", "--at-most", "1e-3")
    expected = []
    for k in (0, 1, 2, 5):
        n = trials_needed(1e-3, level=0.95, failures=k)
        expected += [k, n, passed(k, n, 5e-4), passed(k, n, 1e-4)]
    assert numbers(found.stdout) == expected
    assert "100%" not in found.stdout
    assert found.exit_code == 0


def test_level_and_failures_are_used(surefoot):
    found = surefoot("trials", "--at-most", "0.01", "--level", "0.99", "--failures", "3")
    n = trials_needed(0.01, level=0.99, failures=3)
    assert numbers(found.stdout) == [3, n, passed(3, n, 5e-3), passed(3, n, 1e-3)]


def test_tests_are_planned_for_a_rate(surefoot):
    found = surefoot("trials", "--at-most", "0.01", "--rate", "0.005")
    plans = [demonstration(0.01, rate=0.005, power=power, level=0.95) for power in (0.5, 0.8, 0.95)]
    rows = zip((50, 80, 95), plans, strict=True)
    assert numbers(found.stdout) == [n for percent, plan in rows for n in (percent, plan.trials, plan.failures)]
    assert found.exit_code == 0


def test_a_number_of_tests_is_told_how_probably_it_shows_the_target(surefoot):
    found = surefoot("trials", "--at-most", "0.01", "--rate", "0.005", "--tests", "500")
    assert numbers(found.stdout)[:2] == [500, 1]
    assert f"probability {passed(1, 500, 0.005)}% if" in found.stdout


def test_tests_that_were_run_show_a_bound(surefoot):
    found = surefoot("trials", "--tests", "3000", "--failures", "1")
    assert f"at most {stats.beta.ppf(0.95, 2, 2999):.4g} at level 0.95" in found.stdout


def test_tests_that_were_run_are_held_against_a_target(surefoot):
    for at_most, failures, word in (
        (0.01, 1, "0.01: met"),
        (0.0015, 1, "0.0015: not shown"),
        (0.001, 30, "0.001: violated"),
    ):
        found = surefoot("trials", "--tests", "3000", "--failures", failures, "--at-most", at_most)
        assert word in found.stdout, at_most


def test_what_makes_no_sense_is_refused(surefoot):
    for words in (
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
        ["--rate", "0.01"],
        ["--at-most", "0.1", "--rate", "0.2"],
        ["--at-most", "0.1", "--rate", "0"],
        ["--at-most", "0.1", "--rate", "0.05", "--failures", "1"],
        ["--at-most", "0.1", "--rate", "0.05", "--tests", "5"],
    ):
        found = surefoot("trials", *words)
        assert found.exit_code == 2, words
        assert found.stdout == "", words
        assert "error" in found.stderr.lower(), words


def test_shares_are_asked_for_in_plain_words(surefoot):
    for words in (["--at-most", "5%"], ["--at-most", "2"], ["--at-most", "0.1", "--level", "95"]):
        assert "Give a share between 0 and 1, such as 0." in " ".join(surefoot("trials", *words).stderr.split()), words
