"""Files of a HAZOP: YAML, CSV and XLSX, read and written without loss.

What a file says becomes a ``Draft`` with the place of each field; ``hazop_files`` turns it into a ``Hazop`` and
collects every problem on the way. CSV and XLSX share their sheets, headings and cells. May import ``surefoot.core``,
``surefoot.documents`` and ``surefoot.hazards.worksheet``.
"""

from surefoot.hazards.files.hazop_files import read, write

__all__ = ["read", "write"]
