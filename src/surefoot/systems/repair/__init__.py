"""Repair: which module the error comes from, what mending it gives, and what redundancy would.

``localise`` puts clean or true outputs in the place of a module's own, and sees how much of the error goes with them;
``blame`` does so item by item; ``improvement`` compares a system before and after a module was mended, by training on
corrupted data (``corrupted_copies``) or by a filter before it (``filtered``); ``advise`` looks which configurations
fail on different inputs, and ``vote`` makes one answer of theirs. Section 5 of paper SYS (Wang et al. 2022) asks for
all three. May import ``core``, ``metrics``, ``systems.graph``, ``systems.data``, ``systems.records`` and
``systems.tables``.
"""

from surefoot.systems.repair.localisation import Localisation, blame, localise
from surefoot.systems.repair.redundancy import (
    Advice,
    Improvement,
    advise,
    corrupted_copies,
    filtered,
    improvement,
    vote,
)

__all__ = [
    "Advice",
    "Improvement",
    "Localisation",
    "advise",
    "blame",
    "corrupted_copies",
    "filtered",
    "improvement",
    "localise",
    "vote",
]
