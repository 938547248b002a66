"""Operation against the data that evidence rests on: an alarm that is valid at any time, and what moved.

``ProfileWatch`` looks at ``Features`` of rows, compared with a ``Reference``: rows of the component's own data with its
answers. ``Layout`` says which columns of a stream mean what.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import adapters
from surefoot.adapters import Data, Frame, LoadedModel, Output
from surefoot.adapters.answers import is_label, put, score_type, settle
from surefoot.adapters.column_roles import INPUT_NAMES, StatedRoles, roles_in
from surefoot.adapters.labels import LABEL_NAMES
from surefoot.adapters.table_data import CsvFile, ParquetFile
from surefoot.core import Check, Diagnostic, DiagnosticsError, InvalidInput, validate
from surefoot.core.canonical import reading
from surefoot.core.validate import FloatArray
from surefoot.profile import ChangeAlarm, PCAEncoder
from surefoot.profile.stream import MOST_AXES
from surefoot.project.components import Components
from surefoot.project.definition import DataSource
from surefoot.project.project import Project
from surefoot.project.store import Store
from surefoot.watch.records import PROFILE, Event

LATEST = 1000
"""So many of the latest rows are kept, to say what moved."""
FEWEST_SHOWN = 20
MOST_NAMED, MOST_TOGETHER = 3, 4
SIGNIFICANCE = 0.01
MOST_PLACES = 12
LEAST_SHIFT = 0.1
"""Standard deviations; where means differ by less, it is the spread that people are told about."""


@dataclass(frozen=True)
class FeatureShift:
    """How far one feature of operation lies from the reference."""

    name: str
    distance: float
    """Largest difference of the two distribution functions (Kolmogorov 1933): 0 is the same, 1 is apart."""
    shift: float
    """Difference of the means in standard deviations of the reference."""

    rows: int = 0
    """Rows of operation that were compared."""
    mean: float = 0.0
    reference: float = 0.0
    """Means in operation and in the reference."""

    def __str__(self) -> str:
        if abs(self.shift) < LEAST_SHIFT:
            return f"{self.name} is spread in another way (up to {self.distance:.0%} of the rows lie elsewhere)"
        spread = abs((self.mean - self.reference) / self.shift)
        return f"{self.name} averages {_to(spread, self.mean)} where it was {_to(spread, self.reference)}"


def _to(spread: float, number: float) -> str:
    """A number to about a hundredth of what numbers are spread by."""
    places = 2 - math.floor(math.log10(spread)) if spread > 0 else MOST_PLACES
    rounded = round(number, min(places, MOST_PLACES)) + 0.0
    return f"{rounded:,.{min(max(places, 0), MOST_PLACES)}f}" if rounded else "0"


class ProfileWatch:
    """Compares the features of a stream with those of the reference, row by row.

    An alarm looks along four axes at most, so that where there are more features, one alarm looks at all of them and
    further ones at four each; ``alpha`` is split among them.

    Parameters
    ----------
    features
        What is compared, with the rows of the reference.
    alpha
        The chance that an alarm ever goes off although nothing changed.
    seed
        Seed of the alarms.
    data
        What the reference is called.

    References
    ----------
    Vovk, Gammerman and Shafer (2022), Algorithmic Learning in a Random World.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.watch import Features, ProfileWatch, Reference
    >>> rng = np.random.default_rng(0)
    >>> scores = np.zeros((1000, 2))
    >>> tested = Reference("test", rng.normal(size=(1000, 2)), scores, "probability", ("no", "yes"), None, {})
    >>> profile = ProfileWatch(Features.of(tested, ("left", "right")), alpha=0.01)
    >>> moved = rng.normal(size=(300, 2)) + [0, 2]
    >>> [event.row < 50 for event in profile.update(moved, scores[:300], np.arange(1, 301))]
    [True]

    """

    @validate.arguments
    def __init__(self, features: Features, *, alpha: float, seed: int = 0, data: str = "test") -> None:
        self.features, self.data = features, data
        parts = _parts(len(features.names))
        self._alarms = [
            (part, ChangeAlarm(features.reference[:, part], alpha=alpha / len(parts), seed=seed)) for part in parts
        ]
        self._sorted = np.sort(features.reference, axis=0)
        spread = features.reference.std(axis=0)
        self._centre, self._spread = features.reference.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.latest: FloatArray = np.empty((0, len(features.names)))
        """Features of the latest rows."""
        self.row: int | None = None
        self.since: int | None = None
        self._changed_at: int | None = None
        self._together: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Rows that were compared."""
        return self._alarms[0][1].state.rows

    @property
    def value(self) -> float:
        """Evidence of a change: the chance to see this much or more without one is at most 1/value."""
        return max(alarm.state.value for _, alarm in self._alarms) / len(self._alarms)

    @property
    def broken(self) -> Check | None:
        """What the stream says against the assumption that operation is as the reference; None while it is calm."""
        if self.row is None:
            return None
        figures = {
            "row": self.row,
            "since": self.since,
            "features": list(self._together),
            **{f"distance of {each.name}": each.distance for each in self.moved[:MOST_NAMED]},
        }
        return Check("contradicted", "change alarm on the stream of operation", figures, self.moved[0].distance)

    def update(self, rows: NDArray[Any] | Frame, scores: NDArray[Any], numbers: NDArray[np.int64]) -> list[Event]:
        """Take in rows; an event when the alarm goes off, which it does once."""
        found, before = self.features(rows, scores), self.rows
        states = [alarm.update(found[:, part]) for part, alarm in self._alarms]
        self.latest = np.concatenate([self.latest, found])[-LATEST:]
        noticed = [(state.row, state.since) for state in states if state.row is not None and state.since is not None]
        if self.row is not None or not noticed:
            return []
        row, since = min(noticed)
        part = next(part for (part, _), state in zip(self._alarms, states, strict=True) if state.row == row)
        self.row, self._together = int(numbers[row - before]), self.features.names[part]
        self.since, self._changed_at = self.row - (row - since), since
        return [self._event()]

    @property
    def moved(self) -> tuple[FeatureShift, ...]:
        """How the latest rows, after the change where one was noticed, differ from the reference, the most first."""
        if not len(self.latest):
            return ()
        rows = len(self.latest) if self._changed_at is None else self.rows - self._changed_at
        latest = self.latest[-max(rows, FEWEST_SHOWN) :]
        means = latest.mean(axis=0)
        shifts = (means - self._centre) / self._spread
        found = [
            FeatureShift(
                name,
                _distance(self._sorted[:, place], latest[:, place]),
                float(shifts[place]),
                len(latest),
                float(means[place]),
                float(self._centre[place]),
            )
            for place, name in enumerate(self.features.names)
        ]
        return tuple(sorted(found, key=lambda each: -each.distance))

    @property
    def moved_for_certain(self) -> tuple[FeatureShift, ...]:
        """Those of which each alone shows a difference, at 1% in all."""
        miss = SIGNIFICANCE / len(self.features.names)
        rows = len(self._sorted)
        return tuple(
            each for each in self.moved if each.distance**2 > -math.log(miss / 2) / 2 * (1 / each.rows + 1 / rows)
        )

    def snapshot(self) -> dict[str, Any]:
        """What it knows, as plain data."""
        return {
            "alarms": [alarm.snapshot() for _, alarm in self._alarms],
            "latest": self.latest.tolist(),
            "row": self.row,
            "since": self.since,
            "changed": self._changed_at,
            "together": list(self._together),
        }

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told."""
        with reading("profile of a stream"):
            for (_, alarm), told in zip(self._alarms, snapshot["alarms"], strict=True):
                alarm.resume(told)
            self.latest = np.array(snapshot["latest"], dtype=float).reshape(-1, len(self.features.names))
            self.row, self.since = snapshot["row"], snapshot["since"]
            self._changed_at, self._together = snapshot["changed"], tuple(map(str, snapshot["together"]))

    def what_moved(self) -> str:
        """The features that moved most, or those that changed together, in words."""
        moved = self.moved_for_certain
        if moved:
            return ", ".join(map(str, moved[:MOST_NAMED]))
        named = ", ".join(self._together[:MOST_TOGETHER])
        more = len(self._together) - MOST_TOGETHER
        others = f" and {more} more" if more > 0 else ""
        return f"{named}{others} changed together, none for certain by itself"

    def _event(self) -> Event:
        text = (
            f"Inputs are no longer like those of data set {self.data!r}, on which the evidence rests, since about row "
            f"{self.since:,}: {self.what_moved()}. What was tested need not hold for them: find out what changed, test "
            "on such inputs, and assess anew."
        )
        check = self.broken
        assert self.row is not None, "an alarm has a row"
        assert check is not None, "an alarm contradicts"
        return Event(PROFILE, self.row, text, "operational profile", check.figures)


def _parts(features: int) -> list[slice]:
    """All features, and where they are more than an alarm has axes also a few at a time."""
    few = [slice(start, start + MOST_AXES) for start in range(0, features, MOST_AXES)]
    return few if len(few) == 1 else [slice(0, features), *few]


def _distance(reference: FloatArray, sample: FloatArray) -> float:
    """Kolmogorov's distance of a sample from sorted reference values."""
    both = np.concatenate([reference, ordered := np.sort(sample)])
    below, other = (np.searchsorted(part, both, side="right") / part.size for part in (reference, ordered))
    return float(np.abs(below - other).max())


