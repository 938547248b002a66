"""Problems of the case section: files that cannot be read, claims that are no targets, judgements that cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from surefoot.adapters.files import locate_file
from surefoot.core import DiagnosticsError, InvalidInput, Undefined
from surefoot.documents import Problem, did_you_mean, shown
from surefoot.opinions import judgement
from surefoot.project.definition import FeedbackSource, TargetSource
from surefoot.project.draft import Draft


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
        elif entry.per != asked.per:
            text = f"is counted per {entry.per}, the target {entry.claim!r} per {asked.per}."
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


def _file_problems(draft: Draft, name: str) -> Iterator[Problem]:
    from surefoot.case import Case

    try:
        Case.read(locate_file(name, draft.folder, what="case"))
    except DiagnosticsError as error:
        for each in error.diagnostics:
            if each.code in ("file-missing", "file-unreadable") and not each.where.startswith(f"{name}:"):
                yield Problem(each.code, ("case", "file"), f"cannot be used: {each.text}", each.hint)
            else:
                yield Problem(each.code, ("case", "file"), each.text, each.hint, each.severity, where=each.where)
