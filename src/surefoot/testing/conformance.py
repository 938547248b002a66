"""``check_corruption``, ``check_metric``, ``check_cell_estimator``: what everything of a kind is relied on for."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.corruptions import corrupt, domain_of
from surefoot.executors import Serial
from surefoot.metrics import Metric, as_metric
from surefoot.reliability import LocalEstimator, LocalProblem, LocalRisk
from surefoot.reliability.local import SAMPLED
from surefoot.testing.detectors import ConformanceError

SENTENCE = "Turn left after 250 metres; the brown fox jumps over 3 lazy dogs and runs 12.5 km home."
FALSE_ALARM = 1e-6
NEGLIGIBLE = 1e-9


def check_corruption(name: str, items: Any = None, *, seed: int = 0, **options: Any) -> None:
    """Raise ``ConformanceError`` unless a registered corruption does what others rely on.

    It keeps number, type and shape of items (not the length of sounds) at all five severities; gives the same again
    for the same seed; treats an item of many as it does the item alone; and changes something at severity 5. ``items``
    are several images, sounds or texts, or some that are made up.
    """
    domain = domain_of(name)
    given = _items(domain, seed) if items is None else items
    before = _copied(given)
    for severity in range(1, 6):
        found = corrupt(given, name, severity, seed=seed, **options)
        _require(_alike(given, before), name, f"changes what it is given, at severity {severity}")
        _require(_kind(found, domain) == _kind(given, domain), name, f"gives other shapes or types, at {severity}")
        again = corrupt(given, name, severity, seed=seed, **options)
        _require(_alike(found, again), name, f"gives something else when it is asked again, at severity {severity}")
        for number, item in enumerate(given):
            alone = corrupt(item, name, severity, seed=seed, first=number, **options)
            _require(_alike(found[number], alone), name, f"treats item {number} of many otherwise than alone")
    _require(not _alike(found, given), name, "changes nothing at severity 5")


def check_metric(metric: str | Metric, outputs: Sequence[Any], truths: Sequence[Any]) -> None:
    """Raise ``ConformanceError`` unless a metric does what others rely on, on these items.

    There is a row of finite statistics an item, which do not depend on other items; errors are finite and not
    negative; an item is never better than its truth; and it can be sent to other processes.
    """
    chosen = as_metric(metric)
    rows = chosen.statistics(outputs, truths)
    _require(rows.shape == (len(outputs), len(chosen.columns)), chosen.name, f"statistics have the shape {rows.shape}")
    _require(bool(np.isfinite(rows).all()), chosen.name, "statistics are not finite")
    single = [chosen.statistics(outputs[i : i + 1], truths[i : i + 1]) for i in range(len(outputs))]
    _require(np.allclose(np.concatenate(single), rows), chosen.name, "statistics of an item depend on other items")
    errors = chosen.error(rows)
    _require(bool(np.isfinite(errors).all() and (errors >= 0).all()), chosen.name, "errors of items are not at least 0")
    value, best = (float(chosen.value(chosen.statistics(each, truths).sum(axis=0))) for each in (outputs, truths))
    better = value - best if chosen.better == "higher" else best - value
    _require(better <= NEGLIGIBLE, chosen.name, f"has {value:g} for the outputs and {best:g} for the truth itself")
    sent = pickle.loads(pickle.dumps(chosen))
    _require(np.array_equal(sent.statistics(outputs, truths), rows), chosen.name, "changes on the way to a process")


def check_cell_estimator(estimator: LocalEstimator, *, seed: int = 0) -> None:
    """Raise ``ConformanceError`` unless an estimator finds known shares of answers in boxes, for any model.

    A model of two classes decides along a line, so that the shares are known in each of 400 boxes. Sampled shares are
    no further from them than their trials explain (with probability 1 - 1e-6), others are exact. Shares sum to 1, known
    labels stay, unknown ones become the answer where there is one only, and the same seed gives the same again.
    """
    boxes = _Squares(20)
    labels = np.where(np.arange(len(boxes)) % 3 == 0, -1, 0)
    weights = np.full(len(boxes), 1 / len(boxes))
    undesired = ~np.eye(2, dtype=bool)
    problem = LocalProblem(_decide, _decide, 2, boxes, labels, undesired, weights)
    found, again = (estimator.estimate(problem, executor=Serial(), seed=seed) for _ in range(2))
    name = type(estimator).__name__
    _require(found.shares.shape == (len(boxes), 2), name, f"gives shares of the shape {found.shares.shape}")
    _require(np.array_equal(found.shares, again.shares), name, "gives something else for the same seed")
    _require(np.allclose(found.shares.sum(axis=1), 1), name, "gives shares that do not sum to 1")
    known, truth = labels >= 0, boxes.shares()
    _require(np.array_equal(found.labels[known], labels[known]), name, "changes labels that are known")
    clear = ~known & np.isin(truth, (0, 1))
    _require(np.array_equal(found.labels[clear], truth[clear]), name, "does not take the only answer for the label")
    reach = _reach(truth, found)
    off = np.abs(found.shares[:, 1] - truth) - reach
    worst = int(off.argmax())
    text = f"finds {found.shares[worst, 1]:g} where the share is {truth[worst]:g}, with {found.trials[worst]:,} trials"
    _require(off[worst] <= NEGLIGIBLE, name, text)


def _require(holds: bool, name: str, problem: str) -> None:
    if not holds:
        raise ConformanceError(problem, where=name)


def _items(domain: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if domain == "image":
        ramp = np.linspace(0.2, 0.8, 32)[:, None, None]
        return np.clip(ramp + 0.1 * rng.standard_normal((3, 32, 32, 3)), 0, 1)
    if domain == "audio":
        time = np.arange(16_000) / 16_000
        return 0.4 * np.sin(2 * np.pi * np.array([[220], [440], [880]]) * time) + 0.01 * rng.standard_normal(
            (3, 16_000)
        )
    return [" ".join(rng.permutation(SENTENCE.split())) for _ in range(3)]


def _copied(items: Any) -> Any:
    return items.copy() if isinstance(items, np.ndarray) else list(items)


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return np.shape(a) == np.shape(b) and np.allclose(a, b, atol=1e-6)
    return bool(a == b) if isinstance(a, str) else len(a) == len(b) and all(map(_alike, a, b))


def _kind(items: Any, domain: str) -> Any:
    """What must stay: the number of items, and the type and shape of each; sounds may become longer or shorter."""
    if domain == "text":
        return [type(each) for each in items]
    return [(each.dtype, each.ndim if domain == "audio" else each.shape) for each in items]


@dataclass(frozen=True)
class _Squares:
    """The unit square in equal squares; the model answers 1 where the sum of both features is above 1."""

    side: int
    dimensions: int = 2

    def __len__(self) -> int:
        return self.side**2

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        places = np.arange(len(self))[chosen]
        low = np.column_stack(np.divmod(places, self.side)) / self.side
        return low, low + 1 / self.side

    def shares(self) -> FloatArray:
        """The exact share of the answer 1: all, none, or half along the line."""
        row, column = np.divmod(np.arange(len(self)), self.side)
        return np.clip((row + column + 1 - self.side) / 2 + 0.5, 0, 1)


def _decide(inputs: FloatArray) -> NDArray[np.int64]:
    return (inputs.sum(axis=1) > 1).astype(np.int64)


def _reach(truth: FloatArray, found: LocalRisk) -> FloatArray:
    """How far shares may lie from the truth: by Hoeffding's inequality over all boxes, and not at all where exact."""
    sampled = (found.how == SAMPLED) & (found.trials > 0)
    miss = np.log(2 * len(truth) / FALSE_ALARM)
    return np.where(sampled & (truth > 0) & (truth < 1), np.sqrt(miss / (2 * np.maximum(found.trials, 1))), 0.0)
