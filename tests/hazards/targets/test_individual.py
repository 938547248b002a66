"""MEM and ALARP against the figures of their sources, and the bands of tolerability."""

import pytest

from surefoot.core import Assumption, Check, Estimate, InvalidInput
from surefoot.hazards import targets

YEARLY = targets.Exposure(hours_per_year=1000)


@pytest.mark.parametrize(("harm", "limit"), [("fatality", 1e-5), ("severe injury", 1e-4), ("light injury", 1e-3)])
def test_mem_has_the_limits_of_en_50126_annex_d(harm, limit):
    target = targets.mem(harm=harm)
    assert target.limit == pytest.approx(limit)
    assert target.per == "year"
    assert harm in target.source
    assert "EN 50126-1" in target.source


def test_mem_follows_mortality_share_and_the_harm_of_an_event():
    assert targets.mem(mortality=1e-3, share=0.1).limit == pytest.approx(1e-4)
    target = targets.mem(harm_probability=0.05)
    assert target.limit == pytest.approx(1e-5 / 0.05)
    assert "probability 0.05" in target.source


def test_mem_per_hour_of_exposure():
    assert targets.mem(per="hour", exposure=targets.Exposure(hours_per_year=8760)).limit == pytest.approx(1e-5 / 8760)


@pytest.mark.parametrize(("group", "limit"), [("worker", 1e-3), ("public", 1e-4)])
def test_alarp_has_the_limits_of_hse_2001(group, limit):
    target = targets.alarp(group=group)
    assert (target.limit, target.per, target.uncertainty) == (limit, "year", None)
    assert "Reducing Risks, Protecting People (2001)" in target.source


@pytest.mark.parametrize(
    "make",
    [
        lambda: targets.mem(harm="death"),
        lambda: targets.mem(share=0.0),
        lambda: targets.mem(share=1.5),
        lambda: targets.mem(mortality=-1.0),
        lambda: targets.mem(harm_probability=0.0),
        lambda: targets.alarp(group="visitor"),
        lambda: targets.alarp(per="hour"),
    ],
)
def test_what_gives_no_limit_is_refused(make):
    with pytest.raises(InvalidInput):
        make()


@pytest.mark.parametrize(
    ("risk", "band"),
    [(2e-3, "intolerable"), (1e-4, "tolerable if ALARP"), (2e-6, "tolerable if ALARP"), (1e-6, "broadly acceptable")],
)
def test_known_risks_lie_in_their_band(risk, band):
    assert targets.Bands.of("public").band(Estimate.known("risk", risk, unit="per year", source="s")) == band


@pytest.mark.parametrize(
    ("events", "hours", "band"),
    [
        (30, 1e8, "intolerable"),
        (8, 1e8, "not shown"),
        (0, 1e8, "tolerable if ALARP"),
        (0, 1e9, "tolerable if ALARP"),
        (0, 4e9, "broadly acceptable"),
    ],
)
def test_bands_of_measured_risks_respect_their_bounds(events, hours, band):
    risk = YEARLY.estimate(targets.Reference(events, hours).estimate(), "year")
    assert targets.Bands.of("public").band(risk) == band


def test_nothing_is_shown_where_an_assumption_is_contradicted():
    broken = Assumption("x", "It holds.", Check("contradicted", "looked at"))
    risk = Estimate(
        "risk", 1e-9, "per year", bounds=targets.Reference(0, 1e12).estimate().bounds, assumptions=(broken,)
    )
    assert targets.Bands.of("worker").band(risk) == "not shown"


def test_bands_need_their_order_and_the_right_exposure():
    with pytest.raises(InvalidInput, match="must lie below"):
        targets.Bands(1e-6, 1e-3)
    with pytest.raises(InvalidInput, match="per hour"):
        targets.Bands.of("public").band(targets.Reference(1, 10).estimate())
