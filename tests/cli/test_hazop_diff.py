"""``surefoot hazop diff``: what edits of a worksheet do to rows, trees and requirements."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

COLLISION = "collision with an obstacle"


@pytest.fixture
def folder(tmp_path, monkeypatch, started):
    monkeypatch.chdir(tmp_path)
    hazop = started
    hazop.write("old.yaml")
    first, *others = hazop.rows
    replace(hazop, rows=(replace(first, causes=(*first.causes, "light is poor")), *others)).write("new.csv")
    return tmp_path


def chains(sonar, name):
    Path(name).write_text(
        f"surefoot-scenarios: 1\n"
        f"scenarios: [{{id: S1, rows: [R1], chain: [missed, {COLLISION}],"
        f" barriers: {{{COLLISION}: [sensor fails]}}}}]\n"
        f"events: {{missed: {{probability: 0.001, component: net}}, sensor fails: {sonar}}}\n"
    )


def test_a_worksheet_does_not_differ_from_itself_in_another_format(surefoot, folder):
    surefoot("hazop", "table", "old.yaml", "-o", "same.xlsx")
    found = surefoot("hazop", "diff", "old.yaml", "same.xlsx")
    assert (found.exit_code, found.stdout) == (0, "Nothing differs.\n")


def test_an_edit_is_followed_to_the_tree(surefoot, folder):
    found = surefoot("hazop", "diff", "old.yaml", "new.csv", "--top", COLLISION)
    assert found.exit_code == 1
    said = " ".join(found.stdout.split())
    assert "R1 edited: causes" in said
    assert "light is poor event added" in said
    assert "no braking'" not in said


def test_all_top_events_are_compared_unless_one_is_named(surefoot, folder):
    data = json.loads(surefoot("hazop", "diff", "old.yaml", "new.csv", "--json").stdout)
    assert data["different"] is True
    assert data["rows"][0]["change"] == "edited: causes"
    assert {name: each["change"] for name, each in data["top_events"].items()} == {
        "no braking": "changed",
        COLLISION: "changed",
        "detector sees nothing": "same",
    }


def test_top_events_come_and_go(surefoot, folder, started):
    hazop = started
    replace(hazop, rows=[replace(hazop.rows[0], consequences=("no braking", "fire"))]).write("other.yaml")
    data = json.loads(surefoot("hazop", "diff", "old.yaml", "other.yaml", "--json").stdout)
    told = {name: each["change"] for name, each in data["top_events"].items()}
    assert told["fire"] == "added"
    assert told[COLLISION] == told["detector sees nothing"] == "removed"
    assert "'fire': added" in surefoot("hazop", "diff", "old.yaml", "other.yaml", "--top", "fire").stdout


def test_requirements_follow_from_the_chains(surefoot, folder):
    chains(0.1, "before.yaml")
    chains(0.01, "after.yaml")
    options = ("--old-scenarios", "before.yaml", "--new-scenarios", "after.yaml", "--target", "1e-5")
    found = surefoot("hazop", "diff", "old.yaml", "old.yaml", *options)
    assert found.exit_code == 1
    assert "at most before" in found.stdout
    data = json.loads(surefoot("hazop", "diff", "old.yaml", "old.yaml", *options, "--json").stdout)
    (requirement,) = data["top_events"][COLLISION]["requirements"]
    assert requirement["at_most_before"] == pytest.approx(1e-4, rel=1e-6)
    assert requirement["at_most_now"] == pytest.approx(1e-3, rel=1e-6)


def test_a_row_that_chains_still_name_is_told(surefoot, folder, started):
    chains(0.1, "chains.yaml")
    hazop = started
    replace(hazop, rows=hazop.rows[1:]).write("without.yaml")
    found = surefoot("hazop", "diff", "old.yaml", "without.yaml", "--scenarios", "chains.yaml")
    assert found.exit_code == 1
    assert "R1" in found.stdout
    assert "names the row 'R1', which the worksheet does not have" in found.stderr


def test_trouble_has_a_code_of_its_own(surefoot, folder):
    for options, words in (
        (("--top", "colision with the obstacle"), "Did you mean"),
        (("--target", "2"), "Give a share between 0 and 1"),
        (("--scenarios", "a.yaml", "--old-scenarios", "b.yaml"), "is for both worksheets"),
        (("--scenarios", "a.yaml"), "there is no file"),
    ):
        found = surefoot("hazop", "diff", "old.yaml", "new.csv", *options)
        assert found.exit_code == 2, options
        assert words in " ".join(found.stderr.split()), options
