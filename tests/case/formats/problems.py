"""What a reader finds wrong with a text."""

import pytest

from surefoot.case import Case
from surefoot.core import DiagnosticsError


def problems(folder, text, name="a.yaml"):
    """The diagnostics of the file with that text."""
    (folder / name).write_text(text)
    with pytest.raises(DiagnosticsError) as error:
        Case.read(folder / name)
    assert all(found.severity == "error" for found in error.value.diagnostics)
    return error.value.diagnostics
