"""Components at work: their rows, identities and scores, and what steps are handed of them.

Scores are kept in the store, so that a model runs once for each data set. Here too: the operating conditions as
assumptions that are checked on the test rows, and how much of them these rows show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import adapters
from surefoot.adapters import (
    RIGHT_OR_WRONG,
    Arrays,
    Data,
    Frame,
    FrameTable,
    Identity,
    LoadedModel,
    Scored,
    Tested,
    apply_isolated,
    is_frame,
    score_isolated,
    write_arrays,
)
from surefoot.adapters.column_roles import Form
from surefoot.adapters.model import Growth
from surefoot.adapters.scenes import Scenes
from surefoot.core import (
    Assumption,
    Check,
    Diagnostic,
    DiagnosticsError,
    Evidence,
    InvalidInput,
    Provenance,
    SurefootError,
    Table,
    array_digest,
    digest,
    validate,
)
from surefoot.documents import listed
from surefoot.project.definition import Component, Condition, Conditions, DataSource, ModelSource
from surefoot.project.definition.system import KEPT, OF_IMAGES
from surefoot.project.plan import how_read, reading_versions
from surefoot.project.project import Project
from surefoot.project.store import Store
from surefoot.project.tasks import (
    DETECTION,
    SEGMENTATION,
    Demands,
    columns_judged,
    in_time,
    judge,
    timed,
    with_columns_of_time,
)
from surefoot.project.tasks.image_files import (
    digest_of_images,
    has_objects,
    ignored,
    mask_rows,
    read_masks,
    read_scenes,
    scene_rows,
)

TIME_LIMIT = float(ModelSource.model_fields["time_limit"].default)
Progress = Callable[[int, int], None]
CAVEAT = ("code", "text", "severity", "where", "hint")
IN_MEMORY_BATCH = 1024
INPUTS_KEPT = 2**28
"""Inputs of larger files are not kept beside the scores: repeated rows are then not looked for."""


@dataclass(eq=False)
class Once:
    """Hands out what was made before, or the error it gave: a model that hangs is not tried twice."""

    made: dict[str, Any] = field(default_factory=dict)

    def __call__(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, or gave."""
        if name not in self.made:
            try:
                self.made[name] = make()
            except SurefootError as error:
                self.made[name] = error
        if isinstance(self.made[name], SurefootError):
            raise self.made[name]
        return self.made[name]


