"""Evaluations made by hand, for what is to be looked at."""

from surefoot.case import Assessed, Evaluation
from surefoot.opinions import Opinion

STANDINGS = ("supported", "not shown", "contradicted")


def judged(case, why="for a reason"):
    """Standings in turn: supported, not shown, contradicted."""
    opinion = Opinion(0.7, 0.1, 0.2)
    nodes = {node.id: Assessed(STANDINGS[place % 3], opinion, why) for place, node in enumerate(case)}
    return Evaluation(case, nodes)
