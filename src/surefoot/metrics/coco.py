"""How well a detector does over all its confidences: average precision and recall, number for number as COCO has them.

Boxes of an image are a mapping with ``boxes`` (corners x1, y1, x2, y2) and ``labels``; of predictions also ``scores``,
of the truth also ``crowd`` (regions in which nothing is counted) and ``area`` (by default that of the box). These are
the names of torchvision; ``iscrowd`` is read too. Of instance segmentation they have ``masks``, and ``iou_of="masks"``
compares these: arrays of an image (objects x height x width), or what COCO writes under ``segmentation``. The rules are
those of ``COCOeval``: within an image, a class and a range of sizes, predicted boxes by falling score take the true box
with which they overlap most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import (
    Assumption,
    Diagnostic,
    Estimate,
    InvalidInput,
    Provenance,
    Side,
    TabulatedBound,
    Undefined,
    validate,
)
from surefoot.core.canonical import array_digest, digest
from surefoot.core.validate import FloatArray
from surefoot.documents.run_lengths import RunLengths
from surefoot.metrics.tracks import areas, as_boxes, shared_areas

COCO_IOUS = tuple(np.linspace(0.5, 0.95, 10).tolist())
RECALLS = np.linspace(0.0, 1.0, 101)
AREAS = {"all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)}
Area = Literal["all", "small", "medium", "large"]
NUMBERS_AT_ONCE = 4_000_000
IouOf = Literal["boxes", "masks"]
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985, 0.99, 0.995, 0.999)
WHERE = "average_precision"
MASKS = "Give for each image masks (objects x height x width, or size and counts of COCO), and labels."
SCENE = "Give for each image a mapping with boxes (x1, y1, x2, y2), labels and, of predictions, scores."
CERTAIN = (1e-9, 1 - 1e-9)
TINY = 1e-12
RESAMPLED = Assumption("images-resampled", "Images are drawn independently of each other, and as in operation.")
JACKKNIFE = Diagnostic(
    "approximate-coverage",
    "The bounds are a jackknife over images, without a guarantee: too narrow with few images or rare classes.",
    hint="For a guaranteed bound, bound the mean of a loss of images in [0, 1], such as missed_shares, by betting.",
)
Scene = Mapping[str, Any]


@validate.arguments
def average_precision(
    truth: Sequence[Scene],
    predictions: Sequence[Scene],
    *,
    iou: float | Sequence[float] | Literal["coco"] = 0.5,
    iou_of: IouOf = "boxes",
    area: Area = "all",
    most: int = 100,
    parts: int = 400,
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
    iou_of
        What overlaps: ``boxes``, or the ``masks`` of objects.
    area
        Only objects of this range of areas: below 32 x 32 pixels, from there to 96 x 96, or above.
    most
        So many boxes of an image and a class count, those with the highest scores.
    parts, seed
        For the bounds images are left out one by one; of more than so many images, random parts. 0 gives no bounds.
    scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        Its bounds are a jackknife over images on the logit scale, and marked heuristic. Precision where an object is
        found is too high on average, and so is its largest value from there on, so that the lower limit takes
        Haldane's (k - 1) / (n - 1) for k hits among n boxes, and nothing that comes later. Answers that do not differ
        from image to image have no bounds.

    Raises
    ------
    Undefined
        Where the truth has no object to find.

    References
    ----------
    Lin et al. (2014), ECCV; ``pycocotools.cocoeval``. Haldane (1945), Biometrika 33: 222. Efron and Tibshirani
    (1993), An Introduction to the Bootstrap, chapter 11.

    Examples
    --------
    >>> import surefoot as sf
    >>> truth = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1]}]
    >>> found = [{"boxes": [[0, 0, 4, 4], [20, 20, 24, 24]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    >>> round(sf.metrics.average_precision(truth, found, parts=0).value, 4)
    0.505

    """
    overlaps = _overlaps_asked(iou)
    ranked = _Ranked.of(_Prepared.of(truth, predictions, iou_of), overlaps, area, most)
    named = "mAP" if overlaps == COCO_IOUS else f"AP{100 * overlaps[0]:g}" if len(overlaps) == 1 else "mean AP"
    named = f"{named} of masks" if iou_of == "masks" else named
    return _estimate(ranked, named, area, parts, seed, scope)


