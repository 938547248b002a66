"""Metrics that libraries of their fields count: texts by sacrebleu and jiwer, trackers by trackeval.

BLEU goes by counts of n-grams; word and character error rates by the edits that turn the output into the truth, over
the length of the truth. An item of a tracker is a sequence, in the form that ``surefoot.metrics.tracks`` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.errors import require
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks.metric import Metric, check_items, metric, ratio
from surefoot.metrics.tracks import Indices, Tracks, as_tracks, frames_of, paired_overlaps

Smoothing = Literal["exp", "floor", "add-k", "none"]
Unit = Literal["words", "characters"]
ORDERS = 4
FLOOR, ADDED = 0.1, 1.0
BLEU_COLUMNS = (
    "output length",
    "truth length",
    *(f"{n}-grams found" for n in range(1, ORDERS + 1)),
    *(f"{n}-grams" for n in range(1, ORDERS + 1)),
)
CLEAR_FIELDS = ("CLR_FN", "CLR_FP", "IDSW")
IDENTITY_FIELDS = ("IDTP", "IDFN", "IDFP")
ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""The least overlaps over which HOTA is a mean."""


@metric
def bleu(*, lower_case: bool = False, smoothing: Smoothing = "exp") -> Metric:
    """BLEU in [0, 1] (Papineni et al. 2002): corpus BLEU / 100 as sacrebleu has it by default (Post 2018).

    Tokens are those of mteval-v13a; ``smoothing`` is one of Chen and Cherry (2014) with the constants of sacrebleu.
    The error of an item is 1 - its sentence BLEU, which leaves out orders longer than the output; two empty texts have
    none. Needs the extra ``text``.
    """
    validate.choice(smoothing, ("exp", "floor", "add-k", "none"), where="bleu", name="smoothing")
    return Metric(
        name="bleu",
        better="higher",
        statistics=partial(_bleu_statistics, lower_case=lower_case),
        value=partial(_bleu, smoothing=smoothing, effective=False),
        error=partial(_bleu_error, smoothing=smoothing),
        columns=BLEU_COLUMNS,
        meaning=f"BLEU; case {'does not count' if lower_case else 'counts'}, smoothing {smoothing}",
        empty="",
    )


def _bleu_statistics(outputs: Any, truths: Any, *, lower_case: bool) -> FloatArray:
    check_texts(outputs, truths, where="bleu")
    metric = require("sacrebleu", extra="text", purpose="the metric 'bleu'").BLEU(
        lowercase=lower_case, effective_order=True, force=True
    )
    scores = [metric.sentence_score(output, [truth]) for output, truth in zip(outputs, truths, strict=True)]
    return np.array([[one.sys_len, one.ref_len, *one.counts, *one.totals] for one in scores], dtype=np.float64)


def _bleu_error(statistics: FloatArray, *, smoothing: Smoothing) -> FloatArray:
    score = _bleu(statistics, smoothing=smoothing, effective=True)
    return np.where(np.isnan(score), 0.0, np.clip(1 - score, 0.0, 1.0))


