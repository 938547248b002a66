"""``TreeResult``: everything that is known of a tree's top event, computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from surefoot.core import validate
from surefoot.core.assumption import union
from surefoot.core.bound import Bound, BoundFamily, Side, TabulatedBound, certain
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Empirical, Point
from surefoot.core.errors import LevelUnavailable, Undefined
from surefoot.core.estimate import PER_DEMAND, Estimate, Provenance, Summary
from surefoot.core.evidence import Artefact, Evidence, Table
from surefoot.core.target import Target, Verdict
from surefoot.documents import percent, significant
from surefoot.faulttree.cutsets import approximations, count, cut_sets
from surefoot.faulttree.formula import HIGHEST_LEVEL, as_read
from surefoot.faulttree.importance import Importance, importance
from surefoot.faulttree.logic import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import inputs, typed_in
from surefoot.faulttree.sensitivity import Tornado, tornado
from surefoot.faulttree.uncertainty import (
    QUANTITY,
    TopEvent,
    assumptions,
    drawn_top_event,
    event_matrix,
    relevant_inputs,
    tightening,
    top_event,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IMPORTANCE_DRAWS = 1000


@dataclass(frozen=True)
class Approximation:
    """A number that others would give for the top event, and how far it is from the exact one, relatively.

    See Also
    --------
    TreeResult : Has them as ``approximations``.

    """

    name: str
    value: float
    error: float
    text: str


@dataclass(frozen=True, repr=False)
class TreeResult:
    """The top event and what lies behind it; comes from ``FaultTree.analyse``.

    Where ``compiled`` is false the tree was beyond the budget of nodes or time: ``top`` then has the ends of a
    certified interval as bounds, and nothing else is known. Importances, cut sets, approximations and the tornado are
    computed when first asked for.

    See Also
    --------
    FaultTree.analyse : Makes it, with an example.

    """

    tree: FaultTree
    top: Estimate
    compiled: bool
    level: float
    seed: int
    target: Target | None = None

    @property
    def exact(self) -> bool:
        """Whether the number is what the file means: computed on all of the tree, and nothing of the file left out."""
        return self.compiled and not self.tree.left_out

    @cached_property
    def verdict(self) -> Verdict | None:
        """Whether the target is met; None without one."""
        return None if self.target is None else self.top.meets(self.target)

    @cached_property
    def stated(self) -> tuple[str, ...]:
        """Events, parameters and groups that matter and hold numbers of the tree itself, and not results alone."""
        tree = self.tree
        members = {member for group in tree.groups for member in group.members}
        matter = {*tree.compiled.events, *members} if self.compiled else {*tree.events}
        named = typed_in(tree, events=[event for event in tree.events if event in matter])
        return (*named, *(group.name for group in tree.groups))

    @cached_property
    def credible(self) -> Estimate | None:
        """The credible view of a top event whose counts gave it confidence bounds: the posteriors drawn together."""
        counted = "counted together" in self.top.details
        if not counted or any(e.dist is None for e in relevant_inputs(self.tree).values()):
            return None
        return drawn_top_event(self.tree, level=self.level, seed=self.seed, unit=self.top.unit)

    @cached_property
    def probability(self) -> float | None:
        """The probability of the top event of the tree, computed exactly, with every input at its value."""
        return float(TopEvent(self.tree).at({}, 1)[0]) if self.compiled else None

    @cached_property
    def importance(self) -> Importance | None:
        """Importance of events and gates; None where it is not known, or the top event cannot happen."""
        if not self.compiled:
            return None
        try:
            return importance(self.tree, level=self.level, draws=self._draws, seed=self.seed)
        except Undefined:
            return None

    @cached_property
    def cut_set_count(self) -> int | None:
        """How many minimal cut sets there are."""
        return count(self.tree.compiled) if self.compiled else None

    @cached_property
    def approximations(self) -> tuple[Approximation, ...]:
        """The rare-event approximation and the min-cut upper bound, labelled as what they are."""
        if not self.compiled:
            return ()
        p = event_matrix(self.tree, {}, 1)[:, 0]
        exact, found = float(self.tree.compiled.probability(p)), approximations(self.tree.compiled, p)
        named = (
            ("rare-event approximation", found.rare_event, "sum of the probabilities of the minimal cut sets"),
            ("min-cut upper bound", found.min_cut_upper_bound, "as if minimal cut sets were independent"),
        )
        return tuple(Approximation(n, float(v), (float(v) - exact) / exact if exact else 0.0, t) for n, v, t in named)

    @cached_property
    def tornado(self) -> Tornado | None:
        """How far each uncertain input moves the top event."""
        return tornado(self.tree, level=self.level) if self.compiled else None

    def evidence(self) -> Evidence:
        """The top event as an estimate, with tables and figures."""
        return Evidence(
            (self.top,),
            tables(self),
            figures(self),
            provenance=Provenance("fault tree", {"top": self.top.key}, inputs=(self.top.key,), seed=self.seed),
        )

    def plot(self, *, target: Target | None = None, ax: Axes | None = None) -> Axes:
        """What is believed about the top event, its value and interval, and the target it is held against."""
        from surefoot.faulttree.charts import top_event_figure

        return top_event_figure(self.top, target=target, level=self.level, ax=ax)

    def summary(self) -> Summary:
        """What a reader needs to see."""
        return Summary(f"{self.tree.name}: {self.tree.top}", rows(self))

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"TreeResult({self.tree.name!r}, {self.top.value:.6g}, {'exact' if self.exact else 'not exact'})"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    @property
    def _draws(self) -> int:
        """Enough for both tails of the interval."""
        return max(IMPORTANCE_DRAWS, int(25 / (1 - self.level)))


def analyse(
    tree: FaultTree,
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    unit: str = PER_DEMAND,
    target: Target | None = None,
    budget: Budget | None = None,
    mix: bool = False,
    anytime: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> TreeResult:
    """The exact probability of the top event with its uncertainty, and everything else on demand.

    A tree beyond the budget gets a certified interval instead of an exact probability. Where something of the file is
    left out of the tree, the bounds guarantee nothing, and caveats say what is missing. ``anytime`` is for counts
    that were looked at while testing went on, and may have ended it: their bounds hold all the same.
    """
    level = validate.level(level, where="analyse")
    try:
        tree.compile(budget)
        top = top_event(
            tree, level=level, draws=draws, seed=seed, unit=unit, mix=mix, anytime=anytime, progress=progress
        )
    except BeyondBudget as beyond:
        return TreeResult(tree, as_read(tree, _enclosed(tree, beyond, unit)), False, level, seed, target)
    return TreeResult(tree, top, True, level, seed, target)


def _enclosed(tree: FaultTree, beyond: BeyondBudget, unit: str) -> Estimate:
    """The certified interval; it has the inputs at their values, so that it proves nothing where they are uncertain."""
    given = inputs(tree.expanded).values()
    known = all(isinstance(e.dist, Point) for e in given)
    text = f"The probability lies between {beyond.low:.6g} and {beyond.high:.6g}; an exact one is beyond the budget."
    rest = "" if known else " Every input has its value here: their uncertainty is not in these bounds."
    beyond_budget = Diagnostic("tree-beyond-budget", text + rest, hint="Give a larger budget of nodes and seconds.")
    return Estimate(
        QUANTITY,
        beyond.high,
        unit,
        tree.name,
        bounds=(_bound(beyond.high, "upper", known), _bound(beyond.low, "lower", known)),
        assumptions=union(assumptions(tree), *(e.assumptions for e in given)),
        caveats=tuple(dict.fromkeys((beyond_budget, *(caveat for e in given for caveat in e.caveats)))),
        provenance=Provenance(
            "certified interval",
            TopEvent(tree).to_dict(),
            inputs=tuple(dict.fromkeys(e.key for e in given)),
        ),
    )


def _bound(limit: float, side: Side, known: bool) -> BoundFamily:
    if known:
        return certain(limit, side)
    return TabulatedBound((HIGHEST_LEVEL,), (limit,), side, "heuristic")


# A result as rows, tables and figures.

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
    from surefoot.faulttree.charts import as_artefact, importance_chart, top_event_figure

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
        if result.verdict and result.stated:
            yield "as stated", f"{validate.listed(result.stated)}: numbers of the tree itself, which nobody measured"


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
    total, sets = result.probability or 0.0, cut_sets(compiled, known, limit=MOST_CUT_SETS, by="probability")
    # Where others must be absent, the product of the present ones is no part of the top event.
    whole = total if compiled.coherent else 0.0
    found = [
        (str(s), s.order, s.probability, s.probability / whole if s.probability is not None and whole > 0 else None)
        for s in sets
    ]
    return Table(("cut set", "order", "probability", "share of the top event"), tuple(found))
