"""What if several measures are taken at once: every combination of candidates, computed alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from surefoot.core import InvalidInput, Target, validate
from surefoot.faulttree.logic.budget import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.hazards.improvement.applied import check
from surefoot.hazards.improvement.bench import WHERE, Bench
from surefoot.hazards.improvement.candidate import Candidate
from surefoot.hazards.improvement.candidates_result import Candidates
from surefoot.hazards.improvement.combining import Chosen, Conflict, allowed, conflicts, up_to
from surefoot.hazards.improvement.option import Option, ordered, with_front
from surefoot.hazards.improvement.question import Question, too_large

MOST = 2**12


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
    """The top event and its verdict for combinations of candidate improvements, with the cheapest that suffices.

    Every set of candidates is looked at where there are at most ``most`` of them; otherwise each alone, all pairs as
    far as they fit, and a chain that adds the best candidate, for its cost where costs are stated, until none is left.
    Factors of several candidates multiply and barriers add up; two candidates that give one event different values
    are not combined, and the result says so. What is uncertain is drawn once for all.
    """
    asked = Question.of(target, level, where=WHERE)
    found = _checked(measures)
    plain = tree.expanded
    check(plain, found)
    most = validate.count(most, where=WHERE, name="most", at_least=1)
    bench = Bench(plain, found, asked, validate.count(draws, where=WHERE, name="draws", at_least=1), seed, mix)
    against = conflicts(found)
    try:
        plain.compile(budget)
    except BeyondBudget as beyond:
        return Candidates(bench, (), tuple(against.values()), (too_large(tree, beyond),))
    search = _Search(bench, against)
    complete = 2 ** len(found) <= most
    sets = up_to(len(found), len(found) if combine and complete else 1, against)
    search.look_at(sets)
    if combine and not complete:
        search.some_more(most)
    notes = [*search.notes] if complete or not combine else [_incomplete(len(found), search), *search.notes]
    priced = any(candidate.cost is not None for candidate in found)
    options = ordered(with_front(search.options.values(), priced=priced), priced=priced)
    return Candidates(bench, options, tuple(against.values()) if combine else (), tuple(notes))


class _Search:
    """Options found so far, each computed once."""

    def __init__(self, bench: Bench, against: Mapping[tuple[int, int], Conflict]) -> None:
        self.bench, self.against = bench, against
        self.options: dict[Chosen, Option] = {}
        self.notes: list[str] = []
        self._too_large: set[Chosen] = set()

    def look_at(self, sets: Iterable[Chosen]) -> None:
        """Compute those that are new."""
        for chosen in sets:
            if chosen not in self.options and chosen not in self._too_large:
                self._compute(chosen)

    def some_more(self, most: int) -> None:
        """Pairs where they fit, and the chain of the best."""
        count = len(self.bench.candidates)
        if 1 + count + count * (count - 1) // 2 <= most:
            self.look_at(up_to(count, 2, self.against))
        chain: Chosen = ()
        while (longer := self._best_step(chain)) is not None:
            chain = longer

    def _best_step(self, chain: Chosen) -> Chosen | None:
        """One candidate more: the one that lowers the bound most, for its cost where it has one."""
        rest = (place for place in range(len(self.bench.candidates)) if place not in chain)
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
        parts = [self.bench.candidates[place] for place in chosen]
        names = tuple(part.name for part in parts)
        try:
            top = self.bench.top(chosen)
        except BeyondBudget:
            self._too_large.add(chosen)
            self.notes.append(f"{' + '.join(names)}: left out, because the tree is beyond the budget then.")
            return
        costs = [part.cost for part in parts]
        cost = None if None in costs else float(sum(cost for cost in costs if cost is not None))
        bound = top.upper(self.bench.asked.aim.level)
        self.options[chosen] = Option(names, cost, top, bound, top.meets(self.bench.asked.target))


def _incomplete(count: int, search: _Search) -> str:
    return (
        f"{count} candidates have {2**count:,} combinations; {len(search.options):,} were looked at: each alone, pairs "
        "as far as they fit, and a chain that adds the best each time. A cheaper combination may exist."
    )


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
