"""What a number would be if one of its assumptions were false: computed from the result, or said to be unknown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from surefoot.bounds import clopper_pearson
from surefoot.case.templates.builder import Results
from surefoot.core import Assumption, Bound, Estimate, SurefootError, validate
from surefoot.core.bound import Side
from surefoot.core.estimate import PER_DEMAND
from surefoot.documents import Rounding, percent, significant
from surefoot.project.definition import TREE_STEPS
from surefoot.project.result import Answer, Result
from surefoot.report.page_data import MOST_ROWS
from surefoot.report.wording import contradicted

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


@validate.arguments
def without_assumption(result: Result, answer: Answer, assumption: Assumption) -> Consequence:
    """What the number behind an answer would be if an assumption were false.

    In this order: another result that does not rest on it; the same tests, plainly counted; for a product or a fault
    tree what its input would be, propagated; for some inputs or rows being otherwise, the bound that is left.

    Parameters
    ----------
    result, answer
        What ``surefoot.run`` gave, and the target that is asked about.
    assumption
        One of those that its estimate rests on.

    Returns
    -------
    Consequence
        Numbers that would hold instead, and what can be said beyond them.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

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
    calculation = propagated(asked.result, asked.reference, assumption)
    return _in_part(asked, assumption) if calculation is None else list(_recomputed(asked, calculation, assumption))


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


def _recomputed(asked: _Number, calculation: Propagated, assumption: Assumption) -> Iterator[Supposed]:
    """What a product or a tree would give with what would be left of its inputs, and with nothing left."""
    inside: list[tuple[str, list[float], bool]] = []
    if len(calculation.inputs) == 1 and not calculation.by_values:
        (only,) = calculation.inputs
        fed = replace(asked, reference=only.reference, estimate=only.estimate, side="upper", level=calculation.level)
        inside = [(each.when, [each.limit], each.whole) for each in _supposed(fed, assumption)]
    elif _is_about_inputs(asked.result, assumption):
        lists = [_shares(each.number, "upper") for each in calculation.inputs]
        inside = [(each[0].when, [one.limit for one in each], False) for each in zip(*lists, strict=True)]
    for when, numbers, whole in inside:
        yield Supposed(when, calculation.top(numbers), whole=whole, about=calculation.by_values)
    if calculation.at_worst is not None and not any(whole for _, _, whole in inside):
        yield Supposed(calculation.worst_words, calculation.at_worst, whole=True, about=calculation.by_values)


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


# What would be left of a number if an assumption were false, in numbers and in words.

Relation = Literal["at most", "at least", "about"]
ROUNDED: dict[Relation, Rounding] = {"at most": "up", "at least": "down", "about": "nearest"}


@dataclass(frozen=True)
class Line:
    """One number that would hold instead."""

    when: str
    limit: float
    relation: Relation
    keeps: bool
    """Whether that is within the limit of the target."""

    @property
    def number(self) -> str:
        """The number, rounded to its cautious side, with its relation."""
        return f"{self.relation} {significant(self.limit, rounding=ROUNDED[self.relation])}"

    @property
    def said(self) -> str:
        """The supposition as the beginning of a sentence."""
        return f"{self.when[:1].upper()}{self.when[1:]}:"

    def __str__(self) -> str:
        return f"{self.said} {self.number}, which {'keeps' if self.keeps else 'breaks'} the limit"


@dataclass(frozen=True)
class Consequence:
    """What would be left of a number."""

    lines: tuple[Line, ...]
    rest: str
    """What can be said beyond these lines; empty where they say all."""

    @property
    def text(self) -> str:
        """All of it as sentences."""
        return " ".join([*(f"{line}." for line in self.lines), *([self.rest] if self.rest else [])])


# Families of assumptions, by what happens to a number when one of them is false.

ABOUT_INPUTS = (
    "operational-profile",
    "inside-operating-conditions",
    "covered-conditions",
    "complete-conditions",
    "labelled-data-represent-operation",
    "frame-represents-operation",
    "corruptions-stand-for-conditions",
    "same-inputs",
)
"""Assumptions that fail for a share of inputs, of which nothing is known then; stated conditions are of them too."""
OF_A_MODEL = (
    "normal-margins",
    "predicted-before",
    "partial-prior",
    "separated-classes",
    "single-label-cells",
    "single-label-balls",
    "variation-keeps-labels",
    "better-than-chance",
    "uniform-inside",
    "variation-as-in-operation",
    "independent-cells",
    "sampling-of-balls-dominates",
    "splitting-reaches-all-failures",
    "normal-mean",
)
"""Assumptions that plain counting of the same tests does not need."""
COMPLETENESS = ("complete-logic", "chains-complete", "hazards-complete")
INDEPENDENCE = ("independent-trials", "independent-samples")
REPRESENTATION = ("operational-profile", "labelled-data-represent-operation", "frame-represents-operation")


