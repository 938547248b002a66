"""What if several measures are taken at once: every combination of candidates, and the cheapest that suffices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from surefoot.bounds.planning import Aim
from surefoot.core import Estimate, InvalidInput, Summary, Table, Target, Verdict, validate
from surefoot.documents import percent, shortened, significant
from surefoot.drawing import BLUE, GREEN, GREY, INK, PALE, new_axes, open_frame
from surefoot.faulttree.analysis import TreeResult, analyse
from surefoot.faulttree.logic.engines import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.hazards.improvement.countermeasures import Candidate, Chosen, Conflict, allowed, check, conflicts, up_to
from surefoot.hazards.improvement.evaluator import WHERE, Evaluator, Question, too_large

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 2**12
SHOWN = 8
LONGEST_NAME, LONGEST_TITLE = 40, 60
NOTHING = "as it is"


def candidates(
    tree: FaultTree,
    target: float | Target,
    measures: Iterable[Candidate],
    *,
    combine: bool = True,
    most: int = MOST,
    level: float | None = None,
    draws: int = 10_000,
    seed: int = 0,
    mix: bool = False,
    budget: Budget | None = None,
) -> Candidates:
    """The top event and its verdict for combinations of candidate measures, with the cheapest that suffices.

    Every set of candidates is looked at where there are at most ``most`` of them; otherwise each alone, all pairs as
    far as they fit, and a chain that adds the best candidate, for its cost where costs are stated, until none is left.
    Factors of several candidates multiply and barriers add up; two candidates that give one event different values are
    not combined, and the result says so. What is uncertain is drawn once for all.

    Parameters
    ----------
    tree
        The fault tree as it is.
    target
        What is asked of its top event; a number is a largest probability.
    measures
        The candidates.
    combine
        Whether more than one may be taken.
    most
        How many sets are looked at.
    level
        It comes before that of the target.
    draws, seed, mix
        As for ``FaultTree.analyse``.
    budget
        Nodes and seconds for the exact probability.

    Returns
    -------
    Candidates
        Combinations, those that meet the target first; none where the tree is beyond the budget.

    Examples
    --------
    >>> from surefoot import FaultTree
    >>> from surefoot.faulttree import Formula
    >>> from surefoot.faulttree.quantities import Fixed
    >>> from surefoot.hazards.improvement import Times
    >>> crash = {"crash": Formula("or", ("blind", "late"))}
    >>> tree = FaultTree("crash", crash, {"blind": Fixed(0.01), "late": Fixed(0.002)})
    >>> found = candidates(tree, 0.005, [Candidate("second camera", {"blind": Times(0.1)}, cost=4000)])
    >>> str(found.cheapest), found.cheapest.cost
    ('second camera', 4000.0)

    """
    asked = Question.of(target, level, where=WHERE)
    found = _checked(measures)
    plain = tree.expanded
    check(plain, found)
    most = validate.count(most, where=WHERE, name="most", at_least=1)
    evaluator = Evaluator(plain, found, asked, validate.count(draws, where=WHERE, name="draws", at_least=1), seed, mix)
    against = conflicts(found)
    try:
        plain.compile(budget)
    except BeyondBudget as beyond:
        return Candidates(evaluator, (), tuple(against.values()), (too_large(tree, beyond),))
    search = _Search(evaluator, against)
    complete = 2 ** len(found) <= most
    sets = up_to(len(found), len(found) if combine and complete else 1, against)
    search.look_at(sets)
    if combine and not complete:
        search.some_more(most)
    notes = [*search.notes] if complete or not combine else [_incomplete(len(found), search), *search.notes]
    priced = any(candidate.cost is not None for candidate in found)
    options = ordered(with_front(search.options.values(), priced=priced), priced=priced)
    return Candidates(evaluator, options, tuple(against.values()) if combine else (), tuple(notes))


@dataclass(frozen=True, repr=False)
class Candidates:
    """Combinations of candidates, those that meet the target first; none where the tree is beyond the budget.

    Parameters
    ----------
    evaluator
        The tree, the candidates and how inputs are drawn.
    options
        The combinations that were looked at.
    conflicts
        Pairs that were not combined.
    notes
        What else must be said.

    See Also
    --------
    candidates

    """

    evaluator: Evaluator
    options: tuple[Combination, ...]
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tree(self) -> FaultTree:
        """The tree as it is, without groups."""
        return self.evaluator.tree

    @property
    def target(self) -> Target:
        """What is asked of the top event."""
        return self.evaluator.asked.target

    @property
    def aim(self) -> Aim:
        """The limit and level of the verdict."""
        return self.evaluator.asked.aim

    @property
    def measures(self) -> tuple[Candidate, ...]:
        """The candidates."""
        return tuple(self.evaluator.candidates)

    @property
    def priced(self) -> bool:
        """Whether some candidate has a cost; otherwise options are compared by how many candidates they take."""
        return any(candidate.cost is not None for candidate in self.measures)

    @cached_property
    def cheapest(self) -> Combination | None:
        """The cheapest option that meets the target, or the smallest where nothing has a cost."""
        first = self.options[0] if self.options else None
        return first if first is not None and first.met else None

    @property
    def front(self) -> tuple[Combination, ...]:
        """The options that no other beats in cost and bound, the cheapest first."""
        best = [option for option in self.options if option.best]
        return tuple(sorted(best, key=lambda option: -option.bound))

    def __getitem__(self, names: str | tuple[str, ...]) -> Combination:
        wanted = {names} if isinstance(names, str) else set(names)
        found = next((option for option in self.options if set(option.names) == wanted), None)
        if found is None:
            raise InvalidInput("this combination was not looked at", where="candidates", found=", ".join(wanted))
        return found

    def result(self, *names: str) -> TreeResult:
        """The whole analysis of the tree with some candidates: distribution, importances, cut sets."""
        known = {candidate.name: place for place, candidate in enumerate(self.measures)}
        for name in names:
            validate.choice(name, known, where="candidates", name="candidate")
        chosen: Chosen = tuple(sorted({known[name] for name in names}))
        return analyse(self.evaluator.changed(chosen), target=self.target, **self.evaluator.options)

    def table(self) -> Table:
        """One row a combination: those that meet the target first, the cheapest on top."""
        head = ("measures", "cost", "top event", "upper bound", "verdict", "best for its cost")
        rows = ((str(o), o.cost, o.top.value, o.bound, o.verdict.status, "yes" if o.best else "") for o in self.options)
        return Table(head, tuple(rows))

    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        return (*_sentences(self), *map(str, self.conflicts), *self.notes)

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        limit = significant(self.aim.limit, rounding="down")
        rows = [("target", f"{self.target}, limit {limit}"), *((str(o), _line(o)) for o in self.options[:SHOWN])]
        more = len(self.options) - SHOWN
        rows += [("", f"and {more:,} more combinations")] if more > 0 else []
        return Summary(f"Candidates for {self.tree.top}", rows, self.sentences())

    def plot(self, axes: Axes | None = None) -> Axes:
        """Cost against the upper bound, with the front and the target."""
        return cost_against_bound(self, axes)

    def __repr__(self) -> str:
        return f"Candidates({self.tree.top!r}, {len(self.measures)} candidates, {len(self.options)} combinations)"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True)
class Combination:
    """Candidates that are carried out together, and what they make of the top event; none of them is the tree as it is.

    Parameters
    ----------
    names
        The candidates.
    cost
        Their sum; None where one of them has none.
    top, bound, verdict
        The top event, its upper bound at the level of the verdict, and the verdict.
    best
        Whether no other is cheaper and has a lower bound (the Pareto front).

    See Also
    --------
    candidates

    """

    names: tuple[str, ...]
    cost: float | None
    top: Estimate
    bound: float
    verdict: Verdict
    best: bool = False

    @property
    def met(self) -> bool:
        """Whether the target is shown to be met."""
        return bool(self.verdict)

    @property
    def effort(self) -> float:
        """The cost, or infinity where nobody knows it."""
        return math.inf if self.cost is None else self.cost

    def __str__(self) -> str:
        return " + ".join(self.names) or NOTHING


def _sentences(found: Candidates) -> Iterator[str]:
    if not found.options:
        return
    best = found.cheapest
    if best is None:
        least = min(found.options, key=lambda option: option.bound)
        yield (
            f"No combination that was looked at meets the target; {least} has the lowest upper bound at "
            f"{percent(found.aim.level)}, {significant(least.bound, rounding='up')}."
        )
    elif not best.names:
        yield "The target is met as things stand."
    elif best.cost is None:
        yield f"{best} meets the target with the fewest measures."
    else:
        yield f"{best} is the cheapest that meets the target: {significant(best.cost)}."
    unpriced = [candidate.name for candidate in found.measures if candidate.cost is None]
    if found.priced and unpriced:
        yield f"No cost is stated for {', '.join(unpriced)}; combinations with it come last and are not on the front."


def _line(option: Combination) -> str:
    cost = "" if option.cost is None else f", cost {significant(option.cost)}"
    return f"{option.verdict.status}, upper bound {significant(option.bound, rounding='up')}{cost}"


def cost_against_bound(found: Candidates, axes: Axes | None = None) -> Axes:
    """A point a combination, green where it meets the target; a line joins those that no other beats."""
    shown = [option for option in found.options if option.cost is not None or not found.priced]
    if not shown:
        raise InvalidInput("there is nothing to draw", where="plot", found="; ".join(found.notes) or "no costs")
    axes = axes or new_axes(7.6, 4.6)
    _points(axes, [option for option in shown if not option.met], found.priced, GREY, "not shown to meet the target")
    _points(axes, [option for option in shown if option.met], found.priced, GREEN, "meets the target")
    _front(axes, found)
    _target(axes, found)
    _scales(axes, shown, found.priced)
    top = shortened(found.tree.top, LONGEST_TITLE)
    axes.set(xlabel="cost" if found.priced else "number of measures")
    axes.set_ylabel(f"{percent(found.aim.level)} upper bound of\n{top}")
    axes.grid(True, color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 1.0), frameon=False, fontsize=9, ncols=2)
    return open_frame(axes)


def _points(axes: Axes, options: Sequence[Combination], priced: bool, colour: str, label: str) -> None:
    if options:
        places = [_place(option, priced) for option in options]
        axes.scatter(places, [option.bound for option in options], s=34, color=colour, label=label, zorder=3)


def _place(option: Combination, priced: bool) -> float:
    return option.effort if priced else len(option.names)


def _front(axes: Axes, found: Candidates) -> None:
    """A staircase, because a combination between two does not exist."""
    front = found.front
    places = [_place(option, found.priced) for option in front]
    bounds = [option.bound for option in front]
    axes.step(places, bounds, where="post", color=BLUE, lw=1.6, label="best for their cost", zorder=2)
    if found.cheapest is not None:
        best = found.cheapest
        place = _place(best, found.priced)
        name = f"cheapest that meets it: {shortened(str(best), LONGEST_NAME)}"
        axes.scatter([place], [best.bound], s=130, facecolors="none", edgecolors=INK, lw=1.6, label=name, zorder=4)


def _target(axes: Axes, found: Candidates) -> None:
    """The limit that counts, and the stated one where the target itself is uncertain."""
    limit = found.aim.limit
    uncertain = found.target.uncertainty is not None
    said = f"cautious limit {significant(limit)}" if uncertain else f"target {significant(limit)}"
    axes.axhline(limit, color=GREEN, lw=1.4, ls="--", label=said)
    if uncertain:
        stated = found.target.limit
        axes.axhline(stated, color=GREEN, lw=1, ls=":", label=f"stated limit {significant(stated)}")


def _scales(axes: Axes, shown: Sequence[Combination], priced: bool) -> None:
    """Ticks at 1, 2 and 5 of every decade, with numbers as elsewhere in the text."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.margins(y=0.12)
    if min(option.bound for option in shown) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
        axes.yaxis.set_minor_formatter(NullFormatter())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: significant(float(value))))
    most = max(_place(option, priced) for option in shown) or 1.0
    axes.set_xlim(-0.03 * most, 1.05 * most)


