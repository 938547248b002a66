"""Rows that are usual and rows that are strange, for whatever a detector takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate

WHERE = "check_detector"
CLASSES, ROWS_A_CLASS, COLUMNS, SIDE = 3, 60, 8, 12
FAR = 10.0
"""How many standard deviations strange features spread."""


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
