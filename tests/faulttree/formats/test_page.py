"""What the page about the formats says is so."""

import re
from pathlib import Path

from tests.faulttree.formats.texts import read_text

from surefoot.faulttree import CommonCause, Quantity

PAGE = (Path(__file__).parents[3] / "docs" / "fault-tree-formats.md").read_text()
SHORT = ("fixed", "parameter", "counts", "measured", "lognormal-deviate")


def test_the_example_is_read_without_a_warning():
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    tree = read_text(example, "page.yaml")
    assert len(tree.gates) == 3
    assert tree.problems == ()


def test_every_word_is_explained():
    gates = ("pass", "and", "or", "not", "xor", "nand", "nor", "iff", "imply", "inhibit", "pand", "at least", "between")
    suffixes = (".xml", ".opsa", ".yaml", ".yml", ".json", ".dft", ".galileo", ".aralia", ".dag")
    words = (*gates, *suffixes, *CommonCause._members, *(set(Quantity._members) - set(SHORT)))
    assert [word for word in words if word not in PAGE] == []
