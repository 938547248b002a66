"""GALE, SE and x times safer: the limit, its uncertainty, its source, and what is refused."""

import pytest

from surefoot.core import CountedRate, InvalidInput
from surefoot.hazards import targets

DIVERS = targets.Reference(12, 40_000, per="hour", name="divers", source="dive logs 2015-2020")
SCREENING = targets.Reference(30, 2000, per="demand", name="readers", source="trial")


def test_gale_allows_what_the_reference_does():
    target = targets.gale(DIVERS, level=0.9)
    assert (target.at_most, target.per, target.level) == (DIVERS.rate, "hour", 0.9)
    assert target.uncertainty == DIVERS.uncertainty
    assert target.source == (
        "GALE, globally at least equivalent (EN 50126-1 (1999), annex D): at most the reference, "
        "divers: 12 events in 40,000 hours (dive logs 2015-2020)"
    )


def test_a_factor_divides_the_limit_and_both_ends_of_its_uncertainty():
    target = targets.safer(DIVERS, 100)
    assert target.limit == pytest.approx(DIVERS.rate / 100)
    assert target.uncertainty == CountedRate(12, 40_000 / 0.01)
    assert "100 times safer" in target.source


def test_a_margin_multiplies_the_limit_and_the_source_says_it_needs_an_argument():
    target = targets.se(SCREENING, margin=1.25)
    assert target.limit == pytest.approx(1.25 * 0.015)
    for q in (0.025, 0.975):
        assert target.uncertainty.ppf(q) == pytest.approx(1.25 * SCREENING.uncertainty.ppf(q))
    assert "1.25 times the reference, a margin to be argued" in target.source
    assert "510(k)" in target.source
    assert targets.se(SCREENING).limit == SCREENING.rate


def test_a_margin_never_makes_a_share_exceed_one():
    assert targets.se(targets.Reference(9, 10, "demand"), margin=1.1).uncertainty.ppf(0.99) == 1.0


def test_the_target_can_be_stated_per_another_exposure():
    use = targets.Exposure(demands_per_hour=60, hours_per_mission=2)
    target = targets.safer(DIVERS, 10, per="demand", exposure=use)
    assert target.limit == pytest.approx(DIVERS.rate / 10 / 60)
    assert target.cautious_limit(0.025) == pytest.approx(DIVERS.uncertainty.ppf(0.025) / 600)
    assert "60 demands per hour" in target.source


def test_kinds_of_bounds_are_handed_on():
    assert targets.gale(DIVERS, kinds=("confidence",)).kinds == ("confidence",)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: targets.gale(targets.Reference(0, 100.0, name="trams")),
            "without a single event gives no limit.*more exposure",
        ),
        (lambda: targets.safer(targets.Reference(0, 100.0), 10), "without a single event"),
        (lambda: targets.safer(DIVERS, 0.5), "at least 1.*use se"),
        (lambda: targets.se(DIVERS, margin=0.5), "at least 1.*use safer"),
        (lambda: targets.se(DIVERS, margin=float("nan")), "margin"),
        (lambda: targets.se(targets.Reference(9, 10, "mission"), margin=2), "at most 1; found 1.8"),
        (lambda: targets.gale(0.01), "must be an object such as Reference"),
        (lambda: targets.gale(DIVERS, per="demand"), "State demands_per_hour"),
        (lambda: targets.gale(DIVERS, level=1.0), "level"),
    ],
)
def test_what_gives_no_target_says_why(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
