"""Many inputs in one test: failures that name the item, and what is said where a call is refused."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def told(item: object) -> Iterator[None]:
    """Add the item to whatever fails inside, a missing exception too."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"at {item!r}"[:1000])
        raise


@contextmanager
def refused(item: object, kind: type[Exception], match: str | None = None) -> Iterator[Any]:
    """Like ``pytest.raises``, for loops: where the error does not come, the failure names the item."""
    with told(item), pytest.raises(kind, match=match) as caught:
        yield caught


def refusal(error: type[Exception], call: Callable[..., Any], /, *args: Any, **options: Any) -> str:
    """What is said where a call is refused with an error of this kind; nothing where it is answered."""
    try:
        call(*args, **options)
    except error as said:
        return str(said) or type(said).__name__
    return ""
