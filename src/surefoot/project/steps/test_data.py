"""Test data as steps see them: which rows failed, what a result is about, what the rows say of assumptions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field
from typing_extensions import TypedDict

from surefoot.adapters import Data, Frame, LoadedModel, Tested
from surefoot.adapters.frames import like, without_gaps
from surefoot.adapters.frames.frame import MICROSECONDS_A_DAY
from surefoot.bounds import duplicates, effective_sample_size, grouped, margins, serial_dependence, split_half_drift
from surefoot.bounds.assumption_tests import (
    FEWEST_FOR_HALVES,
    MANY_COPIES,
    outcome_drift,
    practically_constant,
    silent,
)
from surefoot.bounds.statement import Counts, approximate, plain_array, remedy
from surefoot.core import Assumption, Check, Diagnostic, Estimate, InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import printable
from surefoot.opinions.metrics import ROW_SUM_TOLERANCE
from surefoot.project.tasks.judging import refuse_classes

Sets = Mapping[str, Sequence[str]] | None
MOST_NAMED = 3
MOST_CATEGORIES = 12


def scope_of(tested: Tested, *parts: str | None, undesired: Sets = None, of: str | None = None) -> str:
    """The component, what part of its rows a result is about, and which answers count as failures.

    ``of`` is the true class of all these rows, if they have one; it comes first among the parts.
    """
    named = [part for part in (of, *parts) if part is not None]
    if of is not None and not tested.classifies:
        return ", ".join([tested.component, *named])
    where = f"{tested.component} on {', '.join(named)}" if named else tested.component
    return ", ".join([where, *_undesired_words(tested, undesired or {}, of)])


def _undesired_words(tested: Tested, undesired: Mapping[str, Sequence[str]], of: str | None) -> list[str]:
    sets = {
        name: " or ".join(sorted(set(undesired[name]), key=tested.class_number))
        for name in sorted(undesired, key=tested.class_number)
        if of in (None, name)
    }
    answers = sum(len(set(undesired[name])) for name in sets)
    if answers > MOST_NAMED:
        return [f"with undesired answers of {len(sets)} {'class' if len(sets) == 1 else 'classes'}"]
    return [f"answered as {words}" if of else f"{name} answered as {words}" for name, words in sets.items()]


def failures(tested: Tested, undesired: Sets) -> NDArray[np.bool_]:
    """Rows with an undesired answer; a tie for the highest score counts as one."""
    if undesired is not None:
        refuse_classes(tested, "undesired:")
    return tested.failed if undesired is None else margins_of(tested, undesired) <= 0


def margins_of(tested: Tested, undesired: Sets, scores: NDArray[np.floating] | None = None) -> FloatArray:
    """Margins of the rows (NRB, Eqn. (2))."""
    refuse_classes(tested, "a margin")
    sets = None if undesired is None else _numbered(tested, undesired)
    return margins(tested.scores if scores is None else scores, tested.labels, sets)


def _numbered(tested: Tested, undesired: Mapping[str, Sequence[str]]) -> dict[int, set[int]]:
    everything = set(range(len(tested.classes)))
    sets = {number: everything - {number} for number in everything}
    for name, answers in undesired.items():
        number = tested.class_number(name)
        sets[number] = {tested.class_number(answer) for answer in answers}
        if number in sets[number]:
            raise InvalidInput(
                f"{name!r} is undesired for itself",
                where=tested.component,
                remedy="Leave it out: a right answer is no failure.",
            )
    return sets


def of_truth(tested: Tested) -> FloatArray:
    """The score of each row's true class."""
    return np.take_along_axis(tested.scores, tested.labels[:, None], axis=1)[:, 0].astype(float)


def brier_losses(tested: Tested) -> FloatArray:
    """Half the squared distance between forecast and outcome over all classes: at most 1 (Brier 1950, halved)."""
    squares = np.einsum("ij,ij->i", tested.scores, tested.scores, dtype=float)
    return np.clip((squares + 1) / 2 - of_truth(tested), 0, 1)


