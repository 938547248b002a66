"""The arguments for one result: how its method is argued, and each assumption beside the step that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from surefoot.case.evaluation import Goal
from surefoot.case.model import Block, Number
from surefoot.case.templates.activities import Aspect, Role, aspect_of, tags
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
from surefoot.case.wording import AS_DOCUMENTED, about, asked, caveats, checked, finding, measured, method_sentence
from surefoot.core import Assumption, Estimate, Evidence
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
        needed = needed_by_part(self.draft, job) if method is FOUR_STEPS else {}
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


ABOUT = "{about}"
"""Stands in texts for the quantity and what it is about."""


@dataclass(frozen=True)
class Part:
    """Why one aspect of the evidence may be believed: a side-warrant, argued from the assumptions of its aspects."""

    name: str
    claim: str
    text: str
    """How the assumptions bear on the claim."""
    aspects: tuple[Aspect, ...]
    block: Block
    roles: tuple[Role, ...]
    always: bool = False
    """Whether it is there without assumptions too, as a justification."""
    note: str = ""


@dataclass(frozen=True)
class Method:
    """How a number is argued for: from evidence, warranted by parts; what no part takes warrants it directly."""

    name: str
    block: Block
    parts: tuple[Part, ...] = ()
    sentence: str = ""
    """Said before what the method's own documentation says."""
    roles: tuple[Role, ...] = ("verification",)
    """Parts of the work that its argument belongs to."""


DATA = Part(
    "data",
    f"What the tests showed of the {ABOUT} is what operation would show.",
    "The tests were made on inputs like those of operation, under its conditions.",
    ("data",),
    "substitution",
    ("data",),
)
COUNTED = Method("counted", "calculation", (DATA,))
NORMAL_SCORE = Method(
    "normal-score",
    "calculation",
    (
        Part(
            "margins",
            "Margins say which answers are failures.",
            "Failure is made precise: a margin is above 0 exactly where the answer is right (NRB, Eqn. (2)).",
            (),
            "concretion",
            ("verification",),
            always=True,
        ),
        Part(
            "normality",
            "A tail of the normal distribution says how often margins fall below 0.",
            "What is known of normal margins is taken for those that were measured (NRB, section 2).",
            ("distribution",),
            "substitution",
            ("verification",),
            always=True,
        ),
        DATA,
    ),
    "The bound follows from mean, spread and number of the margins.",
)
METRIC = Method(
    "metric",
    "calculation",
    (DATA,),
    "Counts are replaced by an opinion, and that by a Beta distribution; the opinion is discounted by how far model, "
    "data and input space can be trusted (SL).",
)
MONITOR = Method(
    "monitor",
    "calculation",
    (
        Part(
            "returns",
            "Returns say what safety and mission are worth.",
            "Safety and mission are made precise by returns, which say what an answer and an alarm lead to (MON).",
            ("returns",),
            "concretion",
            ("monitoring",),
            always=True,
        ),
        Part(
            "threshold",
            "The monitor in operation is the one that was judged.",
            "The alarms judged here are those of operation: monitor and threshold were fixed on other data.",
            ("threshold",),
            "substitution",
            ("monitoring",),
        ),
        DATA,
    ),
    "Safety gain, residual hazard and availability cost are means over returns; the first two sum to the hazard of the "
    "model alone.",
    ("monitoring",),
)
SYSTEM = Method(
    "ai-system",
    "calculation",
    (
        Part(
            "mix",
            "Conditions come in operation as often as is said here.",
            "Operation is made precise: conditions, in the shares that operation meets them (SYS, section 3).",
            ("mix",),
            "concretion",
            ("data",),
            always=True,
        ),
        Part(
            "conditions",
            "Corrupted inputs stand for the conditions of operation.",
            "Inputs met in a condition are replaced by corrupted ones, which fail the system as often.",
            ("conditions",),
            "substitution",
            ("data",),
        ),
        DATA,
    ),
    "All modules run together, so that errors that one passes on to another are in what is counted.",
    ("system test",),
)
CALCULATED = Method("calculated", "calculation", (DATA,), roles=("system analysis",))
DOCUMENTED = Method("documented", "calculation", (DATA,), roles=())
STATED = Method("stated", "evidence incorporation", roles=())
CONDITION_MIX = ("stated-mix", "counted-mix", "calibrated-mix", "corruptions-stand-for-conditions")


def claim_roles(method: Method) -> tuple[Role, ...]:
    """Parts of the work that the claim of a target belongs to; what is calculated is asked of the whole system."""
    return method.roles if method is CALCULATED else ("requirements", *method.roles)


