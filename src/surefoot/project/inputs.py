"""Files and code of the project that parameters of steps name, and what is made of them: trees, chains, worksheets.

Their content is part of what a result rests on, so that each has a digest. Here too: whether a model can be sent to
other processes.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from glob import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic.fields import FieldInfo

from surefoot import documents
from surefoot.adapters.project_code import (
    REFERENCE,
    ProjectModules,
    explained,
    file_digest,
    locate_file,
    module_sources,
)
from surefoot.core import DiagnosticsError, Executor, InvalidInput, SurefootError, digest
from surefoot.documents import Keys, printable
from surefoot.project.definition import Document

if TYPE_CHECKING:
    from surefoot.faulttree import FaultTree
    from surefoot.hazards import Hazop, Scenarios

Array = NDArray[Any]


@dataclass(frozen=True)
class NamesFile:
    """Marks a parameter that names a file: ``Annotated[str, NamesFile((".safetensors",))]``.

    The step is handed the path from where it runs, or one of ``words`` as it was written.
    """

    suffixes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class NamesCode(NamesFile):
    """Marks a parameter that names a function of the project as ``module:name``; ``found_code`` imports it.

    All code of the project's folder is part of what the result rests on.
    """


class NamesFunctions(NamesCode):
    """Marks a parameter whose keys may be functions of the project, ``module:name``, beside other names."""


@dataclass(frozen=True)
class NamesDocument(NamesFile):
    """Marks a parameter that is a ``Document``; where it has a path, that is a file of the project.

    With ``as_stated`` the file must have the SHA-256 that the document states.
    """

    as_stated: bool = True


Place = tuple[str | int, ...]
"""A parameter; one that names several files is followed by the number of the file, a document by ``path``, and one
whose keys are functions by the key."""
PATH = "path"


def files_named(fields: Mapping[str, FieldInfo], values: Mapping[str, Any]) -> dict[Place, tuple[str, NamesFile]]:
    """For each parameter that names a file or files: the file as it was written, and which files will do."""
    marked = {name: mark for name, field in fields.items() for mark in field.metadata if isinstance(mark, NamesFile)}
    return {
        place: (text, mark)
        for name, mark in marked.items()
        for place, text in _written(name, values.get(name), mark)
        if isinstance(text, str) and text not in mark.words
    }


def _written(name: str, value: Any, mark: NamesFile) -> list[tuple[Place, Any]]:
    if isinstance(mark, NamesFunctions):
        keys = value if isinstance(value, Mapping) else ()
        return [((name, key), key) for key in keys if isinstance(key, str) and is_code(key)]
    if isinstance(value, Mapping):
        return [((name, PATH), value.get(PATH))]
    if isinstance(value, list | tuple):
        return [((name, number), text) for number, text in enumerate(value)]
    return [((name,), value)]


def files_at(files: Mapping[Place, str], folder: Path) -> dict[str, str | list[str]]:
    """What the step is handed: paths from where it runs, for code the folder followed by ``module:name``."""
    several: dict[str, str | list[str]] = {}
    for (name, *number), text in files.items():
        if not (number and isinstance(number[0], str)):
            path = str(folder / text)
            several[str(name)] = [*several.get(str(name), []), path] if number else path
    return several


def functions_at(fields: Mapping[str, FieldInfo], values: Mapping[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """Parameters whose keys may be functions, as the step is handed them: the folder followed by ``module:name``."""
    return {
        name: {str(folder / key) if is_code(key) else key: said for key, said in values[name].items()}
        for name, field in fields.items()
        if any(isinstance(mark, NamesFunctions) for mark in field.metadata) and values.get(name)
    }


def documents_at(values: Mapping[str, Any], folder: Path) -> dict[str, Document]:
    """Documents as the step is handed them: each knows the folder of the project, and so its content."""
    return {name: value.in_folder(folder) for name, value in values.items() if isinstance(value, Document)}


def file_digests(files: Mapping[Place, str], folder: Path) -> dict[str, str]:
    """SHA-256 of each file that is named, with the tables beside it that belong to it; of code, of all there is."""
    return {
        " ".join(map(str, place)): _code_digest(text, folder)
        if is_code(text)
        else file_digest(locate_file(text, folder, what=str(place[0])))
        if place[1:] == (PATH,)
        else _digest(locate_file(text, folder, what=str(place[0])))
        for place, text in files.items()
    }


def is_code(text: str) -> bool:
    """Whether a text has the form ``module:name``."""
    return REFERENCE.fullmatch(text) is not None


def _code_digest(reference: str, folder: Path) -> str:
    found = module_sources(reference, folder, code="file-unreadable")
    return digest({"code": reference, "sources": found.digests, "versions": found.versions})


@contextmanager
def found_code(path: str) -> Iterator[Any]:
    """The function that a step was handed; while it is used, the project's folder can be imported from."""
    folder, reference = Path(path).parent, Path(path).name
    modules = ProjectModules(folder)
    with modules.active():
        yield modules.find(reference, code="file-unreadable")


def varied_by(within: Mapping[str, Any]) -> dict[Any, Any]:
    """What a step is told of a variation, with the functions of the project that its keys name."""
    return {_function_at(name) if is_code(Path(name).name) else name: said for name, said in within.items()}


