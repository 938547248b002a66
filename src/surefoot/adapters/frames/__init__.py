"""Frames of pandas, polars and pyarrow: what they hold, the types of their columns, what encoders know of them."""

from surefoot.adapters.frames.column_types import like, typed, unknown_categories
from surefoot.adapters.frames.frame import (
    KINDS,
    NO_TYPES,
    Frame,
    FrameTable,
    Kind,
    Types,
    column_of,
    from_arrow,
    is_frame,
    is_installed,
    is_series,
    read_frame,
    without_gaps,
    write_frame,
)

__all__ = [
    "KINDS",
    "NO_TYPES",
    "Frame",
    "FrameTable",
    "Kind",
    "Types",
    "column_of",
    "from_arrow",
    "is_frame",
    "is_installed",
    "is_series",
    "like",
    "read_frame",
    "typed",
    "unknown_categories",
    "without_gaps",
    "write_frame",
]
