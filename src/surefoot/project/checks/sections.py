"""Problems of the sections of a project file: steps and circles among them, targets, conditions, case, document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.adapters.project_code import file_digest, locate_file
from surefoot.core import DiagnosticsError, InvalidInput, SurefootError, Undefined
from surefoot.documents import Keys, Problem, did_you_mean, shown
from surefoot.opinions import judgement
from surefoot.project.checks.parameters import (
    component_of,
    component_problems,
    data_set_problems,
    file_problems,
    function_problems,
    module_problems,
    parameter_problems,
    reference_problems,
    result_problems,
)
from surefoot.project.checks.trees import hazard_problems, product_combination, tree_problems
from surefoot.project.checks.validation import Draft, needed_steps
from surefoot.project.definition import (
    DOCUMENT,
    CaseSource,
    DataSource,
    DocumentControl,
    FeedbackSource,
    TargetSource,
)
from surefoot.project.definition.system import all_keys, exposure_of, keys_of, reference_of
from surefoot.project.inputs import PATH, NamesCode, NamesDocument, NamesFile, NamesFunctions, files_named
from surefoot.project.registry import Step, find, rivals

if TYPE_CHECKING:
    from surefoot.case import Case

CONTROL = "document-control"


def step_problems(draft: Draft) -> Iterator[Problem]:
    """Problems of every step, then circles among them."""
    waits_for: dict[str, list[str]] = {}
    for name, source in draft.definition.steps.items():
        at: Keys = draft.definition.place_of_step(name)
        try:
            step = find(source.step)
        except DiagnosticsError as error:
            yield from (Problem(d.code, (*at, "step"), f"cannot be used: {d.text}", d.hint) for d in error.diagnostics)
            continue
        yield from _rivals(step, at)
        yield from component_problems(draft, source, step, at)
        yield from data_set_problems(draft, source, step, at)
        yield from parameter_problems(draft, source, step, at)
        for place, (text, mark) in files_named(step.fields, source.parameters).items():
            if isinstance(mark, NamesFunctions):
                given = source.parameters[str(place[0])][text]
                yield from function_problems(text, given, draft.folder, (*at, *place))
                continue
            yield from _named_problems(text, mark, draft.folder, (*at, *place))
            if isinstance(mark, NamesDocument) and mark.as_stated:
                yield from _content_problems(source.parameters[str(place[0])], draft.folder, (*at, place[0]))
        yield from result_problems(draft, source.parameters, step, at)
        yield from tree_problems(draft, source, at)
        yield from hazard_problems(draft, source, at)
        if source.step == "product":
            yield from product_combination(draft, source.parameters, at)
        waits_for[name] = needed_steps(step, source.parameters)
    yield from _circles(draft, waits_for)


def _named_problems(text: str, mark: NamesFile, folder: Path, at: Keys) -> Iterator[Problem]:
    if isinstance(mark, NamesCode):
        return module_problems(text, folder, at)
    return file_problems(text, folder, at, mark.suffixes)


def _content_problems(said: Mapping[str, object], folder: Path, at: Keys) -> Iterator[Problem]:
    """A document whose file has another content than the one that was counted in."""
    path, stated = folder / str(said[PATH]), said.get("sha256")
    if isinstance(stated, str) and path.is_file() and (found := file_digest(path)) != stated.lower():
        text = f"is {stated[:16]}, and that of the file {found[:16]}: it is not the document that was counted in."
        hint = f"Count anew and write sha256: {found}, or bring the document back."
        yield Problem("document-changed", (*at, "sha256"), text, hint)


def _rivals(step: Step, at: Keys) -> Iterator[Problem]:
    for source in rivals(step.name):
        text = f"is the step of Surefoot; {source} registers another one under the same name."
        yield Problem("unknown-step", (*at, "step"), text, f"Rename the entry point of {source}.", "warning")


def _circles(draft: Draft, waits_for: dict[str, list[str]]) -> Iterator[Problem]:
    while True:
        try:
            TopologicalSorter(waits_for).prepare()
            return
        except CycleError as error:
            circle = error.args[1][::-1]
        text = f"waits for itself: {' -> '.join(circle)}."
        yield Problem(
            "cyclic-steps", draft.definition.place_of_step(circle[0]), text, "Remove one of these references."
        )
        waits_for = {name: others for name, others in waits_for.items() if name not in circle}


# Problems of targets, and of conditions that look at columns of the data.

UNWANTED = re.compile(r"\b(failures?|hazards?|miss(es|ed)?|errors?|risks?|loss(es)?|accidents?)\b", re.IGNORECASE)


def target_problems(draft: Draft) -> Iterator[Problem]:
    """Results that do not exist, and limits that cannot be."""
    for name, source in draft.definition.all_targets.items():
        at: Keys = draft.definition.place_of_target(name)
        yield from reference_problems(draft, source.estimate, (*at, "estimate"))
        yield from _direction_problems(source, at)
        yield from _key_problems(source, at) or _limit_problems(source, at)


def _key_problems(source: TargetSource, at: Keys) -> list[Problem]:
    """Keys that the principle does not take, or that it needs and are not there."""
    given = [key for key in source.model_fields_set if getattr(source, key) is not None]
    every = {key for keys in all_keys().values() for key in keys}
    if source.principle is None:
        hint = "Remove it, or give a principle in place of the limit."
        text = "belongs to a principle, and this target states its limit."
        return [Problem("unknown-key", (*at, key), text, hint) for key in given if key in every]
    taken = keys_of(source.principle)
    unused = f"is no key of the principle {source.principle}."
    missing = f"is missing; the principle {source.principle} needs it."
    return [
        *(
            Problem("unknown-key", (*at, key), unused, did_you_mean(key, list(taken)))
            for key in given
            if key in every - set(taken)
        ),
        *(Problem("missing-key", (*at, key), missing) for key, needed in taken.items() if needed and key not in given),
    ]


def _limit_problems(source: TargetSource, at: Keys) -> Iterator[Problem]:
    """What is wrong with the first part of a limit that is wrong; the others may follow from it."""
    limit = next(key for key in ("at_most", "at_least", "principle") if getattr(source, key) is not None)
    parts: dict[str, Callable[[], object]] = {
        "reference": lambda: reference_of(source.reference),
        "exposure": lambda: exposure_of(source.exposure),
        limit: lambda: source.target,
    }
    for key, made in parts.items():
        try:
            made()
        except SurefootError as error:
            seen = "" if error.found is None else f"; found {error.found}"
            named = _key_named(error, source) if key == limit else key
            yield Problem("wrong-value", (*at, named or limit), f"cannot be: {error.problem}{seen}.", error.remedy)
            return


def _key_named(error: SurefootError, source: TargetSource) -> str | None:
    """The key that an error of a principle begins with, or that it says it is about."""
    words = (error.problem.partition(" ")[0], error.where.partition(" ")[0])
    return next((word for word in words if word in (*source.model_fields_set, "exposure")), None)


def _direction_problems(source: TargetSource, at: Keys) -> Iterator[Problem]:
    """A limit on the wrong side of what should be rare."""
    quantity = source.estimate.partition(".")[2].partition("[")[0]
    if source.at_least is not None and UNWANTED.search(quantity):
        text = f"asks for at least so much of {shown(quantity)}, of which less is better."
        yield Problem("wrong-value", (*at, "at_least"), text, "Did you mean at_most?", "warning")


def condition_problems(draft: Draft) -> Iterator[Problem]:
    """Columns that the tested data do not bring."""
    tested = _tested_data(draft)
    for number, condition in enumerate(draft.definition.conditions.assumptions):
        for name, data in tested.items():
            if condition.column is not None and condition.column not in data.attributes:
                at: Keys = ("conditions", "assumptions", number, "column")
                text = f"names {shown(condition.column)}, which is not among the attributes of {name}."
                hint = did_you_mean(condition.column, data.attributes)
                yield Problem("unknown-reference", at, text, hint or f"Add attributes: [{condition.column}] to it.")


def _tested_data(draft: Draft) -> dict[str, DataSource]:
    """The data sets that steps are tested on, as far as they can be read."""
    tested: dict[str, DataSource] = {}
    for source in draft.definition.steps.values():
        component = component_of(draft, source)
        name = source.component or next(iter(draft.component_names), "")
        if component and source.on in component.data and _is_tested(source.step):
            tested[f"components.{name}.data.{source.on}"] = component.data[source.on]
    return tested


def _is_tested(step: str) -> bool:
    try:
        return "tested" in find(step).roles.values()
    except DiagnosticsError:
        return False


# Problems of the case section: files that cannot be read, claims that are no targets, judgements that cannot be.


def case_problems(draft: Draft) -> Iterator[Problem]:
    """What is wrong with the section as it is written."""
    case, targets = draft.definition.case, draft.definition.all_targets
    yield from _feedback_problems(case.feedback, targets)
    for key, named, known in (
        ("functions", case.functions, draft.component_names),
        ("speaks_of", case.speaks_of, targets),
    ):
        for name in named:
            if name not in known:
                what = "component" if key == "functions" else "target"
                yield Problem(
                    "unknown-reference", ("case", key, name), f"is no {what}.", did_you_mean(name, list(known))
                )
    for name, source in case.accepted.items():
        try:
            judgement(source.likelihood, source.confidence)
        except Undefined as error:
            yield Problem("wrong-value", ("case", "accepted", name), f"cannot be: {error.problem}.", error.remedy)
    yield from _frame_problems(case)
    if case.file is not None:
        yield from _file_problems(draft, case.file)


def _feedback_problems(entries: Sequence[FeedbackSource], targets: Mapping[str, TargetSource]) -> Iterator[Problem]:
    """Operation that could not be counted when everything is computed."""
    from surefoot.case import Feedback

    told: dict[str, list[Feedback]] = {}
    for number, entry in enumerate(entries):
        place = ("case", "feedback", number)
        asked = targets.get(entry.claim)
        if asked is None:
            text = f"names {shown(entry.claim)}, which is no target."
            hint = did_you_mean(entry.claim, list(targets)) or f"Targets: {', '.join(targets)}."
            yield Problem("unknown-reference", (*place, "claim"), text, hint)
        elif asked.unit or entry.per != asked.per:
            text = f"is counted per {entry.per}, the target {entry.claim!r} {asked.unit or f'per {asked.per}'}."
            yield Problem("wrong-value", (*place, "per"), text, "Convert the exposure.")
        elif asked.at_least is not None and asked.per != "demand":
            text = f"counts incidents per {entry.per}, which say nothing of what shall be at least {asked.at_least:g}."
            yield Problem("wrong-value", place, text)
        try:
            feedback = Feedback(**entry.model_dump())
        except InvalidInput as error:
            text = f"cannot be: {error.problem}{f', found {error.found}' if error.found else ''}."
            yield Problem("wrong-value", place, text, error.remedy or "")
            continue
        if any(feedback.overlaps(other) for other in told.setdefault(entry.claim, [])):
            text = "may tell of the same operation as an entry before: their periods overlap, or are not stated."
            yield Problem("wrong-value", place, text, "State since and until, or enter the sum once.")
        told[entry.claim].append(feedback)


OF_TEMPLATES = ("claim", "context", "functions", "speaks_of")
"""Keys that say what a frame of ours shall begin with."""


def _frame_problems(case: CaseSource) -> Iterator[Problem]:
    """An own frame needs the author's file, and nothing that other frames are filled with."""
    if case.frame != "own":
        return
    if case.file is None:
        hint = "Add file: case.yaml, or choose targets, component or system."
        yield Problem("missing-key", ("case", "frame"), "is own, and no file is named.", hint)
    for key in OF_TEMPLATES:
        if getattr(case, key):
            text = "means nothing where the frame is own: the author's file says it."
            yield Problem("unknown-key", ("case", key), text, "Write it to the file of the case, and remove it here.")


