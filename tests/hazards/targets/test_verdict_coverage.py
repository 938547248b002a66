"""How often the verdict on an estimate and an uncertain target is wrong, by enumeration of all counts."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from surefoot import hazards
from surefoot.bounds import clopper_pearson

LEVEL, HOURS, TRIALS = 0.9, 200.0, 500
RARE = 1e-4
USE = hazards.targets.Exposure(demands_per_hour=2)


def likely(distribution):
    """Counts that are not too rare, with their probabilities."""
    counts = np.arange(int(distribution.ppf(RARE)), int(distribution.isf(RARE)) + 1)
    return list(zip(counts.tolist(), distribution.pmf(counts).tolist(), strict=True))


def chances(system, events, estimate_of, target_of):
    """Probability of each verdict; what is too rare to be looked at counts as every verdict."""
    targets = {seen: target_of(hazards.targets.Reference(seen, HOURS)) for seen, _ in likely(events) if seen}
    estimates = {k: estimate_of(k) for k, _ in likely(system)}
    total = dict.fromkeys(("met", "violated"), 4 * RARE)
    for (k, a), (seen, b) in product(likely(system), likely(events)):
        status = estimates[k].meets(targets[seen]).status if seen else "not shown"
        if status in total:
            total[status] += a * b
    return total


def screened(failures):
    return clopper_pearson(failures, TRIALS, level=LEVEL)


def against(reference_rate, factor, truth):
    """A system tested on demands against a reference that was counted in hours."""
    allowed = lambda reference: hazards.targets.safer(reference, factor, level=LEVEL, per="demand", exposure=USE)  # noqa: E731
    return chances(stats.binom(TRIALS, truth), stats.poisson(reference_rate * HOURS), screened, allowed)


@pytest.mark.parametrize("reference_rate", [0.04, 0.2])
@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_neither_verdict_is_wrong_more_often_than_the_level_allows(reference_rate, factor):
    limit = reference_rate / factor / 2
    found = against(reference_rate, factor, limit)  # at the limit itself both verdicts would be a mistake or nearly one
    assert 0 < found["met"] <= 1 - LEVEL
    assert 0 < found["violated"] <= 1 - LEVEL


@pytest.mark.parametrize("expected", [0.02, 0.05, 0.1, 1.0, 7.0])
def test_nor_is_it_where_the_reference_saw_few_events_and_the_system_is_well_known(expected):
    hours, rate = 1e5, expected / HOURS
    known = lambda k: hazards.targets.Reference(k, hours).estimate()  # noqa: E731
    events = stats.poisson(expected)
    system = stats.poisson(rate * hours)
    found = chances(system, events, known, lambda reference: hazards.targets.gale(reference, level=LEVEL))
    assert found["met"] <= (1 - LEVEL) / 2 + 8 * RARE
    assert found["violated"] <= 1 - LEVEL


def test_a_target_that_ignores_the_uncertainty_of_its_reference_is_met_wrongly():
    """The check above can fail: taking the reference's rate for the truth is wrong up to half of the time."""
    bare = lambda reference: replace(hazards.targets.gale(reference, level=LEVEL), uncertainty=None)  # noqa: E731
    known = lambda k: hazards.targets.Reference(k, 1e5).estimate()  # noqa: E731
    found = chances(stats.poisson(7.0 / HOURS * 1e5), stats.poisson(7.0), known, bare)
    assert found["met"] > 0.25


def test_clear_cases_are_decided():
    assert against(0.2, 1.0, 0.02)["met"] > 0.9
    assert against(0.04, 1.0, 0.1)["violated"] > 0.9


def test_converting_the_estimate_instead_of_the_target_gives_the_same_verdict():
    for events, failures in product((1, 10, 40), (0, 3, 60)):
        per_hour, estimate = (
            hazards.targets.gale(hazards.targets.Reference(events, HOURS), level=LEVEL),
            screened(failures),
        )
        there = USE.estimate(estimate, "hour").meets(per_hour).status
        assert there == estimate.meets(USE.target(per_hour, "demand")).status