def known_groups(tested: Tested) -> NDArray[Any]:
    """What rows share; of a sequence without groups the block that they lie in."""
    if tested.groups is None and tested.places is not None:
        return np.asarray(tested.places // length_of_block(tested))
    if tested.groups is None:
        raise InvalidInput(
            "the data set does not say which rows belong together",
            where=tested.component,
            remedy="Name the column that says what rows share, such as groups: patient, or leave groups: check.",
        )
    return tested.groups


def in_blocks(tested: Tested) -> bool:
    """Whether what rows share is the block of a sequence that they lie in."""
    return tested.blocks or (tested.groups is None and tested.places is not None)


def read_in_blocks(shown: Mapping[str, Any]) -> bool:
    """Whether what a key is made of says that blocks of a sequence may be the groups of a step."""
    reading = shown.get("reading", {})
    data, task = reading.get("data", {}), reading.get("task", {}).get("task")
    in_time = data.get("rows") == "sequence" or data.get("time") or data.get("sequence") or task == "detection"
    return bool(in_time) and not data.get("groups")


def read_in_blocks_to_use(shown: Mapping[str, Any]) -> bool:
    """The same where the step is told to use groups."""
    return shown.get("groups") != "check" and read_in_blocks(shown)


def touching(tested: Tested) -> bool:
    """Whether neighbours among what rows share are not independent: a burst may cross the edge of a block."""
    return in_blocks(tested) and tested.block != 1


def length_of_block(tested: Tested) -> int:
    """How many rows of a sequence a burst can last: as stated, or the root of the number of rows."""
    assert tested.places is not None
    return tested.block or math.isqrt(int(np.ptp(tested.places)) + 1)


def bounded_by_group(
    tested: Tested, losses: FloatArray, groups: NDArray[Any], *, max_group_size: int | None = None, **about: Any
) -> Estimate:
    """The mean loss from rows in groups; blocks of a sequence are groups of which every second one is independent.

    A block of rows is never longer than stated, so that its length is the largest size of a group.
    """
    largest = max_group_size or (tested.block if tested.groups is None else None)
    return with_guess(grouped(losses, groups, max_group_size=largest, touching=touching(tested), **about), tested)


def with_guess(estimate: Estimate, tested: Tested) -> Estimate:
    """The estimate from blocks, which guarantees nothing where nobody stated their length."""
    if not in_blocks(tested) or tested.block is not None:
        return estimate
    guessed = approximate("A block of guessed length", "State how many rows can fail together: block:.")
    heuristic = tuple(replace(family, kind="heuristic") for family in estimate.bounds)  # type: ignore[type-var]
    return replace(estimate, bounds=heuristic, caveats=(*estimate.caveats, guessed))


def columns_of(model: LoadedModel, tested: Tested) -> tuple[str, ...]:
    """The classes in the order of the model's columns, as estimators that look inside count them."""
    return model.classes if set(model.classes) == set(tested.classes) else tested.classes


def scores_as_tested(rows: Tested | Data, tested: Tested, *, name: str) -> NDArray[Any]:
    """Scores of rows of another data set, in the order of the tested rows' classes."""
    assert rows.scores is not None
    if tuple(rows.classes) == tuple(tested.classes):
        return rows.scores
    if set(rows.classes) != set(tested.classes):
        raise InvalidInput(
            f"the rows of {name}: have other classes than those of on:",
            where=tested.component,
            found=f"{', '.join(rows.classes)} and {', '.join(tested.classes)}",
            remedy="List the classes of the component under classes.",
        )
    return rows.scores[:, [rows.classes.index(each) for each in tested.classes]]


def true_classes(rows: Data, *, name: str) -> NDArray[np.str_]:
    """The class of each row by its name; a data set without labels is refused."""
    if rows.labels is None:
        raise InvalidInput("the data set has no labels", where=name, remedy="Name their column with labels:.")
    return np.asarray(rows.classes)[rows.labels]


# Inputs as numbers, for steps that compute with them.

SOME_COLUMNS = "Name columns of numbers with columns:, or say how to turn others into them, such as {sex: one-hot}."
Word = Literal["number", "truth", "date", "one-hot"]
Categories = Annotated[list[str], Field(min_length=2)]
Filled = TypedDict("Filled", {"as": Word | Categories, "missing": float | str})
Encoded = Word | Categories | Filled
"""A column as it is, as 0 and 1, as days since 1970, as a column of 0 and 1 for each category, or as places in a list
of categories; with what takes the place of missing values."""
Columns = list[str] | dict[str, Encoded]
TRUTH = ("False", "True")


@dataclass(frozen=True, eq=False)
class Encoding:
    """Columns of frames as numbers, the same for every data set: categories are those of the rows it was made of."""

    columns: Mapping[str, Word | Sequence[str]]
    categories: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, float | str]
    """What stands for no value, by column."""
    rows: Frame
    """Those it was made of: their types are those of rows that are made of numbers."""

    @classmethod
    def of(cls, frame: Frame, columns: Columns | None, *, where: str) -> Encoding:
        """What was said of the columns; by default all of them are numbers."""
        said = columns if columns is not None else list(frame.names)
        wanted: dict[str, Any] = dict(said) if isinstance(said, dict) else dict.fromkeys(said, "number")
        for name in wanted:
            validate.choice(name, frame.names, where=where, name="columns")
        filled = {name: how for name, how in wanted.items() if isinstance(how, Mapping)}
        ways = {name: how["as"] if name in filled else how for name, how in wanted.items()}
        made = cls(ways, {}, {name: how["missing"] for name, how in filled.items()}, frame)
        one_hot = [name for name, how in ways.items() if how == "one-hot"]
        found = {name: tuple(sorted(set(made._texts(frame, name, where).tolist()))) for name in one_hot}
        return replace(made, categories=found)

    def __call__(self, frame: Frame, *, where: str) -> FloatArray:
        """The rows as numbers, all of them there."""
        for name in self.columns:
            validate.choice(name, frame.names, where=where, name="columns")
            if name not in self.missing:
                _require_values(frame, name, where)
        return np.column_stack([self._part(frame, name, where) for name in self.columns]).astype(float)

    def listed(self, name: str) -> tuple[str, ...]:
        """The categories that a column stands for by their places; none where it is a number."""
        how = self.columns[name]
        return TRUTH if how == "truth" else () if isinstance(how, str) else tuple(how)

    def decoded(self, matrix: FloatArray) -> Frame:
        """Rows of numbers as a frame of the types of the rows; places stand for the nearest category."""
        made = {name: self._values(name, column) for name, column in zip(self.columns, matrix.T, strict=True)}
        return like(self.rows.select(list(self.columns)), made)

    def _values(self, name: str, column: FloatArray) -> list[Any]:
        categories, dtype = self.listed(name), self.rows.series(name).dtype
        if categories:
            places = np.clip(np.rint(column), 0, len(categories) - 1).astype(int)
            return (places == 1).tolist() if self.columns[name] == "truth" else np.asarray(categories)[places].tolist()
        if self.columns[name] == "date":
            return (column * MICROSECONDS_A_DAY).round().astype("datetime64[us]").tolist()
        return (np.rint(column).astype(np.int64) if dtype.is_integer() else column).tolist()

    def _part(self, frame: Frame, name: str, where: str) -> NDArray[Any]:
        how, missing = self.columns[name], frame.missing(name)
        if how in ("number", "truth", "date"):
            found = frame.days(name) if how == "date" else frame.numbers(name, hint=SOME_COLUMNS)
            if how == "truth" and (odd := np.flatnonzero(~missing & ~np.isin(found, (0, 1)))).size:
                value = f"{found[odd[0]]:g} in row {odd[0]} ({odd.size:,} such rows)"
                problem, remedy = f"column {name!r} has what is no truth value", "Take it as a number."
                raise InvalidInput(problem, where=where, found=value, remedy=remedy)
            return np.where(missing, self._number(name, where), found) if missing.any() else found
        texts = self._texts(frame, name, where)
        if how == "one-hot":
            return texts[:, None] == np.asarray(self.categories[name])
        places = {category: place for place, category in enumerate(how)}
        strange = np.flatnonzero(~np.isin(texts, list(how)))
        if strange.size:
            found_ = f"{str(texts[strange[0]])!r} in row {strange[0]} ({strange.size:,} such rows)"
            problem, remedy = f"column {name!r} has what is none of its categories", f"They are {', '.join(how)}."
            raise InvalidInput(problem, where=where, found=found_, remedy=remedy)
        return np.asarray([places[text] for text in texts.tolist()])

    def _number(self, name: str, where: str) -> float:
        """What stands for no value in a column of numbers."""
        try:
            return float(self.missing[name])
        except ValueError:
            problem, found = f"missing: of column {name!r} must be a number", repr(self.missing[name])
            raise InvalidInput(problem, where=where, found=found) from None

    def _texts(self, frame: Frame, name: str, where: str) -> NDArray[Any]:
        missing = frame.missing(name)
        if not missing.any() or name not in self.missing:
            return _texts_of(frame, name, where)
        texts = np.full(len(frame), str(self.missing[name]), dtype=object)
        if not missing.all():
            texts[~missing] = _texts_of(frame[~missing], name, where)
        return texts.astype(str)


