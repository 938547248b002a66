"""What steps compute with: rows of data, and a component's answers on them, a column of finite numbers for each class.

What models return is made into one form. Probabilities stay; logits become probabilities; a single column p of a
probability becomes (1 - p, p) and a single decision value d becomes (-d/2, d/2), so that differences between columns
keep their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from surefoot.adapters.frames import Frame
from surefoot.adapters.labels import relabelled
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, validate
from surefoot.core.canonical import FrozenMap

Returned = Literal["probability", "logit", "score", "label"]
OUTPUT: dict[Returned, Output] = {
    "probability": "probability",
    "logit": "probability",
    "score": "score",
    "label": "label",
}
SUM_TOLERANCE = 0.01
"""Rows of class probabilities sum to 1 up to rounding, which half precision and quantisation make coarse."""
LARGEST_SCORE = 1e150
"""Sums of squares of larger scores overflow."""
ROWS_AT_ONCE = 1 << 16
Output = Literal["probability", "score", "label"]
NO_ATTRIBUTES: FrozenMap[NDArray[Any]] = FrozenMap()
NO_KINDS: FrozenMap[Any] = FrozenMap()
CLASSIFICATION = "classification"
RIGHT_OR_WRONG = ("right", "wrong")
"""The classes of demands of other tasks: what each should be answered, and what it may be answered."""


class ReadOnlyArrays:
    """A frozen dataclass whose arrays are read-only, here and after pickling.

    What one step gets, all others get too: nobody can write into it by mistake.
    """

    def __post_init__(self) -> None:
        self.__setstate__(vars(self))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in list(state.items()):
            object.__setattr__(self, name, _read_only_parts(value))


@dataclass(frozen=True, eq=False)
class Data(ReadOnlyArrays):
    """Rows as they were read: inputs, labels as class numbers, and what else is known of each row.

    Parameters
    ----------
    digest
        Of everything that was read.
    inputs, labels
        What the model gets, as an array or as a frame, and the class of each row.
    scores, output
        There when the rows were scored elsewhere, and what they are.
    classes
        Names of the classes.
    groups
        What rows share, such as a patient or a film.
    attributes
        Further columns, such as the dimensions of the operating conditions.

    Examples
    --------
    >>> import surefoot as sf
    >>> data = sf.adapters.as_data({"inputs": [[0.1], [0.9]], "labels": ["car", "tree"]})
    >>> data.classes, data.labels.tolist()
    (('car', 'tree'), [0, 1])

    """

    digest: str
    inputs: NDArray[Any] | Frame | None = None
    labels: NDArray[np.int64] | None = None
    scores: NDArray[np.floating] | None = None
    output: Output = "score"
    classes: tuple[str, ...] = ()
    groups: NDArray[Any] | None = None
    attributes: Mapping[str, NDArray[Any]] = NO_ATTRIBUTES
    places: NDArray[np.int64] | None = None
    """Where each row stands in the sequence that the rows are; None where rows are independent of their neighbours."""
    block: int | None = None
    """How many rows of a sequence a burst can last, where it is known."""
    times: NDArray[np.floating] | None = None
    """The time of each row, in seconds."""
    sequences: NDArray[Any] | None = None
    in_seconds: bool = True
    """Whether the times are seconds, and not numbers of frames."""
    """The film, drive or recording that each row is part of."""
    classes_listed: bool = False
    """Whether somebody said what the classes are and in which order; otherwise they are the sorted labels."""
    columns: tuple[str, ...] = ()
    """Names of the columns of the inputs, where they came as a table."""
    caveats: tuple[Diagnostic, ...] = ()
    """What a reader must know of how the rows were read."""

    def __len__(self) -> int:
        column = next(c for c in (self.labels, self.scores, self.inputs) if c is not None)
        return len(column)


@dataclass(frozen=True, eq=False)
class Tested(ReadOnlyArrays):
    """A component's answers on labelled rows; ``tested`` puts them together.

    Parameters
    ----------
    component
        Its name.
    labels
        Class numbers.
    scores
        A column for each class.
    output
        What they are: probabilities, scores whose differences mean something, or labels turned into zeros and ones.
    classes
        Names of the columns.
    inputs, groups, attributes
        As in ``Data``.
    digests
        Identify model and data.
    caveats
        What a reader must know.

    See Also
    --------
    tested

    """

    __test__ = False  # pytest takes every class whose name starts with Test for a test

    component: str
    labels: NDArray[np.int64]
    scores: NDArray[np.floating]
    output: Output
    classes: tuple[str, ...]
    inputs: NDArray[Any] | Frame | None = None
    groups: NDArray[Any] | None = None
    attributes: Mapping[str, NDArray[Any]] = NO_ATTRIBUTES
    digests: Mapping[str, str] = field(default_factory=FrozenMap)
    caveats: tuple[Diagnostic, ...] = ()
    places: NDArray[np.int64] | None = None
    block: int | None = None
    task: str = CLASSIFICATION
    """Of another task rows are demands, each answered rightly or wrongly, and these two are the classes."""
    failure: str = ""
    """What counts as a failure on demand, in words; empty for classification, where a wrong class does."""
    losses: NDArray[np.floating] | None = None
    """The loss of each demand in [0, 1] by the definition of the task; None where a failure loses 1."""
    outcomes: NDArray[np.str_] | None = None
    """What came of each demand in words; None where it is right or wrong."""
    errors: NDArray[np.floating] | None = None
    """How far each answer is from the truth, in its unit, where that can be said."""
    largest_error: float | None = None
    """No error can be larger, as far as somebody stated it."""
    times: NDArray[np.floating] | None = None
    sequences: NDArray[Any] | None = None
    scenes: Any = None
    """Images with true and answered boxes, where the task is detection."""
    kinds: Mapping[str, Tested] = NO_KINDS
    """Other definitions of failure of the same answers, by name, each with its own demands."""
    columns: tuple[str, ...] = ()
    """Names of the columns of the inputs, where they came as a table of numbers."""
    blocks: bool = False
    """Whether the groups are blocks of a sequence, neighbours of which touch."""
    counted: str = ""
    """What the demands are, where they are no rows, such as objects with a box of their class."""
    out_of: int | None = None
    """How many there are of their sort in all, where only some of them are demands."""
    unit: str = ""
    """Of the errors."""
    in_seconds: bool = True
    """Whether the times are seconds, and not numbers of frames."""
    truth: str = ""
    """Digest of what is true of the demands, whatever was answered; empty for classification, where labels say it."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def classifies(self) -> bool:
        """Whether rows have one true class each, and scores for all of them."""
        return self.task == CLASSIFICATION

    @cached_property
    def predictions(self) -> NDArray[np.intp]:
        """Number of the class with the highest score; of other tasks always the first, which tells nothing."""
        if not self.classifies:
            return read_only(np.zeros(len(self), dtype=np.intp))
        return read_only(np.asarray(self.scores.argmax(axis=1)))

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """Rows that were answered wrongly; a tie for the highest score is a failure."""
        right = np.take_along_axis(self.scores, self.labels[:, None], axis=1)
        return read_only(np.asarray((self.scores >= right).sum(axis=1) > 1))

    def class_number(self, name: str) -> int:
        """The column of a class."""
        return self.classes.index(validate.choice(name, self.classes, where=self.component, name="class"))

    def of_class(self, name: str | None) -> Tested:
        """The rows whose true class has this name; of other tasks the failures of this kind; all rows for None."""
        if name is None:
            return self
        if not self.classifies:
            return self.kinds[validate.choice(name, self.kinds, where=self.component, name="kind of failure")]
        return self.where(self.labels == self.class_number(name), f"of class {name!r}")

    def where(self, chosen: NDArray[np.bool_], what: str) -> Tested:
        """The chosen rows; there must be at least one."""
        if not chosen.any():
            raise InvalidInput(
                f"the test data have no rows {what}",
                where=self.component,
                found=f"{len(self)} rows of the classes {', '.join(self.classes_present)}",
                remedy="Add such rows, or ask about a class that occurs.",
            )
        return replace(
            self,
            labels=self.labels[chosen],
            scores=self.scores[chosen],
            inputs=None if self.inputs is None else self.inputs[chosen],
            groups=None if self.groups is None else self.groups[chosen],
            attributes=FrozenMap({name: column[chosen] for name, column in self.attributes.items()}),
            places=None if self.places is None else self.places[chosen],
            losses=None if self.losses is None else self.losses[chosen],
            outcomes=None if self.outcomes is None else self.outcomes[chosen],
            errors=None if self.errors is None else self.errors[chosen],
            times=None if self.times is None else self.times[chosen],
            sequences=None if self.sequences is None else self.sequences[chosen],
            kinds=NO_KINDS,
        )

    @property
    def classes_present(self) -> tuple[str, ...]:
        """Classes that occur among the labels."""
        return tuple(self.classes[number] for number in np.unique(self.labels))


