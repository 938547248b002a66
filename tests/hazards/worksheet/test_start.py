from surefoot.hazards import GUIDE_WORDS, Hazop, Item, Row, start, with_every_deviation


def test_the_first_worksheet_has_a_learned_item_examples_and_blank_rows():
    hazop = start("vehicle")
    assert hazop.name == "vehicle"
    assert any(item.learned for item in hazop.items)
    assert [row.id for row in hazop.rows if row.remark.startswith("Example")] == ["R1", "R2"]
    assert sum(row.blank for row in hazop.rows) == len(GUIDE_WORDS["learned value"]) - 1


def test_the_first_worksheet_shows_the_first_loop_and_names_nothing_unknown():
    found = start("vehicle").check()
    assert {each.code for each in found} == {"hazop-unconsidered", "hazop-property", "hazop-review"}
    assert any("Go round once more" in each.hint for each in found)


def test_every_deviation_gets_a_row_and_no_row_is_lost():
    hazop = start("vehicle")
    filled = with_every_deviation(hazop)
    assert filled.rows[: len(hazop.rows)] == hazop.rows
    asked = [
        (item.name, name, word) for item in hazop.items for name, words in item.parameters.items() for word in words
    ]
    assert sorted(row.deviation for row in filled.rows) == sorted(asked)
    assert with_every_deviation(filled) == filled


def test_new_rows_take_ids_that_are_free():
    hazop = Hazop("v", [Item("a", parameters={"p": ("no", "late", "more")})], [Row("R2", "a", "p", "late")])
    assert [(row.id, row.guide_word) for row in with_every_deviation(hazop).rows] == [
        ("R2", "late"),
        ("R1", "no"),
        ("R3", "more"),
    ]
