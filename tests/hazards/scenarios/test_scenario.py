"""What a chain may say."""

import pytest

from surefoot.core import InvalidInput
from surefoot.hazards import Scenario, Scenarios


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"chain": ("a",)}, "needs a cause and a consequence"),
        ({"chain": "ab"}, "another kind of value"),
        ({"chain": ("a", "b", "a")}, "leads back"),
        ({"chain": ("a", " ")}, "named by text"),
        ({"chain": ("a", 1)}, "another kind of value"),
        ({"chain": ("a", "b"), "barriers": {"a": ("x",)}}, "stands before an event"),
        ({"chain": ("a", "b"), "barriers": {"c": ("x",)}}, "stands before an event"),
        ({"chain": ("a", "b"), "barriers": {"b": ("a",)}}, "an event of the chain itself"),
        ({"chain": ("a", "b"), "rows": ("",)}, "named by text"),
        ({"chain": ("a", "b"), "id": " "}, "named by text"),
    ],
)
def test_nonsense_is_refused(said, problem):
    with pytest.raises(InvalidInput, match=problem):
        Scenario(**{"id": "S1", **said})


def test_ids_differ():
    with pytest.raises(InvalidInput, match="one id"):
        Scenarios((Scenario("S1", ("a", "b")), Scenario("S1", ("a", "c"))))


def test_top_events_lead_to_nothing_further():
    chains = (
        Scenario("S1", ("a", "b")),
        Scenario("S2", ("b", "c")),
        Scenario("S3", ("x", "y"), {"y": ("barrier",)}),
        Scenario("S4", ("z", "barrier")),
    )
    assert Scenarios(chains).tops == ("c", "y")


def test_an_event_that_a_stated_gate_takes_is_no_top_event():
    from surefoot.faulttree import Formula

    chains = (Scenario("S1", ("a", "b")), Scenario("S2", ("c", "d")))
    assert Scenarios(chains, {"d": Formula("and", ("c", "b"))}).tops == ("d",)


def test_equal_chains_at_other_places_are_equal():
    assert Scenario("S1", ("a", "b"), place="x.yaml:3") == Scenario("S1", ["a", "b"], {"b": ()}, [])
