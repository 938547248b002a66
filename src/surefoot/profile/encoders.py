"""Encoders: what turns an input, such as an image, into a few numbers in which a density can be estimated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.profile.rows import as_rows, as_table


@runtime_checkable
class Encoder(Protocol):
    """Gives each input a place in a space of few dimensions.

    One that also has ``decode``, from places back to inputs, offers their decoded images as centres of balls.
    """

    def encode(self, X: Any) -> Any:
        """Places of the inputs, one a row."""
        ...


@runtime_checkable
class Decoder(Encoder, Protocol):
    """An encoder that knows the way back."""

    def decode(self, Z: Any) -> Any:
        """Inputs at these places, in the shape of those that were encoded."""
        ...


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


def as_encoder(encoder: Any) -> Encoder:
    """An encoder as it is, a callable as one, and None for the features themselves.

    >>> as_encoder(lambda images: images.mean(axis=(1, 2), keepdims=True)[:, :, 0]).encode(np.ones((2, 3, 3))).tolist()
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


def encoded(encoder: Any, X: ArrayLike, *, where: str, name: str = "X", columns: int | None = None) -> FloatArray:
    """Places of the inputs by any encoder, checked: one row of finite numbers for each."""
    rows = np.asarray(X)
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
