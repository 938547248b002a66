"""``surefoot hazop`` on the partial HAZOP of Dong et al. (2023), Table 2, and on the worksheet to start from."""

import json
from dataclasses import replace

import pytest

from surefoot.hazards import Hazop, Scenarios

FLOW = "flow from object detection to obstacle avoidance and path planning"
TABLE_2 = f"""\
HAZOP item: node/flow,Process parameter or attribute,Guide-word,Cause,Consequence,Mitigation
{FLOW},data flow,too late,...,...,...
{FLOW},data value,wrong value,misclassification,"erratic navigation;
unsafe distance to assets;
collision to assets;
failed inspection.","acoustic guidance;
minimum DL-classifier reliability for critical objects;
maximum safe distance maintained if uncertain;
..."
{FLOW},data value,no value,...,...,...
"""


@pytest.fixture
def auv(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "auv.csv").write_text(TABLE_2)
    return tmp_path


@pytest.fixture
def vehicle(tmp_path, monkeypatch, started):
    monkeypatch.chdir(tmp_path)
    started.write("vehicle.yaml")
    return tmp_path


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("ending", [".yaml", ".csv", ".xlsx"])
def test_new_writes_a_worksheet_that_can_be_read_and_checked(ending, surefoot, tmp_path, started):
    file = tmp_path / f"sheet{ending}"
    found = surefoot("hazop", "new", file, "--name", "Vehicle")
    assert found.exit_code == 0
    assert Hazop.read(file) == started
    assert f"wrote {file}" in found.stderr
    assert "surefoot hazop check" in found.stdout


def test_new_takes_its_name_from_the_file(surefoot, tmp_path):
    surefoot("hazop", "new", tmp_path / "crane.yaml")
    assert Hazop.read(tmp_path / "crane.yaml").name == "crane"


@pytest.mark.parametrize("present", ["sheet.csv", "sheet.items.csv"])
def test_new_overwrites_nothing(present, surefoot, tmp_path):
    (tmp_path / present).write_text("mine")
    found = surefoot("hazop", "new", tmp_path / "sheet.csv")
    assert found.exit_code == 2
    assert "to overwrite nothing" in found.stderr
    assert [path.name for path in tmp_path.iterdir()] == [present]


def test_new_adds_a_row_for_every_deviation(surefoot, vehicle, started):
    assert surefoot("hazop", "new", "full.xlsx", "--from", "vehicle.yaml", "--name", "Full").exit_code == 0
    full = Hazop.read("full.xlsx")
    assert full.name == "Full"
    assert full.rows[:15] == started.rows
    asked = {(each.item, each.parameter, each.guide_word) for each in full.deviations()}
    assert asked == {row.deviation for row in full.rows}


def test_what_cannot_be_done_is_refused_before_anything_is_written(surefoot, vehicle):
    for options, words in (
        (("new", "sheet.txt"), "Choose one of .csv, .xlsx"),
        (("new", "none/sheet.yaml"), "there is no folder"),
        (("check", "missing.yaml"), "there is no file"),
        (("table", "vehicle.yaml", "-o", "vehicle.pdf"), "Choose one of"),
        (("table", "vehicle.yaml", "-o", "vehicle.yaml"), "would be overwritten"),
        (("table", "vehicle.yaml", "--diagram", "system.gif"), ".gif"),
        (("table", "vehicle.yaml", "--diagram", "system.png", "--theme", "drak"), "drak"),
        (("table", "vehicle.yaml", "--risk", "bad"), "unknown risk"),
        (("table", "vehicle.yaml", "--item", "imagse"), "unknown item"),
        (("table", "vehicle.yaml", "--status", "closed"), "unknown status"),
    ):
        found = surefoot("hazop", *options)
        assert found.exit_code == 2, options
        assert words in found.stderr, options
        assert [path.name for path in vehicle.iterdir()] == ["vehicle.yaml"], options


def test_check_says_what_table_2_leaves_out(surefoot, auv):
    found = surefoot("hazop", "check", "auv.csv")
    assert found.exit_code == 1
    said = words(found.stdout)
    assert "deviations considered 1" in said
    assert "[hazop-unconsidered]" in said
    assert "too late" in said
    assert "nobody has said whether a safety property comes with 'acoustic guidance'" in said
    assert "auv.csv:3" in said


def test_check_gives_the_same_as_data(surefoot, auv):
    found = surefoot("hazop", "check", "auv.csv", "--json")
    assert found.exit_code == 1
    data = json.loads(found.stdout)
    assert data["done"] is False
    assert data["progress"]["deviations"] == 3
    assert {each["code"] for each in data["findings"]} == {"hazop-unknown", "hazop-unconsidered", "hazop-property"}


