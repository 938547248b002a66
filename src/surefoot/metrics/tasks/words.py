"""Errors of text: the edits that turn the output into the truth, over the length of the truth, by jiwer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from surefoot.core import InvalidInput
from surefoot.core.extras import require
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks.base import Metric, check_items, metric, ratio

Unit = Literal["words", "characters"]


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
            _statistics, unit=unit, lower_case=lower_case, drop_punctuation=drop_punctuation, where=name
        ),
        value=_rate,
        error=_rate_of_one,
        columns=("substitutions", "deletions", "insertions", unit),
        meaning=f"{words}; case {case}, punctuation {marks}",
        empty="",
    )


def _rate(sums: FloatArray) -> FloatArray:
    return ratio(sums[..., :3].sum(axis=-1), sums[..., 3])


def _rate_of_one(statistics: FloatArray) -> FloatArray:
    return statistics[..., :3].sum(axis=-1) / np.maximum(statistics[..., 3], 1.0)


def _statistics(
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
