"""Files of assurance cases: YAML, JSON and gsn2x YAML, SACM XMI; Markdown and Mermaid to be looked at.

What a file says becomes plain data, the same for YAML, JSON and gsn2x, and then a ``Case``; a case in the making loads,
whatever ``check`` has to say of it. Strict readers: problems are collected, each with a code and its line. Notations:
GSN Community Standard, version 3; gsn2x by its documentation. May import the model of a case, the words of
``drawings``, ``opinions``, ``drawing``, ``core`` and ``faulttree.formats`` (places of problems, strict YAML and JSON).
"""

from surefoot.case.formats.files import read, read_noted, text, write
from surefoot.case.formats.gsn2x_export import gsn2x_texts, unsaid
from surefoot.case.formats.markdown import markdown, mermaid
from surefoot.case.formats.native import Reading, case_from_dict
from surefoot.case.formats.nodes import case_to_dict

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
