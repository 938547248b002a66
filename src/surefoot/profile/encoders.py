"""Encoders: what turns an input, such as an image, into a few numbers in which a density can be estimated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import DiagnosticsError, InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import BROKEN_ARRAYS
from surefoot.drawing import INK
from surefoot.profile.input_arrays import as_rows, as_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@runtime_checkable
class Encoder(Protocol):
    """Gives each input a place in a space of few dimensions.

    One that also has ``decode``, from places back to inputs, offers their decoded images as centres of balls.

    See Also
    --------
    as_encoder : Makes one of a function, with an example.

    """

    def encode(self, X: Any) -> Any:
        """Places of the inputs, one a row."""
        ...


@runtime_checkable
class Decoder(Encoder, Protocol):
    """An encoder that knows the way back.

    See Also
    --------
    PCAEncoder : Is one, with an example.

    """

    def decode(self, Z: Any) -> Any:
        """Inputs at these places, in the shape of those that were encoded."""
        ...


def as_encoder(encoder: Any) -> Encoder:
    """An encoder as it is, a callable as one, and None for the features themselves.

    Parameters
    ----------
    encoder
        Something with a method ``encode``, a function from inputs to rows of numbers, or None.

    Returns
    -------
    Encoder
        Something with a method ``encode``.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> brightness = sf.profile.as_encoder(lambda images: images.mean(axis=(1, 2))[:, None])
    >>> brightness.encode(np.ones((2, 3, 3))).tolist()
    [[1.0], [1.0]]

    """
    if encoder is None:
        return FeatureEncoder()
    unfit = isinstance(encoder, type | str)  # a text has a method encode, too
    if isinstance(encoder, Encoder) and not unfit:
        return encoder
    if callable(encoder) and not unfit:
        return FunctionEncoder(encoder)
    raise InvalidInput(
        "an encoder must be callable or have a method encode",
        where="as_encoder",
        found=f"the class {encoder.__name__}" if isinstance(encoder, type) else f"a {type(encoder).__name__}",
        remedy="Give for example PCAEncoder(8).fit(X).",
    )


@dataclass(frozen=True)
class FunctionEncoder:
    """A function from inputs to rows of numbers, such as the last layer but one of a network."""

    function: Callable[[Any], Any]

    def encode(self, X: Any) -> Any:
        """What the function returns."""
        return self.function(X)


@dataclass(frozen=True)
class FeatureEncoder:
    """The features of an input as they are, in one row."""

    def encode(self, X: ArrayLike) -> FloatArray:
        """The inputs with their axes flattened."""
        return as_rows(X, where="FeatureEncoder", name="X")


def encoded(encoder: Any, X: ArrayLike, *, where: str, name: str = "X", columns: int | None = None) -> FloatArray:
    """Places of the inputs by any encoder, checked: one row of finite numbers for each."""
    rows = validate.array(X, where=where, name=name)
    if rows.ndim == 0 or not rows.size:
        raise InvalidInput(f"{name} needs at least one input", where=where, found=f"shape {rows.shape}")
    codes = as_table(as_encoder(encoder).encode(rows), where=where, name=f"what the encoder gave for {name}")
    if len(codes) != len(rows) or not codes.shape[1]:
        raise InvalidInput(
            "an encoder must give one row of numbers for each input",
            where=where,
            found=f"shape {codes.shape} for {len(rows):,} inputs",
        )
    if columns is not None and codes.shape[1] != columns:
        found = f"{codes.shape[1]} for {name} and {columns} before"
        raise InvalidInput("an encoder must give as many numbers for every input", where=where, found=found)
    return codes


def decoded(encoder: Any, X: ArrayLike, *, where: str) -> NDArray[Any]:
    """Inputs encoded and decoded again, in their own shape."""
    if not isinstance(encoder, Decoder):
        raise InvalidInput(
            "this encoder has no way back from places to inputs",
            where=where,
            found=f"a {type(encoder).__name__} without decode",
            remedy="Use PCAEncoder or VAE, or the data points themselves as centres.",
        )
    inputs = np.asarray(X)
    images = np.asarray(encoder.decode(encoded(encoder, inputs, where=where)))
    if images.shape != inputs.shape or not np.isfinite(images).all():
        raise InvalidInput(
            "an encoder must decode to finite inputs of the shape it was given",
            where=where,
            found=f"shape {images.shape} for {inputs.shape}" if images.shape != inputs.shape else "NaN or infinity",
        )
    return images


# Principal components as an encoder.

WHERE = "PCAEncoder"
FLAT = 1e-12
"""An axis with less variance than this share of the first one's holds rounding errors."""
ARRAYS = ("shape", "mean", "axes", "variances")