@validate.arguments
def tested(
    component: str,
    data: Data,
    scores: NDArray[Any],
    *,
    output: Output,
    classes: Sequence[str],
    digests: Mapping[str, str],
    caveats: Iterable[Diagnostic],
) -> Tested:
    """Put scores and labels side by side; labels follow the names of the score columns.

    Parameters
    ----------
    component
        Its name.
    data
        Rows with labels.
    scores
        A row each, and a column for each class.
    output
        What the scores are.
    classes
        Names of the columns.
    digests
        Identify model and data.
    caveats
        What a reader must know.

    Returns
    -------
    Tested
        What steps compute with.

    Examples
    --------
    >>> import surefoot as sf
    >>> import numpy as np
    >>> data = sf.adapters.as_data({"inputs": [[0.1], [0.9]], "labels": [0, 1]})
    >>> scores = np.array([[0.8, 0.2], [0.7, 0.3]])
    >>> answers = sf.adapters.tested(
    ...     "camera", data, scores, output="probability", classes=("0", "1"), digests={}, caveats=()
    ... )
    >>> answers.failed.tolist()
    [False, True]

    """
    if data.labels is None:
        text = "the data have no labels, and answers can be checked on labelled rows only."
        raise DiagnosticsError.of("data-column", text, where=component, hint="Name the column under labels.")
    if scores.shape != (len(data.labels), len(classes)):
        text = f"scores of shape {scores.shape} for {len(data.labels)} labelled rows and {len(classes)} classes."
        raise DiagnosticsError.of("model-output", text, where=component)
    labels = relabelled(data.labels, data.classes, classes)
    if labels.min() < 0 or labels.max() >= len(classes):
        text = f"labels are numbers from {labels.min()} to {labels.max()}, and there are {len(classes)} classes."
        raise DiagnosticsError.of("data-classes", text, where=component)
    return Tested(
        component,
        labels,
        scores,
        output,
        tuple(classes),
        data.inputs,
        data.groups,
        data.attributes,
        FrozenMap(digests),
        tuple(dict.fromkeys((*data.caveats, *caveats))),
        data.places,
        data.block,
        times=data.times,
        sequences=data.sequences,
        columns=data.columns,
    )


