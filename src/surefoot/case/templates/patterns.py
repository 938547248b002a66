"""From templates to cases: patterns as files with placeholders, and instances filled with what was measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from surefoot.case.extensions import Choice
from surefoot.case.formats.case_file import write, written_as
from surefoot.case.formats.native import case_to_dict, refuse_long_keys, write_text
from surefoot.case.model import Block, Case, Node, Notation
from surefoot.case.templates.activities import Role, left_by, tags
from surefoot.case.templates.amlas import HINTS, amlas
from surefoot.case.templates.arguments import (
    ABOUT,
    ESTIMATOR,
    FOUR_STEPS,
    METRIC,
    MODELLED,
    MONITOR,
    NORMAL_SCORE,
    SYSTEM,
    Arguments,
    Method,
    claim_roles,
)
from surefoot.case.templates.builder import Draft, Ingredients
from surefoot.case.templates.fragments import Places, attached
from surefoot.case.templates.frames import NUMBERS, over_components, over_own, over_system, over_targets
from surefoot.core import InvalidInput, validate
from surefoot.documents import as_yaml, hyphenated, scalar

PLACEHOLDER = re.compile(r"\{[^{}]+\}")
COMPONENT = "{component}"
QUANTITY = "{quantity} of {component}"
METHODS = ("classification", "normal-score", "metric", "monitor", "ai-system")
NAMED = {"normal-score": NORMAL_SCORE, "monitor": MONITOR, "ai-system": SYSTEM}
LINKS = ("calibration of the model", "coverage of the data", "description of the input space")


def pattern(name: str) -> Case:
    """A template that nothing was filled in yet: placeholders in braces, multiplicity and choice.

    Parameters
    ----------
    name
        One of ``PATTERNS``.

    Returns
    -------
    Case
        To be written to a file, read and filled by hand.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.case.pattern("normal-score").top.text
    '{quantity} of {component} is at most {limit} per {exposure}, at level {level}.'

    """
    validate.choice(name, tuple(PATTERNS), where="pattern", name="pattern")
    made = PATTERNS[name]()
    nodes = {identity: _marked(node) for identity, node in made.nodes.items()}
    return replace(made, nodes=nodes, name=name, description=f"Pattern {name!r}: fill what stands in braces.")


def _marked(node: Node) -> Node:
    return replace(node, uninstantiated=node.uninstantiated or bool(PLACEHOLDER.search(node.text)))


def _of_method(method: Method) -> Case:
    draft = Draft(Ingredients("{system}"))
    text = "{quantity} of {component} is at most {limit} per {exposure}, at level {level}."
    draft.add("claim", "claim", text, supported_by=("argument",), tags=tags(*claim_roles(method)))
    found = "{quantity} of {component}: {value} {unit}, by {step}"
    draft.add("evidence", "evidence", found, tags=tags(*method.roles))
    _argument(draft, "argument", f"{method.sentence} By {{method}}.".strip(), method.block, method.roles)
    draft.relate("argument", supported_by=("evidence",), in_context_of=[part.name for part in method.parts])
    for part in method.parts:
        if not part.aspects:
            draft.add(part.name, "justification", f"{_filled(part.claim)} {part.text}", tags=tags(*part.roles))
            continue
        below = f"{part.name}.argument"
        draft.add(part.name, "side-claim", _filled(part.claim), supported_by=(below,), tags=tags(*part.roles))
        _argument(draft, below, part.text, part.block, part.roles, note=part.note)
    main = draft.nodes["argument"]
    optional = {part.name: "0..1" for part in method.parts if not part.always}
    draft.nodes["argument"] = replace(main, multiplicity={**main.multiplicity, **optional})
    return draft.case(method.name)


def _argument(draft: Draft, identity: str, text: str, block: Block, roles: tuple[Role, ...], note: str = "") -> None:
    text_of_side = "{assumption}, and what its check found."
    side = draft.add(f"{identity}.assumption", "side-claim", text_of_side, tags=tags(*roles))
    options: dict[str, Any] = {"block": block, "tags": tags(*roles), "note": note, "multiplicity": {side: "0..n"}}
    draft.add(identity, "argument", text, in_context_of=(side,), **options)


def _filled(text: str) -> str:
    return text.replace(ABOUT, QUANTITY)


def _classification() -> Case:
    """The four steps with all modelling assumptions; which of the last two is needed depends on the regions."""
    case = _of_method(FOUR_STEPS)
    draft = Draft(Ingredients("{system}"))
    draft.nodes = dict(case.nodes)
    for each in MODELLED:
        identity = f"assumption {each.number}"
        draft.add(identity, "side-claim", each.text, uninstantiated=True, tags=tags("verification"))
        draft.relate(f"{each.aspect}.argument", in_context_of=[identity])
    argument = draft.nodes["assembly.argument"]
    counts = {**argument.multiplicity, "assumption 6": "0..1", "assumption 7": "0..1"}
    draft.nodes["assembly.argument"] = replace(argument, multiplicity=counts)
    for name, (text, place) in ESTIMATOR.items():
        identity, said = f"profile.{name}", _filled(text)
        options: dict[str, Any] = {"undeveloped": True, "tags": tags("learning"), "note": f"{place} of RAM."}
        draft.add(identity, "side-claim", said, **options)
        draft.relate("profile.argument", in_context_of=[identity])
    return draft.case("classification")


def _metric() -> Case:
    draft = Draft(Ingredients("{system}"))
    draft.nodes = dict(_of_method(METRIC).nodes)
    for number, link in enumerate(LINKS, start=1):
        text = f"The {link} is known so far: {{opinion}}, and the metric is discounted by it."
        identity = draft.add(f"trust {number}", "justification", text, tags=tags("data"))
        draft.relate("argument", in_context_of=[identity])
    argument = draft.nodes["argument"]
    counts = {**argument.multiplicity, **{f"trust {number}": "0..1" for number in range(1, len(LINKS) + 1)}}
    draft.nodes["argument"] = replace(argument, multiplicity=counts)
    return draft.case("metric")


def _component() -> Case:
    draft = Draft(Ingredients("{system}", components={COMPONENT: "{description}"}))
    over_components(draft, Arguments(draft))
    return _general(_with_methods(draft))


def _system() -> Case:
    draft = Draft(Ingredients("{system}", components={COMPONENT: "{description}"}, hazard="{hazard}"))
    over_system(draft, Arguments(draft, sources=False))
    return _general(_with_methods(draft))


def _with_methods(draft: Draft) -> Draft:
    """Classification is made precise, and shown by one or more of the methods."""
    claim = next(identity for identity in draft.nodes if identity.startswith(f"LLC{NUMBERS['classification']}["))
    module = draft.nodes[claim].module
    shown = [
        draft.add(f"SubC11 by {name}", "sub-case", f"Shown by the pattern {name!r}.", undeveloped=True, module=module)
        for name in METHODS
    ]
    concretion = draft.add(
        "LLA3",
        "argument",
        "Reliability is made precise: {quantity} is at most {limit} per {exposure}, at level {level}.",
        block="concretion",
        supported_by=shown,
        choice=(Choice(tuple(shown), 1, len(shown)),),
        module=module,
        tags=tags("requirements"),
    )
    draft.relate(claim, supported_by=[concretion])
    return draft


def _general(draft: Draft) -> Case:
    """The ids of the only component are those of the paper, and there may be more than one of it."""
    case = draft.case("")
    suffix = re.compile(r"\[[^\]]*\]$")
    plain = {identity: suffix.sub("", identity) for identity in case.nodes}
    modules = {suffix.sub("", key): replace(each, name=suffix.sub("", key)) for key, each in case.modules.items()}
    nodes = {plain[node.id]: _renamed(node, plain, suffix) for node in case}
    nodes |= {node.id: _counted(node) for node in nodes.values()}
    return replace(case, nodes=nodes, modules=modules)


def _renamed(node: Node, plain: Mapping[str, str], suffix: re.Pattern[str]) -> Node:
    names = ("supported_by", "in_context_of", "challenges")
    relations: dict[str, Any] = {name: tuple(plain[each] for each in getattr(node, name)) for name in names}
    module, _, claim = node.of.partition("/")
    of = f"{suffix.sub('', module)}/{plain[claim]}" if claim else node.of
    return replace(node, id=plain[node.id], module=suffix.sub("", node.module), of=of, **relations)


def _counted(node: Node) -> Node:
    several = {each: "1..n" for each in node.supported_by if each in ("LLC1", "SubC7")}
    optional = {each: "0..1" for each in node.supported_by if each in ("LLC4", "LLC5", "LLC6")}
    return replace(node, multiplicity={**node.multiplicity, **several, **optional})


PATTERNS: Mapping[str, Callable[[], Case]] = {
    "amlas": amlas,
    "system": _system,
    "component": _component,
    "classification": _classification,
    **{name: partial(_of_method, method) for name, method in NAMED.items()},
    "metric": _metric,
}
"""Patterns by name."""
PATTERN_SUMMARIES: Mapping[str, str] = {
    "amlas": "A learned component by the six stages of AMLAS, with its artefacts A to HH as nodes to be filled.",
    "system": "A whole system: its requirements, now and later, carried to learned components by fault trees (RAM).",
    "component": "A learned component by its functions, each shown by one or more methods (RAM).",
    "classification": "Reliability by the four steps of the RAM, with its seven assumptions.",
    "normal-score": "A failure probability by margins that are normal (NRB).",
    "metric": "A metric as an opinion, discounted by how far model, data and input space can be trusted (SL).",
    "monitor": "What a runtime monitor gains and costs (MON).",
    "ai-system": "A system of many modules, measured under a mix of conditions (SYS).",
}
"""What each pattern is about, in a line."""


# From ingredients to a case: a frame, an argument for each target, and what the user wrote.

Frame = Literal["targets", "component", "system", "own"]
FRAMES: Mapping[Frame, Callable[[Draft, Arguments], None]] = {
    "targets": over_targets,
    "component": over_components,
    "system": over_system,
    "own": over_own,
}


@validate.arguments
def instantiate(
    ingredients: Ingredients, *, frame: Frame = "targets", own: Case | None = None, places: Places | None = None
) -> Case:
    """The case of a system: a frame, an argument for each target, and what the user wrote.

    Ids are stable: a target keeps its name, and the same assumption has one id wherever it appears.

    Parameters
    ----------
    ingredients
        What it is filled with.
    frame
        What it begins with: all ``targets`` beside each other, learned components (``component``) by their functions,
        the whole ``system``, or nothing but what the user wrote (``own``).
    own
        What the user wrote: nodes with ids of the template add to it, others are new, and fragments such as ``@target
        misses`` are attached where it names them.
    places
        Where it names them, for messages.

    Returns
    -------
    Case
        The case; what is not known yet is undeveloped.

    Raises
    ------
    DiagnosticsError
        Where a fragment is named that there is not.

    References
    ----------
    RAM section 3.1, Figure 3; section 5.1, Figure 8.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.case import Goal, Ingredients, instantiate
    >>> tests = sf.bounds.clopper_pearson(1, 3000, level=0.95, quantity="misses")
    >>> verdict = tests.meets(sf.Target(at_most=0.01))
    >>> evidence = {"tests": sf.Evidence((tests,), provenance=tests.provenance)}
    >>> goal = Goal("misses", "It misses at most 1%.", verdict, tests, "tests.misses")
    >>> case = instantiate(Ingredients("Detector", (goal,), evidence))
    >>> case.evaluate(evidence)["misses"].standing
    'supported'

    """
    validate.choice(frame, tuple(FRAMES), where="instantiate", name="frame")
    if frame == "own" and own is None:
        remedy = "Give the author's case, or choose another frame."
        raise InvalidInput(
            "an own frame is nothing without a case", where="instantiate", found="own=None", remedy=remedy
        )
    if frame == "own" and own is not None:
        author = [tag for node in own for tag in node.tags]
        ingredients = replace(ingredients, standards=left_by(author, ingredients.standards))
    draft = Draft(ingredients)
    arguments = Arguments(draft, sources=frame != "system")
    FRAMES[frame](draft, arguments)
    if own is None:
        return draft.case(ingredients.system)
    resolved = attached(draft, arguments, own, places)
    case = merged(draft.case(ingredients.system), resolved)
    return replace(case, nodes=_author_first(case, resolved)) if frame == "own" else case


def _author_first(case: Case, own: Case) -> dict[str, Node]:
    """The author's nodes as they are written, then those of fragments."""
    return {identity: case.nodes[identity] for identity in (*own.nodes, *case.nodes)}


