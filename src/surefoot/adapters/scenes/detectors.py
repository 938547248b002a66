"""ONNX detectors with stated inputs and outputs: pictures go in, boxes in pixels of the picture come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.exported_models import TYPES
from surefoot.adapters.model import LoadedModel, loading
from surefoot.core import DiagnosticsError
from surefoot.core.errors import require
from surefoot.core.validate import FloatArray
from surefoot.documents import did_you_mean, listed, printable, quoted

Decode = Callable[[dict[str, NDArray[Any]]], Mapping[str, Any]]
FORMS = ("corners", "corner and size", "centre and size")
PARTS = ("boxes", "scores", "labels")
ERRORS_ONLY = 3


@dataclass(frozen=True)
class Detector:
    """What a project says of an ONNX detector.

    Parameters
    ----------
    boxes, scores, labels
        Names of its outputs.
    decode
        In their place a function that makes boxes, scores and labels of all outputs.
    form
        What the four numbers of a box are: ``corners``, ``corner and size`` or ``centre and size``.
    unit
        ``pixels`` of the picture that the model sees, or ``share`` of its width and height.
    size
        Height and width of that picture; by default what the model takes.
    colours, divide, subtract
        The order of the colours, and what is done to them: (colour - subtract) / divide.
    overlap
        Of boxes of one class that overlap by more, only the one with the highest score stays; by default all do.

    See Also
    --------
    onnx_detector

    """

    boxes: str | None = None
    scores: str | None = None
    labels: str | None = None
    decode: Decode | None = None
    form: str = "corners"
    unit: str = "pixels"
    size: Sequence[int] | None = None
    colours: str = "RGB"
    divide: float | Sequence[float] = 255.0
    subtract: float | Sequence[float] = 0.0
    overlap: float | None = None


def onnx_detector(path: Path, said: Detector) -> LoadedModel:
    """Open a detector whose inputs and outputs a project states.

    Parameters
    ----------
    path
        The ONNX file.
    said
        What goes in and what comes out.

    Returns
    -------
    LoadedModel
        From pictures (height x width x colours, 8 bits) to boxes, scores and labels of each.

    """
    runtime = require("onnxruntime", extra="onnx", purpose="An ONNX model")
    name = printable(path.name)
    options = runtime.SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    with loading(name, None):
        session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    taken = session.get_inputs()
    if len(taken) != 1 or len(taken[0].shape) not in (3, 4) or taken[0].type not in TYPES:
        raise _unusable(f"it takes {listed([f'{i.name} {i.shape}' for i in taken])}, and one picture is needed", name)
    there = [output.name for output in session.get_outputs()]
    asked = [getattr(said, part) for part in PARTS if getattr(said, part) is not None]
    for output in asked:
        if output not in there:
            raise _unusable(f"there is no output {quoted(output)}", name, did_you_mean(output, there))
    if said == Detector():
        said = replace(said, **called_plainly(there))
    if said.decode is None and (said.boxes is None or said.scores is None):
        hint = "Name them under detector: boxes, scores, labels; or a function under decode."
        why = f"it is not said which of its outputs ({listed(there)}) hold the boxes and the scores"
        raise _unusable(why, name, hint)
    running = _Running(session, said, name, tuple(there))
    return LoadedModel(running, name, source=running)


def called_plainly(outputs: Sequence[str]) -> dict[str, Any]:
    """Outputs by what their names say that they hold; of a part that several may be, none."""
    words = {"boxes": ("box",), "scores": ("score", "conf", "prob"), "labels": ("label", "class")}
    found = {part: [name for name in outputs if any(w in name.lower() for w in words[part])] for part in PARTS}
    return {part: names[0] for part, names in found.items() if len(names) == 1}


@dataclass(frozen=True, eq=False)
class _Running:
    session: Any
    said: Detector
    name: str
    outputs: tuple[str, ...]

    @property
    def outputs_taken(self) -> list[tuple[str, str]]:
        """Boxes, scores and labels, each with the output that holds them."""
        return [(part, name) for part in PARTS if (name := getattr(self.said, part)) is not None]

    def __call__(self, pictures: Any) -> list[dict[str, Any]]:
        return [self._one(np.asarray(picture)) for picture in pictures]

    def _one(self, picture: NDArray[Any]) -> dict[str, Any]:
        taken = self.session.get_inputs()[0]
        last = isinstance(taken.shape[-1], int) and taken.shape[-1] in (1, 3)
        shape = taken.shape[-3:-1] if last else taken.shape[-2:]
        high, wide = self.said.size or [
            s if isinstance(s, int) else p for s, p in zip(shape, picture.shape, strict=False)
        ]
        seen = self._prepared(picture, int(high), int(wide), TYPES[taken.type], last=last)
        given = self.session.run(list(self.outputs), {taken.name: seen[None] if len(taken.shape) == 4 else seen})
        named = dict(zip(self.outputs, given, strict=True))
        found = self._parts(named) if self.said.decode is None else dict(self.said.decode(named))
        return self._in_pixels(found, picture.shape, (int(high), int(wide)))

    def _prepared(self, picture: NDArray[Any], high: int, wide: int, kind: Any, *, last: bool) -> NDArray[Any]:
        from PIL import Image

        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
            text = (
                f"the detector takes pictures of height x width x 3, 8 bits; found {picture.shape} of {picture.dtype}."
            )
            raise DiagnosticsError.of("data-type", text, where=self.name)
        if picture.shape[:2] != (high, wide):
            picture = np.asarray(Image.fromarray(picture).resize((wide, high), Image.Resampling.BILINEAR))
        ordered = picture[:, :, ::-1] if self.said.colours == "BGR" else picture
        if np.issubdtype(kind, np.floating):
            ordered = (ordered - np.asarray(self.said.subtract, dtype=float)) / np.asarray(
                self.said.divide, dtype=float
            )
        return np.ascontiguousarray(ordered if last else ordered.transpose(2, 0, 1)).astype(kind)

    def _parts(self, named: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        boxes = np.asarray(named[str(self.said.boxes)], dtype=float).reshape(-1, 4)
        scores = np.asarray(named[str(self.said.scores)], dtype=float)
        scores = scores.reshape(len(boxes), -1)
        if self.said.labels is not None:
            labels = np.asarray(named[self.said.labels]).reshape(-1)
            return {"boxes": boxes, "scores": scores[:, 0], "labels": labels}
        return {"boxes": boxes, "scores": scores.max(axis=1), "labels": scores.argmax(axis=1)}

    def _in_pixels(self, found: dict[str, Any], shape: tuple[int, ...], seen: tuple[int, int]) -> dict[str, Any]:
        """Corners in pixels of the picture itself, cut at its edges, without doubles."""
        boxes = np.asarray(found["boxes"], dtype=float).reshape(-1, 4)
        scores = np.asarray(found["scores"], dtype=float).reshape(-1)
        labels = np.zeros(len(boxes), dtype=int) if found.get("labels") is None else np.asarray(found["labels"])
        if self.said.form != "corners":
            half = boxes[:, 2:] / 2 if self.said.form == "centre and size" else 0.0
            low = boxes[:, :2] - half
            boxes = np.column_stack([low, low + boxes[:, 2:]])
        across = np.array([shape[1], shape[0]] * 2, dtype=float)
        scale = across if self.said.unit == "share" else across / np.array([seen[1], seen[0]] * 2)
        boxes = np.clip(boxes * scale, 0, across)
        sound = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
        boxes, scores, labels = boxes[sound], scores[sound], labels[sound]
        if self.said.overlap is not None:
            kept = without_doubles(boxes, scores, labels, overlap=self.said.overlap)
            boxes, scores, labels = boxes[kept], scores[kept], labels[kept]
        return {"boxes": boxes, "scores": scores, "labels": labels}


def without_doubles(boxes: FloatArray, scores: FloatArray, labels: NDArray[Any], *, overlap: float) -> NDArray[np.intp]:
    """The boxes that stay where of those of a class that overlap only the surest counts (non-maximum suppression)."""
    order = np.argsort(-scores, kind="stable")
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept: list[int] = []
    while order.size:
        best, rest = order[0], order[1:]
        kept.append(int(best))
        low, high = np.maximum(boxes[best, :2], boxes[rest, :2]), np.minimum(boxes[best, 2:], boxes[rest, 2:])
        both = np.prod(np.maximum(high - low, 0), axis=1)
        union = areas[best] + areas[rest] - both
        order = rest[(labels[rest] != labels[best]) | (both <= overlap * union)]
    return np.array(kept, dtype=np.intp)


def _unusable(why: str, name: str, hint: str = "") -> DiagnosticsError:
    return DiagnosticsError.of(
        "model-unreadable", f"{name} cannot be used as a detector: {why}.", where=name, hint=hint
    )
