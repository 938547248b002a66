"""Every number of the advice is put back into the bound: with it the target is met, with a little less it is not."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import surefoot as sf
from surefoot.bounds import clopper_pearson, jeffreys, needed, trials_needed, wilson
from surefoot.core import CountedShare

MORE = re.compile(r"^([\d,]+) more tests? without a failure would show it: ([\d,]+) in all")
AMONG = re.compile(
    r"^Among the same ([\d,]+) tests?, (?:at most ([\d,]+) failures?|no failure at all)\b.* there w\w+ ([\d,]+)\.$"
)
CLEAN = re.compile(r"^Even without a failure, ([\d,]+) tests? would not show it; ([\d,]+) would\.$")
RATIO = re.compile(r"^With ([\d,]+) tests, a mean/sd of (\S+) would show it")
TESTS = re.compile(r"(?:mean/sd of \S+|mean and spread), ([\d,]+) tests would show it instead of ([\d,]+)\.$")
MEAN = re.compile(r"a mean of (\S+) would show it; it was")
LEFT = re.compile(r"an uncertainty of (\S+) would show it; it was (\S+)\.$")
HOPELESS = "more tests will not help unless the component improves"
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


@METHODS
@given(counts=counts, share=too_low, level=st.sampled_from([0.8, 0.95, 0.999]))
@settings(deadline=None)
def test_that_many_more_tests_without_failure_meet_the_target_and_one_fewer_does_not(bound, counts, share, level):
    k, n = counts
    estimate = bound(k, n, level=level)
    limit = share * estimate.upper(level)
    target = sf.Target(at_most=limit, level=level, kinds=ANY_KIND)
    sentences = needed(estimate, target)
    numbers = found(MORE, sentences)
    assert (numbers is None) == (k / n >= limit)
    if numbers:
        more, total = map(int, numbers)
        assert total == n + more
        assert bound(k, n + more, level=level).meets(target)
        assert not bound(k, n + more - 1, level=level).meets(target)


@METHODS
@given(counts=counts.filter(lambda pair: pair[0] > 0), share=too_low)
@settings(deadline=None)
def test_that_few_failures_meet_the_target_and_one_more_does_not(bound, counts, share):
    k, n = counts
    estimate = bound(k, n, level=0.95)
    target = sf.Target(at_most=share * estimate.upper(0.95), kinds=ANY_KIND)
    sentences = needed(estimate, target)
    among, clean = found(AMONG, sentences), found(CLEAN, sentences)
    assert (among is None) != (clean is None)
    if among:
        total, most, seen = among
        assert (int(total), int(seen)) == (n, k)
        assert bound(int(most or 0), n, level=0.95).meets(target)
        assert not bound(int(most or 0) + 1, n, level=0.95).meets(target)
    else:
        assert not bound(0, n, level=0.95).meets(target)
        assert bound(0, int(clean[1]), level=0.95).meets(target)
        assert not bound(0, int(clean[1]) - 1, level=0.95).meets(target)


@given(failures=st.integers(0, 5), limit=st.floats(1e-3, 0.01))
@settings(deadline=None)
def test_advice_agrees_with_the_plan_made_before_testing(failures, limit):
    n = int(failures / limit) + 2
    target = sf.Target(at_most=limit)
    total = int(found(MORE, needed(clopper_pearson(failures, n, level=0.95), target))[1])
    assert abs(total - trials_needed(target, failures=failures)) <= 1


def test_shares_are_those_of_an_independent_implementation():
    sentences = needed(clopper_pearson(12, 1000, level=0.95), sf.Target(at_most=0.015))
    most = max(k for k in range(12) if proportion_confint(k, 1000, alpha=0.1, method="beta")[1] <= 0.015)
    assert f"at most {most} failures (a share of {most / 1000:g})" in sentences[1]


@given(counts=counts, share=too_low)
@settings(deadline=None)
def test_a_share_of_successes_is_advised_alike(counts, share):
    bad, n = counts
    estimate = clopper_pearson(n - bad, n, level=0.95, quantity="recall")
    limit = 1 - share * (1 - estimate.lower(0.95))
    target = sf.Target(at_least=limit)
    numbers = found(MORE, needed(estimate, target))
    assert (numbers is None) == ((n - bad) / n <= limit)
    if numbers:
        more = int(numbers[0])
        assert clopper_pearson(n - bad + more, n + more, level=0.95).meets(target)
        assert not clopper_pearson(n - bad + more - 1, n + more - 1, level=0.95).meets(target)


def test_opinions_of_counts_are_advised_by_their_evidence():
    target = sf.Target(at_least=0.97)
    estimate = sf.opinions.recall(470, 10).to_estimate(quantity="recall", kind="credible")
    sentences = needed(same_bound(estimate, {"positive": 470, "negative": 10}), target)
    more = int(found(MORE, sentences)[0])
    most = int(found(AMONG, sentences)[1])
    for hits, misses, met in [
        (470 + more, 10, True),
        (469 + more, 10, False),
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
        assert HOPELESS in sentences[0]
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
    tests = found(TESTS, sentences)
    if limit < sf.bounds.normal_exact(margins_with(2.1, 110), level=0.95, check=False).value:
        assert tests is None
        assert HOPELESS in sentences[0]
    else:
        assert bound(2.1, int(tests[0])).meets(target)
        assert not bound(2.1, int(tests[0]) - 1).meets(target)


LOSSES = np.random.default_rng(0).beta(1, 20, 1000)


@pytest.mark.parametrize("method", ["hoeffding", "empirical_bernstein", "normal_approximation"])
@pytest.mark.parametrize("upper", [True, False], ids=["at most", "at least"])
def test_means_are_advised_by_tests_and_by_the_mean(method, upper):
    losses = LOSSES if upper else 1 - LOSSES
    limit = {"at_most": LOSSES.mean() + 1e-4} if upper else {"at_least": 1 - LOSSES.mean() - 1e-4}
    target = sf.Target(**limit, kinds=ANY_KIND)
    estimate = getattr(sf.bounds, method)(losses, level=0.95)
    sentences = needed(estimate, target)
    tests = int(found(TESTS, sentences)[0])
    family = estimate.bounds[0 if upper else 1]

    def met(n):
        error = (
            {"standard_error": family.standard_error * np.sqrt(family.n / n)}
            if method == "normal_approximation"
            else {}
        )
        limit = replace(family, n=n, **error).at(0.95).limit
        return limit <= target.limit if upper else limit >= target.limit

    assert met(tests)
    assert not met(tests - 1)
    mean = found(MEAN, sentences)[0]
    for value, good in ((float(mean), True), (one_digit(mean, 1 if upper else -1), False)):
        limit = replace(family, mean=value).at(0.95).limit
        assert (limit <= target.limit if upper else limit >= target.limit) is good


def test_bets_are_advised_by_their_distance_and_about_how_many_tests_it_takes():
    estimate = sf.bounds.betting(LOSSES, level=0.95)
    first, second, *_ = needed(estimate, sf.Target(at_most=0.05))
    distance, allowed = (float(x) for x in re.findall(r"0\.\d+", first))
    assert distance == pytest.approx(estimate.upper(0.95) - LOSSES.mean(), rel=1e-3)
    assert allowed == pytest.approx(0.05 - LOSSES.mean(), rel=1e-3)
    tests = int(re.search(r"^About ([\d,]+) tests would show it instead of 1,000, if", second)[1].replace(",", ""))
    assert tests == pytest.approx(1000 * (distance / allowed) ** 2, rel=2e-3)
    many = np.random.default_rng(1).beta(1, 20, tests)
    assert sf.bounds.betting(many, level=0.95).upper(0.95) - many.mean() <= allowed


def test_one_test_is_no_plural():
    assert needed(clopper_pearson(0, 58, level=0.95), sf.Target(at_most=0.05))[0].startswith("1 more test without")
    assert needed(clopper_pearson(1, 1, level=0.95), sf.Target(at_most=0.96))[1].startswith("Among the same 1 test, no")


def test_any_other_combination_is_told_what_it_would_have_to_reach():
    factors = {name: clopper_pearson(1, 100, level=0.95, scope=name) for name in "ab"}
    both = sf.propagate(lambda a, b: a * b, factors, quantity="both", direction={"a": 1, "b": 1}, level=0.95)
    sentences = needed(both, sf.Target(at_most=1e-3))
    assert sentences[0] == f"The upper bound is {both.upper(0.95):.4g} and would have to reach 0.001."


@given(limit=st.floats(0.002, 0.05))
@settings(deadline=None)
def test_partial_priors_are_advised_until_the_prior_bound(limit):
    options = {"level": 0.99, "prior_confidence": 0.9, "prior_bound": 0.01}
    target = sf.Target(at_most=limit, level=0.99)
    sentences = needed(sf.bounds.conservative_bayes(0, 50, **options), target)
    if limit <= 0.01:
        assert sentences[0] == "No feasible number of further tests would show it."
    else:
        total = int(found(MORE, sentences)[1])
        assert sf.bounds.conservative_bayes(0, total, **options).meets(target)
        assert not sf.bounds.conservative_bayes(0, total - 1, **options).meets(target)


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_the_level_and_the_uncertainty_of_the_target_count(level):
    target = sf.Target(at_most=0.01, level=level, uncertainty=sf.Beta(100, 9900))
    total = int(found(MORE, needed(clopper_pearson(1, 100, level=0.95), sf.Target(at_most=0.011, level=level)))[1])
    strict = int(found(MORE, needed(clopper_pearson(0, 50, level=0.95), target))[1])
    assert clopper_pearson(1, total, level=0.95).meets(sf.Target(at_most=0.011, level=level))
    assert clopper_pearson(0, strict, level=0.95).meets(target)
    assert not clopper_pearson(0, strict - 1, level=0.95).meets(target)


@pytest.mark.parametrize(
    ("failures", "then"),
    [(3, "this bound would meet it."), (6, "more tests could show it."), (20, None)],
)
def test_a_limit_that_is_uncertain_itself_could_be_known_better(failures, then):
    target = sf.Target(at_most=9 / 4100, uncertainty=CountedShare(9, 4100))
    told = [said for said in needed(clopper_pearson(failures, 4000, level=0.95), target) if "itself:" in said]
    assert [said.endswith(then) for said in told] == [True] * len(told)
    assert bool(told) == (then is not None)
    assert (stats.beta.ppf(0.95, failures + 1, 4000 - failures) <= 9 / 4100) == (failures == 3)


def test_a_target_that_is_met_needs_nothing():
    assert needed(clopper_pearson(0, 5000, level=0.95), sf.Target(at_most=0.001)) == ()


def test_a_violated_target_needs_a_better_component():
    estimate = clopper_pearson(60, 1000, level=0.95)
    target = sf.Target(at_most=0.04)
    assert estimate.meets(target).status == "violated"
    sentences = needed(estimate, target)
    assert sentences[0].startswith("What was observed, 0.06, is itself above 0.04")
    assert HOPELESS in sentences[0]
    assert not any("more tests without" in sentence for sentence in sentences)


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
    assert HOPELESS not in only
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
    assert sentences == ("The value is stated, not measured, so no test changes it.",)


@METHODS
def test_all_failures_have_an_answer(bound):
    sentences = needed(bound(7, 7, level=0.95), sf.Target(at_most=0.1, kinds=ANY_KIND))
    assert sentences


def test_advice_survives_storage():
    estimate = clopper_pearson(3, 100, level=0.95)
    target = sf.Target(at_most=0.05)
    assert needed(sf.Estimate.from_dict(estimate.to_dict()), target) == needed(estimate, target)