# A user's own part of a case, merged by ids into what a template made.

UNITED = ("supported_by", "in_context_of", "challenges", "choice", "tags")
OF_THE_NODE = ("id", "kind")
DEFAULTS = Node("id", "claim", "")


def merged(template: Case, own: Case) -> Case:
    """The template's case with what the user wrote.

    A node with the id of a template's node adds to it: what it gives overrides (its kind where it has a text),
    relations and tags are united, and it is undeveloped no longer once something is below, it stands for another claim
    or somebody answers for it. Other nodes are new. Where relations lead nowhere, ``check`` tells.
    """
    nodes = dict(template.nodes)
    for node in own:
        before = nodes.get(node.id)
        nodes[node.id] = node if before is None else _added(before, node)
    return replace(
        template,
        nodes={identity: _developed(node) for identity, node in nodes.items()},
        name=own.name or template.name,
        description=own.description or template.description,
        modules={**template.modules, **own.modules},
        notation=own.notation,
        policy=own.policy,
    )


def _added(before: Node, node: Node) -> Node:
    given: dict[str, Any] = {}
    for each in fields(Node):
        value = getattr(node, each.name)
        if each.name in UNITED:
            given[each.name] = tuple(dict.fromkeys((*getattr(before, each.name), *value)))
        elif each.name == "multiplicity":
            given[each.name] = {**before.multiplicity, **value}
        elif each.name not in OF_THE_NODE and value != getattr(DEFAULTS, each.name):
            given[each.name] = value
    return replace(before, **given, kind=node.kind if node.text else before.kind)


