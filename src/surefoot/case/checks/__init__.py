"""Checks of an assurance case: structure, words, modules, patterns, numbers, and what was measured.

Each file holds the checks of one theme, which ``case_check`` registers; ``context`` holds the indexes they share. They
cover what gsn2x and verocase check, the rules of the GSN Community Standard (version 3) and of CAE blocks, and add
numbers, exposures, targets and evidence (``docs/case-checks.md``). May import the model of ``surefoot.case``, and
``surefoot.core``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.case.checks.context import Check, Context, Rule, case_check
from surefoot.case.evaluation import Measured, Measurements
from surefoot.case.model import Case
from surefoot.core import Diagnostic, Target
from surefoot.core.diagnostics import WORST_FIRST

__all__ = ["CODES", "RULES", "Check", "Context", "Rule", "case_check", "check"]

RULES: tuple[Rule, ...] = tuple(Rule.of(entry) for entry in case_check.own.values())
"""Our own checks, in the order in which they run."""
CODES: tuple[str, ...] = tuple(dict.fromkeys(code for rule in RULES for code in rule.codes))


def check(
    case: Case,
    evidence: Measurements | None = None,
    *,
    targets: Mapping[str, Target] | None = None,
    unattached: Sequence[str] = (),
) -> list[Diagnostic]:
    """Everything that is wrong or doubtful with a case, worst first, then in the order the nodes were written.

    ``evidence`` is what was measured; None says nothing about it, and then nothing that needs it is checked.
    ``targets`` are what the system is asked for, by name, ``unattached`` fragments that were offered and are not used.

    >>> from surefoot.case.model import Node
    >>> case = Case.of([Node("G1", "claim", "It is safe", supported_by=("G2",))], notation="gsn")
    >>> [(each.severity, each.code, each.where) for each in check(case)]
    [('error', 'case-unknown-node', 'G1')]
    """
    context = Context(case, Measured(evidence), dict(targets or {}), tuple(unattached))
    rules = [rule for rule in _rules() if evidence is not None or not rule.needs_evidence]
    found = [finding for rule in rules for finding in rule.check(context)]
    written = {context.place(node): position for position, node in enumerate(case)}
    return sorted(found, key=lambda each: (WORST_FIRST.index(each.severity), written.get(each.where, -1)))


def _rules() -> tuple[Rule, ...]:
    """Our own checks, then those that others registered."""
    others = [entry for name, entry in case_check.entries().items() if name not in case_check.own]
    return (*RULES, *map(Rule.of, (*others, *case_check.here.values())))