def method_of(estimate: Estimate, evidence: Evidence | None) -> Method | None:
    """The method behind an estimate; None where it is the RAM, which is argued over its four steps."""
    method = estimate.provenance.method
    package, _, name = method.partition(".")
    if package == "reliability":
        return None
    if _is_of_system(estimate, evidence):
        return SYSTEM
    if package == "bounds" and name.startswith("normal_"):
        return NORMAL_SCORE
    if package == "bounds" and any(each.id == AS_DOCUMENTED for each in estimate.assumptions):
        return DOCUMENTED
    by_package: Mapping[str, Method] = {
        "opinions": METRIC,
        "monitors": MONITOR,
        "faulttree": CALCULATED,
        "fault tree": CALCULATED,
        "certified interval": CALCULATED,
        "propagate": CALCULATED,
        "stated": STATED,
    }
    return by_package.get(package, COUNTED)


def _is_of_system(estimate: Estimate, evidence: Evidence | None) -> bool:
    by_step = evidence is not None and evidence.provenance.method == "step.system_study"
    held = {assumption.id for assumption in estimate.assumptions}
    return (by_step or estimate.provenance.method.startswith("systems.")) or bool(held.intersection(CONDITION_MIX))


# The argument over the four steps of the reliability assessment model (RAM, sections 4 and 5.2; Figures 9 to 13).
#
# The figures are not in the text. Their structure is rebuilt from the sections: SubC11-C1 states the bound, and the
# four steps are C2 to C5, since the text places SubC11-C3.2 and SubC11-C3.3, on the estimator of the operational
# profile as a learned model, in step 2. Each step warrants the bound: where one fails, the bound is not shown, neither
# way. Each modelling assumption of section 4 is a side-warrant of the step that makes it.

PARTITION = Part(
    "partition",
    "Step 1: the input space is divided so finely that no region lies in two classes.",
    "Regions, which are cells or balls around data, are smaller than the distance between classes.",
    ("partition",),
    "concretion",
    ("verification",),
    always=True,
    note="SubC11-C2 of RAM, Figure 10.",
)
PROFILE = Part(
    "profile",
    "Step 2: the share of operation in each region is known, with its uncertainty.",
    "The share of operation in each region is estimated, with its uncertainty, from data that follow it.",
    ("profile",),
    "calculation",
    ("data",),
    always=True,
    note="SubC11-C3 of RAM, Figure 11.",
)
ROBUSTNESS = Part(
    "robustness",
    "Step 3: it is known how often the component departs from the label inside each region.",
    "The label of each region is found, and how often the component departs from it inside is measured or proven.",
    ("robustness",),
    "calculation",
    ("verification",),
    always=True,
    note="SubC11-C4 of RAM, Figure 12.",
)
ASSEMBLY = Part(
    "assembly",
    "Step 4: regions add up to the failure probability and its bound.",
    "Each share of operation times what goes wrong inside its region is summed; the variance of the sum gives the "
    "bound.",
    ("assembly",),
    "calculation",
    ("verification",),
    always=True,
    note="SubC11-C5 of RAM, Figure 13.",
)
STEPS = (PARTITION, PROFILE, ROBUSTNESS, ASSEMBLY)
FOUR_STEPS = Method(
    "classification",
    "calculation",
    (*STEPS, DATA),
    "Argued over the four steps of the reliability assessment model (RAM, section 5.2).",
)
CORRECTED = Method(
    "corrected",
    "calculation",
    (DATA,),
    "Held-out tests correct what the four steps of the reliability assessment model predict.",
)
ESTIMATOR = {
    "learned": ("The estimator of the profile behind the {about} is chosen and tuned for its data.", "SubC11-C3.2"),
    "verified": ("The estimator of the profile behind the {about} is verified on data not seen.", "SubC11-C3.3"),
}
"""What is asked of the estimator of the profile, as of any learned model, and where in the paper."""


@dataclass(frozen=True)
class Modelled:
    """A modelling assumption of section 4: who carries it, and what is said where nobody does."""

    number: int
    aspect: Aspect
    cells: str
    balls: str
    text: str
    not_needed: Mapping[str, str]
    """By ``cells``, ``balls`` and ``variation``: why a number that does not carry it does not need it."""
    varied: str = ""
    """The id where balls are families of natural variation, if it is another than that of other balls."""

    def carried_by(self, kind: str) -> str:
        """The id under which a number from cells, or from balls, carries it; empty where none does."""
        return self.cells if kind == "cells" else self.balls if kind == "balls" else self.varied or self.balls

    def needless(self, kind: str) -> str:
        """Why a number that does not carry it does not need it; of a variation what holds of balls, if nothing else."""
        return self.not_needed.get(kind, self.not_needed.get("balls", "") if kind == "variation" else "")


