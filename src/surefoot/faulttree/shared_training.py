"""Redundant learned channels, whose failures coincide because they learned from the same data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import Check, validate
from surefoot.core.assumption import Assumption, Status
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.errors import InvalidInput
from surefoot.faulttree.common_cause import CommonCause, Expansion
from surefoot.faulttree.formula import Formula, Kind
from surefoot.faulttree.quantities import Counts, Fixed, Quantity, as_quantity

MOST_CHANNELS = 12
SAME_INPUTS = Assumption(
    "same-inputs",
    "All channels were tested on the same inputs, which are independent of each other and follow the operational "
    "profile.",
)
EXCHANGEABLE = Assumption(
    "exchangeable-channels",
    "Given how many channels fail, each combination of channels is equally likely. A vote over all channels needs the "
    "number only and holds without this.",
)
BLIND_SPOTS = (
    "Tests cannot show coincidences in conditions that the common test set does not contain (shared blind spots)."
)


@dataclass(frozen=True)
class SharedTraining(CommonCause, tag="shared-training"):
    """Learned channels that share training data, described by how many failed together on common test inputs.

    Programs developed apart still fail together, because some inputs are hard for all of them, and only forced
    diversity can make that rarer; shared training data works against diversity. So independence is not assumed: the
    belief about how many channels fail on the next input is a Dirichlet posterior, drawn by stick breaking as
    independent Betas. The joint distribution of the channels is exact, not a sum of rare events. Coincidences in
    conditions that the common test set does not contain (shared blind spots) cannot show in counts.

    Parameters
    ----------
    name
        Of the group.
    members
        Names of the channels.
    counts
        ``counts[k]`` is the number of inputs on which exactly ``k`` channels failed.
    failures
        Those of each channel; with them it is checked whether the channels are alike.
    unseen
        Probability that all channels fail together for a reason that the tests do not contain.
    prior
        Pseudo-counts a cell; a half is Jeffreys' prior.

    References
    ----------
    Eckhardt and Lee (1985); Littlewood and Miller (1989).

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import Formula, SharedTraining
    >>> channels = SharedTraining.from_results("detectors", ("a", "b"), [[1, 1], [1, 0], *[[0, 0]] * 998])
    >>> channels.counts
    (998, 1, 1)
    >>> tree = sf.FaultTree("both", {"both": Formula("and", ("a", "b"))}, {}, groups=(channels,))
    >>> round(tree.probability(), 6)
    0.001498

    """

    counts: tuple[int, ...]
    failures: tuple[int, ...] | None = None
    unseen: Quantity | None = None
    prior: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "counts", tuple(self.counts))
        if self.failures is not None:
            object.__setattr__(self, "failures", tuple(self.failures))
        if self.unseen is not None:
            object.__setattr__(self, "unseen", as_quantity(self.unseen))
        validate.positive(self.prior, where=f"SharedTraining {self.name!r}", name="prior")

    @classmethod
    def from_results(
        cls,
        name: str,
        members: Sequence[str],
        failed: ArrayLike,
        *,
        unseen: Quantity | float | None = None,
        prior: float = 0.5,
    ) -> Self:
        """From paired results: ``failed[i, j]`` says whether channel ``j`` failed on test input ``i``.

        Parameters
        ----------
        name, members, unseen, prior
            As of the class.
        failed
            A row an input and a column a channel, true where it failed.

        """
        table = np.asarray(failed)
        if table.ndim != 2 or table.shape[1] != len(members) or not np.isin(table, (0, 1)).all():
            raise InvalidInput(
                "failed must say for each input (rows) and each channel (columns) whether it failed",
                where=f"SharedTraining {name!r}",
                found=f"shape {table.shape} of {table.dtype} for {len(members)} channels",
                remedy="Give a table of booleans.",
            )
        at_once = np.count_nonzero(table, axis=1)
        counts = tuple(np.bincount(at_once, minlength=len(members) + 1).tolist())
        failures = tuple(np.count_nonzero(table, axis=0).tolist())
        return cls(name, tuple(members), counts, failures, None if unseen is None else as_quantity(unseen), prior)

    @property
    def event_count(self) -> int:
        size = len(self.members)
        return size * (size + 1) // 2 + (self.unseen is not None)

    @property
    def quantities(self) -> dict[str, Quantity]:
        return {} if self.unseen is None else {"unseen": self.unseen}

    def expansion(self) -> Expansion:
        """One event for each further failing channel, choices of which ones fail, and the unseen event."""
        sticks = tuple(self._stick(k) for k in range(1, len(self.counts)))
        return channel_expansion(self.name, self.members, sticks, self.unseen)

    def _stick(self, k: int) -> Counts:
        """Belief that at least ``k`` channels fail, given that ``k - 1`` do (Connor and Mosimann 1969)."""
        more = sum(self.counts[k:])
        cells = len(self.counts) - k
        return Counts(more, more + self.counts[k - 1], prior=(cells * self.prior, self.prior))

    def assumptions(self) -> tuple[Assumption, ...]:
        """Common inputs, channels alike (checked by Cochran's Q where failures are given), and what tests miss."""
        check = None if self.failures is None else cochran_q(self.failures, self.counts)
        counted = "Nothing is added for them." if self.unseen is None else f"For them counts: {self.unseen}."
        return SAME_INPUTS, replace(EXCHANGEABLE, check=check), Assumption("blind-spots", f"{BLIND_SPOTS} {counted}")

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """What is wrong with members and counts."""
        yield from super().problems(values)
        size = len(self.members)
        if size > MOST_CHANNELS:
            yield self.error("tree-beyond-budget", f"has {size} channels, at most {MOST_CHANNELS} can be expanded.")
        if len(self.counts) != size + 1:
            text = (
                f"needs {size + 1} counts, of inputs on which 0 to {size} channels failed; it has {len(self.counts)}."
            )
            yield self.error("tree-probability", text)
        if not _are_counts(self.counts) or not _are_counts(self.failures or ()):
            yield self.error("tree-probability", "counts inputs, which are whole numbers of at least 0.")
        elif self.failures is not None:
            yield from self._failure_problems(self.failures)

    def _failure_problems(self, failures: tuple[int, ...]) -> Iterator[Diagnostic]:
        counted = sum(k * n for k, n in enumerate(self.counts))
        if len(failures) != len(self.members) or sum(failures) != counted:
            said = f"{counted} of {len(self.members)}"
            text = f"has {sum(failures)} failures of {len(failures)} channels, its counts say {said}."
            yield self.error("tree-probability", text, "Build it from the results of all channels on the same inputs.")


def _are_counts(values: Sequence[object]) -> bool:
    return all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in values)


