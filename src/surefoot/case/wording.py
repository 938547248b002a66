"""How targets, methods, bounds and results are said. A check that finds nothing proves nothing, and is said so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import ROUND_UP, Decimal
from importlib import import_module
from inspect import isfunction
from types import ModuleType

from surefoot.case.evaluation import NOT_CONTRADICTED, Assessed, Doubt, Evaluation, Goal
from surefoot.core import Assumption, Bound, Estimate, Target, Verdict, validate
from surefoot.core.bound import WITHOUT_LEVEL
from surefoot.core.estimate import COUNTS
from surefoot.documents import percent, significant


def unchecked(estimates: Iterable[Estimate]) -> int:
    """How many different assumptions nobody checked."""
    found = (assumption for estimate in estimates for assumption in estimate.assumptions)
    return len({(each.id, each.text) for each in found if each.status == "unchecked"})


def on_stated(estimate: Estimate) -> str:
    """Who answers for the stated values that a number rests on, or that nobody does; empty where it rests on none."""
    if estimate.unanswered:
        names = validate.listed(dict.fromkeys(each.scope or each.id for each in estimate.unanswered))
        return f"It rests on what is stated, not measured, and nobody answers for that: {names}."
    answers = dict.fromkeys(f"{each.scope or each.id}, {each.answer}" for each in estimate.stated)
    what = "a stated value" if len(answers) == 1 else "stated values"
    told = "; ".join(each.rstrip(".") for each in answers)
    return f"It rests on {what}, not measured, that somebody answers for: {told}." if answers else ""


def asked(verdict: Verdict) -> str:
    """What the target asks for; of an uncertain limit also where it lies, and which end the verdict rests on."""
    target = verdict.target
    text = f"{target.relation} {significant(target.limit)}"
    if target.uncertainty is None:
        return text
    return f"{text} (itself uncertain, {interval(target)}; the verdict rests on {compared(verdict)})"


def interval(target: Target) -> str:
    """Where an uncertain limit lies at the target's level, rounded outward."""
    low, high = target.interval
    return f"{significant(low, rounding='down')} to {significant(high, rounding='up')}"


def compared(verdict: Verdict) -> str:
    """The end of an uncertain limit that the bound was compared with."""
    low, high = interval(verdict.target).split(" to ")
    cautious = verdict.status != "violated"
    at_low = cautious == (verdict.target.relation == "at most")
    return f"{low if at_low else high}, its {'cautious' if cautious else 'lenient'} end"


# What was found, in words: findings of targets, methods, bounds and evidence.

AS_DOCUMENTED = "counted-as-documented"
"""The assumption of counts that stand in a document, whose text names it."""
WITHIN_A_VARIATION = (
    "the probability that a classifier fails on its next input, varied as stated, from variations of data points."
)
DOCUMENTED = ("bounds", "hazards", "monitors", "opinions", "reliability", "systems")


def finding(goal: Goal) -> str:
    """What the target asks for, and what the evidence shows of it."""
    target, bound = goal.verdict.target, goal.verdict.bound
    limit = f"The target is {asked(goal.verdict)}"
    if goal.defeated:
        return f"{limit}. Nothing is shown, neither way: an assumption is contradicted."
    if bound is None:
        return f"{limit}. No bound of an accepted kind is known at level {percent(1 - target.alpha)}."
    alone = " Met at this look alone." if goal.alone else ""
    stated = on_stated(goal.estimate)
    return f"{limit}; the {describe(bound, goal.estimate)}.{alone}{f' {stated}' if stated else ''}"


def describe(bound: Bound, estimate: Estimate) -> str:
    """A bound in words, rounded to its cautious side."""
    rounded = significant(bound.limit, rounding="up" if bound.side == "upper" else "down")
    at = "" if bound.kind in WITHOUT_LEVEL else f" at {percent(bound.level)}"
    return f"{bound.side} bound is {rounded} ({estimate.kind_of(bound)}{at})"


