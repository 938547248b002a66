"""Files that commands write: results in every form, fault trees and their pictures; and places that are refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from surefoot.cli.console import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from surefoot.drawing import Theme
    from surefoot.faulttree import FaultTree
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


@dataclass(frozen=True)
class TreeFiles:
    """A fault tree, and a picture of it, to be written where somebody asked for them."""

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

    def write(self, tree: FaultTree, *, values: Mapping[str, float] | None = None) -> None:
        """Write each whole or not at all, the picture with probabilities where they are given."""
        if self.diagram is not None:
            from surefoot.faulttree.drawing import save

            save(tree, self.diagram, values=values, theme=self.theme)
            self.written.append(self.diagram)
        if self.tree is not None:
            tree.write(self.tree)
            self.written.append(self.tree)
