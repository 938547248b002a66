"""Problems of the case section: files that cannot be read, claims that are no targets, judgements that cannot be."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.adapters.files import locate_file
from surefoot.adapters.wording import suggestion
from surefoot.core import DiagnosticsError, Undefined
from surefoot.opinions import judgement
from surefoot.project.draft import Draft
from surefoot.project.problem import Problem, found


def case_problems(draft: Draft) -> Iterator[Problem]:
    """What is wrong with the section as it is written."""
    case, targets = draft.definition.case, draft.definition.all_targets
    for number, entry in enumerate(case.feedback):
        if entry.claim not in targets:
            text = f"names {found(entry.claim)}, which is no target."
            hint = suggestion(entry.claim, list(targets)) or f"Targets: {', '.join(targets)}."
            yield Problem("unknown-reference", ("case", "feedback", number, "claim"), text, hint)
    for key, named, known in (
        ("functions", case.functions, draft.component_names),
        ("speaks_of", case.speaks_of, targets),
    ):
        for name in named:
            if name not in known:
                what = "component" if key == "functions" else "target"
                yield Problem("unknown-reference", ("case", key, name), f"is no {what}.", suggestion(name, list(known)))
    for name, source in case.accepted.items():
        try:
            judgement(source.likelihood, source.confidence)
        except Undefined as error:
            yield Problem("wrong-value", ("case", "accepted", name), f"cannot be: {error.problem}.", error.remedy)
    if case.file is not None:
        yield from _file_problems(draft, case.file)


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