def _developed(node: Node) -> Node:
    answered = node.supported_by or node.of or node.stated
    return replace(node, undeveloped=False) if node.undeveloped and answered else node


MAIN = "case.yaml"
HEAD = """\
# {about}
#
# To make it a case: fill what stands in braces and remove the lines uninstantiated: true. Where a multiplicity says
# 1..n, write so many nodes and remove it; where there is a choice, keep what is used and remove it.
# What is not argued yet stays undeveloped: true, and counts as open.
#   surefoot case check {name}     what is left to do
#   surefoot case draw {name} case.svg
"""
PART = """\
# {brief}
# One module of {name}, which names this file.
"""


def write_pattern(name: str, place: Path, notation: Notation = "cae") -> list[Path]:
    """Write a pattern; gives the files, the one to begin with first.

    A folder gets case.yaml and a file for each module; the ending of a file says its format, and YAML has comments.
    """
    case = replace(pattern(name), notation=notation)
    if is_folder(place):
        place.mkdir(exist_ok=True)
        texts = dict(_texts(case, name))
        for file, text in texts.items():
            write_text(place / file, text)
        return [place / file for file in texts]
    if written_as(place) != "yaml":
        return [write(case, place)]
    refuse_long_keys(case, place)
    write_text(place, HEAD.format(about=PATTERN_SUMMARIES[name], name=place.name) + _commented(case_to_dict(case)))
    return [place]


