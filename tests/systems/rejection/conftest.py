"""Systems whose errors and scores are made, so that what is right is known."""

import numpy as np
import pytest

from surefoot.metrics import metric_named
from surefoot.systems import Measurements, MemoryColumns, Score, conditions

UNCERTAINTY, STRANGENESS = Score("decoder", "VRO"), Score("decoder", "KDE")


def measured_of(statistics, uncertainty, strangeness, *, metric="wer", units=None, further=None, system="made"):
    """What was measured, from lists by condition; ``further`` are other scores by name."""
    levels = [1, 3, 5][: len(statistics) - 1]
    found = conditions(["fog"] if levels else [], levels or [1])
    columns = {UNCERTAINTY: uncertainty, STRANGENESS: strangeness}
    columns |= {Score("encoder", name): values for name, values in (further or {}).items()}
    families = {score: "uncertainty" if score == UNCERTAINTY else "strangeness" for score in columns}
    kept = MemoryColumns(
        dict(zip(found, map(np.asarray, statistics), strict=True)),
        {score: dict(zip(found, map(np.asarray, values), strict=True)) for score, values in columns.items()},
    )
    return Measurements(system, metric_named(metric), found, families, kept, units)


def words_wrong(wrong, words):
    """Statistics of the word error rate: substitutions, deletions, insertions, words of the truth."""
    wrong = np.asarray(wrong, dtype=float)
    return np.column_stack([wrong, np.zeros((len(wrong), 2)), np.broadcast_to(words, len(wrong))]).astype(float)


def speech(items, *, seed=0, severities=3, noise=1.0, units=None):
    """A recogniser that errs on hard items; two scores see hardness, each with noise of its own, a third nothing."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=items)
    statistics, uncertainty, strangeness, idle = [], [], [], []
    for level in range(severities):
        hard = base + 0.5 * level + 0.5 * rng.normal(size=items)
        words = rng.integers(4, 12, items)
        statistics.append(words_wrong(rng.binomial(words, 1 / (1 + np.exp(2.5 - 1.5 * hard))), words))
        uncertainty.append(np.exp(hard + noise * rng.normal(size=items)))
        strangeness.append(hard + noise * rng.normal(size=items))
        idle.append(rng.normal(size=items))
    return measured_of(statistics, uncertainty, strangeness, further={"idle": idle}, units=units)


@pytest.fixture(name="speech")
def _speech():
    return speech


@pytest.fixture(name="measured_of")
def _measured_of():
    return measured_of


@pytest.fixture(name="words_wrong")
def _words_wrong():
    return words_wrong


@pytest.fixture(name="scores")
def _scores():
    return {"uncertainty": UNCERTAINTY, "strangeness": STRANGENESS}
