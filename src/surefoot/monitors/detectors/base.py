"""``Detector``: what all detectors share: checked arguments, numbered classes, bearable magnitudes, and files."""

from __future__ import annotations

import io
import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from numbers import Integral
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal, Self, cast
from zipfile import ZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import DiagnosticsError, InvalidInput, SurefootError, Undefined, validate
from surefoot.core.canonical import array_digest, digest
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray
from surefoot.documents import BROKEN_ARRAYS, listed, write_whole
from surefoot.profile.input_arrays import slices

Learned = Mapping[str, NDArray[Any]]
Takes = Literal["features", "logits", "probabilities", "images", "inputs", "pass"]
SHAPES = {"features": (2,), "logits": (2,), "probabilities": (2,), "images": (3, 4), "inputs": (), "pass": ()}


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """What can be seen of one forward pass of a model: inputs, features of a layer, and the answer; a row an input.

    Every detector takes one in place of rows, and looks at what it ``takes``; an ``Ensemble`` of detectors that look at
    different things needs one.

    Parameters
    ----------
    features
        Of a layer, one row an input.
    logits, probabilities
        What the model answers, one column a class.
    inputs
        What the model was given.
    predictions
        The class that the model answers for each input.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> usual = sf.monitors.ForwardPass(rng.normal(size=(200, 2)), logits=rng.normal(size=(200, 3)) + [4, 0, 0])
    >>> both = sf.monitors.Ensemble([sf.monitors.Energy(), sf.monitors.KNN()]).fit(usual)
    >>> strange = sf.monitors.ForwardPass(np.array([[0.0, 0.0], [9.0, 9.0]]), logits=[[4.0, 0.0, 0.0], [0.1, 0.0, 0.0]])
    >>> both.decision_function(strange)
    array([0.45, 1.  ])

    """

    features: ArrayLike | None = None
    logits: ArrayLike | None = field(default=None, kw_only=True)
    probabilities: ArrayLike | None = field(default=None, kw_only=True)
    inputs: ArrayLike | None = field(default=None, kw_only=True)
    predictions: ArrayLike | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        validate.fields(self)
        for name, values in self._stated.items():
            object.__setattr__(self, name, validate.array(values, where="ForwardPass", name=name))
        if not self._stated:
            raise InvalidInput(
                "nothing is seen of it", where="ForwardPass", remedy="Give features=, logits= or inputs=."
            )
        if 0 in (np.ndim(values) for values in self._stated.values()):
            raise InvalidInput("needs one row an input", where="ForwardPass", found="a single number")
        validate.same_length("ForwardPass", **self._stated)

    @property
    def _stated(self) -> dict[str, Any]:
        views = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: values for name, values in views.items() if values is not None}

    def __len__(self) -> int:
        return len(next(iter(self._stated.values())))

    def __getitem__(self, rows: Any) -> ForwardPass:
        """Some of its rows, by a mask, a slice or numbers."""
        return ForwardPass(**{name: values[rows] for name, values in self._stated.items()})

    @property
    def shape(self) -> tuple[int]:
        """Its number of rows; each view has a width of its own."""
        return (len(self),)

    @property
    def size(self) -> int:
        """Its number of rows."""
        return len(self)

    def view(self, takes: Takes, *, where: str) -> Any:
        """What a detector takes of it."""
        found = getattr(self, "inputs" if takes == "images" else takes, None)
        if found is None:
            known = listed(list(self._stated))
            remedy = f"Give {takes}= too."
            raise InvalidInput(f"the forward pass shows no {takes}", where=where, found=known, remedy=remedy)
        return found