def files_of(name: str, place: Path) -> list[Path]:
    """Where the files of a pattern will be."""
    if not is_folder(place):
        return [place]
    return [place / MAIN, *(place / _file(module) for module in pattern(name).modules)]


def is_folder(place: Path) -> bool:
    """Whether a place without the ending of a file is meant as a folder, or is one."""
    return place.is_dir() or not place.suffix


def to_fill(case: Case) -> dict[str, int]:
    """What stands in braces, and in how many nodes, the most frequent first."""
    counts = Counter(each for node in case for each in dict.fromkeys(PLACEHOLDER.findall(node.text)))
    return dict(counts.most_common())


def _texts(case: Case, name: str) -> Iterator[tuple[str, str]]:
    """Files of a folder: the main one names the others."""
    main = replace(case, nodes={node.id: node for node in case if not node.module})
    data = case_to_dict(main)
    data["modules"] = {key: {**said, "file": _file(key)} for key, said in data.get("modules", {}).items()}
    if not data["modules"]:
        del data["modules"]
    yield MAIN, HEAD.format(about=PATTERN_SUMMARIES[name], name=MAIN) + _commented(data)
    for key, module in case.modules.items():
        part = Case.of(_within(case, key), name=module.name, notation=case.notation)
        yield _file(key), PART.format(brief=module.brief, name=MAIN) + _commented(case_to_dict(part))


def _within(case: Case, module: str) -> Iterator[Node]:
    return (replace(node, module="") for node in case if node.module == module)


def _file(module: str) -> str:
    words = re.sub(r"[^\w -]+", " ", module).strip()
    return f"{hyphenated(words)}.yaml"


def _commented(data: Mapping[str, Any]) -> str:
    """The YAML of a case, with a comment before each node that has one."""
    about = {f"  {scalar(identity)}:\n": text for identity, text in HINTS.items() if identity in data["nodes"]}
    found: list[str] = []
    for line in as_yaml(data, blocks=3).splitlines(keepends=True):
        found += [f"  # {each}\n" for each in about.get(line, "").splitlines()]
        found.append(line)
    return "".join(found)
