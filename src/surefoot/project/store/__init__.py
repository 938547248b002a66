"""The evidence store: results by key, written whole or not at all, checked whenever they are read.

``store`` is what others use; ``places`` are where a store can live, ``records`` the names and contents of its files;
``ledger`` holds looks at test sets and the iterations of projects. These may import ``surefoot.core`` and
``surefoot.documents``, and nothing else of Surefoot. ``register`` lists everything that a result rests on, and reads
results and their cases.
"""

from surefoot.documents import write_atomically
from surefoot.project.store.ledger import Entry, Look
from surefoot.project.store.store import Store

__all__ = ["Entry", "Look", "Store", "write_atomically"]
