"""Where a number comes from: method, parameters, inputs, data, seed, code version; no timestamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from surefoot.core.canonical import FrozenDict, digest, reading, thaw, unthaw
from surefoot.version import __version__


def _code_version() -> FrozenDict:
    return FrozenDict({"surefoot": __version__})


@dataclass(frozen=True)
class Provenance:
    """Everything that determines a result, known before the work is done.

    ``inputs`` holds the keys of all estimates that went in, directly or further up; ``data`` maps
    names to digests of arrays, files and models.
    """

    method: str
    params: Mapping[str, Any] = field(default_factory=FrozenDict)
    inputs: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=FrozenDict)
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=_code_version)

    def __post_init__(self) -> None:
        for name in ("params", "data", "versions"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))
        object.__setattr__(self, "inputs", tuple(self.inputs))

    @cached_property
    def key(self) -> str:
        """Hash of everything that determines the result; used for caching."""
        return digest(self.to_dict() | {"inputs": sorted(self.inputs)})

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "method": self.method,
            "params": thaw(self.params),
            "inputs": list(self.inputs),
            "data": thaw(self.data),
            "seed": self.seed,
            "versions": thaw(self.versions),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("provenance"):
            return cls(**{name: unthaw(value) for name, value in data.items()})
