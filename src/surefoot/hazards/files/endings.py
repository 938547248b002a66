"""Which format a file has, by its ending."""

from __future__ import annotations

import os
from pathlib import Path

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Findings, decoded, read_bytes
from surefoot.hazards.files.building import built
from surefoot.hazards.files.draft import WORKSHEET, Draft
from surefoot.hazards.files.keepable import refuse_unkeepable
from surefoot.hazards.worksheet import Hazop

SHEETS = (".csv", ".xlsx")
ENDINGS = (".yaml", ".yml", *SHEETS)


def read(path: str | os.PathLike[str]) -> Hazop:
    """Read YAML, CSV (with the files ``name.items.csv`` and so on beside it) or XLSX.

    Every problem is in the error, with its line or cell. Formulas of a workbook are refused, never evaluated.
    """
    place = Path(path)
    ending = _ending(place)
    findings = Findings(place.name, WORKSHEET)
    return built(_draft(place, ending, read_bytes(place, WORKSHEET.largest), findings), findings)


def write(hazop: Hazop, path: str | os.PathLike[str]) -> None:
    """Write YAML, CSV or XLSX so that ``read`` returns an equal worksheet.

    A text that the format cannot hold, or a worksheet that ``read`` would refuse, is an error and writes nothing.
    """
    place = Path(path)
    ending = _ending(place)
    refuse_unkeepable(hazop, place.name)
    if ending == ".csv":
        from surefoot.hazards.files.csv_writing import write_csv

        write_csv(hazop, place)
    elif ending == ".xlsx":
        from surefoot.hazards.files.xlsx_writing import write_xlsx

        write_xlsx(hazop, place)
    else:
        from surefoot.hazards.files.yaml_writing import write_yaml

        write_yaml(hazop, place)


def _draft(place: Path, ending: str, content: bytes, findings: Findings) -> Draft:
    if ending == ".csv":
        from surefoot.hazards.files.csv_reading import csv_draft

        return csv_draft(place, content, findings)
    if ending == ".xlsx":
        from surefoot.hazards.files.xlsx_reading import xlsx_draft

        return xlsx_draft(place, content, findings)
    from surefoot.hazards.files.yaml_reading import yaml_draft

    return yaml_draft(place, decoded(content, findings), findings)


def _ending(path: Path) -> str:
    ending = path.suffix.casefold()
    if ending not in ENDINGS:
        text = f"the ending {path.suffix!r} says no format of worksheets."
        hint = f"Use one of {', '.join(ENDINGS)}; save an older workbook (.xls) or an .ods file as .xlsx."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint=hint)
    return ending
