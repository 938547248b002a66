"""What the targets of a project ask of the results of one step, for steps that show or use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.core import Target, digest
from surefoot.project.definition import Definition


@dataclass(frozen=True)
class Asked:
    """Targets by name, each with the quantity it asks about, as ``quantity`` or ``quantity[scope]``."""

    targets: Mapping[str, tuple[str, Target]]

    @classmethod
    def of_step(cls, definition: Definition, step: str) -> Asked:
        """The targets that refer to results of a step."""
        found = {
            name: (source.estimate.partition("."), source.target) for name, source in definition.all_targets.items()
        }
        return cls({name: (parts[2], target) for name, (parts, target) in found.items() if parts[0] == step})

    def of(self, quantity: str) -> Target | None:
        """The target of a quantity, whatever its scope; of several that keep it low the strictest."""
        found = (target for name, target in self.targets.values() if name.partition("[")[0] == quantity)
        return min(found, key=_leniency, default=None)

    @property
    def content(self) -> list[list[Any]]:
        """What a result that uses targets depends on, whatever the targets are called."""
        return sorted([quantity, *_content(target)] for quantity, target in self.targets.values())


def _leniency(target: Target) -> tuple[bool, float, float]:
    return target.at_most is None, target.cautious_limit(target.alpha), -target.level


def _content(target: Target) -> list[Any]:
    unsure = [] if target.uncertainty is None else [digest(target.uncertainty.to_dict())]
    return [target.relation, target.limit, target.level, list(target.kinds), *unsure]
