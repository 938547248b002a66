"""Decision diagrams as arrays: what every calculation after compilation works on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

FALSE, TRUE = 0, 1


@dataclass(frozen=True, eq=False)
class Diagram:
    """A reduced, ordered decision diagram.

    Node 0 is the constant false and node 1 true; every other node has the ``column`` it asks about and its ``low``
    and ``high`` children. Nodes of one column stand together, the deepest column first, so that children stand
    before their parents. In a diagram of a Boolean function a column that is not asked may be either; in a diagram of
    a family of sets (zero-suppressed) it is absent.
    """

    column: IntArray
    low: IntArray
    high: IntArray
    root: int

    @property
    def size(self) -> int:
        """Inner nodes."""
        return len(self.column) - 2

    @cached_property
    def levels(self) -> tuple[tuple[int, slice], ...]:
        """Columns from the bottom up, each with the slice of its nodes."""
        if self.size <= 0:
            return ()
        cuts = np.flatnonzero(np.diff(self.column[2:])) + 3
        starts, ends = [2, *cuts.tolist()], [*cuts.tolist(), len(self.column)]
        return tuple((int(self.column[a]), slice(a, b)) for a, b in zip(starts, ends, strict=True))


def constant(value: bool) -> Diagram:
    """The diagram without nodes."""
    nothing = np.zeros(2, dtype=np.int64)
    return Diagram(nothing, nothing, nothing, TRUE if value else FALSE)
