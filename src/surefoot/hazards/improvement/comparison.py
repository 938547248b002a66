"""An iteration against the one before: what retraining changed, and whether it is more than noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from surefoot.core import Diagnostic, Estimate, InvalidInput, LevelUnavailable, Target, validate
from surefoot.hazards.improvement.comparison_result import Comparison, ComponentChange, Difference
from surefoot.hazards.improvement.paired import Paired, paired
from surefoot.hazards.improvement.question import Question

WHERE = "compare"


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

    ``failures`` has, for components measured on the same rows, which rows fail before and after: the exact test of
    McNemar (1947) then says whether the difference is more than noise. Without it only intervals are compared: where
    they are apart the difference is more than noise, and where they overlap nothing is said. Either way the error
    probability is shared among the components (Bonferroni 1936). Estimates are failure probabilities: less is better.
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
        top_before.meets(asked.target),
        top_after.meets(asked.target),
        tuple(_looked_twice(name for name in both if name in pairs or _share_data(before[name], after[name]))),
    )


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
        bounds = [None if each is None else _upper(each, self.level) for each in (before, after)]
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


def _by_rows(pair: Paired, alpha: float) -> tuple[Difference, str]:
    how = f"{pair.only_before:,} rows fail no longer, {pair.only_after:,} fail anew, p = {pair.p_value:.2g}"
    if pair.p_value > alpha:
        return "not told apart", how
    return ("better" if pair.only_before > pair.only_after else "worse"), how


def _by_intervals(before: Estimate, after: Estimate, alpha: float) -> tuple[Difference, str]:
    """Each interval misses with half of the error probability, so that where they are apart the values are."""
    try:
        (low, high), (new_low, new_high) = (each.interval(1 - alpha / 2) for each in (before, after))
    except LevelUnavailable:
        return "unknown", "no intervals at this level"
    if new_high < low or new_low > high:
        return ("better" if new_high < low else "worse"), "intervals are apart"
    return "not told apart", "intervals overlap"


def _pairs(failures: Mapping[str, tuple[ArrayLike, ArrayLike]], both: list[str]) -> dict[str, Paired]:
    found = {}
    for name, pair in failures.items():
        validate.choice(name, both, where=WHERE, name="component in failures")
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidInput("needs the failures before and after", where=f"{WHERE}, {name!r}", found=repr(pair)[:60])
        found[name] = paired(*pair, where=f"{WHERE}, {name!r}")
    return found


def _upper(estimate: Estimate, level: float) -> float | None:
    try:
        return estimate.upper(level)
    except LevelUnavailable:
        return None


def _share_data(before: Estimate, after: Estimate) -> bool:
    """Whether both were measured on data of one digest."""
    return bool(set(before.provenance.data.values()) & set(after.provenance.data.values()))


def _looked_twice(names: Iterator[str]) -> Iterator[Diagnostic]:
    found = list(names)
    if found:
        text = (
            f"Both iterations of {', '.join(found)} were measured on the same test data. If its failures were looked "
            "at before retraining, the bound after it is too low, and nothing here can tell."
        )
        yield Diagnostic("repeated-looks", text, hint="Confirm the improvement on data that nobody has looked at.")
