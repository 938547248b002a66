"""What is usual: detectors fitted to recorded features of training data (SYS Algorithm 1)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np

from surefoot.core import InvalidInput, digest
from surefoot.core.validate import FloatArray
from surefoot.monitors import KernelDensity, Mahalanobis
from surefoot.monitors.detectors.base import Detector
from surefoot.systems.graph.identity import version_of
from surefoot.systems.records import store
from surefoot.systems.records.columns import rows_of
from surefoot.systems.tables.measured import Score

FEATURES = "features:"
MOST_ROWS = 10_000
"""Rows of features that detectors are fitted to; of more, evenly spaced ones are taken."""


def usual_detectors() -> dict[str, Detector]:
    """The Mahalanobis distance and the kernel density of paper SYS (section 3.2), of all features as one class."""
    return {"Maha-d": Mahalanobis(kind="tied"), "KDE": KernelDensity()}


def require_usable(chosen: Mapping[str, Detector]) -> None:
    """Detectors that learn from features alone."""
    for name, detector in chosen.items():
        if detector.by_class:
            remedy = "Use one of all classes together, such as Mahalanobis(kind='tied')."
            raise InvalidInput("needs classes, which features of a system lack", where=name, remedy=remedy)
        if detector.takes != "features":
            raise InvalidInput(f"takes {detector.takes}, not features", where=name, remedy="Use one of features.")


def fitted_detectors(chosen: Mapping[str, Detector], parts: Sequence[store.Part]) -> tuple[dict[Score, Detector], str]:
    """Every detector fitted to every module that gives features, and a digest of both."""
    from threadpoolctl import threadpool_limits

    found: dict[Score, Detector] = {}
    for module in _modules(parts):
        rows = _features(module, parts)
        for name, detector in chosen.items():
            # As tasks of executors do, so that the last bits do not depend on the number of cores.
            with threadpool_limits(limits=1, user_api="blas"):
                found[Score(module, name)] = copy.deepcopy(detector).fit(rows)
    return found, digest([MOST_ROWS, [part.key for part in parts], {n: version_of(d) for n, d in chosen.items()}])


def _modules(parts: Sequence[store.Part]) -> list[str]:
    columns = dict.fromkeys(name for part in parts for name in store.names_in(part))
    return [name.removeprefix(FEATURES) for name in columns if name.startswith(FEATURES)]


def _features(module: str, parts: Sequence[store.Part]) -> FloatArray:
    """Rows of all parts, thinned part by part so that memory stays bounded."""
    every = max(1, -(-parts[-1].stop // MOST_ROWS))
    name = f"{FEATURES}{module}"
    blocks = [
        rows_of(store.read(part, [name])[name])[(-part.start) % every :: every]
        for part in parts
        if name in store.names_in(part)
    ]
    widths = sorted({block.shape[1] for block in blocks})
    if len(widths) > 1:
        found = f"widths {', '.join(map(str, widths))}"
        raise InvalidInput("features must have one width", where=f"module {module!r}", found=found)
    whole = np.concatenate(blocks)
    return whole[np.isfinite(whole).all(axis=1)]