def framed(rows: Tested | Data, *, where: str) -> Frame:
    """The inputs as a frame; arrays must have come as a table."""
    if isinstance(rows.inputs, Frame):
        return rows.inputs
    if rows.inputs is not None and rows.columns and rows.inputs.ndim == 2:
        return Frame.of_matrix(rows.inputs, rows.columns, "pandas")
    problem = "columns: names columns, and the inputs have none"
    raise InvalidInput(problem, where=where, remedy="Leave it out, or give a table.")


def _texts_of(frame: Frame, name: str, where: str) -> NDArray[Any]:
    _require_values(frame, name, where)
    column = frame.column(name)
    return column.astype(str) if isinstance(column, np.ndarray) else column.texts()


def _require_values(frame: Frame, name: str, where: str) -> None:
    missing = np.flatnonzero(frame.missing(name))
    if missing.size:
        raise _gap(where, f"column {name!r} has no value in row {missing[0]} ({missing.size:,} such rows)")


def require_inputs(inputs: NDArray[Any] | Frame | None, *, name: str) -> NDArray[Any]:
    """The inputs as numbers, all of them there; a data set may lack them."""
    if isinstance(inputs, Frame):
        matrix = inputs.matrix(hint=_other_steps(inputs))
        for column in inputs.names:
            _require_values(inputs, column, name)
        return matrix
    if inputs is not None and inputs.dtype.kind == "f":
        gaps = np.isnan(inputs.reshape(len(inputs), -1)).any(axis=1)
        if gaps.any():
            raise _gap(name, f"NaN in row {int(np.flatnonzero(gaps)[0])} ({int(gaps.sum()):,} such rows)")
    if inputs is None:
        raise InvalidInput(
            "the data set has no inputs, or more of them than fit into memory beside their scores",
            where=name,
            remedy="Name the columns with inputs:, or take fewer rows.",
        )
    return inputs


