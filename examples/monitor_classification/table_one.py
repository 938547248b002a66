"""Table I of MON: what the two monitors of the paper are worth in both evaluation schemes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import photographs
import tasks
import views
from numpy.typing import NDArray

from surefoot import SurefootError, monitors
from surefoot.monitors import MonitorReport, returns

CONTAMINATION = 0.3
TREES = 100
VIEWS = {"auto-encoder": views.ENCODER, "classifier": views.THIRD}
SCHEMES = ("E1", "E2")


class Figures(NamedTuple):
    """Safety gain, residual hazard and availability cost."""

    gain: float
    residual: float
    cost: float


PRINTED: Mapping[tuple[str, str], Figures] = {
    ("auto-encoder", "E1"): Figures(0.184, 0.140, 0.304),
    ("auto-encoder", "E2"): Figures(0.344, 0.156, 0.144),
    ("classifier", "E1"): Figures(0.074, 0.251, 0.154),
    ("classifier", "E2"): Figures(0.086, 0.414, 0.142),
}
"""Table I as printed."""
PRINTED_ERROR = 0.3245
"""What E1 sums to: 0.324 and 0.325."""


@dataclass(frozen=True)
class Worth:
    """What the monitors are worth on a task: a report for each monitor and scheme."""

    task: str
    error: float
    """Share of all images, threats too, that the classifier gets wrong."""
    reports: Mapping[tuple[str, str], MonitorReport]


def forest(**more: Any) -> monitors.IsolationForest:
    """An isolation forest for each class."""
    return monitors.IsolationForest(trees=TREES, **more)


class Forests:
    """Isolation forests on the features of each network that reject 30% of what they were fitted to."""

    def __init__(self, train: views.Seen, labels: photographs.Labels, *, seed: int = 0) -> None:
        self.detectors = {
            name: forest(contamination=CONTAMINATION, seed=seed).fit(train.features[view], labels)
            for name, view in VIEWS.items()
        }

    def alarms(self, rows: views.Seen) -> dict[str, NDArray[np.bool_]]:
        """Which images each monitor rejects."""
        return {
            name: detector.decision_function(rows.features[VIEWS[name]], rows.predictions) > 0
            for name, detector in self.detectors.items()
        }


def worth(task: tasks.Task, rows: views.Seen, alarms: Mapping[str, NDArray[np.bool_]], *, level: float = 0.95) -> Worth:
    """Both schemes for every monitor; the invariants are checked to the last image."""
    stakes = {
        "E1": returns.errors(rows.predictions, task.labels, **task.rows),
        "E2": returns.threats(task.is_threat, **task.rows),
    }
    wrong = rows.predictions != task.labels
    bad = {"E1": int(wrong.sum()), "E2": int(task.is_threat.sum())}
    if 2 * bad["E2"] != len(wrong):
        raise SurefootError("halves must be equal", where=task.name, found=f"{bad['E2']} of {len(wrong)} are threats")
    reports = {}
    for name, said in alarms.items():
        for scheme, at_stake in stakes.items():
            under = at_stake.under(said)
            _require_sum(under.gains.sum() + under.residuals.sum(), bad[scheme], f"{task.name}, {name}, {scheme}")
            reports[name, scheme] = monitors.evaluate(under, level=level, scope=f"{name}, {task.name}")
    return Worth(task.name, float(wrong.mean()), reports)


def _require_sum(found: float, bad: int, where: str) -> None:
    """Images caught and images missed are all bad ones: sums of 0 and 1 are exact."""
    if found != bad:
        raise SurefootError(
            "gain and residual hazard must sum to the bad images", where=where, found=f"{found} of {bad}"
        )
