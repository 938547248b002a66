"""All checks, in the order in which they run."""

from __future__ import annotations

from surefoot.case.checks import (
    arguments,
    assumptions,
    development,
    dialectic,
    evidence,
    legs,
    limits,
    modules,
    patterns,
    references,
    relations,
    targets,
    texts,
    verdicts,
)
from surefoot.case.checks.rule import Rule

RULES: tuple[Rule, ...] = (
    *references.RULES,
    *relations.RULES,
    *development.RULES,
    *texts.RULES,
    *dialectic.RULES,
    *modules.RULES,
    *patterns.RULES,
    *arguments.RULES,
    *legs.RULES,
    *limits.RULES,
    *targets.RULES,
    *evidence.RULES,
    *verdicts.RULES,
    *assumptions.RULES,
)
CODES: tuple[str, ...] = tuple(dict.fromkeys(code for rule in RULES for code in rule.codes))
