"""One thread of torch at a time, so that what is recorded does not depend on the number of cores.

Sums in a network depend on the number of threads in their last bits, and worker processes have other thread counts
than the main one; executors hold numpy to one thread for the same reason.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_LOCK = Lock()
_usual: list[int] = []
"""For each task that runs in this process, the number of threads before the first of them."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold torch, where it is loaded, to one thread until the last of the tasks beside each other is done."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    with _LOCK:
        _usual.append(_usual[0] if _usual else torch.get_num_threads())
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            before = _usual.pop()
            if not _usual:
                torch.set_num_threads(before)