def as_answers(value: Any, *, rows: int, where: str) -> NDArray[Any]:
    """A model's return value as a checked array: (rows,) or (rows, columns), finite numbers or text."""
    array = _array(value, where)
    if array.dtype.kind not in "biufU":
        raise _wrong(f"values of type {array.dtype}", where)
    if array.ndim not in (1, 2) or len(array) != rows or 0 in array.shape:
        raise _wrong(f"an array of shape {array.shape} for {rows} rows", where)
    if array.dtype.kind == "f":
        _finite(array, where)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def is_label(answers: NDArray[Any], returns: Returned | None) -> bool:
    """Whether answers are class labels: when said so, or by default whole numbers or text in one column."""
    return returns == "label" or (returns is None and answers.ndim == 1 and answers.dtype.kind in "biuU")


def score_type(answers: NDArray[Any], where: str) -> np.dtype[Any]:
    """The floating-point type that keeps these answers."""
    if answers.dtype.kind == "U":
        raise _wrong("text where numbers are expected", where)
    return np.dtype(np.float32 if answers.dtype in (np.float16, np.float32) else np.float64)


def put(scores: NDArray[Any], answers: NDArray[Any]) -> None:
    """Copy answers as they are; a single column goes into the second of two."""
    if answers.ndim == 1:
        scores[:, 1] = answers
    else:
        scores[:] = answers


def settle(scores: NDArray[Any], *, single: bool, returns: Returned | None, usual: Returned) -> Returned:
    """What answers are: as declared, else probabilities where all rows look like it, else the usual."""
    if returns is not None:
        return returns
    return "probability" if all(_is_probability(chunk, single).all() for chunk in _chunks(scores)) else usual


