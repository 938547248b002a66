"""Tables of the example in Markdown, one function each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ranking import Ranked
from table_one import PRINTED, SCHEMES, VIEWS, Worth

from surefoot.core import Estimate
from surefoot.monitors import MonitorReport
from surefoot.monitors.evaluation import Comparison

FIGURES = ("SG", "RH", "AC")


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as text."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def like_the_paper(found: Mapping[str, Worth]) -> str:
    """Table I: printed rows, then ours, with limits; ``found`` by what to call each."""
    head = ("", "scheme", "sum", *(f"{name} {figure}" for name in VIEWS for figure in FIGURES))
    rows = [
        (
            "printed",
            scheme,
            _printed_sum(scheme),
            *(f"{value:.3f}" for name in VIEWS for value in PRINTED[name, scheme]),
        )
        for scheme in SCHEMES
    ]
    for name, worth in found.items():
        rows += [(name, scheme, *_cells(worth, scheme)) for scheme in SCHEMES]
    return markdown(head, rows)


def by_strength(found: Mapping[float, Worth], marked: Iterable[float]) -> str:
    """A row for each strength, without limits, those as hard as the printed table in bold."""
    head = ("strength", "error rate", *(f"{n} {s} {f}" for n in VIEWS for s in SCHEMES for f in FIGURES))
    chosen = set(marked)
    rows = []
    for strength, worth in found.items():
        name = f"**{strength:+.2f}**" if strength in chosen else f"{strength:+.2f}"
        values = (e.value for n in VIEWS for s in SCHEMES for e in three(worth.reports[n, s]))
        rows.append((name, f"{worth.error:.3f}", *(f"{value:.3f}" for value in values)))
    return markdown(head, rows)


def ranking(found: Ranked) -> str:
    """Detectors, the best in E1 first: rank, what it surely is, safety gain within the budget, and AUROC."""
    head = ("detector", *(f"{s} {f}" for s in SCHEMES for f in ("rank", "surely", "SG", "AUROC")), "microseconds")
    cells = {scheme: _ranks(comparison) for scheme, comparison in found.comparisons.items()}
    names = [contender.name for contender in found.comparisons["E1"].contenders]
    rows = [(name, *(c for s in SCHEMES for c in cells[s][name]), f"{found.microseconds[name]:.0f}") for name in names]
    return markdown(head, rows)


def _ranks(comparison: Comparison) -> dict[str, tuple[str, ...]]:
    ranks = dict(zip(comparison.ranking.names, comparison.ranking.ranks, strict=True))
    surely = dict(zip(comparison.ranking.names, comparison.ranking.certain, strict=True))
    return {
        each.name: (
            str(ranks[each.name]),
            " to ".join(str(end) for end in dict.fromkeys(surely[each.name].tolist())),
            _limits(each.report, each.report.safety_gain),
            "undefined" if each.auroc is None else _limits(each.report, each.auroc),
        )
        for each in comparison.contenders
    }


def three(report: MonitorReport) -> tuple[Estimate, Estimate, Estimate]:
    """Safety gain, residual hazard, availability cost."""
    return report.safety_gain, report.residual_hazard, report.availability_cost


def _cells(worth: Worth, scheme: str) -> tuple[str, ...]:
    reports = [worth.reports[name, scheme] for name in VIEWS]
    cells = (_limits(report, estimate) for report in reports for estimate in three(report))
    return (f"{reports[0].hazard_alone.value:.3f}", *cells)


def _limits(report: MonitorReport, estimate: Estimate) -> str:
    low, high = report.interval(estimate)
    return f"{estimate.value:.3f} ({low:.3f} to {high:.3f})"


def _printed_sum(scheme: str) -> str:
    sums = {f"{PRINTED[name, scheme].gain + PRINTED[name, scheme].residual:.3f}" for name in VIEWS}
    return " / ".join(sorted(sums))
