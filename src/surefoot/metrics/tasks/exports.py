"""The metrics that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.metrics.tasks.metric import accuracy, mae, rmse, success_rate
    from surefoot.metrics.tasks.text import bleu, cer, hota, idf1, mota, wer

__all__ = ["accuracy", "bleu", "cer", "hota", "idf1", "mae", "mota", "rmse", "success_rate", "wer"]
