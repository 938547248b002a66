"""Style and script of the chapter on the case; the page's policy lets this script run and no other."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

_COMMENT = re.compile(r"^\s*/\*.*?\*/$", re.DOTALL | re.MULTILINE)
SCRIPTS = ("case_layout.js", "case_boxes.js", "case_moving.js", "case.js")


@cache
def case_style() -> str:
    """The style, which needs the colours of the page."""
    return _asset("case.css")


@cache
def case_script() -> str:
    """The script as it stands between its tags, without comments and indentation."""
    lines = "".join(map(_asset, SCRIPTS))
    return "\n".join(filter(None, map(str.strip, _COMMENT.sub("", lines).splitlines())))


@cache
def script_hash() -> str:
    """The source expression of a content security policy that allows the script: ``'sha256-...'``."""
    return f"'sha256-{b64encode(sha256(case_script().encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return files("surefoot.report").joinpath("templates", name).read_text(encoding="utf-8")
