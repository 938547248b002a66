"""Whether a sampling frame still stands for operation, and when to build a new one (sections 4.3 and 5.2 of RAM)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import Check, validate
from surefoot.core.assumption import Status
from surefoot.core.validate import FloatArray
from surefoot.profile.encoders import as_encoder, encoded
from surefoot.profile.input_arrays import as_rows
from surefoot.profile.stream import AlarmState, ChangeAlarm

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BEYOND = 0.01
"""Share of the frame that lies farther than the reach from the rest of it."""
LARGE_SHARE = 0.02
"""A smaller share of operation outside the frame does not call for a new one."""
SIGNIFICANCE = 0.01


@dataclass(frozen=True)
class FrameCheck:
    """Whether operational inputs look like those of the sampling frame, and lie near them.

    See Also
    --------
    frame_check : Gives one, with an example.

    """

    representative: Check
    """Whether both follow one distribution."""
    rows: int
    """Number of operational inputs."""
    uncovered: int
    """Operational inputs that lie farther than ``reach`` from every input of the frame."""
    reach: float
    """Distance that 99% of the frame have to their nearest neighbour at most, in standard deviations of the frame."""
    p_value: float
    """Chance of so many uncovered inputs where operation is as the frame."""

    @property
    def uncovered_share(self) -> float:
        """Share of operation that the frame says nothing about; about 1% where both are alike."""
        return self.uncovered / self.rows

    def limits(self, level: float = 0.95) -> tuple[float, float]:
        """Exact two-sided limits of the uncovered share (Clopper and Pearson 1934)."""
        tail = (1 - validate.level(level, where="FrameCheck.limits")) / 2
        k, n = self.uncovered, self.rows
        lower = float(special.betaincinv(k, n - k + 1, tail)) if k else 0.0
        upper = float(special.betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        return lower, upper

    @property
    def is_outgrown(self) -> bool:
        """Whether operation reaches to where the frame has no inputs."""
        return self.p_value < SIGNIFICANCE and self.uncovered_share > LARGE_SHARE

    @property
    def rebuild(self) -> bool:
        """Whether a new sampling frame is needed."""
        return self.is_outgrown or self.representative.status == "contradicted"

    @property
    def reason(self) -> str:
        """Why, or why not."""
        lower, upper = self.limits()
        share = f"{self.uncovered_share:.1%} of operational inputs ({lower:.1%} to {upper:.1%})"
        if self.is_outgrown:
            return f"{share} lie where the sampling frame has no inputs: add inputs from there."
        if self.representative.status == "contradicted":
            return (
                "Inputs occur more or less often in operation than in the sampling frame "
                f"({self.representative.method}): "
                "build it from operational inputs, or weigh its inputs by the ratio of densities."
            )
        if self.representative.status == "unchecked":
            return f"The sampling frame is not contradicted, but few inputs were compared; {share} lie outside it."
        return f"No difference found, and {share} lie outside the sampling frame, where 1% are expected."


@validate.arguments
def frame_check(frame: ArrayLike, operational: ArrayLike, encoder: Any = None, *, seed: int = 0) -> FrameCheck:
    """Compare the inputs of a sampling frame with inputs from operation, in the space of an encoder.

    ``representativeness`` looks for any difference. An operational input is uncovered if its nearest neighbour in the
    frame is farther away than that of 99% of the frame's own inputs. If both are alike, the number of uncovered ones is
    beta-binomial, whatever the distribution; a new frame is called for where that is contradicted at 1% and more than
    2% are uncovered.

    Parameters
    ----------
    frame, operational
        Inputs that the encoder was not trained on: it knows the others too well.
    encoder
        What turns inputs into places; see ``as_encoder``.
    seed
        Of the comparison.

    Returns
    -------
    FrameCheck
        Whether a new frame is needed, and why.

    References
    ----------
    Wilks (1942); RAM, sections 4.3 and 5.2.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> sf.profile.frame_check(rng.normal(size=(300, 2)), rng.normal(3.0, size=(100, 2))).rebuild
    True

    """
    where = "frame_check"
    ours = encoded(encoder, frame, where=where, name="frame")
    theirs = encoded(encoder, operational, where=where, name="operational", columns=ours.shape[1])
    check = representativeness(ours, theirs, seed=seed)
    own, other = _nearest(ours, theirs)
    beyond = int(np.floor(BEYOND * len(own)))
    reach = float(np.sort(own)[len(own) - 1 - beyond])
    uncovered = int((other > reach).sum())
    return FrameCheck(check, len(other), uncovered, reach, _chance(uncovered, len(other), beyond, len(own)))


class FrameWatch:
    """Watches a stream of operational inputs, and says when they stopped being like the sampling frame.

    A ``ChangeAlarm`` on their places.

    Parameters
    ----------
    encoder
        What turns inputs into places; see ``as_encoder``.
    frame
        The sampling frame.
    alpha
        The chance that the alarm ever goes off without a change is at most this.
    seed
        Of the alarm.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> watch = sf.profile.FrameWatch(None, rng.normal(size=(200, 2)))
    >>> watch.update(rng.normal(3.0, size=(100, 2))).alarmed
    True

    """

    def __init__(self, encoder: Any, frame: ArrayLike, *, alpha: float = 0.01, seed: int = 0) -> None:
        self.encoder = as_encoder(encoder)
        codes = encoded(self.encoder, frame, where="FrameWatch", name="frame")
        self._columns = codes.shape[1]
        self._alarm = ChangeAlarm(codes, alpha=alpha, seed=seed)

    def __repr__(self) -> str:
        return f"FrameWatch({self._alarm!r})"

    @property
    def state(self) -> AlarmState:
        """What the alarm knows so far; ``since`` is the input at which the change seems to have come."""
        return self._alarm.state

    def update(self, X: ArrayLike) -> AlarmState:
        """Take in inputs, the oldest first.

        Parameters
        ----------
        X
            Inputs.

        Returns
        -------
        AlarmState
            What is known now.

        """
        codes = encoded(self.encoder, X, where="FrameWatch.update", columns=self._columns)
        return self._alarm.update(codes)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Evidence of a change against inputs."""
        return self._alarm.plot(ax=ax)