@validate.arguments
def average_recall(
    truth: Sequence[Scene],
    predictions: Sequence[Scene],
    *,
    iou_of: IouOf = "boxes",
    area: Area = "all",
    most: int = 100,
) -> float:
    """The share of objects that ``most`` boxes an image and class find, over classes and the overlaps of COCO.

    Parameters
    ----------
    truth, predictions, iou_of, area, most
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
    return _Ranked.of(_Prepared.of(truth, predictions, iou_of), COCO_IOUS, area, most).recall


@validate.arguments
def coco_summary(truth: Sequence[Scene], predictions: Sequence[Scene], *, iou_of: IouOf = "boxes") -> dict[str, float]:
    """The twelve numbers that the evaluation of COCO prints.

    Parameters
    ----------
    truth, predictions, iou_of
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
    prepared = _Prepared.of(truth, predictions, iou_of)
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
    truth: Sequence[Scene],
    predictions: Sequence[Scene],
    *,
    iou: float = 0.5,
    iou_of: IouOf = "boxes",
    score: float = 0.5,
) -> FloatArray:
    """For each image the share of its objects that no box of their class finds; 0 where there are none.

    A mean of these is a mean of losses in [0, 1], of which betting gives a guaranteed bound.

    Parameters
    ----------
    truth, predictions
        As for ``average_precision``.
    iou, iou_of
        The overlap that a pair needs, and what overlaps.
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
    for image, (real, found) in enumerate(_scenes(truth, predictions, iou_of)):
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
    masks: NDArray[Any] | None = None
    """``RunLengths`` of the objects, where masks are compared."""

    def where(self, chosen: NDArray[Any]) -> _Boxes:
        parts: dict[str, Any] = {name: None if part is None else part[chosen] for name, part in vars(self).items()}
        return _Boxes(**parts)

    def of(self, label: Any) -> _Boxes:
        return self.where(self.labels == label)


def _scenes(truth: Sequence[Scene], predictions: Sequence[Scene], iou_of: str) -> Iterator[tuple[_Boxes, _Boxes]]:
    masks = validate.choice(iou_of, ("boxes", "masks"), where=WHERE, name="iou_of") == "masks"
    if len(truth) != len(predictions):
        found = f"truth of {len(truth)} images, predictions of {len(predictions)}"
        raise InvalidInput("truth and predictions must have one entry an image", where=WHERE, found=found)
    for image, (real, seen) in enumerate(zip(truth, predictions, strict=True)):
        both = (
            _boxes(real, f"truth of image {image}", scored=False, masks=masks),
            _boxes(seen, f"predictions of image {image}", scored=True, masks=masks),
        )
        sizes = {(each.height, each.width) for side in both for each in (side.masks if side.masks is not None else ())}
        if len(sizes) > 1:
            found = " and ".join(f"{high} x {wide}" for high, wide in sorted(sizes))
            raise InvalidInput(f"masks of image {image} have several sizes", where=WHERE, found=found, remedy=MASKS)
        yield both


def _boxes(scene: Scene, name: str, *, scored: bool, masks: bool) -> _Boxes:
    needed = "masks" if masks else "boxes"
    if not isinstance(scene, Mapping) or (needed not in scene and len(scene.get("boxes", "?"))):
        remedy = MASKS if masks else SCENE
        raise InvalidInput(f"{name} has no {needed}", where=WHERE, found=type(scene).__name__, remedy=remedy)
    regions = _regions(scene.get("masks", ()), name) if masks else None
    around = scene["boxes"] if regions is None else [each.corners for each in regions]
    corners = as_boxes(_plain(around), where=WHERE, name=name)
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
    sizes = areas(corners) if regions is None else np.array([each.area for each in regions], dtype=float)
    crowd = one_each("crowd" if scene.get("crowd") is not None else "iscrowd", np.zeros(count)).astype(bool)
    scores = validate.numbers(one_each("scores", np.ones(count)), where=WHERE, name=f"scores of {name}")
    area = sizes if scored else validate.numbers(one_each("area", sizes), where=WHERE, name=f"area of {name}")
    return _Boxes(corners, one_each("labels", np.zeros(count, dtype=int)), scores, crowd, area, regions)


def _regions(said: Any, name: str) -> NDArray[Any]:
    """Masks of one image as lengths of runs."""
    given = _plain(said)
    if isinstance(given, np.ndarray) and given.ndim == 4 and given.shape[1] == 1:
        given = given[:, 0]  # As torchvision answers: one channel of probabilities.
    found = np.empty(len(given), dtype=object)
    for row, each in enumerate(given):
        try:
            as_coco = isinstance(each, Mapping)
            found[row] = each if isinstance(each, RunLengths) else (RunLengths.read if as_coco else RunLengths.of)(each)
        except ValueError as error:
            raise InvalidInput(f"mask {row} of {name} is none: {error}", where=WHERE, remedy=MASKS) from None
    return found


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
    overlap = _coco_overlaps(found, real)
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


def _coco_overlaps(found: _Boxes, real: _Boxes) -> FloatArray:
    """Intersection over union; of a crowd region over the predicted box or mask alone."""
    if found.masks is None or real.masks is None:
        both = shared_areas(found.corners, real.corners)
        own, other = (areas(side.corners) for side in (found, real))
    else:
        both = np.array([each.shared(real.masks) for each in found.masks], dtype=float)
        own, other = (np.asarray([m.area for m in side], dtype=np.float64) for side in (found.masks, real.masks))
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

    def scores(self, weights: FloatArray, *, cautious: bool = False) -> tuple[FloatArray, FloatArray]:
        """Mean precision and last recall of draws x overlap, for draws x image of weights; NaN without an object.

        ``cautious`` takes the precision of Haldane where an object is found, and no larger one of a later box.
        """
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
            ghosts = np.cumsum(heavy * wrong, axis=1)
            if cautious:
                envelope = np.where(ghosts > 0, np.maximum(hits - 1, 0) / np.maximum(hits + ghosts - 1, 1), 1.0)
            else:
                shares = hits / (hits + ghosts + np.spacing(1))
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
    def of(cls, truth: Sequence[Scene], predictions: Sequence[Scene], iou_of: str = "boxes") -> _Prepared:
        scenes = [*_scenes(truth, predictions, iou_of)]
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
        runs = [[m.digest() for m in s.masks] for b in scenes for s in b if s.masks is not None]
        return cls(classes, len(scenes), digest([parts, named, *([runs] if iou_of == "masks" else [])]))


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

    def means(self, weights: FloatArray, *, cautious: bool = False) -> tuple[FloatArray, FloatArray]:
        """For each draw the mean over overlaps and those classes that have an object."""
        if not self.defined:
            remedy = "Give images with objects that are no crowd, of the sizes that are asked for."
            raise Undefined("the truth has no object to find", where=WHERE, remedy=remedy)
        found = [each.scores(weights, cautious=cautious) for each in self.classes]
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


def _estimate(ranked: _Ranked, named: str, area: str, parts: int, seed: int, scope: str) -> Estimate:
    value = ranked.precision
    params = {**ranked.about, "parts": parts}
    asked = f"average precision ({named}{'' if area == 'all' else f', {area} objects'})"
    bounds = _jackknife(ranked, value, validate.count(parts, where=WHERE, name="parts", at_least=0), seed)
    return Estimate(
        asked,
        value,
        scope=scope,
        bounds=bounds,
        assumptions=(RESAMPLED,) if bounds else (),
        caveats=(JACKKNIFE,) if bounds else (),
        details={**params, "images": ranked.images, "objects": int(sum(c.objects.sum() for c in ranked.classes))},
        provenance=Provenance("metrics.average_precision", params, data={"boxes": ranked.digest}, seed=seed),
    )


def _jackknife(ranked: _Ranked, value: float, parts: int, seed: int) -> tuple[TabulatedBound, ...]:
    """Limits from how much parts of the images change the measure when they are left out, each side from its own.

    Limits are of Student's t on the logit scale, and none crosses the value.
    """
    from scipy.stats import t as student

    count = min(parts, ranked.images)
    if count < 2:
        return ()
    order = np.random.default_rng(seed).permutation(ranked.images) if count < ranked.images else np.arange(count)
    weights = np.ones((count + 1, ranked.images))
    for part, left_out in enumerate(np.array_split(order, count), 1):
        weights[part, left_out] = 0.0
    most = max([ranked.images, *(each.images.size for each in ranked.classes)])
    step = max(NUMBERS_AT_ONCE // most, 1)
    families = []
    sides: tuple[tuple[Side, int], ...] = (("upper", 1), ("lower", -1))
    for side, sign in sides:
        found = [ranked.means(weights[n : n + step], cautious=sign < 0)[0] for n in range(0, count + 1, step)]
        whole, without = (each := np.concatenate(found))[0], each[1:]
        error = np.sqrt((count - 1) / count * np.sum((without - without.mean()) ** 2))
        middle = np.clip(whole, *CERTAIN)
        if error <= TINY:
            continue
        steps = sign * student.ppf(LEVELS, count - 1) * error / (middle * (1 - middle))
        limits = special.expit(special.logit(middle) + steps)
        limits = np.maximum(limits, value) if sign > 0 else np.minimum(limits, value)
        families.append(TabulatedBound.widened(LEVELS, limits, side, "heuristic"))
    return tuple(families)
