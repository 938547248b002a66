"""What the held-out tests say about the assumptions that their own use rests on."""

from __future__ import annotations

from surefoot import bounds
from surefoot.bounds.statement import INDEPENDENT, REPRESENTATIVE
from surefoot.core import Check
from surefoot.profile import representativeness
from surefoot.reliability.correction import Correction

SIGNIFICANCE = 0.001
"""Strict, because the general comparison of inputs is made beside it."""


def own_checks(tests: Correction, *, seed: int) -> dict[str, Check]:
    """Checks of the corrected estimate, by the id of the assumption."""
    found = {INDEPENDENT.id: bounds.duplicates(tests.tests.points)}
    if min(len(tests.tests.points), len(tests.reference)) > 1 and not tests.weighted:
        found[REPRESENTATIVE.id] = _flagged_apart(tests) or representativeness(
            tests.tests.points, tests.reference, seed=seed
        )
    return found


def _flagged_apart(tests: Correction) -> Check | None:
    """A contradiction where cells foretell failures more or less often among the tests than in operation."""
    from scipy.stats import fisher_exact

    ours, theirs = tests.tests.failure, tests.operation.failure
    if not theirs.size:
        return None
    counts = [[int(flags.sum()), int((~flags).sum())] for flags in (ours, theirs)]
    p = float(fisher_exact(counts).pvalue)
    if p >= SIGNIFICANCE:
        return None
    figures = {
        "tests": ours.size,
        "tests_flagged": counts[0][0],
        "operation": theirs.size,
        "operation_flagged": counts[1][0],
        "p_value": p,
    }
    words = f"cells foretell {counts[0][0]:,} failures among {ours.size:,} tests and {counts[1][0]:,} among "
    words += f"{theirs.size:,} inputs from operation, compared by Fisher's exact test"
    return Check("contradicted", words, figures, abs(float(ours.mean()) - float(theirs.mean())))
