"""Each flaw is put into a worksheet without flaws, and must be the only finding."""

from dataclasses import replace

import pytest

from surefoot.hazards import Hazop, Item, Mitigation, Property, Row, with_every_deviation

ITEMS = (
    Item("camera", parameters={"image": ("no", "late")}),
    Item("planner", parameters={"path": ("no",)}),
    Item("objects", "camera", "planner", parameters={"value": ("wrong",)}),
)
GOOD = Row(
    "R1",
    "camera",
    "image",
    "no",
    ("lens is dirty",),
    ("asset is missed",),
    (Mitigation("wiper", ("P1",)),),
    ("P1",),
    "critical",
    "remote",
    "reviewed",
    "Ada",
)
ROWS = (
    GOOD,
    replace(GOOD, id="R2", guide_word="late", mitigations=(Mitigation("watchdog", ()),)),
    replace(GOOD, id="R3", item="planner", parameter="path"),
    replace(GOOD, id="R4", item="objects", parameter="value", guide_word="wrong"),
)
WIPER = Property("P1", "wiper", "failures", "at most", 1.0, "per year", verification="test")
COMPLETE = Hazop("vehicle", ITEMS, ROWS, (WIPER,))


def with_row(**changes):
    return replace(COMPLETE, rows=(replace(ROWS[0], **changes), *ROWS[1:]))


def only(hazop):
    found = hazop.check()
    assert len(found) == 1, "\n".join(map(str, found))
    assert found[0].hint
    return found[0]


def test_a_complete_worksheet_has_no_findings():
    assert COMPLETE.check() == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"causes": (), "consequences": ()}, "neither cause nor consequence"),
        ({"causes": ()}, "consequence without a cause"),
        ({"consequences": ()}, "cause without a consequence"),
        ({"likelihood": ""}, "severity without a likelihood"),
        ({"severity": ""}, "likelihood without a severity"),
        ({"reviewer": " "}, "reviewed without a reviewer"),
        ({"status": "not credible"}, "not credible without a reason"),
        ({"mitigations": ()}, "undesirable risk and no mitigation"),
        ({"status": "open", "causes": ()}, "consequence without a cause"),
    ],
)
def test_an_incomplete_row_says_what_it_lacks(changes, says):
    found = only(with_row(**changes))
    assert (found.code, found.severity, found.where) == ("hazop-incomplete", "warning", "R1")
    assert says in found.text


def test_a_row_with_several_gaps_is_one_finding_with_all_of_them():
    found = only(with_row(causes=(), likelihood="", reviewer=""))
    assert found.text.count(" and ") == 2


def test_a_finding_names_the_place_in_the_file():
    assert only(with_row(causes=(), place="sheet.yaml:12")).where == "sheet.yaml:12"


@pytest.mark.parametrize(
    "changes",
    [
        {"mitigations": (), "likelihood": "improbable"},
        {"status": "not credible", "causes": (), "consequences": (), "mitigations": (), "remark": "no lens"},
    ],
)
def test_tolerable_risks_and_reasoned_exclusions_need_no_mitigation(changes):
    assert with_row(**changes).check() == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"item": "camrea"}, "item 'camrea' is not defined"),
        ({"parameter": "imag"}, "parameter 'imag' of 'camera'"),
        ({"guide_word": "lat"}, "guide word 'lat' of 'image' of 'camera'"),
    ],
)
def test_an_unknown_name_gets_a_suggestion_and_leaves_a_deviation_unconsidered(changes, says):
    unknown, unconsidered = with_row(**changes).check()
    assert (unknown.code, unconsidered.code) == ("hazop-unknown", "hazop-unconsidered")
    assert says in unknown.text
    assert "Did you mean" in unknown.hint


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"endangers": ("P1", "P7")}, "property 'P7'"),
        ({"severity": "critcal"}, "severity 'critcal'"),
        ({"likelihood": "remoet"}, "likelihood 'remoet'"),
    ],
)
def test_unknown_properties_and_levels_are_found(changes, says):
    found = only(with_row(**changes))
    assert found.code == "hazop-unknown"
    assert says in found.text


