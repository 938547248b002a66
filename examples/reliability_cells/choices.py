"""How much the side of a cell and the bandwidth of the profile move the sum over cells, where the truth is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import few_labels

from surefoot.profile import KDE
from surefoot.reliability import ExactTrees, Reliability, assess_cells

LEVEL = 0.975
SIDES = (0.1, 0.05, 0.025, 0.0125, 0.00625)
BANDWIDTHS = (0.01, 0.02, 0.05, 0.1, 0.2)
SIDE, BANDWIDTH = 0.05, 0.02


@dataclass(frozen=True, eq=False)
class Choice:
    """An assessment of the same model on the same data by one choice."""

    name: str
    found: Reliability

    def cells(self) -> tuple[str, ...]:
        """The line as text."""
        found = self.found
        return (
            self.name,
            f"{len(found.cells):,}",
            f"{found.cells.voted_mass:.0%}",
            f"{found.by_cells.value:.4f}",
            f"{found.by_cells.upper(LEVEL):.4f}",
            f"{found.pmi.upper(LEVEL):.4f}",
        )


def truth() -> float:
    """The failure probability that all of them are about."""
    return few_labels.world.true_pmi(few_labels.tree)


def choices() -> Iterator[Choice]:
    """One choice changed at a time."""
    for side in SIDES:
        yield Choice(f"side {side:g}", assess(side, BANDWIDTH))
    for bandwidth in BANDWIDTHS:
        yield Choice(f"bandwidth {bandwidth:g}", assess(SIDE, bandwidth))


def assess(side: float, bandwidth: float) -> Reliability:
    """The tree of the wave, with its held-out rows and its inputs from operation."""
    return assess_cells(
        few_labels.tree,
        *few_labels.labelled,
        side=side,
        domain=(0, 1),
        profile=KDE(bandwidth, boundary="reflect", domain=(0, 1)),
        operational=few_labels.operation[0],
        estimator=ExactTrees(),
        holdout=few_labels.held_out,
        checks=False,
    )
