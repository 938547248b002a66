"""A project: what is to be assessed, where its files lie, and where in the project file each thing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surefoot.documents import Document, Keys, Place, place
from surefoot.project.definition import Definition


@dataclass(frozen=True)
class Project:
    """A definition with its surroundings; ``load`` and ``Project.of`` make only projects without problems."""

    definition: Definition
    folder: Path
    """Paths of the definition are relative to it."""
    path: Path | None = None
    """The project file; None for a project made in Python."""
    places: Mapping[Keys, Place] = field(default_factory=dict, repr=False)
    """Line and column of each key of the file."""
    objects: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Models and data in memory: ``component.model`` and ``component.data set``."""

    @classmethod
    def of(
        cls,
        system: str | Mapping[str, Any],
        *,
        model: Any = None,
        data: Any = None,
        evidence: Mapping[str, Mapping[str, Any]],
        targets: Mapping[str, Mapping[str, Any]] | None = None,
        tree: Mapping[str, Any] | None = None,
        hazards: str | Mapping[str, Any] | None = None,
        scenarios: Mapping[str, Any] | None = None,
        conditions: Mapping[str, Any] | None = None,
        classes: Sequence[str] = (),
        name: str = "component",
        seed: int = 0,
        looks: str = "fixed",
    ) -> Project:
        """A project without a file, of one component; every part says what the project file would say.

        ``model`` is a callable, a fitted estimator, or text as in a project file. ``data`` is ``(inputs, labels)``, a
        mapping with ``inputs``, ``labels``, ``scores``, ``groups`` and ``attributes``, text as in a project file, or a
        mapping of names of data sets to such; one data set alone is called ``test``.
        """
        from surefoot.project.checking import checked
        from surefoot.project.memory import component_from, plain

        component, objects = component_from(name, model, data, classes)
        parts: dict[str, Any] = {
            "system": {"name": system} if isinstance(system, str) else system,
            "components": {name: component},
            "evidence": evidence,
            "targets": targets or {},
            "conditions": conditions or {},
            "seed": seed,
            "looks": looks,
        }
        sections = {"tree": tree, "hazards": hazards, "scenarios": scenarios}
        parts |= {name: section for name, section in sections.items() if section is not None}
        return checked(plain({"version": 1, **parts}), folder=Path.cwd(), objects=objects)

    def where(self, *path: str | int) -> str:
        """Where keys are written: ``surefoot.yaml:12``, or the keys themselves where there is no file."""
        return place(self.path, Document(None, self.places), path)

    def line(self, *path: str | int) -> int:
        """The line of the innermost of these keys that is written; 1 where there is no file."""
        return Document(None, self.places).line(path)

    def component_of(self, step: str) -> str:
        """The component that a step of the plan works on."""
        return self.definition.steps[step].component or next(iter(self.definition.components))
