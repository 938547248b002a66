"""``Folder``: where recordings lie."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path


class Folder:
    """A folder that the user named and keeps, or one of its own that goes away with whoever holds it."""

    def __init__(self, named: str | Path | None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="surefoot-")) if named is None else Path(named)
        if named is None:
            weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
