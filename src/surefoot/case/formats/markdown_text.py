"""Text that stays text in Markdown, and links inside the document."""

from __future__ import annotations

import re

from surefoot.case.formats.sacm_words import encoded
from surefoot.documents import visible

_PUNCTUATION = re.compile(r"([\\`*_\[\]<>#|~&$])")
_AT_THE_START = re.compile(r"^(\s*(?:\d+(?=[.)](?:\s|$))|(?=[=+-])))(.)")
_LINKED = re.compile(r"(@|#|:|\bwww|\bGH)(?=\S)", re.IGNORECASE)
_NO_LINK = "\u200b"
"""Sites turn names, numbers and addresses into links even where punctuation is escaped."""
_ADDRESS = re.compile(r"https?://[A-Za-z0-9./?&=%~:@!$',;+-]+(?:#[A-Za-z0-9./?&=%~:@!$',;+-]*)?")


def plain(text: str, *, address: bool = False) -> str:
    r"""Text without markup, table cell, mention or link; an address that is harmless stays one where asked for.

    >>> plain("a*b <script>")
    'a\\*b \\<script\\>'
    """
    if address and _ADDRESS.fullmatch(text):
        return f"<{text}>"
    escaped = _PUNCTUATION.sub(r"\\\1", visible(text).strip())
    return _LINKED.sub(rf"\1{_NO_LINK}", _AT_THE_START.sub(r"\1\\\2", escaped))


def anchor(prefix: str, identity: str) -> str:
    """A place that links lead to."""
    return f'<a id="{encoded(prefix, identity)}"></a>'


def target(prefix: str, identity: str) -> str:
    """The address of that place."""
    return f"#{encoded(prefix, identity)}"


def linked(identity: str) -> str:
    """A node's id as a link to its first place."""
    return f"[{plain(identity)}]({target('n', identity)})"
