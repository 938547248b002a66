"""Checks of how nodes hang together: references, kinds, development, doubts, modules and arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from surefoot.case.checks import context as graph
from surefoot.case.checks.context import Context, case_check
from surefoot.case.checks.texts import normal
from surefoot.case.extensions import ARROW, Relation
from surefoot.case.model import AWAY, BESIDE, GIVEN, KINDS, STANDING_IN, Node
from surefoot.core import Diagnostic, validate
from surefoot.documents import closest

RELATIONS = {
    "supported_by": "rests on",
    "in_context_of": "is in the context of",
    "confidence": "has its confidence argued by",
    "challenges": "challenges",
}
MOST_GUESSED = 5
MOST_NAMED = 8


FRAGMENT = "@"
"""What names of fragments begin with, which a project attaches in their place."""


@case_check(codes=("case-unknown-node", "case-fragment-unknown"))
def unknown(context: Context) -> Iterator[Diagnostic]:
    """References that lead nowhere."""
    alike = {identity.casefold(): identity for identity in context.by_id}
    guesses = 0
    for node in context.nodes:
        for relation, word in RELATIONS.items():
            for identity in _named_by(context, node, relation):
                if identity.startswith(FRAGMENT):
                    text = f"{node.called} {node.id!r} {word} {identity!r}, which only a project brings."
                    hint = "Name the file in case: file: of a project, and check the project."
                    yield context.find(node, "note", "case-fragment-unknown", text, hint)
                elif identity not in context.by_id:
                    near = alike.get(identity.strip().casefold())
                    if near is None and guesses < MOST_GUESSED:
                        # Looking for a similar id takes a look at all of them.
                        guesses += 1
                        near = closest(identity, context.by_id)
                    text = f"{node.called} {node.id!r} {word} {identity!r}, which is no node of the case."
                    yield context.find(node, "error", "case-unknown-node", text, _remedy(identity, near))


def _named_by(context: Context, node: Node, relation: str) -> Iterator[str]:
    """Ids that a node names; of a relation that it challenges both ends."""
    for each in getattr(node, relation):
        ends = context.case.relation(each) if relation == "challenges" else None
        yield from (each,) if ends is None else ends


def _remedy(identity: str, near: str | None) -> str:
    if "," in identity:
        return "It looks like a list written as one text: put each id by itself in brackets."
    return f"Did you mean {near!r}?" if near else "Add the node, or take the reference away."


@case_check(codes=("case-self-reference", "case-self-challenge"))
def itself(context: Context) -> Iterator[Diagnostic]:
    """Nodes that name themselves."""
    for node in context.nodes:
        if node.id in node.below:
            text = f"{node.called} {node.id!r} rests on itself or is its own context."
            yield context.find(node, "error", "case-self-reference", text, "Take the reference to itself away.")
        if node.id in node.challenges:
            text = f"{node.called} {node.id!r} challenges itself."
            hint = "Name the node that it speaks against."
            yield context.find(node, "error", "case-self-challenge", text, hint)


@case_check(codes=("case-repeated-reference",))
def repeated(context: Context) -> Iterator[Diagnostic]:
    """One id named twice by one node."""
    for node in context.nodes:
        named = (*node.supported_by, *node.in_context_of)
        twice = _twice(named) or _twice(node.challenges)
        if twice:
            text = f"{node.called} {node.id!r} names {validate.listed(twice)} more than once."
            yield context.find(node, "warning", "case-repeated-reference", text, "Name each once.")


def _twice(named: Sequence[str]) -> list[str]:
    if len(set(named)) == len(named):
        return []
    return [each for each, times in Counter(named).items() if times > 1]


@case_check(codes=("case-circle",))
def circular(context: Context) -> Iterator[Diagnostic]:
    """Nodes that rest on each other."""
    for circle in context.circles:
        shown = [*circle[:MOST_NAMED], *([f"({len(circle) - MOST_NAMED:,} more)"] if len(circle) > MOST_NAMED else [])]
        text = f"Reasoning in a circle: {' -> '.join([*shown, circle[0]])}."
        hint = "Take away one of these references; a claim cannot hold itself up."
        yield context.find(context.case[circle[0]], "error", "case-circle", text, hint)


@case_check(codes=("case-no-top", "case-several-tops"))
def tops(context: Context) -> Iterator[Diagnostic]:
    """The claim that the case is made for: there, and one."""
    developing = {each for module in context.case.modules.values() for ids in module.develops.values() for each in ids}
    found = [top for top in context.case.tops if top.module == context.home and top.id not in developing]
    if not found and not context.circles:
        text = f"None of the {validate.counted(len(context.case), 'node')} is a claim that holds nothing else up."
        hint = "Add the claim that the case is made for, with the rest below it."
        yield Diagnostic("case-no-top", text, "error", "", hint)
    if len(found) > 1:
        names = validate.listed([top.id for top in found])
        text = f"{len(found):,} claims are at the top: {names}."
        hint = "Put them below one claim, or each but one in a module of its own."
        yield context.find(found[1], "warning", "case-several-tops", text, hint)


@case_check(codes=("case-unreachable",))
def unreachable(context: Context) -> Iterator[Diagnostic]:
    """Nodes that no top claim leads to, one finding for each part that hangs together."""
    left = {identity for identity in context.by_id if identity not in context.reached}
    if not left or not context.case.tops:
        return
    within = {identity: [each for each in context.needs[identity] if each in left] for identity in left}
    for entry in _entries(context, left):
        if entry.id in left:
            below = _taken(within, entry.id, left)
            rest = f", nor to {validate.counted(below, 'node')} below it" if below else ""
            text = f"No top claim leads to {entry.called} {entry.id!r}{rest}."
            hint = "Refer to it where it belongs, or delete it."
            yield context.find(entry, "warning", "case-unreachable", text, hint)


def _entries(context: Context, left: set[str]) -> Iterator[Node]:
    """Where to begin: what nothing refers to, then one node of each circle, then the rest."""
    named = {each for identity in left for each in context.needs[identity] if each != identity}
    yield from (node for node in context.nodes if node.id in left and node.id not in named)
    yield from (context.case[circle[0]] for circle in context.circles)
    yield from (node for node in context.nodes if node.id in left)


def _taken(within: graph.Graph, start: str, left: set[str]) -> int:
    """Take a node and what is below it from those left; how many there were below."""
    left.discard(start)
    waiting, count = [start], 0
    while waiting:
        for each in within[waiting.pop()]:
            if each in left:
                left.discard(each)
                waiting.append(each)
                count += 1
    return count


# Which kinds of nodes may be related how, and which properties they may have.
#
# The rules are those of the GSN Community Standard (version 3, parts 1:2, 1:4 and 1:5) and of CAE blocks (Bloomfield
# and Netkachova 2014), which agree but for one: in CAE an argument stands between a claim and its sub-claims.

ARGUED = ("claim", "argument", "side-claim", "defeater")
"""Kinds that something can hold up and stand beside."""
HOLDING = ("claim", "argument", "evidence", "sub-case", "contract")
ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "supported_by": {
        **dict.fromkeys(ARGUED, HOLDING),
        "defeater": (*HOLDING, "defeater"),
        "contract": ("claim", "sub-case"),
    },
    "in_context_of": dict.fromkeys(ARGUED, (*BESIDE, "sub-case")),
    "confidence": dict.fromkeys(KINDS, ("claim", "side-claim", "sub-case")),
    "challenges": {"defeater": KINDS, "evidence": KINDS},
}
REMEDIES = {
    "supported_by": "Only claims, arguments, evidence, sub-cases and contracts hold up claims, arguments, "
    "side-warrants and defeaters; defeaters also other defeaters.",
    "in_context_of": "Only side-warrants, justifications, contexts and sub-cases stand beside claims, arguments, "
    "side-warrants and defeaters.",
    "confidence": "Confidence is argued by a claim, or by a sub-case that stands for one.",
    "challenges": "Only defeaters and evidence challenge; make it a defeater.",
}
OWNERS: dict[str, tuple[tuple[str, ...], Callable[[Node], bool]]] = {
    "block": (("argument",), lambda node: node.block is not None),
    "number": (("claim",), lambda node: node.number is not None),
    "of": (STANDING_IN, lambda node: bool(node.of)),
    "rests_on": (("evidence", "side-claim"), lambda node: bool(node.rests_on)),
    "assumption": (("side-claim",), lambda node: bool(node.assumption)),
    "digest": (("evidence", "side-claim"), lambda node: bool(node.digest)),
    "combining": (ARGUED, lambda node: node.combining != "all"),
    "undeveloped": ((*ARGUED, *STANDING_IN), lambda node: node.undeveloped),
    "by_contract": (("claim",), lambda node: node.by_contract),
}


@case_check(codes=("case-relation",))
def related(context: Context) -> Iterator[Diagnostic]:
    """Kinds that may not be related so."""
    for node in context.nodes:
        for relation, allowed in ALLOWED.items():
            kinds = allowed.get(node.kind, ())
            related = context.known(getattr(node, relation))
            wrong = [f"{each.called} {each.id!r}" for each in related if _kind_of(context, each, relation) not in kinds]
            if relation == "challenges" and not kinds:
                wrong += [f"relation {each!r}" for each in node.challenges if context.case.relation(each)]
            if wrong:
                named = validate.listed(wrong)
                text = f"{node.called} {node.id!r} {RELATIONS[relation]} {named}, which these kinds cannot."
                yield context.find(node, "error", "case-relation", text, REMEDIES[relation])


def _kind_of(context: Context, node: Node, relation: str) -> str:
    """Its kind; a sub-case that stands for evidence or a context is related as that is."""
    found = context.stands_for(node) if node.kind == "sub-case" and "/" in node.of else None
    apart = ("evidence",) if relation == "in_context_of" else GIVEN if relation == "supported_by" else ()
    return found.kind if found is not None and found.kind in apart else node.kind


@case_check(codes=("case-claim-on-claim", "case-argument-nested"))
def directly(context: Context) -> Iterator[Diagnostic]:
    """Claims on claims in CAE, and arguments on arguments."""
    for node in context.nodes:
        if node.kind == "claim" and context.case.notation == "cae":
            found = [each.id for each in context.known(node.supported_by) if each.kind in ("claim", "sub-case")]
            if found:
                text = f"Claim {node.id!r} rests on {validate.listed(found)} without an argument that says why."
                hint = "Put an argument between them, with its block."
                yield context.find(node, "note", "case-claim-on-claim", text, hint)
        if node.kind == "argument":
            found = [each.id for each in context.known(node.supported_by) if each.kind == "argument"]
            if found:
                text = f"Argument {node.id!r} rests on argument {validate.listed(found)}."
                hint = "Say the claim that the lower one argues for."
                yield context.find(node, "note", "case-argument-nested", text, hint)


@case_check(codes=("case-field-misplaced",))
def misplaced(context: Context) -> Iterator[Diagnostic]:
    """Properties that mean nothing for the kind of node that has them."""
    for node in context.nodes:
        wrong = [name for name, (kinds, given) in OWNERS.items() if node.kind not in kinds and given(node)]
        if node.digest and not node.rests_on and "digest" not in wrong:
            wrong.append("digest")
        if wrong:
            text = f"{node.called} {node.id!r} has {validate.listed(wrong)}, which nothing looks at there."
            hint = "Take it away, or change the kind; a digest needs rests_on."
            yield context.find(node, "warning", "case-field-misplaced", text, hint)


# Whether what is argued is argued: developed, or marked as undeveloped, and not both.


@case_check(codes=("case-undeveloped-developed",))
def both(context: Context) -> Iterator[Diagnostic]:
    """Marked undeveloped and yet developed."""
    for node in context.nodes:
        held = [each.id for each in context.known(node.supported_by) if each.kind != "contract"]
        if node.by_contract and (held or node.undeveloped):
            why = "is marked undeveloped too" if node.undeveloped else f"{held[0]!r} holds it up"
            text = f"Claim {node.id!r} is to be supported by a contract, and {why}."
            hint = "Keep one of them: the mark, or what holds it up."
            yield context.find(node, "error", "case-undeveloped-developed", text, hint)
        elif node.undeveloped and (node.supported_by or _answered(node)):
            why = "somebody answers for it" if not node.supported_by else f"{node.supported_by[0]!r} holds it up"
            text = f"{node.called} {node.id!r} is marked undeveloped, and {why}."
            hint = "Take the mark away, or what is below it."
            yield context.find(node, "error", "case-undeveloped-developed", text, hint)


@case_check(codes=("case-undeveloped-unmarked", "case-argument-empty"))
def neither(context: Context) -> Iterator[Diagnostic]:
    """Neither developed nor marked undeveloped."""
    for node in context.nodes:
        if node.supported_by or node.undeveloped or node.by_contract or _answered(node):
            continue
        if node.kind == "claim":
            text = f"Nothing holds claim {node.id!r} up, and it is not marked undeveloped."
            hint = "Argue for it, give evidence, or mark it undeveloped."
            yield context.find(node, "warning", "case-undeveloped-unmarked", text, hint)
        if node.kind == "argument" and not any(each.kind == "side-claim" for each in context.known(node.in_context_of)):
            text = f"Argument {node.id!r} rests on nothing."
            hint = "Say which claims or evidence it argues from, or mark it undeveloped."
            yield context.find(node, "warning", "case-argument-empty", text, hint)


def _answered(node: Node) -> bool:
    return node.stated is not None and node.stated.opinion is not None


# Doubts: a defeater speaks against something, and what is defeated was challenged (GSN version 3, part 1:5).


@case_check(codes=("case-defeater-idle",))
def idle(context: Context) -> Iterator[Diagnostic]:
    """Defeaters that speak against nothing."""
    for node in context.nodes:
        above = (context.by_id[each].kind for each in context.case.parents[node.id])
        if node.kind == "defeater" and not node.challenges and "defeater" not in above:
            text = f"Defeater {node.id!r} challenges nothing."
            hint = "Name what it speaks against, or make it a claim."
            yield context.find(node, "warning", "case-defeater-idle", text, hint)


@case_check(codes=("case-defeated-unchallenged",))
def unchallenged(context: Context) -> Iterator[Diagnostic]:
    """Defeated by nothing."""
    for node in context.nodes:
        unhurt = [each for each in node.defeated_relations if not _is_disputed(context, Relation(node.id, each))]
        if unhurt:
            text = f"{node.called} {node.id!r} marks its relation to {unhurt[0]!r} as defeated; nothing challenges it."
            hint = f"Add what challenges '{node.id} {ARROW} {unhurt[0]}' or one of its ends, or take the mark away."
            yield context.find(node, "error", "case-defeated-unchallenged", text, hint)
        if not node.defeated or context.case.challengers.get(node.id):
            continue
        if node.kind != "defeater":
            text = f"{node.called} {node.id!r} is marked defeated, and nothing challenges it."
            hint = "Add what speaks against it, or take the mark away."
        elif not node.stated and not node.note.strip():
            text = f"Defeater {node.id!r} is marked eliminated, and nothing says by what."
            hint = "Add what speaks against it, a note, or who answers for that."
        else:
            continue
        yield context.find(node, "error", "case-defeated-unchallenged", text, hint)


def _is_disputed(context: Context, relation: Relation) -> bool:
    """Whether something challenges a relation, or what stands at one of its ends."""
    against = context.case.challengers
    return any(against.get(end) or against.get(context.case.resolved(end)) for end in relation)


# Relations that are named by themselves: challenged, defeated, or with a claim point on them (parts 1:5 and 1:6).


@case_check(codes=("case-no-relation",))
def nonexistent(context: Context) -> Iterator[Diagnostic]:
    """Relations that are challenged, defeated or have a claim point, and are not there."""
    for node in context.nodes:
        for what, relation in _named_relations(context, node):
            source = context.by_id.get(relation.source)
            if source is None or relation.target not in _near(context, source):
                text = f"{node.called} {node.id!r} {what} the relation '{relation}', which is not there."
                hint = "The first of both is held up by the second, or stands in its context; name such a relation."
                yield context.find(node, "error", "case-no-relation", text, hint)


def _named_relations(context: Context, node: Node) -> Iterator[tuple[str, Relation]]:
    for each in node.challenges:
        relation = context.case.relation(each)
        if relation is not None and all(end in context.by_id for end in relation):
            yield "challenges", relation
    yield from (("marks as defeated", Relation(node.id, each)) for each in node.defeated_relations)
    for name, point in node.claim_points.items():
        others = (each for each in point.on if each != node.id)
        yield from ((f"has a claim point {name!r} on", Relation(node.id, each)) for each in others)


def _near(context: Context, node: Node) -> set[str]:
    """Ids that a node has a relation to, also of what sub-cases among them stand for."""
    below = [*node.supported_by, *node.in_context_of]
    return {*below, *(context.case.resolved(each) for each in below)}


# Modules: known, used, and referring to each other by what is public (GSN version 3, part 1:4).


@case_check(codes=("case-module-unknown",))
def listed(context: Context) -> Iterator[Diagnostic]:
    """Nodes of modules that the case does not list."""
    missing: dict[str, list[Node]] = {}
    for node in context.nodes:
        if node.module not in context.modules:
            missing.setdefault(node.module, []).append(node)
    for name, nodes in missing.items():
        text = f"{validate.counted(len(nodes), 'node')} of module {name!r}, which the case does not list."
        hint = "List the module, or take the nodes into another one."
        yield context.find(nodes[0], "error", "case-module-unknown", text, hint)


@case_check(codes=("case-module-extends",))
def extended(context: Context) -> Iterator[Diagnostic]:
    """Modules that extend what is not there, or in the end themselves."""
    modules, named = context.case.modules, context.case.module_named
    extended = {name: named(module.extends) if module.extends else None for name, module in modules.items()}
    above = {name: [] if other is None or other not in modules else [other] for name, other in extended.items()}
    looped = {name for circle in graph.circles(above) for name in circle}
    for name, module in modules.items():
        itself = name in looped or module.extends == name != ""
        if itself or (module.extends and context.case.module_named(module.extends) is None):
            text = f"Module {name!r} extends {module.extends!r}, {'and so itself' if itself else 'which is not there'}."
            hint = "Name the module that it is a version of."
            yield Diagnostic("case-module-extends", text, "error", f"{name}/", hint)


@case_check(codes=("case-develops",))
def developed(context: Context) -> Iterator[Diagnostic]:
    """Instances that develop what is not there, or what is developed already."""
    for name, module in context.case.modules.items():
        for of, identity, ids in module.instances():
            wrong = _instance_problem(context, name, of, identity, ids)
            if wrong:
                text = f"Module {name!r} develops {identity!r} of module {of!r}, {wrong}."
                hint = "Name an undeveloped node of that module, and claims, arguments or evidence of its own."
                yield Diagnostic("case-develops", text, "error", f"{name}/", hint)


def _instance_problem(context: Context, name: str, of: str, identity: str, ids: Sequence[str]) -> str:
    node = context.by_id.get(identity)
    if node is None:
        return "and there is no such node"
    if context.case.module_named(of) is not None and node.module != context.case.module_named(of):
        return f"which is in module {node.module!r}"
    strange = [each for each in ids if each not in context.by_id or context.by_id[each].module != name]
    if strange:
        return f"by {validate.listed(strange)}, which it does not have"
    others = [each for each in node.supported_by if context.case.resolved(each) not in ids]
    return f"which {validate.listed(others)} {'hold' if len(others) > 1 else 'holds'} up already" if others else ""


@case_check(codes=("case-module-unused",))
def unused(context: Context) -> Iterator[Diagnostic]:
    """Modules that nothing outside refers to."""
    used = {context.home, ""} | {context.case[each].module for each in _entered(context)}
    for name, module in context.case.modules.items():
        used |= {name, context.case.module_named(module.extends) or module.extends} if module.extends else set()
    for node in context.nodes:
        if node.kind in STANDING_IN and node.of in context.modules:
            used.add(node.of)
    for name in context.case.modules:
        if name not in used:
            text = f"Nothing refers to module {name!r}."
            hint = "Refer to it by a sub-case, or leave it out."
            yield Diagnostic("case-module-unused", text, "warning", f"{name}/", hint)


def _entered(context: Context) -> Iterator[str]:
    """Ids of nodes that a node of another module refers to."""
    nodes = context.by_id
    for identity, needed in context.needs.items():
        yield from (each for each in needed if nodes[each].module != nodes[identity].module)


@case_check(codes=("case-subcase-unresolved", "case-contract-unfulfilled"))
def unresolved(context: Context) -> Iterator[Diagnostic]:
    """Sub-cases that stand for nothing that is here, and contracts that nothing fulfils."""
    for node in context.nodes:
        argued = node.undeveloped or (not node.of and (node.supported_by or node.stated))
        if node.kind == "sub-case" and context.stands_for(node) is None and not argued:
            text = f"Sub-case {node.id!r} stands for {_named(context, node)}."
            hint = "Write module, or module/id of a claim there; mark it undeveloped if it is still to come."
            yield context.find(node, "error", "case-subcase-unresolved", text, hint)
        if node.kind == "contract" and context.stands_for(node) is None and not (node.supported_by or node.undeveloped):
            text = f"Contract {node.id!r} is not fulfilled: it stands for {_named(context, node)}."
            hint = "Name the module or the claim that fulfils it, or put a sub-case below it."
            yield context.find(node, "error", "case-contract-unfulfilled", text, hint)


def _named(context: Context, node: Node) -> str:
    if not node.of:
        return "nothing"
    module = node.of.partition("/")[0]
    if module not in context.modules:
        return f"{node.of!r}, and there is no module {module!r}"
    return f"{node.of!r}, and {'no such node is there' if '/' in node.of else 'that module has no top claim'}"


@case_check(codes=("case-subcase-kind", "case-subcase-text"))
def stood_for(context: Context) -> Iterator[Diagnostic]:
    """What a sub-case stands for: a claim, in the same words."""
    for node in context.nodes:
        claim = context.stands_for(node)
        if claim is None or node.kind != "sub-case":
            continue
        away = AWAY if context.case.notation == "gsn" else ("claim", "side-claim")
        if claim.kind not in away:
            text = f"Sub-case {node.id!r} stands for {claim.called} {claim.id!r}, which claims nothing."
            hint = "Let it stand for the claim that is argued there."
            yield context.find(node, "warning", "case-subcase-kind", text, hint)
        elif "/" in node.of and node.text.strip() and normal(node.text) != normal(claim.text):
            text = f"Sub-case {node.id!r} does not say what claim {claim.id!r} says: {claim.text[:80]!r}."
            yield context.find(node, "note", "case-subcase-text", text, "Repeat the words of the claim.")


@case_check(codes=("case-not-public",))
def private(context: Context) -> Iterator[Diagnostic]:
    """References into another module to what is not public."""
    for node in context.nodes:
        away = [each for each in context.known(node.below) if each.module != node.module]
        claim = context.stands_for(node) if "/" in node.of else None
        away += [claim] if claim is not None and claim.module != node.module else []
        hidden = [context.place(each) for each in away if not each.public]
        if hidden:
            text = f"{node.called} {node.id!r} refers to {validate.listed(hidden)} in another module, not public there."
            hint = "Mark it public there, or refer to something that is."
            yield context.find(node, "warning", "case-not-public", text, hint)


# Arguments: which CAE block they are, whether they are made as that block says, and how they combine what is below.


@case_check(codes=("case-block-missing", "case-block-mismatch"))
def blocks(context: Context) -> Iterator[Diagnostic]:
    """Arguments without a block in CAE, or not of the shape that their block has."""
    for node in context.nodes:
        if node.kind != "argument":
            continue
        if node.block is None and context.case.notation == "cae":
            text = f"Argument {node.id!r} does not say which block it is."
            hint = "One of decomposition, substitution, evidence incorporation, concretion and calculation."
            yield context.find(node, "note", "case-block-missing", text, hint)
        kinds = [each.kind for each in context.known(node.supported_by)]
        if node.block == "evidence incorporation" and kinds and "evidence" not in kinds:
            text = f"Argument {node.id!r} incorporates evidence, and no evidence is below it."
            hint = "Put the evidence below it, or choose another block."
            yield context.find(node, "warning", "case-block-mismatch", text, hint)
        if node.block == "decomposition" and len(node.supported_by) == 1 and not node.multiplicity:
            text = f"Argument {node.id!r} decomposes a claim into one part."
            hint = "Add the other parts, or choose substitution or concretion."
            yield context.find(node, "warning", "case-block-mismatch", text, hint)


@case_check(codes=("case-deduction-unstated", "case-conditionals-unused", "case-legs-alone"))
def combined(context: Context) -> Iterator[Diagnostic]:
    """Deductions without conditionals, conditionals without a deduction, legs that are none."""
    for node in context.nodes:
        conditional = node.stated is not None and node.stated.given_true is not None
        if node.combining == "deduction" and not conditional:
            text = f"{node.called} {node.id!r} is a deduction, and its conditionals are not stated."
            hint = "State the opinions given that what holds it up is true, and given that it is not."
            yield context.find(node, "error", "case-deduction-unstated", text, hint)
        if conditional and node.combining != "deduction":
            text = f"{node.called} {node.id!r} states conditionals, and it is no deduction."
            hint = "Set combining to deduction, or take the conditionals away."
            yield context.find(node, "warning", "case-conditionals-unused", text, hint)
        if node.combining == "legs" and len(set(node.supported_by)) < 2:
            text = f"{node.called} {node.id!r} has independent legs, of which there is {len(node.supported_by)}."
            hint = "Add another leg, or let all that is below it be needed."
            yield context.find(node, "warning", "case-legs-alone", text, hint)
