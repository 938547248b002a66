"""Rows in the order in which they came: whether failures come in bursts, and bounds that hold where they do.

Frames of a film, requests of a session and samples of a drive resemble their neighbours. A burst of five failures is
one mishap, and a bound that counts it as five independent ones is too sure of what it has seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.checks import silent
from surefoot.bounds.families import ChernoffBound
from surefoot.bounds.statement import EXPECTED_LOSS, FIXED_SIZE, REPRESENTATIVE, About, bound, state
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
    all rows is the mean of theirs, and as far from the truth as that of n / ``block`` independent rows at most
    (Hoeffding 1963, JASA 58, section 5d; Janson 2004, Random Structures and Algorithms 24(3)). So the bound is
    guaranteed for bursts of at most ``block`` rows, however they look inside. Bursts that end at random (a Markov
    chain) have no longest one; a block of ten times their mean length leaves little to be missed (Yu 1994, Annals of
    Probability 22(1)).

    Without ``block`` it is taken from the data, ten times the bursts they show and at least the root of the number of
    rows, and the bound is marked heuristic. ``positions`` are the places of the rows in the sequence, where only some
    of it is looked at, such as one class; by default they follow each other.
    """
    where = "sequence"
    values = validate.unit_vector(losses, where=where, name="losses")
    level = validate.level(level, where=where)
    places = np.arange(values.size) if positions is None else _checked_positions(positions, values)
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
        assumptions=(replace(DISTANT_ROWS, check=_distant(values, places, length)), FIXED_SIZE, REPRESENTATIVE),
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


def _checked_positions(positions: ArrayLike, values: FloatArray) -> Positions:
    places = np.asarray(positions)
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


def _distant(values: FloatArray, places: Positions, length: int) -> Check:
    """Whether bursts outlast a block: whether blocks with a failure, among every second block, come in bursts."""
    numbers, index = np.unique((places - places[0]) // length, return_inverse=True)
    failed = np.bincount(index, _events(values)) > 0
    found = [serial_dependence(failed[half]) for half in (numbers % 2 == 0, numbers % 2 == 1) if half.any()]
    figures = {"block": length, "p_values": [check.figures.get("p_value") for check in found]}
    if any(c.status == "contradicted" and len(found) * c.figures["p_value"] < SIGNIFICANCE for c in found):
        return Check("contradicted", f"failures come in bursts that outlast a block of {length:,} rows", figures)
    if any(check.status == "supported" for check in found):
        return Check("supported", f"no bursts found that outlast a block of {length:,} rows", figures)
    return Check("unchecked", f"too few blocks of {length:,} rows with failures to compare", figures)


def _caveats(effective: int, length: int, *, stated: bool) -> Iterator[Diagnostic]:
    if not stated:
        text = f"The length of a block was taken from the data ({length:,} rows)."
        yield Diagnostic("weights-estimated", text, hint="State block to have a guarantee.")
    if effective < FEW_BLOCKS:
        yield Diagnostic("few-groups", f"The rows are worth {effective} independent ones.", hint="Collect more rows.")
