"""How much each event and gate matters, by every usual measure.

The top event is linear in the probability of each basic event: ``P = p P(top | e) + (1 - p) P(top | not e)``. So the
derivative gives both conditional probabilities, and everything here is exact.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from surefoot.core import validate
from surefoot.core.bound import Kind
from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.estimate import table_html
from surefoot.core.evidence import Table
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.joint_importance import InputPoints, input_points
from surefoot.faulttree.logic import Budget, Compiled, decision_diagram
from surefoot.faulttree.logic.circuit import lower, simplified
from surefoot.faulttree.logic.compilation import compile_circuit
from surefoot.faulttree.logic.decision_diagram import Diagram
from surefoot.faulttree.logic.engines import Engine, Limit, OverLimit, OxiddEngine
from surefoot.faulttree.model import FaultTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Measure = Literal[
    "birnbaum",
    "criticality",
    "fussell_vesely",
    "diagnostic",
    "raw",
    "rrw",
    "conditional",
    "differential_uniform",
    "differential_proportional",
]
MEASURES: tuple[Measure, ...] = get_args(Measure)

MEANINGS: dict[Measure, str] = {
    "birnbaum": "P(top | x) - P(top | not x): how the top event changes with x (Birnbaum 1969)",
    "criticality": "(P(top) - P(top | not x)) / P(top): share of the top event that goes when x cannot happen",
    "fussell_vesely": "P(some minimal cut set with x is true) / P(top) (Fussell 1975; Vesely et al. 1983)",
    "diagnostic": "P(x | top): how often x has happened when the top event has",
    "raw": "P(top | x) / P(top): risk achievement worth (Vesely et al. 1983)",
    "rrw": "P(top) / P(top | not x): risk reduction worth (Vesely et al. 1983)",
    "conditional": "P(top | x): the top event when x is seen to have happened",
    "differential_uniform": "share of the change when all p change by one amount (Borgonovo, Apostolakis 2001)",
    "differential_proportional": "share of the change when all p change by one factor (Borgonovo, Apostolakis 2001)",
}
"""``criticality`` is often printed as Fussell-Vesely, which Meng (2000) shows to be another number."""


Row = Literal["event", "gate"]
Numbers = tuple[float | None, ...]
SHOWN = 20
PRINTED: tuple[Measure, ...] = ("birnbaum", "criticality", "fussell_vesely", "diagnostic", "raw", "rrw")


CANCELLED = 1e-6
"""Below this share of the top event, a difference of two probabilities has lost too many digits."""

Columns = dict[Measure, FloatArray]


def importance(
    tree: FaultTree,
    *,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    gates: bool | Collection[str] = True,
) -> Importance:
    """How much each basic event and each gate matters to the top event, with intervals from joint draws of the inputs.

    With ``P`` the probability of the top event, ``P1`` and ``P0`` the same with x made certain and impossible:

    - ``birnbaum``: P1 - P0, the derivative of P by the probability of x (Birnbaum 1969), "MIF";
    - ``criticality``: (P - P0) / P, "CIF"; for a basic event birnbaum * p / P. Many tools print it as Fussell-Vesely;
    - ``fussell_vesely``: P(union of the minimal cut sets that contain x) / P (Fussell 1975; Vesely et al. 1983), for
      coherent trees. Never below the criticality; Meng (2000) on the confusion of the two;
    - ``diagnostic``: P(x | top), "DIF" in SCRAM;
    - ``raw``, ``rrw``: P1 / P and P / P0 (Vesely et al. 1983; van der Borst, Schoonakker 2001);
    - ``conditional``: P(top | x). For a basic event P1; for a gate that shares events with the rest of the tree it is
      another number, because to see that a gate is true says something about its events;
    - ``differential_uniform``, ``differential_proportional``: parts of the change of P when all probabilities of basic
      events change by one amount, or by one factor (Borgonovo, Apostolakis 2001).

    A gate is made certain or impossible by putting a constant in its place. ``gates`` is true for all gates (of a tree
    with few enough), or names those to look at.
    """
    around = input_points(tree, level=level, draws=draws, seed=seed)
    compiled = tree.compiled
    p = around.matrix(compiled.events)
    top = np.atleast_1d(compiled.probability(p))
    if not top[0] > 0:
        raise Undefined("the top event has probability 0, so nothing has a share in it", where=f"tree {tree.name!r}")
    named, notes = asked_gates(tree, gates)
    columns, missing = _of_events(compiled, around, p, top)
    below = of_gates(tree, named, around, top).measures() if named else {}
    return _table(around, compiled.events, columns, named, below, (*missing, *notes))


def _of_events(compiled: Compiled, around: InputPoints, p: FloatArray, top: FloatArray) -> tuple[Columns, list[str]]:
    slope = compiled.gradient(p)
    switched = _with_digits(compiled, p, of_events(top, p, slope))
    # What follows from the derivative itself keeps its digits where differences of probabilities cancel.
    exact: Columns = {"birnbaum": slope, "criticality": _shares(p * slope, top), "conditional": switched.present}
    columns = switched.measures() | exact
    if compiled.coherent or around.drawn or around.size == 1:
        # The corners of a box show the range of a quotient only where its denominator keeps its sign.
        columns |= differential(p, slope)
    share, notes = fussell_vesely(compiled, p)
    return (columns if share is None else columns | {"fussell_vesely": _shares(share, top)}), notes


def _shares(part: FloatArray, top: FloatArray) -> FloatArray:
    """Parts of the top event; none in a scenario in which it cannot happen."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return part / top


