"""How well a detector does over all its confidences: average precision and recall, number for number as COCO has them.

Boxes of an image are a mapping with ``boxes`` (corners x1, y1, x2, y2) and ``labels``; of predictions also ``scores``,
of the truth also ``crowd`` (regions in which nothing is counted) and ``area`` (by default that of the box). These are
the names of torchvision; ``iscrowd`` is read too. The rules are those of ``COCOeval``: within an image, a class and a
range of sizes, predicted boxes by falling score take the true box with which they overlap most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import (
    Assumption,
    Diagnostic,
    Estimate,
    InvalidInput,
    Provenance,
    TabulatedBound,
    Undefined,
    validate,
)
from surefoot.core.bound import MIN_TAIL_DRAWS
from surefoot.core.canonical import array_digest, digest
from surefoot.core.validate import FloatArray
from surefoot.metrics.tracks import areas, as_boxes, shared_areas

COCO_IOUS = tuple(np.linspace(0.5, 0.95, 10).tolist())
RECALLS = np.linspace(0.0, 1.0, 101)
AREAS = {"all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)}
Area = Literal["all", "small", "medium", "large"]
NUMBERS_AT_ONCE = 4_000_000
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 0.999)
WHERE = "average_precision"
SCENE = "Give for each image a mapping with boxes (x1, y1, x2, y2), labels and, of predictions, scores."
RESAMPLED = Assumption("images-resampled", "Images are drawn independently of each other, and as in operation.")
BOOTSTRAP = Diagnostic(
    "approximate-coverage",
    "The bounds are quantiles over resampled images, without a guarantee: too narrow with few images or rare classes.",
    hint="For a guaranteed bound, bound the mean of a loss of images in [0, 1], such as missed_shares, by betting.",
)
Scene = Mapping[str, Any]


@validate.arguments
def average_precision(
    truth: Sequence[Scene],
    predictions: Sequence[Scene],
    *,
    iou: float | Sequence[float] | Literal["coco"] = 0.5,
    area: Area = "all",
    most: int = 100,
    draws: int = 1000,
    seed: int = 0,
    scope: str = "",
) -> Estimate:
    """Average precision over all classes: the mean of precision at 101 recalls, as COCO has it.

    Parameters
    ----------
    truth, predictions
        For each image its boxes, in the same order.
    iou
        The overlap that a pair needs: 0.5 gives AP50, 0.75 AP75; several are averaged, and ``coco`` stands for 0.5,
        0.55, ... 0.95 (mAP).
    area
        Only objects of this range of areas: below 32 x 32 pixels, from there to 96 x 96, or above.
    most
        So many boxes of an image and a class count, those with the highest scores.
    draws, seed
        How often images are resampled for the bounds; 0 gives none.
    scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        Its bounds are a bootstrap over images and marked heuristic.

    Raises
    ------
    Undefined
        Where the truth has no object to find.

    References
    ----------
    Lin et al. (2014), ECCV; ``pycocotools.cocoeval``.

    Examples
    --------
    >>> import surefoot as sf
    >>> truth = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1]}]
    >>> found = [{"boxes": [[0, 0, 4, 4], [20, 20, 24, 24]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    >>> round(sf.metrics.average_precision(truth, found, draws=0).value, 4)
    0.505

    """
    overlaps = _overlaps_asked(iou)
    ranked = _Ranked.of(_Prepared.of(truth, predictions), overlaps, area, most)
    named = "mAP" if overlaps == COCO_IOUS else f"AP{100 * overlaps[0]:g}" if len(overlaps) == 1 else "mean AP"
    return _estimate(ranked, named, area, draws, seed, scope)


@validate.arguments
def average_recall(
    truth: Sequence[Scene], predictions: Sequence[Scene], *, area: Area = "all", most: int = 100
) -> float:
    """The share of objects that ``most`` boxes an image and class find, over classes and the overlaps of COCO.

    Parameters
    ----------
    truth, predictions, area, most
        As for ``average_precision``.

    Returns
    -------
    float
        AR of COCO.

    Examples
    --------
    >>> import surefoot as sf
    >>> truth = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1]}]
    >>> found = [{"boxes": [[0, 0, 4, 4]], "labels": [1], "scores": [0.9]}]
    >>> sf.metrics.average_recall(truth, found)
    0.5

    """
    return _Ranked.of(_Prepared.of(truth, predictions), COCO_IOUS, area, most).recall


@validate.arguments
def coco_summary(truth: Sequence[Scene], predictions: Sequence[Scene]) -> dict[str, float]:
    """The twelve numbers that the evaluation of COCO prints.

    Parameters
    ----------
    truth, predictions
        As for ``average_precision``.

    Returns
    -------
    dict
        By name: ``AP``, ``AP50``, ``AP75``, AP and AR by size, AR with 1, 10 and 100 boxes an image; what has no
        object to find is left out.

    Examples
    --------
    >>> import surefoot as sf
    >>> truth = [{"boxes": [[0, 0, 4, 4]], "labels": [1]}]
    >>> found = [{"boxes": [[0, 0, 4, 4]], "labels": [1], "scores": [0.9]}]
    >>> round(sf.metrics.coco_summary(truth, found)["AP75"], 9)
    1.0

    """
    prepared = _Prepared.of(truth, predictions)
    found: dict[str, float] = {}
    for area in AREAS:
        ranked = _Ranked.of(prepared, COCO_IOUS, area, 100)
        if not ranked.defined:
            continue
        if area == "all":
            every = ranked.by_overlap
            found |= {"AP": ranked.precision, "AP50": every[0], "AP75": every[5], "AR100": ranked.recall}
            found |= {f"AR{most}": _Ranked.of(prepared, COCO_IOUS, area, most).recall for most in (1, 10)}
        else:
            found |= {f"AP {area}": ranked.precision, f"AR {area}": ranked.recall}
    return found


@validate.arguments
def missed_shares(
    truth: Sequence[Scene], predictions: Sequence[Scene], *, iou: float = 0.5, score: float = 0.5
) -> FloatArray:
    """For each image the share of its objects that no box of their class finds; 0 where there are none.

    A mean of these is a mean of losses in [0, 1], of which betting gives a guaranteed bound.

    Parameters
    ----------
    truth, predictions
        As for ``average_precision``.
    iou
        The overlap that a pair needs.
    score
        Predicted boxes with a lower score are no answers.

    Returns
    -------
    ndarray
        One number an image.

    Examples
    --------
    >>> import surefoot as sf
    >>> truth = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1]}] * 200
    >>> found = [{"boxes": [[0, 0, 4, 4]], "labels": [1], "scores": [0.9]}] * 200
    >>> shares = sf.metrics.missed_shares(truth, found)
    >>> float(shares.mean()), round(sf.bounds.betting(shares, level=0.95).upper(0.95), 3)
    (0.5, 0.509)

    """
    limit = _overlaps_asked(iou)[:1]
    lost = np.zeros(len(truth))
    for image, (real, found) in enumerate(_scenes(truth, predictions)):
        objects = int((~real.crowd).sum())
        kept = found.where(found.scores >= score)
        hits = sum(
            int((pairs.matched[0] & ~pairs.ignored[0]).sum())
            for pairs in (_paired(real.of(c), kept.of(c), limit, AREAS["all"]) for c in np.unique(real.labels))
        )
        lost[image] = 1 - hits / objects if objects else 0.0
    return lost


def _overlaps_asked(iou: Any) -> tuple[float, ...]:
    if isinstance(iou, str):
        validate.choice(iou, ("coco",), where=WHERE, name="iou")
        return COCO_IOUS
    asked = np.atleast_1d(validate.numbers(iou, where=WHERE, name="iou"))
    if asked.ndim != 1 or not asked.size or not ((asked > 0) & (asked <= 1)).all():
        raise InvalidInput("iou must be above 0 and at most 1", where=WHERE, found=str(iou)[:60])
    return tuple(asked.tolist())


# Boxes of one image, checked.


@dataclass(frozen=True, eq=False)
class _Boxes:
    corners: FloatArray
    labels: NDArray[Any]
    scores: FloatArray
    crowd: NDArray[np.bool_]
    area: FloatArray

    def where(self, chosen: NDArray[Any]) -> _Boxes:
        return _Boxes(*(getattr(self, name)[chosen] for name in ("corners", "labels", "scores", "crowd", "area")))

    def of(self, label: Any) -> _Boxes:
        return self.where(self.labels == label)


def _scenes(truth: Sequence[Scene], predictions: Sequence[Scene]) -> Iterator[tuple[_Boxes, _Boxes]]:
    if len(truth) != len(predictions):
        found = f"truth of {len(truth)} images, predictions of {len(predictions)}"
        raise InvalidInput("truth and predictions must have one entry an image", where=WHERE, found=found)
    for image, (real, seen) in enumerate(zip(truth, predictions, strict=True)):
        yield _boxes(real, f"truth of image {image}", scored=False), _boxes(seen, f"predictions of image {image}")


def _boxes(scene: Scene, name: str, *, scored: bool = True) -> _Boxes:
    if not isinstance(scene, Mapping) or "boxes" not in scene:
        raise InvalidInput(f"{name} has no boxes", where=WHERE, found=type(scene).__name__, remedy=SCENE)
    corners = as_boxes(_plain(scene["boxes"]), where=WHERE, name=name)
    count = len(corners)

    def one_each(key: str, usual: Any) -> NDArray[Any]:
        given = scene.get(key)
        values = np.asarray(usual if given is None else _plain(given))
        values = values.reshape(0) if values.size == 0 else values
        if values.shape != (count,):
            found = f"shape {values.shape} for {count} boxes"
            raise InvalidInput(f"{name} must have one value of {key} a box", where=WHERE, found=found, remedy=SCENE)
        return values

    if scored and scene.get("scores") is None and count:
        raise InvalidInput(f"{name} have no scores", where=WHERE, remedy=SCENE)
    sizes = areas(corners)
    crowd = one_each("crowd" if scene.get("crowd") is not None else "iscrowd", np.zeros(count)).astype(bool)
    scores = validate.numbers(one_each("scores", np.ones(count)), where=WHERE, name=f"scores of {name}")
    area = sizes if scored else validate.numbers(one_each("area", sizes), where=WHERE, name=f"area of {name}")
    return _Boxes(corners, one_each("labels", np.zeros(count, dtype=int)), scores, crowd, area)


def _plain(values: Any) -> Any:
    return values.detach().cpu().numpy() if hasattr(values, "detach") else values


# Pairs of one image and class, for all overlaps at once.


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Of predicted boxes by falling score, whether they found an object, and whether they count; overlap x box."""

    matched: NDArray[np.bool_]
    ignored: NDArray[np.bool_]


