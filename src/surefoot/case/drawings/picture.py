"""From a case to a picture: layout, edges, nodes, frames of modules, and the legend."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.case.case import Case
from surefoot.case.drawings.boxes import Frame, Layout
from surefoot.case.drawings.layout import lay_out
from surefoot.case.drawings.legend import legend
from surefoot.case.drawings.lines import edge_groups, fork_group
from surefoot.case.drawings.metrics import FRAME, MARGIN, NOTE, TITLE
from surefoot.case.drawings.nodes import frame_outline, node_group
from surefoot.case.drawings.scene import Group, Mark, Path, Text
from surefoot.case.evaluation import Evaluation
from surefoot.case.notation import Notation, word
from surefoot.drawing import shortened, text_width, visible


@dataclass(frozen=True, slots=True)
class Picture:
    """Groups in the order they are painted, and what the whole is called."""

    groups: tuple[Group, ...]
    width: float
    height: float
    title: str
    description: str


def picture(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    explained: bool = True,
) -> Picture:
    """The whole picture; ``explained`` adds a legend of what stands in it."""
    layout = lay_out(case, notation=notation or case.notation, evaluation=evaluation, tag=tag)
    names = {box.id: box for box in layout.boxes}
    assessed = evaluation.nodes if evaluation else {}
    groups = [_frame(frame) for frame in layout.frames]
    groups += edge_groups(layout.edges, layout.notation, names)
    groups += [fork_group(fork) for fork in layout.forks]
    groups += [node_group(box, layout.notation, assessed.get(box.node.id)) for box in layout.boxes]
    width, height = layout.width, layout.height
    if explained:
        entries, height = legend(layout, MARGIN, height + 4.0, max(width, 420.0) - 2 * MARGIN)
        groups += entries
        width = max(width, 420.0)
    return Picture(tuple(groups), width, height, _title(case, evaluation, tag), _description(layout))


def _frame(frame: Frame) -> Group:
    name = shortened(visible(frame.name), 80)
    brief = shortened(visible(frame.brief), 400)
    start, room = text_width(name, TITLE) * 1.08 + 2 * FRAME, frame.width - 2 * FRAME
    while brief and start + text_width(brief, NOTE) > room:
        brief = brief[:-2].rstrip("…") + "…" if len(brief) > 8 else ""
    marks: list[Mark] = [Path(frame_outline(frame.width, frame.height), "frame"), Text(FRAME, 22.0, name, "title")]
    if brief:
        marks.append(Text(start, 22.0, brief, "small"))
    return Group(tuple(marks), "module", f"module {name}", at=(frame.x, frame.y))


def _title(case: Case, evaluation: Evaluation | None, tag: str | None) -> str:
    top = case.tops[0] if case.tops else None
    name = case.name or (top.text if top else "without a claim at its top")
    found = evaluation.nodes.get(top.id) if evaluation and top else None
    return f"Case: {name}{f' ({found.standing})' if found else ''}{f', {tag}' if tag else ''}"


def _description(layout: Layout) -> str:
    kinds = [word(box.node, layout.notation) for box in layout.boxes if not box.stub]
    counted = ", ".join(f"{kinds.count(kind)} of kind {kind}" for kind in dict.fromkeys(kinds))
    name = "GSN" if layout.notation == "gsn" else "CAE"
    if not kinds:
        return f"An argument in {name} notation without nodes."
    return f"An argument in {name} notation with {len(kinds)} node{'s' if len(kinds) > 1 else ''}: {counted}."