def _with_digits(compiled: Compiled, p: FloatArray, found: Switched) -> Switched:
    """Evaluates anew what is left without an event, where the difference has cancelled."""
    for row in np.flatnonzero((found.absent < CANCELLED * found.top).any(axis=1)):
        without = p.copy()
        without[row] = 0
        found.absent[row] = compiled.probability(without)
    return found


def _table(
    around: InputPoints,
    events: tuple[str, ...],
    of_event: Columns,
    gates: tuple[str, ...],
    of_gate: Columns,
    notes: tuple[str, ...],
) -> Importance:
    values, low, high = dict[Measure, Numbers](), dict[Measure, Numbers](), dict[Measure, Numbers]()
    for measure in MEASURES:
        parts = [
            _spread(around, block.get(measure), len(names)) for names, block in ((events, of_event), (gates, of_gate))
        ]
        values[measure], low[measure], high[measure] = (sum(column, ()) for column in zip(*parts, strict=True))
    of: tuple[Row, Row] = ("event", "gate")
    kinds = tuple(kind for kind, names in zip(of, (events, gates), strict=True) for _ in names)
    said = tuple(filter(None, (around.note, *notes)))
    return Importance((*events, *gates), kinds, values, low, high, around.level, around.kind, said)


def _spread(around: InputPoints, block: FloatArray | None, rows: int) -> tuple[Numbers, Numbers, Numbers]:
    if block is None or not rows:
        return ((None,) * rows,) * 3
    ends = around.spread(block)
    low, high = ends if ends is not None else ((None,) * rows,) * 2
    return tuple(_plain(block[:, 0])), tuple(_plain(low)), tuple(_plain(high))


def _plain(column: FloatArray | tuple[None, ...]) -> Iterator[float | None]:
    for value in column:
        yield None if value is None or np.isnan(value) else float(value)


# The measures as a table, with intervals.


