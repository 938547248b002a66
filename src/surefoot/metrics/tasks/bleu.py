"""BLEU of a set of texts, by sacrebleu's counts of n-grams."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.extras import require
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks.base import Metric, metric
from surefoot.metrics.tasks.words import check_texts

Smoothing = Literal["exp", "floor", "add-k", "none"]
ORDERS = 4
FLOOR, ADDED = 0.1, 1.0
COLUMNS = (
    "output length",
    "truth length",
    *(f"{n}-grams found" for n in range(1, ORDERS + 1)),
    *(f"{n}-grams" for n in range(1, ORDERS + 1)),
)


@metric
def bleu(*, lower_case: bool = False, smoothing: Smoothing = "exp") -> Metric:
    """BLEU in [0, 1] (Papineni et al. 2002): corpus BLEU / 100 as sacrebleu has it by default (Post 2018).

    Tokens are those of mteval-v13a; ``smoothing`` is one of Chen and Cherry (2014) with the constants of sacrebleu.
    The error of an item is 1 - its sentence BLEU, which leaves out orders longer than the output; two empty texts have
    none. Needs the extra ``text``.
    """
    validate.choice(smoothing, ("exp", "floor", "add-k", "none"), where="bleu", name="smoothing")
    return Metric(
        name="bleu",
        better="higher",
        statistics=partial(_statistics, lower_case=lower_case),
        value=partial(_bleu, smoothing=smoothing, effective=False),
        error=partial(_error, smoothing=smoothing),
        columns=COLUMNS,
        meaning=f"BLEU; case {'does not count' if lower_case else 'counts'}, smoothing {smoothing}",
        empty="",
    )


def _statistics(outputs: Any, truths: Any, *, lower_case: bool) -> FloatArray:
    check_texts(outputs, truths, where="bleu")
    metric = require("sacrebleu", extra="text", purpose="the metric 'bleu'").BLEU(
        lowercase=lower_case, effective_order=True, force=True
    )
    scores = [metric.sentence_score(output, [truth]) for output, truth in zip(outputs, truths, strict=True)]
    return np.array([[one.sys_len, one.ref_len, *one.counts, *one.totals] for one in scores], dtype=np.float64)


def _error(statistics: FloatArray, *, smoothing: Smoothing) -> FloatArray:
    score = _bleu(statistics, smoothing=smoothing, effective=True)
    return np.where(np.isnan(score), 0.0, np.clip(1 - score, 0.0, 1.0))


def _bleu(sums: FloatArray, *, smoothing: Smoothing, effective: bool) -> FloatArray:
    """Brevity penalty times the geometric mean of the precisions; NaN where both sides are empty."""
    length, wanted = sums[..., 0], sums[..., 1]
    correct, total = sums[..., 2 : 2 + ORDERS], sums[..., 2 + ORDERS :]
    logs, reached = _log_precisions(correct, total, smoothing)
    order = np.maximum(reached.sum(axis=-1), 1) if effective else ORDERS
    counted = np.where(reached, logs, 0.0 if effective else -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.where(length < wanted, 1 - wanted / length, 0.0)
    score = np.exp(brevity + counted.sum(axis=-1) / order)
    score = np.where(correct.any(axis=-1), score, 0.0)
    return np.where(length + wanted > 0, score, np.nan)


def _log_precisions(
    correct: FloatArray, total: FloatArray, smoothing: Smoothing
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Logarithms of the smoothed precisions, and which orders occur in the output at all."""
    if smoothing == "add-k":
        added = ADDED * (np.arange(ORDERS) > 0)
        correct, total = correct + added, total + added
    reached = np.logical_and.accumulate(total > 0, axis=-1)
    none_found = reached & (correct == 0)
    if smoothing == "exp":
        correct = np.where(none_found, 0.5 ** np.cumsum(none_found, axis=-1), correct)
    elif smoothing == "floor":
        correct = np.where(none_found, FLOOR, correct)
    with np.errstate(divide="ignore"):
        return np.log(np.divide(correct, total, out=np.zeros_like(total), where=reached)), reached
