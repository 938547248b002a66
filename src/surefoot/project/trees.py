"""The fault tree, chains and worksheet of a step: from files, or as the project file writes them out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.core import InvalidInput
from surefoot.documents import Document, Keys

if TYPE_CHECKING:
    from surefoot.faulttree import FaultTree
    from surefoot.hazards import Hazop, Scenarios

FORMATS = (".yaml", ".yml", ".json", ".xml", ".opsa", ".dft", ".galileo", ".aralia", ".dag")
WORKSHEETS = (".yaml", ".yml", ".csv", ".xlsx")
CHAINS = (".yaml", ".yml")
INLINE = "inline"


def tree_of(file: str | Path | None, inline: Mapping[str, Any] | None, top: str | None) -> FaultTree:
    """The tree of a file or of a mapping, exactly one of them given; what is left out of it is among its problems."""
    from surefoot.faulttree.formats import PartLeftOut, read

    if (file is None) == (inline is None):
        raise InvalidInput("a fault tree needs exactly one of file and inline", where="fault_tree")
    if file is None:
        return Inline(inline or {}).tree(top)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartLeftOut)
        return read(file, top=top)


def hazop_of(file: str | Path) -> Hazop:
    """The worksheet of a file."""
    from surefoot.hazards import Hazop

    return Hazop.read(file)


def scenarios_of(file: str | Path | None, inline: Mapping[str, Any] | None, hazop: Hazop | None) -> Scenarios:
    """The chains of a file or of a mapping, or else as the rows of a worksheet give them."""
    from surefoot.hazards import Scenarios

    if file is not None and inline is not None:
        raise InvalidInput("scenarios need one of file and inline", where="scenario_tree", found="both")
    if file is not None:
        return Scenarios.read(file)
    if inline is not None:
        return Inline(inline, "surefoot-scenarios").scenarios()
    if hazop is None:
        raise InvalidInput("scenarios need a file, inline chains or a worksheet", where="scenario_tree")
    return hazop.scenarios()


@dataclass(frozen=True)
class Inline:
    """A tree, or scenarios, inside another file, as plain data.

    In place of lines, problems carry the number of the key they are about: ``path_of`` leads back to it.
    """

    said: Mapping[str, Any]
    mark: str = "surefoot-tree"

    @cached_property
    def _document(self) -> Document:
        """What a file of its own would hold, with a number for each key in place of the line."""
        paths = _paths(dict(self.said))
        return Document({self.mark: 1, **self.said}, {path: (number, 1) for number, path in enumerate(paths, start=1)})

    def tree(self, top: str | None) -> FaultTree:
        """The tree, or one error with all its problems."""
        from surefoot.documents import Findings
        from surefoot.faulttree.formats.reading import read_plain

        return read_plain(self._document, Findings(INLINE), top=top).tree()

    def scenarios(self) -> Scenarios:
        """The chains, or one error with all their problems."""
        from surefoot.documents import Findings
        from surefoot.hazards.scenarios.file import read_document

        return read_document(self._document, Findings(INLINE))

    def path_of(self, where: str) -> Keys:
        """The keys that a problem is about."""
        file, _, number = where.rpartition(":")
        known = file == INLINE and number.isdigit() and int(number) <= len(self._document.places)
        return list(self._document.places)[int(number) - 1] if known else ()


def _paths(value: Any) -> Iterator[Keys]:
    """Every key and list item with those around it, outer ones first; the whole is the first."""
    waiting: list[tuple[Keys, Any]] = [((), value)]
    while waiting:
        path, value = waiting.pop()
        yield path
        items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
        waiting.extend(((*path, key), item) for key, item in items)
