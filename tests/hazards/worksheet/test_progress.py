from dataclasses import replace

from surefoot.hazards import Hazop, Item, Mitigation, Progress, Property, RiskMatrix, Row

ITEM = Item("camera", parameters={"image": ("no", "late", "wrong")})
ROWS = (
    Row("R1", "camera", "image", "no", ("a",), ("b",), (Mitigation("m"),), (), "critical", "frequent", "reviewed", "A"),
    Row("R2", "camera", "image", "late", ("a",), (), (Mitigation("m", ("P9",)),), (), "critical", "often", "filled"),
    Row("R3", "camera", "image", "wrong"),
)
HAZOP = Hazop("vehicle", (ITEM, Item("f", "camera", "camera")), ROWS, (Property("P1", "vehicle", "speed"),))


def test_everything_is_counted_once():
    progress = Progress.of(HAZOP)
    assert (progress.nodes, progress.flows, progress.properties) == (1, 1, 1)
    assert (progress.deviations, progress.considered) == (3, 2)
    assert dict(progress.statuses) == {"open": 1, "filled": 1, "reviewed": 1, "not credible": 0}
    assert progress.rows == 3


def test_rows_without_a_known_level_are_not_rated():
    risks = Progress.of(HAZOP).risks
    assert (risks["intolerable"], risks["not rated"], sum(risks.values())) == (1, 2, 3)


def test_open_ends_are_the_unsaid_the_undefined_and_the_unexamined():
    assert Progress.of(HAZOP).open_ends == 3
    closed = replace(ROWS[0], mitigations=(Mitigation("m", ("P1",)),), endangers=("P1",))
    assert Progress.of(replace(HAZOP, rows=(closed,))).open_ends == 0


def test_the_table_holds_the_counts():
    table = dict(Progress.of(HAZOP).table().rows)
    assert table["deviations considered"] == 2
    assert table["rows with risk intolerable"] == 1
    assert table["open ends of the first loop"] == 3


def test_the_worse_half_of_the_classes_is_severe():
    for order, severe in [("a", ""), ("ab", "b"), ("abc", "c"), ("abcd", "cd"), ("abcde", "de")]:
        matrix = RiskMatrix(("s",), ("l",), {"l": (order[0],)}, order=tuple(order))
        assert matrix.severe == tuple(severe), order


def test_a_row_in_which_something_is_said_is_not_blank():
    assert ROWS[2].blank
    for name, value in [
        ("causes", ("a",)),
        ("endangers", ("P1",)),
        ("severity", "critical"),
        ("remark", "x"),
        ("status", "filled"),
    ]:
        assert not replace(ROWS[2], **{name: value}).blank, name
