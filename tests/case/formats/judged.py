"""Evaluations made by hand, for what is to be looked at."""

from surefoot.case import Assessed, Evaluation

STANDINGS = ("supported", "not shown", "contradicted")


def judged(case, why="for a reason"):
    """Standings in turn: supported, not shown, contradicted."""
    nodes = {node.id: Assessed(STANDINGS[place % 3], why) for place, node in enumerate(case)}
    return Evaluation(case, nodes)