def _checked(measures: Iterable[Candidate]) -> tuple[Candidate, ...]:
    found = tuple(measures)
    for each in found:
        validate.kind(each, Candidate, where=WHERE, name="measure", example="Candidate(name, {event: 0.01})")
    names = [each.name for each in found]
    twice = next(_repeated(names), None)
    if twice is not None:
        raise InvalidInput("two candidates of one name", where=WHERE, found=repr(twice), remedy="Rename one of them.")
    if not found:
        raise InvalidInput("there is no candidate", where=WHERE, remedy="Give at least one Candidate.")
    return found


def _repeated(names: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)


class _Search:
    """Options found so far, each computed once."""

    def __init__(self, evaluator: Evaluator, against: Mapping[tuple[int, int], Conflict]) -> None:
        self.evaluator, self.against = evaluator, against
        self.options: dict[Chosen, Combination] = {}
        self.notes: list[str] = []
        self._too_large: set[Chosen] = set()

    def look_at(self, sets: Iterable[Chosen]) -> None:
        """Compute those that are new."""
        for chosen in sets:
            if chosen not in self.options and chosen not in self._too_large:
                self._compute(chosen)

    def some_more(self, most: int) -> None:
        """Pairs where they fit, and the chain of the best."""
        count = len(self.evaluator.candidates)
        if 1 + count + count * (count - 1) // 2 <= most:
            self.look_at(up_to(count, 2, self.against))
        chain: Chosen = ()
        while (longer := self._best_step(chain)) is not None:
            chain = longer

    def _best_step(self, chain: Chosen) -> Chosen | None:
        """One candidate more: the one that lowers the bound most, for its cost where it has one."""
        rest = (place for place in range(len(self.evaluator.candidates)) if place not in chain)
        longer = [tuple(sorted((*chain, place))) for place in rest]
        self.look_at(each for each in longer if allowed(each, self.against))
        known = [each for each in longer if each in self.options]
        return max(known, key=lambda each: self._worth(chain, each), default=None)

    def _worth(self, chain: Chosen, longer: Chosen) -> float:
        before, after = self.options[chain], self.options[longer]
        gain = before.bound - after.bound
        if before.cost is None or after.cost is None or gain <= 0:
            return gain
        return gain / max(after.cost - before.cost, 1e-300)

    def _compute(self, chosen: Chosen) -> None:
        parts = [self.evaluator.candidates[place] for place in chosen]
        names = tuple(part.name for part in parts)
        try:
            top = self.evaluator.top(chosen)
        except BeyondBudget:
            self._too_large.add(chosen)
            self.notes.append(f"{' + '.join(names)}: left out, because the tree is beyond the budget then.")
            return
        costs = [part.cost for part in parts]
        cost = None if None in costs else float(sum(cost for cost in costs if cost is not None))
        bound = top.upper(self.evaluator.asked.aim.level)
        self.options[chosen] = Combination(
            names, cost, top, bound, top.as_if_answered.meets(self.evaluator.asked.target)
        )


