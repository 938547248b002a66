"""The example from a worksheet to a target and back: the tree is the chains, and what it advises is enough."""

import json
import shutil
from pathlib import Path

import lxml.html
import pytest
from scipy import stats
from typer.testing import CliRunner

import surefoot as sf
from surefoot.cli import app
from surefoot.hazards import Hazop, Scenarios, trace

FOLDER = Path(__file__).parents[2] / "examples" / "inspection_vehicle"
TOP = "safe distance is lost"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = shutil.copytree(FOLDER, tmp_path_factory.mktemp("example") / "vehicle")
    return sf.run(sf.load(folder))


@pytest.fixture(scope="module")
def hazop():
    return Hazop.read(FOLDER / "hazop.yaml")


@pytest.fixture(scope="module")
def scenarios():
    return Scenarios.read(FOLDER / "scenarios.yaml")


def test_the_row_of_table_2_is_as_printed(hazop):
    row = hazop.row["R2"]
    assert row.deviation == (
        "flow from object detection to obstacle avoidance and path planning",
        "data value",
        "wrong value",
    )
    assert row.causes == ("misclassification",)
    assert row.consequences == (
        "erratic navigation",
        "unsafe distance to assets",
        "collision to assets",
        "failed inspection",
    )
    assert [mitigation.text for mitigation in row.mitigations] == [
        "acoustic guidance",
        "minimum DL-classifier reliability for critical objects",
        "maximum safe distance maintained if uncertain",
    ]


def test_the_chain_of_figure_17_is_a_path_of_five_levels(scenarios):
    tree = scenarios.fault_tree(TOP)
    chain = scenarios.chains[0].chain
    assert [tree.attributes[event]["level"] for event in chain] == ["0", "1", "2", "3", "4"]
    assert all(cause in set(tree.gates[effect].names()) for cause, effect in scenarios.chains[0].links)


def test_every_basic_event_comes_from_a_row(hazop, scenarios):
    traced = trace(scenarios)
    assert all(traced.rows[event] for event in traced.basic)
    assert [d.text for d in traced.findings(scenarios, hazop)] == [
        "row 'R4' has consequences, and no chain comes from it."
    ]


def test_each_top_event_shows_the_chains_and_events_that_lead_to_it(result):
    shown = {
        name: [row[0] for row in result.evidence[name].tables["chains"].rows] for name in ("distance", "inspection")
    }
    assert shown == {"distance": ["S1", "S2", "S3", "S4", "S5", "S6"], "inspection": ["S7"]}
    events = [row[0] for row in result.evidence["inspection"].tables["from events to rows"].rows]
    assert sorted(events) == ["asset is misclassified", "review of the film misses it"]


def test_the_value_is_that_of_the_chains_written_out(result):
    missed = result["missed.failure probability"].value
    computer, thruster, sonar = 8e-7, 8e-6, 3.5 / 401
    close = missed + 1e-3 + 5e-4 + 4.5 / 12001
    by_hand = close * sonar * 0.3 + computer + 0.05 * thruster
    exact = result.evidence["distance"].tables["approximations"].rows[0]
    assert exact[:2] == ("exact", pytest.approx(by_hand, rel=0.01))


def test_the_target_is_that_of_the_divers_with_its_uncertainty(result):
    target = next(answer.target for answer in result.answers if answer.name == "distance")
    assert target.limit == pytest.approx(1 - (1 - 9 / 4100) ** (1 / 60))
    low = stats.beta.ppf(0.025, 9, 4100 - 9 + 1)
    assert target.cautious_limit(0.025) == pytest.approx(1 - (1 - low) ** (1 / 60))


def test_one_target_is_met_and_one_is_not_shown(result):
    assert {a.name: a.verdict.status for a in result.answers} == {"distance": "not shown", "inspection": "met"}


def test_the_cheapest_combination_that_it_names_is_enough(result, scenarios):
    best = result.evidence["distance"].tables["candidates"].rows[0]
    assert (best[0], best[1], best[4]) == ("better detector + earlier warning", 25.0, "met")
    missed = result["missed.failure probability"]
    better = sf.bounds.jeffreys(round(0.3 * 29), 3052, level=0.95)
    assert better.value == pytest.approx(0.3 * missed.value, abs=5e-4)
    events = {"asset is misclassified": better, "operator does not take over": 0.1}
    target = next(answer.target for answer in result.answers if answer.name == "distance")
    assert scenarios.fault_tree(TOP).with_events(events).analyse(target=target).verdict


def test_the_properties_are_held_against_what_was_measured(result):
    page = lxml.html.fromstring(sf.report.html(result))
    rows = {cells[0]: " ".join(cells[1:]) for row in page.iter("tr") if (cells := [c.text_content() for c in row])}
    for name, words in (("P3", "not shown"), ("P5", "met"), ("P1", "not by a number here")):
        assert words in rows[name], name
    assert "not shown" not in rows["P5"]


def test_planned_labels_come_back_and_tighten_the_top_event(tmp_path):
    import csv

    folder = shutil.copytree(FOLDER, tmp_path / "vehicle")
    before = sf.run(sf.load(folder))
    words = ["improve", str(folder), "--label", "3000", "--on", "operation", "--csv", str(folder / "label.csv")]
    plan = CliRunner().invoke(app, [*words, "--json"])
    assert plan.exit_code == 0, plan.output
    truth = true_labels(folder)
    with (folder / "label.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with (folder / "label.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "label": ("water", "asset")[truth[int(row["row"])]]} for row in rows)
    notes = json.loads(plan.stdout)["labels"]["notes"]
    said = next(note for note in notes if "write for missed:" in note)
    assert "method: jeffreys" in said
    step = said.partition("write for missed:")[2].strip().replace("labels.csv", "label.csv")
    text = (folder / "surefoot.yaml").read_text()
    old = "{step: binomial_bound, of: asset, method: jeffreys}"
    assert old in text
    (folder / "surefoot.yaml").write_text(text.replace(old, step))
    after = sf.run(sf.load(folder))
    bounds = [run["distance.top event probability"].upper(0.95) for run in (before, after)]
    assert bounds[1] < bounds[0]


def true_labels(folder):
    """What the stand-in draws beside its inputs."""
    import runpy

    module = runpy.run_path(str(folder / "detector.py"))
    return module["_seen"](module["APPROACHES"], seed=6)[1]
