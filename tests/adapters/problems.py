"""Expect a coded problem."""

from contextlib import contextmanager

import pytest

from surefoot.core import DiagnosticsError


@contextmanager
def problem(code, match=None):
    """The block raises one problem with this code whose text matches."""
    with pytest.raises(DiagnosticsError, match=match) as caught:
        yield caught
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {code}