def _incomplete(count: int, search: _Search) -> str:
    return (
        f"{count} candidates have {2**count:,} combinations; {len(search.options):,} were looked at: each alone, pairs "
        "as far as they fit, and a chain that adds the best each time. A cheaper combination may exist."
    )


def ordered(options: Sequence[Combination], *, priced: bool) -> tuple[Combination, ...]:
    """Those that meet the target first, the cheapest of them on top; the others by their bounds.

    Those that meet it at a cost that nobody knows come after, the smallest first.
    """

    def place(option: Combination) -> tuple[bool, float, float, float, int, tuple[str, ...]]:
        effort, size = _effort(option, priced), len(option.names)
        if not option.met:
            return True, option.bound, effort, size, 0, option.names
        return False, effort, size if effort == math.inf else 0, option.bound, size, option.names

    return tuple(sorted(options, key=place))


def _effort(option: Combination, priced: bool) -> float:
    return option.effort if priced else len(option.names)


def with_front(found: Iterable[Combination], *, priced: bool) -> tuple[Combination, ...]:
    """Options with those marked that no other beats in bound and cost, or number of candidates where none is priced."""
    options = sorted(found, key=lambda option: (_effort(option, priced), option.bound, option.names))
    marked, least = [], math.inf
    for option in options:
        best = option.bound < least and _effort(option, priced) < math.inf
        least = min(least, option.bound) if best else least
        marked.append(replace(option, best=best))
    return tuple(marked)
