"""Say which item of a loop failed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def told(item: Any) -> Iterator[None]:
    """Add the item to whatever fails inside, a missing exception too."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"at {item!r}"[:1000])
        raise
