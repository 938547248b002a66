"""Bounds as families of limits."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.bounds import hoeffding
from surefoot.core import (
    KINDS,
    Beta,
    Bound,
    BoundFamily,
    Empirical,
    InvalidInput,
    LevelUnavailable,
    QuantileBound,
    TabulatedBound,
    certain,
)
from tests.core.strategies import families


@given(families)
@settings(deadline=None)
def test_json_round_trip_is_the_identity(family):
    assert BoundFamily.from_dict(json.loads(json.dumps(family.to_dict(), allow_nan=False))) == family


@given(families, st.floats(0.5, 0.999))
@settings(deadline=None)
def test_the_miss_probability_is_what_the_level_leaves_unless_certain(family, level):
    try:
        bound = family.at(level)
    except LevelUnavailable:
        return
    assert bound.alpha == (0 if family.kind == "certain" else pytest.approx(1 - level))
    assert bound.kind == family.kind


def test_a_quantile_family_answers_at_any_level():
    family = QuantileBound(Beta(1, 100), "upper", "confidence")
    assert family.at(0.95).limit == pytest.approx(1 - 0.05 ** (1 / 100))
    assert family.at(0.995).limit > family.at(0.95).limit
    assert family.at(0.95).alpha == pytest.approx(0.05)


def test_one_known_limit_answers_at_its_own_level_only():
    bound = Bound(0.1, "upper", 0.05, "confidence")
    assert bound.at(0.95).limit == 0.1
    with pytest.raises(LevelUnavailable, match=r"only the upper bound at level 0\.95 is known; found level 0\.99"):
        bound.at(0.99)


def test_what_is_certain_holds_at_every_level():
    assert certain(1.0, "upper").at(0.999999).limit == 1.0


def test_an_expectation_has_no_level():
    with pytest.raises(LevelUnavailable, match="holds on average"):
        Bound(0.1, "upper", 1.0, "expectation").at(0.95)


def test_a_table_rounds_to_the_stricter_level():
    table = TabulatedBound((0.9, 0.95, 0.99), (1.0, 2.0, 3.0), "upper", "confidence")
    assert [table.limit_at(level) for level in (0.5, 0.9, 0.92, 0.95, 0.96, 0.99)] == [1, 1, 2, 2, 3, 3]
    with pytest.raises(LevelUnavailable, match=r"up to level 0\.99"):
        table.limit_at(0.995)


def test_draws_refuse_a_level_they_do_not_resolve():
    family = QuantileBound(Empirical(tuple(range(1000))), "upper", "credible")
    assert family.limit_at(0.99) == 989
    with pytest.raises(LevelUnavailable, match="at least 10000 draws"):
        family.limit_at(0.999)


@pytest.mark.parametrize(("side", "limits"), [("upper", (1.0, 3.0, 3.0)), ("lower", (1.0, 1.0, 0.5))])
def test_limits_that_narrow_with_the_level_are_widened(side, limits):
    given = [1.0, 3.0, 2.0] if side == "upper" else [1.0, 2.0, 0.5]
    assert TabulatedBound.widened([0.5, 0.9, 0.95], given, side, "heuristic").limits == limits


def test_every_kind_is_explained():
    assert set(KINDS) == {"confidence", "credible", "certain", "expectation", "heuristic"}


def test_levels_outside_the_open_unit_interval_are_refused(subtests):
    for level in (0, 1, -0.1, 1.5, float("nan"), "high"):
        with subtests.test(level=level), pytest.raises(InvalidInput, match="level must"):
            QuantileBound(Beta(1, 1), "upper", "credible").at(level)


def test_bad_bounds_are_refused(subtests):
    for build, message in (
        (lambda: Bound(0.1, "uper", 0.05, "confidence"), "Did you mean 'upper'"),
        (lambda: Bound(0.1, "upper", 0.05, "credibel"), "Did you mean 'credible'"),
        (lambda: Bound(float("nan"), "upper", 0.05, "credible"), "limit must be free of NaN"),
        (lambda: Bound(0.1, "upper", 0.05, "certain"), "alpha 0"),
        (lambda: Bound(0.1, "upper", 1.05, "credible"), "alpha must lie"),
        (lambda: TabulatedBound((0.9, 0.95), (2.0, 1.0), "upper", "confidence"), "widen"),
        (lambda: TabulatedBound((0.95, 0.9), (1.0, 2.0), "upper", "confidence"), "increase"),
        (lambda: TabulatedBound((0.9,), (1.0, 2.0), "upper", "confidence"), "same length"),
        (lambda: BoundFamily.from_dict({"type": "magic"}), "unknown BoundFamily"),
    ):
        with subtests.test(line=build.__code__.co_firstlineno), pytest.raises(InvalidInput, match=message):
            build()


def test_a_recorded_family_is_read_before_anything_loaded_it():
    estimate = json.dumps(hoeffding([0.1, 0.2, 0.3], level=0.95).to_dict())
    code = "import json, sys, surefoot as sf; print(sf.Estimate.from_dict(json.load(sys.stdin)).upper(0.9))"
    fresh = subprocess.run([sys.executable, "-c", code], input=estimate, capture_output=True, text=True, check=True)
    assert float(fresh.stdout) == hoeffding([0.1, 0.2, 0.3], level=0.95).upper(0.9)
