"""Smaller batches where memory runs out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

from surefoot.core import SurefootError, validate

T = TypeVar("T")
SIGNS = (
    "out of memory",
    "outofmemory",
    "not enough memory",
    "can't allocate memory",
    "failed to allocate memory",
    "bad_alloc",
    "bad allocation",
    "alloc_failed",
)
"""How torch, CUDA and onnxruntime say it; errors that come from another process keep their text only."""


def halved_on_memory_error(run: Callable[[int], T], size: int) -> T:
    """What ``run(size)`` returns, with half the size, again and again, where memory runs out."""
    size = validate.count(size, where="halved_on_memory_error", name="size", at_least=1)
    while True:
        try:
            return run(size)
        except Exception as error:
            if not is_memory_error(error):
                raise
            if size == 1:
                raise SurefootError(
                    "memory runs out even with one at a time",
                    found=str(error),
                    remedy="Free memory of the device, use a smaller model or fewer particles, or run on the CPU.",
                ) from error
        # Outside of the handler, whose error keeps everything alive that was being computed.
        size //= 2
        _release()


def is_memory_error(error: BaseException) -> bool:
    """Whether an error, or one that it was raised from, says that memory ran out."""
    return any(isinstance(e, MemoryError) or _sounds_like_memory(e) for e in _causes(error))


def _sounds_like_memory(error: BaseException) -> bool:
    text = f"{type(error).__name__}: {error}".lower()
    return any(sign in text for sign in SIGNS)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _release() -> None:
    """Give cached blocks back to the device; torch keeps them otherwise."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
