"""The files that ``surefoot tree`` writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.cli.tree_answer import Answer
    from surefoot.drawing import Theme


@dataclass(frozen=True)
class Wanted:
    """A diagram and a tree, where somebody asked for them."""

    diagram: Path | None
    tree: Path | None
    theme: Theme | None = None
    written: list[Path] = field(default_factory=list)

    def check(self) -> None:
        """Refuse names that say no format, and folders, before any work is done."""
        from surefoot.core import DiagnosticsError
        from surefoot.drawing import ending_of
        from surefoot.faulttree.formats.files import written_format

        for path in (self.diagram, self.tree):
            if path is not None and path.is_dir():
                text, hint = "it is a folder.", "Name a file in it."
                raise DiagnosticsError.of("store-unwritable", text, where=str(path), hint=hint)
        if self.diagram is not None:
            ending_of(self.diagram)
        if self.tree is not None:
            written_format(self.tree)

    def write(self, found: Answer) -> None:
        """Write each whole or not at all."""
        if self.diagram is not None:
            from surefoot.faulttree.drawing import save

            save(found.tree, self.diagram, values=found.values, theme=self.theme)
            self.written.append(self.diagram)
        if self.tree is not None:
            found.tree.write(self.tree)
            self.written.append(self.tree)
