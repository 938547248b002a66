"""``rejections``: what each strategy gains by rejecting a share of the answers (SYS, Tables 26 and 27)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from surefoot.core import Table, validate
from surefoot.core.validate import FloatArray
from surefoot.systems.rejection.contest import LARGEST_ERRORS, RANDOM, Contest, count_of
from surefoot.systems.rejection.intervals import FEW, NONE, check_draws, improvements, percentiles, plain
from surefoot.systems.rejection.rows import Rows, Suspicion, answered, named, separate
from surefoot.systems.tables.measured import Measured, Row, Score

WHERE = "rejections"
RATES = (0.01, 0.03, 0.05)
COLUMNS = (
    "corruption",
    "severity",
    "strategy",
    "rate",
    "items",
    "left out",
    "rejected",
    "without",
    "with",
    "improvement",
    "low",
    "high",
    "of largest errors",
    "p random",
)


def rejections(
    measured: Measured,
    *,
    uncertainty: Score,
    strangeness: Score,
    rates: Sequence[float] = RATES,
    others: Mapping[str, Suspicion] | None = None,
    pooled: bool = False,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Table:
    """The metric without and with rejection, for every condition, strategy and rate.

    ``improvement`` is 1 - accepted / all, or accepted / all - 1 where higher is better, with the middle ``level`` of
    resamples of units; each resample ranks and rejects its own items. Where fewer than five items are rejected, or
    there are fewer than five units, there is no interval. ``others`` are further strategies that reject by one
    suspicion, such as ``learned``, whose fit is not repeated. Two rows stand beside them. ``largest errors`` knows
    the error of every item: no strategy rejects better where the metric is a mean of item errors, and ``of largest
    errors`` is the share of its gain that a strategy reaches. ``random`` rejects blindly: its improvement is 0 on
    average, ``low`` and ``high`` are what luck gives on these items, and ``p random`` is the share of blind choices
    that are at least as good as a strategy (with the strategy itself among them). Items of one unit, and versions of
    one item, are suspicious together, as a blind choice is not, so that they have no ``p random``. ``pooled`` adds all
    conditions together. Undefined figures are None; items whose answer does not count are left out,
    and so are conditions in which no item has one that does.
    """
    check_draws(draws, level, where=WHERE)
    shares = [validate.probability(rate, where=WHERE, name="rate") for rate in rates]
    validate.seed(seed, where=WHERE)
    rows: list[Row] = []
    for conditions in separate(answered(measured), pooled=pooled):
        contest = Contest.of(Rows.of(measured, conditions), uncertainty, strangeness, others or {})
        rows += [(*named(conditions), *row) for row in _rows(contest, shares, level, draws, seed)]
    return Table(COLUMNS, tuple(rows))


def _rows(contest: Contest, rates: Sequence[float], level: float, draws: int, seed: int) -> Iterator[Row]:
    metric, size = contest.rows.measured.metric, len(contest.rows)
    gain = partial(improvements, metric)
    counts = [int(count_of(rate, np.array(float(size)))) for rate in rates]
    drawn_all, drawn = contest.redrawn(rates, draws, seed, contest.strategies)
    curves = {name: contest.accepted(name) for name in contest.strategies}
    whole = float(curves[LARGEST_ERRORS][0])
    blind = contest.blind(counts, draws, seed)
    luck = gain(blind, whole)
    for at, (rate, count) in enumerate(zip(rates, counts, strict=True)):
        start = (rate, size, contest.rows.left_out, count, plain(whole))
        best = gain(curves[LARGEST_ERRORS][count], whole)
        for name in contest.strategies:
            value = gain(curves[name][count], whole)
            told = min(count, contest.rows.unit_count) >= FEW
            ends = percentiles(gain(drawn[name][:, at], drawn_all), level) if told else NONE
            share = plain(value / best) if best > 0 else None
            p = _p_value(luck[:, at], value) if contest.rows.independent else None
            yield name, *start, plain(curves[name][count]), plain(value), *ends, share, p
        ends = percentiles(luck[:, at], level)
        yield RANDOM, *start, plain(blind[:, at].mean()), plain(luck[:, at].mean()), *ends, None, None


def _p_value(luck: FloatArray, value: FloatArray) -> float | None:
    """The share of blind choices at least as good, the choice itself among them (Phipson and Smyth 2010)."""
    if not np.isfinite(value):
        return None
    return float((1 + np.sum(luck >= value - 1e-12)) / (1 + luck.size))
