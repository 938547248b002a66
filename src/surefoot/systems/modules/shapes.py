"""Arrays that models answer with, in the shape that a port asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray


def as_given(answers: NDArray[Any], gives: str | Mapping[str, str]) -> NDArray[Any]:
    """One number an item where a port gives numbers and the model a column of them; anything else as it is."""
    column = gives == "number" and answers.ndim > 1 and answers.size == len(answers)
    return answers.reshape(-1) if column else answers
