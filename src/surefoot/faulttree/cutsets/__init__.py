"""Minimal cut sets and prime implicants: counted always, enumerated lazily, what is left out bounded.

Works on the zero-suppressed diagrams of a compiled tree (Rauzy 1993; Coudert and Madre 1992), never on lists of all
sets. May import ``surefoot.core`` and ``surefoot.faulttree.logic``.
"""

from surefoot.faulttree.cutsets.approximations import Approximations, approximations
from surefoot.faulttree.cutsets.counting import count, count_by_order
from surefoot.faulttree.cutsets.minimal import CutSet, CutSets, cut_sets
from surefoot.faulttree.cutsets.primes import Implicant, Literal, PrimeImplicants, prime_implicants

__all__ = [
    "Approximations",
    "CutSet",
    "CutSets",
    "Implicant",
    "Literal",
    "PrimeImplicants",
    "approximations",
    "count",
    "count_by_order",
    "cut_sets",
    "prime_implicants",
]
