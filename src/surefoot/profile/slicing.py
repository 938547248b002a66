"""Work in parts of bounded size."""

from __future__ import annotations

from collections.abc import Iterator


def slices(count: int, size: int) -> Iterator[slice]:
    """Parts of at most ``size`` of ``count`` things."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))