def test_check_is_content_when_only_notes_are_left(surefoot, tmp_path, started):
    hazop = started
    item = replace(hazop.item["obstacles"], parameters={"learned value": ("wrong value",)})
    row = replace(hazop.rows[0], mitigations=(), severity="marginal", likelihood="improbable")
    items = [each for each in hazop.items if each.kind == "node"]
    replace(hazop, items=(*items, item), rows=(row,), properties=hazop.properties[:1]).write(tmp_path / "done.yaml")
    found = surefoot("hazop", "check", tmp_path / "done.yaml")
    assert found.exit_code == 0
    assert "Nothing is left to do." in found.stdout
    assert "note [hazop-review]" in found.stdout


def test_check_shows_few_of_many_findings(surefoot, tmp_path, started):
    hazop = started
    rows = [replace(hazop.rows[0], id=f"Q{n}", causes=()) for n in range(50)]
    replace(hazop, rows=rows).write(tmp_path / "many.yaml")
    found = surefoot("hazop", "check", tmp_path / "many.yaml")
    assert "and 40 more; --json lists all" in found.stdout
    data = json.loads(surefoot("hazop", "check", tmp_path / "many.yaml", "--json").stdout)
    assert sum(each["code"] == "hazop-incomplete" for each in data["findings"]) == 50


def test_check_follows_chains_to_rows(surefoot, vehicle, started):
    scenarios = started.scenarios()
    replace(scenarios, chains=scenarios.chains[:2]).write("chains.yaml")
    found = surefoot("hazop", "check", "vehicle.yaml", "--scenarios", "chains.yaml", "--json")
    assert found.exit_code == 1
    texts = [each["text"] for each in json.loads(found.stdout)["findings"] if each["code"] == "scenario-trace"]
    assert texts == ["row 'R2' has consequences, and no chain comes from it."]


@pytest.mark.parametrize(
    ("chain", "code"),
    [
        ("chain: [a, b], rows: [R99]", "scenario-trace"),
        ("chain: [a, b], rows: [R1]}\n  - {id: S2, chain: [b, a]", "scenario-loop"),
        ("chain: [a, b], rows: [R1]}\n  - {id: S2, chain: [a, b], barriers: {b: [c]}", "scenario-conflict"),
    ],
)
def test_chains_that_cannot_be_used_are_told_beside_the_rest(chain, code, surefoot, vehicle):
    (vehicle / "chains.yaml").write_text(f"surefoot-scenarios: 1\nscenarios:\n  - {{id: S1, {chain}}}\n")
    found = surefoot("hazop", "check", "vehicle.yaml", "--scenarios", "chains.yaml")
    assert found.exit_code == 2
    assert f"error [{code}]" in found.stdout
    assert "warning [hazop-unconsidered]" in found.stdout


@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_table_fits_the_width(width, shell, auv):
    found = shell("hazop", "table", "auv.csv", cwd=auv, COLUMNS=width)
    lines = found.stdout.decode().splitlines()
    assert max(len(line) for line in lines if not line.startswith("flow")) <= int(width)
    assert "misclassification" in found.stdout.decode() or width == "60"
    assert "nobody has worked on data flow: too late (R1)" in words(found.stdout.decode())


def test_table_shows_the_rows_that_were_asked_for(surefoot, vehicle):
    found = surefoot("hazop", "table", "vehicle.yaml", "--item", "images")
    assert "R2: data flow" in found.stdout
    assert "R1" not in found.stdout
    assert "R1" in surefoot("hazop", "table", "vehicle.yaml", "--risk", "undesirable").stdout
    assert "no rows" in surefoot("hazop", "table", "vehicle.yaml", "--status", "reviewed").stdout


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".yml"])
def test_table_converts(ending, surefoot, vehicle, started):
    assert surefoot("hazop", "table", "vehicle.yaml", "-o", f"copy{ending}").exit_code == 0
    assert Hazop.read(f"copy{ending}") == started


def test_table_prints_and_draws(surefoot, vehicle):
    found = surefoot("hazop", "table", "vehicle.yaml", "-o", "page.html", "--diagram", "system.svg")
    assert found.exit_code == 0
    assert "wrote page.html" in found.stderr
    assert "collision with an obstacle" in (vehicle / "page.html").read_text()
    assert (vehicle / "system.svg").read_text().startswith("<svg")
    assert surefoot("hazop", "table", "vehicle.yaml", "--diagram", "dark.pdf", "--theme", "dark").exit_code == 0
    assert (vehicle / "dark.pdf").read_bytes().startswith(b"%PDF")


