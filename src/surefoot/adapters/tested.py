"""What steps compute with: rows of data, and a component's answers on labelled rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.classes import relabelled
from surefoot.adapters.read_only import ReadOnlyArrays, read_only
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, validate
from surefoot.core.canonical import FrozenMap

Output = Literal["probability", "score", "label"]
NO_ATTRIBUTES: FrozenMap[NDArray[Any]] = FrozenMap()


@dataclass(frozen=True, eq=False)
class Data(ReadOnlyArrays):
    """Rows as they were read: inputs, labels as class numbers, and what else is known of each row.

    ``scores`` is there when the rows were scored elsewhere; ``groups`` names what rows share (a patient, a
    film); ``attributes`` are further columns, such as the dimensions of the operating conditions.
    """

    digest: str
    inputs: NDArray[Any] | None = None
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
    classes_listed: bool = False
    """Whether somebody said what the classes are and in which order; otherwise they are the sorted labels."""

    def __len__(self) -> int:
        column = next(c for c in (self.labels, self.scores, self.inputs) if c is not None)
        return len(column)


@dataclass(frozen=True, eq=False)
class Tested(ReadOnlyArrays):
    """A component's answers on labelled rows.

    ``scores`` has a column for each class; ``output`` says what they are: probabilities, scores whose
    differences mean something, or labels turned into zeros and ones. ``digests`` identify model and data.
    """

    __test__ = False  # pytest takes every class whose name starts with Test for a test

    component: str
    labels: NDArray[np.int64]
    scores: NDArray[np.floating]
    output: Output
    classes: tuple[str, ...]
    inputs: NDArray[Any] | None = None
    groups: NDArray[Any] | None = None
    attributes: Mapping[str, NDArray[Any]] = NO_ATTRIBUTES
    digests: Mapping[str, str] = field(default_factory=FrozenMap)
    caveats: tuple[Diagnostic, ...] = ()
    places: NDArray[np.int64] | None = None
    block: int | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def predictions(self) -> NDArray[np.intp]:
        """Number of the class with the highest score."""
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
        """The rows whose true class has this name; all rows for None."""
        return self if name is None else self.where(self.labels == self.class_number(name), f"of class {name!r}")

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
        )

    @property
    def classes_present(self) -> tuple[str, ...]:
        """Classes that occur among the labels."""
        return tuple(self.classes[number] for number in np.unique(self.labels))


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
    """Put scores and labels side by side; labels follow the names of the score columns."""
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
        tuple(caveats),
        data.places,
        data.block,
    )
