"""Metrics of the task of a whole system: how well its answers agree with the truth (paper SYS, section 3.1).

Root mean square and mean absolute error (``numbers``), word and character error rate (``words``, by jiwer), BLEU
(``bleu``, by sacrebleu), success rate and accuracy (``success``), MOTA, IDF1 and HOTA (``tracking``, by trackeval).
Each is a ``Metric`` (``base``): statistics of each item whose sums give the metric of any set of items, so that a
bootstrap is one matrix product. ``catalogue`` has their names, ``performance`` the value and its relative drop. May
import ``core`` and the rest of ``metrics``; the libraries where they are used.
"""

from typing import TYPE_CHECKING

from surefoot.metrics.tasks.metric import (
    NO_ANSWER,
    Metric,
    as_metric,
    change,
    changes,
    mean_of,
    metric,
    metric_named,
    of,
)

__all__ = [
    "NO_ANSWER",
    "Metric",
    "as_metric",
    "change",
    "changes",
    "mean_of",
    "metric",
    "metric_named",
    "of",
]
# What is registered; written by `make generated`.
if TYPE_CHECKING:
    from surefoot.metrics.tasks.metric import accuracy, mae, rmse, success_rate
    from surefoot.metrics.tasks.text import bleu, cer, hota, idf1, mota, wer
__all__ += ["accuracy", "bleu", "cer", "hota", "idf1", "mae", "mota", "rmse", "success_rate", "wer"]
# End of what `make generated` writes.
metric.show(__name__)
