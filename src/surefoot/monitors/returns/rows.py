"""``Rows``: what the rows of a ready return function stand for."""

from __future__ import annotations

from typing import Any, TypedDict

from numpy.typing import NDArray


class Rows(TypedDict, total=False):
    """Those words of ``Basis`` that a return function does not settle itself."""

    units: NDArray[Any] | None
    weights: Any
    unit: str
    name: str
