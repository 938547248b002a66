"""The chapter on the case: what would raise it most, what other methods say, and the outline that becomes a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from surefoot.case.case import Case
from surefoot.case.evaluation import Evaluation, Lever, Methods
from surefoot.case.notation import Notation
from surefoot.core import Diagnostic
from surefoot.documents import shortened, significant
from surefoot.report.case_assets import case_script
from surefoot.report.case_layout import Graph
from surefoot.report.case_outline import Row, fragments, outline
from surefoot.report.case_words import SIGNS, share

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_LEVERS = 5
MOST_FINDINGS = 6
LONGEST_TEXT = 140
SMALLEST_EFFECT = 0.0005
"""Below this the effect rounds to no tenth of a percentage point and is told as a factor."""
SMALLEST_FACTOR = 1.05
"""What raises less than that raises nothing worth telling."""


@dataclass(frozen=True)
class Raising:
    """A leaf of which certainty would raise the top claim."""

    id: str
    fragment: str
    text: str
    rise: str
    """Percentage points, or a factor where the claim is so unlikely that points say nothing."""
    whole: float
    """The same in per cent of the largest effect, for a bar."""


@dataclass(frozen=True)
class Method:
    """The top claim by one way to reckon."""

    name: str
    says: str
    means: str


@dataclass(frozen=True)
class Chapter:
    """Everything the chapter shows."""

    name: str
    notation: Notation
    rows: tuple[Row, ...]
    top: Row | None
    counts: tuple[tuple[str, int], ...]
    """Standings with how many nodes have them, doubts left out."""
    levers: tuple[Raising, ...]
    methods: tuple[Method, ...]
    findings: tuple[Diagnostic, ...]
    more_findings: int
    weakest: str
    """Fragment of the weakest link; empty where all is supported."""
    standards: tuple[tuple[str, tuple[str, ...]], ...]
    """Standards with the activities that nodes are tagged with."""

    @property
    def tags(self) -> tuple[str, ...]:
        """All activities, as the outline numbers them."""
        return tuple(tag for _, tags in self.standards for tag in tags)

    @cached_property
    def graph(self) -> Graph:
        """The rows as boxes with their sizes, and the places of those that are open at first."""
        return Graph(self.rows, self.weakest)

    @property
    def script(self) -> Markup:
        """The script that turns the outline into a graph."""
        from markupsafe import Markup

        return Markup(case_script())


def case_chapter(case: Case, evaluation: Evaluation, *, anchors: Mapping[str, str]) -> Chapter:
    """What to show of a case.

    ``anchors`` says for ``step.quantity``, steps and ids of assumptions where the page shows them: ids of elements.
    """
    rows = outline(evaluation, case, anchors)
    levers = _levers(case, evaluation)
    return Chapter(
        name=case.name,
        notation=case.notation,
        rows=rows,
        top=rows[0] if case.tops else None,
        counts=_counts(rows),
        levers=levers,
        methods=_methods(evaluation.methods.get(case.top.id)) if case.tops else (),
        findings=evaluation.findings[:MOST_FINDINGS],
        more_findings=max(0, len(evaluation.findings) - MOST_FINDINGS),
        weakest=fragments(case)[evaluation.weakest] if evaluation.weakest in case else _worst(rows),
        standards=_standards(rows),
    )


def _counts(rows: Sequence[Row]) -> tuple[tuple[str, int], ...]:
    found = Counter(row.standing for row in rows if row.standing and row.relation != "against")
    return tuple((standing, found[standing]) for standing in SIGNS if found[standing])


def _levers(case: Case, evaluation: Evaluation) -> tuple[Raising, ...]:
    places = fragments(case)
    found = [each for each in evaluation.levers if each.id in case and risen(each)][:MOST_LEVERS]
    largest = max((each.effect for each in found), default=1.0)
    return tuple(
        Raising(
            each.id,
            places[each.id],
            shortened(case[each.id].text, LONGEST_TEXT),
            risen(each),
            round(100 * each.effect / largest, 1),
        )
        for each in found
    )


def risen(lever: Lever) -> str:
    """What a lever does, in points or as a factor; empty where that is too little to tell.

    >>> risen(Lever("E", 0.042, (), 1.1)), risen(Lever("E", 1e-6, (), 2.5)), risen(Lever("E", 1e-6, (), 1.0))
    ('+4.2 points', '2.5 times', '')
    """
    if lever.effect >= SMALLEST_EFFECT:
        return f"+{100 * lever.effect:.1f} points"
    if lever.factor == inf:
        return "from 0"
    return f"{significant(lever.factor)} times" if lever.factor >= SMALLEST_FACTOR else ""


def _methods(methods: Methods | None) -> tuple[Method, ...]:
    if methods is None:
        return ()
    interval = f"{share(methods.belief)} to {share(methods.plausibility)}"
    return (
        Method("Subjective logic", share(methods.opinion), "what is not known counts at its base rate"),
        Method("Dempster and Shafer", interval, "at least what speaks for it, at most what does not speak against it"),
        Method("Bayesian network", share(methods.network), "every node true or false, with a probability"),
        Method("Eliminated doubts", f"{methods.eliminated} of {methods.doubts}", "counted, not weighed"),
    )


def _worst(rows: Sequence[Row]) -> str:
    """Of the leaves the first that is contradicted, else the first that is not shown."""
    leaves = [row for row in rows if not row.opens and not row.again]
    for standing in ("contradicted", "not shown"):
        for row in leaves:
            if row.standing == standing:
                return row.fragment
    return ""


def _standards(rows: Sequence[Row]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, dict[str, None]] = {}
    for tag in (tag for row in rows for tag in row.tags):
        found.setdefault(tag.partition(":")[0].strip(), {})[tag] = None
    return tuple((standard, tuple(sorted(tags))) for standard, tags in sorted(found.items()))
