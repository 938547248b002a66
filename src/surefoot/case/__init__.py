"""Assurance cases: claims, arguments and evidence that stay true.

One model for CAE (paper RAM, section 2.1) and GSN (Community Standard, version 3): ``node``, ``number`` and ``case``
hold it, ``formats`` its files, ``checks`` what is wrong with it, ``templates`` fill it with what a project measured,
``confidence`` says how far each claim can be trusted (paper SL), ``change`` compares and seals cases, ``drawings`` and
``rendering`` show them. May import ``core``, ``drawing`` and the domain packages below; nothing of ``project`` or
above.
"""

from surefoot.case.case import Case, Module
from surefoot.case.confidence import Feedback
from surefoot.case.evaluation import Assessed, Evaluation, Lever, Methods
from surefoot.case.filtering import tagged
from surefoot.case.goal import Goal
from surefoot.case.node import Choice, Node
from surefoot.case.number import Number, Stated
from surefoot.case.policy import Policy
from surefoot.case.templates import Ingredients, instantiate, pattern

__all__ = [
    "Assessed",
    "Case",
    "Choice",
    "Evaluation",
    "Feedback",
    "Goal",
    "Ingredients",
    "Lever",
    "Methods",
    "Module",
    "Node",
    "Number",
    "Policy",
    "Stated",
    "instantiate",
    "pattern",
    "tagged",
]
