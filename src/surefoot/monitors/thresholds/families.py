"""Which of many hypotheses are rejected, with probability at most delta that one of them is true.

None of these needs independent p-values, nor a figure that is monotone in the threshold.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.ranking import holm as adjusted

Search = Literal["sequence", "bonferroni", "holm"]
SEARCHES: tuple[Search, ...] = ("sequence", "bonferroni", "holm")


def rejected(p: FloatArray, delta: float, *, search: Search, starts: int = 1) -> NDArray[np.bool_]:
    """Hypotheses that are rejected; their order, and the way of search, were fixed before the p-values were seen."""
    if search == "sequence":
        return fixed_sequence(p, delta, starts=starts)
    return bonferroni(p, delta) if search == "bonferroni" else holm(p, delta)


def fixed_sequence(p: FloatArray, delta: float, *, starts: int = 1) -> NDArray[np.bool_]:
    """Walk on from each start until one is not rejected; the starts share delta.

    Angelopoulos, Bates, Candes, Jordan, Lei (2021), "Learn then test", Algorithm 1; a single start is the fixed
    sequence of Maurer, Hothorn, Lehmacher (1995).
    """
    small = p <= delta / starts
    found = np.zeros(p.size, dtype=bool)
    for start in start_places(p.size, starts):
        found[start:] |= np.logical_and.accumulate(small[start:])
    return found


def start_places(size: int, starts: int) -> NDArray[np.intp]:
    """Where the walks begin: at the first hypothesis, and then at even distances."""
    return np.linspace(0, size, starts, endpoint=False).astype(np.intp)


def bonferroni(p: FloatArray, delta: float) -> NDArray[np.bool_]:
    """Each hypothesis has the same share of delta."""
    return np.asarray(p <= delta / p.size)


def holm(p: FloatArray, delta: float) -> NDArray[np.bool_]:
    """Holm (1979): what is left of delta is shared by the hypotheses that are left."""
    return np.asarray(adjusted(p) <= delta)


def first_level(size: int, delta: float, *, search: Search, starts: int) -> float:
    """The level that the first hypothesis to be rejected must reach."""
    return delta / (starts if search == "sequence" else size)


def first_places(size: int, *, search: Search, starts: int) -> NDArray[np.intp]:
    """Hypotheses that can be the first to be rejected."""
    return start_places(size, starts) if search == "sequence" else np.arange(size)


def checked(search: str, starts: int, size: int, *, where: str) -> tuple[Search, int]:
    """A way to search and a number of starts that fit the thresholds."""
    validate.choice(search, SEARCHES, where=where, name="search")
    number = validate.count(starts, where=where, name="starts", at_least=1)
    if number > size or (number > 1 and search != "sequence"):
        problem = "starts are for search='sequence', at most one a threshold"
        raise InvalidInput(problem, where=where, found=f"{number} starts, {size} thresholds, search={search!r}")
    return search, number  # type: ignore[return-value]