def kin(identity: str) -> frozenset[str]:
    """Assumptions that fail together with this one, itself among them."""
    return frozenset((identity,)).union(*(each for each in (INDEPENDENCE, REPRESENTATION) if identity in each))


# What counted failures show when they were not drawn as their bound assumes.

SHARES = (0.01, 0.05)
"""Of inputs in operation, or of rows of the test data, that are not what they were taken for."""
TOGETHER = (2, 5)
"""Rows that stand or fall together."""
WITH_COUNTS = ("bounds.clopper_pearson", "bounds.jeffreys", "bounds.wilson", "reliability.")
"""Methods whose bound is one of counts."""
_STEPS = 200


@dataclass(frozen=True)
class Supposed:
    """A number that would hold instead, and under which supposition."""

    when: str
    limit: float
    whole: bool = False
    """Whether it holds whichever way the assumption is false."""
    about: bool = False
    """Whether it is a value, computed from values, and no bound."""


@dataclass(frozen=True)
class Tally:
    """Failures among tests that follow operation."""

    failures: int
    trials: int
    level: float

    @classmethod
    def of(cls, estimate: Estimate, level: float) -> Tally | None:
        """The counts behind an estimate whose tests follow operation, as far as there are any."""
        failures, trials = estimate.details.get("failures"), estimate.details.get("trials", estimate.details.get("n"))
        follows = any(each.id == "operational-profile" for each in estimate.assumptions)
        if not follows or not isinstance(failures, int) or not isinstance(trials, int) or not 0 <= failures <= trials:
            return None
        return cls(failures, trials, level) if trials else None

    @property
    def exact(self) -> float:
        """The upper bound that counts alone give (Clopper and Pearson)."""
        return _exact(self)

    @property
    def stopped_at_will(self) -> float:
        """The upper bound that holds whenever somebody stopped testing.

        Robbins (1970), Annals of Mathematical Statistics 41(5): the likelihood of the counts, averaged over a uniform
        prior, over that under the truth exceeds 1/alpha at any time with probability at most alpha (Ville).
        """
        k, n = self.failures, self.trials
        averaged = math.lgamma(k + 1) + math.lgamma(n - k + 1) - math.lgamma(n + 2)
        needed = averaged + math.log1p(-self.level)
        low, high = k / n, 1.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._log_likelihood(middle) >= needed else (low, middle)
        return high

    def _log_likelihood(self, p: float) -> float:
        k, n = self.failures, self.trials
        if p >= 1:
            return 0.0 if k == n else -math.inf
        return (k * math.log(p) if k else 0.0) + (n - k) * math.log1p(-p)

    def with_foreign_rows(self) -> Iterator[Supposed]:
        """Some rows came from elsewhere and all of them were right, so that they say nothing."""
        for share in SHARES:
            left = self.trials - math.ceil(share * self.trials)
            if left >= max(self.failures, 1):
                when = f"if {percent(share)} of the test rows came from elsewhere"
                yield Supposed(when, Tally(self.failures, left, self.level).exact)

    def with_rows_together(self) -> Iterator[Supposed]:
        """Rows came in groups whose members are all right or all wrong, so that a group says what one row does."""
        for size in TOGETHER:
            groups = self.trials // size
            if groups:
                failed = min(math.ceil(self.failures / size), groups)
                when = f"if {size} rows at a time stood or fell together"
                yield Supposed(when, Tally(failed, groups, self.level).exact)


@lru_cache(maxsize=10_000)
def _exact(tally: Tally) -> float:
    # Many targets ask about one number, and each assumption of each asks again.
    return clopper_pearson(tally.failures, tally.trials, level=tally.level).upper(tally.level)


# How products and fault trees propagate a number of their inputs, as far as a result tells.

PRODUCT = "step.product"
TREES = tuple(f"step.{name}" for name in TREE_STEPS)
MEASURED = "event-is-what-was-measured"
SHARES_BY_METHOD = ("opinions.", "bounds.clopper_pearson", "bounds.jeffreys", "bounds.wilson", "faulttree.")
_CLOSE = 1e-9


@dataclass(frozen=True)
class Input:
    """A result that goes into a calculation."""

    label: str
    reference: str
    estimate: Estimate
    number: float
    """Its bound in a product, its value in a fault tree."""


@dataclass(frozen=True)
class Propagated:
    """A calculation with those of its inputs that rest on an assumption, and what it gives for other numbers."""

    inputs: tuple[Input, ...]
    top: Callable[[Sequence[float]], float]
    level: float
    """At which the inputs' bounds count."""
    by_values: bool
    """Whether only values can be propagated, no bounds."""
    at_worst: float | None
    """What it gives when all of them are certain to happen; None where that has no meaning."""

    @property
    def worst_words(self) -> str:
        """When that is so."""
        return f"with {' and '.join(repr(each.label) for each in self.inputs)} at 1"