@dataclass(frozen=True, repr=False)
class Importance:
    """One row for each event or gate; ``values``, ``low`` and ``high`` hold a column for each measure.

    A number is None where it is not defined or not known; ``notes`` say why. ``kind`` is what the intervals are, None
    where there are none.

    See Also
    --------
    FaultTree.importance : Makes it, with an example.

    """

    names: tuple[str, ...]
    kinds: tuple[Row, ...]
    values: Mapping[Measure, Numbers]
    low: Mapping[Measure, Numbers]
    high: Mapping[Measure, Numbers]
    level: float
    kind: Kind | None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in ("values", "low", "high"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def spread(self) -> str:
        """What the intervals are, in words; nothing where there are none, or every number is certain."""
        if self.kind == "certain":
            return "certain intervals" if any(self.low[m] != self.high[m] for m in self.values) else ""
        return "" if self.kind is None else f"{self.kind} intervals at {percent(self.level)}"

    def of(self, name: str, measure: Measure) -> float | None:
        """One number."""
        return self.values[_measure(measure)][self._index(name)]

    def interval(self, name: str, measure: Measure) -> tuple[float | None, float | None]:
        """Its low and high."""
        index, measure = self._index(name), _measure(measure)
        return self.low[measure][index], self.high[measure][index]

    def sorted(self, by: Measure = "criticality") -> Importance:
        """The largest first; what has no number comes last."""
        column = self.values[_measure(by)]
        return self._rows(sorted(range(len(self)), key=lambda i: (_rank(column[i]), self.names[i])))

    def first(self, count: int) -> Importance:
        """The first rows."""
        return self._rows(list(range(min(count, len(self)))))

    def only(self, kind: Row) -> Importance:
        """Events, or gates."""
        return self._rows([i for i, found in enumerate(self.kinds) if found == kind])

    def to_table(self) -> Table:
        """Every measure with its low and high."""
        shown = [m for m in MEASURES if m in self.values]
        head = [text for m in shown for text in (m, f"{m} low", f"{m} high")]
        columns = [column[m] for m in shown for column in (self.values, self.low, self.high)]
        rows = zip(self.names, self.kinds, *columns, strict=True)
        return Table(("name", "kind", *head), tuple(rows))

    def plot(self, *, by: Measure = "criticality", most: int = 15, ax: Axes | None = None) -> Axes:
        """The rows that matter most by one measure, with their intervals."""
        from surefoot.faulttree.charts import importance_chart

        return importance_chart(self, by=by, most=most, ax=ax)

    def __str__(self) -> str:
        head, rows, notes = self._shown()
        return "\n".join([str(Table(head, tuple(rows))), *notes])

    def __repr__(self) -> str:
        return f"Importance({len(self)} rows, level={self.level:g})"

    def _repr_html_(self) -> str:
        head, rows, notes = self._shown()
        return table_html("Importance", head, rows, [*notes, *(f"{m}: {MEANINGS[m]}" for m in PRINTED)])

    def _shown(self) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[str]]:
        most = self.sorted().first(SHOWN)
        rows = [(n, k, *(most._cell(n, m) for m in PRINTED)) for n, k in zip(most.names, most.kinds, strict=True)]
        more = [f"and {len(self) - SHOWN:,} more"] if len(self) > SHOWN else []
        spread = [f"In brackets: {self.spread}"] if self.spread else []
        return ("name", "kind", *PRINTED), rows, [*more, *spread, *self.notes]

    def _cell(self, name: str, measure: Measure) -> str:
        value, (low, high) = self.of(name, measure), self.interval(name, measure)
        if value is None:
            return "-"
        if low is None or high is None or not self.spread:
            return significant(value)
        return f"{significant(value)} ({significant(low, rounding='down')} to {significant(high, rounding='up')})"

    def _rows(self, kept: list[int]) -> Importance:
        return replace(
            self,
            names=tuple(self.names[i] for i in kept),
            kinds=tuple(self.kinds[i] for i in kept),
            values=_chosen(self.values, kept),
            low=_chosen(self.low, kept),
            high=_chosen(self.high, kept),
        )

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise InvalidInput("no such event or gate", where="importance", found=repr(name))
        return self.names.index(name)


def _chosen(columns: Mapping[Measure, Numbers], kept: list[int]) -> dict[Measure, Numbers]:
    return {measure: tuple(column[i] for i in kept) for measure, column in columns.items()}


def _rank(value: float | None) -> float:
    """Equal but for rounding errors is equal, so that the names decide."""
    return math.inf if value is None else -float(f"{value:.9g}")


def _measure(name: str) -> Measure:
    validate.choice(name, MEASURES, where="importance", name="measure")
    return name  # type: ignore[return-value]


# The formulas.


@dataclass(frozen=True, eq=False)
class Switched:
    """The top event as it is, and with each of several events or gates made certain or impossible.

    Each row is an event or gate and each column a scenario; ``top`` has one value a scenario. ``together`` is the
    probability that both the row and the top event happen, ``own`` that of the row.
    """

    top: FloatArray
    own: FloatArray
    present: FloatArray
    absent: FloatArray
    together: FloatArray

    def measures(self) -> dict[Measure, FloatArray]:
        """Those that need nothing else, each of the shape of ``own``; a row that never happens has no conditional."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return {
                "birnbaum": self.present - self.absent,
                "criticality": (self.top - self.absent) / self.top,
                "diagnostic": self.together / self.top,
                "raw": self.present / self.top,
                "rrw": self.top / self.absent,
                "conditional": self.together / self.own,
            }


def of_events(top: FloatArray, p: FloatArray, slope: FloatArray) -> Switched:
    """From the probability of the top event, those of the events and the derivatives by them."""
    present = np.clip(top + (1 - p) * slope, 0, 1)
    absent = np.clip(top - p * slope, 0, 1)
    return Switched(top, p, present, absent, p * present)


def differential(p: FloatArray, slope: FloatArray) -> dict[Measure, FloatArray]:
    """Differential importance (Borgonovo, Apostolakis 2001): parts of a total differential, which add up to 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weighted = p * slope
        return {
            "differential_uniform": slope / slope.sum(axis=0),
            "differential_proportional": weighted / weighted.sum(axis=0),
        }


