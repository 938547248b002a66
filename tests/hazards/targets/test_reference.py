"""References: exact limits of their counts, pooling, and what is refused."""

import pytest
from scipy import stats

from surefoot.core import CountedRate, CountedShare, Estimate, InvalidInput
from surefoot.hazards import targets

DIVERS = targets.Reference(12, 40_000, per="hour", name="divers", source="dive logs")


def test_a_rate_has_the_exact_limits_of_a_poisson_mean():
    assert DIVERS.rate == 12 / 40_000
    assert DIVERS.uncertainty == CountedRate(12, 40_000.0)
    low, high = DIVERS.estimate().interval(0.95)
    assert low == pytest.approx(stats.chi2(24).ppf(0.025) / 2 / 40_000)
    assert high == pytest.approx(stats.chi2(26).ppf(0.975) / 2 / 40_000)


@pytest.mark.parametrize("per", ["demand", "mission"])
def test_a_share_has_the_exact_limits_of_a_binomial_proportion(per):
    reference = targets.Reference(3, 200, per=per)
    assert reference.uncertainty == CountedShare(3, 200)
    exact = stats.binomtest(3, 200).proportion_ci(0.9, method="exact")
    assert reference.estimate().interval(0.9) == pytest.approx((exact.low, exact.high))


def test_upper_bounds_stay_upper_bounds_below_the_middle():
    assert DIVERS.estimate().upper(0.3) > DIVERS.uncertainty.ppf(0.3)


def test_without_an_event_there_is_still_an_upper_bound():
    estimate = targets.Reference(0, 1000.0).estimate()
    assert estimate.upper(0.95) == pytest.approx(2.9957 / 1000, rel=1e-4)
    assert estimate.lower(0.95) == 0


def test_estimates_say_what_they_assume_and_come_back_from_plain_data():
    estimate = DIVERS.estimate()
    assert [a.id for a in estimate.assumptions] == ["reference-constant-rate"]
    assert [a.id for a in targets.Reference(1, 9, "demand").estimate().assumptions] == ["reference-independent-trials"]
    assert estimate.dist is None
    assert Estimate.from_dict(estimate.to_dict()) == estimate
    assert estimate.key != targets.Reference(13, 40_000, per="hour", name="divers", source="dive logs").estimate().key


def test_references_of_one_exposure_pool():
    both = DIVERS + targets.Reference(3, 10_000.0, name="robots", source="dive logs")
    assert (both.events, both.exposure, both.name, both.source) == (15, 50_000, "divers and robots", "dive logs")


def test_references_of_several_exposures_do_not_pool():
    with pytest.raises(InvalidInput, match="per hour and per km"):
        _ = DIVERS + targets.Reference(1, 5.0, per="km")
    with pytest.raises(TypeError):
        _ = DIVERS + 1


def test_words_tell_counts_exposure_and_source():
    assert str(DIVERS) == "divers: 12 events in 40,000 hours (dive logs)"
    assert str(targets.Reference(1, 1, "mission")) == "1 event in 1 mission"


@pytest.mark.parametrize(
    "make",
    [
        lambda: targets.Reference(-1, 10),
        lambda: targets.Reference(1.5, 10),
        lambda: targets.Reference(1, 0),
        lambda: targets.Reference(1, float("nan")),
        lambda: targets.Reference(3, 2, "demand"),
        lambda: targets.Reference(1, 2.5, "mission"),
        lambda: targets.Reference(1, 2, per=""),
        lambda: targets.Reference(1, 2, per=None),
        lambda: targets.Reference(1, 2, source=3),
    ],
)
def test_what_cannot_be_is_refused(make):
    with pytest.raises(InvalidInput):
        make()
