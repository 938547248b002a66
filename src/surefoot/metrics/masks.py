"""How well masks agree: overlap of regions, of their edges, and of single objects.

A mask has a class number for each pixel. Pixels whose true number is ``ignore`` count on neither side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

Mask = NDArray[np.int64]
AROUND = np.ones((3, 3), dtype=bool)
"""A pixel touches the eight around it."""
SIDES = 2


@validate.arguments
def mask_iou(truth: ArrayLike, answer: ArrayLike, *, classes: int, ignore: int | None = None) -> FloatArray:
    """Intersection over union of each class of a mask.

    Parameters
    ----------
    truth, answer
        Class numbers of pixels, height x width.
    classes
        How many classes there are.
    ignore
        The true number of pixels that do not count.

    Returns
    -------
    ndarray
        One number a class; NaN where neither mask has it.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.metrics.mask_iou([[0, 1], [1, 1]], [[0, 0], [1, 1]], classes=3).round(3).tolist()
    [0.5, 0.667, nan]

    """
    real, found = _masks(truth, answer, ignore)
    both = np.bincount(real[real == found], minlength=classes)[:classes]
    sizes = [np.bincount(side, minlength=classes)[:classes] for side in (real, found)]
    union = sizes[0] + sizes[1] - both
    return np.divide(both, union, out=np.full(classes, np.nan), where=union > 0)


@validate.arguments
def boundary_iou(
    truth: ArrayLike, answer: ArrayLike, *, classes: int, width: int = 2, ignore: int | None = None
) -> FloatArray:
    """Intersection over union of the edges of each class: its pixels that are at most ``width`` from its outline.

    Parameters
    ----------
    truth, answer, classes, ignore
        As for ``mask_iou``.
    width
        In pixels.

    Returns
    -------
    ndarray
        One number a class; NaN where neither mask has it.

    References
    ----------
    Cheng, Girshick, Dollár, Berg and Kirillov (2021), CVPR: Boundary IoU.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> truth = np.pad(np.ones((8, 8), dtype=int), 4)
    >>> moved = np.roll(truth, 1, axis=1)
    >>> float(sf.metrics.boundary_iou(truth, moved, classes=2, width=1).round(3)[1])
    0.333

    """
    real, found, seen = _planes(truth, answer, ignore)
    wide = validate.count(width, where="boundary_iou", name="width", at_least=1)
    overlap = np.full(classes, np.nan)
    for number in range(classes):
        edges = [_edge(side == number, wide) & seen for side in (real, found)]
        union = int((edges[0] | edges[1]).sum())
        if union:
            overlap[number] = (edges[0] & edges[1]).sum() / union
    return overlap


@validate.arguments
def object_overlaps(
    truth: ArrayLike, answer: ArrayLike, *, classes: int, background: int | None = 0, ignore: int | None = None
) -> tuple[NDArray[np.int64], FloatArray]:
    """For each object of the truth, a region that hangs together, the largest IoU of an answered object of its class.

    Parameters
    ----------
    truth, answer, classes, ignore
        As for ``mask_iou``.
    background
        The class that is no object.

    Returns
    -------
    tuple
        Classes of the objects, and their overlaps.

    Examples
    --------
    >>> import surefoot as sf
    >>> truth, answer = [[1, 1, 0, 1, 1]], [[1, 1, 0, 0, 1]]
    >>> [found.tolist() for found in sf.metrics.object_overlaps(truth, answer, classes=2)]
    [[1, 1], [1.0, 0.5]]

    """
    from scipy import ndimage

    real, found, seen = _planes(truth, answer, ignore)
    kinds: list[int] = []
    best: list[float] = []
    for number in range(classes):
        if number == background:
            continue
        (objects, count), (answers, _) = (ndimage.label((s == number) & seen, AROUND) for s in (real, found))
        sizes, answered = np.bincount(objects.ravel()), np.bincount(answers.ravel())
        for each in range(1, count + 1):
            touching = np.bincount(answers[objects == each], minlength=answered.size)
            touching[0] = 0
            union = sizes[each] + answered - touching
            kinds.append(number)
            best.append(float((touching / np.maximum(union, 1)).max(initial=0.0)))
    return np.array(kinds, dtype=np.int64), np.array(best, dtype=float)


def _edge(plane: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Pixels of a region at most so far from its outline; the border of the picture is part of it."""
    from scipy import ndimage

    return np.asarray(plane & ~ndimage.binary_erosion(plane, AROUND, iterations=width, border_value=0))


def _planes(truth: ArrayLike, answer: ArrayLike, ignore: int | None) -> tuple[Mask, Mask, NDArray[np.bool_]]:
    real, found = (_plane(mask, name) for mask, name in ((truth, "truth"), (answer, "answer")))
    if real.shape != found.shape:
        text = "truth and answer must have one shape"
        raise InvalidInput(text, where="masks", found=f"{real.shape} and {found.shape}")
    return real, found, np.ones(real.shape, dtype=bool) if ignore is None else real != ignore


def _masks(truth: ArrayLike, answer: ArrayLike, ignore: int | None) -> tuple[Mask, Mask]:
    real, found, seen = _planes(truth, answer, ignore)
    return real[seen], found[seen]


def _plane(mask: Any, name: str) -> Mask:
    array = np.asarray(mask)
    if array.ndim != SIDES or array.dtype.kind not in "biu" or (array.size and array.min() < 0):
        remedy = "Give a class number from 0 for each pixel, height x width."
        raise InvalidInput(f"{name} is no mask", where="masks", found=f"{array.shape} of {array.dtype}", remedy=remedy)
    return array.astype(np.int64)
