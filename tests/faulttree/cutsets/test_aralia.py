"""The numbers of minimal cut sets of the Aralia benchmark are the published ones."""

import csv

import pytest

from surefoot.faulttree import FaultTree, cutsets

MODELS = (
    *("baobab1", "baobab3", "chinese", "das9201", "das9202", "das9205", "das9207", "das9601"),
    *("edf9201", "edf9205", "edfpa15q", "isp9601", "isp9603", "isp9606"),
)
"""Those whose diagrams take no time; the benchmark counts the others too."""


@pytest.mark.parametrize("model", MODELS)
def test_the_number_of_minimal_cut_sets_is_the_published_one(model, aralia):
    with (aralia / "reference.csv").open() as lines:
        published = {row["model"]: row["minimal_cut_sets"] for row in csv.DictReader(lines)}
    assert FaultTree.read(aralia / f"{model}.xml").cut_set_count() == int(published[model])


@pytest.mark.parametrize("model", ["chinese", "isp9606", "isp9603"])
def test_enumeration_gives_as_many_sets_as_are_counted(model, aralia):
    tree = FaultTree.read(aralia / f"{model}.xml")
    found = [item.events for item in tree.cut_sets()]
    assert len(found) == len(set(found)) == tree.cut_set_count()
    for order, number in cutsets.count_by_order(tree.compiled).items():
        assert sum(len(item) == order for item in found) == number
