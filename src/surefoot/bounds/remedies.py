"""The way out for each assumption that data can contradict."""

from __future__ import annotations

from surefoot.core import Assumption

COPIES = "Remove the copies, or name what rows share as groups."
GROUPS = (
    "Bound the risk of a row by groups: use with max_group_size, "
    "or take a group for one trial by groups: trial (step binomial_bound)."
)
BURSTS = (
    "Say rows: sequence of the data set, with block: for how many rows a burst can last, so that binomial_bound and "
    "loss_bound allow for it, or name what rows share as groups."
)
SEQUENCE = "Bound the failures of a sequence by binomial_bound or loss_bound, which allow for bursts."
LONGER_BLOCKS = "State a longer block: bursts last longer than this one."
OUTSIDE = "Remove or justify the rows outside, or widen the condition and its argument."
OTHERWISE = "Change the data, or use a bound that does not need it."
BY_ID = {
    "estimates-agree": "Find out which of the estimates rests on something that does not hold.",
    "uniform-inside": "Sign the tests that were counted: balls do not speak of these inputs.",
    "single-label-balls": "Use a radius below half the smallest distance between inputs of different classes.",
    "frame-represents-operation": (
        "Take the rows from operation, or weigh them by how often their like comes there (weights: ratio)."
    ),
    "distant-rows-independent": LONGER_BLOCKS,
    "normal-mean": "Look into more balls, or use equal weights, whose limit does not need it.",
    "normal-margins": "Use a bound that does not need it: clopper_pearson (step binomial_bound).",
    "identical-distribution": (
        "Find out what changed, test its sides as data sets of their own (or by: an attribute in binomial_bound), or "
        "sample anew by the operational profile. Shuffling the rows is no remedy."
    ),
}


def remedy(assumption: Assumption) -> str:
    """What to do when the data contradict an assumption, by what its check found."""
    figures = assumption.check.figures if assumption.check else {}
    if assumption.id in BY_ID:
        return BY_ID[assumption.id]
    if any(str(name).startswith("outside ") for name in figures):
        return OUTSIDE
    if "sequence" in figures:
        return SEQUENCE
    if "inflation" in figures:
        return BURSTS
    return GROUPS if "groups" in figures else COPIES if "copies" in figures else OTHERWISE
