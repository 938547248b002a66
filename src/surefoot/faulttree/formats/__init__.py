"""Fault trees as files: Open-PSA XML, YAML and JSON both ways; Aralia text and static Galileo to be read.

May import ``surefoot.core`` and the model of fault trees.
"""

from surefoot.faulttree.formats.files import read, write

__all__ = ["read", "write"]