def method_sentence(estimate: Estimate) -> str:
    """How the number was found: the first line of the method's own documentation, so that it is said in one place."""
    package, _, name = estimate.provenance.method.partition(".")
    if estimate.provenance.method == "stated":
        source = estimate.provenance.params.get("source")
        return f"The value is stated, not measured{f': {source}' if source else ''}."
    if estimate.provenance.method == "propagate":
        return f"By propagation of earlier estimates: {', '.join(estimate.provenance.params.get('names', ()))}."
    if package == "faulttree":
        return _by_tree(name, estimate.provenance.params.get("names", ()))
    if package == "reliability" and "within" in estimate.provenance.params:
        return f"By {name}: {WITHIN_A_VARIATION}"
    if package in DOCUMENTED:
        counted_in = next((f" {each.text}" for each in estimate.assumptions if each.id == AS_DOCUMENTED), "")
        return f"By {name}: {_documented(import_module(f'surefoot.{package}'), name)}{counted_in}"
    return f"By the method {estimate.provenance.method}."


def counted(estimate: Estimate) -> str:
    """Failures, trials and the like, as far as they are known."""
    known = [(estimate.details.get(name), word) for name, word in COUNTS.items()]
    return ", ".join(
        validate.counted(number, word.removesuffix("s")) for number, word in known if isinstance(number, int)
    )


def measured(estimate: Estimate) -> str:
    """The quantity, what it is about, its value, and what was counted."""
    counts = counted(estimate)
    name = about(estimate)
    shown = f"{significant(estimate.value)} {estimate.unit}{f' ({counts})' if counts else ''}"
    return f"{name[:1].upper()}{name[1:]}: {shown}"


def known_by(estimate: Estimate) -> str:
    """How a number came about: what is stated, or only counted in a document, was never measured.

    >>> import surefoot as sf
    >>> known_by(sf.Estimate.known("prevalence", 0.05, source="a register"))
    'stated'
    """
    if estimate.stated and estimate.provenance.method == "stated":
        return "stated"
    counted = any(each.id == AS_DOCUMENTED for each in estimate.assumptions)
    found = "computed" if estimate.provenance.inputs else "counted in a document" if counted else "measured"
    return f"{found}, on what is stated" if estimate.stated else found


def about(estimate: Estimate) -> str:
    """The quantity and what it is about."""
    return f"{estimate.quantity}{f' of {estimate.scope}' if estimate.scope else ''}"


def caveats(estimate: Estimate) -> str:
    """What the reader must know of the number, in one line."""
    return " ".join(f"Caveat: {caveat.text}" for caveat in estimate.caveats)


def _by_tree(name: str, uncertain: Iterable[str]) -> str:
    found = "exact probability" if name == "top_event" else "certain interval of the probability"
    carried = ", ".join(map(repr, uncertain))
    return f"By a fault tree: the {found} of its top event{f', given what is known of {carried}' if carried else ''}."


def _documented(module: ModuleType, name: str) -> str:
    function = name.partition(".")[0]
    known = getattr(module, function) if function in module.__all__ else None
    text = (known if isfunction(known) else module).__doc__ or ""
    return text.partition("\n")[0]


def checked(assumptions: Sequence[Assumption]) -> str:
    """How many assumptions there are, and what their checks found."""
    statuses = [assumption.status for assumption in assumptions]
    words = (
        ("{} not contradicted", "supported"),
        ("{} contradicted", "contradicted"),
        ("{} not checked", "unchecked"),
    )
    counts = [text.format(statuses.count(status)) for text, status in words if status in statuses]
    return f"{validate.counted(len(assumptions), 'assumption')}: {', '.join(counts)}." if counts else "No assumptions."


# How surely a claim holds, in plain words.


