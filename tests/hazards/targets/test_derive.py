"""``derive``: every principle by its name, the steps as a table, and options that do not fit."""

import pytest

from surefoot.core import InvalidInput
from surefoot.hazards import targets

DIVERS = targets.Reference(12, 40_000, per="hour", name="divers", source="dive logs")
USE = targets.Exposure(hours_per_mission=2, hours_per_year=400)
CASES = {
    "gale": ({"reference": DIVERS}, lambda asked: targets.gale(DIVERS, **asked)),
    "se": ({"reference": DIVERS, "margin": 1.5}, lambda asked: targets.se(DIVERS, margin=1.5, **asked)),
    "safer": ({"reference": DIVERS, "factor": 10}, lambda asked: targets.safer(DIVERS, 10, **asked)),
    "mem": ({"harm": "light injury"}, lambda asked: targets.mem(harm="light injury", **asked)),
    "alarp": ({"group": "worker"}, lambda asked: targets.alarp(group="worker", **asked)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_principle_by_its_name_is_the_function_of_that_name(name):
    options, function = CASES[name]
    asked = {"level": 0.9, "per": "mission", "exposure": USE, "kinds": ("confidence",)}
    assert targets.derive(name, **options, **asked).target == function(asked)
    assert targets.derive(name, **options).target == function({})


def test_every_principle_is_tried():
    assert set(CASES) == set(targets.PRINCIPLES)


def test_the_table_leads_from_the_principle_to_the_cautious_limit():
    found = targets.derive("safer", reference=DIVERS, factor=10, per="mission", exposure=USE)
    rows = {row[0]: row[1:] for row in found.table().rows}
    assert list(rows) == ["principle", "reference", "its rate", "conversion", "limit", "cautious limit"]
    assert rows["reference"] == ("12 events in 40,000 hours", "divers: dive logs")
    assert rows["its rate"][0] == "0.0003 per hour, 0.000155 to 0.000525 at 95%"
    assert rows["limit"][0] == "at most 6×10⁻⁵ per mission"
    assert rows["cautious limit"][0] == "at most 3.1×10⁻⁵ per mission"
    assert found.reference == DIVERS
    assert "12 events" in str(found)


def test_a_limit_without_uncertainty_has_no_cautious_side():
    assert "cautious limit" not in [row[0] for row in targets.derive("mem").table().rows]


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("galle", {}, "Did you mean 'gale'"),
        ("gale", {}, "needs reference"),
        ("safer", {"reference": DIVERS}, "needs factor"),
        ("gale", {"reference": DIVERS, "factor": 2}, "'factor'.*gale takes reference"),
        ("mem", {"reference": DIVERS}, "'reference'"),
        ("alarp", {"colour": "red"}, "'colour'"),
        ("gale", {"reference": DIVERS, "asked": 3}, "'asked'"),
    ],
)
def test_options_that_do_not_fit_are_refused(name, options, words):
    with pytest.raises(InvalidInput, match=words):
        targets.derive(name, **options)
