"""What a page shows and the data inside it do not hold: pictures, the rest of long tables, digests of the whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.project.result import Result
from surefoot.report.figures import Figures, Shown, figures

MOST_ROWS = 50
PICTURE = '<div class="light" data-sha256="'
_PICTURES = re.compile(re.escape(PICTURE) + r'[0-9a-f]*">(.*?)</div>', re.DOTALL)


@dataclass(frozen=True)
class Outside:
    """Known from the result itself when a page is made, and from the page when it is compared."""

    digest: str
    steps: Mapping[str, str]
    """Digest of the evidence of each step."""
    rows: Mapping[str, Mapping[str, int]]
    """How many rows each table of each step has."""
    figures: Figures
    most_rows: int = MOST_ROWS
    """How many rows of a table the page shows and holds."""

    @classmethod
    def of(cls, result: Result) -> Outside:
        """All of it from a complete result."""
        return cls(
            result.digest,
            {step: item.digest for step, item in result.evidence.items()},
            {
                step: {name: len(table.rows) for name, table in item.tables.items()}
                for step, item in result.evidence.items()
            },
            figures(result.evidence),
        )

    @classmethod
    def recorded(cls, data: Mapping[str, Any], about: Mapping[str, Any], page: str) -> Outside:
        """All of it from a page: pictures only where they have the digest that its data record."""
        known = {picture.sha256: picture for picture in map(Shown, _PICTURES.findall(page))}
        rows = {
            step: {name: len(table["rows"]) + table.get("left_out", 0) for name, table in item["tables"].items()}
            for step, item in data["evidence"].items()
        }
        pictures = {
            step: {name: _picture(artefact["left_out"], known) for name, artefact in item["artefacts"].items()}
            for step, item in data["evidence"].items()
        }
        return cls(about["digest"], about["steps"], rows, pictures, about["rows"])


def _picture(left_out: Mapping[str, Any], known: Mapping[str, Shown]) -> Shown:
    if left_out["sha256"]:
        return known.get(left_out["sha256"], Shown(note="figure missing"))
    return Shown(note=left_out["note"])
