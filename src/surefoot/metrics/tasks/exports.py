"""The metrics that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.metrics.tasks.bleu import bleu
    from surefoot.metrics.tasks.numbers import mae, rmse
    from surefoot.metrics.tasks.success import accuracy, success_rate
    from surefoot.metrics.tasks.tracking import hota, idf1, mota
    from surefoot.metrics.tasks.words import cer, wer

__all__ = ["accuracy", "bleu", "cer", "hota", "idf1", "mae", "mota", "rmse", "success_rate", "wer"]