# Whether channels fail equally often on the same inputs.

SIGNIFICANCE = 0.05
LARGE_DIFFERENCE = 0.1
FEWEST_CELLS = 24


def cochran_q(failures: Sequence[int], counts: Sequence[int]) -> Check:
    """Cochran's Q test (Biometrika 37, 1950) that channels fail with equal probability on paired inputs.

    ``failures`` are the failures of each channel, ``counts`` the inputs on which 0, 1, ... channels failed. The effect
    size is the largest relative departure of a channel from the mean. Equal channels are contradicted by a departure
    that is both significant and large. With fewer than 24 cells in rows that tell channels apart the chi-square
    approximation is not to be trusted (Tate and Brown 1970), and nothing is said.
    """
    size, total = len(failures), sum(failures)
    telling = sum(counts[1:size])
    if telling * size < FEWEST_CELLS:
        found = f"Cochran's Q, not computed: {telling} inputs tell the {size} channels apart"
        return Check("unchecked", found, {"telling_inputs": telling})
    spread = size * sum(f * f for f in failures) - total**2
    statistic = (size - 1) * spread / sum(n * k * (size - k) for k, n in enumerate(counts))
    p_value = float(special.chdtrc(size - 1, statistic))
    effect = max(abs(size * f / total - 1) for f in failures)
    status: Status = "contradicted" if p_value < SIGNIFICANCE and effect > LARGE_DIFFERENCE else "supported"
    figures = {"statistic": statistic, "p_value": p_value, "telling_inputs": telling}
    return Check(status, "Cochran's Q, rates of single channels", figures, effect)


# The gates in place of the channels: how many fail, then which ones.

CHOICE = "decides which channels of {} fail; no failure of its own"
FURTHER = "at least {k} channels of {owner} fail, given that {before} do"
UNSEEN = "all channels of {} fail in a condition that the common tests do not contain"


def channel_expansion(
    owner: str, members: tuple[str, ...], sticks: tuple[Quantity, ...], unseen: Quantity | None
) -> Expansion:
    """Exchangeable channels as gates over independent events, with their joint distribution exactly.

    ``sticks[k]`` is the probability that more than ``k`` channels fail given that ``k`` do at least.
    """
    selection = Selection(owner, len(members))
    coins = {name: Fixed(probability) for name, probability in selection.coins().items()}
    further = {_further(owner, k): stick for k, stick in enumerate(sticks, start=1)}
    together = {} if unseen is None else {unseen_name(owner): unseen}
    channels = {member: _channel(owner, index, selection, list(together)) for index, member in enumerate(members)}
    labels = dict.fromkeys(coins, CHOICE.format(owner)) | dict.fromkeys(together, UNSEEN.format(owner))
    labels |= {name: FURTHER.format(k=k, owner=owner, before=k - 1) for k, name in enumerate(further, start=1)}
    numbers = {
        _at_least(owner, k): Formula("and", (_at_least(owner, k - 1), _further(owner, k)))
        for k in range(2, len(members) + 1)
    }
    return Expansion(channels | numbers | selection.gates(), further | coins | together, labels=labels)


