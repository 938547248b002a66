"""Systems with known columns, for tests of tables."""

import numpy as np
import pytest

from surefoot.metrics import tasks
from surefoot.systems import Measurements, MemoryColumns, Score, conditions


@pytest.fixture
def measured_of():
    """A ``Measurements`` from the errors and scores of each condition: clean first, then snow 1, 3, 5."""

    def build(errors=None, scores=None, *, units=None, family="strangeness", metric=None, statistics=None, faults=None):
        levels = len(statistics or errors or next(iter(scores.values())))
        states = conditions(["snow"], (1, 3, 5)[: levels - 1])
        if statistics is None:
            some = errors or [np.zeros(len(column)) for column in next(iter(scores.values()))]
            statistics = [np.column_stack([e, np.where(np.isnan(e), np.nan, 1.0)]) for e in some]
        named = {Score(*key.split()): columns for key, columns in (scores or {}).items()}
        kept = MemoryColumns(
            dict(zip(states, statistics, strict=True)),
            {score: dict(zip(states, columns, strict=True)) for score, columns in named.items()},
            dict(zip(states, faults, strict=True)) if faults else {},
        )
        return Measurements("toy", metric or tasks.mae(), states, dict.fromkeys(named, family), kept, units)

    return build


@pytest.fixture
def two_modules(measured_of):
    """A system of two modules with two scores each, related to the error."""

    def build(n=200, *, units=None, seed=0, family="strangeness"):
        rng = np.random.default_rng(seed)
        hard = rng.normal(size=n)
        errors = [np.abs(hard + rng.normal(size=n)) * (1 + level) for level in range(4)]
        scores = {
            f"{module} {name}": [place * hard + rng.normal(size=n) + 0.3 * place * level for level in range(4)]
            for place, (module, name) in enumerate(
                [("encoder", "kde"), ("encoder", "maha"), ("decoder", "kde"), ("decoder", "maha")]
            )
        }
        return measured_of(errors, scores, units=units, family=family)

    return build
