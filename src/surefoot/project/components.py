"""Components at work: their identities, their scores (kept in the store), and what steps are handed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any

from surefoot import adapters
from surefoot.adapters import Data, Identity, LoadedModel, Scored, Tested
from surefoot.core import DiagnosticsError, Provenance, SurefootError, array_digest
from surefoot.core.canonical import FrozenDict
from surefoot.project import scores
from surefoot.project.definition import Component, DataSource, ModelSource
from surefoot.project.plan import how_read
from surefoot.project.project import Project
from surefoot.project.store import Store
from surefoot.project.versions import code_versions

Progress = Callable[[int, int], None]
IN_MEMORY_BATCH = 1024
INPUTS_KEPT = 2**28
"""Inputs of larger files are not kept beside the scores, so checks for repeated rows look at scores only."""


@dataclass(eq=False)
class Components:
    """All components of a project, each loaded at most once."""

    project: Project
    store: Store
    _memory: dict[str, Any] = field(default_factory=dict)

    def digests(self, component: str, data: str) -> dict[str, str]:
        """Digests of the model and of a data set, as they enter keys."""
        found = {"data": self.data_digest(component, data)}
        identity = self.identity(component, data)
        return found | ({"model": identity.digest} if identity else {})

    def identity(self, component: str, data: str) -> Identity | None:
        """What the model is; None where the data bring their own scores."""
        return self._once(f"{component} identity", lambda: self._identity(component, data))

    def data_digest(self, component: str, data: str) -> str:
        """Digest of a data set."""
        return self._once(f"{component}.{data} digest", lambda: self._data_digest(component, data))

    def model(self, component: str) -> LoadedModel:
        """The model itself, in this process."""
        return self._once(f"{component} model", lambda: self._model(component))

    def data(self, component: str, data: str) -> Data:
        """The rows with their inputs."""
        return self._once(f"{component}.{data} rows", lambda: self._data(component, data, with_inputs=True))

    def tested(self, component: str, data: str, progress: Progress | None = None) -> Tested:
        """The component's answers on a data set."""
        return self._once(f"{component}.{data} tested", lambda: self._tested(component, data, progress))

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        """What was made before, or the error it gave: a model that hangs is not tried twice."""
        if name not in self._memory:
            try:
                self._memory[name] = make()
            except SurefootError as error:
                self._memory[name] = error
        if isinstance(self._memory[name], SurefootError):
            raise self._memory[name]
        return self._memory[name]

    def _component(self, component: str) -> Component:
        return self.project.definition.components[component]

    def _source(self, component: str, data: str) -> DataSource:
        return self._component(component).data[data]

    def _identity(self, component: str, data: str) -> Identity | None:
        given = self.project.objects.get(f"{component}.model")
        if given is not None:
            # An object in memory has no file; what it answers is what it is.
            found = self._scored_in_memory(component, data)
            return Identity(array_digest(found.scores), FrozenDict(), ())
        source = self._component(component).model
        if source is None:
            return None
        where_from = source.model_dump(include={"path", "callable", "factory", "weights", "files", "trust"})
        return adapters.model_identity(**where_from, folder=self.project.folder)

    def _data_digest(self, component: str, data: str) -> str:
        if f"{component}.{data}" in self.project.objects:
            return self.data(component, data).digest
        source = self._source(component, data)
        return adapters.data_digest(path=source.path, callable=source.callable, folder=self.project.folder)

    def _model(self, component: str) -> LoadedModel:
        given = self.project.objects.get(f"{component}.model")
        source = self._component(component).model
        if given is not None:
            return adapters.as_model(given)
        if source is None:
            raise DiagnosticsError.of(
                "missing-key",
                f"component {component!r} has no model, and a step needs one",
                where=self.project.where("components", component),
                hint="Add model: to the component.",
            )
        return adapters.load_model(**_model_arguments(source), folder=self.project.folder)

    def _data(self, component: str, data: str, *, with_inputs: bool) -> Data:
        classes = tuple(self._component(component).classes)
        given = self.project.objects.get(f"{component}.{data}")
        if given is not None:
            return adapters.as_data(given, classes=classes)
        source = self._source(component, data)
        rows = adapters.load_data(
            **source.model_dump(), classes=classes, folder=self.project.folder, with_inputs=with_inputs
        )
        if source.path and rows.digest != self.data_digest(component, data):
            raise DiagnosticsError.of("file-unreadable", f"{source.path} changed while it was read", hint="Run again.")
        return rows

    def _tested(self, component: str, data: str, progress: Progress | None) -> Tested:
        digests = self.digests(component, data)
        identity = self.identity(component, data)
        if identity is None:
            rows = self._data(component, data, with_inputs=False)
            if rows.scores is None:
                raise DiagnosticsError.of(
                    "data-column",
                    f"component {component!r} has no model and data set {data!r} no scores",
                    where=self.project.where("components", component),
                    hint="Name the columns of the scores, or add a model.",
                )
            return adapters.tested(
                component, rows, rows.scores, output=rows.output, classes=rows.classes, digests=digests, caveats=()
            )
        found = self._scored(component, data, progress)
        rows = self._data(component, data, with_inputs=self._inputs_are_small(component, data))
        return adapters.tested(
            component,
            rows,
            found.scores,
            output=found.output,
            classes=found.classes,
            digests=digests,
            caveats=dict.fromkeys((*identity.caveats, *found.caveats)),
        )

    def _inputs_are_small(self, component: str, data: str) -> bool:
        path = None if f"{component}.{data}" in self.project.objects else self._source(component, data).path
        return path is None or (self.project.folder / path).stat().st_size <= INPUTS_KEPT

    def _scored_in_memory(self, component: str, data: str) -> Scored:
        def make() -> Scored:
            return adapters.scored(self.model(component), self.data(component, data), batch_size=IN_MEMORY_BATCH)

        return self._once(f"{component}.{data} scores", make)

    def _scored(self, component: str, data: str, progress: Progress | None) -> Scored:
        if {f"{component}.model", f"{component}.{data}"} & self.project.objects.keys():
            return self._scored_in_memory(component, data)
        identity = self.identity(component, data)
        versions = dict(code_versions()) | dict(identity.versions if identity else {})
        params = how_read(self.project.definition, component, data)
        key = Provenance("scores", params, (), self.digests(component, data), None, versions).key
        kept = scores.read(self.store, key)
        if kept is None:
            self._score(component, data, key, progress)
            kept = scores.read(self.store, key)
        if kept is None:
            raise DiagnosticsError.of("store-damaged", "scores could not be read back", where=self.store.location)
        return kept

    def _score(self, component: str, data: str, key: str, progress: Progress | None) -> None:
        model = self._component(component).model
        assert model is not None
        with unfinished(self.store) as folder:
            found = adapters.score_isolated(
                _model_arguments(model),
                self._source(component, data).model_dump() | {"classes": list(self._component(component).classes)},
                folder=self.project.folder,
                batch_size=model.batch_size,
                time_limit=model.time_limit,
                target=folder / f"{key}.npy",
                progress=progress,
            )
            scores.keep(self.store, key, found, folder / f"{key}.npy", step=f"scores of {component} on {data}")


@contextmanager
def unfinished(store: Store) -> Iterator[Path]:
    """A folder that is gone afterwards, whatever happens."""
    folder = store.scratch()
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def _model_arguments(source: ModelSource) -> dict[str, Any]:
    return source.model_dump(exclude={"files", "batch_size", "time_limit"})
