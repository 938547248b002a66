"""The evidence store: results by key, written whole or not at all, checked whenever they are read.

``store`` is what others use; ``place``, ``local`` and ``remote`` are where a store can live; ``ledger`` holds looks at
test sets, ``history`` the iterations of projects; ``verification`` and ``export`` go through all of it. May import
``surefoot.core`` and nothing else of Surefoot.
"""

from surefoot.documents import write_atomically
from surefoot.project.store.ledger import Entry, Look
from surefoot.project.store.store import Store

__all__ = ["Entry", "Look", "Store", "write_atomically"]
