"""Where ways to reckon disagree strongly about one claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from surefoot.case.case import Case
from surefoot.case.evaluation import Methods
from surefoot.core import Diagnostic

LIKELY, UNLIKELY = 0.9, 0.5
HINT = "Look at what the claim rests on before trusting any of the numbers."


def disagreements(case: Case, methods: Mapping[str, Methods]) -> list[Diagnostic]:
    """One finding a claim and kind of disagreement; claims that only inherit it from one below are left out."""
    below: dict[str, set[str]] = {}
    found = []
    for identity in case.upward:
        inherited: set[str] = set()
        for each in case.needs(case.nodes[identity]):
            inherited |= below.get(each, set())
        below[identity] = inherited
        if identity in methods:
            kinds = dict(_disagreements(methods[identity], case.policy.disagreement))
            found += [
                Diagnostic("case-methods-disagree", text, "warning", where=identity, hint=HINT)
                for kind, text in kinds.items()
                if kind not in inherited
            ]
            below[identity] = inherited | set(kinds)
    return found


def _disagreements(found: Methods, most: float) -> Iterator[tuple[str, str]]:
    opinion, network = f"{found.opinion:.2f}", f"{found.network:.2f}"
    if abs(found.opinion - found.network) > most:
        yield "network", f"Subjective logic gives it probability {opinion}, the Bayesian network {network}."
    if network_outside(found) > most:
        between = f"between {found.belief:.2f} and {found.plausibility:.2f}"
        yield "masses", f"The Bayesian network gives it {network}, Dempster and Shafer allow only {between}."
    left = found.doubts - found.eliminated
    if found.doubts and not left and found.opinion < UNLIKELY:
        yield "eliminated", f"All {found.doubts} doubts are eliminated, but its probability is only {opinion}."
    if left and found.opinion > LIKELY:
        yield "doubts", f"Its probability is {opinion}, but {left} of {found.doubts} doubts are open."


def network_outside(found: Methods) -> float:
    """How far the network's probability lies outside belief and plausibility."""
    return max(found.belief - found.network, found.network - found.plausibility, 0.0)
