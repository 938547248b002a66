"""The step for chains of events, against products written out by hand."""

import pytest
from tests.project.doors import CHAINS, SHEET

from surefoot.bounds import clopper_pearson
from surefoot.core import DiagnosticsError, InvalidInput, Target
from surefoot.project import Asked, find_step

scenario_tree = find_step("scenario_tree")

NOTHING = Asked({})
MISSED = clopper_pearson(30, 1000, level=0.95, scope="linear")
TOP = "door closes on somebody"


def asked(at_most):
    return Asked({"low": ("top event probability", Target(at_most=at_most))})


def analysed(question=NOTHING, **said):
    return scenario_tree(
        **{"asked": question, "inline": CHAINS, "events": {"person is missed": MISSED}, "top": TOP, **said}
    )


def test_a_chain_with_a_barrier_is_a_product():
    (found,) = analysed().estimates
    assert found.value == pytest.approx(0.03 * 1e-3, rel=1e-12)
    assert found.upper(0.95) == pytest.approx(MISSED.upper(0.95) * 1e-3, rel=1e-9)


def test_evidence_for_events_of_other_top_events_is_no_matter():
    (found,) = analysed(top="door stays open").estimates
    assert found.value == pytest.approx(1e-2)


def test_only_the_chains_that_lead_to_the_top_event_are_told():
    table = analysed().tables["chains"]
    assert table.rows == (("S1", f"person is missed → door moves → {TOP}", f"beam fails (before {TOP})", "R1"),)


def test_without_a_worksheet_nothing_is_said_about_it():
    found = analysed()
    assert "from rows to events" not in found.tables
    assert {a.id for a in found.estimates[0].assumptions} & {"chains-complete", "hazards-complete"} == {
        "chains-complete"
    }


def test_rows_give_chains_of_their_own(tmp_path):
    SHEET.write(tmp_path / "sheet.yaml")
    found = analysed(inline=None, worksheet=str(tmp_path / "sheet.yaml"))
    assert found.estimates[0].value == pytest.approx(0.03)
    assert {row[0]: row[3] for row in found.tables["from rows to events"].rows}["R1"] == TOP


def test_a_row_that_the_worksheet_does_not_have_is_an_error(tmp_path):
    SHEET.write(tmp_path / "sheet.yaml")
    chains = {**CHAINS, "scenarios": [{**CHAINS["scenarios"][0], "rows": ["R9"]}]}
    with pytest.raises(DiagnosticsError, match="'R9'"):
        analysed(inline=chains, worksheet=str(tmp_path / "sheet.yaml"))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"inline": None}, "need a file, inline chains or a worksheet"),
        ({"file": "chains.yaml"}, "one of file and inline"),
    ],
)
def test_chains_come_from_one_place(said, problem):
    with pytest.raises(InvalidInput, match=problem):
        analysed(**said)


def test_improvements_of_other_top_events_are_left_out_where_the_target_is_not_met():
    lamp, beam = {"events": {"lamp is broken": "x0.1"}}, {"events": {"beam fails": "x0.1", "lamp is broken": 0.1}}
    wishes = {"candidates": {"lamp": lamp, "beam": beam}, "costs": {"lamp is broken": 5.0, "beam fails": 7.0}}
    found = analysed(asked(1e-6), **wishes)
    assert {row[0] for row in found.tables["candidates"].rows} == {"as it is", "beam"}
    ranked = found.tables["improvements"]
    costs = {row[0]: row[ranked.columns.index("cost")] for row in ranked.rows}
    assert costs == {"person is missed": None, "beam fails": pytest.approx(7.0)}
