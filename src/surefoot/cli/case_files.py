"""Files that ``surefoot case`` writes: which endings, over what not, and what a reader of them should know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli.case_snapshots import PAGES, kind_of
from surefoot.cli.console import say
from surefoot.cli.hazop_files import not_folders, not_the_source
from surefoot.cli.writing import check_places

if TYPE_CHECKING:
    from surefoot.case.case import Case

PRINTED = (".pdf", ".png")
MERMAID = (".mmd", ".mermaid")
MOST_EDGES, MOST_LETTERS = 500, 50_000
"""What Mermaid draws unless it is told otherwise."""
SHOWN = 12


def check_output(output: Path, *sources: Path) -> None:
    """Refuse places that cannot be written to, or that hold what the case was made from, before any work is done."""
    check_places(output)
    not_folders(output)
    not_the_source(output, *sources)
    if output.is_file() and _is_worked_on(output):
        from surefoot.core import InvalidInput

        problem = "a project or a report lies there, and would be overwritten"
        raise InvalidInput(problem, where=str(output), remedy="Name another file, or remove it first.")


def written_beside(output: Path) -> list[Path]:
    """The folder that a case with modules becomes as gsn2x, instead of one file."""
    name = output.name.lower()
    return [output.with_suffix("")] if name.endswith((".gsn.yaml", ".gsn.yml")) else []


def check_picture(output: Path) -> None:
    """Refuse endings of files that are read again, which are no pictures."""
    from surefoot.case.rendering import CONTENTS

    ending = output.suffix.lower()
    if ending not in CONTENTS:
        from surefoot.core import DiagnosticsError

        text = f"nothing is drawn as {ending or 'a file without an ending'}."
        hint = f"Use one of {', '.join(CONTENTS)}; surefoot case convert writes files that can be read again."
        raise DiagnosticsError.of("wrong-value", text, where=str(output), hint=hint)


def remark(case: Case, output: Path) -> None:
    """What does not show in a picture that was written."""
    ending = output.suffix.lower()
    if ending in PRINTED:
        from surefoot.case.drawings import undrawable

        missing = undrawable(case)
        if missing:
            some = f"{missing[:SHOWN]}{'...' if len(missing) > SHOWN else ''}"
            text = f"note: the fonts here have no letters for {some}; {output.name} shows boxes. SVG and HTML show them"
            say(f"{text} where the reader has the fonts.", stderr=True)
    if ending == ".png":
        from surefoot.drawing import MOST_DOTS

        if max(_dots(output)) == MOST_DOTS:
            text = f"note: {output.name} is {MOST_DOTS:,} dots wide or high, which is the most, and coarser for that;"
            say(f"{text} .svg and .pdf are sharp at any size.", stderr=True)
    if ending in MERMAID:
        edges = sum(len(set(node.related)) for node in case)
        if edges > MOST_EDGES or output.stat().st_size > MOST_LETTERS:
            text = f"note: Mermaid draws up to {MOST_EDGES} edges and {MOST_LETTERS:,} characters unless it is told"
            say(f"{text} otherwise (maxEdges, maxTextSize). Use .svg, or --tag for a part.", stderr=True)


def _dots(picture: Path) -> tuple[int, int]:
    """Width and height of a PNG, by its first chunk."""
    with picture.open("rb") as file:
        start = file.read(24)
    return int.from_bytes(start[16:20]), int.from_bytes(start[20:24])


def _is_worked_on(path: Path) -> bool:
    if path.suffix.lower() in PAGES or (path.suffix.lower() == ".json" and kind_of(path) == "report"):
        from surefoot.core import DiagnosticsError
        from surefoot.report import read

        try:
            read(path)
        except DiagnosticsError:
            return False
        return True
    return kind_of(path) == "project"