COVARIANCES = "Assumption 6 of RAM is not needed: the variance counts how estimates of different cells depend."
MODELLED = (
    Modelled(
        1,
        "partition",
        "separated-classes",
        "",
        "There is a distance within which the label does not change, and the data at hand show it (Assumption 1).",
        {"variation": "Assumption 1 of RAM is not needed: inputs are varied by what they show, not by a distance."},
    ),
    Modelled(
        2,
        "profile",
        "labelled-data-represent-operation",
        "frame-represents-operation",
        "The data are drawn from the operational profile (Assumption 2).",
        {},
    ),
    Modelled(
        3,
        "robustness",
        "single-label-cells",
        "single-label-balls",
        "All inputs in a region have one label (Assumption 3).",
        {},
        "variation-keeps-labels",
    ),
    Modelled(
        4,
        "robustness",
        "better-than-chance",
        "",
        "In every region without labelled data the component is right more often than chance (Assumption 4).",
        {"balls": "Assumption 4 of RAM is not needed: every ball has the label of the row in its centre."},
    ),
    Modelled(
        5,
        "robustness",
        "uniform-inside",
        "uniform-inside",
        "Inputs inside a region are distributed uniformly (Assumption 5).",
        {},
        "variation-as-in-operation",
    ),
    Modelled(
        6,
        "assembly",
        "independent-cells",
        "",
        "Estimates of different regions are independent (Assumption 6).",
        {"cells": COVARIANCES, "balls": "Assumption 6 of RAM is not needed: balls are drawn, not all of them added."},
    ),
    Modelled(
        7,
        "assembly",
        "",
        "sampling-of-balls-dominates",
        "The sampling of balls is the major source of uncertainty (Assumption 7).",
        {
            "cells": "Assumption 7 of RAM is not needed: no region is left out.",
            "balls": "Assumption 7 of RAM is not needed: the variance counts what is not known inside balls too.",
        },
    ),
)
CARRIED = frozenset(filter(None, (name for each in MODELLED for name in (each.cells, each.balls, each.varied))))


def kind_of(estimate: Estimate) -> str:
    """Whether the number comes from ``cells`` or ``balls``, or from balls that are a ``variation``."""
    if "assess_balls" not in estimate.provenance.method:
        return "cells"
    return "variation" if "within" in estimate.provenance.params else "balls"


def is_corrected(estimate: Estimate) -> bool:
    """Whether held-out tests carry the number, so that it holds whatever the four steps assume."""
    return not CARRIED.intersection(assumption.id for assumption in estimate.assumptions)


# What the four steps of the RAM need beside the assumptions that a number carries.


def needed_by_part(draft: Draft, job: Job) -> dict[str, list[str]]:
    """For each step the modelling assumptions that the number does not carry, and what nobody has developed of step 2.

    The paper calls the latter claims; here they are side-warrants, so that the step is held up by all that it needs.
    """
    kind = kind_of(job.estimate)
    held = {assumption.id for assumption in job.estimate.assumptions}
    found: dict[str, list[str]] = {}
    for each in MODELLED:
        if each.carried_by(kind) not in held:
            found.setdefault(each.aspect, []).append(_stated(draft, job.owner, each, kind, job.module))
    if _estimated(job.estimate, kind):
        options: dict[str, Any] = {"undeveloped": True, "tags": tags("learning"), "module": job.module}
        for name, (text, place) in ESTIMATOR.items():
            identity, said = f"{job.owner}.profile.{name}", text.replace(ABOUT, about(job.estimate))
            draft.add(identity, "side-claim", said, note=f"{place} of RAM.", **options)
            found.setdefault("profile", []).append(identity)
    return found


def _stated(draft: Draft, owner: str, each: Modelled, kind: str, module: str) -> str:
    """Why an assumption is not needed; or the assumption itself, which nobody checked."""
    identity = f"{owner}.assumption {each.number}"
    options: dict[str, Any] = {"tags": tags("verification"), "module": module}
    if needless := each.needless(kind):
        return draft.add(identity, "justification", needless, **options)
    return draft.add(identity, "side-claim", each.text, note="Nobody checked it.", **options)


def _estimated(estimate: Estimate, kind: str) -> bool:
    """Whether shares of operation come from an estimator; rows that count alike are operation as it is."""
    if kind == "cells":
        return True
    signed = estimate.provenance.method.endswith(".pmi")
    return not signed or any(caveat.code == "approximate-coverage" for caveat in estimate.caveats)
