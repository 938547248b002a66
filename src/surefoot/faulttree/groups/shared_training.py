"""Redundant learned channels, whose failures coincide because they learned from the same data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.assumption import Assumption
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.errors import InvalidInput
from surefoot.faulttree.groups.base import CommonCause, Expansion
from surefoot.faulttree.groups.channels import channel_expansion
from surefoot.faulttree.groups.symmetry import cochran_q
from surefoot.faulttree.quantities import Counts, Quantity, as_quantity

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

    Programs developed apart still fail together, because some inputs are hard for all of them (Eckhardt and Lee 1985),
    and only forced diversity can make that rarer (Littlewood and Miller 1989); shared training data works against
    diversity. So independence is not assumed: ``counts[k]`` is the number of inputs on which exactly ``k`` channels
    failed, and the belief about how many fail on the next input is a Dirichlet posterior with ``prior`` pseudo-counts
    a cell (a half, Jeffreys), drawn by stick breaking as independent Betas. The joint distribution of the channels is
    exact, not a sum of rare events.

    Coincidences in conditions that the common test set does not contain (shared blind spots) cannot show in counts.
    ``unseen`` is the probability that all channels fail together for such a reason. ``failures`` are those of each
    channel; with them it is checked whether the channels are alike.
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
        """From paired results: ``failed[i, j]`` says whether channel ``j`` failed on test input ``i``."""
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