def _other_steps(frame: Frame) -> str:
    """What to write in place of a step that needs numbers in every column."""
    ways = ", ".join(f"{printable(name)}: {_way(frame, name, held)}" for name, held, *_ in frame.summary)
    return (
        "This step needs numbers in every column that the model takes. The step reliability_cells takes others, with "
        f"columns: {{{ways}}}; binomial_bound counts rows of any."
    )


def _way(frame: Frame, name: str, held: str) -> str:
    """How a column becomes numbers, as ``columns:`` says it."""
    way, filler = {"numbers": "number", "truth values": "truth", "dates or times": "date"}.get(held, ""), "0"
    if not way:
        values = sorted(printable(str(value)) for value in frame.coded(name)[1])
        way = f"[{', '.join([*values[:MOST_CATEGORIES], *(['...'] if len(values) > MOST_CATEGORIES else [])])}]"
        filler = values[0] if values else ""
    return f"{{as: {way}, missing: {filler}}}" if frame.missing(name).any() else way


def _gap(name: str, found: str) -> InvalidInput:
    problem = "this step cannot take missing values"
    remedy = (
        "Take rows, or columns, without them; say what stands for none, as columns: {mass: {as: number, missing: 0}}, "
        "where the step has columns:; or count rows, as binomial_bound does."
    )
    return InvalidInput(problem, where=name, found=found, remedy=remedy)


