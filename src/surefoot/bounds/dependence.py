"""Rows in the order in which they came: whether failures come in bursts, and bounds that hold where they do.

Frames of a film, requests of a session and samples of a drive resemble their neighbours. A burst of five failures is
one mishap, and a bound that counts it as five independent ones is too sure of what it has seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.assumption_tests import practically_constant, silent
from surefoot.bounds.betting import AlternateCapital, PluginCapital, two_sided
from surefoot.bounds.closed_form import BentkusBound, ChernoffBound
from surefoot.bounds.statement import (
    EXPECTED_LOSS,
    FIXED_SIZE,
    ORDER_FIRST,
    REPRESENTATIVE,
    About,
    Counts,
    bound,
    plain_array,
    state,
)
from surefoot.core import (
    Assumption,
    BoundFamily,
    Check,
    Diagnostic,
    Estimate,
    InvalidInput,
    Kind,
    Provenance,
    Side,
    Undefined,
    array_digest,
    validate,
)
from surefoot.core.assumption import Status
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

SIGNIFICANCE = 0.01
LARGE_INFLATION = 1.1
"""Bursts that raise the variance of a count by less than this are let pass."""
DRAWS, PILOT, SEED = 499, 60, 20250101
MOST_EVENTS = 2000
"""Of more failures, the stretch of rows that holds the first so many is looked at."""
SMALLEST_PART = 10
"""Failures are counted together up to a tenth of all rows."""
LONGER = 10
"""A block chosen from the data is so many times as long as the bursts it shows."""
FEW_BLOCKS = 20
SMALLEST = 1e-300

Positions = NDArray[np.int64]

DISTANT_ROWS = Assumption(
    "distant-rows-independent",
    "Rows that are at least a block apart are independent of each other, and all rows have the same expected loss.",
)


def serial_dependence(failed: ArrayLike, strata: ArrayLike | None = None) -> Check:
    """Whether failures come closer together than in random order, by a permutation test.

    Pairs of failures at most 1, 2, 4, 8, ... rows apart, up to a tenth of all rows, are compared with those of failures
    that fall on random rows, of the same stratum where ``strata`` (classes, say) are given, so that a sorted file
    shows nothing. The largest excess over all distances is compared with the largest of each draw, so that the test is
    exact, whatever the failure probability, and pays for no distance twice (Westfall and Young 1993; stopped early
    after Besag and Clifford 1991). Where most rows fail, successes are looked at.

    The effect size is the factor by which bursts inflate the variance of the number of failures; a contradiction needs
    more than 1.1. Where failures are too few to tell, however they fall, nothing was checked.

    Parameters
    ----------
    failed
        Losses in the order in which they came; those above 0 are failures.
    strata
        A label for each row, such as its class; failures are compared with random rows of the same stratum.

    Returns
    -------
    Check
        What was found; the effect size is the inflation of the variance.

    References
    ----------
    Westfall and Young (1993), "Resampling-based multiple testing"; Besag and Clifford (1991), Biometrika 78.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> burst = np.zeros(1000)
    >>> burst[400:420] = 1
    >>> sf.bounds.serial_dependence(burst).status
    'contradicted'

    """
    where = "serial_dependence"
    outcome = np.asarray(validate.unit_vector(failed, where=where, name="failed") > 0)
    labels = np.zeros(outcome.size, dtype=np.int64) if strata is None else np.asarray(strata)
    validate.same_length(where, failed=outcome, strata=labels)
    rare = "failures" if 2 * outcome.sum() <= outcome.size else "successes"
    events = _Events.of(outcome if rare == "failures" else ~outcome, labels)
    figures = {"rows": events.rows, rare: events.count, "significance": SIGNIFICANCE}
    if events.blind:
        text = f"{events.count:,} {rare} among {events.rows:,} rows, too few to tell whether they come in bursts"
        return Check("unchecked", text, figures)
    p, window, inflation = events.test()
    status: Status = "contradicted" if p < SIGNIFICANCE and inflation > LARGE_INFLATION else silent(events.rows)
    text = f"{events.count:,} {rare} among {events.rows:,} rows "
    text += "come in no bursts" if status != "contradicted" else f"come in bursts within {window + 1} rows"
    return Check(status, text, {**figures, "p_value": p, "window": window, "inflation": inflation}, inflation)


@dataclass(frozen=True, eq=False)
class _Events:
    """Where failures (or successes) are, and the rows of each stratum on which they might have been."""

    at: Positions
    rows: int
    members: Positions
    """Rows, sorted by stratum."""
    starts: Positions
    sizes: Positions
    hits: Positions
    """Events of each stratum."""

    @classmethod
    def of(cls, happened: NDArray[np.bool_], labels: NDArray[np.generic]) -> Self:
        at = np.flatnonzero(happened)
        rows = happened.size if at.size <= MOST_EVENTS else int(at[MOST_EVENTS - 1]) + 1
        at, numbers = at[:MOST_EVENTS], np.unique(labels[:rows], return_inverse=True)[1]
        sizes = np.bincount(numbers)
        hits = np.bincount(numbers[at], minlength=sizes.size)
        members = np.argsort(numbers, kind="stable")
        return cls(at, rows, members, np.cumsum(sizes) - sizes, sizes, hits)

    @property
    def count(self) -> int:
        return self.at.size

    @property
    def blind(self) -> bool:
        """Whether all events in one row of rows would come about by chance too often to be significant."""
        n, k = self.rows, self.count
        ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
        return k < 2 or bool(math.log(n - k + 1) - ways >= math.log(SIGNIFICANCE))

    @cached_property
    def windows(self) -> Positions:
        most = max(self.rows // SMALLEST_PART, 1)
        return np.asarray(2 ** np.arange(int(math.log2(most)) + 1), dtype=np.int64)

    def pairs(self, at: Positions) -> FloatArray:
        """How many pairs of events are at most so far apart, for each window."""
        ends = np.searchsorted(at, at[:, None] + self.windows, side="right")
        return np.asarray((ends - np.arange(1, at.size + 1)[:, None]).sum(axis=0), dtype=np.float64)

    def test(self) -> tuple[float, int, float]:
        """P-value, the window with the largest excess, and how much pairs in it inflate the variance of the count."""
        rng = np.random.default_rng(SEED)
        pilot = np.array([self.pairs(self._drawn(rng)) for _ in range(PILOT)])
        by_chance = self.count * (self.count - 1) * self.windows / self.rows
        mean = np.maximum(pilot.mean(axis=0), by_chance)
        spread = np.maximum(pilot.var(axis=0) / mean, 1.0)
        seen = self.pairs(self.at)
        rarest = _rarity(seen, mean, spread).max()
        above = drawn = 0
        while drawn < DRAWS and above < SIGNIFICANCE * (DRAWS + 1):
            drawn += 1
            above += bool(_rarity(self.pairs(self._drawn(rng)), mean, spread).max() >= rarest)
        best = int(((seen - mean) / np.sqrt(spread * mean)).argmax())
        inflation = 1 + 2 * float(seen[best] - mean[best]) / self.count
        return (above + 1) / (drawn + 1), int(self.windows[best]), inflation

    def _drawn(self, rng: np.random.Generator) -> Positions:
        """As many random rows of each stratum as there are events in it, sorted."""
        crowded = 2 * self.hits > self.sizes
        parts = [
            rng.permutation(self.members[self.starts[s] : self.starts[s] + self.sizes[s]])[: self.hits[s]]
            for s in np.flatnonzero(crowded)
        ]
        sparse = np.flatnonzero(~crowded & (self.hits > 0))
        wanted = np.repeat(sparse, self.hits[sparse])
        chosen = np.empty(0, dtype=np.int64)
        while wanted.size:
            # Drawing anew what was drawn before is drawing without replacement.
            place = self.starts[wanted] + (rng.random(wanted.size) * self.sizes[wanted]).astype(np.int64)
            both = np.concatenate([chosen, place])
            kept = np.unique(both, return_index=True)[1]
            wanted = np.delete(wanted, kept[kept >= chosen.size] - chosen.size)
            chosen = both[np.sort(kept)]
        return np.sort(np.concatenate([*parts, self.members[chosen]]))


def _rarity(pairs: FloatArray, mean: FloatArray, spread: FloatArray) -> FloatArray:
    """How rare so many pairs are: minus the logarithm of a Poisson tail with ``spread`` times its variance."""
    tail = special.gammainc(np.maximum(pairs, 0.5) / spread, mean / spread)
    return np.asarray(-np.log(np.maximum(tail, SMALLEST)))


@bound
def sequence(
    losses: ArrayLike,
    *,
    level: float,
    block: int | None = None,
    positions: ArrayLike | None = None,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bounds of the mean of losses in [0, 1] of rows that are a sequence, in the order in which they came.

    Rows that are at least ``block`` apart are taken for independent of each other, nearer ones may resemble each other
    in any way. Then every ``block``-th row is a sample of independent ones, of which there are ``block``; the mean of
    all rows is the mean of theirs, and as far from the truth as that of n / ``block`` independent rows at most. So the
    bound is guaranteed for bursts of at most ``block`` rows, however they look inside. Bursts that end at random (a
    Markov chain) have no longest one; a block of ten times their mean length leaves little to be missed (Yu 1994,
    Annals of Probability 22(1)).

    Parameters
    ----------
    losses
        Losses in [0, 1], in the order in which they came.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    block
        For how many rows a burst can last. Without it ten times the bursts that the data show and at least the root of
        the number of rows, and the bound is marked heuristic.
    positions
        Places of the rows in the sequence, where only some of it is looked at, such as one class; by default they
        follow each other.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with its bounds; ``details["effective_trials"]`` says how many independent rows they are worth.

    References
    ----------
    Hoeffding (1963), JASA 58, section 5d; Janson (2004), Random Structures and Algorithms 24(3).

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> found = sf.bounds.sequence(np.zeros(3000), level=0.95, block=10)
    >>> found.details["effective_trials"], round(found.upper(0.95), 4)
    (300, 0.0099)

    """
    where = "sequence"
    values = validate.unit_vector(losses, where=where, name="losses")
    level = validate.level(level, where=where)
    places = np.arange(values.size) if positions is None else checked_positions(positions, values)
    length = (
        _block_shown(values, places) if block is None else validate.count(block, where=where, name="block", at_least=1)
    )
    kind: Kind = "heuristic" if block is None else "confidence"
    near = _most_near(places, length)
    params = {"level": level, "block": length}
    return state(
        About(quantity, unit, scope),
        float(values.mean()),
        (_limit(values, near, "upper", kind), _limit(values, near, "lower", kind)),
        assumptions=(replace(DISTANT_ROWS, check=bursts_beyond(values, places, length)), FIXED_SIZE, REPRESENTATIVE),
        caveats=_caveats(values.size // near, length, stated=block is not None),
        details={**params, "trials": values.size, "effective_trials": values.size // near},
        provenance=Provenance(
            f"bounds.{where}",
            {**params, "block_stated": block is not None},
            data={"losses": array_digest(values), "positions": array_digest(places)},
        ),
    )


def _limit(values: FloatArray, near: int, side: Side, kind: Kind) -> BoundFamily:
    """Of independent rows, as few as any of the samples has; for a lower limit as many."""
    rows = values.size // near if side == "upper" else -(-values.size // near)
    mean = float(values.sum()) / (near * rows) if rows else 1.0
    return ChernoffBound(min(mean, 1.0), rows, side, kind)


def _alternate(worst: FloatArray, side: Side) -> BoundFamily:
    """Of the worst loss of blocks of which every second one is independent of all others like it."""
    blocks = worst.size // 2 if side == "upper" else -(-worst.size // 2)
    return BentkusBound(min(float(worst.sum()) / (2 * blocks), 1.0), blocks, side, "confidence")


def checked_positions(positions: ArrayLike, values: FloatArray) -> Positions:
    """Whole numbers in rising order, one for each value."""
    places = np.atleast_1d(validate.array(positions, where="sequence", name="positions"))
    validate.same_length("sequence", losses=values, positions=places)
    if places.ndim != 1 or places.dtype.kind not in "iu" or (np.diff(places.astype(np.int64)) <= 0).any():
        raise InvalidInput("positions must be whole numbers in rising order", where="sequence", found=f"{places.dtype}")
    return places.astype(np.int64)


def _most_near(places: Positions, length: int) -> int:
    """The most rows within a block; rows whose ranks differ by so many are at least a block apart."""
    ends = np.searchsorted(places, places + length, side="left")
    return int((ends - np.arange(places.size)).max())


def _block_shown(values: FloatArray, places: Positions) -> int:
    rows = int(places[-1] - places[0]) + 1
    inflation = max(float(serial_dependence(_events(values)).figures.get("inflation", 1.0)), 1.0)
    return min(max(math.ceil(LONGER * inflation * rows / values.size), math.isqrt(rows)), rows)


def _events(values: FloatArray) -> FloatArray:
    """Losses above their mean, as failures."""
    return np.asarray(values > values.mean(), dtype=np.float64)


def bursts_beyond(values: FloatArray, places: Positions, length: int) -> Check:
    """Whether bursts outlast a block of so many rows."""
    numbers, index = np.unique((places - places[0]) // length, return_inverse=True)
    failed = np.bincount(index, _events(values)) > 0
    return _outlasting(failed, numbers, {"block": length}, f"block of {length:,} rows")


def _outlasting(failed: NDArray[np.bool_], numbers: Positions, found_in: Mapping[str, object], block: str) -> Check:
    """Whether blocks with a failure, among every second block, come in bursts."""
    found = [serial_dependence(failed[half]) for half in (numbers % 2 == 0, numbers % 2 == 1) if half.any()]
    figures = {**found_in, "p_values": [check.figures.get("p_value") for check in found]}
    if any(c.status == "contradicted" and len(found) * c.figures["p_value"] < SIGNIFICANCE for c in found):
        return Check("contradicted", f"failures come in bursts that outlast a {block}", figures)
    if any(check.status == "supported" for check in found):
        return Check("supported", f"no bursts found that outlast a {block}", figures)
    return Check("unchecked", f"too few times a {block} with failures to compare", figures)


def _caveats(effective: int, length: int, *, stated: bool) -> Iterator[Diagnostic]:
    if not stated:
        text = f"The length of a block was taken from the data ({length:,} rows)."
        yield Diagnostic("weights-estimated", text, hint="State block to have a guarantee.")
    if effective < FEW_BLOCKS:
        yield Diagnostic("few-groups", f"The rows are worth {effective} independent ones.", hint="Collect more rows.")


# Bounds for losses that come in groups: patients, tracks, episodes, duplicates.
#
# Inputs of one group resemble each other, so they are no independent trials; groups are.

FEW_GROUPS = 20
PER = ("input", "group")

INDEPENDENT_GROUPS = Assumption("independent-groups", "Groups are independent of each other and drawn alike.")


@bound
def grouped(
    losses: ArrayLike,
    groups: ArrayLike,
    *,
    level: float,
    max_group_size: int | None = None,
    per: str = "input",
    touching: bool = False,
    seed: int = 0,
    quantity: str = EXPECTED_LOSS,
    unit: str | None = None,
    scope: str = "",
) -> Estimate:
    """Bounds from losses in [0, 1] that are dependent within groups and independent between them.

    Blocks of a sequence touch, and a burst may cross their edge. Then groups are ``touching``: every second one is
    independent of all others like it, where bursts last no longer than a block, and all groups are two such samples of
    unknown dependence. Each has a gambler of its own, and the mean of what both have in the end cannot be expected to
    grow either (``per="input"``); a convex function of half the count of all groups cannot be expected to exceed that
    of a binomial count of half the groups (``per="group"``; Hoeffding 1963, section 5d, with Bentkus 2004).

    Parameters
    ----------
    losses
        Losses in [0, 1], one a trial.
    groups
        Their groups: labels, all numbers or all text.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    max_group_size
        The largest group that can occur, which makes the bound guaranteed; without it the largest group seen takes its
        place and the bound is marked heuristic.
    per
        ``"input"``: the mean loss of an input, that is the mean sum of a group over its mean size, by betting on that
        ratio. ``"group"``: the mean over groups of their worst loss, for losses of 0 and 1 the probability that a group
        contains a failure; guaranteed, by Clopper-Pearson or betting on groups.
    touching
        Whether groups are blocks of a sequence, numbered in its order, of which neighbours are not independent.
    seed
        Shuffles the groups on which bets are placed.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The mean loss with its bounds.

    References
    ----------
    Waudby-Smith and Ramdas (2024), JRSS-B 86(1); Hoeffding (1963), JASA 58, section 5d; Bentkus (2004), Ann. Probab.
    32(2); Vovk and Wang (2021), "E-values: calibration, combination and applications", Ann. Statist. 49(3).

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> losses, groups = np.zeros(300), np.repeat(np.arange(100), 3)
    >>> round(sf.bounds.grouped(losses, groups, level=0.95, per="group").upper(0.95), 4)
    0.0295
    >>> round(sf.bounds.grouped(losses, groups, level=0.95, per="group", touching=True).upper(0.95), 4)
    0.0582

    """
    where = "grouped"
    by_input = validate.choice(per, PER, where=where, name="per") == "input"
    values = validate.unit_vector(losses, where=where, name="losses")
    table = _GroupTable.of(values, groups, where=where)
    level, seed = validate.level(level, where=where), validate.seed(seed, where=where)
    params = {"level": level, "max_group_size": max_group_size, "per": per} | ({"touching": True} if touching else {})
    numbers = _block_numbers(table) if touching else None
    bounds = (
        table.bounds_per_input(level, max_group_size, seed, numbers)
        if by_input
        else table.bounds_per_group(level, seed, numbers)
    )
    apart = INDEPENDENT_GROUPS if numbers is None else _touching_rows(values, table, numbers)
    shuffled = by_input or not (table.counts_failures or touching)
    return state(
        About(quantity, unit or (PER_DEMAND if by_input else "per group"), scope),
        float(table.sums.sum() / table.sizes.sum()) if by_input else float(table.worst.mean()),
        bounds,
        assumptions=(apart, FIXED_SIZE, REPRESENTATIVE, *([ORDER_FIRST] if shuffled else [])),
        caveats=table.caveats(by_input and max_group_size is None),
        details={
            **params,
            "trials": values.size,
            "groups": table.sizes.size,
            "largest_group": int(table.sizes.max()),
            "standard_error": table.error_per_input if by_input else table.error_per_group,
        },
        provenance=Provenance(
            f"bounds.{where}",
            params,
            data={"losses": array_digest(values), "groups": array_digest(table.labels)},
            seed=seed if shuffled else None,
        ),
    )


def _block_numbers(table: _GroupTable) -> Positions:
    """The numbers of blocks in the order of the sequence, each once."""
    labels = np.unique(table.labels)
    if labels.dtype.kind not in "iu":
        raise InvalidInput("touching groups are blocks with whole numbers", where="grouped", found=f"{labels.dtype}")
    return labels.astype(np.int64)


def _touching_rows(values: FloatArray, table: _GroupTable, numbers: Positions) -> Assumption:
    failed = np.bincount(table.index, _events(values)) > 0
    figures = {"blocks": numbers.size, "largest_block": int(table.sizes.max())}
    return replace(DISTANT_ROWS, check=_outlasting(failed, numbers, figures, "block"))


@dataclass(frozen=True)
class GroupEffect:
    """How much dependence within groups costs.

    ``icc`` is the intraclass correlation, ``design_effect`` the factor by which it inflates the
    variance of the mean, ``effective_size`` the number of independent inputs worth as much.

    See Also
    --------
    effective_sample_size : Gives one, with an example.

    """

    icc: float
    design_effect: float
    effective_size: float
    inputs: int
    groups: int


def effective_sample_size(losses: ArrayLike, groups: ArrayLike) -> GroupEffect:
    """Intraclass correlation, design effect and effective sample size of grouped losses.

    The design effect is 1 + (m - 1) icc, with m = sum of n_g^2 over n for groups of unequal size. A negative
    correlation is kept in ``icc`` and counts as 0 in the effect.

    Parameters
    ----------
    losses
        One a trial.
    groups
        Their groups: labels, all numbers or all text.

    Returns
    -------
    GroupEffect
        What dependence within groups costs.

    References
    ----------
    Donner (1986), International Statistical Review 54(1); Kish (1965), "Survey sampling".

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> effect = sf.bounds.effective_sample_size([1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 2, 2])
    >>> effect.icc, effect.effective_size
    (1.0, 3.0)

    """
    where = "effective_sample_size"
    values = validate.vector(losses, where=where, name="losses")
    table = _GroupTable.of(values, groups, where=where)
    n, count = values.size, table.sizes.size
    if not 1 < count < n or practically_constant(values):
        raise Undefined(
            "needs several groups, a group of at least two, and losses that differ",
            where=where,
            found=f"{count} groups of {n} losses, from {values.min():g} to {values.max():g}",
            remedy="Count groups as trials: grouped(..., per='group').",
        )
    icc = table.intraclass_correlation(values)
    design_effect = 1 + (float((table.sizes**2).sum()) / n - 1) * max(icc, 0.0)
    return GroupEffect(icc, design_effect, n / design_effect, n, count)


def duplicate_groups(rows: ArrayLike) -> NDArray[np.int64]:
    """A group number for each row, the same for identical rows, in order of first appearance.

    Parameters
    ----------
    rows
        Numbers or text, one row a sample.

    Returns
    -------
    ndarray
        One group number a row.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.bounds.duplicate_groups([[0.5, 1.0], [2.0, 3.0], [0.5, 1.0]]).tolist()
    [0, 1, 0]

    """
    array = plain_array(rows, where="duplicate_groups", name="rows")
    if np.issubdtype(array.dtype, np.inexact):
        array = validate.numbers(array, where="duplicate_groups", name="rows") + 0.0
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in array], dtype=np.int64)


def checked_labels(groups: ArrayLike, *, where: str) -> NDArray[np.generic]:
    """One label for each row, all numbers or all text."""
    labels = plain_array(groups, where=where, name="groups")
    if labels.ndim != 1:
        raise InvalidInput("groups must be one-dimensional", where=where, found=f"shape {labels.shape}")
    if np.issubdtype(labels.dtype, np.inexact):
        validate.numbers(labels, where=where, name="groups")
    return labels


@dataclass(frozen=True)
class _GroupTable:
    labels: NDArray[np.generic]
    index: NDArray[np.int64]
    sizes: FloatArray
    sums: FloatArray
    worst: FloatArray

    @classmethod
    def of(cls, losses: FloatArray, groups: ArrayLike, *, where: str) -> _GroupTable:
        labels = checked_labels(groups, where=where)
        validate.same_length(where, losses=losses, groups=labels)
        _, index = np.unique(labels, return_inverse=True)
        sizes, sums = np.bincount(index).astype(float), np.bincount(index, losses).astype(float)
        worst = np.zeros(sizes.size)
        np.maximum.at(worst, index, losses)
        return cls(labels, index, sizes, sums, worst)

    @property
    def counts_failures(self) -> bool:
        """Whether each group has failed or not, with nothing between."""
        return bool(np.isin(self.worst, (0, 1)).all())

    @property
    def error_per_input(self) -> float:
        """Standard error of the sum of losses over the number of inputs, by linearisation (Cochran 1977, ch. 6)."""
        residuals = self.sums - self.sums.sum() / self.sizes.sum() * self.sizes
        return float(residuals.std() / self.sizes.mean() / math.sqrt(self.sizes.size))

    @property
    def error_per_group(self) -> float:
        """Standard error of the mean over groups of their worst loss."""
        return float(self.worst.std() / math.sqrt(self.worst.size))

    def bounds_per_input(
        self, level: float, max_size: int | None, seed: int, numbers: Positions | None
    ) -> tuple[BoundFamily, ...]:
        seen = int(self.sizes.max())
        largest = seen if max_size is None else validate.count(max_size, where="grouped", name="max_group_size")
        if largest < seen:
            raise InvalidInput(
                "a group exceeds the stated largest size",
                where="grouped",
                found=f"{seen} > {largest}",
                remedy="State the largest group possible in operation, at least the largest seen.",
            )
        kind: Kind = "heuristic" if max_size is None else "confidence"
        return self._betting(self.sums / largest, self.sizes / largest, level, kind, seed, numbers)

    def bounds_per_group(self, level: float, seed: int, numbers: Positions | None) -> tuple[BoundFamily, ...]:
        if numbers is not None and _most_near(numbers, 2) > 1:
            return _alternate(self.worst, "upper"), _alternate(self.worst, "lower")
        if self.counts_failures:
            return Counts(int(self.worst.sum()), self.worst.size).exact_bounds()
        return self._betting(self.worst, np.ones(self.worst.size), level, "confidence", seed)

    def _betting(
        self,
        sums: FloatArray,
        sizes: FloatArray,
        level: float,
        kind: Kind,
        seed: int,
        numbers: Positions | None = None,
    ) -> tuple[BoundFamily, ...]:
        order = np.random.default_rng(seed).permutation(sums.size)
        # A sum of losses of 1 may exceed the size by a rounding error.
        sums, sizes = np.minimum(sums, sizes)[order], sizes[order]
        if numbers is None or _most_near(numbers, 2) == 1:
            return two_sided(PluginCapital.tuned(sums, sizes, level=level), level=level, kind=kind)
        even = numbers[order] % 2 == 0
        halves = (PluginCapital.tuned(sums[half], sizes[half], level=level) for half in (even, ~even))
        return two_sided(AlternateCapital(*halves), level=level, kind=kind)

    def intraclass_correlation(self, losses: FloatArray) -> float:
        n, count = losses.size, self.sizes.size
        means = self.sums / self.sizes
        between = float(self.sizes @ (means - losses.mean()) ** 2) / (count - 1)
        within = float(((losses - means[self.index]) ** 2).sum()) / (n - count)
        typical = (n - float((self.sizes**2).sum()) / n) / (count - 1)
        return (between - within) / (between + (typical - 1) * within)

    def caveats(self, size_from_data: bool) -> Iterable[Diagnostic]:
        if size_from_data:
            yield Diagnostic(
                "weights-estimated",
                f"The largest possible group size was taken from the data ({int(self.sizes.max())}).",
                hint="State max_group_size to have a guarantee.",
            )
        if self.sizes.size < FEW_GROUPS:
            yield Diagnostic(
                "few-groups", f"There are {self.sizes.size} independent groups.", hint="Collect more groups."
            )
