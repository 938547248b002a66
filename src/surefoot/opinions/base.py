"""What binomial, multinomial and hyper-opinions have in common as values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.opinions.masses import MassFunction

Kind = Literal["binomial", "multinomial", "hyper"]


class OpinionBase(ABC):
    """One opinion or an array of them; the components are read-only, in copies and after pickling too."""

    kind: ClassVar[Kind]
    uncertainty: FloatArray
    prior_weight: float

    __array_ufunc__ = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of opinions; ``()`` for a single one."""
        return np.shape(self.uncertainty)

    @property
    def size(self) -> int:
        """Number of opinions."""
        return int(np.size(self.uncertainty))

    @abstractmethod
    def _item(self, index: Any) -> Self:
        """The opinions at an index of the array."""

    @abstractmethod
    def _mass_function(self) -> MassFunction:
        """What fusion sees of the opinion."""

    @abstractmethod
    def _fused(self, masses: MassFunction) -> OpinionBase:
        """Fused masses as an opinion of the same kind."""

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single opinion has no length")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Self:
        if not self.shape:
            raise TypeError("a single opinion has no items")
        return self._item(index)

    def __bool__(self) -> bool:
        raise InvalidInput(
            "an opinion has no truth value",
            where=f"bool of {type(self).__name__}",
            remedy="Compare its probability with a limit, such as opinion.probability > 0.99.",
        )

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> Hashable:
        return tuple(_hashable(value) for value in vars(self).values())

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, _read_only(value))


def _hashable(value: Any) -> Hashable:
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, np.ndarray | np.generic):
        # Adding 0 makes -0.0, which equals 0.0, the same bytes.
        return value.shape, np.add(value, 0.0).tobytes()
    return value


def _read_only(value: Any) -> Any:
    """Arrays lose the flag when they are pickled or copied."""
    if isinstance(value, tuple):
        return tuple(map(_read_only, value))
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value