def surely(evaluation: Evaluation, identity: str) -> str:
    """How surely all targets of a claim hold together and given what, or why there is no number.

    >>> from surefoot.case import Case, Node
    >>> surely(Case.of([Node("C1", "claim", "It stops", undeveloped=True)]).evaluate(), "C1")
    'No number: C1 is undeveloped.'
    """
    found = evaluation.nodes.get(identity)
    if found is None:
        return "No number: it was not assessed."
    if found.confidence is None:
        return f"No number: {_lacking(evaluation, found)}."
    several = {0: "it holds", 1: "the target holds", 2: "both targets hold together"}
    together = several.get(found.targets, f"all {found.targets} targets hold together")
    taken = Counter(_taken_as(evaluation, each) for each in found.given)
    *most, last = [validate.counted(taken[word], word) for word in TAKEN if taken[word]] or [""]
    given = " and ".join(filter(None, (", ".join(most), last)))
    said = f"Given {given}, {together}" if given else f"{together[:1].upper()}{together[1:]}"
    if given and found.confidence == 1:
        return f"{said}, as surely as what is given."
    return f"{said} with confidence at least {at_least(found.confidence)}."


TAKEN = ("assumption", "document", "prior", "unguaranteed bound")


def _taken_as(evaluation: Evaluation, identity: str) -> str:
    """What something that is given is: an assumption, a document, or what a bound needs to be believed."""
    node = evaluation.case.nodes.get(identity)
    if node is None or node.kind != "evidence":
        return "assumption"
    verdict = evaluation[identity].verdict
    if verdict is None or verdict.bound is None:
        return "document"
    return "prior" if verdict.bound.kind == "credible" else "unguaranteed bound"


def in_short(assessed: Assessed) -> str:
    """The same in few words, for a line of an outline or a box of a drawing; empty where there is no number.

    What rests on given things alone is as sure as these, and not 100%.
    """
    if assessed.confidence is None:
        return ""
    only_given = assessed.confidence == 1 and len(assessed.given)
    return "as sure as what is given" if only_given else f"confidence at least {at_least(assessed.confidence)}"


def at_least(confidence: float) -> str:
    """A confidence in percent, never more than it is: what is lacking is rounded up to two significant digits.

    >>> at_least(0.7), at_least(0.93728), at_least(0.999951), at_least(1.0)
    ('70%', '93.7%', '99.9951%', '100%')
    """
    lacking = Decimal(repr(round(1.0 - confidence, 12)))
    if lacking <= 0:
        return "100%"
    rounded = lacking.quantize(Decimal(1).scaleb(lacking.adjusted() - 1), rounding=ROUND_UP)
    return f"{max(100 * (1 - rounded), Decimal(0)).normalize():f}%"


def state_words(doubt: Doubt) -> str:
    """What became of a doubt, and who accepted it; a check that found nothing eliminates nothing.

    >>> from surefoot.case import Doubt
    >>> state_words(Doubt("S1", "assumption", "eliminated")), state_words(Doubt("E1", "document", "accepted", "A. B."))
    ('not contradicted', 'accepted by A. B.')
    """
    if doubt.kind == "assumption" and doubt.state == "eliminated":
        return NOT_CONTRADICTED
    return f"{doubt.state} by {doubt.by}" if doubt.by else doubt.state


def _lacking(evaluation: Evaluation, assessed: Assessed) -> str:
    if not assessed.open:
        return f"it is {assessed.standing}"
    if len(assessed.open) > 1:
        claims = sum(evaluation.case[each].kind == "claim" for each in assessed.open)
        every = claims == len(assessed.open)
        return f"{len(assessed.open)} needed {'claims' if every else 'parts of the case'} are open"
    identity = assessed.open[0]
    node, found = evaluation.case[identity], evaluation[identity]
    if node.undeveloped:
        return f"{identity} is undeveloped"
    if node.kind == "defeater":
        return f"{identity} is not eliminated"
    return f"{identity} is {'contradicted' if found.standing == 'contradicted' else 'not shown'}"
