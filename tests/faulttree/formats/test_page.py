"""What the page about the formats says is so."""

import re
from pathlib import Path

import pytest

from surefoot.documents import Findings
from surefoot.faulttree import CommonCause, Quantity
from surefoot.faulttree.formats.files import SUFFIXES, _read_text
from surefoot.faulttree.formats.formulas import OPENINGS

PAGE = (Path(__file__).parents[3] / "docs" / "fault-tree-formats.md").read_text()
SHORT = ("fixed", "parameter", "counts", "measured", "lognormal-deviate")


def test_the_example_is_read_without_a_warning():
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    tree = _read_text(example, "yaml", Findings("page"), None, None).tree()
    assert len(tree.gates) == 3
    assert tree.problems == ()


@pytest.mark.parametrize(
    "word", [*OPENINGS, *SUFFIXES, *CommonCause._members, *sorted(set(Quantity._members) - set(SHORT))]
)
def test_every_word_is_explained(word):
    assert word in PAGE
