"""The Open-PSA Model Exchange Format (Epstein and Rauzy 2008), read and written.

May import ``surefoot.core`` and the model of fault trees.
"""

from surefoot.faulttree.formats.mef.reading import read_mef
from surefoot.faulttree.formats.mef.writing import write_mef

__all__ = ["read_mef", "write_mef"]
