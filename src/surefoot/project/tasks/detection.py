"""What a failure of an object detector is: by image, by object, by answered box, and by encounter with an object.

Objects may have masks in place of boxes, which then overlap. Within an image, boxes of one class belong to each other
where they overlap by ``iou`` or more, so that the sum of overlaps is largest. What is left over is looked at again: an
object with a box of its class that overlaps a little is misplaced, one with a box of another class in its place has
another class, any other one is missed; an answered box that belongs to none of these, and to no crowd, is spurious. An
encounter is an object from the frame in which it comes into view to the last one, known by its track: RAM (section 5.1)
asks of the component that it classifies and locates the object when it is first seen, in time, and follows it from
there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.scenes import Boxes, Scenes
from surefoot.core.canonical import FrozenMap
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.metrics.tracks import areas, best_pairs, overlaps, shared_areas
from surefoot.project.tasks.judging import Demands, Judgement

IOU, SCORE = 0.5, 0.5
NEAR = 0.1
"""A box of the right class that overlaps so much with an object was meant for it."""
FOUND, MISPLACED, OTHER_CLASS, MISSED = "found", "misplaced", "another class", "missed"
SIZES = ((32.0**2, "small"), (96.0**2, "medium"), (np.inf, "large"))
"""Ranges of areas in pixels, as COCO has them."""
CLASSIFICATION, LOCALISATION, TIMING, TRACKING = "first class", "first place", "late", "lost"
"""Kinds of failure of encounters: the four functions of RAM, section 5.1."""


def detection(demands: Demands) -> Judgement:
    """An image fails where an object is not found or a box is spurious, and loses the share of its objects not found.

    An image without objects loses nothing, also where a box in it is spurious: the loss is about objects alone.
    """
    assert demands.scenes is not None
    if demands.scenes.answers is None:
        raise demands.missing("predictions", "has no answered boxes, and the component has no model", "or add a model")
    return judged_objects(Seen.of(demands), demands)


def judged_objects(seen: Seen, demands: Demands) -> Judgement:
    """What became of images, and of all that is in them, by name."""
    kinds = dict(seen.kinds())
    if (seen.real.tracks >= 0).any():
        kinds |= dict(encounters(seen, demands))
    lost = np.bincount(seen.real.images, seen.outcomes != FOUND, minlength=len(seen.scenes))
    objects = np.bincount(seen.real.images, minlength=len(seen.scenes))
    wrong = np.bincount(seen.answers.images, seen.spurious, minlength=len(seen.scenes))
    outcomes = np.where(
        lost > 0,
        np.where(wrong > 0, f"objects not found and spurious {seen.things}", "objects not found"),
        np.where(wrong > 0, f"spurious {seen.things}", "right"),
    )
    words = f"an object of the image is not found ({seen.words}) or a {seen.thing} is spurious"
    shares = np.divide(lost, np.maximum(objects, 1))
    return Judgement(words, (lost + wrong) > 0, shares, outcomes, kinds=FrozenMap(kinds), counted="images")


@dataclass(frozen=True, eq=False)
class Seen:
    """What became of each object that counts and of each box that was answered."""

    scenes: Scenes
    iou: float
    score: float
    real: Boxes
    """Objects that count: no crowd."""
    answers: Boxes
    """Boxes with enough score."""
    outcomes: NDArray[np.str_]
    """Of each object."""
    overlap: FloatArray
    """IoU of each object with its box; 0 where it has none."""
    partner: NDArray[np.int64]
    """The answered box of each object; -1 where it has none."""
    spurious: NDArray[np.bool_]
    """Of each answered box."""

    @classmethod
    def of(cls, demands: Demands) -> Seen:
        """Pair the boxes of all images."""
        scenes, part = demands.scenes, demands.part
        assert scenes is not None
        assert scenes.answers is not None
        iou, score = part.iou or IOU, SCORE if part.score is None else part.score
        real = _sorted(scenes.truth.where(~scenes.truth.crowd))
        crowd = _sorted(scenes.truth.where(scenes.truth.crowd))
        answers = _sorted(scenes.answers.where(scenes.answers.scores >= score))
        outcomes = np.full(len(real), MISSED, dtype="<U16")
        overlap, partner = np.zeros(len(real)), np.full(len(real), -1)
        spurious = np.ones(len(answers), dtype=bool)
        for here, there, crowded in zip(*(_by_image(b, len(scenes)) for b in (real, answers, crowd)), strict=True):
            for objects, boxes, outcome, overlaps_of in _pairs(real, answers, here, there, iou):
                outcomes[objects], partner[objects], overlap[objects] = outcome, boxes, overlaps_of
                spurious[boxes] = False
            if crowded.start < crowded.stop:
                spurious[there] &= ~_in_crowd(answers, crowd, there, crowded, iou)
        return cls(scenes, iou, score, real, answers, outcomes, overlap, partner, spurious)

    @property
    def thing(self) -> str:
        """What is answered."""
        return "box" if self.real.masks is None else "mask"

    @property
    def things(self) -> str:
        """Several of these."""
        return "boxes" if self.real.masks is None else "masks"

    @property
    def words(self) -> str:
        """When an object is found, in words."""
        least = significant(self.iou)
        return f"IoU at least {least} with a {self.thing} of its class and score from {significant(self.score)}"

    @cached_property
    def attributes(self) -> Mapping[str, NDArray[Any]]:
        """Of each object its class and its size."""
        return FrozenMap(_of_boxes(self.real, self.scenes.classes))

    def kinds(self) -> Iterator[tuple[str, Judgement]]:
        """Failures of objects, of answered boxes and of images."""
        every = np.ones(len(self.real), dtype=bool)
        seen = np.isin(self.outcomes, (FOUND, MISPLACED))
        placed = np.isin(self.outcomes, (FOUND, OTHER_CLASS))
        said = f"the object is not found ({self.words})"
        yield from self._objects("object", every, self.outcomes != FOUND, said, "objects")
        said = f"no {self.thing} was meant for the object"
        yield from self._objects("missed", every, self.outcomes == MISSED, said, "objects")
        place = f"IoU of the object with the {self.thing} of its class below {significant(self.iou)}"
        own = f"objects with a {self.thing} of their class"
        yield from self._objects("misplaced", seen, self.outcomes == MISPLACED, place, own)
        other = f"the {self.thing} in the place of the object has another class"
        there = f"objects with a {self.thing} in their place"
        yield from self._objects("class", placed, self.outcomes == OTHER_CLASS, other, there)
        if len(self.answers):
            words = np.where(self.spurious, "spurious", "of an object")
            told = FrozenMap(_of_boxes(self.answers, self.scenes.classes))
            yield (
                "spurious",
                Judgement(
                    f"the answered {self.thing} belongs to no object",
                    self.spurious,
                    None,
                    words,
                    rows=self.answers.images,
                    attributes=told,
                    counted=f"answered {self.things}",
                ),
            )
        images = np.unique(self.real.images)
        if images.size:
            lost = np.bincount(self.real.images, self.outcomes != FOUND, minlength=len(self.scenes)) > 0
            said = f"an object of the image is not found ({self.words})"
            with_objects: dict[str, Any] = {"counted": "images with objects", "out_of": len(self.scenes)}
            yield "image with missed", Judgement(said, lost[images], rows=images, **with_objects)
        wrong = np.bincount(self.answers.images, self.spurious, minlength=len(self.scenes)) > 0
        said = f"a {self.thing} in the image belongs to no object"
        yield "image with spurious", Judgement(said, wrong, counted="images")
        empty = np.setdiff1d(np.arange(len(self.scenes)), images)
        if empty.size and images.size:
            alone: dict[str, Any] = {"counted": "images without objects", "out_of": len(self.scenes)}
            yield "false alarm", Judgement(f"{said}, of images without objects", wrong[empty], rows=empty, **alone)

    def _objects(
        self, name: str, asked: NDArray[np.bool_], failed: NDArray[np.bool_], words: str, counted: str
    ) -> Iterator[tuple[str, Judgement]]:
        if asked.any():
            told = FrozenMap({key: column[asked] for key, column in self.attributes.items()})
            yield (
                name,
                Judgement(
                    words,
                    failed[asked],
                    None,
                    self.outcomes[asked],
                    1 - self.overlap[asked],
                    rows=self.real.images[asked],
                    attributes=told,
                    counted=counted,
                    out_of=None if asked.all() and counted == "objects" else len(self.real),
                ),
            )


def _of_boxes(boxes: Boxes, classes: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    limits = [limit for limit, _ in SIZES[:-1]]
    sizes = np.array([name for _, name in SIZES])[np.searchsorted(limits, boxes.areas, side="right")]
    return {"object": np.asarray(classes, dtype=str)[boxes.labels], "size": sizes}


def _sorted(boxes: Boxes) -> Boxes:
    return boxes.where(np.argsort(boxes.images, kind="stable"))


def _by_image(boxes: Boxes, count: int) -> list[slice]:
    ends = np.searchsorted(boxes.images, np.arange(count + 1))
    return [slice(a, b) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]


Paired = tuple[NDArray[np.int64], NDArray[np.int64], str, FloatArray]


def _pairs(real: Boxes, answers: Boxes, here: slice, there: slice, iou: float) -> Iterator[Paired]:
    """Pairs of one image, round by round: each takes what the rounds before have left."""
    objects, boxes = np.arange(here.start, here.stop), np.arange(there.start, there.stop)
    overlap = _overlap(answers, real, there, here)
    rounds = ((FOUND, iou, True), (MISPLACED, min(NEAR, iou), True), (OTHER_CLASS, iou, False))
    for outcome, least, same in rounds:
        if not objects.size or not boxes.size:
            return
        left = overlap[np.ix_(boxes - there.start, objects - here.start)]
        found = best_pairs(
            left, (left >= least) & ((answers.labels[boxes][:, None] == real.labels[objects]) | (not same))
        )
        yield objects[found.pairs[:, 1]], boxes[found.pairs[:, 0]], outcome, found.overlaps
        objects, boxes = objects[found.false_negatives], boxes[found.false_positives]


def _overlap(answers: Boxes, real: Boxes, there: slice, here: slice) -> FloatArray:
    """IoU of the answers of one image with its objects."""
    if answers.masks is None or real.masks is None:
        return overlaps(answers.corners[there], real.corners[here])
    both = _shared(answers, real, there, here)
    union = pixels(answers.masks[there])[:, None] + pixels(real.masks[here]) - both
    return np.divide(both, union, out=np.zeros_like(both), where=union > 0)


def _shared(answers: Boxes, real: Boxes, there: slice, here: slice) -> FloatArray:
    if answers.masks is None or real.masks is None:
        return shared_areas(answers.corners[there], real.corners[here])
    shared = [mask.shared(real.masks[here]) for mask in answers.masks[there]]
    return np.array(shared, dtype=float).reshape(there.stop - there.start, here.stop - here.start)


def pixels(masks: NDArray[Any]) -> FloatArray:
    """The area of each mask."""
    return np.array([mask.area for mask in masks], dtype=float)


def _in_crowd(answers: Boxes, crowd: Boxes, there: slice, crowded: slice, iou: float) -> NDArray[np.bool_]:
    """Boxes of which a crowd of their class covers enough."""
    own = areas(answers.corners[there]) if answers.masks is None else pixels(answers.masks[there])
    covered = _shared(answers, crowd, there, crowded) / np.maximum(own, np.finfo(float).tiny)[:, None]
    same = answers.labels[there][:, None] == crowd.labels[crowded]
    return np.asarray(((covered >= iou) & same).any(axis=1))


# Encounters: objects from the frame in which they come into view to the last one.


@dataclass(frozen=True, eq=False)
class Encounter:
    """One object in the frames in which it is in view."""

    rows: NDArray[np.int64]
    """Its boxes, in the order of frames."""
    found: NDArray[np.bool_]
    """In which of these frames it is found."""
    ids: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """The track that the answer gives it in the frames in which it is found."""

    @property
    def delay(self) -> float:
        """Frames from its birth to where it is first found; infinite where it never is."""
        return float(self.found.argmax()) if self.found.any() else np.inf

    @property
    def longest_miss(self) -> int:
        """The most frames in a row, of those in which it is in view, in which it is not found once it was."""
        hits = np.flatnonzero(self.found)
        return int((np.diff([*hits, self.found.size]) - 1).max(initial=0))

    @property
    def switches(self) -> int:
        """How often it is found under another track than before; 0 where answers have no tracks."""
        known = self.ids[self.ids >= 0]
        return int((np.diff(known) != 0).sum())


def encountered(seen: Seen) -> list[Encounter]:
    """The encounters of all sequences, in the order in which they begin."""
    scenes, real = seen.scenes, seen.real
    films = np.zeros(len(scenes), dtype=np.int64)
    if scenes.sequences is not None:
        films = np.unique(scenes.sequences, return_inverse=True)[1]
    tracked = np.flatnonzero(real.tracks >= 0)
    names = np.column_stack([films[real.images[tracked]], real.tracks[tracked]])
    which = np.unique(names, axis=0, return_inverse=True)[1].reshape(-1)
    ids = np.where(seen.partner >= 0, seen.answers.tracks[seen.partner] if len(seen.answers) else -1, -1)
    order = np.argsort(which, kind="stable")
    ends = np.flatnonzero(np.diff(which[order])) + 1
    groups = [tracked[part] for part in np.split(order, ends)] if order.size else []
    found = seen.outcomes == FOUND
    made = [Encounter(rows, found[rows], ids[rows][found[rows]]) for rows in groups]
    return sorted(made, key=lambda each: int(each.rows[0]))


def encounters(seen: Seen, demands: Demands) -> Iterator[tuple[str, Judgement]]:
    """Failures of encounters: what is not found, first seen wrongly, found late, or lost again."""
    every, late, lost = encountered(seen), demands.part.late, demands.part.lost
    delays = np.array([each.delay for each in every])
    words = np.where(np.isinf(delays), "never found", "found")
    said = f"the object is never found while in view ({seen.words})"
    waited, unit = _waited(seen, every)
    yield "encounter", _judged(seen, every, said, words != "found", words, waited, unit=unit)
    first = [_first_seen(seen, each) for each in every]
    yield from _at_first_sight(seen, every, first)
    if late is not None:
        said = f"the object is not found within {late} frames after it comes into view ({seen.words})"
        outcome = np.where(np.isinf(delays), "never found", np.where(delays > late, "late", "in time"))
        # Where an object is never found, nobody knows how late it would have been.
        errors = None if np.isinf(delays).any() else delays
        yield TIMING, _judged(seen, every, said, delays > late, outcome, errors)
    known = [each for each in every if each.found.any()]
    if lost is not None and known:
        gone = np.array([each.longest_miss for each in known])
        switched = np.array([each.switches for each in known])
        said = f"once found, the object is not found for more than {lost} frames in a row, or changes its track"
        outcome = np.where(gone > lost, "lost", np.where(switched > 0, "changed its track", "followed"))
        once: dict[str, Any] = {"among": "in which the object is ever found", "out_of": len(every)}
        yield TRACKING, _judged(seen, known, said, outcome != "followed", outcome, gone.astype(float), **once)


def _waited(seen: Seen, every: list[Encounter]) -> tuple[FloatArray, str]:
    """From coming into view to being found: seconds where times are known, else frames; infinite if it never is."""
    times = seen.scenes.times
    if times is None or not seen.scenes.in_seconds:
        return np.array([each.delay for each in every]), "frames"
    delays = np.full(len(every), np.inf)
    for number, each in enumerate(every):
        if each.found.any():
            first, found = seen.real.images[each.rows[[0, int(each.found.argmax())]]]
            delays[number] = times[found] - times[first]
    return delays, "seconds"


def _first_seen(seen: Seen, each: Encounter) -> tuple[int, int]:
    """The object's box where it first has a box in its place, of any class; and where it first has one of its class."""
    located = np.flatnonzero(np.isin(seen.outcomes[each.rows], (FOUND, OTHER_CLASS)))
    meant = np.flatnonzero(np.isin(seen.outcomes[each.rows], (FOUND, MISPLACED)))
    return (
        int(each.rows[located[0]]) if located.size else -1,
        int(each.rows[meant[0]]) if meant.size else -1,
    )


