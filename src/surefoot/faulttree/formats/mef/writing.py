"""Fault trees as Open-PSA files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Refused
from surefoot.faulttree.formats.mef.document import Document
from surefoot.faulttree.formats.mef.xml_text import element

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


def write_mef(tree: FaultTree) -> str:
    """A model in the Open-PSA Model Exchange Format (Epstein and Rauzy 2008) that ``read_mef`` reads back as it was.

    What the format has no words for is written as the nearest that it has, with the exact words as JSON in an
    attribute ``surefoot`` beside it: names that are no identifiers, priority-and, counts, measured estimates.
    """
    try:
        lines = Document(tree).lines()
    except Refused as error:
        raise DiagnosticsError.of(error.code, error.text, hint=error.hint) from error
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *element("opsa-mef", {}, lines), ""])
