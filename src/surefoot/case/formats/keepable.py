"""What cannot be written to a file is refused before anything is."""

from __future__ import annotations

from pathlib import Path

from surefoot.case.case import Case
from surefoot.case.formats.fields import VALUE
from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import scalar, shown, write_whole
from surefoot.documents.yaml import LONGEST_KEY


def write_text(path: Path, text: str) -> None:
    """Write the file whole or not at all; half of a surrogate pair is no text."""
    write_whole(path, text, code=VALUE)


def refuse_long_keys(case: Case, path: Path) -> None:
    """Ids and names of modules that YAML cannot have as keys."""
    keys = [*case.nodes, *case.modules, *(key for node in case for key in node.multiplicity)]
    long = next((key for key in keys if len(scalar(key)) > LONGEST_KEY), None)
    if long is not None:
        text = f"the id {shown(long)} has {len(long):,} characters; YAML takes {LONGEST_KEY:,} at most."
        raise DiagnosticsError.of(VALUE, text, where=str(path), hint="Shorten it, and use the text.")
