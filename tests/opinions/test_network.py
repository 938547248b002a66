import numpy as np
import pytest

from surefoot.core import InvalidInput, Undefined
from surefoot.opinions import Opinion, TrustNetwork, fuse

HIGH, FAIR, LOW = Opinion(0.8, 0.1, 0.1), Opinion(0.5, 0.2, 0.3, 0.6), Opinion(0.2, 0.3, 0.5, 0.4)
SEEN = Opinion(0.6, 0.1, 0.3, 0.2)


def test_path_of_josang_table_14_2():
    edge = Opinion(0.2, 0.1, 0.7, 0.8)
    network = TrustNetwork(
        {("A", "B"): edge, ("B", "C"): edge, ("C", "D"): edge}, {("D", "x"): Opinion(0.8, 0.2, 0, 0.1)}
    )
    opinion = network.opinion("A", "x", discount="probability")
    np.testing.assert_allclose([opinion.belief, opinion.disbelief, opinion.uncertainty], (0.35, 0.09, 0.56), atol=0.005)


def test_two_advisers_are_discounted_and_fused():
    trust = {("A", "B"): HIGH, ("A", "C"): LOW}
    network = TrustNetwork(trust, {("B", "x"): SEEN, ("C", "x"): ~SEEN})
    expected = fuse(SEEN.discounted_by(HIGH), (~SEEN).discounted_by(LOW))
    assert network.opinion("A", "x").isclose(expected)
    averaged = fuse(SEEN.discounted_by(HIGH), (~SEEN).discounted_by(LOW), how="averaging")
    assert network.opinion("A", "x", how="averaging").isclose(averaged)


def test_own_opinion_is_fused_with_advice():
    network = TrustNetwork({("A", "B"): HIGH}, {("B", "x"): SEEN, ("A", "x"): LOW})
    assert network.opinion("A", "x").isclose(fuse(LOW, SEEN.discounted_by(HIGH)))
    assert network.opinion("B", "x") == SEEN


def test_shared_edges_are_used_once_because_twice_would_be_optimistic():
    trust = {("A", "B"): HIGH, ("A", "C"): FAIR, ("B", "D"): FAIR, ("C", "D"): HIGH}
    network = TrustNetwork(trust, {("D", "x"): SEEN})
    sober = network.opinion("A", "x")
    in_d = fuse(FAIR.discounted_by(HIGH), HIGH.discounted_by(FAIR))
    assert sober.isclose(SEEN.discounted_by(in_d))
    per_path = [SEEN.discounted_by(FAIR).discounted_by(HIGH), SEEN.discounted_by(HIGH).discounted_by(FAIR)]
    assert fuse(*per_path).uncertainty < sober.uncertainty
    certain = TrustNetwork(dict.fromkeys(trust, Opinion(1, 0, 0)), {("D", "x"): SEEN})
    assert certain.opinion("A", "x").isclose(SEEN)
    assert fuse(SEEN, SEEN).uncertainty < SEEN.uncertainty


def test_nested_parallel_paths_inside_a_longer_path():
    trust = {("A", "Z"): HIGH, ("Z", "B"): HIGH, ("Z", "C"): LOW, ("B", "D"): FAIR, ("C", "D"): HIGH}
    network = TrustNetwork(trust, {("D", "x"): SEEN})
    inner = fuse(FAIR.discounted_by(HIGH), HIGH.discounted_by(LOW))
    assert network.opinion("A", "x").isclose(SEEN.discounted_by(inner).discounted_by(HIGH))


def test_entangled_paths_are_refused():
    trust = {("A", "B"): HIGH, ("A", "C"): HIGH, ("B", "C"): HIGH}
    network = TrustNetwork(trust, {("B", "x"): SEEN, ("C", "x"): SEEN})
    with pytest.raises(InvalidInput, match="B -> C"):
        network.opinion("A", "x")


def test_circles_are_refused():
    trust = {("A", "B"): HIGH, ("B", "C"): HIGH, ("C", "B"): HIGH}
    network = TrustNetwork(trust, {("C", "x"): SEEN})
    with pytest.raises(InvalidInput, match="trust runs in a circle"):
        network.opinion("A", "x")


def test_trust_back_into_the_asking_agent_is_not_on_a_path():
    network = TrustNetwork({("A", "B"): HIGH, ("B", "A"): LOW}, {("B", "x"): SEEN})
    assert network.opinion("A", "x").isclose(SEEN.discounted_by(HIGH))


def test_what_leads_nowhere_is_left_out():
    trust = {("A", "B"): HIGH, ("A", "C"): HIGH, ("C", "E"): HIGH}
    network = TrustNetwork(trust, {("B", "x"): SEEN, ("E", "other"): LOW})
    assert network.opinion("A", "x").isclose(SEEN.discounted_by(HIGH))


def test_without_a_path_there_is_no_opinion():
    network = TrustNetwork({("A", "B"): HIGH}, {("B", "x"): SEEN})
    with pytest.raises(Undefined, match=r"'A' .*'z'"):
        network.opinion("A", "z")
    with pytest.raises(Undefined, match="no path"):
        network.opinion("nobody", "x")


def test_arrays_of_opinions_run_through_a_network():
    many = Opinion.from_counts([1, 2, 3], [4, 5, 6])
    network = TrustNetwork({("A", "B"): HIGH}, {("B", "x"): many, ("A", "x"): LOW})
    assert network.opinion("A", "x")[2].isclose(fuse(LOW, many[2].discounted_by(HIGH)))


def test_round_trip_and_bad_networks():
    network = TrustNetwork({("A", "B"): HIGH}, {("B", "x"): SEEN})
    assert TrustNetwork.from_dict(network.to_dict()) == network
    with pytest.raises(InvalidInput, match="fields"):
        TrustNetwork.from_dict({})
    with pytest.raises(InvalidInput, match="agent or for a statement"):
        TrustNetwork({("A", "B"): HIGH}, {("A", "B"): SEEN})
    with pytest.raises(InvalidInput, match="trust in itself"):
        TrustNetwork({("A", "A"): HIGH})
    with pytest.raises(InvalidInput, match="an edge needs an Opinion"):
        TrustNetwork({("A", "B"): 0.5})
