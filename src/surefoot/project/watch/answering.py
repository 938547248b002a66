"""The component at work on a stream: its scores for each batch, in the form of its answers on the reference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import adapters
from surefoot.adapters import Data, LoadedModel, Output
from surefoot.adapters.outputs import is_label, put, score_type, settle
from surefoot.core import DiagnosticsError
from surefoot.project.components import Components
from surefoot.project.project import Project
from surefoot.project.store import Store

OPERATION, TEST = "operation", "test"
MOST_REFERENCE = 20_000
"""More rows of reference would tell no more."""
BATCH = 1024


@dataclass(frozen=True, eq=False)
class Reference:
    """Rows that operation is compared with, and the component that answers."""

    name: str
    """The data set: ``operation`` where there is one, else ``test``."""
    inputs: NDArray[Any] | None
    scores: NDArray[np.floating]
    output: Output
    classes: tuple[str, ...]
    model: LoadedModel | None
    digests: dict[str, str]
    batch_size: int = BATCH

    @classmethod
    def of(cls, project: Project, component: str, *, seed: int = 0) -> Reference:
        """Read the data, load the model in this process, and let it answer."""
        components, part = Components(project, Store.open(None)), project.definition.components[component]
        name = reference_data(list(part.data))
        data = _some(components.data(component, name), seed)
        digests = components.digests(component, name)
        if part.model is None and f"{component}.model" not in project.objects:
            if data.scores is None:
                text = f"component {component!r} has no model, and data set {name!r} no scores."
                raise DiagnosticsError.of("data-column", text, where=project.where("components", component))
            return cls(name, None, data.scores, data.output, data.classes, None, digests)
        size = part.model.batch_size if part.model else BATCH
        model = _settled(components.model(component), data)
        found = adapters.scored(model, data, batch_size=size)
        return cls(name, data.inputs, found.scores, found.output, found.classes, model, digests, size)

    def answers(self, rows: NDArray[Any]) -> NDArray[np.floating]:
        """Scores of rows of a stream: of inputs, or where there is no model of scores that the rows bring."""
        if self.model is None:
            brought = {"scores": rows, "output": self.output, "classes": self.classes}
            scores = adapters.as_data(brought).scores
            assert scores is not None, "scores were given"
            return scores
        data = Data("", rows, classes=self.classes, classes_listed=True)
        return adapters.scored(self.model, data, batch_size=self.batch_size).scores


def reference_data(names: list[str]) -> str:
    """The data set that operation is compared with."""
    return next((name for name in (OPERATION, TEST) if name in names), names[0])


def class_numbers(labels: Any, classes: tuple[str, ...], *, where: str) -> NDArray[np.int64]:
    """Numbers of the classes that labels mean; -1 where a label is missing (None, NaN or empty)."""
    from surefoot.adapters.classes import numbered

    given = np.asarray(labels, dtype=object).reshape(-1)
    missing = np.array([each is None or each == "" or each != each for each in given], dtype=bool)
    found = np.full(given.size, -1, dtype=np.int64)
    if not missing.all():
        kept = given[~missing]
        plain = np.array([str(each) for each in kept]) if isinstance(kept[0], str) else np.array(kept.tolist())
        found[~missing] = numbered(plain, classes, where=where).numbers
    return found


def _some(data: Data, seed: int) -> Data:
    """At most so many rows, drawn at random."""
    if len(data) <= MOST_REFERENCE:
        return replace(data, labels=None)
    chosen = np.sort(np.random.default_rng(seed).choice(len(data), MOST_REFERENCE, replace=False))
    return replace(
        data,
        labels=None,
        groups=None,
        attributes={},
        inputs=None if data.inputs is None else data.inputs[chosen],
        scores=None if data.scores is None else data.scores[chosen],
    )


def _settled(model: LoadedModel, data: Data) -> LoadedModel:
    """The model with its kind of answers made fast, so that no later batch is taken for another kind."""
    if model.returns is not None or data.inputs is None:
        return model
    answers = model.answers(data.inputs)
    if is_label(answers, None):
        return replace(model, returns="label")
    single = answers.ndim == 1
    scores = np.empty((len(answers), 2 if single else answers.shape[1]), score_type(answers, model.name))
    put(scores, answers)
    return replace(model, returns=settle(scores, single=single, returns=None, usual=model.usual))
