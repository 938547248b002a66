"""Tables and figures as files."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core import Table
from surefoot.systems.records.store import slug

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_NAME = 80


def written(tables: Mapping[str, Table], figures: Mapping[str, Figure], folder: Path) -> list[Path]:
    """Every table as CSV and every figure as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, table in tables.items():
        made.append(folder / f"{_file_name(name)}.csv")
        with made[-1].open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([table.columns, *table.rows])
    for name, figure in figures.items():
        made.append(folder / f"{_file_name(name)}.svg")
        figure.savefig(made[-1])
    return made


def _file_name(name: str) -> str:
    plain = name.replace(" ", "_")
    fits = plain.replace("_", "").isalnum() and len(plain) <= LONGEST_NAME
    return plain if fits else slug(name)
