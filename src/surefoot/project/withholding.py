"""What is shown of results that rest on test data, where only verdicts may be shown (``looks: adaptive``).

The next model may be chosen by everything that was shown, so all of it must follow from the verdicts: an estimate says
which limits it was shown to keep, and nothing else. Values, counts, distributions, tables, pictures, what checks of
assumptions found, and results for which no target asks are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from surefoot.core import Diagnostic, Estimate, Evidence, Provenance, Target
from surefoot.core.bound import Side, TabulatedBound
from surefoot.project.definition import TargetSource
from surefoot.project.looks import Place
from surefoot.project.plan import quantity_of, step_of

WITHHELD = "withheld"
NOTE = Diagnostic(
    "verdicts-only",
    "Only the verdict is shown, since later models may depend on it; the value stated is the limit that was asked for.",
    "note",
    hint="The numbers lie in the store; test data whose numbers somebody has seen cannot be used adaptively.",
)


def shown(
    evidence: Mapping[str, Evidence],
    resting: Collection[str],
    targets: Mapping[str, TargetSource],
    places: Mapping[str, Place],
) -> dict[str, Evidence]:
    """The evidence, of which steps that rest on test data tell only which limits they were shown to keep."""
    return {
        step: _verdicts(found, _asked(step, targets, places)) if step in resting else found
        for step, found in evidence.items()
    }


def _asked(
    step: str, targets: Mapping[str, TargetSource], places: Mapping[str, Place]
) -> dict[str, list[tuple[Target, bool]]]:
    found: dict[str, list[tuple[Target, bool]]] = {}
    for name, source in targets.items():
        if step_of(source.estimate) == step:
            found.setdefault(quantity_of(source.estimate), []).append((source.target, bool(places[name].met)))
    return found


def _verdicts(found: Evidence, asked: Mapping[str, Sequence[tuple[Target, bool]]]) -> Evidence:
    estimates = tuple(_verdict(found, found[quantity], answers) for quantity, answers in asked.items())
    assumptions = tuple(replace(assumption, check=None) for assumption in found.assumptions)
    return Evidence(estimates, assumptions=assumptions, provenance=found.provenance)


def _verdict(found: Evidence, estimate: Estimate, answers: Sequence[tuple[Target, bool]]) -> Estimate:
    met = [target for target, kept in answers if kept]
    sides: tuple[Side, ...] = ("upper", "lower")
    families = (_family(estimate, side, [target for target in met if target.proving_side == side]) for side in sides)
    return replace(
        estimate,
        value=(met or [target for target, _ in answers])[0].limit,
        bounds=tuple(family for family in families if family),
        dist=None,
        assumptions=tuple(replace(assumption, check=None) for assumption in estimate.assumptions),
        caveats=(NOTE,),
        details={WITHHELD: True},
        provenance=Provenance(estimate.provenance.method, inputs=(found.key,)),
    )


def _family(estimate: Estimate, side: Side, met: Sequence[Target]) -> TabulatedBound | None:
    """The limits that were kept, each at its level; a stricter one kept at a higher level takes its place."""
    if not met:
        return None
    tightest = min if side == "upper" else max
    levels = sorted({1 - target.alpha for target in met})
    limits = [
        tightest(target.cautious_limit(target.alpha) for target in met if 1 - target.alpha >= level) for level in levels
    ]
    kind = next(family.kind for family in estimate.bounds if family.side == side and family.kind != "expectation")
    return TabulatedBound(tuple(levels), tuple(limits), side, "confidence" if kind == "certain" else kind)
