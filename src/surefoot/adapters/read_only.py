"""Arrays that nobody can write into by mistake: what one step gets, all others get too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.canonical import FrozenMap


class ReadOnlyArrays:
    """A frozen dataclass whose arrays, also those in mappings, are read-only here and after pickling."""

    def __post_init__(self) -> None:
        self.__setstate__(vars(self))

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in list(state.items()):
            object.__setattr__(self, name, _read_only_parts(value))


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that refuses to be written; whoever owns the array keeps it as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


def _read_only_parts(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return read_only(value)
    if isinstance(value, Mapping) and any(isinstance(item, np.ndarray) for item in value.values()):
        return FrozenMap({name: _read_only_parts(item) for name, item in value.items()})
    return value