def _file_problems(draft: Draft, name: str) -> Iterator[Problem]:
    from surefoot.case.formats import read_noted
    from surefoot.case.templates.fragments import Offered, problems

    definition = draft.definition
    offered = Offered(
        targets=tuple(definition.all_targets),
        components=tuple(draft.component_names),
        conditions=tuple(condition.id for condition in definition.conditions.assumptions),
        contexts=tuple(filter(None, ("hazard" if definition.system.hazard else "", "conditions", "artefacts"))),
    )
    try:
        read = read_noted(locate_file(name, draft.folder, what="case"))
        for each in problems(read.case, offered, read.attached):
            yield Problem(each.code, ("case", "file"), each.text, each.hint, each.severity, where=each.where)
        if definition.case.frame == "own":
            yield from _unused_feedback(read.case, definition.case.feedback)
    except DiagnosticsError as error:
        for each in error.diagnostics:
            if each.code in ("file-missing", "file-unreadable") and not each.where.startswith(f"{name}:"):
                yield Problem(each.code, ("case", "file"), f"cannot be used: {each.text}", each.hint)
            else:
                yield Problem(each.code, ("case", "file"), each.text, each.hint, each.severity, where=each.where)


def _unused_feedback(case: Case, entries: Sequence[FeedbackSource]) -> Iterator[Problem]:
    """Operation of targets that an own frame does not use, so that no claim is updated by it."""
    from surefoot.case.templates.builder import goal_id
    from surefoot.case.templates.fragments import Attachment, fragment, parted

    named = {parted(each.reference) for each in Attachment.all_of(case)}
    if any(sort == "component" for sort, _ in named):
        return
    for number, entry in enumerate(entries):
        if ("target", entry.claim) not in named and goal_id(entry.claim) not in case:
            text = f"tells of the target {shown(entry.claim)}, which the case does not use."
            hint = f"Write {fragment('target', entry.claim)!r} in supported by of a node."
            yield Problem("unknown-reference", ("case", "feedback", number, "claim"), text, hint)


