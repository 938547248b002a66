"""From evidence to a result: answers to the targets, the case, and estimates that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import combinations
from typing import NamedTuple, Self

from surefoot.adapters.project_code import locate_file
from surefoot.bounds import fresh_tests, needed
from surefoot.case import Case, Feedback, Goal, Ingredients, Node, Stated, instantiate
from surefoot.case.change.causes import CASE_FILE
from surefoot.case.formats import Reading, case_to_dict, read_noted
from surefoot.case.templates.builder import goal_id
from surefoot.core import (
    Assumption,
    Check,
    Diagnostic,
    DiagnosticsError,
    Estimate,
    Evidence,
    InvalidInput,
    LevelUnavailable,
    Table,
    Target,
    Verdict,
    digest,
    validate,
)
from surefoot.core.bound import WITHOUT_LEVEL, Side
from surefoot.documents import did_you_mean
from surefoot.opinions import judgement
from surefoot.project.components import Components
from surefoot.project.definition import DOCUMENT, TOP_EVENT, AcceptedSource, Definition, TargetSource
from surefoot.project.history import WITHHELD, shown
from surefoot.project.inputs import file_digests
from surefoot.project.looks import Ledger, Place, with_caveat
from surefoot.project.plan import Task, library_versions, quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.result import DISAGREE, Answer, Result


def assemble(
    project: Project,
    tasks: Sequence[Task],
    evidence: Mapping[str, Evidence],
    *,
    keys: Mapping[str, str],
    components: Components,
    ledger: Ledger,
    places: Mapping[str, Place],
) -> Result:
    """The result of a finished plan; of adaptive test data it holds the verdicts only."""
    definition = project.definition
    against = contradictions(evidence)
    evidence = marked(evidence, against)
    if ledger.adaptive:
        evidence = shown(evidence, ledger.resting, definition.all_targets, places)
    found = answers(project, evidence, places, ledger.earlier())
    kept = {task.name: evidence[task.name] for task in tasks}
    looks = ledger.counts()
    digests = _digests(tasks, components, project) | case_digests(project)
    result = Result(
        definition=definition.model_dump(mode="json", exclude_defaults=True, exclude={DOCUMENT}),
        evidence=kept,
        answers=found,
        case=case_of(project, found, kept, digests),
        keys=keys,
        digests=digests,
        versions=_versions(tasks, components),
        looks=looks,
        caveats=(*components.store.warnings, *(each.finding for each in against)),
        feedback=feedback_of(definition),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        document=definition.document,
    )
    return result.evaluated().advised()


def _digests(tasks: Sequence[Task], components: Components, project: Project) -> dict[str, str]:
    found: dict[str, str] = {}
    for task in tasks:
        files = file_digests(task.files, project.folder)
        found |= {f"evidence.{task.name}.{parameter}": digest for parameter, digest in files.items()}
        if task.component and task.data:
            digests = components.digests(task.component, task.data)
            found[f"{task.component}.{task.data}"] = digests["data"]
            if "model" in digests:
                found[f"{task.component}.model"] = digests["model"]
            found |= {
                f"{task.component}.{data}": components.data_digest(task.component, data) for data in task.named.values()
            }
    return found


def _versions(tasks: Sequence[Task], components: Components) -> dict[str, str]:
    found = dict(library_versions())
    for task in tasks:
        identity = components.identity(task.component, task.data) if task.component and task.data else None
        found |= dict(identity.versions) if identity else {}
        for distribution in (task.step.distribution, *(entry.distribution for _, entry in task.named_entries)):
            name, _, number = distribution.rpartition(" ")
            found |= {name: number} if name else {}
    return found


# An answer for each target: verdict, margin, and what would be needed where it is not met.


def answers(
    project: Project, evidence: Mapping[str, Evidence], places: Mapping[str, Place], earlier: Mapping[str, str]
) -> tuple[Answer, ...]:
    """Answers in the order of the file.

    ``places`` holds the place of each target among the looks at the test data it rests on; ``earlier`` what earlier
    looks asked of the same number.
    """
    check_references(project, evidence)
    return tuple(
        _answer(name, source, project, evidence, places.get(name), earlier.get(name, ""))
        for name, source in project.definition.all_targets.items()
    )


def check_references(project: Project, evidence: Mapping[str, Evidence]) -> None:
    """Every target names one estimate that is there, and asks for it in its unit."""
    problems = []
    for name, source in project.definition.all_targets.items():
        place = project.definition.place_of_target(name)
        try:
            found, asked = _named(source, evidence).unit, source.target.counted
        except InvalidInput as error:
            where = project.where(*place, "estimate")
            problems.append(Diagnostic("unknown-reference", f"{source.estimate!r}: {error}", "error", where))
            continue
        if found != asked:
            text = f"target {name!r} is {asked}, and {source.estimate!r} is {found}."
            key, _, unit = found.rpartition("per ") if found.startswith("per ") else ("unit", "", found)
            hint = f"Write {key or 'per'}: {unit}, and state the limit in that unit."
            problems.append(Diagnostic("wrong-value", text, "error", project.where(*place), hint))
    DiagnosticsError.raise_if_any(problems)


def _named(source: TargetSource, evidence: Mapping[str, Evidence]) -> Estimate:
    return evidence[step_of(source.estimate)][quantity_of(source.estimate)]


def _answer(
    name: str,
    source: TargetSource,
    project: Project,
    evidence: Mapping[str, Evidence],
    place: Place | None,
    previous: str,
) -> Answer:
    measured = _named(source, evidence)
    target, derivation = source.target, source.derivation
    judged = _Judgement.of(measured, target, place)
    wanting = tuple(wanting_answers(measured, project, evidence)) if judged.numbers_suffice else ()
    return Answer(
        name=name,
        claim=source.claim or _claim(measured, target),
        reference=source.estimate,
        target=target,
        estimate=judged.estimate,
        verdict=judged.verdict,
        margin=_margin(judged.verdict),
        needed=(*wanting, *judged.needed),
        new_tests=judged.new_tests,
        looks=place.number if place else 1,
        corrected_level=judged.level,
        corrected=judged.corrected,
        derivation=None if derivation is None else derivation.table(),
        previous=previous,
    )


@dataclass(frozen=True)
class _Judgement:
    """A target judged at its own level, and at that of its look."""

    estimate: Estimate
    verdict: Verdict
    level: float | None = None
    corrected: Verdict | None = None

    @classmethod
    def of(cls, measured: Estimate, target: Target, place: Place | None) -> Self:
        verdict = measured.meets(target)
        if place is None:
            return cls(measured, verdict)
        if place.met is not None:
            return cls(measured, verdict, place.level(target))
        kind = verdict.bound.kind if verdict.bound else None
        estimate = with_caveat(measured, place, target, kind)
        if kind in WITHOUT_LEVEL:
            return cls(estimate, estimate.meets(target))
        level = place.level(target)
        return cls(estimate, estimate.meets(target), level, estimate.meets(replace(target, level=level)))

    @property
    def numbers_suffice(self) -> bool:
        """Whether nothing keeps the target from being met but that nobody answers for what is stated."""
        deciding = self.verdict if self.corrected is None else self.corrected
        return not deciding and bool(self.estimate.as_if_answered.meets(deciding.target))

    @property
    def needed(self) -> tuple[str, ...]:
        """What would be needed for the target to count as met; nothing that numbers would tell where none are shown."""
        deciding = self.verdict if self.corrected is None else self.corrected
        if deciding or WITHHELD in self.estimate.details:
            return ()
        if "requirements" in self.estimate.details and not self.verdict and self.level is not None:
            more = f"This is what level {self.verdict.target.level:g} needs; the look is judged at {self.level:g}."
            return (*needed(self.estimate, self.verdict.target), more)
        return needed(self.estimate, deciding.target)

    @property
    def new_tests(self) -> Table | None:
        """The same as a table of new tests, where tests of its own show it."""
        deciding = self.verdict if self.corrected is None else self.corrected
        return None if deciding or WITHHELD in self.estimate.details else fresh_tests(self.estimate, deciding.target)


ANSWER_LINE = "answered_by: {name: A. Berg, date: 2026-05-01, reason: why they may be taken for true}"


def wanting_answers(estimate: Estimate, project: Project, evidence: Mapping[str, Evidence]) -> Iterator[str]:
    """For each stated value that nobody answers for, the line to write and where."""
    for assumption in estimate.unanswered:
        step = _stating(assumption, evidence)
        keys = project.definition.place_of_step(step) if step else ()
        place = f"under {': '.join(keys)}" if keys else "in the step that states it"
        what = assumption.scope or assumption.id
        yield f"Nobody answers for what is stated ({what}). Measure it, or write {place}: {ANSWER_LINE}."


def _stating(assumption: Assumption, evidence: Mapping[str, Evidence]) -> str:
    """The step whose own value it is: it goes into no other one that carries it too."""
    users = {
        name: item for name, item in evidence.items() if any(assumption in each.assumptions for each in item.estimates)
    }
    keys = {item.provenance.key for item in users.values()}
    return next((name for name, item in users.items() if keys.isdisjoint(item.provenance.inputs)), "")


def _claim(estimate: Estimate, target: Target) -> str:
    scope = f" of {estimate.scope}" if estimate.scope else ""
    name = f"{estimate.quantity}{scope}"
    limit = f"{target.limit:g}" if target.uncertainty is None else f"{target.limit:.4g}"
    return f"{name[:1].upper()}{name[1:]} is {target.relation} {limit} {target.counted}."


def _margin(verdict: Verdict) -> float | None:
    """How many times better the bound is than what it was compared with; None where there is no such number."""
    if verdict.bound is None:
        return None
    limit, bound = verdict.limit, verdict.bound.limit
    good, bad = (limit, bound) if verdict.target.relation == "at most" else (bound, limit)
    return good / bad if bad > 0 and math.isfinite(good) and math.isfinite(bad) else None


# The assurance case of an assessment: templates filled with what was found, the user's own part, and operation.


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
        standards=tuple(definition.case.standards),
        derivations={answer.name: said for answer in answers if (said := _derived(answer))},
    )
    read = _own_reading(project)
    own, places = (None, None) if read is None else (read.case, read.attached)
    case = instantiate(ingredients, frame=definition.case.frame, own=own, places=places)
    return _accepting(case, evidence, definition.case.accepted, project)


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
    read = _own_reading(project)
    return None if read is None else read.case


def _own_reading(project: Project) -> Reading | None:
    name = project.definition.case.file
    return None if name is None else read_noted(locate_file(name, project.folder, what="case"))


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


def _accepting(
    case: Case, evidence: Mapping[str, Evidence], accepted: Mapping[str, AcceptedSource], project: Project
) -> Case:
    """Side-claims whose assumption somebody answers for say so; of what an own frame does not use nothing is said."""
    results = (estimate for item in evidence.values() for estimate in item.estimates)
    by_assumption: dict[str, list[Node]] = {each.id: [] for found in results for each in found.assumptions}
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
        replace(node, stated=Stated(judgement(said.likelihood, said.confidence), by=said.by, why=said.why))
        for name, said in accepted.items()
        for node in by_assumption[name]
    )


# Estimates of one quantity and scope that cannot both be right: no verdict is drawn from either.
#
# The upper limit of one lies below the lower limit of the other. Each limit is taken at half the miss probability of
# ``LEVEL``, so that the two hold together at that level (union bound): at least one rests on what does not hold.

AGREE = Assumption("estimates-agree", "Estimates of one quantity and scope do not exclude each other.")
LEVEL = 0.95
_EACH = 1 - (1 - LEVEL) / 2


@dataclass(frozen=True)
class Contradiction:
    """Two estimates of the same thing, the first of which lies below the second.

    See Also
    --------
    contradictions : Finds them.

    """

    lower: str
    """``step.quantity[scope]``."""
    at_most: float
    higher: str
    at_least: float

    @property
    def finding(self) -> Diagnostic:
        """What stands on the first screen."""
        text = f"{self.lower} says at most {self.at_most:.4g}, {self.higher} at least {self.at_least:.4g}; "
        text += f"both limits hold together at level {LEVEL:g}. No verdict is drawn from either."
        hint = "Find out which assumption of the two does not hold, or name the quantities apart if they differ."
        return Diagnostic(DISAGREE, text, "error", hint=hint)

    @property
    def check(self) -> Check:
        """What it says against either."""
        words = f"{self.lower} says at most {self.at_most:.4g}, {self.higher} at least {self.at_least:.4g}"
        return Check("contradicted", words, {"at_most": self.at_most, "at_least": self.at_least, "level": LEVEL})


@validate.arguments
def contradictions(evidence: Mapping[str, Evidence]) -> tuple[Contradiction, ...]:
    """All pairs of estimates of different steps that contradict each other.

    Two of one quantity, unit and scope do where the upper limit of one lies below the lower limit of the other; both
    limits hold together at level 0.95. Estimates whose own assumptions are contradicted show nothing and are not
    compared. What is computed from others, or is the top event of a tree, is about its own logic; what went into it is
    compared.

    Parameters
    ----------
    evidence
        By step.

    Returns
    -------
    tuple of Contradiction
        Empty where all can be right.

    Examples
    --------
    >>> import surefoot as sf
    >>> few, many = (sf.Evidence((sf.bounds.clopper_pearson(k, 1000, level=0.95),)) for k in (2, 50))
    >>> for found in sf.project.contradictions({"may": few, "june": many}):
    ...     print(found.lower, "<", found.higher)
    may.failure probability < june.failure probability

    """
    alike: dict[tuple[str, str, str], list[tuple[str, Estimate]]] = {}
    for step, found in evidence.items():
        for estimate in found.estimates:
            if not (estimate.provenance.inputs or estimate.quantity == TOP_EVENT or _broken(estimate)):
                alike.setdefault((estimate.quantity, estimate.unit, estimate.scope), []).append((step, estimate))
    return tuple(
        found for users in alike.values() if len(users) > 1 for found in _between([_Limits.of(*user) for user in users])
    )


class _Limits(NamedTuple):
    """The tightest limits of an estimate; infinite where no bound with a level reaches one."""

    name: str
    at_least: float
    at_most: float

    @classmethod
    def of(cls, step: str, estimate: Estimate) -> _Limits:
        upper, lower = _limit(estimate, "upper"), _limit(estimate, "lower")
        name = f"{step}.{estimate.reference}"
        return cls(name, -math.inf if lower is None else lower, math.inf if upper is None else upper)


def _between(users: Sequence[_Limits]) -> Iterator[Contradiction]:
    if min(user.at_most for user in users) >= max(user.at_least for user in users):
        return
    for one, other in combinations(users, 2):
        for low, high in ((one, other), (other, one)):
            if low.at_most < high.at_least:
                yield Contradiction(low.name, low.at_most, high.name, high.at_least)


def _limit(estimate: Estimate, side: Side) -> float | None:
    """The tightest limit of a side; None where no bound with a level reaches it."""
    found = []
    for family in estimate.bounds:
        if family.side == side and family.kind != "expectation":
            try:
                found.append(family.at(_EACH).limit)
            except LevelUnavailable:
                continue
    return (min if side == "upper" else max)(found, default=None)


def _broken(estimate: Estimate) -> bool:
    return any(a.status == "contradicted" and a.id != AGREE.id for a in estimate.assumptions)


def marked(evidence: Mapping[str, Evidence], found: tuple[Contradiction, ...]) -> dict[str, Evidence]:
    """The evidence, in which estimates that are contradicted, and all that rest on them, say so and show nothing."""
    if not found:
        return dict(evidence)
    checks: dict[str, Check] = {}
    for each in found:
        checks |= {name: each.check for name in (each.lower, each.higher) if name not in checks}
    named = {f"{step}.{e.reference}": e for step, item in evidence.items() for e in item.estimates}
    by_key = {named[name].key: check for name, check in checks.items()}

    def judged(name: str, estimate: Estimate) -> Estimate:
        inherited = (by_key[key] for key in estimate.provenance.inputs if key in by_key)
        check = checks.get(name) or next(inherited, None)
        if check is None or any(a.id == AGREE.id for a in estimate.assumptions):
            return estimate
        own = replace(AGREE, check=check, scope=estimate.scope)
        return replace(estimate, assumptions=(*estimate.assumptions, own))

    return {
        step: replace(item, estimates=tuple(judged(f"{step}.{e.reference}", e) for e in item.estimates))
        for step, item in evidence.items()
    }
