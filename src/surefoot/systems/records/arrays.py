"""Arrays as bytes, with type and shape, without pickle."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray


def array_bytes(array: NDArray[Any]) -> bytes:
    """An array as the bytes of a file."""
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


def array_from(content: bytes) -> NDArray[Any]:
    """What ``array_bytes`` wrote."""
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))
