"""Every number of the advice is put back into the bound: with it the target is met, with a little less it is not."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import surefoot as sf
from surefoot.bounds import clopper_pearson, jeffreys, needed, trials_needed, wilson
from surefoot.core import CountedShare

FIRST = re.compile(
    r"^(?:About )?([\d,]+) new \w+ show it with probability 80% if .*?(?:, ([\d,]+) if it is half of that)?\.$"
)
AMONG = re.compile(
    r"^Among the present ([\d,]+) tests?, (?:at most ([\d,]+) failures?|no failure)\b.* there w\w+ ([\d,]+)\.$"
)
CLEAN = re.compile(r"^Even without a failure, the present ([\d,]+) tests? would not have shown it\.$")
RATIO = re.compile(r"^With the present ([\d,]+) tests, a mean/sd of (\S+) would have shown it")
MEAN = re.compile(r"a mean of (\S+) would have shown it; it was")
LEFT = re.compile(r"an uncertainty of (\S+) would show it; it was (\S+)\.$")
IF_TRUE = "if that is the truth, no number of tests shows it"
PROBABILITIES = [0.5, 0.8, 0.95]
ANY_KIND = ("certain", "confidence", "credible", "heuristic", "expectation")


def found(pattern, sentences):
    """The groups of the first sentence that matches, numbers without commas."""
    hits = [match for match in map(pattern.search, sentences) if match]
    return [group and group.replace(",", "") for group in hits[0].groups()] if hits else None


def one_digit(text, direction):
    """The number next to a number of four digits."""
    digits = f"{float(text):.3e}"
    return float(digits) + direction * 10.0 ** (int(digits.split("e")[1]) - 3)


def same_bound(estimate, details):
    return replace(estimate, details={**estimate.details, **details})


counts = st.integers(2, 3000).flatmap(lambda n: st.tuples(st.integers(0, min(n - 1, 30)), st.just(n)))
too_low = st.floats(0.05, 0.999)
METHODS = pytest.mark.parametrize("bound", [clopper_pearson, jeffreys, wilson], ids=lambda b: b.__name__)


def planned(estimate, target):
    """Rate, probability, tests and allowed failures of each row; the columns have names that a reader sees."""
    return [row[1:] for row in sf.bounds.fresh_tests(estimate, target).rows]


@METHODS
@given(counts=counts, share=too_low, level=st.sampled_from([0.8, 0.95, 0.999]))
@settings(deadline=None, max_examples=25)
def test_new_tests_show_the_target_with_the_probability_that_is_told_by_the_same_bound(bound, counts, share, level):
    k, n = counts
    estimate = bound(k, n, level=level)
    target = sf.Target(at_most=share * estimate.upper(level), level=level, kinds=ANY_KIND)
    if aside(estimate, target):
        return
    rows = planned(estimate, target)
    observed = k / n if k else 1 - 0.5 ** (1 / n)
    better = observed / 2 if observed / 2 < target.limit else target.limit / 2
    assert [row[0] for row in rows] == pytest.approx([observed] * 3 + [better] * 3)
    assert [row[1] for row in rows] == PROBABILITIES * 2
    for rate, probability, tests, failures in rows:
        assert (tests is None) == (rate >= target.limit)
        if tests is not None and tests < 10**6:
            assert bound(failures, tests, level=level).meets(target)
            assert not bound(failures + 1, tests, level=level).meets(target)
            assert tests == 1 or not bound(failures, tests - 1, level=level).meets(target)
            assert stats.binom.cdf(failures, tests, rate) >= probability - 1e-12


def aside(estimate, target):
    """A rounding apart from being met, or a bound that is certain."""
    return estimate.meets(target) or estimate.bounds[0].kind == "certain"


@given(counts=st.tuples(st.integers(1, 12), st.integers(20, 150)), share=st.floats(0.3, 0.95))
@settings(deadline=None, max_examples=15)
def test_no_smaller_number_of_new_tests_does(counts, share):
    estimate = clopper_pearson(*counts, level=0.9)
    target = sf.Target(at_most=share * estimate.upper(0.9), level=0.9)
    sizes = np.arange(1, 6000)
    allowed = stats.binom.ppf(0.1, sizes, target.limit)
    allowed -= stats.binom.cdf(allowed, sizes, target.limit) > 0.1
    for rate, probability, tests, failures in planned(estimate, target):
        enough = stats.binom.cdf(allowed, sizes, rate) >= probability - 1e-12
        if tests is not None and enough.any():
            smallest = np.argmax(enough)
            assert (tests, failures) == (sizes[smallest], allowed[smallest])


def test_a_bad_component_passes_the_new_tests_no_more_often_than_the_level_says():
    """The whole course: first tests, and where they do not show it the new ones, planned by what the first ones had."""
    rng, limit, trials, met, asked = np.random.default_rng(5), 0.05, 88, 0, 0
    target = sf.Target(at_most=limit)
    rows = {k: planned(clopper_pearson(k, trials, level=0.95), target) for k in range(1, 30)}
    for k in rng.binomial(trials, limit, 20_000):
        if k:
            *_, tests, failures = next(row for row in rows[k] if row[2] is not None and row[1] == 0.8)
            asked, met = asked + 1, met + (rng.binomial(tests, limit) <= failures)
    assert met / asked <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / asked)


def test_what_adding_until_it_works_would_come_to_is_not_advised():
    """54 tests without a failure would have shown it in all, which at the observed rate has probability 0.23."""
    estimate, target = clopper_pearson(3, 110, level=0.95), sf.Target(at_most=0.0468)
    sentences = needed(estimate, target)
    assert trials_needed(target, failures=3) - 110 == 54
    assert stats.binom.pmf(0, 54, 3 / 110) == pytest.approx(0.23, abs=0.01)
    assert not any("54" in sentence or "more test" in sentence for sentence in sentences)
    assert any("until it works breaks the level" in sentence for sentence in sentences)


@METHODS
@given(counts=counts.filter(lambda pair: pair[0] > 0), share=too_low)
@example(counts=(21, 22), share=0.875)
@settings(deadline=None, max_examples=20)
def test_that_few_failures_meet_the_target_and_one_more_does_not(bound, counts, share):
    k, n = counts
    estimate = bound(k, n, level=0.95)
    target = sf.Target(at_most=share * estimate.upper(0.95), kinds=ANY_KIND)
    sentences = needed(estimate, target)
    among, clean = found(AMONG, sentences), found(CLEAN, sentences)
    if aside(estimate, target):
        return
    assert (among is None) != (clean is None)
    if among:
        total, most, seen = among
        assert (int(total), int(seen)) == (n, k)
        assert bound(int(most or 0), n, level=0.95).meets(target)
        assert not bound(int(most or 0) + 1, n, level=0.95).meets(target)
    else:
        assert not bound(0, n, level=0.95).meets(target)


@given(failures=st.integers(0, 5), limit=st.floats(1e-3, 0.01))
@settings(deadline=None, max_examples=20)
def test_the_fewest_new_tests_are_those_of_the_plan_made_before_testing(failures, limit):
    sentences = needed(clopper_pearson(failures, int(failures / limit) + 2, level=0.95), sf.Target(at_most=limit))
    (fewest,) = found(re.compile(r"without any failure ([\d,]+) are the fewest"), sentences)
    assert int(fewest) == trials_needed(sf.Target(at_most=limit))


@pytest.mark.parametrize(("failures", "trials"), [(34, 899), (0, 2994), (0, 50), (3, 20)])
def test_the_first_sentence_has_the_numbers_of_the_table(failures, trials):
    estimate, target = clopper_pearson(failures, trials, level=0.95), sf.Target(at_most=0.05 if failures else 1e-3)
    first, better = (row[2] for row in planned(estimate, target) if row[1] == 0.8)
    sentence = needed(estimate, target)[0]
    if first is None:
        assert f"no number of tests shows it; at half of the limit, {better:,} new tests do" in sentence
    else:
        assert found(FIRST, [sentence]) == [str(first), str(better)]


def test_shares_are_those_of_an_independent_implementation():
    sentences = needed(clopper_pearson(12, 1000, level=0.95), sf.Target(at_most=0.015))
    most = max(k for k in range(12) if proportion_confint(k, 1000, alpha=0.1, method="beta")[1] <= 0.015)
    assert any(f"at most {most} failures (a share of {most / 1000:g})" in sentence for sentence in sentences)


@given(counts=counts, share=too_low)
@settings(deadline=None, max_examples=25)
def test_a_share_of_successes_is_advised_alike(counts, share):
    bad, n = counts
    estimate = clopper_pearson(n - bad, n, level=0.95, quantity="recall")
    target = sf.Target(at_least=1 - share * (1 - estimate.lower(0.95)))
    alike = clopper_pearson(bad, n, level=0.95)
    rows, others = planned(estimate, target), planned(alike, sf.Target(at_most=1 - target.limit))
    for (*_, tests, failures), (*_, theirs, same) in zip(rows, others, strict=True):
        assert failures == same
        assert tests == theirs or abs(tests - theirs) <= 1
        if tests is not None and tests < 10**6:
            assert clopper_pearson(tests - failures, tests, level=0.95).meets(target)


def test_opinions_of_counts_are_advised_by_their_evidence():
    target = sf.Target(at_least=0.97)
    estimate = sf.opinions.recall(470, 10).to_estimate(quantity="recall", kind="credible")
    estimate = same_bound(estimate, {"positive": 470, "negative": 10})
    most = int(found(AMONG, needed(estimate, target))[1])
    *_, tests, failures = planned(estimate, target)[1]
    for hits, misses, met in [
        (tests - failures, failures, True),
        (tests - failures - 1, failures + 1, False),
        (tests - failures - 1, failures, False),
        (480 - most, most, True),
        (479 - most, most + 1, False),
    ]:
        assert bool(sf.opinions.recall(hits, misses).to_estimate(kind="credible").meets(target)) is met


@given(st.floats(0.5, 0.99), st.floats(0.01, 0.5), st.floats(0.05, 1.2))
@settings(deadline=None)
def test_discounted_opinions_are_advised_by_their_uncertainty(proportion, uncertainty, share):
    belief = proportion * (1 - uncertainty)
    estimate = sf.Opinion(belief, 1 - uncertainty - belief, uncertainty).to_estimate()
    lower = estimate.lower(0.95)
    limit = min(lower + share * (proportion - lower), 0.999)
    target = sf.Target(at_least=limit, kinds=("heuristic",))
    sentences = needed(estimate, target)
    numbers = found(LEFT, sentences)
    if limit > proportion:
        assert IF_TRUE in sentences[0]
        assert numbers is None
    if numbers is None:
        assert limit > proportion - 1e-3
        return

    def left(uncertainty):
        belief = proportion * (1 - uncertainty)
        return sf.Opinion(belief, 1 - uncertainty - belief, uncertainty).to_estimate().meets(target)

    assert left(float(numbers[0]))
    assert not left(one_digit(numbers[0], +1))


def test_the_uncertainty_along_a_chain_is_shown():
    opinion = sf.Opinion(0.8, 0.05, 0.15).to_estimate()
    estimate = same_bound(opinion, {"uncertainties": {"recall": 0.01, "after coverage": 0.15}})
    sentences = needed(estimate, sf.Target(at_least=0.8, kinds=("heuristic",)))
    assert "Uncertainty along the chain: recall 0.01, after coverage 0.15." in sentences


def margins_with(ratio, n):
    """Margins whose mean over standard deviation is exactly this."""
    z = np.linspace(-1, 1, n) ** 3 + np.linspace(-1, 1, n)
    return ratio + (z - z.mean()) / z.std(ddof=1)


@pytest.mark.parametrize("limit", [0.03, 0.02, 0.01])
@pytest.mark.parametrize("method", ["normal_exact", "normal_score"])
def test_normal_scores_are_advised_by_their_ratio_and_by_tests(method, limit):
    options = {"level": 0.95} if method == "normal_exact" else {}

    def bound(ratio, n):
        return getattr(sf.bounds, method)(margins_with(ratio, n), check=False, **options)

    target = sf.Target(at_most=limit, kinds=ANY_KIND)
    sentences = needed(bound(2.1, 110), target)
    _, ratio = found(RATIO, sentences)
    assert bound(float(ratio) + 1e-9, 110).meets(target)
    assert not bound(one_digit(ratio, -1), 110).meets(target)
    for rate, probability, tests in planned(bound(2.1, 110), target):
        true, chance = -stats.norm.ppf(rate), stats.norm.ppf(probability)
        assert (tests is None) == (rate >= limit)
        if tests is not None:
            seen = [true - chance * np.sqrt((1 + true**2 / 2) / n) for n in (tests, tests - 1)]
            assert bound(seen[0] + 1e-9, tests).meets(target)
            assert not bound(seen[1] - 1e-9, tests - 1).meets(target)


LOSSES = np.random.default_rng(0).beta(1, 20, 1000)


@pytest.mark.parametrize("method", ["hoeffding", "empirical_bernstein", "normal_approximation"])
@pytest.mark.parametrize("upper", [True, False], ids=["at most", "at least"])
def test_means_are_advised_by_tests_and_by_the_mean(method, upper):
    losses = LOSSES if upper else 1 - LOSSES
    limit = {"at_most": LOSSES.mean() + 1e-4} if upper else {"at_least": 1 - LOSSES.mean() - 1e-4}
    target = sf.Target(**limit, kinds=ANY_KIND)
    estimate = getattr(sf.bounds, method)(losses, level=0.95)
    sentences = needed(estimate, target)
    family, spread = estimate.bounds[0 if upper else 1], LOSSES.std(ddof=1)
    assert sentences[0].startswith("About ")

    def met(n, worse):
        se = family.standard_error * np.sqrt(family.n / n) if method == "normal_approximation" else None
        changed = replace(family, n=n, mean=worse, **({} if se is None else {"standard_error": se}))
        limit = changed.at(0.95).limit
        return limit <= target.limit if upper else limit >= target.limit

    for mean, probability, tests in planned(estimate, target):
        sd = np.sqrt(mean * (1 - mean)) if method == "hoeffding" else spread
        away = stats.norm.ppf(probability) * sd * (1 if upper else -1)
        assert met(tests, mean + away / np.sqrt(tests))
        assert not met(tests - 1, mean + away / np.sqrt(tests - 1))
    mean = found(MEAN, sentences)[0]
    for value, good in ((float(mean), True), (one_digit(mean, 1 if upper else -1), False)):
        limit = replace(family, mean=value).at(0.95).limit
        assert (limit <= target.limit if upper else limit >= target.limit) is good


@pytest.mark.parametrize("limit", [0.052, 0.05])
def test_bets_are_advised_by_about_how_many_tests_it_takes(limit):
    """Put to the test with losses of the same distribution: neither hopeless nor wasteful."""
    target, rng = sf.Target(at_most=limit), np.random.default_rng(1)
    plan = sf.bounds.fresh_tests(sf.bounds.betting(LOSSES[:800], level=0.95), target)
    assert plan.columns[-1] == "new tests, about"
    mean, probability, tests = plan.rows[1][1:]
    assert (mean, probability) == (pytest.approx(LOSSES[:800].mean()), 0.8)
    shift = mean - 1 / 21

    def share(n):
        drawn = (sf.bounds.betting((rng.beta(1, 20, n) + shift).clip(0, 1), level=0.95) for _ in range(30))
        return np.mean([each.upper(0.95) <= limit for each in drawn])

    assert share(tests) >= 0.6
    assert share(tests // 4) <= 0.5


def test_a_bound_that_holds_whenever_testing_stops_lets_tests_be_added():
    estimate = sf.bounds.betting(LOSSES, level=0.95, anytime=True)
    sentences = needed(estimate, sf.Target(at_most=0.05))
    assert "This bound holds whenever testing stops: tests may as well be added to the present 1,000." in sentences
    assert not any("breaks" in sentence for sentence in sentences)


def test_strata_and_groups_are_planned_in_their_own_units():
    strata = sf.bounds.stratified([1, 0], [100, 50], [0.5, 0.5], level=0.95)
    sentences = needed(strata, sf.Target(at_most=0.03))
    assert any("in each stratum" in sentence and "the present 150" in sentence for sentence in sentences)
    losses, groups = np.zeros(400), np.arange(400) // 2
    losses[[3, 60, 200]] = 1
    by_input = sf.bounds.grouped(losses, groups, level=0.95, max_group_size=2)
    assert sf.bounds.fresh_tests(by_input, sf.Target(at_most=0.015)).columns[-1] == "new groups, about"
    by_group = sf.bounds.grouped(losses, groups, level=0.95, per="group")
    counted = clopper_pearson(3, 200, level=0.95)
    assert planned(by_group, sf.Target(at_most=0.03, per="group")) == planned(counted, sf.Target(at_most=0.03))


def test_any_other_combination_is_told_what_it_would_have_to_reach():
    factors = {name: clopper_pearson(1, 100, level=0.95, scope=name) for name in "ab"}
    both = sf.propagate(lambda a, b: a * b, factors, quantity="both", direction={"a": 1, "b": 1}, level=0.95)
    sentences = needed(both, sf.Target(at_most=1e-3))
    assert sentences[0] == f"The upper bound at 95% is {both.upper(0.95):.4g} and would have to reach 0.001."


@given(limit=st.floats(0.002, 0.05))
@settings(deadline=None)
def test_partial_priors_are_advised_until_the_prior_bound(limit):
    options = {"level": 0.99, "prior_confidence": 0.9, "prior_bound": 0.01}
    target = sf.Target(at_most=limit, level=0.99)
    sentences = needed(sf.bounds.conservative_bayes(0, 50, **options), target)
    if limit <= 0.01:
        assert sentences[0].startswith("No feasible number of tests shows it")
    else:
        (tests,) = found(re.compile(r"^(?:Only|Without any failure) ([\d,]+) "), sentences)
        assert sf.bounds.conservative_bayes(0, int(tests), **options).meets(target)
        assert not sf.bounds.conservative_bayes(0, int(tests) - 1, **options).meets(target)


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_the_level_and_the_uncertainty_of_the_target_count(level):
    target = sf.Target(at_most=0.01, level=level, uncertainty=sf.Beta(100, 9900))
    for _, _, tests, failures in planned(clopper_pearson(0, 100, level=0.95), target)[3:]:
        assert clopper_pearson(failures, tests, level=0.95).meets(target)
        assert not clopper_pearson(failures, tests - 1, level=0.95).meets(target)


@pytest.mark.parametrize(
    ("failures", "then"),
    [(3, "this bound would meet it."), (6, "new tests could show it."), (20, None)],
)
def test_a_limit_that_is_uncertain_itself_could_be_known_better(failures, then):
    target = sf.Target(at_most=9 / 4100, uncertainty=CountedShare(9, 4100))
    told = [said for said in needed(clopper_pearson(failures, 4000, level=0.95), target) if "itself:" in said]
    assert [said.endswith(then) for said in told] == [True] * len(told)
    assert bool(told) == (then is not None)
    assert (stats.beta.ppf(0.95, failures + 1, 4000 - failures) <= 9 / 4100) == (failures == 3)


def test_a_target_that_is_met_needs_nothing():
    assert needed(clopper_pearson(0, 5000, level=0.95), sf.Target(at_most=0.001)) == ()
    assert sf.bounds.fresh_tests(clopper_pearson(0, 5000, level=0.95), sf.Target(at_most=0.001)) is None


def test_a_violated_target_needs_a_better_component():
    estimate, target = clopper_pearson(60, 1000, level=0.95), sf.Target(at_most=0.04)
    assert estimate.meets(target).status == "violated"
    sentences = needed(estimate, target)
    assert sentences[0].startswith(
        "The failure rate (60 of 1,000) is shown to be above 0.04: the component has to improve."
    )
    assert [row[2] for row in planned(estimate, target)[:3]] == [None] * 3


def test_an_observed_rate_above_the_limit_may_have_a_true_one_below_it():
    """Tests may well help: nobody says that they will not."""
    estimate, target = clopper_pearson(60, 1000, level=0.95), sf.Target(at_most=0.055)
    assert estimate.meets(target).status == "not shown"
    first, second, *_ = needed(estimate, target)
    assert first.startswith(
        "At a failure rate as observed (60 of 1,000), above 0.055, no number of tests shows it; at half"
    )
    assert f"leave open a failure rate of {stats.beta.ppf(0.05, 60, 941):.3g}" in second
    assert [row[2] for row in planned(estimate, target)[:3]] == [None] * 3


def contradicted(estimate, assumption, **figures):
    check = sf.Check("contradicted", "looked", figures)
    return replace(estimate, assumptions=(sf.Assumption(assumption, "It holds.", check),))


def test_the_contradicted_assumption_comes_first_and_the_unchecked_ones_last():
    skewed = np.random.default_rng(0).exponential(size=300) + 0.5
    estimate = sf.bounds.normal_exact(skewed, level=0.95)
    first, *rest = needed(estimate, sf.Target(at_most=0.2))
    assert first.startswith("Nothing is shown while the data contradict an assumption: margins follow a normal")
    assert "binomial_bound" in first
    assert rest == ["Assumed without a check: the test data follow the operational profile."]


def test_nothing_is_advised_by_a_contradicted_model():
    estimate = contradicted(clopper_pearson(60, 1000, level=0.95), "independent-trials", copies=40)
    (only,) = needed(estimate, sf.Target(at_most=0.04))
    assert "new tests" not in only
    assert sf.bounds.fresh_tests(estimate, sf.Target(at_most=0.04)) is None
    assert only.endswith("Remove the copies, or name what rows share as groups.")


@pytest.mark.parametrize(
    ("assumption", "figures", "way_out"),
    [
        ("independent-trials", {"groups": 4}, "groups: use with max_group_size"),
        ("same-mean", {"copies": 4}, "Remove the copies"),
        ("normal-margins", {}, "binomial_bound"),
        ("identical-distribution", {}, "Shuffling the rows is no remedy"),
        ("adult", {"outside age": 3}, "widen the condition and its argument"),
        ("anything", {}, "a bound that does not need it"),
    ],
)
def test_each_contradicted_assumption_has_a_way_out(assumption, figures, way_out):
    estimate = contradicted(clopper_pearson(1, 1000, level=0.95), assumption, **figures)
    (only,) = needed(estimate, sf.Target(at_most=0.5))
    assert way_out in only


def test_kinds_that_the_target_does_not_accept_are_named():
    (first, _) = needed(sf.bounds.normal_score(margins_with(2.1, 110), check=False), sf.Target(at_most=0.5))[-2:]
    assert "accepts bounds of kind certain, confidence or credible, and this one is expectation" in first
    heuristic = sf.Opinion(0.9, 0.05, 0.05).to_estimate()
    assert "and this one is heuristic" in needed(heuristic, sf.Target(at_least=0.5))[0]


def test_unknown_levels_and_missing_bounds_are_told():
    one_level = sf.Estimate("x", 0.1, bounds=[sf.Bound(0.2, "upper", 0.1, "confidence")])
    assert needed(one_level, sf.Target(at_most=0.3))[0].startswith("No upper bound is known at level 0.95")
    assert needed(one_level, sf.Target(at_least=0.05))[0] == "There is no lower bound: use a method that gives one."


@pytest.mark.parametrize("target", [sf.Target(at_most=0), sf.Target(at_least=1)], ids=str)
def test_no_number_of_tests_reaches_the_end_of_the_scale(target):
    assert needed(clopper_pearson(5, 10, level=0.95), target)[0].startswith(
        "No number of tests shows a limit of exactly"
    )


def test_a_stated_value_is_not_tested():
    sentences = needed(sf.Estimate.known("x", 0.5, source="s"), sf.Target(at_most=0.1))
    assert sentences[0] == "The value is stated, not measured, so no test changes it."
    assert len(sentences) == 2
    assert "x is 0.5" in sentences[1]


@METHODS
def test_all_failures_have_an_answer(bound):
    sentences = needed(bound(7, 7, level=0.95), sf.Target(at_most=0.1, kinds=ANY_KIND))
    assert sentences


def test_advice_survives_storage():
    estimate = clopper_pearson(3, 100, level=0.95)
    target = sf.Target(at_most=0.05)
    assert needed(sf.Estimate.from_dict(estimate.to_dict()), target) == needed(estimate, target)
