"""Whether channels fail equally often on the same inputs."""

from __future__ import annotations

from collections.abc import Sequence

from scipy import special

from surefoot.core import Check
from surefoot.core.assumption import Status

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
