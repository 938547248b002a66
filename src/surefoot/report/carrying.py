"""How products and fault trees carry a number of their inputs up, as far as a result tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from surefoot.case.templates.results import Results
from surefoot.core import Assumption, Estimate
from surefoot.core.estimate import PER_DEMAND
from surefoot.project.definition import TREE_STEPS
from surefoot.project.result import Result
from surefoot.report.outside import MOST_ROWS

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
class Carried:
    """Those inputs that rest on an assumption, and what the calculation gives for other numbers of them."""

    inputs: tuple[Input, ...]
    top: Callable[[Sequence[float]], float]
    level: float
    """At which the inputs' bounds count."""
    by_values: bool
    """Whether only values can be carried up, no bounds."""
    at_worst: float | None
    """What it gives when all of them are certain to happen; None where that has no meaning."""

    @property
    def worst_words(self) -> str:
        """When that is so."""
        return f"with {' and '.join(repr(each.label) for each in self.inputs)} at 1"


def carried(result: Result, reference: str, assumption: Assumption) -> Carried | None:
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
) -> Carried:
    limits = product.details.get("factors", {})
    by_values = set(limits) != set(fed)
    numbers = {label: float(each.value if by_values else limits[label]) for label, (_, each) in fed.items()}
    others = math.prod(number for label, number in numbers.items() if label not in resting)
    bounded = all(is_probability(result, reference, each) for reference, each in resting.values())
    level = product.details.get("level", 0.95)
    uncertain = max(len(fed) - len(product.details.get("stated", ())), 1)
    return Carried(
        tuple(Input(label, *resting[label], numbers[label]) for label in resting),
        lambda found: others * math.prod(found),
        1 - (1 - level) / uncertain,
        by_values,
        others if bounded else None,
    )


def _of_tree(result: Result, reference: str, resting: Mapping[str, tuple[str, Estimate]]) -> Carried | None:
    """By the importance of one event: the top event's probability is linear in that of the event."""
    measures = _importance(result, reference)
    label, *more = resting
    if more or label not in measures:
        return None
    absent, slope = measures[label]
    source, estimate = resting[label]
    return Carried(
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
