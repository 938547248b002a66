"""``errors``: an alarm should say when the model is wrong (MON, use case 1, evaluation 1)."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from surefoot.monitors.returns.answers import answers_and_truths
from surefoot.monitors.returns.rows import Rows
from surefoot.monitors.returns.stakes import Stakes, return_function
from surefoot.monitors.returns.threats import threats


@return_function(of="answers")
def errors(predictions: ArrayLike, truths: ArrayLike, **rows: Unpack[Rows]) -> Stakes:
    """What is at stake where every wrong answer is a hazard, unless an alarm stops it (MON, Eqns. 10 and 11).

    An alarm on a right answer costs the mission. Divided by the share of wrong answers, safety gain is the recall of
    the alarm and residual hazard its miss rate; divided by the share of right ones, availability cost is its false
    positive rate.
    """
    answered, true = answers_and_truths(predictions, truths)
    words: Rows = {"name": "errors", **rows}
    return threats(answered != true, **words)