def _paired(real: _Boxes, found: _Boxes, ious: Sequence[float], span: tuple[float, float]) -> _Pairs:
    outside = (found.area < span[0]) | (found.area > span[1])
    if not len(real.area) or not len(found.area):
        nothing = np.zeros((len(ious), len(found.area)), dtype=bool)
        return _Pairs(nothing, nothing | outside)
    aside = real.crowd | (real.area < span[0]) | (real.area > span[1])
    order = np.argsort(aside, kind="stable")
    real, aside = real.where(order), aside[order]
    counted = len(aside) - int(aside.sum())
    overlap = _coco_overlaps(found.corners, real)
    least = np.minimum(ious, 1 - 1e-10)
    matched = np.zeros((len(least), len(found.scores)), dtype=bool)
    ignored = np.zeros_like(matched)
    free = np.ones((len(least), len(aside)), dtype=bool)
    for row in np.flatnonzero(overlap.max(axis=1, initial=0.0) >= least.min()):
        possible = np.where((free | real.crowd) & (overlap[row] >= least[:, None]), overlap[row], -1.0)
        for part, aside_too in ((slice(0, counted), False), (slice(counted, None), True)):
            some = possible[:, part]
            if not some.shape[1]:
                continue
            # On ties the later box, as COCOeval goes on while it finds no smaller overlap.
            best = some.shape[1] - 1 - some[:, ::-1].argmax(axis=1)
            taken = np.flatnonzero((some[np.arange(len(least)), best] >= 0) & ~matched[:, row])
            matched[taken, row] = True
            ignored[taken, row] = aside_too
            free[taken, best[taken] + (counted if aside_too else 0)] = False
    return _Pairs(matched, ignored | (~matched & outside))