@dataclass(frozen=True, eq=False)
class PCAEncoder:
    """Places along the principal axes of the data, by scikit-learn.

    Decoding gives the nearest point of the space that the axes span; for images it can leave the range of pixels.

    Parameters
    ----------
    dimensions
        Number of axes.

    References
    ----------
    Pearson (1901); Hotelling (1933).

    Examples
    --------
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


@dataclass(frozen=True, eq=False)
class Axes:
    """Principal axes, one a row, through the mean of inputs of one shape."""

    shape: tuple[int, ...]
    mean: FloatArray
    axes: FloatArray
    variances: FloatArray


def _read(path: Path) -> Axes:
    if not path.is_file():
        raise DiagnosticsError.of("file-missing", "There is no such file.", where=path.name)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            shape, mean, axes, variances = (archive[name] for name in ARRAYS)
        size = math.prod(shape.tolist())
        sound = (mean.shape, axes.shape, variances.shape) == ((size,), (len(axes), size), (len(axes),))
        finite = all(part.dtype == np.float64 and np.isfinite(part).all() for part in (mean, axes, variances))
    except BROKEN_ARRAYS as e:
        raise _unreadable(path) from e
    if not (len(axes) and sound and finite):
        raise _unreadable(path)
    return Axes(tuple(shape.tolist()), mean, axes, variances)


def _unreadable(path: Path) -> DiagnosticsError:
    text = "The file does not hold a PCAEncoder, or is damaged."
    return DiagnosticsError.of("model-unreadable", text, where=path.name, hint="Write it with PCAEncoder.save.")


# Decoded images in place of data points as centres of balls (Remark 4 of RAM).

COLUMNS = ("distance", "mean", "median", "largest")


def decoded_centres(encoder: Any, X: ArrayLike, *, input_range: tuple[float, float] = (0.0, 1.0)) -> NDArray[Any]:
    """Each input encoded and decoded again, cut to the range that inputs can have.

    Parameters
    ----------
    encoder
        One with ``decode``, such as ``PCAEncoder`` or ``VAE``.
    X
        Inputs, one a row.
    input_range
        The lowest and the highest value that inputs can have.

    Returns
    -------
    ndarray
        In the shape of ``X``.

    Examples
    --------
    >>> import surefoot as sf
    >>> X = [[0.0, 0.0], [0.5, 1.0], [1.0, 0.5]]
    >>> sf.profile.decoded_centres(sf.profile.PCAEncoder(2).fit(X), X).round(9).tolist() == X
    True

    """
    low, high = _checked_range(input_range, "decoded_centres")
    return np.clip(decoded(encoder, X, where="decoded_centres"), low, high)


def compare_centres(
    encoder: Any,
    X: ArrayLike,
    *,
    radius: float | None = None,
    input_range: tuple[float, float] = (0.0, 1.0),
) -> Table:
    """How far inputs lie from their decoded images; with a radius, the share whose ball holds the input.

    A ball around a decoded image that does not hold the input says nothing about that input, and the label of the
    input need not be that of the image.

    Parameters
    ----------
    encoder
        One with ``decode``, such as ``PCAEncoder`` or ``VAE``.
    X
        Inputs, one a row.
    radius
        Of balls; adds the share whose ball holds the input.
    input_range
        The lowest and the highest value that inputs can have.

    Returns
    -------
    Table
        One row for the maximum norm and one for the Euclidean.

    Examples
    --------
    >>> import surefoot as sf
    >>> X = [[0.0, 0.0], [0.5, 1.0], [1.0, 0.5]]
    >>> table = sf.profile.compare_centres(sf.profile.PCAEncoder(1).fit(X), X, radius=0.5)
    >>> [row[0] for row in table.rows]
    ['maximum norm', 'Euclidean norm']

    """
    centres = decoded_centres(encoder, X, input_range=input_range)
    apart = np.abs(centres.astype(float) - np.asarray(X, float)).reshape(len(centres), -1)
    largest, euclidean = apart.max(axis=1), np.sqrt((apart**2).sum(axis=1))
    rows = [("maximum norm", *_summary(largest)), ("Euclidean norm", *_summary(euclidean))]
    if radius is None:
        return Table(COLUMNS, tuple(rows))
    reach = validate.positive(radius, where="compare_centres", name="radius")
    shares = [float((distance <= reach).mean()) for distance in (largest, euclidean)]
    return Table(
        (*COLUMNS, f"share within {reach:g}"), tuple((*row, share) for row, share in zip(rows, shares, strict=True))
    )


def _summary(distances: FloatArray) -> tuple[float, float, float]:
    return float(distances.mean()), float(np.median(distances)), float(distances.max())


def _checked_range(input_range: tuple[float, float], where: str) -> FloatArray:
    ends = validate.vector(input_range, where=where, name="input_range")
    if ends.size != 2 or ends[0] >= ends[1]:
        raise InvalidInput("input_range must be the lowest and the highest value", where=where, found=f"{input_range}")
    return ends


SIDE = 0.95
"""Inches of one picture."""


@validate.arguments
def plot_reconstructions(encoder: Any, X: ArrayLike, count: int = 8) -> Figure:
    """The first ``count`` images, and below them what is left after encoding and decoding.

    Parameters
    ----------
    encoder
        One with ``decode``, such as ``PCAEncoder`` or ``VAE``.
    X
        Images.
    count
        How many of them are shown.

    Returns
    -------
    Figure
        Two rows of pictures.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> images = np.random.default_rng(0).random((20, 4, 4))
    >>> figure = sf.profile.plot_reconstructions(sf.profile.PCAEncoder(3).fit(images), images, 2)
    >>> len(figure.axes)
    4

    """
    import matplotlib.pyplot as plt

    number = validate.count(count, where="plot_reconstructions", name="count", at_least=1)
    given = validate.array(X, where="plot_reconstructions", name="X")
    if not given.ndim:
        raise InvalidInput("X needs a row an image", where="plot_reconstructions", found=repr(X))
    images = given[:number]
    again = decoded_centres(encoder, images)
    figure, axes = plt.subplots(
        2, len(images), figsize=(SIDE * len(images) + 0.8, 2 * SIDE), layout="constrained", squeeze=False
    )
    for row, (name, pictures) in zip(axes, (("input", images), ("decoded", again)), strict=True):
        for place, picture in zip(row, pictures, strict=True):
            place.imshow(_shown(picture), cmap="gray", vmin=0, vmax=1)
            place.set(xticks=[], yticks=[])
            place.spines[:].set_visible(False)
        row[0].set_ylabel(name, color=INK, fontsize=9)
    return figure


def _shown(picture: NDArray[Any]) -> NDArray[Any]:
    """A picture as matplotlib takes it: grey, or channels last."""
    if picture.ndim == 3 and picture.shape[0] in (1, 3, 4):
        return picture[0] if picture.shape[0] == 1 else np.moveaxis(picture, 0, -1)
    if picture.ndim != 2:
        raise InvalidInput("only images can be shown", where="plot_reconstructions", found=f"shape {picture.shape}")
    return picture
