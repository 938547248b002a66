"""What checks of a detector work with: the detector, rows that are usual and strange, and the words of a failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, SurefootError, validate

WHERE = "check_detector"
CLASSES, ROWS_A_CLASS, COLUMNS, SIDE = 3, 60, 8, 12
FAR = 10.0
"""How many standard deviations strange features spread."""
TOLERANCE = 1e-5
"""Single-precision models answer batches of other sizes with other last digits."""
CLEAR = (SurefootError, ValueError)
MOST_QUOTED = 160


class Failed(Exception):
    """What a check found wrong."""


class NotApplicable(Exception):
    """Why a check says nothing about this detector."""


@dataclass(frozen=True)
class Subject:
    """A way to make the detector, rows for it, and objects that its files do not hold."""

    make: Callable[[], Any]
    material: Material
    takes: str
    by_class: bool | None
    """Whether it needs classes; None where it does not say."""
    objects: Mapping[str, Any]

    def fitted(self, rows: Rows | None = None) -> Any:
        """A fresh detector, fitted to a copy of these rows or of the usual ones."""
        return fit(self.make(), rows or self.material.usual)

    @cached_property
    def ready(self) -> Any:
        """One fitted detector for all checks that only score."""
        return self.fitted()

    def needs(self, *names: str) -> None:
        """Say that a check does not apply to a detector without these."""
        missing = [name for name in names if not hasattr(self.ready, name)]
        if missing:
            raise NotApplicable(f"it has no {missing[0]}")

    def needs_classes(self) -> None:
        """Say that a check does not apply to a detector that needs no classes, or does not say so."""
        if not self.by_class:
            raise NotApplicable("it does not say by_class" if self.by_class is None else "it needs no classes")


Check = Callable[[Subject], None]


@dataclass(frozen=True)
class Rows:
    """Rows and the class of each: its label, or what the model answers."""

    features: NDArray[Any]
    classes: NDArray[Any]

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, index: Any) -> Rows:
        return Rows(self.features[index], self.classes[index])

    def copy(self) -> Rows:
        """The same in memory of its own."""
        return Rows(self.features.copy(), self.classes.copy())


@dataclass(frozen=True)
class Material:
    """Usual rows to fit, usual rows to score, strange rows to score, and another world that is usual elsewhere."""

    usual: Rows
    probe: Rows
    strange: Rows | None
    elsewhere: Rows


def material(
    takes: str,
    features: ArrayLike | None,
    labels: ArrayLike | None,
    predictions: ArrayLike | None,
    strange: ArrayLike | None,
    seed: int,
) -> Material:
    """What was given, and what can be made to go with it."""
    rng = np.random.default_rng(seed)
    rows, known = _made(takes, rng) if features is None else _given(features, labels)
    answers = known if predictions is None else np.asarray(predictions)
    if answers.shape != known.shape:
        raise InvalidInput("predictions must give one class a row", where=WHERE, found=f"shape {answers.shape}")
    order = np.argsort(known, kind="stable")
    fitted, scored = order[::2], order[1::2]
    scored = scored[np.isin(answers[scored], known[fitted])]
    if not scored.size:
        raise InvalidInput("needs at least two rows of a class", where=WHERE, found=f"{len(rows)} rows")
    odd = _strange(takes, rows, rng) if strange is None else validate.numbers(strange, where=WHERE, name="strange")
    usual = Rows(rows[fitted], known[fitted])
    return Material(
        usual,
        Rows(rows[scored], answers[scored]),
        None if odd is None else Rows(odd, rng.choice(known[fitted], len(odd))),
        _elsewhere(takes, usual),
    )


def another_class(classes: NDArray[Any]) -> Any:
    """A class that is not among these."""
    if classes.dtype.kind in "US":
        return max((str(name) for name in classes.tolist()), key=len) + "x"
    return int(classes.max()) + 1


def flat_columns(rows: NDArray[Any]) -> int:
    """How many numbers a row holds."""
    return int(np.prod(rows.shape[1:]))


def normalised(takes: str, rows: NDArray[Any]) -> NDArray[Any]:
    """Rows that were changed, made probabilities again where they have to be."""
    return rows / rows.sum(axis=1, keepdims=True) if takes == "probabilities" else rows


def fit(detector: Any, rows: Rows) -> Any:
    """The detector, fitted to a copy of rows."""
    taken = rows.copy()
    detector.fit(taken.features, taken.classes)
    return detector


def scores(detector: Any, rows: Rows) -> NDArray[Any]:
    """Its scores of a copy of rows, as they come."""
    taken = rows.copy()
    return detector.decision_function(taken.features, taken.classes)


def require_scores(found: Any, rows: int, what: str) -> None:
    """Fail unless these are finite floats, one for each row."""
    if not isinstance(found, np.ndarray) or found.dtype != np.float64 or found.shape != (rows,):
        shape = f"{found.dtype} of shape {found.shape}" if isinstance(found, np.ndarray) else type(found).__name__
        raise Failed(f"{what}: gives {shape} instead of float64 of shape {(rows,)}")
    if not np.isfinite(found).all():
        raise Failed(f"{what}: gives {found[~np.isfinite(found)][0]} for {int((~np.isfinite(found)).sum())} rows")


def require_same(found: Any, expected: Any, what: str) -> None:
    """Fail unless the scores are the same but for rounding."""
    given, wanted = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    if given.shape != wanted.shape:
        raise Failed(f"{what}: gives scores of shape {given.shape} instead of {wanted.shape}")
    same = np.abs(given - wanted) <= TOLERANCE * (np.abs(wanted) + wanted.std())
    if not same.all():
        row = int((~same).argmax())
        raise Failed(f"{what}: gives {given[row]:.6g} instead of {wanted[row]:.6g} for row {row}")


def require_refusal(call: Callable[[], Any], what: str, *, says: Sequence[str] = ()) -> None:
    """Fail unless the call raises a ValueError or a SurefootError that names what is wrong."""
    try:
        found = call()
    except Exception as error:
        if not isinstance(error, CLEAR) or isinstance(error, np.linalg.LinAlgError):
            raise Failed(f"{what}: raises {quoted(error)}, which does not say what is wrong") from error
        if says and not any(word in str(error).lower() for word in says):
            raise Failed(f"{what}: the error does not say so: {quoted(error)}") from error
        return
    raise Failed(f"{what}: is not refused, and gives {type(found).__name__}")


def quoted(error: BaseException) -> str:
    """An error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:MOST_QUOTED]}{'...' if len(text) > MOST_QUOTED else ''}"