# The top event with a gate made certain or impossible.

MOST_GATES = 50
"""Each gate asks for diagrams of its own; beyond this number they must be named."""


def asked_gates(tree: FaultTree, gates: bool | Collection[str]) -> tuple[tuple[str, ...], list[str]]:
    """The gates to look at, and what to say where some were left out."""
    plain = tree.expanded
    if not isinstance(gates, bool):
        unknown = [name for name in gates if name not in plain.gates]
        if unknown:
            raise InvalidInput("no such gate", where="importance", found=", ".join(map(repr, unknown)))
        return tuple(gates), []
    below = [name for name in _reached(plain, plain.top) if name in plain.gates and name != plain.top] if gates else []
    if len(below) <= MOST_GATES:
        return tuple(below), []
    return (), [f"Gates are left out, because there are {len(below):,}. Name those to look at."]


def of_gates(tree: FaultTree, gates: tuple[str, ...], around: InputPoints, top: FloatArray) -> Switched:
    """A row for each gate; a constant stands in its place where it is made certain or impossible."""
    rows = [np.array([*_of_gate(tree.expanded, gate, around)]) for gate in gates]
    own, present, absent, together = np.stack(rows, axis=1)
    return Switched(top, own, present, absent, together)


def _of_gate(tree: FaultTree, gate: str, around: InputPoints) -> Iterator[FloatArray]:
    own = _probability(_compiled(tree, gate, tree.gates), around)
    yield own
    # An event in place of the gate: the rest of the tree is compiled once for both of its states.
    cut = _compiled(tree, tree.top, {name: f for name, f in tree.gates.items() if name != gate}, gate)
    present, absent = (_probability(cut, around, {gate: state}) for state in (1.0, 0.0))
    yield from (present, absent)
    if _is_module(tree, gate):
        yield own * present
    else:
        both = f"{gate} and {tree.top}"
        yield _probability(_compiled(tree, both, {**tree.gates, both: Formula("and", (gate, tree.top))}), around)


def _compiled(tree: FaultTree, top: str, gates: Mapping[str, Formula], *more_events: str) -> Compiled:
    events = {**tree.events, **dict.fromkeys(more_events)}
    return compile_circuit(simplified(lower(top, gates, events, tree.houses)), limit=Budget().limit())


def _probability(compiled: Compiled, around: InputPoints, states: Mapping[str, float] | None = None) -> FloatArray:
    return np.broadcast_to(compiled.probability(around.matrix(compiled.events, states)), (around.size,))


def _is_module(tree: FaultTree, gate: str) -> bool:
    """Whether what stands below the gate stands nowhere else."""
    elsewhere = set(_reached(tree, tree.top, without=gate))
    return all(name == gate or name not in elsewhere for name in _reached(tree, gate) if name not in tree.houses)


def _reached(tree: FaultTree, start: str, without: str | None = None) -> Iterator[str]:
    """Names below ``start``, which is the first, each once."""
    seen, stack = {start, without}, [start]
    while stack:
        name = stack.pop()
        yield name
        if name in tree.gates:
            fresh = [inner for inner in dict.fromkeys(tree.gates[name].names()) if inner not in seen]
            seen.update(fresh)
            stack.extend(reversed(fresh))


# The probability that some minimal cut set with an event is true: the numerator of Fussell-Vesely, exactly.
#
# For each column c of a part, ``rests`` has the union of its minimal sets that contain c, with c taken out. It does not
# depend on c, so that P(some set with c) = p(c) P(rest of c). Where the column is itself a part, its own sets take its
# place, and the probabilities multiply, because parts share no events.

