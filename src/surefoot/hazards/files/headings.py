"""Headings of the sheets, with the names that teams give them."""

from __future__ import annotations

import re

from surefoot.hazards.files.fields import PROPERTY, ROW

_ROW_NAMES = {
    "id": "no|number|nr|row|row id|ref|reference|hazop id",
    "item": "hazop item node flow|hazop item|node|flow|node flow|node or flow|element|component|study node",
    "parameter": "process parameter or attribute|process parameter|attribute|parameter or attribute|characteristic",
    "guide word": "guideword|guide words|guidewords|deviation word|keyword",
    "causes": "cause|possible causes|possible cause|potential causes|reason|reasons",
    "consequences": "consequence|possible consequences|possible consequence|effect|effects|potential consequences",
    "mitigations": "mitigation|safeguards|safeguard|actions|action|existing safeguards|recommendations|recommendation"
    "|measures|measure|controls|barriers",
    "endangers": "safety properties|endangered properties|violates|endangered",
    "severity": "severity class|severity level|s",
    "likelihood": "probability|frequency|occurrence|likelihood level|l",
    "status": "state|review status",
    "reviewer": "reviewed by|owner|responsible",
    "remark": "remarks|comment|comments|note|notes",
}
_ITEM_NAMES = {
    "name": "item|node|flow|element|component",
    "from": "source",
    "to": "target|destination",
    "learned": "machine learning|ml",
    "description": "about",
    "parameter": "process parameter or attribute|process parameter|attribute",
    "guide words": "guide word|guideword|guidewords",
}
_MATRIX_NAMES = {"scale": "part", "word": "level", "classes": "classes of risk|risk", "meaning": "explanation"}
_ABOUT_NAMES = {"about": "key|field", "text": "value"}
NEEDED = {
    "Worksheet": ("item", "parameter", "guide word"),
    "Items": ("name",),
    "Properties": ("id", "object", "property"),
    "Matrix": ("scale", "word"),
    "About": ("about", "text"),
}


def plain(heading: str) -> str:
    """A heading without what does not matter: case, line breaks, hyphens, colons.

    >>> plain("HAZOP item: node/flow"), plain("Guide-word")
    ('hazop item node flow', 'guide word')
    """
    return " ".join(re.findall(r"[^\W_]+", heading.casefold()))


def _known(columns: dict[str, str]) -> dict[str, str]:
    """Columns by each of their names."""
    named = {name: column for column, names in columns.items() for name in names.split("|") if name}
    return named | {column: column for column in columns}


COLUMNS = {
    "Worksheet": _known({name: _ROW_NAMES[name] for name in ROW}),
    "Items": _known(_ITEM_NAMES),
    "Properties": _known(dict.fromkeys(PROPERTY, "")),
    "Matrix": _known(_MATRIX_NAMES),
    "About": _known(_ABOUT_NAMES),
}
"""For each sheet, the column that a plain heading stands for."""
