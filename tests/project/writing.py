"""Write project files for tests, and name what was found in them."""

from copy import deepcopy

import pytest
import yaml

from surefoot.core import DiagnosticsError
from surefoot.project import load
from tests.project.conftest import DEFINITION


class Absent:
    """Takes a key away; its name is the same in every process, as test ids must be."""

    def __repr__(self):
        return "absent"


ABSENT = Absent()
EVIDENCE = {"risk": {"step": "tallied"}}
TARGETS = {"low": {"estimate": "risk.failure probability", "at_most": 0.1}}


def definition(**changes):
    """A good definition with some values changed: ``components__linear__model=...``; ``ABSENT`` removes."""
    data = {**deepcopy(DEFINITION), "evidence": deepcopy(EVIDENCE), "targets": deepcopy(TARGETS)}
    for path, value in changes.items():
        *outer, last = path.split("__")
        inner = data
        for key in outer:
            inner = inner[key]
        if value is ABSENT:
            del inner[last]
        else:
            inner[last] = value
    return data


def write(small, **changes):
    small.file.write_text(yaml.safe_dump(definition(**changes), sort_keys=False))
    return small.file


def problems(small, **changes):
    """Codes and texts of everything found wrong, as ``code: text hint``."""
    with pytest.raises(DiagnosticsError) as caught:
        load(write(small, **changes))
    return [f"{d.code}: {d.text} {d.hint}".strip() for d in caught.value.diagnostics]