def normalise(scores: NDArray[Any], *, single: bool, returns: Returned, where: str, code: str = "model-output") -> None:
    """Turn answers put into ``scores`` into one column a class, in place."""
    done = 0
    for chunk in _chunks(scores):
        if returns == "logit":
            chunk[:] = _softmax(chunk, single)
        elif returns == "probability":
            _check_probability(chunk, single, done, where, code)
            if single:
                chunk[:, 0] = 1 - chunk[:, 1]
        elif single:
            chunk[:, 1] /= 2
            chunk[:, 0] = -chunk[:, 1]
        done += len(chunk)


def too_large(scores: NDArray[Any]) -> bool:
    """Whether scores are so large that nothing can be computed with them; small types hold no such numbers."""
    return scores.dtype.kind == "f" and scores.dtype.itemsize > 4 and bool((np.abs(scores) > LARGEST_SCORE).any())


def one_hot(numbers: NDArray[np.int64], scores: NDArray[Any]) -> NDArray[Any]:
    """Class numbers as ones in columns of zeros."""
    scores[:] = 0
    scores[np.arange(len(numbers)), numbers] = 1
    return scores


def _array(value: Any, where: str) -> NDArray[Any]:
    if np.ma.is_masked(value):
        raise _wrong("masked entries", where)
    if isinstance(value, list | tuple):
        value = [_from_tensor(item) for item in value]
    try:
        array = np.asarray(_from_tensor(value))
        return _plain_objects(array) if array.dtype.kind == "O" else array
    except (TypeError, ValueError) as error:
        raise _wrong(f"a {type(value).__name__} that is no array", where) from error


def _from_tensor(value: Any) -> Any:
    """A torch tensor, wherever it lies, as something numpy reads."""
    if not hasattr(value, "detach"):
        return value
    tensor = value.detach().cpu()
    return tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor


def _plain_objects(array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim and all(isinstance(item, str) for item in array.flat):
        return array.astype(str)
    if array.ndim and all(isinstance(item, int | float | np.number) for item in array.flat):
        return array.astype(np.float64)
    raise ValueError("objects that are neither numbers nor text")


def _finite(array: NDArray[Any], where: str) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        rows = np.flatnonzero(bad.reshape(len(array), -1).any(axis=1))
        raise _wrong(f"NaN or infinity for {len(rows)} of {len(array)} rows of a batch, first for row {rows[0]}", where)
    if too_large(array):
        raise _wrong(f"numbers beyond {LARGEST_SCORE:g}", where)


def _chunks(scores: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (scores[start : start + ROWS_AT_ONCE] for start in range(0, len(scores), ROWS_AT_ONCE))


def _is_probability(chunk: NDArray[Any], single: bool) -> NDArray[np.bool_]:
    if single:
        return np.asarray((chunk[:, 1] >= 0) & (chunk[:, 1] <= 1))
    inside = ((chunk >= 0) & (chunk <= 1)).all(axis=1)
    return np.asarray(inside & (np.abs(chunk.sum(axis=1) - 1) <= SUM_TOLERANCE))


def _check_probability(chunk: NDArray[Any], single: bool, offset: int, where: str, code: str) -> None:
    bad = np.flatnonzero(~_is_probability(chunk, single))
    if bad.size:
        values = chunk[bad[0], 1:] if single else chunk[bad[0]]
        raise DiagnosticsError.of(
            code,
            f"row {offset + bad[0]} has {np.array2string(values[:8], precision=4)}, which are no class probabilities.",
            where=where,
            hint="They lie in [0, 1] and sum to 1. Say what is returned: `output: logit` or `output: score`.",
        )


def _softmax(chunk: NDArray[Any], single: bool) -> NDArray[np.float64]:
    wide = chunk.astype(np.float64)
    if single:
        return np.column_stack([expit(-wide[:, 1]), expit(wide[:, 1])])
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _wrong(found: str, where: str) -> DiagnosticsError:
    return DiagnosticsError.of(
        "model-output",
        f"the model returned {found}.",
        where=where,
        hint="It must return one row of finite scores, or one label, for each row of its input.",
    )


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that refuses to be written; whoever owns the array keeps it as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


def _read_only_parts(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return read_only(value)
    if isinstance(value, Mapping) and any(isinstance(item, np.ndarray) for item in value.values()):
        return FrozenMap({name: _read_only_parts(item) for name, item in value.items()})
    return value
