"""Patterns as files that people fill: YAML with comments, in one file or in one a module, and what is left to fill."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from surefoot.case.formats.case_file import write, written_as
from surefoot.case.formats.native import case_to_dict, refuse_long_keys, write_text
from surefoot.case.model import Case, Node, Notation
from surefoot.case.templates.amlas import HINTS
from surefoot.case.templates.patterns import PATTERN_SUMMARIES, PLACEHOLDER, pattern
from surefoot.documents import as_yaml, hyphenated, scalar

MAIN = "case.yaml"
HEAD = """\
# {about}
#
# To make it a case: fill what stands in braces and remove the lines uninstantiated: true. Where a multiplicity says
# 1..n, write so many nodes and remove it; where there is a choice, keep what is used and remove it.
# What is not argued yet stays undeveloped: true, and counts as open.
#   surefoot case check {name}     what is left to do
#   surefoot case draw {name} case.svg
"""
PART = """\
# {brief}
# One module of {name}, which names this file.
"""


def write_pattern(name: str, place: Path, notation: Notation = "cae") -> list[Path]:
    """Write a pattern; gives the files, the one to begin with first.

    A folder gets case.yaml and a file for each module; the ending of a file says its format, and YAML has comments.
    """
    case = replace(pattern(name), notation=notation)
    if is_folder(place):
        place.mkdir(exist_ok=True)
        texts = dict(_texts(case, name))
        for file, text in texts.items():
            write_text(place / file, text)
        return [place / file for file in texts]
    if written_as(place) != "yaml":
        return [write(case, place)]
    refuse_long_keys(case, place)
    write_text(place, HEAD.format(about=PATTERN_SUMMARIES[name], name=place.name) + _commented(case_to_dict(case)))
    return [place]


def files_of(name: str, place: Path) -> list[Path]:
    """Where the files of a pattern will be."""
    if not is_folder(place):
        return [place]
    return [place / MAIN, *(place / _file(module) for module in pattern(name).modules)]


def is_folder(place: Path) -> bool:
    """Whether a place without the ending of a file is meant as a folder, or is one."""
    return place.is_dir() or not place.suffix


def to_fill(case: Case) -> dict[str, int]:
    """What stands in braces, and in how many nodes, the most frequent first."""
    counts = Counter(each for node in case for each in dict.fromkeys(PLACEHOLDER.findall(node.text)))
    return dict(counts.most_common())


def _texts(case: Case, name: str) -> Iterator[tuple[str, str]]:
    """Files of a folder: the main one names the others."""
    main = replace(case, nodes={node.id: node for node in case if not node.module})
    data = case_to_dict(main)
    data["modules"] = {key: {**said, "file": _file(key)} for key, said in data.get("modules", {}).items()}
    if not data["modules"]:
        del data["modules"]
    yield MAIN, HEAD.format(about=PATTERN_SUMMARIES[name], name=MAIN) + _commented(data)
    for key, module in case.modules.items():
        part = Case.of(_within(case, key), name=module.name, notation=case.notation)
        yield _file(key), PART.format(brief=module.brief, name=MAIN) + _commented(case_to_dict(part))


def _within(case: Case, module: str) -> Iterator[Node]:
    return (replace(node, module="") for node in case if node.module == module)


def _file(module: str) -> str:
    words = re.sub(r"[^\w -]+", " ", module).strip()
    return f"{hyphenated(words)}.yaml"


def _commented(data: Mapping[str, Any]) -> str:
    """The YAML of a case, with a comment before each node that has one."""
    about = {f"  {scalar(identity)}:\n": text for identity, text in HINTS.items() if identity in data["nodes"]}
    found: list[str] = []
    for line in as_yaml(data, blocks=3).splitlines(keepends=True):
        found += [f"  # {each}\n" for each in about.get(line, "").splitlines()]
        found.append(line)
    return "".join(found)