def _at_first_sight(
    seen: Seen, every: list[Encounter], first: list[tuple[int, int]]
) -> Iterator[tuple[str, Judgement]]:
    asked = (
        (
            CLASSIFICATION,
            0,
            OTHER_CLASS,
            f"the first {seen.thing} in the place of the object has another class",
            f"in which the object ever has a {seen.thing} in its place",
        ),
        (
            LOCALISATION,
            1,
            MISPLACED,
            f"IoU with the first {seen.thing} of its class below {significant(seen.iou)}",
            f"in which the object ever has a {seen.thing} of its class",
        ),
    )
    for name, side, wrong, said, among in asked:
        known = [(each, rows[side]) for each, rows in zip(every, first, strict=True) if rows[side] >= 0]
        if known:
            boxes = np.array([row for _, row in known])
            outcome = seen.outcomes[boxes]
            yield (
                name,
                _judged(
                    seen,
                    [each for each, _ in known],
                    said,
                    outcome == wrong,
                    outcome,
                    1 - seen.overlap[boxes],
                    among=among,
                    out_of=len(every),
                ),
            )


def _judged(
    seen: Seen,
    every: list[Encounter],
    words: str,
    failed: NDArray[np.bool_],
    outcomes: NDArray[np.str_] | None = None,
    errors: FloatArray | None = None,
    *,
    among: str = "",
    out_of: int | None = None,
    unit: str = "",
) -> Judgement:
    born = np.array([each.rows[0] for each in every])
    told = FrozenMap({"object": seen.attributes["object"][born]})
    rows = seen.real.images[born]
    said = np.where(failed, "failed", "right") if outcomes is None else outcomes
    counted: dict[str, Any] = {"counted": f"encounters {among}".strip(), "out_of": out_of, "unit": unit}
    return Judgement(words, failed, None, said, errors, rows=rows, attributes=told, alone=True, **counted)