def propagated(result: Result, reference: str, assumption: Assumption) -> Propagated | None:
    """The inputs of a product or fault tree that rest on an assumption; None where none does or cannot be told."""
    known = Results(result.evidence)
    fed = {label: (each, known[each]) for label, each in known.fed_into(reference).items()}
    resting = {label: each for label, each in fed.items() if _rests(label, each[1], assumption)}
    evidence = result.evidence.get(_step(reference))
    if evidence is None or not resting:
        return None
    if evidence.provenance.method == PRODUCT:
        return _of_product(result, known[reference], fed, resting)
    return _of_tree(result, reference, resting) if evidence.provenance.method in TREES else None


def is_probability(result: Result, reference: str, estimate: Estimate) -> bool:
    """Whether it is a probability per demand, so that 0 and 1 bound it; of a product all factors are."""
    if estimate.unit != PER_DEMAND:
        return False
    known = Results(result.evidence)
    fed = known.fed_into(reference)
    if _method(result, reference) == PRODUCT and fed:
        return all(is_probability(result, each, known[each]) for each in fed.values())
    method = estimate.provenance.method
    if method == "stated":
        return 0 <= estimate.value <= 1
    return "probability" in estimate.quantity.lower() or method.startswith(SHARES_BY_METHOD)


def first_factor(result: Result, reference: str) -> tuple[str, float] | None:
    """The first factor of a product and its bound, which bounds the product where the others are probabilities."""
    known = Results(result.evidence)
    fed = known.fed_into(reference)
    if _method(result, reference) != PRODUCT or len(fed) < 2:
        return None
    first, *others = fed
    limits = known[reference].details.get("factors", {})
    if first not in limits or not all(is_probability(result, fed[each], known[fed[each]]) for each in others):
        return None
    return first, float(limits[first])


def _step(reference: str) -> str:
    return reference.partition(".")[0]


def _method(result: Result, reference: str) -> str:
    evidence = result.evidence.get(_step(reference))
    return evidence.provenance.method if evidence else ""


def _rests(label: str, estimate: Estimate, assumption: Assumption) -> bool:
    if assumption.id == MEASURED:
        return assumption.scope == label
    stated = (assumption.id, assumption.text, assumption.scope)
    return any((each.id, each.text, each.scope) == stated for each in estimate.assumptions)


def _of_product(
    result: Result,
    product: Estimate,
    fed: Mapping[str, tuple[str, Estimate]],
    resting: Mapping[str, tuple[str, Estimate]],
) -> Propagated:
    limits = product.details.get("factors", {})
    by_values = set(limits) != set(fed)
    numbers = {label: float(each.value if by_values else limits[label]) for label, (_, each) in fed.items()}
    others = math.prod(number for label, number in numbers.items() if label not in resting)
    bounded = all(is_probability(result, reference, each) for reference, each in resting.values())
    level = product.details.get("level", 0.95)
    uncertain = max(len(fed) - len(product.details.get("stated", ())), 1)
    return Propagated(
        tuple(Input(label, *resting[label], numbers[label]) for label in resting),
        lambda found: others * math.prod(found),
        1 - (1 - level) / uncertain,
        by_values,
        others if bounded else None,
    )


def _of_tree(result: Result, reference: str, resting: Mapping[str, tuple[str, Estimate]]) -> Propagated | None:
    """By the importance of one event: the top event's probability is linear in that of the event."""
    measures = _importance(result, reference)
    label, *more = resting
    if more or label not in measures:
        return None
    absent, slope = measures[label]
    source, estimate = resting[label]
    return Propagated(
        (Input(label, source, estimate, estimate.value),),
        lambda found: absent + slope * found[0],
        math.nan,
        True,
        absent + slope,
    )


def _importance(result: Result, reference: str) -> dict[str, tuple[float, float]]:
    """For each event the probability of the top event without it, and by how much it rises with it (Birnbaum).

    Risk achievement worth is P(top given event) / P(top), criticality is Birnbaum times P(event) / P(top); so
    P(top) is Birnbaum / (worth - 1 + criticality).
    """
    table = result.evidence[_step(reference)].tables.get("importance")
    columns = ("event", "criticality", "Birnbaum", "RAW")
    if table is None or not set(columns) <= set(table.columns):
        return {}
    places = [table.columns.index(column) for column in columns]
    found = {}
    for row in table.rows[:MOST_ROWS]:
        event, criticality, slope, worth = (row[place] for place in places)
        if all(isinstance(each, int | float) and math.isfinite(each) for each in (criticality, slope, worth)):
            below = worth - 1 + criticality
            if below > _CLOSE:
                found[event] = slope / below * (1 - criticality), slope
    return found