@dataclass(eq=False)
class Components:
    """All components of a project, each loaded at most once."""

    project: Project
    store: Store
    known: Mapping[str, str] = field(default_factory=dict)
    """Digests of data sets that are not to be made."""
    code: bool = True
    """Whether code of the project, or of a pickle, may run."""
    _once: Once = field(default_factory=Once)

    def digests(self, component: str, data: str) -> dict[str, str]:
        """Digests of the model and of a data set, as they enter keys."""
        found = {"data": self.data_digest(component, data)}
        for key, name in self._component(component).functions.items():
            made = partial(self._function_digest, component, data, key, name)
            found[key] = self._once(f"{component}.{data} {key} code", made)
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

    def model_on(self, component: str, data: str) -> LoadedModel:
        """The model for a step that hands it numbers in the order of a data set's columns."""
        model, rows = self.model(component), self.data(component, data)
        return model.on_columns(rows.inputs.names if isinstance(rows.inputs, Frame) else rows.columns)

    def data(self, component: str, data: str) -> Data:
        """The rows with their inputs."""
        return self._once(f"{component}.{data} rows", lambda: self._data(component, data, with_inputs=True))

    def answers(self, component: str, data: str, progress: Progress | None = None) -> Data:
        """The rows with the component's scores; whether they have labels does not matter, and is not told."""
        return self._once(f"{component}.{data} answers", lambda: self._answers(component, data, progress))

    def scenes(self, component: str, data: str) -> Scenes:
        """Images with their boxes, where the task is detection."""
        return self._once(f"{component}.{data} scenes", lambda: self._scenes(component, data))

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
        decode = source.detector.decode if source.detector else None
        return adapters.model_identity(**where_from, decode=decode, folder=self.project.folder)

    def _function_digest(self, component: str, data: str, key: str, name: str) -> str:
        """What a function is that judges: its code, or, in memory, what it says of the rows."""
        if f"{component}:{key}" not in self.project.objects:
            return adapters.model_identity(callable=name, folder=self.project.folder).digest
        found = judge(self._demands(component, data, None), digests={})
        return digest([array_digest(found.failed), None if found.losses is None else array_digest(found.losses)])

    def _data_digest(self, component: str, data: str) -> str:
        if f"{component}.{data}" in self.known:
            return self.known[f"{component}.{data}"]
        if f"{component}.{data}" in self.project.objects:
            return self.data(component, data).digest
        source = self._source(component, data)
        if source.path is not None and self._component(component).task in OF_IMAGES:
            return digest_of_images(self.project, component, data)
        made = self._made(component, data)
        if made is not None:
            return adapters.arrays_digest(made)
        return adapters.data_digest(path=self._source(component, data).path, folder=self.project.folder)

    def _scenes(self, component: str, data: str) -> Scenes:
        return read_scenes(self.project, component, data, made=self._made_arrays(component, data))

    def _made_arrays(self, component: str, data: str) -> Arrays | None:
        return _as_arrays(self._made(component, data))

    def _made(self, component: str, data: str) -> Arrays | FrameTable | None:
        self._require_code(self._source(component, data).callable)
        return self._once(f"{component}.{data} made", lambda: make_rows(self.project, component, data))

    def _require_code(self, *names: str | None) -> None:
        """Stop before anything runs where no code may."""
        found = next((name for name in names if name and not self.code), None)
        if found is not None:
            text = f"{found} is code, and none may run."
            raise DiagnosticsError.of("code-refused", text, where=found, hint="Leave --no-code out to run it.")

    def _model(self, component: str) -> LoadedModel:
        self._require_code(*self._component(component).code)
        given = self.project.objects.get(f"{component}.model")
        source = self._component(component).model
        if given is not None:
            takes = source.takes if source else None
            model = adapters.as_model(given)
            return model if takes is None else replace(model, takes=takes)
        if source is None:
            raise DiagnosticsError.of(
                "missing-key",
                f"component {component!r} has no model, and a step needs one.",
                where=self.project.where("components", component),
                hint="Add model: to the component.",
            )
        model = adapters.load_model(**model_arguments(source), folder=self.project.folder)
        self._check_model(component, "")
        return model

    def _data(self, component: str, data: str, *, with_inputs: bool) -> Data:
        made, in_memory = self._made(component, data), f"{component}.model" in self.project.objects
        form = self.model(component).form if in_memory else "either"
        found = read_rows(self.project, component, data, made=made, with_inputs=with_inputs, form=form)
        path = self._source(component, data).path
        if path and found.digest != self.data_digest(component, data):
            raise rows_changed(path)
        return found

    def _check_model(self, component: str, data: str) -> None:
        """What ran must be what was digested: a model may be written anew at any moment."""
        before, now = self.identity(component, data), self._identity(component, data)
        if before and now and before.digest != now.digest:
            raise rows_changed(f"the model of {component}")

    def _tested(self, component: str, data: str, progress: Progress | None) -> Tested:
        digests = self.digests(component, data)
        identity = self.identity(component, data)
        if not self._component(component).classifies:
            return self._judged(component, data, progress)
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

    def _judged(self, component: str, data: str, progress: Progress | None) -> Tested:
        """The answers as the definition of the task judges them."""
        identity = self.identity(component, data)
        demands = self._demands(component, data, progress)
        said = () if identity is None else self._scored(component, data, progress).caveats
        caveats = dict.fromkeys((*(identity.caveats if identity else ()), *said))
        return judge(demands, digests=self.digests(component, data), caveats=caveats)

    def _demands(self, component: str, data: str, progress: Progress | None) -> Demands:
        has_model = self.identity(component, data) is not None
        if has_objects(self.project, component, data):
            return self._detected(component, data, progress, has_model=has_model)
        if self._component(component).task == SEGMENTATION:
            return self._segmented(component, data, progress, has_model=has_model)
        return Demands(
            component,
            self._component(component),
            self._source(component, data),
            self._data(component, data, with_inputs=self.inputs_are_small(component, data)),
            read_judged(self.project, component, data, made=self._made(component, data)),
            self._scored(component, data, progress).scores if has_model else None,
            partial(self._call, component),
        )

    def _detected(self, component: str, data: str, progress: Progress | None, *, has_model: bool) -> Demands:
        part, scenes = self._component(component), self.scenes(component, data)
        if has_model and part.task == SEGMENTATION:
            text = "models are not asked for masks of objects."
            hint = "Leave model: out, and write its answers as COCO results: predictions:."
            raise DiagnosticsError.of("model-output", text, where=component, hint=hint)
        if has_model:
            found = self._scored(component, data, progress)
            names = found.classes or part.classes
            scenes = scenes.answered(np.asarray(found.scores), listed_classes=names, where=component)
        rows = without_pictures(self._data(component, data, with_inputs=False))
        return Demands(component, part, self._source(component, data), rows, {}, scenes=scenes)

    def _segmented(self, component: str, data: str, progress: Progress | None, *, has_model: bool) -> Demands:
        part = self._component(component)
        masks = self._once(
            f"{component}.{data} masks", lambda: read_masks(self.project, component, data, self._made_arrays)
        )
        if has_model:
            found = self._scored(component, data, progress).scores
            classes = len(part.classes) or None
            masks = masks.answered(found, classes=classes, ignore=ignored(part), where=component)
        rows = without_pictures(self._data(component, data, with_inputs=False))
        return Demands(component, part, self._source(component, data), rows, {}, masks=masks)

    def _call(self, component: str, key: str, columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """What a function of the project says of each row: in a process of its own, unless it is in memory."""
        part = self._component(component)
        self._require_code(*part.code)
        name = part.functions[key]
        given = self.project.objects.get(f"{component}:{key}")
        if given is not None:
            return adapters.applied(given, columns, where=key)
        limit = part.model.time_limit if part.model else TIME_LIMIT
        found = apply_isolated(name, Arrays(columns, name), folder=self.project.folder, time_limit=limit)
        return found.array("result")

    def _answers(self, component: str, data: str, progress: Progress | None) -> Data:
        if not self._component(component).classifies:
            # Whether an answer is right is not told: all rows are demands, and count as answered rightly.
            rows = self._data(component, data, with_inputs=self.inputs_are_small(component, data))
            scores = np.tile(np.array([1, 0], np.float32), (len(rows), 1))
            return replace(rows, labels=None, scores=scores, output="label", classes=RIGHT_OR_WRONG)
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
        return path is None or bytes_of(self.project.folder / path) <= INPUTS_KEPT

    def _scored_in_memory(self, component: str, data: str) -> Scored:
        def make() -> Scored:
            model, rows = self.model(component), self.data(component, data)
            form = answers_form(self._component(component))
            how: dict[str, Any] = {"batch_size": IN_MEMORY_BATCH, "growth": Growth()}
            if form is not None:
                return adapters.predicted(model, rows, **how, **form)
            return adapters.scored(model, rows, **how)

        return self._once(f"{component}.{data} scores", make)

    def _scored(self, component: str, data: str, progress: Progress | None) -> Scored:
        if {f"{component}.model", f"{component}.{data}"} & self.project.objects.keys():
            return self._scored_in_memory(component, data)
        identity = self.identity(component, data)
        versions = dict(reading_versions()) | dict(identity.versions if identity else {})
        params = how_read(self.project.definition, component, data)
        key = Provenance("scores", params, (), self.digests(component, data), None, versions).key
        kept = read_scores(self.store, key)
        if kept is None:
            self._require_code(*self._component(component).code)
            compute_scores(
                self.project,
                self.store,
                key,
                component,
                data,
                made=self._made(component, data),
                check=lambda: self._check_unchanged(component, data),
                progress=progress,
            )
            kept = read_scores(self.store, key)
        if kept is None:
            raise DiagnosticsError.of("store-damaged", "scores could not be read back.", where=self.store.location)
        return kept

    def _check_unchanged(self, component: str, data: str) -> None:
        self._check_model(component, data)
        if self._data_digest(component, data) != self.data_digest(component, data):
            raise rows_changed(str(self._source(component, data).path))


# Rows of a component: from memory, from a file, or made by code of the project in a process of its own.


def make_rows(project: Project, component: str, data: str) -> Arrays | FrameTable | None:
    """What the code of a data set makes; None where its rows come from elsewhere."""
    source = project.definition.components[component].data[data]
    if source.callable is None or f"{component}.{data}" in project.objects:
        return None
    model = project.definition.components[component].model
    limit = model.time_limit if model else TIME_LIMIT
    return adapters.make_isolated(source.callable, folder=project.folder, time_limit=limit)


def read_rows(
    project: Project,
    component: str,
    data: str,
    *,
    made: Arrays | FrameTable | None,
    with_inputs: bool,
    form: Form = "either",
) -> Data:
    """The rows as steps and models see them; inputs of a file in the form that a model in memory takes."""
    part = project.definition.components[component]
    classes = tuple(part.classes)
    given, source = project.objects.get(f"{component}.{data}"), part.data[data]
    if part.task in OF_IMAGES and has_objects(project, component, data):
        found = scene_rows(project, component, data, made=_as_arrays(made), with_inputs=with_inputs)
    elif part.task == SEGMENTATION:
        found = mask_rows(project, component, data, made=_as_arrays(made), with_inputs=with_inputs)
    elif not part.classifies:
        found = read_demands(project, component, data, made=made, with_inputs=with_inputs, form=form)
    elif given is not None and is_frame(given):
        columns = ("inputs", "labels", "scores", "output", "groups", "attributes")
        parts = {key: source.reading[key] for key in columns}
        found = adapters.as_data(given, classes=classes, **parts)
    elif given is not None:
        found = adapters.as_data(with_columns_of_time(given, source), classes=classes)
    else:
        options: dict[str, Any] = {"classes": classes, "folder": project.folder, "with_inputs": with_inputs}
        options["form"] = form
        found = adapters.load_data(**source.reading, **options, arrays=made)
    return in_time(timed(found, source), source, where=f"{component}.{data}")


def _as_arrays(made: Arrays | FrameTable | None) -> Arrays | None:
    """What code made, for tasks whose truth no frame holds."""
    if isinstance(made, FrameTable):
        text, hint = "boxes and masks are no columns of a frame.", "Return a mapping of arrays."
        raise DiagnosticsError.of("data-type", text, where=made.where, hint=hint)
    return made


def read_demands(
    project: Project,
    component: str,
    data: str,
    *,
    made: Arrays | FrameTable | None,
    with_inputs: bool,
    form: Form = "either",
) -> Data:
    """Rows of a task that is no classification, without what is judged."""
    part = project.definition.components[component]
    source, judged = part.data[data], judged_names(project, component, data, made=made)
    columns = [name for names in judged.values() for name in names]
    given = project.objects.get(f"{component}.{data}")
    asked: dict[str, Any] = {"inputs": source.inputs, "groups": source.groups, "attributes": source.columns_of_rows}
    if given is not None:
        found = adapters.demand_rows(given, **asked, judged=columns)
    else:
        where: dict[str, Any] = source.model_dump(include={"path", "callable", "image_size", "types"})
        needed = (with_inputs and part.model is not None) or source.inputs is not None
        options: dict[str, Any] = {"folder": project.folder, "with_inputs": needed, "arrays": made, "judged": columns}
        options["form"] = form
        found = adapters.load_data(**where, **asked, **options)
    read = [column for part in read_judged(project, component, data, made=made).values() for column in part]
    lengths = {len(column) for column in (*read, found.inputs, found.groups) if column is not None}
    if len(lengths) != 1:
        text = (
            f"columns have different numbers of rows: {listed([*map(str, sorted(lengths))])}."
            if lengths
            else "there are no rows."
        )
        raise DiagnosticsError.of("data-type" if lengths else "data-empty", text, where=f"{component}.{data}")
    # A place in the row of each demand; nothing is said of its class.
    return replace(found, labels=np.zeros(lengths.pop(), dtype=np.int64), classes=RIGHT_OR_WRONG)


def judged_names(
    project: Project, component: str, data: str, *, made: Arrays | FrameTable | None
) -> dict[str, list[str]]:
    """The columns that the task of a component judges, by part."""
    part = project.definition.components[component]
    return columns_judged(part, part.data[data], _source_of(project, component, data, made).names)


def read_judged(
    project: Project, component: str, data: str, *, made: Arrays | FrameTable | None
) -> dict[str, list[NDArray[Any]]]:
    """The same columns, read."""
    source = _source_of(project, component, data, made)
    return adapters.judged_columns(source, judged_names(project, component, data, made=made))


def _source_of(project: Project, component: str, data: str, made: Arrays | FrameTable | None) -> Any:
    source = project.definition.components[component].data[data]
    given = project.objects.get(f"{component}.{data}")
    return adapters.demand_source(
        path=source.path, callable=source.callable, folder=project.folder, arrays=made, given=given
    )


def without_pictures(rows: Data) -> Data:
    """The rows without inputs that are no array of numbers, or more than is kept."""
    kept = isinstance(rows.inputs, np.ndarray) and rows.inputs.dtype != object and rows.inputs.nbytes <= INPUTS_KEPT
    return rows if kept else replace(rows, inputs=None)


def bytes_of(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def rows_changed(what: str) -> DiagnosticsError:
    """The error of a file that is not what it was when its digest was computed."""
    text = f"{what} changed while it was read."
    return DiagnosticsError.of("file-unreadable", text, where=what, hint="Run again when nothing writes to it.")


# Scores in the store: the array itself, and a record of what its columns are.


def compute_scores(
    project: Project,
    store: Store,
    key: str,
    component: str,
    data: str,
    *,
    made: Arrays | FrameTable | None,
    check: Callable[[], None],
    progress: Progress | None,
) -> None:
    """Run the model and keep its scores, unless ``check`` finds that a file is no longer what the key says."""
    part = project.definition.components[component]
    assert part.model is not None
    source = part.data[data].reading | {"classes": list(part.classes)}
    if part.task in OF_IMAGES and part.data[data].path is not None:
        source |= {"images": part.data[data].images}
    if part.task in OF_IMAGES:
        source |= {"labels": None, "judged": ["labels", "predictions"], "attributes": []}
    elif not part.classifies:
        judged = judged_names(project, component, data, made=made)
        source |= {"labels": None, "classes": [], "judged": [name for names in judged.values() for name in names]}
    with _unfinished(store) as folder:
        if made is not None:
            write_arrays(made, folder)
            source["made"] = str(folder.absolute())
        found = score_isolated(
            model_arguments(part.model),
            source,
            folder=project.folder,
            batch_size=part.model.batch_size,
            time_limit=part.model.time_limit,
            target=folder / f"{key}.npy",
            progress=progress,
            answers=answers_form(part),
            growing="batch_size" not in part.model.model_fields_set,
        )
        check()
        keep_scores(store, key, found, folder / f"{key}.npy", step=f"scores of {component} on {data}")


def answers_form(part: Component) -> dict[str, Any] | None:
    """The form in which a model answers, for tasks that are no classification."""
    form = {DETECTION: "boxes", SEGMENTATION: "masks"}.get(part.task, "values")
    return None if part.classifies else {"form": form, "repeats": part.repeats}


def model_arguments(source: ModelSource) -> dict[str, Any]:
    """What ``load_model`` needs to know."""
    return source.model_dump(exclude={"files", "batch_size", "time_limit", *KEPT})


def keep_scores(store: Store, key: str, found: Scored, file: Path, *, step: str) -> None:
    """Move a finished file of scores into the store; the record comes last, so that it never leads to nothing."""
    store.adopt_array(key, file)
    tables = {
        "output": Table(("output",), ((found.output,),)),
        "classes": Table(("class",), tuple((name,) for name in found.classes)),
        "caveats": Table(CAVEAT, tuple(tuple(getattr(c, name) for name in CAVEAT) for c in found.caveats)),
    }
    store.put(key, Evidence((), tables), step=step)


def read_scores(store: Store, key: str) -> Scored | None:
    """What ``keep_scores`` kept; None where something is missing or damaged."""
    record, scores = store.get(key), store.get_array(key)
    if record is None or scores is None:
        return None
    tables = record.tables
    return Scored(
        tables["output"].rows[0][0],
        tuple(name for (name,) in tables["classes"].rows),
        tuple(Diagnostic(*row) for row in tables["caveats"].rows),
        scores,
    )


@contextmanager
def _unfinished(store: Store) -> Iterator[Path]:
    """A folder that is gone afterwards, whatever happens."""
    folder = store.scratch()
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


# Operating conditions as assumptions, checked on the test data where they name a column.

ODD = "inside-operating-conditions"


def as_assumptions(conditions: Conditions, tested: Tested) -> tuple[Assumption, ...]:
    """One assumption a condition, and one for the table of the operational design domain."""
    stated = tuple(
        Assumption(condition.id, condition.text, _check(condition, tested), tested.component)
        for condition in conditions.assumptions
    )
    return stated + (_odd(conditions.odd, tested) if conditions.odd else ())


def _check(condition: Condition, tested: Tested) -> Check | None:
    if condition.column is None:
        return None
    if condition.column not in tested.attributes:
        known = tuple(tested.attributes)
        if not known:
            raise InvalidInput(
                f"a condition looks at column {condition.column!r}, and the data set names no attributes",
                where=f"condition {condition.id!r}",
                remedy=f"Add attributes: [{condition.column}] to the data set.",
            )
        validate.choice(condition.column, known, where=f"condition {condition.id!r}", name="column")
    column = tested.attributes[condition.column]
    outside = np.zeros(len(column), dtype=bool)
    if condition.at_least is not None or condition.at_most is not None:
        numbers = validate.numbers(column, where=f"condition {condition.id!r}", name=condition.column)
        outside |= numbers < (-np.inf if condition.at_least is None else condition.at_least)
        outside |= numbers > (np.inf if condition.at_most is None else condition.at_most)
    if condition.one_of is not None:
        outside |= ~_among(column, condition.one_of)
    return _counted("rows outside the condition", {condition.column: outside})


def _odd(table: Mapping[str, list[Any]], tested: Tested) -> tuple[Assumption, ...]:
    looked_at = {name: ~_among(tested.attributes[name], table[name]) for name in table if name in tested.attributes}
    check = _counted("rows outside the table", looked_at) if looked_at else None
    text = f"Inputs lie inside the operating conditions ({', '.join(table)})."
    return (Assumption(ODD, text, check, tested.component),)


def _among(column: NDArray[Any], values: list[Any]) -> NDArray[np.bool_]:
    allowed = {as_text(value) for value in values}
    distinct, which = np.unique(column, return_inverse=True)
    return np.array([as_text(value) in allowed for value in distinct.tolist()], dtype=bool)[which]


def as_text(value: Any) -> str:
    """A value as text, exact, and the same for 1, 1.0 and "1" of different file formats.

    >>> [as_text(value) for value in (1, 1.0, "1", 0.1, 2024001, True, "True", "day")]
    ['1', '1', '1', '0.1', '2024001', 'true', 'true', 'day']
    """
    if str(value) in ("True", "False"):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _counted(method: str, outside: Mapping[str, NDArray[np.bool_]]) -> Check:
    counts = {name: int(rows.sum()) for name, rows in outside.items()}
    rows = len(next(iter(outside.values())))
    share = float(np.logical_or.reduce(list(outside.values())).mean())
    figures = {"rows": rows, **{f"outside {name}": count for name, count in counts.items()}}
    return Check("contradicted" if share > 0 else "supported", method, figures, share)
