"""``Mix``: how often each condition is met, an operational profile over conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surefoot.core import InvalidInput, validate
from surefoot.documents import listed
from surefoot.systems.data.conditions import Condition

WHERE = "mix of conditions"
SLACK = 1e-6


@dataclass(frozen=True)
class Mix:
    """Shares of conditions by label (``clean``, ``fog 3``) that sum to 1, or counts of them as seen in operation.

    Shares are taken as they are stated; counts are a sample, whose uncertainty enters the result.
    """

    shares: Mapping[str, float]
    counted: bool = False

    def __post_init__(self) -> None:
        for label, share in self.shares.items():
            if self.counted:
                validate.count(share, where=WHERE, name=label)
            else:
                validate.probability(share, where=WHERE, name=label)
        total = sum(self.shares.values())
        if self.counted and total == 0:
            raise InvalidInput("no condition was seen", where=WHERE)
        if not self.counted and abs(total - 1) > SLACK:
            remedy = "Give shares that sum to 1; conditions that do not occur have share 0."
            raise InvalidInput("shares must sum to 1", where=WHERE, found=f"{total:g}", remedy=remedy)

    @classmethod
    def of_counts(cls, counts: Mapping[str, int]) -> Mix:
        """How often each condition was seen in operation."""
        return cls(dict(counts), counted=True)

    @classmethod
    def equal(cls, conditions: Sequence[Condition]) -> Mix:
        """All conditions alike: an average over what was tested, which is no operational profile."""
        return cls({condition.label: 1 / len(conditions) for condition in conditions})

    def weights(self, conditions: Sequence[Condition]) -> dict[Condition, float]:
        """The share of each condition that occurs; those that were not measured cannot be told."""
        total = sum(self.shares.values())
        return {condition: share / total for condition, share in self.of(conditions).items() if share}

    def of(self, conditions: Sequence[Condition]) -> dict[Condition, float]:
        """Shares or counts as stated, by condition; one that was looked for and never seen may still occur."""
        known = {condition.label: condition for condition in conditions}
        named = [label for label, share in self.shares.items() if share or self.counted]
        unknown = sorted(label for label in named if label not in known)
        if unknown:
            remedy = f"Measured were {listed(list(known))}."
            raise InvalidInput("a condition was not measured", where=WHERE, found=", ".join(unknown), remedy=remedy)
        return {known[label]: self.shares[label] for label in named}
