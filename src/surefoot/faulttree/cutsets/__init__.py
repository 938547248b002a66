"""Minimal cut sets and prime implicants: counted always, enumerated lazily, what is left out bounded.

Works on the zero-suppressed diagrams of a compiled tree (Rauzy 1993; Coudert and Madre 1992), never on lists of all
sets. May import ``surefoot.core`` and ``surefoot.faulttree.logic``.
"""

from surefoot.faulttree.cutsets.minimal_cut_sets import Approximations, CutSet, CutSets, approximations, cut_sets
from surefoot.faulttree.cutsets.primes import Implicant, Literal, PrimeImplicants, prime_implicants
from surefoot.faulttree.cutsets.set_families import count, count_by_order

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
