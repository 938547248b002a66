"""Chains as rows give them."""

import pytest

from surefoot.hazards import Hazop, Row, chains_from_worksheet


def row(id="R1", causes=("dirt",), consequences=("miss",), **said):
    return Row(id, "camera", "image", said.pop("word", "no"), causes, consequences, **said)


def chains(*rows):
    return {scenario.id: scenario.chain for scenario in chains_from_worksheet(Hazop("x", rows=rows)).chains}


DEVIATION = "no: image of camera"


def test_one_chain_over_the_deviation():
    assert chains(row()) == {"R1": ("dirt", DEVIATION, "miss")}


def test_a_chain_for_every_cause_and_consequence():
    found = chains(row(causes=("dirt", "dark"), consequences=("miss", "stop")))
    assert list(found) == ["R1.1", "R1.2", "R1.3", "R1.4"]
    assert {(chain[0], chain[-1]) for chain in found.values()} == {
        ("dirt", "miss"),
        ("dirt", "stop"),
        ("dark", "miss"),
        ("dark", "stop"),
    }


def test_ids_that_look_like_those_of_rows_do_not_collide():
    found = chains(row("1", causes=("a", "b")), row("1.1", word="late"), row("1.2", causes=("c", "d"), word="dark"))
    assert list(found) == ["1.3", "1.4", "1.1", "1.2.1", "1.2.2"]


def test_a_row_without_cause_begins_with_its_deviation():
    assert chains(row(causes=())) == {"R1": (DEVIATION, "miss")}


@pytest.mark.parametrize("said", [{"consequences": ()}, {"status": "not credible"}, {"consequences": ("...",)}])
def test_rows_that_lead_to_nothing_give_no_chain(said):
    assert chains(row(**said)) == {}


def test_dots_say_nothing():
    assert chains(row(causes=("...", "dirt"))) == {"R1": ("dirt", DEVIATION, "miss")}


def test_other_spellings_of_an_event_are_the_first_one():
    hazop = Hazop("x", rows=[row(), row("R2", causes=("  MISS.",), consequences=("Loss of  asset",), word="late")])
    found = chains_from_worksheet(hazop)
    assert found.chains[1].chain == ("miss", "late: image of camera", "Loss of  asset")
    assert found.tops == ("Loss of  asset",)
    assert not found.problems


def test_chains_know_their_row_and_its_place():
    (scenario,) = chains_from_worksheet(Hazop("x", rows=[row(place="sheet.csv:7")])).chains
    assert (scenario.rows, scenario.place) == (("R1",), "sheet.csv:7")


def test_a_consequence_that_is_its_own_cause_is_a_loop_with_its_place():
    hazop = Hazop("x", rows=[row(causes=("dirt",), consequences=("Dirt", "miss"), place="sheet.csv:7")])
    (problem,) = chains_from_worksheet(hazop).problems
    assert (problem.code, problem.where) == ("scenario-loop", "sheet.csv:7")


def test_a_deviation_named_as_cause_or_consequence_is_that_deviation():
    assert chains(row(causes=(DEVIATION.upper(),))) == {"R1": (DEVIATION, "miss")}
    assert chains(row(consequences=(DEVIATION,))) == {"R1": ("dirt", DEVIATION)}
    assert chains(row(causes=(), consequences=(DEVIATION,))) == {}


def test_rows_that_lead_round_are_a_loop():
    hazop = Hazop("x", rows=[row(), row("R2", causes=("miss",), consequences=("dirt",), word="late")])
    assert [each.code for each in hazop.scenarios().problems] == ["scenario-loop"]
