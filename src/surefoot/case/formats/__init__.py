"""Files of assurance cases: YAML, JSON and gsn2x YAML, SACM XMI; Markdown and Mermaid to be looked at.

What a file says becomes plain data, the same for YAML, JSON and gsn2x, and then a ``Case``; a case in the making loads,
whatever ``check`` has to say of it. Strict readers: problems are collected, each with a code and its line. Notations:
GSN Community Standard, version 3; gsn2x by its documentation. A format is loaded when a file has it. May import the
model of a case, the words of ``drawings``, ``opinions``, ``drawing``, ``documents`` and ``core``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.case.formats.case_file import read, read_noted, text, write
from surefoot.case.formats.native import Reading, case_from_dict, case_to_dict

if TYPE_CHECKING:
    from surefoot.case.formats.gsn2x_export import gsn2x_texts, unsaid
    from surefoot.case.formats.markdown_mermaid import markdown, mermaid

__all__ = [
    "Reading",
    "case_from_dict",
    "case_to_dict",
    "gsn2x_texts",
    "markdown",
    "mermaid",
    "read",
    "read_noted",
    "text",
    "unsaid",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        home = "markdown_mermaid" if name in ("markdown", "mermaid") else "gsn2x_export"
        return getattr(import_module(f"surefoot.case.formats.{home}"), name)
    raise AttributeError(f"module 'surefoot.case.formats' has no attribute {name!r}")
