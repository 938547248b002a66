"""Metrics of the task of a whole system: how well its answers agree with the truth (paper SYS, section 3.1).

Root mean square and mean absolute error (``numbers``), word and character error rate (``words``, by jiwer), BLEU
(``bleu``, by sacrebleu), success rate and accuracy (``success``), MOTA, IDF1 and HOTA (``tracking``, by trackeval).
Each is a ``Metric`` (``base``): statistics of each item whose sums give the metric of any set of items, so that a
bootstrap is one matrix product. ``catalogue`` has their names, ``performance`` the value and its relative drop. May
import ``core`` and the rest of ``metrics``; the libraries where they are used.
"""

from surefoot.metrics.tasks.base import NO_ANSWER, Metric, mean_of
from surefoot.metrics.tasks.bleu import bleu
from surefoot.metrics.tasks.catalogue import as_metric, metric_named
from surefoot.metrics.tasks.numbers import mae, rmse
from surefoot.metrics.tasks.performance import change, changes, of
from surefoot.metrics.tasks.success import accuracy, success_rate
from surefoot.metrics.tasks.tracking import hota, idf1, mota
from surefoot.metrics.tasks.words import cer, wer

__all__ = [
    "NO_ANSWER",
    "Metric",
    "accuracy",
    "as_metric",
    "bleu",
    "cer",
    "change",
    "changes",
    "hota",
    "idf1",
    "mae",
    "mean_of",
    "metric_named",
    "mota",
    "of",
    "rmse",
    "success_rate",
    "wer",
]
