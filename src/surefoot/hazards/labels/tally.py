"""What has been labelled in each stratum of operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.stratified import checked_shares
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray


@dataclass(frozen=True, eq=False)
class Tally:
    """Labelled rows of each stratum, how many of them count and how many failed, and the stratum's share of operation.

    All rows count unless the risk is that of one true class: then only rows of that class do. ``seen`` is the number of
    operational rows that the shares come from; None where the shares are known. ``unknown`` of the failures are rows
    that nobody could label: failures here, and passes where the risk is bounded from below. Counts need not
    be whole: a plan counts on expected failures.
    """

    names: tuple[str, ...]
    shares: FloatArray
    trials: FloatArray
    counted: FloatArray
    failures: FloatArray
    seen: int | None = None
    unknown: FloatArray | float = 0.0

    def __post_init__(self) -> None:
        checked_shares(self.shares, where="Tally")
        columns = (self.shares, self.trials, self.counted, self.failures)
        validate.same_length("Tally", names=np.asarray(self.names), **dict(zip("abcd", columns, strict=True)))
        if not ((self.failures >= 0) & (self.failures <= self.counted) & (self.counted <= self.trials)).all():
            raise InvalidInput("failures must be among rows that count, and these among all rows", where="Tally")
        if not ((self.unknown >= np.zeros(1)) & (self.unknown <= self.failures)).all():
            raise InvalidInput("rows that nobody could label must be among the failures", where="Tally")

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        shares: ArrayLike,
        stratum: NDArray[np.intp],
        failed: NDArray[np.bool_],
        *,
        counted: NDArray[np.bool_] | None = None,
        seen: int | None = None,
        unknown: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Count labelled rows: the number of the stratum of each, whether it counts, failed, and is unknown."""
        size = len(names)
        among = np.ones(stratum.size, bool) if counted is None else counted
        doubtful = np.zeros(stratum.size, bool) if unknown is None else unknown
        trials, hits, misses, unsure = (
            np.bincount(stratum[rows], minlength=size).astype(float)
            for rows in (np.ones_like(among), among, among & failed, among & failed & doubtful)
        )
        return cls(names, np.asarray(shares, dtype=float), trials, hits, misses, seen, unsure)

    @property
    def conditional(self) -> bool:
        """Whether only some of the rows count."""
        return bool((self.counted < self.trials).any())

    @property
    def untested(self) -> tuple[str, ...]:
        """Strata without a labelled row: nothing is known of them, so that they count as failing."""
        return tuple(name for name, trials in zip(self.names, self.trials, strict=True) if not trials)

    @property
    def risk(self) -> float:
        """The failure probability in operation as observed."""
        failing, passing = self.rates
        return failing / (failing + passing) if failing else 0.0

    @property
    def rates(self) -> tuple[float, float]:
        """Shares of operation that count and fail, and that count and do not."""
        known = np.where(self.trials > 0, self.trials, 1)
        failing = np.where(self.trials > 0, self.failures / known, 1.0)
        passing = (self.counted - self.failures) / known
        return float(self.shares @ failing), float(self.shares @ passing)

    def turned(self) -> Tally:
        """The same with passes in place of failures, what nobody could label among them."""
        passes = self.counted - self.failures + self.unknown
        return Tally(self.names, self.shares, self.trials, self.counted, passes, self.seen)

    def with_labels(self, added: FloatArray, failing: FloatArray, counting: FloatArray) -> Tally:
        """The tally that is expected after more labels, of which these shares fail and count."""
        return Tally(
            self.names,
            self.shares,
            self.trials + added,
            self.counted + added * counting,
            self.failures + added * failing,
            self.seen,
            self.unknown,
        )
