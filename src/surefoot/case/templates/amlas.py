"""The argument of AMLAS as a pattern: six stages, the 34 artefacts as nodes to be filled, a module for each stage.

Written from the structure of the guidance (Hawkins and others 2021, version 1.1) in words of our own: the argument
artefacts G, K, T, Y, CC and HH are the top claims of the stages, the patterns F, I, R, W, BB and GG the arguments below
them, everything else is evidence. A side-warrant in every stage says what the guidance leaves to the safety process
around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surefoot.case.extensions import Choice, Module
from surefoot.case.model import Case, Kind, Node
from surefoot.case.standards import ARTEFACTS, STAGES, stage_of

MODULES = ("", "requirements", "data", "learning", "verification", "deployment")
"""A module for each stage; the first is the case itself."""
DOCUMENTS = {
    "A": "{document with the safety requirements of the system}",
    "B": "{document on where and when the system works}",
    "C": "{document on the parts of the system and how they work together}",
    "D": "{document on the component: its task, inputs, outputs and limits}",
    "E": "{document with the requirements that the component has to keep}",
    "H": "{document with quantities, limits and conditions}",
    "J": "{results of reviews, analysis or simulation}",
    "L": "{document on relevance, completeness, accuracy and balance}",
    "M": "{document that says why these requirements are enough}",
    "N": "{data set and its content hash}",
    "O": "{data set and its content hash}",
    "P": "{data set and its content hash}",
    "Q": "{record of sources, labelling, cleaning and changes}",
    "S": "{results for each data requirement}",
    "U": "{record of kinds of models, parameters and choices}",
    "V": "{file and its content hash}",
    "X": "{result of internal tests}",
    "Z": "{result of tests on verification data}",
    "AA": "{record of who verified what, when, and with which data}",
    "DD": "{record of what went wrong at inputs, outputs and inside, and what the system does then}",
    "EE": "{scenarios that cover the operating environment}",
    "FF": "{results of the integrated system in these scenarios}",
}
"""What is filled in for artefacts that are evidence."""
HINTS = {
    "G1.1": "Stage 1: what is assured, and for what. The top claim of the case.",
    "A1.1": "A side-warrant: argue it (supported by), let somebody answer for it (stated), or leave it undeveloped.",
    "A": "Artefacts are evidence. Fill in the text, name what it rests on (rests on: STEP, or url: FILE), and remove\n"
    "uninstantiated.",
    "G2.1 away": "The other stages are modules; each is argued below under its own heading.",
    "G2.1": "Stage 2: the requirements on the component, made precise for the model.",
    "G2.4": "One claim for each ML safety requirement; give it its number (number: {quantity: ..., at most: ...}).",
    "S2.4": "The same three stages hold up every ML safety requirement.",
    "G3.1": "Stage 3: the data, and why they are enough.",
    "G3.4": "The four kinds of data requirements; write one claim for each requirement of a kind.",
    "N": "Development, internal test and verification data: three sets that share nothing.",
    "G4.1": "Stage 4: how the model was made.",
    "G5.1": "Stage 5: the model, verified by others on data that its developers did not see.",
    "G5.3": "Tests, proofs or both: delete what is not used, and the choice with it. The argument that a project\n"
    'makes from its results is attached with supported by: ["@target NAME"].',
    "Z": "A measured result: rests on: STEP.QUANTITY.",
    "G6.1": "Stage 6: the model inside the system, and in operation.",
}
"""Comments of a file, before the node with this id."""


def amlas() -> Case:
    """The pattern, in CAE; a notation is a matter of drawing it."""
    nodes = {node.id: node for node in _nodes()}
    briefs = {name: Module(name, f"AMLAS stage {stage}: {STAGES[stage - 1]}") for stage, name in _numbered()}
    return Case(nodes, name="amlas", modules=briefs)


def _numbered() -> Iterator[tuple[int, str]]:
    yield from enumerate(MODULES[1:], start=2)


def _nodes() -> Iterator[Node]:
    for stage in (_scoping, _requirements, _data, _learning, _verification, _deployment):
        yield from stage()


def _node(stage: int, identity: str, kind: Kind, text: str, *below: str, artefact: str = "", **fields: Any) -> Node:
    tag = f"AMLAS: artefact {artefact}" if artefact else f"AMLAS: stage {stage}"
    return Node(identity, kind, text, below, module=MODULES[stage - 1], tags=(tag,), **fields)


def _artefact(letter: str) -> Node:
    text = f"{ARTEFACTS[letter]} [{letter}]: {DOCUMENTS[letter]}."
    return _node(stage_of(letter), letter, "evidence", text, artefact=letter)


def _away(stage: int, claim: str) -> Node:
    """A sub-case for the top claim of another stage, in the words of that claim."""
    other = int(claim[1])
    options: dict[str, Any] = {"of": f"{MODULES[other - 1]}/{claim}"}
    return _node(stage, f"{claim} away", "sub-case", TOPS[claim], **options)


def _by_documents(stage: int, identity: str, text: str, *letters: str) -> Iterator[Node]:
    yield _node(stage, identity, "argument", text, *letters, block="evidence incorporation")
    for letter in letters:
        yield _artefact(letter)


TOPS = {
    "G1.1": "{component} keeps the safety requirements allocated to it, in {system} and where {system} works.",
    "G2.1": "The model of {component} keeps the allocated safety requirements, made precise as ML safety requirements.",
    "G3.1": "The data of {component} are enough to learn from, and to show that the ML safety requirements are kept.",
    "G4.1": "The ML model of {component} was made in a way that suits the ML safety requirements.",
    "G5.1": "The ML model of {component} keeps the ML safety requirements on inputs that its developers did not see.",
    "G6.1": "Inside {system} and in operation, {component} keeps the safety requirements allocated to it.",
}


def _scoping() -> Iterator[Node]:
    beside = ("C1.1", "A1.1")
    yield _node(1, "G1.1", "claim", TOPS["G1.1"], "S1.1", artefact="G", in_context_of=beside)
    text = "{component} is one part of {system}; what is around it is argued in the safety case of {system}."
    yield _node(1, "C1.1", "context", text)
    text = "The safety process of {system} found the hazards that matter, and {component} was given its share of them."
    yield _node(1, "A1.1", "side-claim", text, undeveloped=True)
    text = "Split by what is assured, whether the model does what is asked, and whether it still does inside {system}."
    below = ("G1.2", "G2.1 away", "G6.1 away")
    yield _node(1, "S1.1", "argument", text, *below, artefact="F", block="decomposition")
    yield _node(
        1, "G1.2", "claim", "It is settled what {component} is, where it works and what safety asks of it.", "S1.2"
    )
    yield from _by_documents(1, "S1.2", "By the documents of the system and of the component.", "A", "B", "C", "D", "E")
    yield _away(1, "G2.1")
    yield _away(1, "G6.1")


def _requirements() -> Iterator[Node]:
    public = {"public": True}
    yield _node(2, "G2.1", "claim", TOPS["G2.1"], "S2.1", artefact="K", in_context_of=("A2.1",), **public)
    text = "{what the system does before and after the model} keeps its own share of the allocated requirements."
    yield _node(2, "A2.1", "side-claim", text, undeveloped=True)
    text = "Split by whether the ML safety requirements are the right ones, and whether the model keeps them."
    yield _node(2, "S2.1", "argument", text, "G2.2", "G2.3", artefact="I", block="decomposition")
    text = "What the ML safety requirements ask of the model is what the allocated ones ask of {component}."
    yield _node(2, "G2.2", "claim", text, "S2.2")
    yield from _by_documents(2, "S2.2", "By how they were derived, and by their validation.", "H", "J")
    yield _node(2, "G2.3", "claim", "The ML model of {component} keeps every ML safety requirement.", "S2.3")
    several = {"G2.4": "1..n", "G2.5": "1..n"}
    text = "Split by requirements on performance and on robustness."
    yield _node(2, "S2.3", "argument", text, "G2.4", "G2.5", block="decomposition", multiplicity=several)
    text = "Performance: {quantity} of the model is at most {limit} per {exposure} under {conditions}."
    yield _node(2, "G2.4", "claim", text, "S2.4")
    text = "Robustness: the model keeps its performance when inputs change by {variations of operation}."
    yield _node(2, "G2.5", "claim", text, "S2.4")
    below = ("G3.1 away", "G4.1 away", "G5.1 away")
    text = "By the data, by how the model was made, and by its verification."
    yield _node(2, "S2.4", "argument", text, *below, block="decomposition")
    for claim in ("G3.1", "G4.1", "G5.1"):
        yield _away(2, claim)


def _data() -> Iterator[Node]:
    yield _node(3, "G3.1", "claim", TOPS["G3.1"], "S3.1", artefact="T", in_context_of=("A3.1",), public=True)
    text = "What the data requirements leave out does not matter for safety: {what was left out, and why}."
    yield _node(3, "A3.1", "side-claim", text, undeveloped=True)
    text = "Split by whether data requirements are the right ones, data meet them, and data sets were made as required."
    yield _node(3, "S3.1", "argument", text, "G3.2", "G3.3", "G3.8", artefact="R", block="decomposition")
    text = "Data that meet the data requirements are enough for the ML safety requirements of {component}."
    yield _node(3, "G3.2", "claim", text, "S3.2")
    yield from _by_documents(3, "S3.2", "By the requirements and the reasons for them.", "L", "M")
    yield _node(3, "G3.3", "claim", "The data of {component} meet the data requirements.", "S3.3")
    kinds = {
        "G3.4": "Relevance: every item could come up in {operating environment}.",
        "G3.5": "Completeness: {conditions of operation} are all there.",
        "G3.6": "Accuracy: at most {share} of labels and measurements are wrong.",
        "G3.7": "Balance: {groups} are there as often as learning and testing need.",
    }
    options: dict[str, Any] = {"multiplicity": dict.fromkeys(kinds, "1..n"), "block": "decomposition"}
    yield _node(3, "S3.3", "argument", "Split by the four kinds of data requirements.", *kinds, **options)
    for identity, text in kinds.items():
        yield _node(3, identity, "claim", text, "S3.4")
    yield from _by_documents(3, "S3.4", "By the validation of the data.", "S")
    text = "Development, internal test and verification data of {component} were made as required, and share nothing."
    yield _node(3, "G3.8", "claim", text, "S3.8")
    yield from _by_documents(3, "S3.8", "By the data sets and the record of how they were made.", "N", "O", "P", "Q")


def _learning() -> Iterator[Node]:
    yield _node(4, "G4.1", "claim", TOPS["G4.1"], "S4.1", artefact="Y", in_context_of=("A4.1",), public=True)
    text = "Internal test data had no part in learning, beyond {how they were used to select a model}."
    yield _node(4, "A4.1", "side-claim", text, undeveloped=True)
    text = "Split by what internal tests show, how learning was set up, and which model was selected."
    yield _node(4, "S4.1", "argument", text, "G4.2", "G4.3", "G4.4", artefact="W", block="decomposition")
    claims = {
        "G4.2": ("The model of {component} keeps the ML safety requirements on internal test data.", "X"),
        "G4.3": ("The kind of model, its training and its parameters suit the task: {why}.", "U"),
        "G4.4": (
            "The model that is deployed is the one that was selected and is assessed here: {how that is known}.",
            "V",
        ),
    }
    yield from _each_by_one(4, claims)


def _verification() -> Iterator[Node]:
    yield _node(5, "G5.1", "claim", TOPS["G5.1"], "S5.1", artefact="CC", in_context_of=("A5.1",), public=True)
    text = "Verification data are like the inputs of operation: {why}."
    yield _node(5, "A5.1", "side-claim", text, undeveloped=True)
    text = "Split by the independence of verification, and what it shows: by tests, by proofs, or by both."
    either: dict[str, Any] = {"choice": (Choice(("G5.3", "G5.4"), 1, 2),), "block": "decomposition"}
    yield _node(5, "S5.1", "argument", text, "G5.2", "G5.3", "G5.4", artefact="BB", **either)
    claims = {
        "G5.2": ("Who verified the model of {component} was independent of who made it, and so were the data.", "AA"),
        "G5.3": ("Tests on verification data show that {quantity} is at most {limit} per {exposure}.", "Z"),
    }
    yield from _each_by_one(5, claims)
    yield _node(5, "G5.4", "claim", "A proof shows that {property} holds for {set of inputs}.", "Z.proof")
    text = f"{ARTEFACTS['Z']} [Z], by formal verification: {{result of a proof, with the method and its tool}}."
    yield _node(5, "Z.proof", "evidence", text, artefact="Z")


def _deployment() -> Iterator[Node]:
    yield _node(6, "G6.1", "claim", TOPS["G6.1"], "S6.1", artefact="HH", in_context_of=("A6.1",), public=True)
    text = "{system} is in operation what was described and tested: {how changes are noticed}."
    yield _node(6, "A6.1", "side-claim", text, undeveloped=True)
    text = "Split by what happens when the model errs, what tests of the whole show, and what is watched in operation."
    yield _node(6, "S6.1", "argument", text, "G6.2", "G6.3", "G6.4", artefact="GG", block="decomposition")
    text = "{system} stands wrong inputs and wrong answers of {component}: {what it does then}."
    yield from _each_by_one(6, {"G6.2": (text, "DD")})
    yield _node(
        6, "G6.3", "claim", "With the model in it, {system} does what is required in operational scenarios.", "S6.3"
    )
    yield from _by_documents(6, "S6.3", "By tests of the integrated system.", "EE", "FF")
    text = "Operation is watched for what would make the argument fail: {monitors, and who looks at them}."
    yield _node(6, "G6.4", "claim", text, undeveloped=True)


def _each_by_one(stage: int, claims: dict[str, tuple[str, str]]) -> Iterator[Node]:
    """Claims that one artefact each holds up."""
    for identity, (text, letter) in claims.items():
        yield _node(stage, identity, "claim", text, letter)
        yield _artefact(letter)
