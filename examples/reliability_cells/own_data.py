"""Other data of this form: points and labels from a file, a forest trained on most of them, the rest held out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.profile import KDE, separation
from surefoot.reliability import ExactTrees, Reliability, assess_cells

HELD_OUT = 0.2
TREES = 10
FEWEST = 20
SAVE = "Save it with numpy.savez(path, x=points, y=labels), labels as whole numbers or text."


@dataclass(frozen=True, eq=False)
class Points:
    """Rows of features, their labels, and the box that operation stays in."""

    inputs: NDArray[np.float64]
    labels: NDArray[Any]
    domain: NDArray[np.float64]
    domain_from: str

    @property
    def classes(self) -> list[Any]:
        """The labels that occur."""
        return np.unique(self.labels).tolist()


def read(path: Path, domain: list[float] | None = None) -> Points:
    """Arrays x, (n, features) or (n,), and y, (n,), of an npz file."""
    inputs, labels = _arrays(path)
    rows = inputs[:, None] if inputs.ndim == 1 else inputs
    if rows.ndim != 2 or labels.shape != rows.shape[:1]:
        raise InvalidInput(
            "x must have rows of features and y one label for each row",
            where=str(path),
            found=f"x of shape {inputs.shape}, y of shape {labels.shape}",
        )
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise InvalidInput("x must be finite", where=str(path), found=f"row {bad}: {rows[bad].tolist()}")
    _require_classes(labels, str(path))
    return Points(rows, labels, *_domain(domain, rows, str(path)))


def assess(points: Points, side: float | None, *, seed: int = 0) -> Reliability:
    """Train on four fifths of the rows and assess with the rest held out."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    if side is None:
        raise _without_side(points)
    seed = validate.seed(seed, where="--seed")
    train, test, seen, unseen = train_test_split(points.inputs, points.labels, test_size=HELD_OUT, random_state=seed)
    forest = RandomForestClassifier(TREES, random_state=seed).fit(train, seen)
    return assess_cells(
        forest,
        train,
        seen,
        side=side,
        domain=points.domain,
        profile=KDE("cross-validation", boundary="reflect", domain=points.domain),
        estimator=ExactTrees(),
        holdout=(test, unseen),
        seed=seed,
    )


def _arrays(path: Path) -> tuple[NDArray[np.float64], NDArray[Any]]:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files if name in ("x", "y")}
            names = arrays.files
        numbers = np.asarray(found.get("x", ()), dtype=float)
    except (OSError, ValueError, TypeError, EOFError, AttributeError, BadZipFile) as error:
        raise InvalidInput(f"this is no npz file of numbers ({error})", where=str(path), remedy=SAVE) from error
    if len(found) < 2:
        raise InvalidInput(
            "arrays x and y are needed", where=str(path), found=", ".join(names) or "no arrays", remedy=SAVE
        )
    return numbers, found["y"]


def _require_classes(labels: NDArray[Any], where: str) -> None:
    kinds = np.unique(labels)
    if kinds.dtype.kind == "f" and not (kinds == np.round(kinds)).all():
        raise InvalidInput("labels must be whole numbers or text", where=where, found=f"{kinds[:3].tolist()}, ...")
    if len(labels) < FEWEST or kinds.size < 2:
        raise InvalidInput(
            f"at least {FEWEST} rows of at least 2 classes are needed",
            where=where,
            found=f"rows: {len(labels)}, classes: {kinds.size}",
        )


def _domain(stated: list[float] | None, rows: NDArray[np.float64], where: str) -> tuple[NDArray[np.float64], str]:
    """The stated box, or the unit cube where it holds all rows, or else what the rows span."""
    features = rows.shape[1]
    if stated is not None:
        if len(stated) not in (2, 2 * features):
            raise InvalidInput(
                f"--domain takes LOW HIGH, for all features or for each of the {features}",
                where=where,
                found=f"{len(stated)} numbers",
            )
        return np.tile(np.reshape(stated, (-1, 2)), (2 * features // len(stated), 1)), "as stated"
    if rows.min() >= 0 and rows.max() <= 1:
        return np.tile([0.0, 1.0], (features, 1)), "the unit cube, which holds all points"
    return np.stack([rows.min(axis=0), rows.max(axis=0)], axis=1), "what the points span; state it with --domain"


def _without_side(points: Points) -> InvalidInput:
    distance = separation(points.inputs, points.labels)
    return InvalidInput(
        "--data needs --side, the side of a cell",
        where="run.py",
        found=f"a smallest distance between labels of {distance:.6g} in L-infinity",
        remedy="Take a side below that distance, if the number of cells allows it.",
    )
