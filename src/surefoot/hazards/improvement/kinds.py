"""What kind of bound drawn inputs give, as ``propagate`` has it."""

from __future__ import annotations

from collections.abc import Iterable

from surefoot.core import Estimate, MixedKinds, Point
from surefoot.core.bound import Kind


def drawn_kind(inputs: Iterable[Estimate], *, mix: bool, where: str) -> Kind:
    """Certain where every input is, heuristic where one is or kinds are mixed on purpose, else credible."""
    inputs = list(inputs)
    if all(isinstance(estimate.dist, Point) for estimate in inputs):
        return "certain"
    kinds = {family.kind for estimate in inputs for family in estimate.bounds} - {"certain"}
    if kinds - {"heuristic"} <= {"credible"}:
        return "heuristic" if "heuristic" in kinds else "credible"
    if not mix:
        raise MixedKinds(
            "these kinds of bounds do not combine",
            where=where,
            found=", ".join(sorted(kinds)),
            remedy="Use estimates of one kind, or pass mix=True and accept a heuristic result.",
        )
    return "heuristic"
