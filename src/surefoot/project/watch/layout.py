"""Which columns of a stream mean what: as the data set that operation is compared with says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from surefoot.adapters.csv_data import CsvFile
from surefoot.adapters.parquet_data import ParquetFile
from surefoot.adapters.roles import INPUT_NAMES, LABEL_NAMES, Wanted, roles_in
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.project.definition import DataSource
from surefoot.project.project import Project
from surefoot.project.watch.answering import reference_data

TABLES: dict[str, type[CsvFile] | type[ParquetFile]] = {".csv": CsvFile, ".parquet": ParquetFile}


@dataclass(frozen=True)
class Layout:
    """Names of columns, as far as the project says or its files show."""

    inputs: tuple[str, ...] = ()
    labels: str | None = None
    scores: tuple[str, ...] = ()
    """Where the component has no model: what stands for its answers."""
    aside: tuple[str, ...] = ()
    """Columns that are no inputs."""
    attributes: tuple[str, ...] = ()
    numeric: frozenset[str] = frozenset()
    """Attributes that must be numbers, because a condition limits them."""
    image_size: tuple[int, int] | None = None

    @classmethod
    def of(cls, project: Project, component: str) -> Layout:
        """The columns of a component's reference data."""
        part = project.definition.components[component]
        source = part.data[reference_data(list(part.data))]
        limited = {
            each.column
            for each in project.definition.conditions.assumptions
            if each.column and (each.at_least is not None or each.at_most is not None)
        }
        brought = part.model is None and f"{component}.model" not in project.objects
        in_memory = project.objects.get(f"{component}.{reference_data(list(part.data))}")
        return cls(
            inputs=_inputs(source, project.folder),
            labels=source.labels,
            scores=_names(source.scores) if brought else (),
            aside=(*_names(source.scores), *_names(source.groups)),
            attributes=tuple(source.attributes) or _attributes_of(in_memory),
            numeric=frozenset(name for name in limited if name is not None),
            image_size=source.image_size,
        )

    def label_column(self, names: Sequence[str]) -> str | None:
        """The column of labels, where there is one; a stream may have none."""
        wanted = (self.labels,) if self.labels else LABEL_NAMES
        taken = {*self.inputs, *self.attributes, *self.aside}
        return next((name for name in wanted if name in names and name not in taken), None)

    def input_columns(self, names: Sequence[str], *, where: str) -> tuple[str, ...]:
        """The columns that go into the model: those of the reference, else all that are nothing else."""
        if self.inputs and set(self.inputs) <= set(names):
            return self.inputs
        if len(self.inputs) > 1:
            missing = [name for name in self.inputs if name not in names]
            text = f"the stream has no column {missing[0]!r} ({len(missing)} missing); it has {', '.join(names)}."
            raise DiagnosticsError.of("watch-stream", text, where=where, hint="Name columns as the test data do.")
        usual = next((name for name in INPUT_NAMES if name in names), None)
        if usual is not None:
            return (usual,)
        others = {*self.attributes, *self.aside, self.label_column(names)}
        return tuple(name for name in names if name not in others)


def chosen_component(project: Project, component: str | None) -> str:
    """The component to watch, which must be named where there are several."""
    known = list(project.definition.components)
    if component is None and len(known) == 1:
        return known[0]
    if component in known:
        return component
    text = "there is no component to watch." if not known else f"there are several components: {', '.join(known)}."
    if component is not None:
        text = f"there is no component {component!r}; there are: {', '.join(known)}."
    problem = Diagnostic("unknown-reference", text, "error", project.where("components"), "Say which with --component.")
    raise DiagnosticsError(str(problem), diagnostics=[problem])


def _inputs(source: DataSource, folder: Path) -> tuple[str, ...]:
    path = None if source.path is None else folder / source.path
    if source.inputs is None and path is not None and path.is_file() and path.suffix.lower() in TABLES:
        table = TABLES[path.suffix.lower()](path, str(source.path))
        wanted = Wanted(None, source.labels, source.scores, source.output, source.groups, source.attributes)
        return roles_in(table, wanted, with_inputs=True).inputs
    return _names(source.inputs)


def _attributes_of(given: object) -> tuple[str, ...]:
    """Names of the attributes of data in memory."""
    columns = given.get("attributes") if isinstance(given, dict) else None
    return tuple(columns) if isinstance(columns, dict) else ()


def _names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)
