"""What a reader finds wrong with a text."""

import pytest

from surefoot.case import Case
from surefoot.core import DiagnosticsError


def problems(folder, text, name="a.yaml"):
    """The diagnostics of the file with that text."""
    (folder / name).write_text(text)
    try:
        Case.read(folder / name)
    except DiagnosticsError as error:
        found = error.diagnostics
    else:
        pytest.fail(f"was read: {text[:200]!r}")
    assert all(each.severity == "error" for each in found), text
    return found
