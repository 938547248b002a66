"""What a failure of a segmentation is: by class, by pixel, by object, and by edge.

An image fails where a class that the truth or the answer has overlaps too little; it loses the share of its pixels that
are wrong, a number in [0, 1] whose mean has a guaranteed bound. Where each object has a mask of its own, images and
objects fail as those of a detector do (``detection``), by the overlap of masks in place of boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.scenes.masks import IGNORE, Masks
from surefoot.core.canonical import FrozenMap
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.metrics.masks import boundary_iou, mask_iou, object_overlaps
from surefoot.project.tasks.detection import FOUND, MISPLACED, Seen, judged_objects
from surefoot.project.tasks.judging import Demands, Judgement

IOU, BOUNDARY = 0.5, 2
MOST_CLASSES = 200
"""Of more classes no result of their own is kept."""


def segmentation(demands: Demands) -> Judgement:
    """An image fails where the overlap of a class is too small, and loses the share of pixels that are wrong."""
    if demands.scenes is not None:
        return _instances(demands)
    masks, part = demands.masks, demands.part
    assert masks is not None
    _refuse(demands, ("score", "late", "lost"), "is about masks of objects, and these have class numbers of pixels")
    if masks.answers is None:
        raise demands.missing("predictions", "has no answered masks, and the component has no model", "or add a model")
    least, ignore = part.iou or IOU, IGNORE if part.ignore is None else part.ignore
    names = part.classes or [str(number) for number in range(_largest(masks, ignore) + 1)]
    pairs = list(zip(masks.truth, masks.answers, strict=True))
    every = np.array([mask_iou(_whole(a), _whole(b), classes=len(names), ignore=ignore) for a, b in pairs])
    worst = _smallest(every)
    wrong = np.array([_wrong_share(real, found, ignore) for real, found in pairs])
    said = f"IoU of a class of the image below {significant(least)}"
    kinds = dict(_by_class(every, least, names))
    if part.tolerance is not None:
        kinds["pixels"] = _pixels(demands, wrong)
    kinds |= dict(_objects(pairs, least, ignore, names))
    wide = part.boundary or BOUNDARY
    edges = np.array(
        [boundary_iou(_whole(a), _whole(b), classes=len(names), width=wide, ignore=ignore) for a, b in pairs]
    )
    words = f"IoU of the edge of a class ({wide} pixels wide) below {significant(least)}"
    narrow = _smallest(edges)
    kinds["boundary"] = Judgement(words, narrow < least, 1 - narrow, None, 1 - narrow)
    outcomes = np.where(worst < least, "a class overlaps too little", "all classes overlap")
    whole = Judgement(said, worst < least, wrong, outcomes, 1 - worst)
    looked_at = np.array([bool((real != ignore).any()) for real, _ in pairs])
    for name in {"pixels", "boundary"} & set(kinds):
        kinds[name] = _without_ignored(kinds[name], looked_at)
    return replace(_without_ignored(whole, looked_at), kinds=FrozenMap(kinds))


# Objects that have a mask each.


def _instances(demands: Demands) -> Judgement:
    """An image fails where an object is not found or a mask is spurious, and loses the share of objects not found."""
    assert demands.scenes is not None
    _refuse(demands, ("tolerance", "ignore"), "is about class numbers of pixels, and these are masks of objects")
    if demands.scenes.answers is None:
        raise demands.missing("predictions", "has no answered masks", "the file of results")
    seen = Seen.of(demands)
    whole = judged_objects(seen, demands)
    return replace(whole, kinds=FrozenMap({**whole.kinds, **dict(_of_masks(seen, demands.part.boundary or BOUNDARY))}))


def _of_masks(seen: Seen, wide: int) -> Iterator[tuple[str, Judgement]]:
    """The worst object of each image, and the edges of objects that have a mask of their class."""
    least = significant(seen.iou)
    own = np.isin(seen.outcomes, (FOUND, MISPLACED))
    overlap = np.where(own, seen.overlap, 0.0)
    images = np.unique(seen.real.images)
    if images.size:
        worst = np.array([overlap[seen.real.images == image].min() for image in images])
        said = f"IoU of the worst object of the image with the mask of its class below {least}"
        of: dict[str, Any] = {"rows": images, "counted": "images with objects", "out_of": len(seen.scenes)}
        yield "worst object", Judgement(said, worst < seen.iou, 1 - worst, None, 1 - worst, **of)
    rows = np.flatnonzero(own)
    if rows.size:
        edges = np.array([_edge_overlap(seen, row, wide) for row in rows.tolist()])
        said = f"IoU of the edge of the object ({wide} pixels wide) with that of the mask of its class below {least}"
        told = FrozenMap({name: column[rows] for name, column in seen.attributes.items()})
        of = {"rows": seen.real.images[rows], "attributes": told, "out_of": len(seen.real)}
        of["counted"] = "objects with a mask of their class"
        yield "boundary", Judgement(said, edges < seen.iou, 1 - edges, None, 1 - edges, **of)


def _edge_overlap(seen: Seen, row: int, wide: int) -> float:
    """Boundary IoU of an object with its mask, in the part of the picture that has both."""
    assert seen.real.masks is not None
    assert seen.answers.masks is not None
    pair = seen.real.masks[row], seen.answers.masks[seen.partner[row]]
    corners = np.array([mask.corners for mask in pair])
    low, high = corners[:, :2].min(axis=0).astype(int), corners[:, 2:].max(axis=0).astype(int)
    real, found = (mask.array()[low[1] : high[1], low[0] : high[0]].astype(np.int64) for mask in pair)
    return float(boundary_iou(real, found, classes=2, width=wide)[1])


def _refuse(demands: Demands, keys: tuple[str, ...], why: str) -> None:
    for key in keys:
        if getattr(demands.part, key) is not None:
            raise demands.wrong(f"{key}: {why}.", "Leave it out.", "wrong-value")


# Class numbers of pixels.


def _without_ignored(found: Judgement, looked_at: NDArray[np.bool_]) -> Judgement:
    """Without images of which every pixel is ignored: nobody knows whether the answer is right there."""
    if looked_at.all() or not looked_at.any():
        return found
    return replace(
        found,
        failed=found.failed[looked_at],
        losses=None if found.losses is None else found.losses[looked_at],
        outcomes=None if found.outcomes is None else found.outcomes[looked_at],
        errors=None if found.errors is None else found.errors[looked_at],
        rows=np.flatnonzero(looked_at),
    )


def _by_class(every: FloatArray, least: float, names: list[str]) -> Iterator[tuple[str, Judgement]]:
    """Each class, in the images in which the truth or the answer has it."""
    for number, name in enumerate(names[:MOST_CLASSES]):
        there = np.flatnonzero(np.isfinite(every[:, number]))
        if there.size:
            overlap = every[there, number]
            words = f"IoU of class {name} below {significant(least)}"
            yield name, Judgement(words, overlap < least, 1 - overlap, None, 1 - overlap, rows=there)


def _pixels(demands: Demands, wrong: FloatArray) -> Judgement:
    said = demands.part.tolerance
    if not isinstance(said, float | int):
        raise demands.wrong("tolerance: of task: segmentation is one number, the largest share of wrong pixels.")
    return Judgement(f"more than {significant(float(said))} of the pixels are wrong", wrong > said, wrong, None, wrong)


Pair = tuple[NDArray[np.integer], NDArray[np.integer]]


def _objects(pairs: list[Pair], least: float, ignore: int, names: list[str]) -> Iterator[tuple[str, Judgement]]:
    """Objects one by one, and the worst of each image; class 0 is the background where there are several."""
    background = 0 if len(names) > 1 else None
    found = [
        object_overlaps(_whole(a), _whole(b), classes=len(names), background=background, ignore=ignore)
        for a, b in pairs
    ]
    rows = np.repeat(np.arange(len(found)), [overlap.size for _, overlap in found])
    if not rows.size:
        return
    overlap = np.concatenate([each for _, each in found])
    kinds = np.asarray(names, dtype=str)[np.concatenate([kinds for kinds, _ in found])]
    words = f"IoU of an object, a region that hangs together, below {significant(least)}"
    told = FrozenMap({"object": kinds})
    yield "object", Judgement(words, overlap < least, 1 - overlap, None, 1 - overlap, rows=rows, attributes=told)
    there = np.unique(rows)
    worst = np.array([found[row][1].min() for row in there])
    said = f"IoU of the worst object of the image below {significant(least)}"
    yield "worst object", Judgement(said, worst < least, 1 - worst, None, 1 - worst, rows=there)


def _largest(masks: Masks, ignore: int) -> int:
    every = (*masks.truth, *(masks.answers or ()))
    return max(int(mask[mask != ignore].max(initial=0)) for mask in every)


def _smallest(overlaps: FloatArray) -> FloatArray:
    """The smallest overlap of each image; 1 where nothing is to be compared."""
    return np.where(np.isfinite(overlaps), overlaps, 1.0).min(axis=1)


def _wrong_share(real: NDArray[np.integer], found: NDArray[np.integer], ignore: int) -> float:
    counted = real != ignore
    return float((real != found)[counted].mean()) if counted.any() else 0.0


def _whole(mask: NDArray[np.integer]) -> NDArray[np.int64]:
    return mask.astype(np.int64)
