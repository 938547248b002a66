"""A result as rows, tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.core.bound import Bound
from surefoot.core.distributions import Empirical
from surefoot.core.errors import LevelUnavailable
from surefoot.core.estimate import Estimate
from surefoot.core.evidence import Artefact, Table
from surefoot.documents import percent, significant
from surefoot.faulttree import cutsets
from surefoot.faulttree.figures import as_artefact, importance_chart, top_event_figure
from surefoot.faulttree.uncertainty import event_matrix, tightening

if TYPE_CHECKING:
    from surefoot.faulttree.result import TreeResult

MOST_CUT_SETS = 50
NAMED = 5
Row = tuple[str, str]


def rows(result: TreeResult) -> list[Row]:
    """Label and text of what a reader needs to see."""
    return [*_top_rows(result), *_structure_rows(result), *_basis_rows(result)]


def tables(result: TreeResult) -> dict[str, Table]:
    """Importance, approximations, the most probable cut sets, the tornado."""
    found = {"approximations": _approximation_table(result)} if result.approximations else {}
    if result.importance is not None:
        found["importance"] = result.importance.sorted().to_table()
    if "counted together" in result.top.details:
        found["counts"] = _count_table(result)
    if result.compiled:
        found["cut sets"] = _cut_set_table(result)
    if result.tornado is not None and result.tornado.bars:
        found["tornado"] = result.tornado.table()
    return found


def figures(result: TreeResult) -> dict[str, Artefact]:
    """The top event against its target, importance, and the tornado."""
    top = top_event_figure(result.top, target=result.target, level=result.level)
    found = {"top event": as_artefact(top)}
    if result.importance is not None and len(result.importance.only("event")):
        found["importance"] = as_artefact(importance_chart(result.importance.only("event")))
    if result.tornado is not None and result.tornado.bars:
        found["tornado"] = as_artefact(result.tornado.plot())
    return found


def _top_rows(result: TreeResult) -> Iterator[Row]:
    top = result.top
    apart = "" if result.exact else ", of the tree as read" if result.compiled else ", no exact value"
    yield "top event", f"{significant(top.value)} {top.unit}{apart}"
    for text in result.tree.left_out:
        yield "left out", text
    if isinstance(top.dist, Empirical):
        yield (
            "inputs at their values",
            f"{significant(result.probability or 0.0)} {top.unit}; above is the mean of draws",
        )
    yield _bound_row(top, result.level)
    if "because" in top.details:
        yield "bounds by", f"{top.details['method']}: {top.details['because']}"
    if result.credible is not None:
        low, high = result.credible.interval(result.level)
        ends = f"{significant(low, rounding='down')} to {significant(high, rounding='up')}"
        yield "credible view", f"mean {significant(result.credible.value)}, {ends} (Jeffreys' prior for each count)"
    if result.verdict is not None:
        yield "target", f"{result.verdict.target}: {result.verdict}"


def _bound_row(top: Estimate, level: float) -> Row:
    averages = [bound for bound in top.bounds if isinstance(bound, Bound) and bound.kind == "expectation"]
    if averages:
        limits = (f"{bound.side} {significant(bound.limit, rounding='up')}" for bound in averages)
        return "bound", f"{', '.join(limits)} (expectation: holds on average over data sets, without a level)"
    try:
        low, high = top.interval(level)
    except LevelUnavailable as error:
        return "interval", str(error)
    kind = top.bounds[0].kind
    stated = "" if kind == "certain" else f" at {percent(level)}"
    return "interval", f"{significant(low, rounding='down')} to {significant(high, rounding='up')} ({kind}{stated})"


def _structure_rows(result: TreeResult) -> Iterator[Row]:
    if not result.compiled:
        return
    yield "basic events", f"{len(result.tree.compiled.events):,} that matter"
    apart = "" if result.tree.compiled.coherent else "; not coherent: each holds where all other events are absent"
    yield "minimal cut sets", f"{result.cut_set_count:,}{apart}"
    for approximation in result.approximations:
        yield approximation.name, f"{significant(approximation.value)} ({approximation.error:+.2%} off)"
    if result.importance is None:
        yield "most critical", "undefined, because the top event has probability 0 with every input at its value"
    else:
        most = result.importance.only("event").sorted().first(NAMED)
        shares = zip(most.names, most.values["criticality"], strict=True)
        yield "most critical", ", ".join(f"{name} {significant(share)}" for name, share in shares if share is not None)


def _basis_rows(result: TreeResult) -> Iterator[Row]:
    for assumption in result.top.assumptions:
        about = f"{assumption.scope}: " if assumption.scope else ""
        yield "assumes", f"{about}{assumption.text} ({assumption.status})"
    for caveat in result.top.caveats:
        yield "caveat", str(caveat)


def _approximation_table(result: TreeResult) -> Table:
    found = tuple((a.name, a.value, a.error, a.text) for a in result.approximations)
    exact = ("exact" if result.exact else "of the tree as read", result.probability, 0.0, "decision diagram")
    return Table(("method", "probability", "relative error", "what it is"), (exact, *found))


def _count_table(result: TreeResult) -> Table:
    """The counts behind the bounds, and how much one more test of each would lower the upper one."""
    gains = tightening(result.tree, result.level)
    rows = tuple(
        (name, int(told["failures"]), told["trials"], told.get("weight"), gains.get(name))
        for name, told in result.top.details["counted together"].items()
    )
    return Table(("input", "failures", "trials", "weight", "bound lower by, for each further test"), rows)


def _cut_set_table(result: TreeResult) -> Table:
    compiled = result.tree.compiled
    known = dict(zip(compiled.events, event_matrix(result.tree, {}, 1)[:, 0].tolist(), strict=True))
    total, sets = result.probability or 0.0, cutsets.cut_sets(compiled, known, limit=MOST_CUT_SETS, by="probability")
    # Where others must be absent, the product of the present ones is no part of the top event.
    whole = total if compiled.coherent else 0.0
    found = [(str(s), s.order, s.probability, _share(s.probability, whole)) for s in sets]
    return Table(("cut set", "order", "probability", "share of the top event"), tuple(found))


def _share(probability: float | None, total: float) -> float | None:
    return probability / total if probability is not None and total > 0 else None