def _bleu(sums: FloatArray, *, smoothing: Smoothing, effective: bool) -> FloatArray:
    """Brevity penalty times the geometric mean of the precisions; NaN where both sides are empty."""
    length, wanted = sums[..., 0], sums[..., 1]
    correct, total = sums[..., 2 : 2 + ORDERS], sums[..., 2 + ORDERS :]
    logs, reached = _log_precisions(correct, total, smoothing)
    order = np.maximum(reached.sum(axis=-1), 1) if effective else ORDERS
    counted = np.where(reached, logs, 0.0 if effective else -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.where(length < wanted, 1 - wanted / length, 0.0)
    score = np.exp(brevity + counted.sum(axis=-1) / order)
    score = np.where(correct.any(axis=-1), score, 0.0)
    return np.where(length + wanted > 0, score, np.nan)


def _log_precisions(
    correct: FloatArray, total: FloatArray, smoothing: Smoothing
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Logarithms of the smoothed precisions, and which orders occur in the output at all."""
    if smoothing == "add-k":
        added = ADDED * (np.arange(ORDERS) > 0)
        correct, total = correct + added, total + added
    reached = np.logical_and.accumulate(total > 0, axis=-1)
    none_found = reached & (correct == 0)
    if smoothing == "exp":
        correct = np.where(none_found, 0.5 ** np.cumsum(none_found, axis=-1), correct)
    elif smoothing == "floor":
        correct = np.where(none_found, FLOOR, correct)
    with np.errstate(divide="ignore"):
        return np.log(np.divide(correct, total, out=np.zeros_like(total), where=reached)), reached


@metric
def wer(*, lower_case: bool = False, drop_punctuation: bool = False) -> Metric:
    """Word error rate (SYS Eqn. (3)): substitutions, deletions and insertions over the words of the truth.

    Words are what white space separates. By default, case and punctuation count. ``drop_punctuation`` removes the
    characters, so that "twenty-one" becomes "twentyone". An item without words in its truth adds its insertions; its
    own error is their number, as jiwer has it. Needs the extra ``text``.
    """
    return _edit_rate("wer", "words", "word error rate", lower_case, drop_punctuation)


@metric
def cer(*, lower_case: bool = False, drop_punctuation: bool = False) -> Metric:
    """Character error rate: as ``wer`` by characters; a run of white space is one character, and counts."""
    return _edit_rate("cer", "characters", "character error rate", lower_case, drop_punctuation)


def check_texts(outputs: Any, truths: Any, *, where: str) -> None:
    """As many texts as truths, at least one."""
    check_items(outputs, truths, where=where)
    for name, texts in (("outputs", outputs), ("truths", truths)):
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                found = f"{text!r:.40} at index {index}"
                remedy = "Give '' for no answer." if name == "outputs" else "Leave out items without a truth."
                raise InvalidInput(f"{name} must be text", where=where, found=found, remedy=remedy)


def _edit_rate(name: str, unit: Unit, words: str, lower_case: bool, drop_punctuation: bool) -> Metric:
    case, marks = "does not count" if lower_case else "counts", "is dropped" if drop_punctuation else "counts"
    return Metric(
        name=name,
        better="lower",
        statistics=partial(
            _edit_statistics, unit=unit, lower_case=lower_case, drop_punctuation=drop_punctuation, where=name
        ),
        value=_rate,
        error=_errors_of_one,
        columns=("substitutions", "deletions", "insertions", unit),
        meaning=f"{words}; case {case}, punctuation {marks}",
        empty="",
    )


def _rate(sums: FloatArray) -> FloatArray:
    """Errors of three kinds over what there is to find."""
    return ratio(sums[..., :3].sum(axis=-1), sums[..., 3])


def _errors_of_one(statistics: FloatArray) -> FloatArray:
    """The same of each item; where there is nothing to find, the number of its errors."""
    return statistics[..., :3].sum(axis=-1) / np.maximum(statistics[..., 3], 1.0)


def _edit_statistics(
    outputs: Any, truths: Any, *, unit: Unit, lower_case: bool, drop_punctuation: bool, where: str
) -> FloatArray:
    check_texts(outputs, truths, where=where)
    jiwer = require("jiwer", extra="text", purpose=f"the metric {where!r}")
    steps = [jiwer.ToLowerCase()] * lower_case + [jiwer.RemovePunctuation()] * drop_punctuation
    found, real = ([_plain(text, steps) for text in texts] for texts in (outputs, truths))
    process = jiwer.process_words if unit == "words" else jiwer.process_characters
    aligned = process(real, found)
    rows = map(_counts, aligned.alignments, aligned.references)
    return np.array(list(rows), dtype=np.float64)


def _plain(text: str, steps: Sequence[Any]) -> str:
    for step in steps:
        text = step(text)
    return " ".join(text.split())


def _counts(chunks: Sequence[Any], reference: Sequence[str]) -> list[int]:
    counts = {"substitute": 0, "delete": 0, "insert": 0, "equal": 0}
    for chunk in chunks:
        counts[chunk.type] += max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
    return [counts["substitute"], counts["delete"], counts["insert"], len(reference)]


@metric
def mota(*, iou: float = 0.5) -> Metric:
    """Multiple object tracking accuracy (SYS Eqn. (2); Bernardin and Stiefelhagen 2008); it has no lower limit.

    The error of a sequence is 1 - its MOTA; without true boxes, the number of its false alarms. Needs the extra
    ``tracking``, as do the others.
    """
    return Metric(
        name="mota",
        better="higher",
        statistics=partial(_tracking_statistics, rows=partial(_clear, iou=_limit(iou, "mota")), where="mota"),
        value=_mota,
        error=_errors_of_one,
        columns=("misses", "false alarms", "switches", "true boxes"),
        meaning=f"multiple object tracking accuracy at IoU {iou:g}",
        empty=(),
    )


@metric
def idf1(*, iou: float = 0.5) -> Metric:
    """F1 score of identities (Ristani et al. 2016). The error of a sequence is 1 - its IDF1; 0 without boxes."""
    return Metric(
        name="idf1",
        better="higher",
        statistics=partial(_tracking_statistics, rows=partial(_identity, iou=_limit(iou, "idf1")), where="idf1"),
        value=_idf1,
        error=partial(_missing, value=_idf1),
        columns=("found identities", "missed identities", "false identities"),
        meaning=f"F1 score of identities at IoU {iou:g}",
        empty=(),
    )


@metric
def hota() -> Metric:
    """Higher order tracking accuracy, mean over 19 least overlaps (Luiten et al. 2021). Error: as of ``idf1``."""
    return Metric(
        name="hota",
        better="higher",
        statistics=partial(_tracking_statistics, rows=_hota_counts, where="hota"),
        value=_hota,
        error=partial(_missing, value=_hota),
        columns=tuple(
            f"{name} at {alpha:g}"
            for name in ("hits", "misses", "false alarms", "hits x association")
            for alpha in ALPHAS
        ),
        meaning="higher order tracking accuracy",
        empty=(),
    )


def _limit(iou: float, where: str) -> float:
    if validate.probability(iou, where=where, name="iou") == 0:
        raise InvalidInput("iou must be above 0", where=where, remedy="Boxes that do not overlap are never a pair.")
    return iou


def _tracking_statistics(
    outputs: Any, truths: Any, *, rows: Callable[[Any], Callable[[Any], Any]], where: str
) -> FloatArray:
    check_items(outputs, truths, where=where)
    row = rows(require("trackeval", extra="tracking", purpose=f"the metric {where!r}").metrics)
    pairs = enumerate(zip(outputs, truths, strict=True))
    return np.array([row(_sequence(output, truth, index, where)) for index, (output, truth) in pairs], dtype=float)


def _sequence(output: Any, truth: Any, index: int, where: str) -> dict[str, Any]:
    """A sequence in the form of trackeval."""
    found = as_tracks(output, where=where, name=f"output {index}")
    real = as_tracks(truth, where=where, name=f"truth {index}")
    frames = frames_of(real, found)
    rows, columns = frames.sizes
    overlap = np.concatenate([paired_overlaps(real.corners[i], found.corners[j]) for _, i, j in frames.pairs()])
    shapes = zip(_split(overlap, rows * columns), rows, columns, strict=True)
    return {
        "num_timesteps": len(rows),
        "similarity_scores": [part.reshape(height, width) for part, height, width in shapes],
        **_side("gt", real, rows),
        **_side("tracker", found, columns),
    }


def _side(name: str, tracks: Tracks, sizes: Indices) -> dict[str, Any]:
    return {
        f"num_{name}_dets": len(tracks.tracks),
        f"num_{name}_ids": tracks.count,
        f"{name}_ids": _split(tracks.tracks, sizes),
    }


def _split(values: NDArray[Any], sizes: Indices) -> list[NDArray[Any]]:
    """Parts of these sizes, one after the other."""
    return np.split(values, np.cumsum(sizes))[:-1]


def _clear(metrics: Any, *, iou: float) -> Callable[[Any], list[float]]:
    evaluator = metrics.CLEAR({"THRESHOLD": iou, "PRINT_CONFIG": False})
    return lambda data: [*_fields(evaluator.eval_sequence(data), CLEAR_FIELDS), data["num_gt_dets"]]


def _identity(metrics: Any, *, iou: float) -> Callable[[Any], list[float]]:
    evaluator = metrics.Identity({"THRESHOLD": iou, "PRINT_CONFIG": False})
    return lambda data: _fields(evaluator.eval_sequence(data), IDENTITY_FIELDS)


def _hota_counts(metrics: Any) -> Callable[[Any], FloatArray]:
    evaluator = metrics.HOTA()

    def row(data: Any) -> FloatArray:
        found = evaluator.eval_sequence(data)
        hits = found["HOTA_TP"]
        return np.concatenate([hits, found["HOTA_FN"], found["HOTA_FP"], hits * found["AssA"]])

    return row


def _fields(found: Mapping[str, float], names: tuple[str, ...]) -> list[float]:
    return [found[name] for name in names]


def _mota(sums: FloatArray) -> FloatArray:
    return 1 - _rate(sums)


def _idf1(sums: FloatArray) -> FloatArray:
    return ratio(2 * sums[..., 0], 2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def _hota(sums: FloatArray) -> FloatArray:
    hits, misses, false_alarms, associated = np.moveaxis(sums.reshape(*sums.shape[:-1], 4, len(ALPHAS)), -2, 0)
    detection = ratio(hits, hits + misses + false_alarms)
    return np.sqrt(detection * associated / np.maximum(hits, 1.0)).mean(axis=-1)


def _missing(statistics: FloatArray, *, value: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """1 - the value of each item; 0 where there is nothing to find and nothing was found."""
    return 1 - np.nan_to_num(value(statistics), nan=1.0)
