"""The Open-PSA Model Exchange Format (Epstein and Rauzy 2008), read and written.

May import ``surefoot.core`` and the model of fault trees.
"""

from surefoot.faulttree.formats.mef.reader import read_mef, read_mef_all
from surefoot.faulttree.formats.mef.writer import write_mef

__all__ = ["read_mef", "read_mef_all", "write_mef"]