class Detector(ABC):
    """Scores how far rows are out of distribution; higher is farther.

    A subclass is a dataclass whose fields are its parameters, plain values that JSON can hold. It says in ``_fit``
    which arrays it learns, and in ``_score`` how it scores with what ``_prepared`` made of them. It keeps nothing
    else, so that every detector can be saved, loaded and fitted anew. ``class KNN(Detector, name="knn")`` registers
    it under the name that files and project files call it; ``beside=`` names its fields that no JSON can hold.
    ``surefoot.testing.check_detector`` says whether a new one is complete.

    See Also
    --------
    Mahalanobis, KNN, KernelDensity : Distances and densities of features.
    LSA, DSA : Surprise adequacy.
    MaxSoftmax, Energy, ODIN : What a classifier answers.
    Monitor : A detector with a threshold.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import surefoot as sf
    >>> @dataclass(eq=False)
    ... class Length(sf.monitors.Detector):
    ...     name = "length"
    ...     def _fit(self, rows, classes):
    ...         return {"usual": np.linalg.norm(rows, axis=1).mean()[None]}
    ...     def _score(self, rows, classes, ready):
    ...         return np.linalg.norm(rows, axis=1) - ready["usual"]
    >>> Length().fit([[3, 4], [0, 5]]).decision_function([[3, 4], [6, 8]])
    array([0., 5.])

    """

    name: ClassVar[str]
    """What files and project files call it."""
    takes: ClassVar[Takes] = "features"
    """What its rows are."""
    by_class: ClassVar[bool] = False
    """Whether it needs labels to fit and predictions to score."""
    beside: ClassVar[tuple[str, ...]] = ()
    """Fields that no JSON can hold, so that ``parameters`` leave them out."""
    _learned: Learned | None = None
    _ready: Any = None

    def __init_subclass__(
        cls, *, name: str | None = None, beside: tuple[str, ...] | None = None, **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        if beside is not None:
            cls.beside = beside
        if name is not None:
            cls.name = name
            DETECTORS.add(cls, name, **({"beside": cls.beside} if cls.beside else {}))

    def fit(self, features: ArrayLike | ForwardPass, labels: ArrayLike | None = None) -> Self:
        """Learn what is usual from rows that are.

        Parameters
        ----------
        features
            One row an input, of what the detector ``takes``, or a ``ForwardPass`` that shows it.
        labels
            The classes that the model answers for them; a detector ``by_class`` needs them, here or in the pass.

        Returns
        -------
        Detector
            Itself, fitted.

        """
        rows = self._rows(features)
        if not rows.size:
            problem, found = "needs at least one row, and one number a row, to fit", f"shape {rows.shape}"
            raise InvalidInput(problem, where=self.name, found=found, remedy="Give rows that are usual.")
        known, numbers = self._numbered_labels(self._answers(features, labels), len(rows))
        learned = {**self._fit(rows, numbers), "classes": known, "row_shape": np.array(rows.shape[1:], dtype=np.int64)}
        self._learned, self._ready = learned, None
        return self

    def decision_function(self, features: ArrayLike | ForwardPass, predictions: ArrayLike | None = None) -> FloatArray:
        """A score for each row, higher where it is stranger.

        Parameters
        ----------
        features
            One row an input, of the shape it was fitted to, or a ``ForwardPass``.
        predictions
            The classes that the model answers for them; a detector ``by_class`` needs them.

        Returns
        -------
        numpy.ndarray
            One finite or infinite number a row, never NaN.

        """
        learned = self.learned
        rows = self._rows(features)
        if rows.shape[1:] != tuple(learned["row_shape"]):
            raise InvalidInput(
                "rows must have the shape of those it was fitted to",
                where=self.name,
                found=f"{rows.shape[1:]} instead of {tuple(learned['row_shape'].tolist())}",
            )
        numbers = self._numbered_predictions(self._answers(features, predictions), len(rows))
        if not len(rows):
            return np.empty(0)
        return self._checked(np.asarray(self._score(rows, numbers, self._prepared_once()), dtype=np.float64), len(rows))

    def score_one(self, features: NDArray[Any] | ForwardPass, prediction: Any = None) -> float:
        """The score of one row, for streams: the same figure as ``decision_function`` gives for a batch of one."""
        rows = features if isinstance(features, ForwardPass) else np.asanyarray(features)[None]
        return float(self.decision_function(rows, None if prediction is None else np.asarray(prediction)[None])[0])

    @property
    def learned(self) -> Learned:
        """The arrays it has learned."""
        if self._learned is None:
            raise Undefined("is not fitted yet", where=self.name, remedy="Call fit(features, labels) first.")
        return self._learned

    @property
    def fitted(self) -> bool:
        """Whether it has learned."""
        return self._learned is not None

    @property
    def classes(self) -> NDArray[Any]:
        """The classes it was fitted with."""
        return self.learned["classes"]

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with, as plain values, but for the fields ``beside`` them."""
        names = [field.name for field in fields(cast(Any, self)) if field.init and field.name not in self.beside]
        return {name: getattr(self, name) for name in names}

    @property
    def members(self) -> tuple[Detector, ...]:
        """The detectors it is made of, which a file holds too."""
        return ()

    @classmethod
    def restored(
        cls,
        parameters: Mapping[str, Any],
        learned: Learned,
        members: Sequence[Detector] = (),
        objects: Mapping[str, Any] | None = None,
    ) -> Self:
        """The detector of a file: its parameters, what it had learned, its members, and objects that no file holds."""
        detector = cls(**parameters, **cls._restored_beside(learned, members, objects or {}))
        detector._learned = dict(learned)
        return detector

    @classmethod
    def _restored_beside(
        cls, learned: Learned, members: Sequence[Detector], objects: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The fields ``beside`` the parameters: objects that are handed over, unless a subclass knows better."""
        for name in cls.beside:
            if name not in objects:
                raise InvalidInput(f"needs its {name}", where=cls.name, remedy=f"Use load(path, {name}=...).")
        return {name: objects[name] for name in cls.beside}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file (.npz) that holds arrays and JSON, and no code."""
        save_detector(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], **objects: Any) -> Detector:
        """Read what ``save`` wrote; ``objects`` are what no file holds, such as the ``model`` of ODIN."""
        return load_detector(path, **objects)

    @abstractmethod
    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The arrays learned from rows, whose classes are numbered from 0 (all 0 where labels were not given)."""

    @abstractmethod
    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        """Scores of at least one row, given what ``_prepared`` made of the learned arrays."""

    def _prepared(self, learned: Learned) -> Any:
        """What scoring needs that is quickly made of the learned arrays; made once, never saved."""
        return learned

    def _prepared_once(self) -> Any:
        if self._ready is None:
            self._ready = self._prepared(self.learned)
        return self._ready

    def _checked(self, scores: FloatArray, rows: int) -> FloatArray:
        """Scores that can be compared with a threshold: NaN exceeds none, and a monitor would keep quiet."""
        if scores.shape != (rows,) or np.isnan(scores).any():
            found = "NaN" if scores.shape == (rows,) else f"shape {scores.shape} for {rows} rows"
            raise Undefined("gave no score for each row", where=self.name, found=found, remedy="Fit it anew.")
        return scores

    def _answers(self, features: ArrayLike | ForwardPass, stated: ArrayLike | None) -> ArrayLike | None:
        """What the model answers, as stated or as the forward pass shows it to a detector that needs it."""
        if stated is None and self.by_class and isinstance(features, ForwardPass):
            return features.predictions
        return stated

    def _rows(self, features: ArrayLike | ForwardPass) -> Any:
        seen = features.view(self.takes, where=self.name) if isinstance(features, ForwardPass) else features
        rows = validate.numbers(seen, where=self.name, name=self.takes)
        allowed = SHAPES[self.takes]
        if allowed and rows.ndim not in allowed:
            words = " or ".join(map(str, allowed))
            remedy = "Flatten each row." if allowed == (2,) else "Give rows x height x width, with channels or without."
            raise InvalidInput(
                f"{self.takes} must have {words} dimensions",
                where=self.name,
                found=f"shape {rows.shape}",
                remedy=remedy,
            )
        return rows

    def _numbered_labels(self, labels: ArrayLike | None, rows: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        if labels is None and self.by_class:
            raise InvalidInput(
                "needs labels", where=self.name, remedy="Give the class that the model answers for each row."
            )
        if labels is None:
            return np.zeros(1, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        return numbered(labels, rows, where=self.name)

    def _numbered_predictions(self, predictions: ArrayLike | None, rows: int) -> NDArray[np.int64]:
        if not self.by_class:
            return np.zeros(rows, dtype=np.int64)
        if predictions is None:
            raise InvalidInput(
                "needs predictions", where=self.name, remedy="Give the class that the model answers for each row."
            )
        return numbers_of(predictions, self.classes, rows, where=self.name)


DETECTORS: Registry[type[Detector]] = Registry("detector", "surefoot.monitors.detectors", facts=("beside",))


# Classes as numbers: which ones there are, and which one each row has.

KINDS = "biuUS"
LARGEST_CLASS = 2.0**53
"""Floats beyond it no longer tell neighbouring whole numbers apart."""
MOST_NAMED = 5


def numbered(labels: ArrayLike, rows: int, *, where: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes in order, and the number of each row's class."""
    known, numbers = np.unique(_plain(labels, rows, where=where, name="labels"), return_inverse=True)
    return known, numbers.astype(np.int64)


def numbers_of(predictions: ArrayLike, classes: NDArray[Any], rows: int, *, where: str) -> NDArray[np.int64]:
    """The number of each row's class among those that are known."""
    given = _plain(predictions, rows, where=where, name="predictions")
    if (given.dtype.kind in "US") != (classes.dtype.kind in "US"):
        found = f"{given.dtype} where labels were {classes.dtype}"
        raise InvalidInput("predictions must be of the kind of the labels it was fitted with", where=where, found=found)
    places = np.minimum(np.searchsorted(classes, given), len(classes) - 1)
    unseen = np.unique(given[classes[places] != given])
    if unseen.size:
        more = f" and {unseen.size - MOST_NAMED} more" if unseen.size > MOST_NAMED else ""
        raise InvalidInput(
            "predictions name classes it was not fitted with",
            where=where,
            found=listed([str(name) for name in unseen[:MOST_NAMED].tolist()]) + more,
            remedy="Fit with rows of every class that the model can answer.",
        )
    return places.astype(np.int64)


def known_classes(classes: NDArray[Any], *, where: str) -> NDArray[Any]:
    """Classes of a file, if they are as ``numbered`` gives them."""
    plain = classes.ndim == 1 and classes.size and classes.dtype.kind in KINDS
    if not plain or not np.array_equal(np.unique(classes), classes):
        found = f"{classes.dtype} of shape {classes.shape}"
        raise InvalidInput("classes must be whole numbers or text, each once and in order", where=where, found=found)
    return classes


def _plain(values: ArrayLike, rows: int, *, where: str, name: str) -> NDArray[Any]:
    array = _unboxed(np.asarray(values))
    whole = array.dtype.kind == "f" and (np.abs(array) <= LARGEST_CLASS).all() and (array == np.floor(array)).all()
    array = array.astype(np.int64) if whole else array
    if array.dtype.kind not in KINDS:
        found = f"an array of {array.dtype}"
        raise InvalidInput(f"{name} must be whole numbers or text", where=where, found=found)
    if array.shape != (rows,):
        raise InvalidInput(f"{name} must give one class a row", where=where, found=f"shape {array.shape}, {rows} rows")
    return array


def _unboxed(array: NDArray[Any]) -> NDArray[Any]:
    """Text or whole numbers that came as objects, as pandas gives them."""
    if array.dtype.kind == "O":
        for kind, plain in ((str, np.str_), (Integral, np.int64)):
            if all(isinstance(value, kind) for value in array.flat):
                with suppress(OverflowError):
                    return array.astype(plain)
    return array


# Rows of one class together, a bounded number at a time.

VALUES = 1 << 16
"""Values scored at a time, so that they stay in the cache."""


def grouped(rows: NDArray[Any], classes: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The rows ordered by class, and where each class ends; every class from 0 to the last has rows."""
    return rows[np.argsort(classes, kind="stable")], np.cumsum(np.bincount(classes))


def parts(rows: NDArray[Any], ends: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The rows of each class."""
    return np.split(rows, ends[:-1])


def scored_by_class(
    rows: NDArray[Any], classes: NDArray[np.int64], score: Callable[[int, NDArray[Any]], FloatArray]
) -> FloatArray:
    """Scores that depend on the class: ``score`` gets the number of a class and some rows that have it."""
    if len(rows) == 1:
        return score(int(classes[0]), rows)
    scores = np.empty(len(rows))
    for number in np.unique(classes):
        chosen = np.flatnonzero(classes == number)
        for part in slices(len(chosen), max(1, VALUES // max(1, rows.shape[1]))):
            scores[chosen[part]] = score(int(number), rows[chosen[part]])
    return scores


# Magnitudes that arithmetic can bear: no overflow, spreads that may divide, rows in units of the largest fitted value.

HUGE = 1e100
"""Values beyond it count as this large: their squares and the sums of these stay finite."""
LEAST_SHARE = 1e-12
"""A spread below this share of the values' own size is rounding."""


def bounded(values: NDArray[Any]) -> FloatArray:
    """The values, none of them larger than ``HUGE``."""
    return np.clip(values, -HUGE, HUGE)


def ratio(above: FloatArray, below: FloatArray | float) -> FloatArray:
    """A quotient of numbers, of which ``below`` is positive, bounded rather than infinite."""
    with np.errstate(over="ignore", under="ignore"):
        found = np.asarray(above / below)
    return np.asarray(np.clip(found, -HUGE, HUGE, out=found))


def divisor(spread: FloatArray, size: FloatArray, otherwise: FloatArray | float = 1.0) -> FloatArray:
    """The spread where there is one, and ``otherwise`` where values of this size are constant but for rounding."""
    return np.where(spread > LEAST_SHARE * np.abs(size), spread, otherwise)


def unit_of(rows: NDArray[Any]) -> float:
    """The power of 2 below the largest value, by which division loses no digit; 1 where all values are 0."""
    largest = max(float(rows.max(initial=0.0)), -float(rows.min(initial=0.0)))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0


def in_units(rows: NDArray[Any], unit: float) -> FloatArray:
    """The rows in this unit, bounded."""
    return ratio(rows, unit)


# Detectors and monitors as files: arrays and JSON in one .npz, nothing that runs when it is read.

FORMAT, VERSION = "surefoot.detector", 1
HEAD = "described"
LARGE, DENSE = 1 << 28, 100
"""Bytes, and by how much they may have been compressed: learned arrays never are so large and so dense."""
LONGEST_ROW = 1 << 28
"""Numbers in a row."""
Arrays = dict[str, NDArray[Any]]


def save_detector(detector: Detector, path: str | os.PathLike[str], **more: Any) -> None:
    """Write a fitted detector, whole or not at all; ``more`` is JSON that stands beside it."""
    arrays: Arrays = {}
    said = _described(detector, "", arrays)
    described = {"format": FORMAT, "version": VERSION, "detector": said, "arrays": _digest(arrays), **more}
    arrays[HEAD] = np.frombuffer(json.dumps(described).encode(), dtype=np.uint8)
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    write_whole(Path(path), content.getvalue())


def load_detector(path: str | os.PathLike[str], **objects: Any) -> Detector:
    """Read a detector; ``objects`` are what no file holds, such as a model."""
    return load_described(path, **objects)[0]


def load_described(path: str | os.PathLike[str], **objects: Any) -> tuple[Detector, Mapping[str, Any]]:
    """A detector and the JSON beside it."""
    arrays = _read(Path(path))
    where = Path(path).name
    try:
        described = json.loads(arrays.pop(HEAD).tobytes())
        if described["format"] != FORMAT or described["version"] != VERSION:
            raise _unreadable(where, f"It says {described['format']!r}, version {described['version']!r}.")
        if described["arrays"] != _digest(arrays):
            raise _unreadable(where, "Its arrays are not those that were written.")
        return _rebuilt(described["detector"], "", arrays, objects), described
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, SurefootError):
            raise
        raise _unreadable(where, f"{type(error).__name__}: {error}.") from error


def _digest(arrays: Arrays) -> str:
    return digest({name: array_digest(array) for name, array in sorted(arrays.items())})


def _described(detector: Detector, prefix: str, arrays: Arrays) -> dict[str, Any]:
    arrays |= {f"{prefix}{name}": np.asarray(array) for name, array in detector.learned.items()}
    members = [_described(each, f"{prefix}{n}/", arrays) for n, each in enumerate(detector.members)]
    return {"name": detector.name, "parameters": detector.parameters, "members": members}


def _rebuilt(described: Mapping[str, Any], prefix: str, arrays: Arrays, objects: Mapping[str, Any]) -> Detector:
    members = [_rebuilt(each, f"{prefix}{n}/", arrays, objects) for n, each in enumerate(described["members"])]
    own = {
        name.removeprefix(prefix): a
        for name, a in arrays.items()
        if name.startswith(prefix) and "/" not in name.removeprefix(prefix)
    }
    kind = DETECTORS.get(described["name"])
    detector = kind.restored(described["parameters"], own, members, objects)
    try:
        _tried(detector)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError, MemoryError) as error:
        why = f"what {detector.name} has learned does not fit together ({type(error).__name__}: {error})"
        raise ValueError(why) from error
    return detector


def _tried(detector: Detector) -> None:
    """Score a row of each class, so that arrays which do not fit together fail here and not in operation."""
    for name, array in detector.learned.items():
        if name != "classes":
            validate.numbers(array, where=detector.name, name=name, finite=False)
    known, shape = known_classes(detector.classes, where=detector.name), _row_shape(detector)
    if detector.takes in ("inputs", "pass"):
        return
    row = np.full(shape, 1 / max(shape[-1], 1) if detector.takes == "probabilities" else 0.0)
    for name in known if detector.by_class else known[:1]:
        with suppress(InvalidInput):  # A detector may refuse this row in words, as it would in operation.
            detector.score_one(row, name)


def _row_shape(detector: Detector) -> tuple[int, ...]:
    stated = detector.learned["row_shape"]
    shape = tuple(stated.tolist()) if stated.ndim == 1 and stated.dtype.kind in "iu" else (0,)
    if not 0 < math.prod(shape) <= LONGEST_ROW or min(shape, default=1) < 1:
        raise ValueError(f"rows of shape {stated.tolist()}")
    return shape


def _read(path: Path) -> Arrays:
    if not path.is_file():
        raise DiagnosticsError.of("file-missing", "There is no such file.", where=path.name)
    try:
        with path.open("rb") as stream:
            _check_size(stream)
            with np.load(stream, allow_pickle=False) as members:
                return {name: members[name] for name in members.files}
    except (*BROKEN_ARRAYS, MemoryError) as error:
        raise _unreadable(path.name, f"{type(error).__name__}: {error}.") from error


def _check_size(stream: BinaryIO) -> None:
    """Nothing is unpacked that is small on disk and huge in memory."""
    with ZipFile(stream) as archive:
        packed = sum(member.compress_size for member in archive.infolist())
        size = sum(member.file_size for member in archive.infolist())
    if size > LARGE and size > DENSE * packed:
        raise ValueError(f"{size:,} bytes are packed into {packed:,}")
    stream.seek(0)


def _unreadable(where: str, why: str) -> DiagnosticsError:
    text = f"The file does not hold a detector, or is damaged: {why}"
    return DiagnosticsError.of("model-unreadable", text, where=where, hint="Write it with save.")