def _nearest(frame: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distance to the nearest input of the frame: of its own, each left out, and of the others."""
    from sklearn.neighbors import NearestNeighbors

    spread = frame.std(axis=0)
    scales = np.where(spread > 0, spread, 1.0)
    search = NearestNeighbors(n_neighbors=1).fit(frame / scales)
    return search.kneighbors()[0][:, 0], search.kneighbors(others / scales)[0][:, 0]


def _chance(uncovered: int, rows: int, beyond: int, frame: int) -> float:
    """Chance of at least so many of ``rows`` beyond the value that ``beyond`` of ``frame`` like them exceed."""
    from scipy.stats import betabinom

    return float(betabinom.sf(uncovered - 1, rows, beyond + 1, frame - beyond))


# Whether two sets of rows follow one distribution (Assumption 2 of RAM: the data represent operation).

TWO_SAMPLE_LARGE_SHARE = 0.55
"""A smaller share of pairs told apart does not contradict."""
BLIND_SHARE = 0.8
"""Where not even this share would be noticed, nothing was checked."""
MOST_ROWS = 1500
PERMUTATIONS = 999
POWER_QUANTILE = float(special.ndtri(1 - SIGNIFICANCE) + special.ndtri(0.8))
AT_ONCE = 250


def representativeness(sample: ArrayLike, reference: ArrayLike, *, seed: int = 0) -> Check:
    """Whether labelled or test rows follow the distribution of operational rows.

    Energy distance (Szekely and Rizzo, 2013) of normal scores of the features, with a p-value by 999 permutations,
    exact whatever the distribution. Scores come from the ranks of both sets together, so units, outliers and ties do
    not matter. It sees any difference, given enough rows; of more than 1,500 rows, that many are drawn with the seed.

    The effect size is a share of pairs, 0.5 for equal distributions and 1 for separate ones: one row of each set is
    drawn, and the one that lies closer to the reference than to the sample, itself left out, is taken for the
    reference's. A contradiction needs a p-value below 0.01 and more than 0.55 of pairs told apart. Too few rows to
    notice even 0.8 are no support.

    Parameters
    ----------
    sample, reference
        Rows of the data, and of operation.
    seed
        Of permutations, and of which rows are used.

    Returns
    -------
    Check
        Its effect is the share of pairs told apart.

    References
    ----------
    Szekely and Rizzo (2013), "Energy statistics"; RAM, Assumption 2.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> sf.profile.representativeness(rng.normal(size=(200, 2)), rng.normal(1.0, size=(200, 2))).status
    'contradicted'

    """
    where = "representativeness"
    rng = np.random.default_rng(validate.seed(seed, where=where))
    theirs = as_rows(reference, where=where, name="reference", at_least=2)
    ours = as_rows(sample, where=where, name="sample", at_least=2, columns=theirs.shape[1])
    used = _drawn(ours, rng), _drawn(theirs, rng)
    scores, first = normal_scores(np.concatenate(used)), len(used[0])
    distances = _distances(scores)
    energy, permuted = _energies(distances, first, rng)
    p = (1 + int((permuted >= energy * (1 - 1e-12)).sum())) / (1 + PERMUTATIONS)
    share, detectable = told_apart(distances, first), _detectable(first, len(scores) - first)
    feature, gap = _most_different(scores, first)
    figures = {
        "rows_sample": len(ours),
        "rows_reference": len(theirs),
        "rows_used_sample": first,
        "rows_used_reference": len(scores) - first,
        "p_value": p,
        "significance": SIGNIFICANCE,
        "energy_coefficient": _coefficient(distances, first),
        "share_told_apart": share,
        "share_detectable": detectable,
        "most_different_feature": feature,
        "its_distance": gap,
        "seed": seed,
    }
    status = _status(p, share, detectable)
    return Check(status, _sentence(status, len(ours), len(theirs), share, detectable), figures, share)


def normal_scores(rows: FloatArray) -> FloatArray:
    """Each feature's ranks as quantiles of a normal distribution; equal values share a score."""
    from scipy.stats import rankdata

    scores = special.ndtri((rankdata(rows, axis=0) - 0.5) / len(rows))
    return np.asarray(scores)


def told_apart(distances: FloatArray, first: int) -> float:
    """Share of pairs, one row of each set, that nearness to the two sets tells apart; ties count half."""
    second = len(distances) - first
    to_first, to_second = distances[:, :first].sum(axis=1), distances[:, first:].sum(axis=1)
    others = np.full(len(distances), float(first)), np.full(len(distances), float(second))
    others[0][:first] -= 1
    others[1][first:] -= 1
    leaning = to_first / others[0] - to_second / others[1]
    order = np.sort(leaning[:first])
    below = np.searchsorted(order, leaning[first:], side="left") + np.searchsorted(order, leaning[first:], side="right")
    return float(below.mean() / (2 * first))


def _drawn(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rows if len(rows) <= MOST_ROWS else rows[rng.choice(len(rows), MOST_ROWS, replace=False)]


def _distances(scores: FloatArray) -> FloatArray:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(scores, scores))


def _energies(distances: FloatArray, first: int, rng: np.random.Generator) -> tuple[float, FloatArray]:
    """Energy distance of the sets, and of sets of the same sizes drawn from all rows.

    With a vector s of 1/m for the first set and -1/n for the second, it is -s'Ds.
    """
    total = len(distances)
    signs = np.where(np.arange(total) < first, 1 / first, -1 / (total - first))
    found = -float(signs @ distances @ signs)
    permuted = np.empty(PERMUTATIONS)
    for start in range(0, PERMUTATIONS, AT_ONCE):
        stop = min(start + AT_ONCE, PERMUTATIONS)
        drawn = rng.permuted(np.tile(signs, (stop - start, 1)), axis=1)
        permuted[start:stop] = -np.einsum("ij,ij->i", drawn @ distances, drawn)
    return found, permuted


def _coefficient(distances: FloatArray, first: int) -> float:
    """Energy distance over twice the mean distance between the sets, in [0, 1]."""
    within, between = (
        distances[:first, :first].mean() + distances[first:, first:].mean(),
        distances[:first, first:].mean(),
    )
    return float(np.clip(1 - within / (2 * between), 0, 1)) if between > 0 else 0.0


def _detectable(first: int, second: int) -> float:
    """Share of pairs told apart that a rank test at 1% notices with probability 0.8."""
    error = np.sqrt((first + second + 1) / (12 * first * second))
    return float(min(1.0, 0.5 + POWER_QUANTILE * error))


def _most_different(scores: FloatArray, first: int) -> tuple[int, float]:
    """The feature with the largest Kolmogorov-Smirnov distance, and that distance."""
    gaps = [_gap(np.sort(column[:first]), np.sort(column[first:])) for column in scores.T]
    return int(np.argmax(gaps)), float(max(gaps))


def _gap(one: FloatArray, other: FloatArray) -> float:
    at = np.concatenate([one, other])
    shares = [np.searchsorted(side, at, side="right") / side.size for side in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


def _status(p: float, share: float, detectable: float) -> Status:
    if p < SIGNIFICANCE and share > TWO_SAMPLE_LARGE_SHARE:
        return "contradicted"
    return "unchecked" if detectable > BLIND_SHARE else "supported"


def _sentence(status: Status, ours: int, theirs: int, share: float, detectable: float) -> str:
    looked = f"{ours:,} rows compared with {theirs:,} of operation by their energy distance"
    ends: dict[Any, str] = {
        "contradicted": f"they differ: {share:.0%} of pairs can be told apart",
        "supported": f"no difference found; {detectable:.0%} of pairs told apart would have been noticed",
        "unchecked": "too few to notice a difference",
    }
    return f"{looked}; {ends[status]}"
