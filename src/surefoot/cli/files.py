"""Results as files: report, JSON, JUnit XML, Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from surefoot.cli.console import say

if TYPE_CHECKING:
    from surefoot.drawing import Theme
    from surefoot.faulttree import FaultTree
    from surefoot.hazards import Hazop
    from surefoot.project import Result


STDOUT = Path("-")


def check_places(*paths: Path | None) -> None:
    """Refuse places that cannot be written to before any work is done."""
    if paths.count(STDOUT) > 1:
        raise typer.BadParameter("give - once; two results on stdout cannot be told apart")
    for path in paths:
        if path is not None and path != STDOUT and not path.absolute().parent.is_dir():
            from surefoot.core import DiagnosticsError

            text = f"there is no folder {path.parent}"
            raise DiagnosticsError.of("store-unwritable", text, where=str(path), hint="Make it first.")


def write_all(
    result: Result,
    *,
    html: Path | None = None,
    json: Path | None = None,
    junit: Path | None = None,
    markdown: Path | None = None,
) -> list[Path]:
    """Write what was asked for; ``-`` is stdout. Says which files were written."""
    if not any((html, json, junit, markdown)):
        return []
    from surefoot import report

    wanted = ((html, report.html), (json, report.as_json), (junit, report.junit), (markdown, report.markdown))
    named = [(path, render) for path, render in wanted if path is not None]
    for path, render in named:
        put(render(result), path)
    return [path for path, _ in named if path != STDOUT]


def put(text: str, path: Path) -> None:
    """Write a file at once or not at all, or print."""
    from surefoot.project.store import write_atomically

    if path == STDOUT:
        typer.echo(text, nl=False)
    else:
        write_atomically(path, text.encode("utf-8", "replace"))


def say_written(paths: list[Path]) -> None:
    """Name the files that were written."""
    for path in paths:
        say(f"wrote {path}", stderr=True)


# Places that ``surefoot hazop`` writes to.

PAGE = ".html"


@dataclass(frozen=True)
class TableFiles:
    """The worksheet in another form, and a picture of its system, where somebody asked for them."""

    source: Path
    output: Path | None
    diagram: Path | None
    theme: Theme | None = None
    written: list[Path] = field(default_factory=list)

    def check(self) -> None:
        """Refuse places that cannot be written to, and to write over what is read, before any work is done."""
        check_places(self.output, self.diagram)
        not_folders(self.output, self.diagram)
        if self.output is not None:
            worksheet_place(self.output, PAGE)
            not_the_source(self.output, self.source)
        if self.diagram is not None:
            from surefoot.drawing import ending_of

            ending_of(self.diagram)

    def write(self, hazop: Hazop) -> None:
        """Write each whole or not at all."""
        if self.output is not None:
            put(hazop.table_html(), self.output) if self.output.suffix.lower() == PAGE else hazop.write(self.output)
            self.written.append(self.output)
        if self.diagram is not None:
            from surefoot.drawing import save

            save(hazop.scene(), self.diagram, theme=self.theme)
            self.written.append(self.diagram)


@dataclass(frozen=True)
class TreeFiles:
    """A fault tree, and a picture of it, where somebody asked for them."""

    tree: Path | None
    diagram: Path | None
    theme: Theme | None = None
    written: list[Path] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.tree is not None or self.diagram is not None

    def check(self, *sources: Path | None) -> None:
        """Refuse places that cannot be written to, and to write over what is read, before any work is done."""
        from surefoot.drawing import ending_of
        from surefoot.faulttree.formats.tree_files import written_format

        check_places(self.tree, self.diagram)
        not_folders(self.tree, self.diagram)
        if self.tree is not None:
            written_format(self.tree)
            not_the_source(self.tree, *sources)
        if self.diagram is not None:
            ending_of(self.diagram)

    def write(self, tree: FaultTree) -> None:
        """Write each whole or not at all."""
        if self.tree is not None:
            tree.write(self.tree)
            self.written.append(self.tree)
        if self.diagram is not None:
            from surefoot.faulttree.drawing import save

            save(tree, self.diagram, theme=self.theme)
            self.written.append(self.diagram)


def worksheet_place(path: Path, *others: str) -> Path:
    """A place whose ending says the format of a worksheet, or one of the others."""
    from surefoot.hazards.files.hazop_files import ENDINGS

    return _ending(path, (*ENDINGS, *others))


def worksheet_places(path: Path) -> list[Path]:
    """All files that a worksheet of that name may have: CSV has one for each sheet."""
    if worksheet_place(path).suffix.lower() != ".csv":
        return [path]
    from surefoot.hazards.files.sheets import SIBLINGS, sibling

    return [path, *(sibling(path, title) for title in SIBLINGS)]


def free_place(*paths: Path) -> None:
    """Refuse to overwrite what people may have worked on."""
    present = [str(path) for path in paths if path.exists()]
    if present:
        from surefoot.core import InvalidInput

        problem, remedy = "nothing was written, to overwrite nothing", "Name another file, or move it away."
        raise InvalidInput(problem, where=str(paths[0]), found=", ".join(present), remedy=remedy)


def not_folders(*paths: Path | None) -> None:
    """Refuse a folder where a file is meant."""
    for path in paths:
        if path is not None and path.is_dir():
            from surefoot.core import DiagnosticsError

            text, hint = "it is a folder.", "Name a file in it."
            raise DiagnosticsError.of("store-unwritable", text, where=str(path), hint=hint)


def not_the_source(path: Path, *sources: Path | None) -> None:
    """Refuse to write over a file that is read."""
    if any(source is not None and path.resolve() == source.resolve() for source in sources):
        from surefoot.core import InvalidInput

        problem, remedy = "this file is read, and would be overwritten", "Name another file."
        raise InvalidInput(problem, where=str(path), remedy=remedy)


def _ending(path: Path, endings: tuple[str, ...]) -> Path:
    from surefoot.core import validate

    validate.choice(path.suffix.lower(), endings, where=str(path), name="ending of the file")
    return path