def comparable(inputs: NDArray[Any] | Frame) -> NDArray[Any]:
    """Rows of numbers or text that are equal where the inputs are."""
    return inputs.values() if isinstance(inputs, Frame) else without_gaps(inputs)


def require_probabilities(tested: Tested, purpose: str, remedy: str) -> None:
    """Scores must be probabilities: declared as such, in [0, 1], and summing to 1 in each row."""
    refuse_classes(tested, purpose)
    problem = f"{purpose} needs probabilities"
    if tested.output != "probability":
        found = "labels" if tested.output == "label" else "scores that are no probabilities"
        raise InvalidInput(problem, where=tested.component, found=found, remedy=remedy)
    low, high = float(tested.scores.min()), float(tested.scores.max())
    if low < 0 or high > 1:
        raise InvalidInput(problem, where=tested.component, found=f"scores from {low:g} to {high:g}", remedy=remedy)
    sums = tested.scores.sum(axis=1, dtype=float)
    if max(sums.max() - 1, 1 - sums.min()) > ROW_SUM_TOLERANCE:
        found = f"rows that sum to {sums.min():g} up to {sums.max():g} instead of 1"
        raise InvalidInput(problem, where=tested.component, found=found, remedy=remedy)


# What the test data say about the assumptions of a step.

CONTRADICTED = "assumption-contradicted"
HALVES = "mean and distribution of the halves of each class compared, {rows:,} rows in all"


def independence(tested: Tested, losses: ArrayLike, within: NDArray[np.int64] | None = None) -> Check:
    """Whether rows repeat each other: groups of several rows, copies of inputs, or failures that come in bursts.

    Bursts are looked for in the order of the rows, within classes or within the strata of ``within``, so that a file
    sorted by them shows none.
    """
    if tested.places is not None:
        told = {"sequence": len(tested)}
        return Check("contradicted", f"{len(tested):,} rows are a sequence, as their data set says", told)
    repeats = None if tested.groups is None else _grouping(tested, losses)
    if repeats is not None and repeats.status == "contradicted":
        return repeats
    if tested.inputs is not None:
        repeats = duplicates(comparable(tested.inputs))
    values = np.asarray(losses, dtype=np.float64)
    failed = values > 0 if np.isin(values, (0, 1)).all() else values > values.mean()
    bursts = serial_dependence(failed, tested.labels if within is None else within)
    if repeats is None:
        # Rows in no bursts may still be copies of each other.
        return replace(bursts, status="unchecked") if bursts.status == "supported" else bursts
    return _both(repeats, bursts)


def _both(repeats: Check, bursts: Check) -> Check:
    """What two checks of one assumption found: the contradiction, or all that was looked for."""
    for found in (repeats, bursts):
        if found.status == "contradicted":
            return found
    figures = {**bursts.figures, **repeats.figures}
    return Check(repeats.status, f"{repeats.method}; {bursts.method}", figures, repeats.effect)


