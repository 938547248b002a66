"""The ledger of looks at test sets: one file for each look, named by the data and the hash of its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from surefoot.core import InvalidInput, canonical_json
from surefoot.core.canonical import reading
from surefoot.project.store.contents import CHANGED, is_intact, names_in, read_checked
from surefoot.project.store.layout import LookName, look_of, looks_folder
from surefoot.project.store.place import Place
from surefoot.project.store.problems import Damaged


def looks_at(place: Place, data: str) -> list[LookName]:
    """The looks at the data with that digest."""
    found = (look_of(name) for name in names_in(place, looks_folder(data)))
    return [name for name in found if name is not None]


def write_look(place: Place, data: str, look: Mapping[str, Any]) -> None:
    """Write a look; the same one twice is one."""
    content = canonical_json({"data": data, "look": look}).encode()
    name = LookName(data, hashlib.sha256(content).hexdigest())
    if not is_intact(place, str(name), name.sha256):
        place.write(str(name), lambda stream: stream.write(content))


def read_look(place: Place, name: LookName) -> Mapping[str, Any]:
    """What was seen, to the last byte."""
    content = read_checked(place, str(name), name.sha256)
    try:
        with reading("look"):
            said = json.loads(content)
            if said["data"] == name.data:
                return dict(said["look"])
    except InvalidInput as error:
        raise Damaged("the file holds no look", where=str(name)) from error
    raise Damaged(CHANGED, where=str(name))
