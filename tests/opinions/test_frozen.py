"""Opinions and networks are values: no array that somebody holds can change them."""

import copy
import pickle

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.opinions import (
    HyperOpinion,
    MultinomialOpinion,
    Opinion,
    TrustNetwork,
    coverage_sensitivity,
    fuse,
    invert,
)

BINOMIAL = Opinion.from_counts([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
MULTINOMIAL = MultinomialOpinion.from_counts([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
HYPER = HyperOpinion({(0, 1): [0.5, 0.1], (2,): [0.2, 0.6]}, 0.3, [0.2, 0.3, 0.5])
ARRAYS = [BINOMIAL, MULTINOMIAL, HYPER]
COPIES = {
    "pickle": lambda opinion: pickle.loads(pickle.dumps(opinion)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "index": lambda opinion: opinion[:],
    "fuse": lambda opinion: fuse(opinion, opinion),
}


def arrays_of(opinion):
    belief = opinion.belief.values() if isinstance(opinion, HyperOpinion) else [opinion.belief]
    return [*belief, opinion.uncertainty, opinion.base_rate]


@pytest.mark.parametrize("opinion", ARRAYS, ids=lambda o: type(o).__name__)
def test_copies_are_equal_and_read_only(opinion):
    for way, copied in COPIES.items():
        twin = copied(opinion)
        assert way == "fuse" or (twin == opinion and hash(twin) == hash(opinion)), way
        assert not any(array.flags.writeable for array in arrays_of(twin)), way
        with pytest.raises(ValueError, match="read-only"):
            arrays_of(twin)[0][0] = 9.0


def test_the_callers_arrays_stay_theirs():
    ways = [
        (Opinion, ([0.2, 0.3], [0.3, 0.3], [0.5, 0.4], [0.1, 0.2])),
        (Opinion, ([0.2, 0.2], 0.3, 0.5, [[0.1], [0.2]])),
        (Opinion.from_counts, ([1, 2], [3, 4])),
        (Opinion.from_beta, ([3, 4], [5, 6])),
        (Opinion.vacuous, ([0.1, 0.2],)),
        (lambda rates: Opinion.from_counts([1, 2], 3, base_rate=rates), ([0.1, 0.2],)),
        (MultinomialOpinion, ([[0.2, 0.3, 0.4]], [0.1], [0.2, 0.3, 0.5])),
        (MultinomialOpinion.from_counts, ([1, 2, 3],)),
        (MultinomialOpinion.from_dirichlet, ([1, 2, 3],)),
        (lambda mass, doubt, rates: HyperOpinion({(0,): mass}, doubt, rates), ([0.5, 0.5], [0.5, 0.5], [0.2, 0.8])),
        (lambda rate: invert(Opinion(0.8, 0.1, 0.1), Opinion(0.1, 0.8, 0.1), rate).given_true, ([0.1, 0.2],)),
        (lambda loss: coverage_sensitivity(Opinion(0.8, 0.1, 0.1), loss).loss, ([0.1, 0.2],)),
    ]
    for place, (make, arguments) in enumerate(ways):
        arrays = [np.array(argument, dtype=float) for argument in arguments]
        made = make(*arrays)
        before = copy.deepcopy(made)
        for array in arrays:
            array[...] = 0.77
        assert np.all(made == before), place


def test_hyper_opinions_are_indexed_like_the_others():
    assert len(HYPER) == 2
    assert HYPER[1] == HyperOpinion({(0, 1): 0.1, (2,): 0.6}, 0.3, [0.2, 0.3, 0.5])
    with pytest.raises(TypeError, match="no length"):
        len(HYPER[1])


@pytest.mark.parametrize("opinion", ARRAYS, ids=lambda o: type(o).__name__)
def test_no_kind_of_opinion_has_a_truth_value(opinion):
    with pytest.raises(InvalidInput, match="no truth value"):
        bool(opinion)


def test_a_trust_network_is_frozen_hashable_and_picklable():
    trust = {("A", "B"): Opinion(0.8, 0.1, 0.1)}
    network = TrustNetwork(trust, {("B", "x"): Opinion(0.6, 0.1, 0.3)})
    trust[("A", "C")] = Opinion.vacuous()
    assert set(network.trust) == {("A", "B")}
    for edges in (network.trust, network.opinions):
        with pytest.raises(TypeError):
            edges[("A", "C")] = Opinion.vacuous()
    for twin in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
        assert twin == network
        assert hash(twin) == hash(network)
        with pytest.raises(TypeError):
            twin.trust[("A", "C")] = Opinion.vacuous()