def drift(values: NDArray[Any], labels: NDArray[np.int64]) -> Check | None:
    """Difference between the first and the second half of the rows of each class, in the order in which they came.

    Halves are taken class by class and are equal in size, so that a file sorted by class shows no drift; the row in the
    middle of an odd number is in neither. Outcomes (truth values, 1 for a failure) are compared exactly.
    """
    first, second = _halves(labels)
    if values.dtype == bool:
        return outcome_drift(*(Counts(int(values[half].sum()), half.size) for half in (first, second)))
    both = values[np.concatenate([first, second])]
    if both.size < FEWEST_FOR_HALVES or practically_constant(both):
        return None
    return replace(split_half_drift(both), method=HALVES.format(rows=both.size))


def drift_of_groups(losses: NDArray[Any], tested: Tested, within: NDArray[np.int64] | None = None) -> Check | None:
    """The same for the worst loss of each group, in the place and in the class (or ``within``) of its first row."""
    groups = plain_array(known_groups(tested), where=tested.component, name="groups")
    _, starts, which = np.unique(groups, return_index=True, return_inverse=True)
    worst = np.zeros(starts.size, dtype=losses.dtype)
    np.maximum.at(worst, which, losses)
    order = np.argsort(starts)
    return drift(worst[order], (tested.labels if within is None else within)[starts[order]])


def examined(
    estimate: Estimate, checks: Mapping[str, Check | None], *, also: Iterable[Assumption] = (), instead: str = ""
) -> Estimate:
    """The estimate with what checks found, by id of the assumption, and with further assumptions.

    ``instead`` is what to do about a contradicted one, where the usual remedies do not help. Contradictions that were
    told before are told anew, with what to do.
    """
    stated = (*estimate.assumptions, *(replace(a, scope=estimate.scope) for a in also))
    assumptions = tuple(replace(a, check=checks.get(a.id) or a.check) for a in stated)
    kept = [caveat for caveat in estimate.caveats if caveat.code != CONTRADICTED]
    found = [_contradiction(a, a.check, instead) for a in assumptions if a.check and a.status == "contradicted"]
    return replace(estimate, assumptions=assumptions, caveats=(*kept, *found))


def of_kind(estimate: Estimate, tested: Tested) -> Estimate:
    """The estimate with what counted as a failure, where the task says so."""
    if tested.classifies:
        return estimate
    counted: dict[str, Any] = {"demands": tested.counted} if tested.counted else {}
    counted |= {} if tested.out_of is None else {"out_of": tested.out_of}
    return replace(estimate, details={**estimate.details, "failure_on_demand": tested.failure, **counted})


def _contradiction(assumption: Assumption, check: Check, instead: str) -> Diagnostic:
    text = f"The data speak against this assumption: {assumption.text} ({check.method})"
    return Diagnostic(CONTRADICTED, text, hint=instead or remedy(assumption))


def _grouping(tested: Tested, losses: ArrayLike) -> Check:
    labels = plain_array(tested.groups, where=tested.component, name="groups")  # type: ignore[arg-type]
    try:
        effect = effective_sample_size(losses, labels)
        groups, further = effect.groups, {"correlation": effect.icc, "effective_rows": effect.effective_size}
    except Undefined:
        groups, further = np.unique(labels).size, {}
    rows = len(tested)
    share = 1 - groups / rows
    looked = f"{rows:,} rows in {groups:,} groups" if groups < rows else f"no group of several among {rows:,} rows"
    figures = {"rows": rows, "groups": groups, "share": share, **further}
    return Check("contradicted" if share > MANY_COPIES else silent(rows), looked, figures, share)


def _halves(labels: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of the first and of the second half of each class."""
    order = np.argsort(labels.astype(np.min_scalar_type(int(labels.max()))), kind="stable")
    sizes = np.bincount(labels)
    of_class = np.repeat(sizes, sizes)
    rank = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return order[rank < of_class // 2], order[rank >= (of_class + 1) // 2]
