"""What is not known where items are few or not independent is left out."""

import numpy as np
import pytest

from surefoot.systems import average_unless_rejected, rejections, risk_coverage


def rows_of(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_a_gain_has_an_interval_where_five_items_are_rejected(speech, scores) -> None:
    table = rejections(speech(100), **scores, rates=(0.04, 0.05), draws=400)
    for row in rows_of(table):
        if row["strategy"] not in ("random",):
            assert (row["low"] is None) == (row["rejected"] < 5)


@pytest.mark.parametrize(("units", "given"), [(4, False), (5, True)])
def test_a_gain_has_an_interval_where_there_are_five_units(speech, scores, units: int, given: bool) -> None:
    measured = speech(100, units=np.arange(100) % units)
    rows = rows_of(rejections(measured, **scores, rates=(0.2,), draws=400))
    assert {row["low"] is not None for row in rows if row["strategy"] != "random"} == {given}
    areas = rows_of(risk_coverage(measured, **scores).table)
    assert {row["low"] is not None for row in areas} == {given}


@pytest.mark.parametrize(("units", "given"), [(4, False), (5, True)])
def test_ways_have_intervals_where_there_are_five_units(units: int, given: bool) -> None:
    rng = np.random.default_rng(0)
    truth, noise = rng.normal(size=60), rng.normal(size=(2, 60))
    found = average_unless_rejected(truth + noise, np.abs(noise), truth, units=np.arange(60) % units)
    assert {row["low"] is not None for row in rows_of(found)} == {given}


def test_rows_that_are_not_independent_have_no_p_of_a_blind_choice(speech, scores) -> None:
    alone = rows_of(rejections(speech(100), **scores, rates=(0.1,), pooled=True, draws=400))
    known = {(row["corruption"], row["p random"] is not None) for row in alone if row["strategy"] != "random"}
    assert known == {("clean", True), ("fog", True), ("all conditions", False)}
    grouped = rejections(speech(100, units=np.arange(100) % 20), **scores, rates=(0.1,), draws=400)
    assert {row["p random"] for row in rows_of(grouped)} == {None}