def unseen_name(owner: str) -> str:
    """The event of a shared failure that tests cannot show."""
    return f"[{owner} unseen]"


def _channel(owner: str, index: int, selection: Selection, together: list[str]) -> Formula:
    size = selection.size
    partly = [all_of(_at_least(owner, k), selection.takes(k, index)) for k in range(1, size)]
    return as_gate(any_of([*partly, _at_least(owner, size), *together]))


def _at_least(owner: str, k: int) -> str:
    return _further(owner, 1) if k == 1 else f"[{owner} {k} or more fail]"


def _further(owner: str, k: int) -> str:
    return f"[{owner} 1 fails]" if k == 1 else f"[{owner} {k} fail where {k - 1} do]"


# Which of several exchangeable channels fail, once it is known how many: a random subset as gates over coins.
#
# A uniform subset of ``r`` out of ``m`` is drawn channel by channel: with ``left`` to place among ``n`` channels that
# remain, the next one is taken with probability ``left / n`` (Fan, Muller and Rezucha 1962; Knuth's algorithm S). The
# coins of one channel are nested, so that the subset for ``r`` lies in the subset for ``r + 1``: more failing channels
# never repair one, and the number of failing channels enters without negation.

Truth = str | bool | Formula


@dataclass(frozen=True)
class Selection:
    """Gates that choose ``1, ..., size - 1`` of ``size`` channels uniformly, named after ``owner``."""

    owner: str
    size: int

    def coins(self) -> dict[str, float]:
        """The independent events behind the choice, with their probabilities."""
        steps = ((channel, left, self.size - channel) for channel in range(self.size) for left in range(1, self.size))
        return {self._coin(channel, left): 1 / (n - left + 1) for channel, left, n in steps if left < n}

    def gates(self) -> dict[str, Formula]:
        """The named states of the choice: how many are left to place before a channel."""
        return {
            self._state(chosen, channel, left): as_gate(self._reached(chosen, channel, left))
            for chosen in range(1, self.size)
            for channel in range(1, self.size)
            for left in self._lefts(chosen, channel)
            if left
        }

    def takes(self, chosen: int, channel: int) -> Truth:
        """Whether ``channel`` is among the ``chosen`` first ones."""
        lefts = self._lefts(chosen, channel)
        return any_of(all_of(self._before(chosen, channel, n), self._taken(channel, n)) for n in lefts)

    def _reached(self, chosen: int, channel: int, left: int) -> Truth:
        last = channel - 1
        passed_over = all_of(self._before(chosen, last, left), _not(self._taken(last, left)))
        taken = all_of(self._before(chosen, last, left + 1), self._taken(last, left + 1))
        return any_of((passed_over, taken))

    def _before(self, chosen: int, channel: int, left: int) -> Truth:
        if channel == 0:
            return left == chosen
        return left in self._lefts(chosen, channel) and self._state(chosen, channel, left)

    def _lefts(self, chosen: int, channel: int) -> range:
        return range(max(chosen - channel, 0), min(chosen, self.size - channel) + 1)

    def _taken(self, channel: int, left: int) -> Truth:
        if not 0 < left < self.size - channel:
            return left > 0
        return any_of(self._coin(channel, n) for n in range(1, left + 1))

    def _coin(self, channel: int, left: int) -> str:
        return f"[{self.owner} choice {channel + 1}.{left}]"

    def _state(self, chosen: int, channel: int, left: int) -> str:
        return f"[{self.owner} {chosen} chosen, {left} left before {channel + 1}]"


def as_gate(truth: Truth) -> Formula:
    """A formula that can stand under a name."""
    return truth if isinstance(truth, Formula) else Formula("pass", (truth,))


def any_of(truths: Iterable[Truth]) -> Truth:
    """True where one of them is; without the constants that do not matter."""
    return _joined("or", tuple(truths), neutral=False)


def all_of(*truths: Truth) -> Truth:
    """True where all of them are; without the constants that do not matter."""
    return _joined("and", truths, neutral=True)


def _not(truth: Truth) -> Truth:
    return not truth if isinstance(truth, bool) else Formula("not", (truth,))


def _joined(kind: Kind, truths: tuple[Truth, ...], *, neutral: bool) -> Truth:
    """The formula without its constants; one that is decided is a constant."""
    if any(truth is (not neutral) for truth in truths):
        return not neutral
    open_ = tuple(truth for truth in truths if truth is not neutral)
    if not open_:
        return neutral
    return open_[0] if len(open_) == 1 else Formula(kind, open_)
