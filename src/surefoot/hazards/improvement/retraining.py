"""An iteration against the one before: what retraining changed, and whether it is more than noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.bounds.planning import Aim
from surefoot.core import (
    Diagnostic,
    Estimate,
    InvalidInput,
    LevelUnavailable,
    Summary,
    Table,
    Target,
    Verdict,
    validate,
)
from surefoot.documents import percent, significant
from surefoot.hazards.improvement.evaluator import Question, upper_limit

WHERE = "compare"
Difference = Literal["better", "worse", "not told apart", "unknown"]
HEAD = ("component", "before", "bound before", "after", "bound after", "change", "difference", "by")


def compare(
    before: Mapping[str, Estimate],
    after: Mapping[str, Estimate],
    *,
    top_before: Estimate,
    top_after: Estimate,
    target: float | Target,
    failures: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    level: float | None = None,
) -> Comparison:
    """Components and top event of two iterations, at the level of the target's verdict.

    With the failures of both models on the same rows an exact test says whether the difference is more than noise.
    Without them only intervals are compared: where they are apart the difference is more than noise, and where they
    overlap nothing is said. Either way the error probability is shared among the components. Estimates are failure
    probabilities: less is better.

    Parameters
    ----------
    before, after
        Estimates of the components by name.
    top_before, top_after
        The top event of both.
    target
        What is asked of it; a number is a largest probability.
    failures
        For components measured on the same rows, which rows fail before and after.
    level
        It comes before that of the target.

    Returns
    -------
    Comparison
        Components, top event and both verdicts.

    References
    ----------
    McNemar (1947), Psychometrika 12(2); Bonferroni (1936).

    Examples
    --------
    >>> import surefoot as sf
    >>> old, new = (sf.bounds.clopper_pearson(failures, 1000, level=0.95) for failures in (40, 10))
    >>> found = compare({"grader": old}, {"grader": new}, top_before=old, top_after=new, target=0.02)
    >>> found["grader"].difference, found.verdict_after.status
    ('better', 'met')

    """
    asked = Question.of(target, level, where=WHERE)
    names = list(dict.fromkeys((*before, *after)))
    both = [name for name in before if name in after]
    pairs = _pairs(failures or {}, both)
    look = _Look(asked.aim.level, (1 - asked.target.level) / max(len(both), 1))
    return Comparison(
        tuple(look.change(name, before.get(name), after.get(name), pairs.get(name)) for name in names),
        _Look(asked.aim.level, 1 - asked.target.level).change("top event", top_before, top_after, None),
        asked.target,
        asked.aim,
        top_before.as_if_answered.meets(asked.target),
        top_after.as_if_answered.meets(asked.target),
        tuple(_looked_twice(name for name in both if name in pairs or _share_data(before[name], after[name]))),
    )


@dataclass(frozen=True, repr=False)
class Comparison:
    """Components and top event before and after, with both verdicts.

    Parameters
    ----------
    components, top
        What changed.
    target, aim
        What was asked.
    verdict_before, verdict_after
        Of the top event.
    caveats
        What must be said of test data that were used twice.

    See Also
    --------
    compare

    """

    components: tuple[ComponentChange, ...]
    top: ComponentChange
    target: Target
    aim: Aim
    verdict_before: Verdict
    verdict_after: Verdict
    caveats: tuple[Diagnostic, ...] = ()

    def __getitem__(self, name: str) -> ComponentChange:
        found = next((each for each in self.components if each.name == name), None)
        if found is None:
            raise InvalidInput("no such component in either iteration", where="compare", found=repr(name))
        return found

    def table(self) -> Table:
        """One row a component, the top event last with its verdicts."""
        *cells, how = self.top.cells()
        verdicts = f"{how}; {self.verdict_before.status} before, {self.verdict_after.status} after"
        return Table(HEAD, (*(each.cells() for each in self.components), (*cells, verdicts)))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        rows = [
            ("target", f"{self.target}, limit {significant(self.aim.limit, rounding='down')}"),
            *((each.name, _line(each, self.aim.level)) for each in (*self.components, self.top)),
            ("verdict", f"{self.verdict_before.status} before, {self.verdict_after.status} after"),
        ]
        return Summary("This iteration against the one before", rows, tuple(str(caveat) for caveat in self.caveats))

    def __repr__(self) -> str:
        verdicts = f"{self.verdict_before.status} to {self.verdict_after.status}"
        return f"Comparison({len(self.components)} components, {verdicts})"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True)
class ComponentChange:
    """A component, or the top event, in two iterations; numbers are None where there are none.

    Parameters
    ----------
    name
        Of the component.
    before, bound_before, after, bound_after
        Values and upper bounds.
    difference
        ``better`` or ``worse`` only where it is more than noise.
    how
        By what that was judged.
    paired
        The test on the same rows, where there was one.

    See Also
    --------
    compare

    """

    name: str
    before: float | None
    bound_before: float | None
    after: float | None
    bound_after: float | None
    difference: Difference
    how: str
    paired: Paired | None = None

    @property
    def change(self) -> float | None:
        """By how much the value moved; below 0 is better."""
        return None if self.before is None or self.after is None else self.after - self.before

    def cells(self) -> tuple[Any, ...]:
        """A row of the table."""
        values = (self.before, self.bound_before, self.after, self.bound_after, self.change)
        return (self.name, *values, self.difference, self.how)


def paired(before: ArrayLike, after: ArrayLike, *, where: str) -> Paired:
    """McNemar's test (1947), exact: of rows on which one model fails, either is as likely where nothing changed.

    >>> paired([1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], where="detector").p_value
    0.03125
    """
    one, other = _failures(before, where), _failures(after, where)
    validate.same_length(where, before=one, after=other)
    fixed, broken = int((one & ~other).sum()), int((other & ~one).sum())
    return Paired(len(one), fixed, broken, exact_p_value(fixed, broken))


@dataclass(frozen=True)
class Paired:
    """Rows on which only the model before, or only the one after, fails; ``p_value`` of the exact two-sided test."""

    rows: int
    only_before: int
    only_after: int
    p_value: float


def _failures(said: ArrayLike, where: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    values = validate.vector(said, where=where, name="failures")
    if not np.isin(values, (0.0, 1.0)).all():
        raise InvalidInput("failures are true or false, one a row", where=where, found=f"{values[:5]}...")
    return values.astype(bool)


def exact_p_value(fixed: int, broken: int) -> float:
    """Twice the smaller tail of a binomial distribution with one half, at most 1."""
    return min(1.0, 2.0 * float(special.bdtr(min(fixed, broken), fixed + broken, 0.5)))


def _line(each: ComponentChange, level: float) -> str:
    before, after = (_bounded(*pair) for pair in ((each.before, each.bound_before), (each.after, each.bound_after)))
    return f"{before} before, {after} after (bounds at {percent(level)}): {each.difference}, {each.how}"


def _bounded(value: float | None, bound: float | None) -> str:
    if value is None:
        return "nothing"
    return significant(value) + ("" if bound is None else f", at most {significant(bound, rounding='up')},")


def _pairs(failures: Mapping[str, tuple[ArrayLike, ArrayLike]], both: list[str]) -> dict[str, Paired]:
    found = {}
    for name, pair in failures.items():
        validate.choice(name, both, where=WHERE, name="component in failures")
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidInput("needs the failures before and after", where=f"{WHERE}, {name!r}", found=repr(pair)[:60])
        found[name] = paired(*pair, where=f"{WHERE}, {name!r}")
    return found


@dataclass(frozen=True)
class _Look:
    """The level of bounds, and the error probability of one comparison."""

    level: float
    alpha: float

    def change(
        self, name: str, before: Estimate | None, after: Estimate | None, pair: Paired | None
    ) -> ComponentChange:
        difference, how = self._difference(name, before, after, pair)
        values = [None if each is None else each.value for each in (before, after)]
        bounds = [upper_limit(each, self.level) for each in (before, after)]
        return ComponentChange(name, values[0], bounds[0], values[1], bounds[1], difference, how, pair)

    def _difference(
        self, name: str, before: Estimate | None, after: Estimate | None, pair: Paired | None
    ) -> tuple[Difference, str]:
        if before is None or after is None:
            return "unknown", "no longer there" if after is None else "new"
        if before.unit != after.unit:
            found = f"{before.unit} before, {after.unit} after"
            raise InvalidInput("two iterations have different units", where=f"{WHERE}, {name!r}", found=found)
        return _by_intervals(before, after, self.alpha) if pair is None else _by_rows(pair, self.alpha)


def _by_intervals(before: Estimate, after: Estimate, alpha: float) -> tuple[Difference, str]:
    """Each interval misses with half of the error probability, so that where they are apart the values are."""
    try:
        (low, high), (new_low, new_high) = (each.interval(1 - alpha / 2) for each in (before, after))
    except LevelUnavailable:
        return "unknown", "no intervals at this level"
    if new_high < low or new_low > high:
        return ("better" if new_high < low else "worse"), "intervals are apart"
    return "not told apart", "intervals overlap"


def _by_rows(pair: Paired, alpha: float) -> tuple[Difference, str]:
    how = f"{pair.only_before:,} rows fail no longer, {pair.only_after:,} fail anew, p = {pair.p_value:.2g}"
    if pair.p_value > alpha:
        return "not told apart", how
    return ("better" if pair.only_before > pair.only_after else "worse"), how


def _looked_twice(names: Iterator[str]) -> Iterator[Diagnostic]:
    found = list(names)
    if found:
        text = (
            f"Both iterations of {', '.join(found)} were measured on the same test data. If its failures were looked "
            "at before retraining, the bound after it is too low, and nothing here can tell."
        )
        yield Diagnostic("repeated-looks", text, hint="Confirm the improvement on data that nobody has looked at.")


def _share_data(before: Estimate, after: Estimate) -> bool:
    """Whether both were measured on data of one digest."""
    return bool(set(before.provenance.data.values()) & set(after.provenance.data.values()))
