"""SCRAM, which shares no code with us, lists the same minimal cut sets and prime implicants."""

import shutil

import numpy as np
import pytest
from tests.faulttree.cutsets.scram import products, top_probability

from surefoot.faulttree import FaultTree, Formula, cutsets, probabilities

pytestmark = pytest.mark.skipif(shutil.which("scram") is None, reason="SCRAM is not installed")

COHERENT = ("and", "or", "or", "atleast")
# No counting gates: SCRAM 0.16.2 takes "two of a, b, b" for a where one of the inputs simplifies to b.
ANY = ("and", "and", "or", "or", "not", "xor", "nand", "nor")
SEVERAL = (1, 4, 6, 12, 13, 14, 15, 17, 18, 19, 28, 32)  # with several prime implicants each


def random_tree(seed, kinds, *, events=12, gates=8):
    """Each gate joins events and gates from below it; the last joins the gates that nothing else uses."""
    rng = np.random.default_rng(seed)
    names, found = [f"e{i}" for i in range(events)], {}
    for index in range(gates):
        kind = str(rng.choice(kinds))
        size = {"not": 1, "xor": 2}.get(kind, int(rng.integers(3, 6)))
        shuffled = rng.permutation(names).tolist()
        inputs = [*shuffled[: size - 1], rng.choice([*list(found)[-3:], shuffled[-1]])]
        found[f"g{index}"] = Formula(kind, tuple(map(str, inputs)), minimum=2 if kind == "atleast" else None)
    below = {name for formula in found.values() for name in formula.names()}
    loose = tuple(name for name in found if name not in below)
    top = Formula(("or", "and")[seed % 2], loose) if len(loose) > 1 else Formula("or", (*loose, names[0]))
    reached = below | set(top.names())
    return FaultTree("top", {**found, "top": top}, {name: None for name in names if name in reached})


def test_minimal_cut_sets_of_a_coherent_tree_are_those_of_scram(tmp_path):
    for seed in range(12):
        tree = random_tree(seed, COHERENT)
        found = {frozenset((event, True) for event in item.events) for item in tree.cut_sets()}
        assert found == products(tree, tmp_path), seed


def test_prime_implicants_are_those_of_scram(tmp_path):
    for seed in SEVERAL:
        tree = random_tree(seed, ANY)
        found = {frozenset(tuple(literal) for literal in item.literals) for item in tree.prime_implicants()}
        assert found == products(tree, tmp_path, "--prime-implicants"), seed


@pytest.mark.parametrize("model", ["chinese", "das9201", "isp9606"])
def test_both_approximations_are_those_of_scram(model, aralia):
    tree = FaultTree.read(aralia / f"{model}.xml")
    p = probabilities(tree)
    found = cutsets.approximations(tree.compiled, [p[event] for event in tree.compiled.events])
    path = aralia / f"{model}.xml"
    assert found.rare_event == pytest.approx(top_probability(path, "--zbdd", "--rare-event"), rel=1e-5)
    assert found.min_cut_upper_bound == pytest.approx(top_probability(path, "--zbdd", "--mcub"), rel=1e-5)
