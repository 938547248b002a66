"""Metrics of trackers, by trackeval; an item is a sequence, in the form that ``surefoot.metrics.tracks`` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.extras import require
from surefoot.core.validate import FloatArray
from surefoot.metrics.boxes import paired_overlaps
from surefoot.metrics.tasks.base import Metric, check_items, metric, ratio
from surefoot.metrics.tracks import Indices, Tracks, as_tracks, frames_of

CLEAR_FIELDS = ("CLR_FN", "CLR_FP", "IDSW")
IDENTITY_FIELDS = ("IDTP", "IDFN", "IDFP")
ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""The least overlaps over which HOTA is a mean."""


@metric
def mota(*, iou: float = 0.5) -> Metric:
    """Multiple object tracking accuracy (SYS Eqn. (2); Bernardin and Stiefelhagen 2008); it has no lower limit.

    The error of a sequence is 1 - its MOTA; without true boxes, the number of its false alarms. Needs the extra
    ``tracking``, as do the others.
    """
    return Metric(
        name="mota",
        better="higher",
        statistics=partial(_statistics, rows=partial(_clear, iou=_limit(iou, "mota")), where="mota"),
        value=_mota,
        error=_mota_error,
        columns=("misses", "false alarms", "switches", "true boxes"),
        meaning=f"multiple object tracking accuracy at IoU {iou:g}",
        empty=(),
    )


@metric
def idf1(*, iou: float = 0.5) -> Metric:
    """F1 score of identities (Ristani et al. 2016). The error of a sequence is 1 - its IDF1; 0 without boxes."""
    return Metric(
        name="idf1",
        better="higher",
        statistics=partial(_statistics, rows=partial(_identity, iou=_limit(iou, "idf1")), where="idf1"),
        value=_idf1,
        error=partial(_missing, value=_idf1),
        columns=("found identities", "missed identities", "false identities"),
        meaning=f"F1 score of identities at IoU {iou:g}",
        empty=(),
    )


@metric
def hota() -> Metric:
    """Higher order tracking accuracy, mean over 19 least overlaps (Luiten et al. 2021). Error: as of ``idf1``."""
    return Metric(
        name="hota",
        better="higher",
        statistics=partial(_statistics, rows=_hota_counts, where="hota"),
        value=_hota,
        error=partial(_missing, value=_hota),
        columns=tuple(
            f"{name} at {alpha:g}"
            for name in ("hits", "misses", "false alarms", "hits x association")
            for alpha in ALPHAS
        ),
        meaning="higher order tracking accuracy",
        empty=(),
    )


def _limit(iou: float, where: str) -> float:
    if validate.probability(iou, where=where, name="iou") == 0:
        raise InvalidInput("iou must be above 0", where=where, remedy="Boxes that do not overlap are never a pair.")
    return iou


def _statistics(outputs: Any, truths: Any, *, rows: Callable[[Any], Callable[[Any], Any]], where: str) -> FloatArray:
    check_items(outputs, truths, where=where)
    row = rows(require("trackeval", extra="tracking", purpose=f"the metric {where!r}").metrics)
    pairs = enumerate(zip(outputs, truths, strict=True))
    return np.array([row(_sequence(output, truth, index, where)) for index, (output, truth) in pairs], dtype=float)


def _sequence(output: Any, truth: Any, index: int, where: str) -> dict[str, Any]:
    """A sequence in the form of trackeval."""
    found = as_tracks(output, where=where, name=f"output {index}")
    real = as_tracks(truth, where=where, name=f"truth {index}")
    frames = frames_of(real, found)
    rows, columns = frames.sizes
    overlap = np.concatenate([paired_overlaps(real.corners[i], found.corners[j]) for _, i, j in frames.pairs()])
    shapes = zip(_split(overlap, rows * columns), rows, columns, strict=True)
    return {
        "num_timesteps": len(rows),
        "similarity_scores": [part.reshape(height, width) for part, height, width in shapes],
        **_side("gt", real, rows),
        **_side("tracker", found, columns),
    }


def _side(name: str, tracks: Tracks, sizes: Indices) -> dict[str, Any]:
    return {
        f"num_{name}_dets": len(tracks.tracks),
        f"num_{name}_ids": tracks.count,
        f"{name}_ids": _split(tracks.tracks, sizes),
    }


def _split(values: NDArray[Any], sizes: Indices) -> list[NDArray[Any]]:
    """Parts of these sizes, one after the other."""
    return np.split(values, np.cumsum(sizes))[:-1]


def _clear(metrics: Any, *, iou: float) -> Callable[[Any], list[float]]:
    evaluator = metrics.CLEAR({"THRESHOLD": iou, "PRINT_CONFIG": False})
    return lambda data: [*_fields(evaluator.eval_sequence(data), CLEAR_FIELDS), data["num_gt_dets"]]


def _identity(metrics: Any, *, iou: float) -> Callable[[Any], list[float]]:
    evaluator = metrics.Identity({"THRESHOLD": iou, "PRINT_CONFIG": False})
    return lambda data: _fields(evaluator.eval_sequence(data), IDENTITY_FIELDS)


def _hota_counts(metrics: Any) -> Callable[[Any], FloatArray]:
    evaluator = metrics.HOTA()

    def row(data: Any) -> FloatArray:
        found = evaluator.eval_sequence(data)
        hits = found["HOTA_TP"]
        return np.concatenate([hits, found["HOTA_FN"], found["HOTA_FP"], hits * found["AssA"]])

    return row


def _fields(found: Mapping[str, float], names: tuple[str, ...]) -> list[float]:
    return [found[name] for name in names]


def _mota(sums: FloatArray) -> FloatArray:
    return 1 - ratio(sums[..., :3].sum(axis=-1), sums[..., 3])


def _mota_error(statistics: FloatArray) -> FloatArray:
    return statistics[..., :3].sum(axis=-1) / np.maximum(statistics[..., 3], 1.0)


def _idf1(sums: FloatArray) -> FloatArray:
    return ratio(2 * sums[..., 0], 2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def _hota(sums: FloatArray) -> FloatArray:
    hits, misses, false_alarms, associated = np.moveaxis(sums.reshape(*sums.shape[:-1], 4, len(ALPHAS)), -2, 0)
    detection = ratio(hits, hits + misses + false_alarms)
    return np.sqrt(detection * associated / np.maximum(hits, 1.0)).mean(axis=-1)


def _missing(statistics: FloatArray, *, value: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """1 - the value of each item; 0 where there is nothing to find and nothing was found."""
    return 1 - np.nan_to_num(value(statistics), nan=1.0)
