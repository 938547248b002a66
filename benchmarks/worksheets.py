"""Worksheets of 10,000 rows in three formats, against libraries that read and write the same cells unchecked."""

from __future__ import annotations

import io
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import yaml

from benchmarks.harness import Row, best_of, process
from surefoot.documents import xlsx
from surefoot.hazards import Hazop, Item, Mitigation, RiskMatrix
from surefoot.hazards import Row as Line
from surefoot.hazards.files.sheets import pages

ROWS = 10_000
WORDS = ("no value", "wrong value", "too late", "out of domain")
RUNS = 5
OUR_WRITING = """
import pickle, sys
from pathlib import Path
from surefoot.documents import xlsx
xlsx.write(Path(sys.argv[2]), [xlsx.Page(**pickle.loads(Path(sys.argv[1]).read_bytes()))])
"""
THEIR_WRITING = """
import pickle, sys
from pathlib import Path
import openpyxl
page = pickle.loads(Path(sys.argv[1]).read_bytes())
book = openpyxl.Workbook(write_only=True)
sheet = book.create_sheet("Worksheet")
for line in [page["headings"], *page["lines"]]:
    sheet.append(line)
book.save(sys.argv[2])
"""
OUR_READING = """
import sys
from pathlib import Path
from surefoot.documents import Findings, xlsx
book = xlsx.Workbook(Path(sys.argv[1]).read_bytes(), Findings("sheet.xlsx"))
assert len(book.sheets(book.names[:1])[0].lines) == 10_001
"""
THEIR_READING = """
import sys
import openpyxl
book = openpyxl.load_workbook(sys.argv[1], read_only=True)
assert len([[cell or "" for cell in line] for line in book.worksheets[0].iter_rows(values_only=True)]) == 10_001
"""
NOTE = "ours builds and checks the rows; the peer handles cells only"
PLAIN, PLAIN_DUMPER = yaml.CSafeLoader, yaml.CSafeDumper


def measure() -> list[Row]:
    """Rows for reading and writing YAML, CSV and XLSX, and the cells of a workbook alone."""
    hazop = worksheet(ROWS)
    with tempfile.TemporaryDirectory() as folder:
        paths = {ending: Path(folder) / f"sheet.{ending}" for ending in ("yaml", "csv", "xlsx")}
        written = [_row("write", hazop, path, _writer(hazop, path)) for path in paths.values()]
        for path in paths.values():
            hazop.write(path)
        read = [_row("read", hazop, path, _reader(path)) for path in paths.values()]
    return [*written, *read, *_cells(hazop)]


def worksheet(rows: int) -> Hazop:
    """Rows with all columns filled."""
    matrix = RiskMatrix.usual()
    lines = [
        Line(
            f"R{number}",
            f"node {number % 50}",
            "data value",
            WORDS[number % len(WORDS)],
            (f"misclassification of an asset, case {number}", "lens is dirty"),
            ("erratic navigation", "unsafe distance to assets", f"collision with asset {number}"),
            (Mitigation("acoustic guidance", ("P1", "P2")), Mitigation(f"least reliability of class {number}", ())),
            ("P1",),
            matrix.severities[number % len(matrix.severities)],
            matrix.likelihoods[number % len(matrix.likelihoods)],
            "reviewed",
            "A. Müller",
            f"agreed in meeting {number}; see minutes",
        )
        for number in range(rows)
    ]
    return Hazop("vehicle", [Item(f"node {number}", parameters={"data value": WORDS}) for number in range(50)], lines)


def _row(task: str, hazop: Hazop, path: Path, peer: tuple[str, Callable[[], object]]) -> Row:
    ours = (lambda: hazop.write(path)) if task == "write" else (lambda: Hazop.read(path))
    name, theirs = peer
    return Row(f"{task} {ROWS:,} rows of {path.suffix[1:].upper()}", best_of(ours), name, best_of(theirs), NOTE)


def _cells(hazop: Hazop) -> list[Row]:
    """The same texts into a workbook and out of it, each a process of its own."""
    page = next(iter(pages(hazop, separator="\n", file="sheet.xlsx")))
    with tempfile.TemporaryDirectory() as folder:
        texts, book = Path(folder) / "texts.pickle", Path(folder) / "sheet.xlsx"
        texts.write_bytes(pickle.dumps({**vars(page), "lines": [list(line) for line in page.lines]}))
        xlsx.write(book, [page])
        other = Path(folder) / "other.xlsx"
        writing = [[process(code, texts, other) for _ in range(RUNS)] for code in (OUR_WRITING, THEIR_WRITING)]
        reading = [[process(code, book) for _ in range(RUNS)] for code in (OUR_READING, THEIR_READING)]
    table = f"{len(page.lines):,} x {len(page.headings)} cells of XLSX"
    return [
        _processes(f"write {table}", "openpyxl, write only", writing, "marks texts and lays the sheet out"),
        _processes(f"read {table}", "openpyxl, read only", reading, "looks through the archive first"),
    ]


def _processes(task: str, peer: str, timed: list[list[tuple[float, float]]], more: str) -> Row:
    (ours, used), (theirs, others) = (tuple(map(min, zip(*runs, strict=True))) for runs in timed)
    note = f"whole processes, {used:.2f} and {others:.2f} s of processor time, best of {RUNS}; ours {more}"
    return Row(task, ours, peer, theirs, note)


def _reader(path: Path) -> tuple[str, Callable[[], object]]:
    content = path.read_bytes()
    return {
        ".yaml": ("PyYAML, C loader", lambda: yaml.load(content, PLAIN)),
        ".csv": ("pandas.read_csv", lambda: pd.read_csv(io.BytesIO(content))),
        ".xlsx": ("openpyxl.load_workbook", lambda: openpyxl.load_workbook(io.BytesIO(content))),
    }[path.suffix]


def _writer(hazop: Hazop, path: Path) -> tuple[str, Callable[[], object]]:
    page = next(iter(pages(hazop, separator="\n", file=path.name)))
    frame = pd.DataFrame(page.lines, columns=list(page.headings))
    records = frame.to_dict("records")
    return {
        ".yaml": ("PyYAML, C dumper", lambda: yaml.dump(records, Dumper=PLAIN_DUMPER)),
        ".csv": ("pandas.to_csv", lambda: frame.to_csv()),
        ".xlsx": ("openpyxl, write only", lambda: _save(page.lines)),
    }[path.suffix]


def _save(lines: list[list[Any]]) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Worksheet")
    for line in lines:
        sheet.append(line)
    book.save(io.BytesIO())


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:35} {row.seconds:8.3f} s  {row.ratio:8.1f} times {row.peer}")
