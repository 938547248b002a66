"""Intervals of repairs from few units are too short, and say so."""

import numpy as np

from surefoot.metrics import tasks
from surefoot.systems import CLEAN, Measurements, MemoryColumns, advise, improvement


def measured(seed: int, units: int) -> Measurements:
    errors = np.random.default_rng(seed).exponential(size=60)
    rows = np.column_stack([errors, np.ones(60)])
    return Measurements("made", tasks.mae(), (CLEAN,), {}, MemoryColumns({CLEAN: rows}, {}), np.arange(60) % units)


def test_what_is_said_depends_on_the_number_of_units() -> None:
    for units, said in ((4, True), (30, False)):
        one, other = measured(0, units), measured(1, units)
        for found in (improvement(one, other, draws=200), advise({"a": one, "b": other}, limit=1.0, draws=200)):
            assert (f"With {units} units these intervals are too short" in str(found)) == said
