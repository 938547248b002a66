"""Refusals of many wrong inputs in one test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def refused(item: object, kind: type[Exception], match: str | None = None) -> Iterator[Any]:
    """Like ``pytest.raises``, for loops: where the error does not come, the failure names the item."""
    try:
        with pytest.raises(kind, match=match) as caught:
            yield caught
    except (AssertionError, pytest.fail.Exception) as failure:
        raise AssertionError(f"{item!r}: {failure}") from failure