# What of a row is compared with the reference: its inputs where they are few, else principal axes and scores.

MOST_INPUTS = 64
"""So many numbers a row are compared as they are."""
AXES = 8
LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class Features:
    """Turns rows into the numbers that are compared, each with a name.

    ``Features.of`` decides what is compared: inputs where they are few, else principal axes and scores.

    Parameters
    ----------
    names
        What the numbers are called.
    reference
        The numbers of the reference, a row each.
    encoder
        Axes along which inputs are looked at; None for the inputs themselves.
    by_scores, by_inputs
        Which of the two are looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.watch import Features, Reference
    >>> tested = Reference("test", np.eye(4)[:, :2], np.zeros((4, 2)), "probability", ("no", "yes"), None, {})
    >>> Features.of(tested, ("left", "right")).names
    ('left', 'right')

    """

    names: tuple[str, ...]
    reference: FloatArray
    encoder: PCAEncoder | None = None
    by_scores: bool = False
    by_inputs: bool = True

    @classmethod
    def of(cls, reference: Reference, names: Sequence[str] = (), *, seed: int = 0) -> Features:
        """Inputs of up to 64 numbers; of more, places along principal axes, and scores; without numbers, scores.

        The axes are those of one half of the reference, and the other half is compared with: rows that shaped the axes
        are not exchangeable with new ones.
        """
        inputs = reference.inputs
        scored = tuple(f"score of {name}" for name in reference.classes)
        if inputs is None or isinstance(inputs, Frame) or inputs.dtype.kind not in "biuf":
            return cls(scored, _flat(reference.scores), by_scores=True, by_inputs=False)
        flat = _flat(inputs)
        if flat.shape[1] <= MOST_INPUTS:
            return cls(_input_names(names, flat.shape[1]), flat)
        order = np.random.default_rng(seed).permutation(len(flat))
        first, second = np.sort(order[: len(flat) // 2]), np.sort(order[len(flat) // 2 :])
        encoder = _encoder(flat[first])
        if encoder is None:
            return cls(scored, _flat(reference.scores), by_scores=True, by_inputs=False)
        axes = tuple(f"principal axis {number + 1}" for number in range(encoder.dimensions))
        both = np.hstack([encoder.encode(flat[second]), _flat(reference.scores)[second]])
        return cls((*axes, *scored), both, encoder, by_scores=True)

    def __call__(self, rows: NDArray[Any] | Frame, scores: NDArray[Any]) -> FloatArray:
        """The numbers of rows of the stream."""
        parts = []
        if self.by_inputs:
            flat = _flat(rows.matrix() if isinstance(rows, Frame) else rows)
            parts.append(flat if self.encoder is None else self.encoder.encode(flat))
        if self.by_scores:
            parts.append(_flat(scores))
        return np.hstack(parts)


def _flat(values: NDArray[Any]) -> FloatArray:
    return np.clip(values.reshape(len(values), -1).astype(float), -LARGEST, LARGEST)


def _input_names(names: Sequence[str], width: int) -> tuple[str, ...]:
    if len(names) == width:
        return tuple(names)
    stem = names[0] if len(names) == 1 else "input"
    return tuple(f"{stem}[{place}]" for place in range(width))


def _encoder(rows: FloatArray) -> PCAEncoder | None:
    """Axes of rows, as many as they vary along; None where they do not vary."""
    for dimensions in (AXES, 4, 2, 1):
        try:
            return PCAEncoder(dimensions).fit(rows)
        except InvalidInput:
            continue
    return None


# The component at work on a stream: its scores for each batch, in the form of its answers on the reference.

OPERATION, TEST = "operation", "test"
MOST_REFERENCE = 20_000
"""More rows of reference would tell no more."""
BATCH = 1024


@dataclass(frozen=True, eq=False)
class Reference:
    """Rows that operation is compared with, and the component that answers; ``Reference.of`` makes it of a project.

    Parameters
    ----------
    name
        The data set: ``operation`` where there is one, else ``test``.
    inputs
        None where the component has no model.
    scores, output, classes
        The answers to these rows.
    model
        Answers new rows; None where rows bring their scores.
    digests
        Of data and model.
    batch_size
        Rows that the model answers at once.

    See Also
    --------
    Features : What of the rows is compared.

    """

    name: str
    inputs: NDArray[Any] | Frame | None
    scores: NDArray[np.floating]
    output: Output
    classes: tuple[str, ...]
    model: LoadedModel | None
    digests: dict[str, str]
    batch_size: int = BATCH
    columns: tuple[str, ...] = ()
    """Names of the columns of the inputs, where they came as a table of numbers."""

    @classmethod
    def of(cls, project: Project, component: str, *, seed: int = 0) -> Reference:
        """Read the data, load the model in this process, and let it answer."""
        components, part = Components(project, Store.open(None)), project.definition.components[component]
        name = reference_data(list(part.data))
        data = _some(components.data(component, name), seed)
        digests = components.digests(component, name)
        if part.model is None and f"{component}.model" not in project.objects:
            if data.scores is None:
                text = f"component {component!r} has no model, and data set {name!r} no scores."
                raise DiagnosticsError.of("data-column", text, where=project.where("components", component))
            return cls(name, None, data.scores, data.output, data.classes, None, digests)
        size = part.model.batch_size if part.model else BATCH
        model = _settled(components.model(component), data)
        found = adapters.scored(model, data, batch_size=size)
        columns = data.columns
        return cls(name, data.inputs, found.scores, found.output, found.classes, model, digests, size, columns)

    def answers(self, rows: NDArray[Any] | Frame) -> NDArray[np.floating]:
        """Scores of rows of a stream: of inputs, or where there is no model of scores that the rows bring."""
        if self.model is None:
            brought = {"scores": rows, "output": self.output, "classes": self.classes}
            scores = adapters.as_data(brought).scores
            assert scores is not None, "scores were given"
            return scores
        data = Data("", rows, classes=self.classes, classes_listed=True, columns=self.columns)
        return adapters.scored(self.model, data, batch_size=self.batch_size).scores


def reference_data(names: list[str]) -> str:
    """The data set that operation is compared with."""
    return next((name for name in (OPERATION, TEST) if name in names), names[0])


def class_numbers(labels: Any, classes: tuple[str, ...], *, where: str) -> NDArray[np.int64]:
    """Numbers of the classes that labels mean; -1 where a label is missing (None, NaN or empty)."""
    from surefoot.adapters.labels import numbered

    given = np.asarray(labels, dtype=object).reshape(-1)
    missing = np.array([each is None or each == "" or each != each for each in given], dtype=bool)
    found = np.full(given.size, -1, dtype=np.int64)
    if not missing.all():
        kept = given[~missing]
        plain = np.array([str(each) for each in kept]) if isinstance(kept[0], str) else np.array(kept.tolist())
        found[~missing] = numbered(plain, classes, where=where).numbers
    return found


def _some(data: Data, seed: int) -> Data:
    """At most so many rows, drawn at random."""
    if len(data) <= MOST_REFERENCE:
        return replace(data, labels=None)
    chosen = np.sort(np.random.default_rng(seed).choice(len(data), MOST_REFERENCE, replace=False))
    return replace(
        data,
        labels=None,
        groups=None,
        attributes={},
        inputs=None if data.inputs is None else data.inputs[chosen],
        scores=None if data.scores is None else data.scores[chosen],
    )


def _settled(model: LoadedModel, data: Data) -> LoadedModel:
    """The model with its kind of answers made fast, so that no later batch is taken for another kind."""
    if model.returns is not None or data.inputs is None:
        return model
    taken = adapters.model.prepared(model, data)[0].inputs
    assert taken is not None, "there are inputs"
    answers = model.answers(taken)
    if is_label(answers, None):
        return replace(model, returns="label")
    single = answers.ndim == 1
    scores = np.empty((len(answers), 2 if single else answers.shape[1]), score_type(answers, model.name))
    put(scores, answers)
    return replace(model, returns=settle(scores, single=single, returns=None, usual=model.usual))


# Which columns of a stream mean what: as the data set that operation is compared with says.

TABLES: dict[str, type[CsvFile] | type[ParquetFile]] = {".csv": CsvFile, ".parquet": ParquetFile}


@dataclass(frozen=True)
class Layout:
    """Which columns of a stream mean what, as far as the project says or its files show.

    Parameters
    ----------
    inputs
        Columns that go into the model; all that are nothing else where it is empty.
    labels
        The column with the true class; a usual name where it is None.
    scores
        Where the component has no model: what stands for its answers.
    aside
        Columns that are no inputs.
    attributes
        Columns of the operating conditions.
    numeric
        Attributes that must be numbers, because a condition limits them.
    image_size
        To which images are scaled.

    Examples
    --------
    >>> from surefoot.watch import Layout
    >>> Layout(attributes=("speed",)).input_columns(["left", "right", "speed", "label"], where="rows.csv")
    ('left', 'right')

    """

    inputs: tuple[str, ...] = ()
    labels: str | None = None
    scores: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    numeric: frozenset[str] = frozenset()
    image_size: tuple[int, int] | None = None

    @classmethod
    def of(cls, project: Project, component: str) -> Layout:
        """The columns of a component's reference data."""
        part = project.definition.components[component]
        source = part.data[reference_data(list(part.data))]
        limited = {
            each.column
            for each in project.definition.conditions.assumptions
            if each.column and (each.at_least is not None or each.at_most is not None)
        }
        brought = part.model is None and f"{component}.model" not in project.objects
        in_memory = project.objects.get(f"{component}.{reference_data(list(part.data))}")
        return cls(
            inputs=_inputs(source, project.folder),
            labels=source.labels if isinstance(source.labels, str) else None,
            scores=_names(source.scores) if brought else (),
            aside=(*_names(source.scores), *_names(source.groups)),
            attributes=tuple(source.attributes) or _attributes_of(in_memory),
            numeric=frozenset(name for name in limited if name is not None),
            image_size=source.image_size,
        )

    def label_column(self, names: Sequence[str]) -> str | None:
        """The column of labels, where there is one; a stream may have none."""
        wanted = (self.labels,) if self.labels else LABEL_NAMES
        taken = {*self.inputs, *self.attributes, *self.aside}
        return next((name for name in wanted if name in names and name not in taken), None)

    def input_columns(self, names: Sequence[str], *, where: str) -> tuple[str, ...]:
        """The columns that go into the model: those of the reference, else all that are nothing else."""
        if self.inputs and set(self.inputs) <= set(names):
            return self.inputs
        if len(self.inputs) > 1:
            missing = [name for name in self.inputs if name not in names]
            text = f"the stream has no column {missing[0]!r} ({len(missing)} missing); it has {', '.join(names)}."
            raise DiagnosticsError.of("watch-stream", text, where=where, hint="Name columns as the test data do.")
        usual = next((name for name in INPUT_NAMES if name in names), None)
        if usual is not None:
            return (usual,)
        others = {*self.attributes, *self.aside, self.label_column(names)}
        return tuple(name for name in names if name not in others)


def chosen_component(project: Project, component: str | None) -> str:
    """The component to watch, which must be named where there are several."""
    known = list(project.definition.components)
    if component is None and len(known) == 1:
        return known[0]
    if component in known:
        return component
    text = "there is no component to watch." if not known else f"there are several components: {', '.join(known)}."
    if component is not None:
        text = f"there is no component {component!r}; there are: {', '.join(known)}."
    problem = Diagnostic("unknown-reference", text, "error", project.where("components"), "Say which with --component.")
    raise DiagnosticsError(str(problem), diagnostics=[problem])


def _inputs(source: DataSource, folder: Path) -> tuple[str, ...]:
    path = None if source.path is None else folder / source.path
    if source.inputs is None and path is not None and path.is_file() and path.suffix.lower() in TABLES:
        table = TABLES[path.suffix.lower()](path, str(source.path))
        labels = source.labels if isinstance(source.labels, str) else None
        wanted = StatedRoles(None, labels, source.scores, source.output, source.groups, source.attributes)
        return roles_in(table, wanted, with_inputs=True).inputs
    return _names(source.inputs)


def _attributes_of(given: object) -> tuple[str, ...]:
    """Names of the attributes of data in memory."""
    columns = given.get("attributes") if isinstance(given, dict) else None
    return tuple(columns) if isinstance(columns, dict) else ()


def _names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)
