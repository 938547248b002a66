"""Principal components as an encoder."""

from __future__ import annotations

import math
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import DiagnosticsError, InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.rows import as_rows, as_table

WHERE = "PCAEncoder"
FLAT = 1e-12
"""An axis with less variance than this share of the first one's holds rounding errors."""
ARRAYS = ("shape", "mean", "axes", "variances")


@dataclass(frozen=True, eq=False)
class Axes:
    """Principal axes, one a row, through the mean of inputs of one shape."""

    shape: tuple[int, ...]
    mean: FloatArray
    axes: FloatArray
    variances: FloatArray


@dataclass(frozen=True, eq=False)
class PCAEncoder:
    """Places along the principal axes of the data (Pearson 1901, Hotelling 1933), by scikit-learn.

    Decoding gives the nearest point of the space that the axes span; for images it can leave the range of pixels.

    >>> encoder = PCAEncoder(1).fit([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    >>> encoder.decode(encoder.encode([[3.0, 6.0]])).round(9).tolist()
    [[3.0, 6.0]]
    """

    dimensions: int
    _axes: Axes | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        validate.count(self.dimensions, where=WHERE, name="dimensions", at_least=1)

    def fit(self, X: ArrayLike) -> PCAEncoder:
        """A copy of this encoder, fitted to inputs of any shape, one a row."""
        from sklearn.decomposition import PCA

        rows = as_rows(X, where=WHERE, name="X", at_least=2)
        self._require_rank(min(len(rows) - 1, rows.shape[1]), rows)
        found = PCA(self.dimensions, random_state=0).fit(rows)
        variances = np.asarray(found.explained_variance_, float)
        self._require_rank(int((variances > FLAT * variances[0]).sum()), rows)
        axes = Axes(np.shape(X)[1:] or (1,), np.asarray(found.mean_), np.asarray(found.components_), variances)
        return replace(self, _axes=axes)

    @property
    def variances(self) -> FloatArray:
        """Variance of the data along each axis, the largest first."""
        return self._fitted.variances

    def encode(self, X: ArrayLike) -> FloatArray:
        """Places of the inputs along the axes, one input a row."""
        axes, shape = self._fitted, np.shape(X)
        if shape[1:] != axes.shape and not (len(shape) == 1 and axes.shape == (1,)):
            raise InvalidInput(
                f"inputs must have the shape {axes.shape} of those that the encoder was fitted to",
                where=f"{WHERE}.encode",
                found=f"{len(np.atleast_1d(X)):,} of shape {shape[1:]}",
            )
        rows = as_rows(X, where=f"{WHERE}.encode", name="X")
        return np.asarray(rows @ axes.axes.T - axes.mean @ axes.axes.T)

    def decode(self, Z: ArrayLike) -> FloatArray:
        """Inputs at these places."""
        axes = self._fitted
        codes = as_table(Z, where=f"{WHERE}.decode", name="Z", columns=self.dimensions)
        return np.asarray(codes @ axes.axes + axes.mean).reshape(-1, *axes.shape)

    def save(self, path: str | Path) -> Path:
        """Write the axes as a numpy archive."""
        axes = self._fitted
        with Path(path).open("wb") as file:
            np.savez(file, shape=axes.shape, mean=axes.mean, axes=axes.axes, variances=axes.variances)
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> PCAEncoder:
        """Read what ``save`` wrote; nothing in the file is run."""
        axes = _read(Path(path))
        return cls(len(axes.axes), _axes=axes)

    @property
    def _fitted(self) -> Axes:
        if self._axes is None:
            raise Undefined("this encoder has no axes yet", where=WHERE, remedy="Call fit(X) and use what it returns.")
        return self._axes

    def _require_rank(self, rank: int, rows: FloatArray) -> None:
        constant = not np.ptp(rows, axis=0).any()
        if constant or rank < self.dimensions:
            raise InvalidInput(
                f"the data do not vary along {self.dimensions} directions",
                where=WHERE,
                found=f"{len(rows):,} rows that are all the same" if constant else f"{rank} from {len(rows):,} rows",
                remedy="Ask for fewer dimensions, or give more and other inputs.",
            )


def _read(path: Path) -> Axes:
    if not path.is_file():
        raise DiagnosticsError.of("file-missing", "There is no such file.", where=path.name)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            shape, mean, axes, variances = (archive[name] for name in ARRAYS)
        size = math.prod(shape.tolist())
        sound = (mean.shape, axes.shape, variances.shape) == ((size,), (len(axes), size), (len(axes),))
        finite = all(part.dtype == np.float64 and np.isfinite(part).all() for part in (mean, axes, variances))
    except (
        ValueError,
        KeyError,
        OSError,
        EOFError,
        TypeError,
        NotImplementedError,
        zipfile.BadZipFile,
        zlib.error,
    ) as e:
        raise _unreadable(path) from e
    if not (len(axes) and sound and finite):
        raise _unreadable(path)
    return Axes(tuple(shape.tolist()), mean, axes, variances)


def _unreadable(path: Path) -> DiagnosticsError:
    text = "The file does not hold a PCAEncoder, or is damaged."
    return DiagnosticsError.of("model-unreadable", text, where=path.name, hint="Write it with PCAEncoder.save.")
