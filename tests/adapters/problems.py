"""Expect a coded problem."""

from contextlib import contextmanager

import pytest

from surefoot.core import DiagnosticsError


@contextmanager
def problem(code, match=None):
    """The block raises one problem with this code whose text matches."""
    try:
        with pytest.raises(DiagnosticsError, match=match) as caught:
            yield caught
    except (AssertionError, pytest.fail.Exception) as failed:
        failed.add_note(f"expected {code}: {match}")
        raise
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {code}