def tried(inputs: Array, places: Array, within: Array, ends: Array) -> Array:
    """Whether functions of the project give what a variation needs; a one for each row, or an error with a code.

    A process of its own hands it columns: ``within`` is JSON, the same in all rows.
    """
    from surefoot.corruptions import Variation

    said = documents.json.loads(str(within[0]))
    low, high = map(float, ends[0])
    try:
        family = Variation.of(varied_by(said["within"]), picture=said["picture"])
        once, again = (family.varied(inputs, places[:, : family.dimensions], low=low, high=high) for _ in range(2))
        why = "" if np.array_equal(once, again) else "varies the same input otherwise the second time."
    except DiagnosticsError:
        raise
    except Exception as error:
        why = str(error) if isinstance(error, SurefootError) else f"raised {explained(error)}."
    if why:
        raise DiagnosticsError.of("variation-function", printable(why))
    return np.ones(len(inputs))


def _function_at(path: str) -> Callable[..., Any]:
    """The function that a key of a parameter names, able to import from the project's folder while it runs."""
    folder, reference = Path(path).parent, Path(path).name
    modules = ProjectModules(folder)
    found = modules.find(reference, code="file-unreadable")

    @wraps(found)
    def run(*args: Any, **values: Any) -> Any:
        with modules.active():
            return found(*args, **values)

    run.__name__ = run.__qualname__ = reference
    return run


def _digest(path: Path) -> str:
    """``sheet.items.csv`` and its like belong to ``sheet.csv``."""
    beside = sorted(path.parent.glob(f"{escape(path.stem)}.*.csv")) if path.suffix == ".csv" else []
    parts = [file_digest(file) for file in (path, *beside)]
    return digest(parts) if beside else parts[0]


# The fault tree, chains and worksheet of a step: from files, or as the project file writes them out.

FORMATS = (".yaml", ".yml", ".json", ".xml", ".opsa", ".dft", ".galileo", ".aralia", ".dag")
WORKSHEETS = (".yaml", ".yml", ".csv", ".xlsx")
CHAINS = (".yaml", ".yml")
INLINE = "inline"


def tree_of(file: str | Path | None, inline: Mapping[str, Any] | None, top: str | None) -> FaultTree:
    """The tree of a file or of a mapping, exactly one of them given; what is left out of it is among its problems."""
    from surefoot.faulttree.formats import PartLeftOut, read

    if (file is None) == (inline is None):
        raise InvalidInput("a fault tree needs exactly one of file and inline", where="fault_tree")
    if file is None:
        return Inline(inline or {}).tree(top)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartLeftOut)
        return read(file, top=top)


def hazop_of(file: str | Path) -> Hazop:
    """The worksheet of a file."""
    from surefoot.hazards import Hazop

    return Hazop.read(file)


def scenarios_of(file: str | Path | None, inline: Mapping[str, Any] | None, hazop: Hazop | None) -> Scenarios:
    """The chains of a file or of a mapping, or else as the rows of a worksheet give them."""
    from surefoot.hazards import Scenarios

    if file is not None and inline is not None:
        raise InvalidInput("scenarios need one of file and inline", where="scenario_tree", found="both")
    if file is not None:
        return Scenarios.read(file)
    if inline is not None:
        return Inline(inline, "surefoot-scenarios").scenarios()
    if hazop is None:
        raise InvalidInput("scenarios need a file, inline chains or a worksheet", where="scenario_tree")
    return hazop.scenarios()


@dataclass(frozen=True)
class Inline:
    """A tree, or scenarios, inside another file, as plain data.

    In place of lines, problems carry the number of the key they are about: ``path_of`` leads back to it.
    """

    said: Mapping[str, Any]
    mark: str = "surefoot-tree"

    @cached_property
    def _document(self) -> documents.Document:
        """What a file of its own would hold, with a number for each key in place of the line."""
        paths = _paths(dict(self.said))
        return documents.Document(
            {self.mark: 1, **self.said}, {path: (number, 1) for number, path in enumerate(paths, start=1)}
        )

    def tree(self, top: str | None) -> FaultTree:
        """The tree, or one error with all its problems."""
        from surefoot.documents import Findings
        from surefoot.faulttree.formats.native import read_plain

        return read_plain(self._document, Findings(INLINE), top=top).tree()

    def scenarios(self) -> Scenarios:
        """The chains, or one error with all their problems."""
        from surefoot.documents import Findings
        from surefoot.hazards.chains import read_document

        return read_document(self._document, Findings(INLINE))

    def path_of(self, where: str) -> Keys:
        """The keys that a problem is about."""
        file, _, number = where.rpartition(":")
        known = file == INLINE and number.isdigit() and int(number) <= len(self._document.places)
        return list(self._document.places)[int(number) - 1] if known else ()


def _paths(value: Any) -> Iterator[Keys]:
    """Every key and list item with those around it, outer ones first; the whole is the first."""
    waiting: list[tuple[Keys, Any]] = [((), value)]
    while waiting:
        path, value = waiting.pop()
        yield path
        items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
        waiting.extend(((*path, key), item) for key, item in items)


# Whether a model can be used in other processes.

LONGEST = 200


def obstacle(model: Any, executor: Executor) -> str:
    """Why the processes of an executor cannot use a model, found out by sending it; empty where they can."""
    try:
        (answer,) = executor.map(_opened, [_cloudpickle().dumps(model)], seed=0)
    except Exception as error:
        return _reason(error)
    return answer


def _cloudpickle() -> Any:
    """What joblib and Dask send functions with; joblib before 1.6 brings its own."""
    try:
        return import_module("cloudpickle")
    except ImportError:
        return import_module("joblib.externals.cloudpickle")


def _opened(content: bytes, _rng: np.random.Generator) -> str:
    try:
        pickle.loads(content)
    except Exception as error:
        return _reason(error)
    return ""


def _reason(error: Exception) -> str:
    return printable(f"{type(error).__name__}: {error}".partition("\n")[0], LONGEST)