def _coco_overlaps(found: FloatArray, real: _Boxes) -> FloatArray:
    """Intersection over union; of a crowd region over the predicted box alone."""
    both = shared_areas(found, real.corners)
    own, other = (areas(side) for side in (found, real.corners))
    union = np.where(real.crowd, own[:, None], own[:, None] + other - both)
    return np.divide(both, union, out=np.zeros_like(both), where=union > 0)


# All boxes of a class in one ranking, from which precision and recall follow for any weights of images.


@dataclass(frozen=True, eq=False)
class _Ranking:
    """One class: predicted boxes of all images by falling score, and how many objects each image has."""

    images: NDArray[np.intp]
    right: FloatArray
    """Overlap x box: 1 where it found an object that counts."""
    wrong: FloatArray
    objects: FloatArray
    """For each image."""

    def scores(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean precision and last recall of draws x overlap, for draws x image of weights; NaN without an object."""
        total = weights @ self.objects
        shape = (len(weights), len(self.right))
        precision, recall = np.full(shape, np.nan), np.full(shape, np.nan)
        known = np.flatnonzero(total > 0)
        precision[known] = recall[known] = 0.0
        if not self.images.size:
            return precision, recall
        heavy = weights[:, self.images]
        for number, (right, wrong) in enumerate(zip(self.right, self.wrong, strict=True)):
            hits = np.cumsum(heavy * right, axis=1)
            shares = hits / (hits + np.cumsum(heavy * wrong, axis=1) + np.spacing(1))
            envelope = np.maximum.accumulate(shares[:, ::-1], axis=1)[:, ::-1]
            for draw in known:
                found = hits[draw] / total[draw]
                places = np.searchsorted(found, RECALLS, side="left")
                reached = places[places < found.size]
                precision[draw, number] = envelope[draw, reached].sum() / RECALLS.size
                recall[draw, number] = found[-1]
        return precision, recall


@dataclass(frozen=True, eq=False)
class _Prepared:
    """For each class, the images in which the truth or the answer has it, with its boxes."""

    classes: Mapping[Any, Sequence[tuple[int, _Boxes, _Boxes]]]
    """Predicted boxes by falling score; classes of the truth only."""
    images: int
    digest: str

    @classmethod
    def of(cls, truth: Sequence[Scene], predictions: Sequence[Scene]) -> _Prepared:
        scenes = [*_scenes(truth, predictions)]
        known = {each for real, _ in scenes for each in real.labels.tolist()}
        classes: dict[Any, list[tuple[int, _Boxes, _Boxes]]] = {label: [] for label in sorted(known, key=str)}
        for image, (real, found) in enumerate(scenes):
            ordered = found.where(np.argsort(-found.scores, kind="stable"))
            for label in {*real.labels.tolist(), *found.labels.tolist()} & known:
                classes[label].append((image, real.of(label), ordered.of(label)))
        parts = [
            [array_digest(getattr(s, n)) for n in ("corners", "scores", "crowd", "area")] for b in scenes for s in b
        ]
        named = [[list(map(str, side.labels.tolist())) for side in both] for both in scenes]
        return cls(classes, len(scenes), digest([parts, named]))


@dataclass(frozen=True, eq=False)
class _Ranked:
    """All classes, judged by some overlaps and in a range of sizes."""

    classes: tuple[_Ranking, ...]
    images: int
    digest: str
    about: Mapping[str, Any]

    @classmethod
    def of(cls, prepared: _Prepared, ious: Sequence[float], area: str, most: int) -> _Ranked:
        count = validate.count(most, where=WHERE, name="most", at_least=1)
        span = AREAS[validate.choice(area, AREAS, where=WHERE, name="area")]
        classes = tuple(_ranking(parts, prepared.images, ious, span, count) for parts in prepared.classes.values())
        return cls(classes, prepared.images, prepared.digest, {"iou": list(ious), "area": area, "most": count})

    @property
    def defined(self) -> bool:
        """Whether there is an object to find."""
        return any(each.objects.any() for each in self.classes)

    @property
    def precision(self) -> float:
        """The mean over overlaps and classes."""
        return float(self.means(np.ones((1, self.images)))[0][0])

    @property
    def recall(self) -> float:
        """The same of the last recall."""
        return float(self.means(np.ones((1, self.images)))[1][0])

    @property
    def by_overlap(self) -> list[float]:
        """The mean over classes, for each overlap."""
        found = np.concatenate([each.scores(np.ones((1, self.images)))[0] for each in self.classes])
        return np.nanmean(found, axis=0).tolist()

    def means(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each draw the mean over overlaps and those classes that have an object."""
        if not self.defined:
            remedy = "Give images with objects that are no crowd, of the sizes that are asked for."
            raise Undefined("the truth has no object to find", where=WHERE, remedy=remedy)
        found = [each.scores(weights) for each in self.classes]
        stacked = [np.concatenate([scores[side] for scores in found], axis=1) for side in (0, 1)]
        counted = np.maximum(np.isfinite(stacked[0]).sum(axis=1), 1)
        precision, recall = (np.nansum(each, axis=1) / counted for each in stacked)
        return precision, recall


def _ranking(
    parts: Sequence[tuple[int, _Boxes, _Boxes]],
    count: int,
    ious: Sequence[float],
    span: tuple[float, float],
    most: int,
) -> _Ranking:
    objects = np.zeros(count)
    images, scores, right, wrong = [], [], [], []
    for image, real, every in parts:
        objects[image] = (~real.crowd & (real.area >= span[0]) & (real.area <= span[1])).sum()
        found = every.where(np.arange(min(len(every.scores), most)))
        pairs = _paired(real, found, ious, span)
        images.append(np.full(len(found.scores), image))
        scores.append(found.scores)
        right.append(pairs.matched & ~pairs.ignored)
        wrong.append(~pairs.matched & ~pairs.ignored)
    order = np.argsort(-np.concatenate(scores), kind="stable")
    hits, ghosts = (np.concatenate(side, axis=1)[:, order].astype(float) for side in (right, wrong))
    return _Ranking(np.concatenate(images)[order], hits, ghosts, objects)


def _estimate(ranked: _Ranked, named: str, area: str, draws: int, seed: int, scope: str) -> Estimate:
    value = ranked.precision
    params = {**ranked.about, "draws": draws}
    asked = f"average precision ({named}{'' if area == 'all' else f', {area} objects'})"
    bounds = _bootstrap(ranked, value, validate.count(draws, where=WHERE, name="draws", at_least=0), seed)
    return Estimate(
        asked,
        value,
        scope=scope,
        bounds=bounds,
        assumptions=(RESAMPLED,) if bounds else (),
        caveats=(BOOTSTRAP,) if bounds else (),
        details={**params, "images": ranked.images, "objects": int(sum(c.objects.sum() for c in ranked.classes))},
        provenance=Provenance("metrics.average_precision", params, data={"boxes": ranked.digest}, seed=seed),
    )


def _bootstrap(ranked: _Ranked, value: float, draws: int, seed: int) -> tuple[TabulatedBound, ...]:
    """Limits from the errors of images drawn with replacement, up to the level that the draws resolve.

    A resample has fewer different images than the sample, and so a higher precision, as the sample has against
    operation: the errors of resamples are taken off the value (the basic bootstrap), and no limit crosses it.
    """
    levels = [level for level in LEVELS if draws * (1 - level) >= MIN_TAIL_DRAWS * (1 - 1e-9)]
    if not levels or ranked.images < 2:
        return ()
    rng = np.random.default_rng(seed)
    most = max([ranked.images, *(each.images.size for each in ranked.classes)])
    step = max(NUMBERS_AT_ONCE // most, 1)
    every = np.full(ranked.images, 1 / ranked.images)
    parts = [
        ranked.means(rng.multinomial(ranked.images, every, size=min(step, draws - start)).astype(float))[0]
        for start in range(0, draws, step)
    ]
    errors = np.sort(np.concatenate(parts)) - value
    upper = value - np.minimum(np.quantile(errors, [1 - level for level in levels], method="lower"), 0.0)
    lower = value - np.maximum(np.quantile(errors, levels, method="higher"), 0.0)
    upper, lower = np.minimum(upper, 1.0), np.maximum(lower, 0.0)
    return (
        TabulatedBound.widened(levels, upper, "upper", "heuristic"),
        TabulatedBound.widened(levels, lower, "lower", "heuristic"),
    )
