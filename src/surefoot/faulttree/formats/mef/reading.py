"""Open-PSA files as fault trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Findings
from surefoot.faulttree.formats.mef.alignments import Phase, read_phases
from surefoot.faulttree.formats.mef.collecting import Collector
from surefoot.faulttree.formats.mef.common_causes import declare_members, read_groups
from surefoot.faulttree.formats.mef.draft import Draft
from surefoot.faulttree.formats.mef.exact import apply_exact
from surefoot.faulttree.formats.mef.finishing import Finisher, raise_problems, unknown_attributes
from surefoot.faulttree.formats.mef.parse import MODEL, parse
from surefoot.faulttree.formats.mef.resolving import resolve
from surefoot.faulttree.formats.mef.substitutions import read_substitutions
from surefoot.faulttree.formats.mef.tops import the_top, tops

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

PIECE = 1 << 18


def read_mef(paths: Iterable[Path], *, top: str | None = None) -> FaultTree:
    """Read a fault tree from a model in the Open-PSA Model Exchange Format (Epstein and Rauzy 2008).

    ``paths`` are the files of one model. ``top`` names the gate, or the sequence of an
    event tree, that is the top event; it can be left out where the model has only one. A sequence that several
    initiating events reach is named ``initiating-event/sequence``. House events of a phase of an alignment are set by
    ``top="gate@phase"``. What is private in a container is named by its path, as in ``tree.component.gate``.

    A tree of a sequence holds the disjunction over its paths; its probability is that of the sequence given the
    initiating event. What a static tree cannot say is named in ``left_out``.
    """
    draft, phases = _drafted(paths)
    return Finisher(draft).tree(the_top(draft, phases, top))


def read_mef_all(paths: Iterable[Path], *, top: str | None = None) -> dict[str, FaultTree]:
    """The trees of all top events of a model, or of those that ``top`` may mean, by the names that ``top`` takes."""
    draft, phases = _drafted(paths)
    finisher = Finisher(draft)
    return {each.name: finisher.tree(each) for each in tops(draft, phases, top)}


def _drafted(paths: Iterable[Path]) -> tuple[Draft, list[Phase]]:
    """What the files say, with every name resolved; all that is wrong with them is raised together."""
    draft = Draft()
    for path in paths:
        parse(_pieces(path), Collector(draft, Findings(path.name, MODEL)))
    declare_members(draft)
    resolve(draft)
    read_groups(draft)
    apply_exact(draft)
    phases = read_phases(draft)
    read_substitutions(draft)
    if any(findings.errors for findings in draft.findings):
        raise_problems(draft)
    _tell_what_changes_nothing(draft, phases)
    draft.left_out += [*unknown_attributes(draft), *draft.stated.get("left out", ())]
    return draft, phases


def _pieces(path: Path) -> Iterator[bytes]:
    if not path.exists():
        text = f"there is no file {path.name!r}."
        raise DiagnosticsError.of("file-missing", text, where=str(path), hint="Check the path.")
    if not path.is_file():
        raise DiagnosticsError.of("file-unreadable", "it is not a plain file.", where=str(path), hint="Name a file.")
    try:
        with open(path, "rb") as stream:
            while piece := stream.read(PIECE):
                yield piece
    except OSError as error:
        text = f"the file cannot be read: {error.strerror or error}."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint="Check its permissions.") from error


def _tell_what_changes_nothing(draft: Draft, phases: list[Phase]) -> None:
    """Foreign code, the use of which is refused, and alignments that set no house event."""
    for tag in ("define-extern-library", "define-extern-function"):
        for element, scope in draft.later[tag]:
            name, place = element.attributes.get("name", tag), scope.findings.place(element.line)
            draft.about[f"foreign code {name}"] = f"{place}, which nothing uses"
    for alignment in dict.fromkeys(phase.alignment for phase in phases):
        own = [phase for phase in phases if phase.alignment == alignment]
        draft.about[f"alignment {alignment}"] = ", ".join(map(str, own))
