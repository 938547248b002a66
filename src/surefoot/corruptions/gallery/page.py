"""The gallery as one HTML file that needs no network and runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from surefoot.corruptions.catalogue import LEVELS, SEVERITIES
from surefoot.corruptions.gallery.rows import Chapter, Row
from surefoot.corruptions.gallery.shown import longest_of, marked, picture_address, picture_of, sound_address
from surefoot.documents import visible

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; base-uri 'none'"
TITLES = {"image": "Images", "audio": "Sounds", "text": "Texts"}
NAMED = {severity: level for level, severity in LEVELS.items()}
LABELS = tuple(f"{severity} {NAMED.get(severity, '')}".strip() for severity in SEVERITIES)


def html(chapters: Sequence[Chapter], *, seed: int) -> str:
    """The page of some chapters."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_asset("gallery.html"))
    return template.render(
        chapters=[_chapter(each) for each in chapters],
        style=Markup(_asset("gallery.css")),
        policy=POLICY,
        labels=LABELS,
        seed=seed,
    )


def _asset(name: str) -> str:
    return files("surefoot.corruptions.gallery").joinpath("templates", name).read_text(encoding="utf-8")


def _chapter(chapter: Chapter) -> dict[str, Any]:
    example = chapter.example
    known = {"domain": example.domain, "title": TITLES[example.domain], "what": visible(example.title)}
    if example.domain == "text":
        rows = [{**_named(row), "texts": [marked(example.item, item) for item in row.items]} for row in chapter.rows]
        return {**known, "text": visible(example.item), "rows": rows}
    picture = picture_of(example, example.item, longest=len(example.item))
    found = {**known, "picture": picture_address(picture), "shape": f"{picture.shape[1]} / {picture.shape[0]}"}
    if example.domain == "audio":
        found["sound"] = sound_address(example.item, example.rate)
    return {**found, "rows": [_pictured(chapter, row) for row in chapter.rows]}


def _named(row: Row) -> dict[str, Any]:
    return {"name": row.name, "about": row.about}


def _pictured(chapter: Chapter, row: Row) -> dict[str, Any]:
    example = chapter.example
    longest = longest_of(example, row.items)
    cells = []
    for item in row.items:
        cell = {
            "picture": picture_address(picture_of(example, item, longest=longest)),
            "width": round(100 * len(item) / longest) if example.domain == "audio" else 100,
        }
        if example.domain == "audio":
            cell["sound"] = sound_address(item, example.rate)
        cells.append(cell)
    clean = round(100 * len(example.item) / longest) if example.domain == "audio" else 100
    return {**_named(row), "cells": cells, "clean": clean}