NOT_COHERENT = "Fussell-Vesely is left out: it is defined by minimal cut sets of a coherent tree, and this one is not."
TOO_LARGE = "Fussell-Vesely is left out: the unions of minimal cut sets of this tree are too large."
MOST_VALUES = 400_000
"""Node values held at once while scenarios are evaluated."""


def fussell_vesely(compiled: Compiled, p: FloatArray) -> tuple[FloatArray | None, list[str]]:
    """P(some minimal cut set with the event is true), of the shape of ``p``; None, and why, where it is not known."""
    if not compiled.coherent:
        return None, [NOT_COHERENT]
    try:
        families = [rests(part.minimal) for part in compiled.parts]
    except OverLimit:
        return None, [TOO_LARGE]
    diagrams = [*(part.diagram for part in compiled.parts), *(d for family in families for d in family.values())]
    largest = max((len(diagram.column) for diagram in diagrams), default=1)
    step = max(1, MOST_VALUES // largest)
    blocks = [p[:, start : start + step] for start in range(0, p.shape[1], step)]
    return np.concatenate([_fussell_vesely_shares(compiled, families, block) for block in blocks], axis=1), []


def _fussell_vesely_shares(compiled: Compiled, families: list[dict[int, Diagram]], p: FloatArray) -> FloatArray:
    columns = list(p)
    for part in compiled.parts:
        columns.append(np.broadcast_to(decision_diagram.probability(part.diagram, columns), p.shape[1:]))
    share = np.zeros((len(columns), p.shape[1]))
    share[-1] = 1
    for index in reversed(range(len(families))):
        for column, rest in families[index].items():
            share[column] = share[len(p) + index] * decision_diagram.probability(rest, columns)
    return p * share[: len(p)]


# Unions of minimal sets as decision diagrams, for all columns of a part.

MOST_STEPS = 500_000
FEWEST_NODES, MOST_NODES, GROWTH = 1 << 14, 1 << 22, 512
"""Nodes that are set aside: so many times those of the minimal sets, within limits."""


def rests(minimal: Diagram, *, engine: Engine | None = None) -> dict[int, Diagram]:
    """For each column the union of the minimal sets that contain it, without it.

    ``minimal`` is the zero-suppressed diagram of the sets. Raises ``OverLimit`` where the work would take too long.
    """
    if sum(minimal.size - at.start for _, at in minimal.levels) > MOST_STEPS:
        raise OverLimit("the minimal sets of this part take too many steps to join")
    unions = _Unions(minimal, engine or OxiddEngine())
    return {column: unions.without(place) for place, (column, _) in enumerate(minimal.levels)}


class _Unions:
    """The union of the sets below each node of the family."""

    def __init__(self, minimal: Diagram, engine: Engine) -> None:
        self.minimal, self.columns = minimal, [column for column, _ in reversed(minimal.levels)]
        room = min(max(FEWEST_NODES, GROWTH * minimal.size), MOST_NODES)
        self.operations = engine.operations(len(self.columns), Limit(room))
        self.low, self.high = minimal.low.tolist(), minimal.high.tolist()
        self.false = self.operations.constant(False)
        self.below = [self.false, self.operations.constant(True)]
        for variable, nodes in self._levels(0):
            self.below += [self._joined(variable, self.below[self.low[n]], self.below[self.high[n]]) for n in nodes]

    def without(self, place: int) -> Diagram:
        """The union of the sets with the column at this place from the bottom; nodes below it have no such sets."""
        found = {node: self.below[self.high[node]] for node in _nodes(self.minimal.levels[place][1])}
        for variable, nodes in self._levels(place + 1):
            for node in nodes:
                low, high = self.low[node], self.high[node]
                if low in found or high in found:
                    found[node] = self._joined(variable, found.get(low, self.false), found.get(high, self.false))
        return self.operations.diagram(found[self.minimal.root], tuple(self.columns))

    def _levels(self, start: int) -> Iterator[tuple[Any, range]]:
        for place, (_, at) in enumerate(self.minimal.levels[start:], start):
            yield self.operations.variable(len(self.columns) - 1 - place), _nodes(at)

    def _joined(self, variable: Any, low: Any, high: Any) -> Any:
        return self.operations.disjunction(low, self.operations.conjunction(variable, high))


def _nodes(at: slice) -> range:
    return range(at.start, at.stop)