def test_rows_that_share_an_unknown_name_are_one_finding():
    hazop = replace(COMPLETE, rows=tuple(replace(row, severity="grave") for row in ROWS))
    assert "rows R1, R2, R3, R4 name it" in only(hazop).text


@pytest.mark.parametrize(("end", "says"), [("canera", "is no node"), ("objects", "is a flow itself")])
def test_a_flow_needs_nodes_at_its_ends(end, says):
    hazop = replace(COMPLETE, items=(*ITEMS[:2], replace(ITEMS[2], source=end)))
    found = only(hazop)
    assert (found.code, found.where) == ("hazop-unknown", "objects")
    assert says in found.text


def test_unconsidered_deviations_are_one_finding_for_each_parameter():
    found = replace(COMPLETE, rows=ROWS[2:]).check()
    assert [each.code for each in found] == ["hazop-unconsidered"]
    assert "no, late" in found[0].text


def test_a_blank_row_considers_nothing_and_is_not_incomplete():
    hazop = with_every_deviation(replace(COMPLETE, rows=ROWS[1:]))
    assert only(hazop).code == "hazop-unconsidered"


def test_ten_thousand_unconsidered_deviations_are_few_findings():
    items = [Item(f"node {k}", parameters={"p": tuple(map(str, range(1000)))}) for k in range(10)]
    found = Hazop("large", items).check()
    assert len(found) == 10
    assert all("and 980 more" in each.text for each in found)


def test_items_without_parameters_are_one_note():
    hazop = replace(COMPLETE, items=(*ITEMS, Item("dock"), Item("tether")))
    assert (only(hazop).severity, "dock, tether" in only(hazop).text) == ("note", True)


def test_an_unsaid_mitigation_keeps_the_loop_open():
    found = only(with_row(mitigations=(Mitigation("wiper"), Mitigation("heater", ()))))
    assert found.code == "hazop-property"
    assert "'wiper'" in found.text
    assert "'heater'" not in found.text


def test_a_created_property_has_to_be_defined():
    found = only(with_row(mitigations=(Mitigation("wiper", ("P9",)),)))
    assert "'P9', created by the mitigation 'wiper' of row R1, is not defined" in found.text


def test_a_created_property_has_to_be_examined_in_another_round():
    hazop = with_row(mitigations=(Mitigation("heater", ("P2",)),))
    found = only(replace(hazop, properties=(WIPER, replace(WIPER, id="P2"))))
    assert "'P2', created by the mitigation 'heater' of row R1, is endangered by no row" in found.text
    assert found.hint.startswith("Go round once more")


def test_a_stated_property_has_to_be_examined():
    found = only(replace(COMPLETE, properties=(WIPER, replace(WIPER, id="P2"))))
    assert found.text == "property 'P2' is endangered by no row."


def test_a_property_needs_verification_or_evidence():
    found = only(replace(COMPLETE, properties=(replace(WIPER, verification=""),)))
    assert "neither a verification nor evidence" in found.text
    assert replace(COMPLETE, properties=(replace(WIPER, verification="", evidence="a.b"),)).check() == []


def test_rows_that_wait_for_review_are_one_note():
    hazop = replace(COMPLETE, rows=tuple(replace(row, status="filled", reviewer="") for row in ROWS))
    found = only(hazop)
    assert (found.code, found.severity) == ("hazop-review", "note")
    assert found.text == "4 rows wait for review: R1, R2, R3, R4."


@pytest.mark.parametrize("items", [(), (Item("camera"),)], ids=["nothing", "an item"])
def test_a_worksheet_that_says_nothing_is_not_complete(items):
    first = Hazop("vehicle", items).check()[0]
    assert (first.code, first.severity) == ("hazop-unconsidered", "warning")
    assert first.text == "there are no rows and no guide words, so that nobody considered anything."
