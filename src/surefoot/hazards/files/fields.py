"""Names of fields in files, and the attributes they stand for."""

from __future__ import annotations

ROW = {
    "id": "id",
    "item": "item",
    "parameter": "parameter",
    "guide word": "guide_word",
    "causes": "causes",
    "consequences": "consequences",
    "mitigations": "mitigations",
    "endangers": "endangers",
    "severity": "severity",
    "likelihood": "likelihood",
    "status": "status",
    "reviewer": "reviewer",
    "remark": "remark",
}
ITEM = {
    "name": "name",
    "from": "source",
    "to": "target",
    "learned": "learned",
    "description": "description",
    "parameters": "parameters",
}
PROPERTY = {
    name: name
    for name in (
        "id",
        "object",
        "property",
        "relation",
        "value",
        "unit",
        "condition",
        "verification",
        "evidence",
        "source",
    )
}
MATRIX = ("severities", "classes", "order", "meaning", "source")
LISTS = frozenset({"causes", "consequences", "mitigations", "endangers"})
NEEDED = {"row": ("item", "parameter", "guide word"), "item": ("name",), "property": ("id", "object", "property")}
