"""Dates of spreadsheets, which are counts of days, as text."""

from __future__ import annotations

from datetime import datetime, timedelta

_EPOCH_1900, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_FIRST_OF_MARCH = 61


def date_text(days: float, *, epoch_1904: bool) -> str:
    """A date, time or both, as in ISO 8601.

    Spreadsheets take 1900 for a leap year (ISO/IEC 29500-1, 18.17.4.1), so that earlier days count one less.

    >>> date_text(45321, epoch_1904=False), date_text(0.5, epoch_1904=False), date_text(1, epoch_1904=False)
    ('2024-01-30', '12:00:00', '1900-01-01')
    """
    early = not epoch_1904 and 1 <= days < _FIRST_OF_MARCH - 1
    moment = (_EPOCH_1904 if epoch_1904 else _EPOCH_1900) + timedelta(days=days + early)
    moment = (moment + timedelta(microseconds=500_000)).replace(microsecond=0)
    if 0 <= days < 1:
        return moment.time().isoformat()
    return moment.date().isoformat() if days == int(days) else moment.isoformat(sep=" ")
