"""``surefoot watch`` at the prompt: what it prints, how it ends, and that it goes on after Ctrl-C."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from surefoot.cli import app
from surefoot.project import load


def lines():
    return Path("test.csv").read_text().splitlines()


def write(rows, name="stream.csv"):
    Path(name).write_text("\n".join([lines()[0], *rows]) + "\n")
    return name


def events(output):
    return [json.loads(line) for line in output.splitlines()]


def test_rows_like_the_tests_raise_nothing(surefoot, project):
    found = surefoot("watch", ".", "test.csv")
    assert found.exit_code == 0, found.output
    assert "guard in operation, at level 0.99" in found.stdout
    assert "no change found in 600 rows" in found.stdout
    assert "claims fallen                none" in found.stdout


def test_a_row_outside_the_conditions_is_raised(surefoot, project):
    rows = lines()[1:]
    rows[41] = rows[41].replace("day", "fog").replace("night", "fog")
    found = surefoot("watch", ".", write(rows), "--json", "--batch", 100)
    assert found.exit_code == 1
    told = events(found.stdout)
    assert (told[0]["code"], told[0]["row"]) == ("watch-condition", 42)
    assert told[0]["about"] == "inside-operating-conditions"
    assert told[-1]["summary"]["conditions"]["inside-operating-conditions"]["first"] == 42
    fell = [each for each in told if each.get("code") == "watch-claim-fell"]
    assert [each["about"] for each in fell] == ["errors"]  # the other target was not shown before
    assert fell[0]["figures"]["chain"][-1] == "claim"


def test_inputs_that_moved_are_raised_and_named(surefoot, project):
    moved = [row.split(",") for row in lines()[1:301]]
    found = surefoot("watch", ".", write([f"{row[0]},{float(row[1]) + 25},day,dry,{row[4]}" for row in moved]), "-q")
    assert found.exit_code == 1
    assert "[watch-profile]" in found.stdout
    assert "gap averages " in found.stdout
    assert "in operation, at level" not in found.stdout


def test_failures_are_raised_and_fed_back(surefoot, project):
    flipped = {"clear": "obstacle", "obstacle": "clear"}
    rows = [f"{row.rpartition(',')[0]},{flipped[row.rpartition(',')[2]]}" for row in lines()[1:101]]
    found = surefoot("watch", ".", write(rows), "--json", "--feedback", "field.yaml")
    assert found.exit_code == 1
    assert {"watch-field", "watch-claim-fell"} <= {each.get("code") for each in events(found.stdout)}
    told = yaml.safe_load(Path("field.yaml").read_text())
    assert told[1]["claim"] == "errors"
    assert told[1]["exposure"] == 100
    assert told[1]["incidents"] > 90
    said = yaml.safe_load(Path("surefoot.yaml").read_text())
    said["case"]["feedback"] = told
    Path("surefoot.yaml").write_text(yaml.safe_dump(said))
    assert len(load(".").definition.case.feedback) == 2
    shown = surefoot("case", "show")
    assert "contradicted" in shown.output


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_standard_input(project, kind):
    head, *rows = lines()
    if kind == "json":
        names = head.split(",")
        rows = [json.dumps(dict(zip(names, row.split(","), strict=True))) for row in rows[:50]]
        text = "\n".join(rows)
    else:
        text = "\n".join([head, *rows[:50]])
    found = CliRunner().invoke(app, ["watch", ".", "-", "--json", "--feedback", "field.yaml"], input=text)
    assert found.exit_code == 0, found.output
    assert events(found.stdout)[-1]["summary"]["read"] == 50
    assert yaml.safe_load(Path("field.yaml").read_text())[0]["since"].startswith("20")


def test_a_state_is_gone_on_from(surefoot, project):
    rows = lines()[1:]
    rows[350] = rows[350].replace("day", "fog").replace("night", "fog")
    whole = events(surefoot("watch", ".", write(rows), "--json", "--batch", 100).stdout)
    write(rows[:300])
    first = surefoot("watch", ".", "stream.csv", "--json", "--batch", 100, "--state", "kept.json")
    assert first.exit_code == 0
    write(rows)
    second = surefoot("watch", ".", "stream.csv", "--json", "--batch", 100, "--state", "kept.json")
    assert second.exit_code == 1
    assert [*events(first.stdout)[:-1], *events(second.stdout)] == whole
    third = surefoot("watch", ".", "stream.csv", "--json", "--state", "kept.json")
    assert third.exit_code == 1  # what was raised stays raised
    assert len(events(third.stdout)) == 1


def test_damaged_states_are_refused(surefoot, project):
    for state, problem in (
        ("{", "no state"),
        ('{"surefoot-watch": 1}', "no state"),
        ("[]", "not written by"),
        ("[" * 9000, "no state"),
    ):
        Path("kept.json").write_text(state)
        found = surefoot("watch", ".", "test.csv", "--state", "kept.json")
        assert found.exit_code == 2, state
        assert "watch-state" in found.output, state
        assert problem in found.output, state


def test_a_state_of_another_level_is_refused(surefoot, project):
    assert surefoot("watch", ".", "test.csv", "--state", "kept.json").exit_code == 0
    found = surefoot("watch", ".", "test.csv", "--state", "kept.json", "--level", 0.9)
    assert found.exit_code == 2
    assert "kept.json: error [watch-state]" in found.output


def test_a_project_that_was_not_assessed_is_refused(surefoot, project):
    text = Path("surefoot.yaml").read_text()
    Path("surefoot.yaml").write_text(
        text.replace("misses: {step: binomial_bound,", "misses: {step: binomial_bound, level: 0.9,")
    )
    found = surefoot("watch", ".", "test.csv")
    assert found.exit_code == 2
    assert "not-assessed" in found.output
    assert "surefoot assess" in found.output


def test_what_cannot_be_used_ends_with_2(surefoot, project):
    for words, problem in (
        (["missing.csv"], "file-missing"),
        (["surefoot.yaml"], "watch-stream"),
        (["test.csv", "--component", "guards"], "no component 'guards'"),
        (["bad.csv"], "none of its first rows"),
        (["empty.csv"], "no rows"),
        (["test.csv", "--state", "no/such/folder.json"], "no folder"),
    ):
        Path("bad.csv").write_text("force,gap,light,floor,label\n" + "x,1,day,dry,clear\n" * 20)
        Path("empty.csv").write_text("force,gap,light,floor,label\n")
        found = surefoot("watch", ".", *words)
        assert found.exit_code == 2, found.output
        assert problem in found.output, words


def test_rows_that_cannot_be_used_are_told_and_counted(surefoot, project):
    rows = lines()[1:]
    rows[9] = "nan,1,day,dry,clear"
    found = surefoot("watch", ".", write(rows))
    assert found.exit_code == 0
    assert "row 10: [watch-row] stream.csv:11: column 'force' has nan; left out." in found.stderr
    assert "1 of 600 rows could not be used" in found.stdout


def test_a_folder_is_followed_until_it_falls_silent(surefoot, project):
    Path("in").mkdir()
    rows = lines()[1:]
    write(rows[:100], "in/1.csv")
    write(rows[100:200], "in/2.csv")
    found = surefoot("watch", ".", "in", "--follow", "--idle", 0.6, "--json")
    assert found.exit_code == 0, found.output
    assert events(found.stdout)[-1]["summary"]["read"] == 200


def test_ctrl_c_keeps_the_state(project, ctrl_c):
    write(lines()[1:301])
    command = [sys.executable, "-m", "surefoot", "watch", ".", "stream.csv", "--follow"]
    further = ["--batch", "100", "--state", "kept.json", "--feedback", "field.yaml", "--json"]
    running = subprocess.Popen([*command, *further], stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        with Path("stream.csv").open("a") as stream:
            end = time.monotonic() + 120
            while time.monotonic() < end and not select_line(running):
                stream.write(lines()[1].replace("day", "fog").replace("night", "fog") + "\n")
                stream.flush()
                time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130
    assert b"run the same command to go on" in told
    kept = json.loads(Path("kept.json").read_text())
    assert kept["rows"] >= 301
    assert yaml.safe_load(Path("field.yaml").read_text())[1]["exposure"] == kept["rows"]


def select_line(running):
    """Whether the process has printed something."""
    import select

    return bool(select.select([running.stdout], [], [], 0)[0])
