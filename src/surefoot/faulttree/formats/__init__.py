"""Fault trees as files: Open-PSA XML, YAML and JSON both ways; Aralia text and static Galileo to be read.

May import ``surefoot.core`` and the model of fault trees.
"""

from surefoot.faulttree.formats.tree_files import PartLeftOut, read, read_all, write

__all__ = ["PartLeftOut", "read", "read_all", "write"]
