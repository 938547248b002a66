"""Kinds of predictions: whether something is one prediction, rather than a list of many."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_value(thing: Any) -> bool:
    """One number or one label."""
    return _shape(thing) == ()


def is_vector(thing: Any) -> bool:
    """One row of numbers."""
    shape = _shape(thing)
    return shape is not None and len(shape) == 1


def is_boxes(thing: Any) -> bool:
    """The boxes of one image, of which there may be none."""
    shape = _shape(thing)
    return shape is not None and (shape == (0,) or (len(shape) == 2 and shape[1] == 4))


def is_tracks(thing: Any) -> bool:
    """The tracks of one sequence: rows of frame, id and box, or pairs of ids and boxes; there may be none."""
    if isinstance(thing, list | tuple) and len(thing) and all(map(is_pair, thing)):
        return True
    shape = _shape(thing)
    return shape is not None and (shape == (0,) or (len(shape) == 2 and shape[1] >= 6))


def is_pair(thing: Any) -> bool:
    """A tuple of two, such as boxes and their labels."""
    return isinstance(thing, tuple) and len(thing) == 2


def is_text(thing: Any) -> bool:
    """One text."""
    return isinstance(thing, str)


def is_plain(thing: Any) -> bool:
    """Whatever is no list, no tuple and no array."""
    return not isinstance(thing, list | tuple) and np.ndim(thing) == 0


def _shape(thing: Any) -> tuple[int, ...] | None:
    """The shape as an array; None for what is ragged."""
    try:
        return np.shape(thing)
    except ValueError:
        return None
