"""The arguments for one result: by its method, with each assumption beside the step that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from surefoot.case.evaluation import Goal
from surefoot.case.model import Number
from surefoot.case.templates import methods
from surefoot.case.templates.activities import Role, aspect_of, tags
from surefoot.case.templates.builder import (
    Draft,
    Job,
    Results,
    derived,
    escaped,
    goal_id,
    is_about,
    of_input,
    stated,
    step_of,
)
from surefoot.case.templates.methods import (
    ABOUT,
    CORRECTED,
    FOUR_STEPS,
    Method,
    Part,
    claim_roles,
    is_corrected,
    method_of,
)
from surefoot.case.wording import about, asked, caveats, checked, finding, measured, method_sentence
from surefoot.core import Assumption, Evidence
from surefoot.documents import significant

BRIEF = "What the four steps of the reliability assessment model predict, and what that rests on."
CORRECTS = (
    "The bound that held-out tests show does not rest on what the four steps predict: where the prediction is wrong, "
    "the tests correct it and the bound is wider."
)


class Arguments:
    """Writes arguments; once for each result, however many claims rest on it."""

    def __init__(self, draft: Draft, *, sources: bool = True) -> None:
        self.draft = draft
        self._sources = sources
        self._found = Results(draft.ingredients.evidence)
        self._owners: dict[str, str] = {}
        """For each result the first target of the project that asks about it: what ids of its argument begin with."""
        for goal in draft.ingredients.goals:
            self._owners.setdefault(goal.reference, goal_id(goal.name))
        self._written: dict[str, tuple[str, ...]] = {}
        self._predicted: dict[str, tuple[str, str]] = {}
        """For results that tests correct: the prediction, and the module that it is argued in."""

    def claims(self, goals: Sequence[Goal], *, module: str = "") -> tuple[str, ...]:
        """The claims of targets, each with its arguments below."""
        return tuple(self._claim(goal, module) for goal in goals)

    def _claim(self, goal: Goal, module: str) -> str:
        """Two targets of one result share its arguments."""
        identity = self._stated(goal_id(goal.name), goal, module, in_context_of=self._source(goal, module))
        if goal.reference not in self._written:
            self._argue(Job(self._owners.get(goal.reference, identity), goal.reference, goal.estimate, module))
        self.draft.relate(identity, supported_by=self._written[goal.reference])
        if goal.reference in self._predicted:
            self._prediction(identity, goal, *self._predicted[goal.reference])
        return identity

    def _stated(self, identity: str, goal: Goal, module: str, **relations: tuple[str, ...]) -> str:
        number = Number(goal.estimate.quantity, goal.verdict.target, goal.strict_level)
        options: dict[str, Any] = {"number": number, "note": finding(goal), "module": module, **relations}
        roles = claim_roles(self._method(Job(identity, goal.reference, goal.estimate)))
        return self.draft.add(identity, "claim", goal.text, tags=tags(*roles), **options)

    def _source(self, goal: Goal, module: str) -> tuple[str, ...]:
        said = derived(self.draft, goal) if self._sources else ""
        if not said:
            return ()
        text = f"Where the limit of {goal.name!r} comes from: {said}"
        identity = f"{goal_id(goal.name)}.source"
        return (self.draft.add(identity, "context", text, tags=tags("safety target"), module=module),)

    def _argue(self, job: Job) -> None:
        evidence = self.draft.ingredients.evidence.get(step_of(job.reference))
        method = self._method(job)
        fed = self._found.fed_into(job.reference)
        inputs = {label: self._found[each] for label, each in fed.items()}
        carried = {stated(each) for other in inputs.values() for each in other.assumptions}
        own = [each for each in job.estimate.assumptions if stated(each) not in carried]
        parts = {part: self._assumed(own, part) for part in method.parts}
        taken = {stated(each) for some in parts.values() for each in some}
        taken |= {stated(each) for each in own if of_input(each, inputs)}
        text = f"{method.sentence} {method_sentence(job.estimate)}".strip()
        rest = [each for each in own if stated(each) not in taken]
        options = {"block": method.block, "note": checked(job.estimate.assumptions), "tags": tags(*method.roles)}
        main = self._argument(job, text, rest, method, options)
        self.draft.relate(main, in_context_of=beside(self.draft, job, evidence))
        self._written[job.reference] = (main,)
        needed = methods.needed(self.draft, job) if method is FOUR_STEPS else {}
        for part, some in parts.items():
            if some or part.always:
                self._part(job, part, some, needed.get(part.name, ()))
        for label, reference in fed.items():
            self._input(job, label, reference, own)
        if method is CORRECTED:
            self._predict(job)

    def _method(self, job: Job) -> Method:
        evidence = self.draft.ingredients.evidence.get(step_of(job.reference))
        return method_of(job.estimate, evidence) or (CORRECTED if is_corrected(job.estimate) else FOUR_STEPS)

    def _argument(
        self, job: Job, text: str, assumptions: Iterable[Assumption], method: Method, options: Mapping[str, Any]
    ) -> str:
        """The argument that leads to what was measured."""
        shown = measured(job.estimate), caveats(job.estimate)
        result = self.draft.evidence(job.reference, job.estimate, *shown, module=job.module, roles=method.roles)
        return self.draft.add(
            job.argument,
            "argument",
            text,
            supported_by=(result,),
            in_context_of=self.draft.side_warrants(job.reference, assumptions, module=job.module),
            module=job.module,
            **options,
        )

    def _warrant(self, job: Job, name: str, texts: tuple[str, str], needed: Sequence[str], **how: Any) -> None:
        """A side-warrant of the main argument, argued from assumptions; without any it is a justification."""
        claim, text = texts
        identity, rests_on = f"{job.owner}.{name}", how.pop("rests_on", "")
        options: dict[str, Any] = {"tags": how["tags"], "module": job.module}
        if any(self.draft.nodes[each].kind == "side-claim" for each in needed):
            argument, options["rests_on"] = f"{identity}.argument", rests_on
            self.draft.add(identity, "side-claim", claim, supported_by=(argument,), **options)
            self.draft.add(argument, "argument", text, in_context_of=needed, module=job.module, **how)
            needed = ()
        else:
            self.draft.add(identity, "justification", f"{claim} {text}", note=how.get("note", ""), **options)
        self.draft.relate(job.argument, in_context_of=(identity, *needed))

    def _assumed(self, own: Iterable[Assumption], part: Part) -> list[Assumption]:
        conditions = self.draft.ingredients.conditions
        return [each for each in own if aspect_of(each.id, conditions) in part.aspects]

    def _part(self, job: Job, part: Part, assumptions: Sequence[Assumption], more: Sequence[str]) -> None:
        needed = (*self.draft.side_warrants(job.reference, assumptions, module=job.module), *more)
        how = {"block": part.block, "note": part.note, "tags": tags(*part.roles)}
        self._warrant(job, part.name, (part.claim.replace(ABOUT, about(job.estimate)), part.text), needed, **how)

    def _input(self, job: Job, label: str, reference: str, own: Sequence[Assumption]) -> None:
        """What goes into a calculation brings its own assumptions; they are the same nodes as those of its target."""
        other = self._found[reference]
        claim = f"What the calculation takes for {label!r} is what was found. {measured(other)}."
        said = [each for each in own if is_about(each, label)]
        how = {"block": "substitution", "tags": tags("system analysis"), "rests_on": reference}
        needed = self.draft.side_warrants(job.reference, said, module=job.module)
        needed += self.draft.side_warrants(reference, other.assumptions, module=job.module)
        self._warrant(job, f"input.{escaped(label)}", (claim, method_sentence(other)), needed, **how)

    def _predict(self, job: Job) -> None:
        """What the four steps predict is argued in a module of its own: the corrected number does not need it."""
        from surefoot.reliability.cells.statements import BY_CELLS

        reference = f"{step_of(job.reference)}.{BY_CELLS}"
        if reference not in self._found or reference in self._written:
            return
        module = self.draft.module(f"{job.owner}.prediction", BRIEF)
        self._argue(Job(f"{job.owner}.cells", reference, self._found[reference], module))
        self._predicted[job.reference] = reference, module
        options: dict[str, Any] = {"module": module, "tags": tags("verification")}
        note = self.draft.add(f"{job.owner}.corrected", "context", CORRECTS, **options)
        self.draft.relate(job.argument, in_context_of=[note])

    def _prediction(self, claim: str, goal: Goal, reference: str, module: str) -> None:
        """The target held against the four steps alone, whose bounds count of whatever kind they are."""
        estimate, target = self._found[reference], goal.verdict.target
        kinds = tuple(dict.fromkeys((*target.kinds, *(bound.kind for bound in estimate.bounds))))
        verdict = estimate.meets(replace(target, kinds=kinds))
        text = f"By the four steps alone, the {about(goal.estimate)} is {asked(goal.verdict)}."
        alone = Goal(goal.name, text, verdict, estimate, reference, strict_level=goal.strict_level)
        identity = self._stated(f"{claim}.prediction", alone, module)
        self.draft.relate(identity, supported_by=self._written[reference])


# What stands beside an argument: how far a metric is trusted (SL), and the other figures of a monitor (MON).
#
# The links of a trust chain are justifications, not side-warrants: their opinions are in the number already, and a
# side-warrant would discount it once more.

LAYERS = {
    "model": "The model's own forecasts can be trusted so far",
    "data": "The data show so much of the operating conditions",
    "input space": "The description of the input space can be trusted so far",
}


def beside(draft: Draft, job: Job, evidence: Evidence | None) -> tuple[str, ...]:
    """Justifications and contexts that the evidence of the step gives."""
    if evidence is None:
        return ()
    method = job.estimate.provenance.method
    if method.startswith("opinions.") and job.estimate.quantity.startswith("trusted "):
        return _trust(draft, job, evidence)
    return _figures(draft, job, evidence) if method == "monitors.evaluate" else ()


def _trust(draft: Draft, job: Job, evidence: Evidence) -> tuple[str, ...]:
    """A justification for each link of the chain."""
    table = evidence.tables.get("trust")
    found = []
    for name, layer, belief, disbelief, uncertainty, source in table.rows if table else ():
        opinion = ", ".join(significant(float(mass)) for mass in (belief, disbelief, uncertainty))
        said = LAYERS.get(str(layer), f"The layer {layer!r} can be trusted so far")
        text = (
            f"{said}, and the metric is discounted by it: {name}, {source} (belief, disbelief, uncertainty {opinion})."
        )
        role: Role = "data" if layer == "data" else "learning"
        identity = f"{job.owner}.trust.{escaped(str(name))}"
        found.append(draft.add(identity, "justification", text, tags=tags(role), module=job.module))
    return tuple(found)


def _figures(draft: Draft, job: Job, evidence: Evidence) -> tuple[str, ...]:
    others = [
        measured(each)
        for each in evidence.estimates
        if each.provenance.method == "monitors.evaluate" and each.quantity != job.estimate.quantity
    ]
    if not others:
        return ()
    text = f"The other figures of the monitor: {'; '.join(others)}."
    return (draft.add(f"{job.owner}.figures", "context", text, tags=tags("monitoring"), module=job.module),)
