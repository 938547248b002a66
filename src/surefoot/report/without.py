"""What a number would be if one of its assumptions were false: computed from the result, or said to be unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from surefoot.core import Assumption, Bound, Estimate, SurefootError
from surefoot.core.bound import Side
from surefoot.documents import percent, significant
from surefoot.project.answer import Answer
from surefoot.project.result import Result
from surefoot.report.carrying import Carried, carried, first_factor, is_probability
from surefoot.report.consequence import Consequence, Line
from surefoot.report.families import ABOUT_INPUTS, COMPLETENESS, INDEPENDENCE, OF_A_MODEL, REPRESENTATION, kin
from surefoot.report.supposing import SHARES, WITH_COUNTS, Supposed, Tally
from surefoot.report.words import contradicted

ANYTHING: dict[Side, str] = {"upper": "it may be anything up to 1", "lower": "it may be anything down to 0"}
NOTHING = "Nothing changes: the number does not rest on it."
UNKNOWN = "Unknown: nothing here bounds it then."


@dataclass(frozen=True)
class _Number:
    """A number, as a target asks about it."""

    result: Result
    reference: str
    estimate: Estimate
    side: Side
    level: float
    kinds: tuple[str, ...]

    def bound(self, estimate: Estimate) -> Bound | None:
        """The bound of an estimate that could stand in its place."""
        families = [family for family in estimate.bounds if family.side == self.side and family.kind in self.kinds]
        for family in families:
            try:
                return estimate.bound(self.side, self.level, kind=family.kind)
            except SurefootError:
                continue
        return None


def without(result: Result, answer: Answer, assumption: Assumption) -> Consequence:
    """What the number behind an answer would be if an assumption were false.

    In this order: another result that does not rest on it; the same tests, plainly counted; for a product or a fault
    tree what its input would be, carried up; for some inputs or rows being otherwise, the bound that is left.
    """
    if (assumption.id, assumption.text) not in {(each.id, each.text) for each in answer.estimate.assumptions}:
        return Consequence((), NOTHING)
    target, within = answer.target, answer.verdict.limit
    asked = _Number(result, answer.reference, answer.estimate, target.proving_side, 1 - target.alpha, target.kinds)
    found = _supposed(asked, assumption)
    lines = tuple(
        Line(
            each.when,
            each.limit,
            "about" if each.about else target.relation,
            each.limit <= within if asked.side == "upper" else each.limit >= within,
        )
        for each in found
    )
    return Consequence(lines, "" if any(each.whole for each in found) else _rest(asked, answer, assumption, found))


def _supposed(asked: _Number, assumption: Assumption) -> list[Supposed]:
    # No result escapes a condition of operation, whether or not it names it.
    escaped = assumption.id in REPRESENTATION or not _is_about_inputs(asked.result, assumption)
    found = list(_instead(asked, assumption)) if escaped else []
    if found:
        return found
    inputs = carried(asked.result, asked.reference, assumption)
    return _in_part(asked, assumption) if inputs is None else list(_carried_up(asked, inputs, assumption))


def _instead(asked: _Number, assumption: Assumption) -> Iterator[Supposed]:
    """Another result that does not rest on it, the most cautious one; else the same tests, plainly counted."""
    others = [
        (bound.limit, reference)
        for reference, estimate in _alike(asked)
        if kin(assumption.id).isdisjoint(each.id for each in estimate.assumptions) and not contradicted(estimate)
        if (bound := asked.bound(estimate)) is not None
    ]
    tally = Tally.of(asked.estimate, asked.level)
    if others:
        limit, reference = max(others) if asked.side == "upper" else min(others)
        yield Supposed(f"by {reference}, which does not rest on it", limit, whole=True)
    elif tally and assumption.id in OF_A_MODEL and asked.side == "upper":
        yield Supposed(f"by counting alone, {tally.failures} of {tally.trials}", tally.exact, whole=True)


def _alike(asked: _Number) -> Iterator[tuple[str, Estimate]]:
    """Results of the same quantity, in the same unit, about the same."""
    own, about = asked.estimate, _about(asked.result, asked.estimate)
    for step, evidence in asked.result.evidence.items():
        for other in evidence.estimates:
            same = (other.quantity, other.unit) == (own.quantity, own.unit) and other.key != own.key
            if same and _about(asked.result, other) == about:
                yield f"{step}.{other.quantity}", other


def _about(result: Result, estimate: Estimate) -> tuple[object, ...]:
    """What an estimate is about; components with the same model and data are the same."""
    name, joined, part = estimate.scope.partition(" on ")
    digests = [(key.partition("."), digest) for key, digest in result.digests.items()]
    files = {file: digest for (component, _, file), digest in digests if component == name}
    return (tuple(sorted(files.items())), joined, part) if "model" in files else (estimate.scope,)


def _carried_up(asked: _Number, carried: Carried, assumption: Assumption) -> Iterator[Supposed]:
    """What a product or a tree would give with what would be left of its inputs, and with nothing left."""
    inside: list[tuple[str, list[float], bool]] = []
    if len(carried.inputs) == 1 and not carried.by_values:
        (only,) = carried.inputs
        fed = replace(asked, reference=only.reference, estimate=only.estimate, side="upper", level=carried.level)
        inside = [(each.when, [each.limit], each.whole) for each in _supposed(fed, assumption)]
    elif _is_about_inputs(asked.result, assumption):
        lists = [_shares(each.number, "upper") for each in carried.inputs]
        inside = [(each[0].when, [one.limit for one in each], False) for each in zip(*lists, strict=True)]
    for when, numbers, whole in inside:
        yield Supposed(when, carried.top(numbers), whole=whole, about=carried.by_values)
    if carried.at_worst is not None and not any(whole for _, _, whole in inside):
        yield Supposed(carried.worst_words, carried.at_worst, whole=True, about=carried.by_values)


def _in_part(asked: _Number, assumption: Assumption) -> list[Supposed]:
    """What is left where an assumption fails for some inputs or rows only."""
    bound = asked.bound(asked.estimate)
    if bound is None:
        return []
    if _is_about_inputs(asked.result, assumption):
        known = is_probability(asked.result, asked.reference, asked.estimate)
        return _shares(bound.limit, asked.side) if known else []
    if assumption.id == "conditional-factors" and asked.side == "upper":
        first = first_factor(asked.result, asked.reference)
        return [Supposed(f"by the first factor {first[0]!r} alone", first[1], whole=True)] if first else []
    return _of_counts(asked, assumption) if asked.side == "upper" else []


def _of_counts(asked: _Number, assumption: Assumption) -> list[Supposed]:
    tally = Tally.of(asked.estimate, asked.level)
    if tally is None or not asked.estimate.provenance.method.startswith(WITH_COUNTS):
        return []
    if assumption.id == "fixed-size":
        return [Supposed("if testing was stopped at will", tally.stopped_at_will, whole=True)]
    if assumption.id == "identical-distribution":
        return list(tally.with_foreign_rows())
    return list(tally.with_rows_together()) if assumption.id in INDEPENDENCE else []


def _shares(number: float, side: Side) -> list[Supposed]:
    """Outside of what was tested every input may fail."""
    return [
        Supposed(f"if {percent(share)} of inputs lie outside", number * (1 - share) + (share if side == "upper" else 0))
        for share in SHARES
    ]


def _is_about_inputs(result: Result, assumption: Assumption) -> bool:
    stated = result.definition.get("conditions", {}).get("assumptions", ())
    return assumption.id in ABOUT_INPUTS or any(each.get("id") == assumption.id for each in stated)


def _rest(asked: _Number, answer: Answer, assumption: Assumption, found: Sequence[Supposed]) -> str:
    bound = asked.bound(asked.estimate)
    if assumption.id in COMPLETENESS and answer.verdict and bound is not None and asked.side == "upper":
        room = significant(answer.verdict.limit - bound.limit, rounding="down")
        return f"What is left out adds its own probability; up to {room} {asked.estimate.unit} would keep the limit."
    known = is_probability(asked.result, asked.reference, asked.estimate)
    return f"{'Beyond that no' if found else 'No'} bound: {ANYTHING[asked.side]}." if known else UNKNOWN