def test_to_tree_lists_the_consequences_of_table_2(surefoot, auv):
    found = surefoot("hazop", "to-tree", "auv.csv")
    assert found.exit_code == 2
    assert "4 top events" in found.stderr
    for top in ("erratic navigation", "unsafe distance to assets", "collision to assets", "failed inspection"):
        assert top in found.stderr


def test_to_tree_writes_the_tree_of_one_of_them(surefoot, auv):
    options = ("--top", "unsafe distance to assets", "-o", "tree.yaml", "--diagram", "tree.svg", "--theme", "dark")
    found = surefoot("hazop", "to-tree", "auv.csv", *options)
    assert found.exit_code == 0
    assert "misclassification R2" in words(found.stdout)
    assert "surefoot tree tree.yaml" in found.stdout
    assert surefoot("tree", "tree.yaml", "--set", "misclassification=0.01", "--json").exit_code == 0
    assert 'fill="#18202a"' in (auv / "tree.svg").read_text()


def test_to_tree_drafts_chains_for_people(surefoot, auv):
    found = surefoot("hazop", "to-tree", "auv.csv", "--draft", "chains.yaml")
    assert found.exit_code == 0
    assert "--scenarios chains.yaml" in found.stdout
    assert Scenarios.read("chains.yaml") == Hazop.read("auv.csv").scenarios()
    again = surefoot("hazop", "to-tree", "auv.csv", "--draft", "chains.yaml")
    assert (again.exit_code, "to overwrite nothing" in again.stderr) == (2, True)


def test_a_refined_draft_becomes_a_tree_with_barriers(surefoot, auv):
    surefoot("hazop", "to-tree", "auv.csv", "--draft", "chains.yaml")
    text = (auv / "chains.yaml").read_text()
    old = "      - unsafe distance to assets\n"
    (auv / "chains.yaml").write_text(
        text.replace(old, f"{old}    barriers: {{unsafe distance to assets: [acoustic guidance fails]}}\n")
        + "events: {misclassification: {probability: 0.01, component: detector}, acoustic guidance fails: 0.02}\n"
    )
    top = "unsafe distance to assets"
    found = surefoot("hazop", "to-tree", "auv.csv", "--scenarios", "chains.yaml", "--top", top, "-o", "tree.yaml")
    assert found.exit_code == 0, found.output
    data = json.loads(surefoot("tree", "tree.yaml", "--json").stdout)
    assert data["top"]["probability"] == pytest.approx(0.01 * 0.02)


def test_to_tree_refuses(surefoot, auv):
    for options, words in (
        (("--top", "unsafe distance"), "Did you mean"),
        (("--scenarios", "auv.yaml"), "there is no file"),
        (("--draft", "a.yaml", "--scenarios", "auv.csv"), "leave out --scenarios"),
        (("-o", "tree.dft", "--top", "failed inspection"), "Use .xml"),
        (("-o", "auv.csv", "--top", "failed inspection"), "Use .xml"),
        (("--draft", "chains.txt"), "Use the ending .yaml"),
    ):
        found = surefoot("hazop", "to-tree", "auv.csv", *options)
        assert found.exit_code == 2, options
        assert words in found.stderr, options
        assert [path.name for path in auv.iterdir()] == ["auv.csv"], options


def test_a_worksheet_without_consequences_has_no_tree(surefoot, tmp_path):
    (tmp_path / "empty.csv").write_text("item,parameter,guide word\ncamera,image,no\n")
    found = surefoot("hazop", "to-tree", tmp_path / "empty.csv")
    assert found.exit_code == 2
    assert "Give rows consequences." in found.stderr


def test_hostile_names_steer_no_terminal(surefoot, tmp_path, started):
    hazop = started
    row = replace(hazop.rows[0], causes=("red[/bold]",), consequences=("=cmd()",), remark="[red]")
    replace(hazop, rows=(row,)).write(tmp_path / "odd.yaml")
    for words in (("check",), ("table",), ("to-tree",)):
        found = surefoot("hazop", *words, tmp_path / "odd.yaml")
        assert found.exit_code in (0, 1), found.output
        assert "\x1b" not in found.output
    assert "[red]" in surefoot("hazop", "table", tmp_path / "odd.yaml").stdout
    text = (tmp_path / "odd.yaml").read_text()
    (tmp_path / "odd.yaml").write_text(text.replace("red[/bold]", '"\\e[31mred"'))
    refused = surefoot("hazop", "table", tmp_path / "odd.yaml")
    assert refused.exit_code == 2
    assert "\x1b" not in refused.output