def _given(features: ArrayLike, labels: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
    rows = validate.numbers(features, where=WHERE, name="features")
    known = np.zeros(len(rows), dtype=np.int64) if labels is None else np.asarray(labels)
    if known.shape != rows.shape[:1]:
        raise InvalidInput(
            "labels must give one class a row", where=WHERE, found=f"shape {known.shape}, {len(rows)} rows"
        )
    return rows, known


def _made(takes: str, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    known = np.repeat(np.arange(CLASSES), ROWS_A_CLASS)
    if takes == "features":
        return FAR * np.eye(CLASSES, COLUMNS)[known] + rng.standard_normal((len(known), COLUMNS)), known
    if takes in ("logits", "probabilities"):
        logits = FAR * np.eye(CLASSES)[known] + rng.standard_normal((len(known), CLASSES))
        return (logits if takes == "logits" else normalised(takes, np.exp(logits))), known
    if takes == "images":
        waves = np.sin(np.arange(SIDE)[:, None] * (known[:, None, None] + 1) / 2 + np.arange(SIDE) / 3)
        return np.clip(0.5 + 0.3 * waves + rng.normal(0, 0.05, waves.shape), 0, 1), known
    raise InvalidInput(
        "needs features",
        where=WHERE,
        found=f"a detector that takes {takes}",
        remedy="Give inputs that its model takes.",
    )


def _strange(takes: str, rows: NDArray[Any], rng: np.random.Generator) -> NDArray[Any] | None:
    """Far away features, outputs without a clear class, dark and flat images; of other inputs nothing is known."""
    count = min(len(rows), ROWS_A_CLASS)
    if takes == "features":
        spread = rows.std(axis=0)
        noise = rng.standard_normal((count, *rows.shape[1:]))
        return rows.mean(axis=0) + FAR * np.where(spread > 0, spread, 1.0) * noise
    if takes in ("logits", "probabilities"):
        return normalised(takes, np.repeat(_level_of_others(rows[:count]), rows.shape[1], axis=1))
    return np.full_like(rows[:count], rows.min()) if takes == "images" else None


def _level_of_others(outputs: NDArray[Any]) -> NDArray[Any]:
    """The mean output of all classes but the likeliest, in a column."""
    others = np.sort(outputs, axis=1)[:, : max(1, outputs.shape[1] - 1)]
    return others.mean(axis=1, keepdims=True)


def _elsewhere(takes: str, usual: Rows) -> Rows:
    """Rows of the same shape that lie elsewhere, under classes that go otherwise."""
    rows = usual.features[..., ::-1] * (1.0 if takes == "probabilities" else 0.5)
    classes = np.roll(usual.classes, len(usual) // 3)
    return Rows(rows, np.append(classes[:-1], another_class(classes)))
