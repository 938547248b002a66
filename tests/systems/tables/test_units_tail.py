"""P-values between units where nothing is associated, in the tail that small levels of significance look at."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.systems.tables.correlations import (
    fisher_interval,
    kendall_influence,
    p_between_units,
    spearman_influence,
    standard_error,
)

UNITS = 10
OWN = np.repeat(np.arange(UNITS), 4)


def column(rng: np.random.Generator):
    return 1.5 * rng.normal(size=UNITS)[OWN] + rng.normal(size=OWN.size)


@pytest.mark.parametrize("influence", [kendall_influence, spearman_influence])
def test_small_p_values_are_as_rare_as_they_say_with_few_units(influence) -> None:
    rng, found = np.random.default_rng(0), []
    for _ in range(1500):
        value, added = influence(column(rng), column(rng))
        found.append(p_between_units(value, standard_error(added, OWN), UNITS))
    assert np.mean(np.array(found) <= 0.01) < 0.018
    assert 0.03 < np.mean(np.array(found) <= 0.05) < 0.07


def test_p_and_interval_between_units_agree() -> None:
    for value in (-0.9, -0.2, 0.4, 0.8):
        for error in (0.05, 0.15, 0.3):
            low, high = fisher_interval(value, error, 9, 0.95)
            assert (p_between_units(value, error, 9) <= 0.05) == (low > 0 or high < 0)
