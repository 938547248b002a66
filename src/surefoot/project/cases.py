"""The assurance case of an assessment: templates filled with what was found, the user's own part, and operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from surefoot.adapters.files import locate_file
from surefoot.case import Case, Feedback, Goal, Ingredients, Node, Stated, instantiate
from surefoot.case.change.origin import CASE_FILE
from surefoot.case.formats import case_to_dict
from surefoot.case.templates.names import goal_id
from surefoot.core import Diagnostic, DiagnosticsError, Evidence, Table, digest
from surefoot.documents import did_you_mean
from surefoot.opinions import judgement
from surefoot.project.answer import Answer
from surefoot.project.definition import AcceptedSource, Definition
from surefoot.project.project import Project


def case_of(
    project: Project, answers: Sequence[Answer], evidence: Mapping[str, Evidence], digests: Mapping[str, str]
) -> Case:
    """The case that the answers make, with all that the project adds to it."""
    definition = project.definition
    ingredients = Ingredients(
        system=definition.system.name,
        hazard=definition.system.hazard,
        claim=definition.case.claim,
        context=tuple(definition.case.context),
        goals=tuple(map(goal, answers)),
        evidence=evidence,
        components={name: component.description for name, component in definition.components.items()},
        conditions={condition.id: condition.text for condition in definition.conditions.assumptions},
        digests=digests,
        feedback=feedback_of(definition),
        functions={name: tuple(functions) for name, functions in definition.case.functions.items()},
        speaks_of=definition.case.speaks_of,
        derivations={answer.name: said for answer in answers if (said := _derived(answer))},
    )
    case = instantiate(ingredients, frame=definition.case.frame, own=own_part(project))
    return _accepting(case, definition.case.accepted, project)


def goal(answer: Answer) -> Goal:
    """The answer as a goal of the case."""
    return Goal(
        answer.name,
        answer.claim,
        answer.verdict,
        answer.estimate,
        answer.reference,
        alone=answer.alone,
        strict_level=None if answer.corrected is None else answer.corrected_level,
    )


def own_part(project: Project) -> Case | None:
    """What the user wrote of the case."""
    name = project.definition.case.file
    return None if name is None else Case.read(locate_file(name, project.folder, what="case"))


def case_digests(project: Project) -> dict[str, str]:
    """The digest of the user's own part, where there is one, with the modules it takes from other files."""
    own = own_part(project)
    return {} if own is None else {CASE_FILE: digest(case_to_dict(own))}


def feedback_of(definition: Definition) -> tuple[Feedback, ...]:
    """Operation since the assessment, as far as the project tells."""
    return tuple(
        Feedback(**{**source.model_dump(), "claim": goal_id(source.claim)}) for source in definition.case.feedback
    )


def _derived(answer: Answer) -> Table | str:
    """How the limit follows from a principle, step by step, or where it was stated."""
    return answer.target.source if answer.derivation is None else answer.derivation


def _accepting(case: Case, accepted: Mapping[str, AcceptedSource], project: Project) -> Case:
    """Side-claims whose assumption somebody answers for say so."""
    by_assumption: dict[str, list[Node]] = {}
    for node in case:
        if node.assumption:
            by_assumption.setdefault(node.assumption.partition("[")[0], []).append(node)
    DiagnosticsError.raise_if_any(
        Diagnostic(
            "unknown-reference",
            f"no result rests on an assumption {name!r}.",
            "error",
            project.where("case", "accepted", name),
            did_you_mean(name, sorted(by_assumption)) or f"Known: {', '.join(sorted(by_assumption))}.",
        )
        for name in accepted
        if name not in by_assumption
    )
    return case.with_nodes(
        replace(node, stated=_stated(source)) for name, source in accepted.items() for node in by_assumption[name]
    )


def _stated(source: AcceptedSource) -> Stated:
    return Stated(judgement(source.likelihood, source.confidence), by=source.by, why=source.why)
