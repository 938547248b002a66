"""Components at work: their identities, their scores (kept in the store), and what steps are handed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from surefoot import adapters
from surefoot.adapters import Arrays, Data, Identity, LoadedModel, Scored, Tested
from surefoot.core import DiagnosticsError, Provenance, array_digest, digest
from surefoot.project import rows, scores
from surefoot.project.definition import Component, DataSource
from surefoot.project.once import Once
from surefoot.project.plan import how_read
from surefoot.project.project import Project
from surefoot.project.scores import Progress
from surefoot.project.store import Store
from surefoot.project.versions import reading_versions

IN_MEMORY_BATCH = 1024
INPUTS_KEPT = 2**28
"""Inputs of larger files are not kept beside the scores: repeated rows are then not looked for."""


@dataclass(eq=False)
class Components:
    """All components of a project, each loaded at most once."""

    project: Project
    store: Store
    _once: Once = field(default_factory=Once)

    def digests(self, component: str, data: str) -> dict[str, str]:
        """Digests of the model and of a data set, as they enter keys."""
        found = {"data": self.data_digest(component, data)}
        identity = self.identity(component, data)
        return found | ({"model": identity.digest} if identity else {})

    def identity(self, component: str, data: str) -> Identity | None:
        """What the model is; None where the data bring their own scores."""
        in_memory = f"{component}.model" in self.project.objects
        name = f"{component}.{data} identity" if in_memory else f"{component} identity"
        return self._once(name, lambda: self._identity(component, data))

    def data_digest(self, component: str, data: str) -> str:
        """Digest of a data set."""
        return self._once(f"{component}.{data} digest", lambda: self._data_digest(component, data))

    def model(self, component: str) -> LoadedModel:
        """The model itself, in this process."""
        return self._once(f"{component} model", lambda: self._model(component))

    def data(self, component: str, data: str) -> Data:
        """The rows with their inputs."""
        return self._once(f"{component}.{data} rows", lambda: self._data(component, data, with_inputs=True))

    def answers(self, component: str, data: str, progress: Progress | None = None) -> Data:
        """The rows with the component's scores; whether they have labels does not matter, and is not told."""
        return self._once(f"{component}.{data} answers", lambda: self._answers(component, data, progress))

    def tested(self, component: str, data: str, progress: Progress | None = None) -> Tested:
        """The component's answers on a data set."""
        return self._once(f"{component}.{data} tested", lambda: self._tested(component, data, progress))

    def _component(self, component: str) -> Component:
        return self.project.definition.components[component]

    def _source(self, component: str, data: str) -> DataSource:
        return self._component(component).data[data]

    def _identity(self, component: str, data: str) -> Identity | None:
        if f"{component}.model" in self.project.objects:
            # An object in memory has no file; what it answers is what it is.
            found = self._scored_in_memory(component, data)
            what = {"scores": array_digest(found.scores), "output": found.output, "classes": found.classes}
            return Identity(digest(what))
        source = self._component(component).model
        if source is None:
            return None
        where_from = source.model_dump(include={"path", "callable", "factory", "weights", "files", "trust"})
        return adapters.model_identity(**where_from, folder=self.project.folder)

    def _data_digest(self, component: str, data: str) -> str:
        if f"{component}.{data}" in self.project.objects:
            return self.data(component, data).digest
        made = self._made(component, data)
        if made is not None:
            return adapters.arrays_digest(made)
        return adapters.data_digest(path=self._source(component, data).path, folder=self.project.folder)

    def _made(self, component: str, data: str) -> Arrays | None:
        return self._once(f"{component}.{data} made", lambda: rows.make(self.project, component, data))

    def _model(self, component: str) -> LoadedModel:
        given = self.project.objects.get(f"{component}.model")
        source = self._component(component).model
        if given is not None:
            return adapters.as_model(given)
        if source is None:
            raise DiagnosticsError.of(
                "missing-key",
                f"component {component!r} has no model, and a step needs one.",
                where=self.project.where("components", component),
                hint="Add model: to the component.",
            )
        model = adapters.load_model(**scores.model_arguments(source), folder=self.project.folder)
        self._check_model(component, "")
        return model

    def _data(self, component: str, data: str, *, with_inputs: bool) -> Data:
        made = self._made(component, data)
        found = rows.read(self.project, component, data, made=made, with_inputs=with_inputs)
        path = self._source(component, data).path
        if path and found.digest != self.data_digest(component, data):
            raise rows.changed(path)
        return found

    def _check_model(self, component: str, data: str) -> None:
        """What ran must be what was digested: a model may be written anew at any moment."""
        before, now = self.identity(component, data), self._identity(component, data)
        if before and now and before.digest != now.digest:
            raise rows.changed(f"the model of {component}")

    def _tested(self, component: str, data: str, progress: Progress | None) -> Tested:
        digests = self.digests(component, data)
        identity = self.identity(component, data)
        if identity is None:
            given = self._brought(component, data)
            assert given.scores is not None
            return adapters.tested(
                component, given, given.scores, output=given.output, classes=given.classes, digests=digests, caveats=()
            )
        found = self._scored(component, data, progress)
        return adapters.tested(
            component,
            self._data(component, data, with_inputs=self.inputs_are_small(component, data)),
            found.scores,
            output=found.output,
            classes=found.classes,
            digests=digests,
            caveats=dict.fromkeys((*identity.caveats, *found.caveats)),
        )

    def _answers(self, component: str, data: str, progress: Progress | None) -> Data:
        if self.identity(component, data) is None:
            return replace(self._brought(component, data), labels=None)
        found = self._scored(component, data, progress)
        read = self._data(component, data, with_inputs=self.inputs_are_small(component, data))
        return replace(read, labels=None, scores=found.scores, output=found.output, classes=found.classes)

    def _brought(self, component: str, data: str) -> Data:
        """Rows that bring their scores, where there is no model."""
        given = self._data(component, data, with_inputs=False)
        if given.scores is None:
            raise DiagnosticsError.of(
                "data-column",
                f"component {component!r} has no model and data set {data!r} no scores.",
                where=self.project.where("components", component),
                hint="Name the columns of the scores, or add a model.",
            )
        return given

    def inputs_are_small(self, component: str, data: str) -> bool:
        """Whether inputs are kept beside the scores."""
        path = None if f"{component}.{data}" in self.project.objects else self._source(component, data).path
        return path is None or rows.size(self.project.folder / path) <= INPUTS_KEPT

    def _scored_in_memory(self, component: str, data: str) -> Scored:
        def make() -> Scored:
            return adapters.scored(self.model(component), self.data(component, data), batch_size=IN_MEMORY_BATCH)

        return self._once(f"{component}.{data} scores", make)

    def _scored(self, component: str, data: str, progress: Progress | None) -> Scored:
        if {f"{component}.model", f"{component}.{data}"} & self.project.objects.keys():
            return self._scored_in_memory(component, data)
        identity = self.identity(component, data)
        versions = dict(reading_versions()) | dict(identity.versions if identity else {})
        params = how_read(self.project.definition, component, data)
        key = Provenance("scores", params, (), self.digests(component, data), None, versions).key
        kept = scores.read(self.store, key)
        if kept is None:
            scores.compute(
                self.project,
                self.store,
                key,
                component,
                data,
                made=self._made(component, data),
                check=lambda: self._check_unchanged(component, data),
                progress=progress,
            )
            kept = scores.read(self.store, key)
        if kept is None:
            raise DiagnosticsError.of("store-damaged", "scores could not be read back.", where=self.store.location)
        return kept

    def _check_unchanged(self, component: str, data: str) -> None:
        self._check_model(component, data)
        if self._data_digest(component, data) != self.data_digest(component, data):
            raise rows.changed(str(self._source(component, data).path))
