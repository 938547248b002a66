"""Files of people, read strictly and written whole: YAML, JSON, XML and tables, with the place of every value.

Here live the readers (``documents.yaml``, ``json``, ``xml``, ``csv`` and ``xlsx``, and ``run_lengths`` of masks), the
layouts in which data are written, findings with code and place, the word that was probably meant, and the wording of
lists, numbers and plurals.
What is refused is the same in every format: a second key or column of one name, control characters, anchors, aliases,
tags and several documents, entities and document types, formulas, files that are too large or nested too deep. May
import ``surefoot.core``, PyYAML where YAML is read, and python-calamine and XlsxWriter where workbooks are read and
written; nothing else of Surefoot.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.core.validate import close, closest, counted, did_you_mean, listed, printable, quoted, shown
from surefoot.documents.document import Document, Findings, Keys, Kind, Place, Problem, Refused, by_line, dotted, place
from surefoot.documents.files import (
    BROKEN_ARRAYS,
    decoded,
    read_bytes,
    read_text,
    refuse_controls,
    write_atomically,
    write_whole,
)
from surefoot.documents.serialisation import as_json, as_yaml, flow, scalar
from surefoot.documents.sheet import Headings, Line, Sheet, cell_name
from surefoot.documents.wording import Rounding, hyphenated, percent, sentence, shortened, significant, visible

if TYPE_CHECKING:
    from surefoot.documents import csv, files, json, run_lengths, xlsx, xml, yaml

__all__ = [
    "BROKEN_ARRAYS",
    "Document",
    "Findings",
    "Headings",
    "Keys",
    "Kind",
    "Line",
    "Place",
    "Problem",
    "Refused",
    "Rounding",
    "Sheet",
    "as_json",
    "as_yaml",
    "by_line",
    "cell_name",
    "close",
    "closest",
    "counted",
    "csv",
    "decoded",
    "did_you_mean",
    "dotted",
    "files",
    "flow",
    "hyphenated",
    "json",
    "listed",
    "percent",
    "place",
    "printable",
    "quoted",
    "read_bytes",
    "read_text",
    "refuse_controls",
    "run_lengths",
    "scalar",
    "sentence",
    "shortened",
    "shown",
    "significant",
    "visible",
    "write_atomically",
    "write_whole",
    "xlsx",
    "xml",
    "yaml",
]
_READERS = ("csv", "json", "run_lengths", "xlsx", "xml", "yaml")


def __getattr__(name: str) -> Any:
    """Readers are loaded when somebody reads."""
    if name in _READERS:
        return import_module(f"surefoot.documents.{name}")
    raise AttributeError(f"module 'surefoot.documents' has no attribute {name!r}")
