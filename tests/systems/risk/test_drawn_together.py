"""Chained events are drawn from the same units, so that a gate over them is as uncertain as what was measured."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from surefoot.systems import conditional_probabilities, conditions, system_tree

CONDITIONS = conditions(["fog"], [3])
SHARES = dict(zip(CONDITIONS, (0.7, 0.3), strict=True))
JOINED = {"or": np.logical_or, "and": np.logical_and}


def world(seed: int, units: int = 400, each: int = 10):
    """Three events that units have in common; also the number of every item's unit."""
    rng = np.random.default_rng(seed)
    own = np.repeat(np.arange(units), each)
    common = 0.7 * rng.normal(size=units)[own]
    events = {
        name: {
            condition: common + 0.7 * rng.normal(size=own.size) < limit + worse
            for condition, worse in zip(CONDITIONS, (0, 0.6), strict=True)
        }
        for name, limit in {"a": -1.2, "b": -1.0, "c": -1.4}.items()
    }
    return events, own


def resampled(events, own, gate: str):
    """The share of items that the gate is about, over units drawn with replacement."""
    shares = sum(SHARES[c] * reduce(JOINED[gate], [each[c] for each in events.values()]) for c in CONDITIONS)
    sums = np.bincount(own, shares)
    drawn = np.random.default_rng(1).integers(sums.size, size=(2000, sums.size))
    return shares.mean(), sums[drawn].sum(axis=1) / own.size


@pytest.mark.parametrize("gate", ["or", "and"])
def test_a_gate_over_chained_events_spreads_as_resampled_units_do(gate: str) -> None:
    events, own = world(3)
    share, drawn = resampled(events, own, gate)
    tree = system_tree(events, SHARES, gate=gate, units=own, draws=2000)
    top = tree.analyse(draws=2000).top
    assert tree.probability() == pytest.approx(share)
    assert np.std(top.dist.draws) == pytest.approx(drawn.std(), rel=0.12)


def test_events_of_other_data_are_drawn_apart() -> None:
    one, other = (conditional_probabilities(*_first(world(seed)), draws=2000)["a"].dist.draws for seed in (3, 4))
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.1


def _first(made):
    events, _ = made
    return {"a": events["a"]}, SHARES