# Problems of the document section: what it says of itself must be borne out by its reviewers and its history.


def document_problems(draft: Draft) -> Iterator[Problem]:
    """An approval that nobody gave or that is older than what it approves, and a history that ends elsewhere."""
    control = draft.definition.document
    if control is None:
        return
    yield from _approval_problems(control)
    last = control.history[-1] if control.history else None
    if last and control.version and last.version != control.version:
        text = f"is {shown(control.version)}, and the last entry of the history is {shown(last.version)}."
        yield Problem(CONTROL, (DOCUMENT, "version"), text, "Add an entry for the present version.", "warning")
    for number, reviewer in enumerate(control.reviewers):
        at: Keys = (DOCUMENT, "reviewers", number)
        if reviewer.name == control.author:
            text = "is the author, whose review is not independent."
            yield Problem(CONTROL, (*at, "name"), text, "Name another reviewer.", "warning")
        if last and reviewer.state == "approved" and reviewer.date and reviewer.date < last.date:
            text = f"is {reviewer.date}, before the last entry of the history, {last.date}."
            yield Problem(CONTROL, (*at, "date"), text, "Ask again for the present version.", "warning")


def _approval_problems(control: DocumentControl) -> Iterator[Problem]:
    """A document is approved once all reviewers approved it."""
    if control.status != "approved":
        return
    if not control.reviewers:
        text = "is approved, and no reviewer is named who approved it."
        yield Problem(CONTROL, (DOCUMENT, "status"), text, "Name the reviewers, or write: in review.")
    for number, reviewer in enumerate(control.reviewers):
        if reviewer.state != "approved":
            text = f"is {reviewer.state!r}, while the document says that it is approved."
            hint = "Write status: in review until all reviewers approved it."
            yield Problem(CONTROL, (DOCUMENT, "reviewers", number, "state"), text, hint)
