"""Trees from text and as text, by way of files."""

import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from surefoot.faulttree import FaultTree, PartLeftOut


def read_text(text, name, reading=FaultTree.read, **options):
    """What is read from a file of that name with that text; what is left out is in the tree, and no warning here."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", PartLeftOut)
        path = Path(folder, name)
        path.write_bytes(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"))
        return reading(path, **options)


def text_of(tree, suffix):
    """What is written of a tree."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"tree.{suffix}")
        tree.write(path)
        return path.read_text(encoding="utf-8")


def read_mef(source, reading=FaultTree.read, **options):
    """Open-PSA XML from its text or from files."""
    if isinstance(source, str | bytes):
        return read_text(source, "model.xml", reading, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartLeftOut)
        return reading(source if isinstance(source, os.PathLike) else list(source), **options)


def read_mef_all(source, **options):
    """All top events of it."""
    return read_mef(source, FaultTree.read_all, **options)


def write_mef(tree):
    """Open-PSA XML of a tree."""
    return text_of(tree, "xml")
