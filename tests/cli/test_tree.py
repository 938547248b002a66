"""``surefoot tree``: numbers that can be checked by hand or against published ones, in words and as JSON."""

import csv
import json
from pathlib import Path

import pytest
from scipy import stats
from typer.testing import CliRunner

from surefoot.cli import app
from surefoot.core import MissingData
from surefoot.datasets import locate
from surefoot.faulttree import FaultTree

TREE = """
surefoot-tree: 1
name: Braking
top: no braking
gates:
  no braking: {or: [both miss, brake]}
  both miss: {and: [camera, radar]}
events:
  camera: {probability: 0.02, component: detector}
  radar: 0.01
  brake: 0.0001
"""
EXACT = 1 - (1 - 0.02 * 0.01) * (1 - 0.0001)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "braking.yaml"
    path.write_text(TREE)
    return path


@pytest.fixture
def ask(surefoot, file):
    """The answer as data."""

    def asked(*options, tree=None):
        if tree is not None:
            file.write_text(tree)
        found = surefoot("tree", file, "--json", *options)
        assert found.exit_code in (0, 1), found.output
        return json.loads(found.stdout)

    return asked


def words(found):
    return " ".join(found.stdout.split())


def test_it_says_what_the_tree_is_and_how_probable_its_top_event(surefoot, file):
    found = surefoot("tree", file)
    assert found.exit_code == 0
    assert "2 gates, 3 basic events, coherent" in found.stdout
    assert "learned events camera" in words(found)
    assert f"{EXACT:.6g}, exact" in found.stdout
    assert "2 minimal cut sets: 1 of order 1, 1 of order 2" in found.stdout
    assert "camera, radar" in found.stdout


def test_json_has_the_same_numbers(ask):
    found = ask()
    assert found["version"] == 1
    assert found["top"]["probability"] == pytest.approx(EXACT, rel=1e-12)
    assert found["top"]["exact"] is True
    assert found["cut_sets"]["count"] == 2
    assert found["cut_sets"]["shown"][0] == {"events": ["camera", "radar"], "order": 2, "probability": 0.0002}
    assert found["tree"]["learned"] == {"camera": "detector"}
    birnbaum = found["importance"]["events"]["camera"]["birnbaum"]["value"]
    assert birnbaum == pytest.approx(0.01 * (1 - 0.0001))


@pytest.mark.parametrize("model", ["chinese", "baobab3", "das9202"])
def test_published_trees_have_their_published_answers(surefoot, model):
    try:
        folder = locate("aralia")
    except MissingData as error:
        pytest.skip(str(error))
    with (folder / "reference.csv").open() as lines:
        known = {row["model"]: row for row in csv.DictReader(lines)}[model]
    found = json.loads(surefoot("tree", folder / f"{model}.xml", "--json").stdout)
    assert found["top"]["probability"] == pytest.approx(float(known["top_probability"]), rel=1e-5)
    assert found["cut_sets"]["count"] == int(known["minimal_cut_sets"])


TWO = TREE.replace("top: no braking\n", "").replace("[both miss, brake]", "[camera, brake]")
TWO_TOPS = {"no braking": 1 - (1 - 0.02) * (1 - 0.0001), "both miss": 0.02 * 0.01}


def test_all_top_events_of_a_file_are_in_one_table(surefoot, file):
    file.write_text(TWO)
    found = surefoot("tree", file)
    assert found.exit_code == 0
    for name, probability in TWO_TOPS.items():
        (line,) = [line for line in found.stdout.splitlines() if line.startswith(name)]
        assert f"{probability:.6g}" in line
        assert line.rstrip().endswith("exact")


def test_all_top_events_of_a_file_are_in_the_data(ask):
    found = ask(tree=TWO)
    assert {top["name"]: top["top"]["probability"] for top in found["tops"]} == pytest.approx(TWO_TOPS)
    assert all(top["top"]["exact"] and top["top"]["low"] <= top["top"]["high"] for top in found["tops"])


def test_one_of_several_top_events_has_the_full_answer(ask):
    found = ask("--top", "both miss", tree=TWO)
    assert found["top"]["probability"] == pytest.approx(TWO_TOPS["both miss"])
    assert found["cut_sets"]["count"] == 1


@pytest.mark.parametrize(("target", "code", "words"), [(0.1, 0, ["met", "met"]), (0.001, 1, ["violated", "met"])])
def test_a_target_is_for_every_top_event(surefoot, file, target, code, words):
    file.write_text(TWO)
    found = surefoot("tree", file, "--target", target)
    assert found.exit_code == code
    lines = [line.split()[-1] for line in found.stdout.splitlines() if line.startswith(tuple(TWO_TOPS))]
    assert lines == words


def test_events_without_a_probability_are_said_for_the_top_events_that_have_them(ask):
    found = ask(tree=TWO.replace("radar: 0.01", "radar:"))
    assert [top["top"] is None for top in found["tops"]] == [False, True]
    assert found["tops"][1]["tree"]["without_probability"] == ["radar"]


def test_what_is_asked_of_one_top_event_needs_its_name(surefoot, file):
    for options in (
        ("--set", "camera=0.1"),
        ("--target", 0.1, "--allocate", "camera"),
        ("--diagram", "x.svg"),
        ("--write", "x.json"),
    ):
        file.write_text(TWO)
        found = surefoot("tree", file, *options)
        assert found.exit_code == 2, options
        assert "--top" in found.stderr, options
        assert surefoot("tree", file, *options, "--top", "both miss").exit_code == 0, options


ORDERED = 'toplevel "g";\n"g" pand "a" "b";\n"a" prob=0.1; "b" prob=0.2;'


def test_what_is_left_out_is_said_in_the_answer_and_among_the_errors(surefoot, file):
    path = file.with_name("x.dft")
    path.write_text(ORDERED)
    found = surefoot("tree", path, "--target", 0.5)
    assert found.exit_code == 1
    assert "exact" not in found.stdout
    assert "0.02 of the tree as read: NOT what the file means" in words(found)
    assert "left out x.dft:2: the order" in words(found)
    assert "not shown" in found.stdout
    assert "warning [tree-left-out] x.dft:2" in found.stderr


def test_what_is_left_out_is_in_the_data(surefoot, file):
    path = file.with_name("x.dft")
    path.write_text(ORDERED)
    found = surefoot("tree", path, "--json")
    data = json.loads(found.stdout)
    assert (data["top"]["exact"], data["top"]["kind"]) == (False, "heuristic")
    assert [caveat["code"] for caveat in data["top"]["caveats"]] == ["tree-left-out"]
    assert [warning["code"] for warning in data["warnings"]] == ["tree-left-out"]
    assert len(data["tree"]["left_out"]) == 1
    assert "tree-left-out" in found.stderr


def test_what_is_left_out_is_said_with_several_top_events(surefoot, file):
    path = file.with_name("x.dft")
    path.write_text('"g" pand "a" "b"; "h" or "a" "b";\n"a" prob=0.1; "b" prob=0.2;')
    found = surefoot("tree", path)
    assert found.stdout.count("exact") == 1
    assert "left out: x.dft:1: the order" in words(found)
    data = json.loads(surefoot("tree", path, "--json").stdout)
    assert [top["top"]["exact"] for top in data["tops"]] == [False, True]


def test_phases_have_their_share_of_the_time(surefoot, tmp_path):
    path = tmp_path / "x.xml"
    path.write_text(
        """<opsa-mef><define-alignment name="M"><define-phase name="p" time-fraction="0.75"/>
        <define-phase name="q" time-fraction="0.25"><set-house-event name="h"><constant value="true"/></set-house-event>
        </define-phase></define-alignment><define-fault-tree name="T"><define-house-event name="h"/>
        <define-gate name="g"><or><event name="h"/><event name="a"/></or></define-gate>
        <define-basic-event name="a"><float value="0.1"/></define-basic-event></define-fault-tree></opsa-mef>"""
    )
    found = surefoot("tree", path)
    assert found.exit_code == 0
    rows = [line.split() for line in found.stdout.splitlines() if line.startswith("g@")]
    assert [(row[0], float(row[1]), row[-1]) for row in rows] == [("g@p", 0.1, "0.75"), ("g@q", 1.0, "0.25")]


def test_what_is_not_shown_is_bounded(ask):
    sets = ask("--cut-sets", 1)["cut_sets"]
    assert (len(sets["shown"]), sets["omitted_count"]) == (1, 1)
    assert sets["omitted_sum_at_most"] == pytest.approx(0.0001, rel=1e-9)


def test_the_order_and_the_cutoff_choose_cut_sets(ask):
    assert [each["events"] for each in ask("--order", 1)["cut_sets"]["shown"]] == [["brake"]]
    assert [each["events"] for each in ask("--cutoff", 0.00015)["cut_sets"]["shown"]] == [["camera", "radar"]]


def test_counts_make_the_top_event_uncertain(ask):
    found = ask("--set", "camera=2/5000", "--draws", 50_000, "--level", 0.9)
    ends = stats.beta.ppf(0.05, 2, 4999), stats.beta.ppf(0.95, 3, 4998)
    low, high = (1 - (1 - 0.01 * q) * (1 - 0.0001) for q in ends)
    assert found["top"]["kind"] == "confidence"
    assert found["top"]["low"] == pytest.approx(low, rel=0.01)
    assert found["top"]["high"] == pytest.approx(high, rel=0.01)
    assert found["probability_as_in_file"] == pytest.approx(EXACT, rel=1e-12)


def test_uncertainty_is_shown_with_the_probability_before_anything_was_set(surefoot, file):
    found = words(surefoot("tree", file, "--set", "camera=2/5000"))
    assert "(confidence, 95%), observed" in found
    assert "exact limit: one input was counted" in found
    assert f"as in the file {EXACT:.6g}" in found
    assert "95% interval" in found


def test_nothing_matters_to_what_cannot_happen(ask, surefoot, file):
    impossible = ask("--set", "camera=false", "--set", "brake=0")
    assert (impossible["top"]["probability"], impossible["importance"]) == (0, None)
    assert "Events that matter most" not in surefoot("tree", file, "--set", "camera=0", "--set", "brake=0").stdout


def test_lists_may_be_left_out(surefoot, file):
    found = surefoot("tree", file, "--cut-sets", 0, "--importance", 0).stdout
    assert "minimal cut sets" not in found
    assert "camera, radar" not in found
    assert "Events that matter most" not in found


def test_what_does_not_matter_is_a_warning(surefoot, file):
    file.write_text(f"{TREE}  spare: 0.5\n")
    assert "[tree-unreachable]" in surefoot("tree", file).stdout


def test_events_may_be_certain_or_impossible(ask):
    assert ask("--set", "brake=true")["top"]["probability"] == 1
    assert ask("--set", "brake=false", "--set", "camera=0.5")["top"]["probability"] == pytest.approx(0.005)


@pytest.mark.parametrize(("target", "code", "word"), [("1e-3", 0, "met"), ("1e-4", 1, "violated")])
def test_a_target_decides_the_exit_code(surefoot, file, target, code, word):
    found = surefoot("tree", file, "--target", target)
    assert found.exit_code == code
    assert f"at most {float(target):g} at level 95%: {word}" in words(found)


def test_a_target_comes_back_as_what_an_event_must_be(ask):
    found = ask("--target", 2e-4, "--allocate", "camera")["allocation"]
    needed = found["requirements"]["camera"]["at_most"]
    assert 1 - (1 - needed * 0.01) * (1 - 0.0001) == pytest.approx(2e-4, rel=1e-9)
    assert found["feasible"] is True


def test_an_allocation_is_shown_as_a_table(surefoot, file):
    found = words(surefoot("tree", file, "--target", "2e-4", "--allocate", "camera", "--allocate", "radar"))
    assert "What the target asks of events (equal)" in found
    assert "none failed, show the target at 95%" in found
    assert "top event then 0.0002: the target is met" in found


def test_what_cannot_be_reached_is_said(surefoot, file):
    found = surefoot("tree", file, "--target", "5e-5", "--allocate", "camera")
    assert found.exit_code == 1
    assert "the best that can be reached, and the target is not met" in words(found)
    assert "brake stands in the way" in words(found)


@pytest.mark.parametrize("name", ["copy.yaml", "copy.json", "copy.xml"])
def test_the_tree_is_written_with_what_was_set(surefoot, file, name):
    found = surefoot("tree", file, "--set", "radar=0.5", "--write", name)
    assert found.exit_code == 0, found.output
    assert f"wrote {name}" in found.stderr
    assert FaultTree.read(file.parent / name).probability() == pytest.approx(1 - (1 - 0.01) * (1 - 0.0001), rel=1e-12)


def test_a_diagram_is_drawn(surefoot, file):
    assert surefoot("tree", file, "--diagram", "braking.svg").exit_code == 0
    light = (file.parent / "braking.svg").read_text()
    assert "no braking" in light
    assert surefoot("tree", file, "--diagram", "dark.svg", "--theme", "dark").exit_code == 0
    assert "no braking" in (file.parent / "dark.svg").read_text() != light


def test_another_gate_can_be_the_top(ask):
    assert ask("--top", "both miss")["top"]["probability"] == pytest.approx(0.0002)


def test_a_tree_without_probabilities_still_has_cut_sets(surefoot, file, ask):
    bare = TREE.replace("radar: 0.01", "radar:")
    found = ask(tree=bare)
    assert found["top"] is None
    assert found["tree"]["without_probability"] == ["radar"]
    assert [each["events"] for each in found["cut_sets"]["shown"]] == [["brake"], ["camera", "radar"]]
    assert "unknown: 1 event without one (radar)" in words(surefoot("tree", file))


def test_a_tree_beyond_the_budget_has_a_certain_interval(surefoot, file, ask):
    pairs = {f"pair {i}": {"at least": 2, "of": [f"e{(i * k) % 31}" for k in (1, 2, 3, 5)]} for i in range(30)}
    gates = {"top": {"or": list(pairs)}, **pairs}
    large = json.dumps({"surefoot-tree": 1, "top": "top", "gates": gates, "events": {f"e{i}": 0.01 for i in range(31)}})
    exact = ask(tree=large)["top"]
    found = ask("--node-budget", 40)["top"]
    assert (found["exact"], found["kind"], found["probability"]) == (False, "certain", None)
    assert found["low"] <= exact["probability"] <= found["high"]
    assert "certainly; an exact value is beyond the budget" in words(surefoot("tree", file, "--node-budget", 40))


def test_what_makes_no_sense_is_refused(surefoot, file):
    for options, word in (
        (["--allocate", "camera"], "--allocate needs --target"),
        (["--target", "5%"], "Give a share between 0 and 1"),
        (["--target", "1e-3", "--allocate", "camra"], "camra"),
        (["--target", "1e-3", "--allocate", "camera", "--method", "fair"], "fair"),
        (["--set", "camera"], "write EVENT=P"),
        (["--set", "camera=2"], "give a probability"),
        (["--set", "camera=7/5"], "7"),
        (["--set", "camra=0.1"], "camra"),
        (["--top", "roof"], "roof"),
        (["--cutoff", "0"], "--cutoff"),
        (["--order", "0"], "--order"),
        (["--diagram", "braking.gif"], ".gif"),
        (["--write", "no/where.yaml"], "there is no folder"),
        (["--write", "braking.dft"], ".dft"),
    ):
        found = surefoot("tree", file, *options)
        assert found.exit_code == 2, found.output
        assert found.stdout == "", options
        assert word in " ".join(found.stderr.split()), options


def test_all_problems_of_a_file_are_shown_with_their_lines(surefoot, file):
    file.write_text(TREE.replace("brake]", "brakes]").replace("radar: 0.01", "radar: 1.5"))
    found = surefoot("tree", file)
    assert found.exit_code == 2
    assert "braking.yaml:6: error [tree-undefined]" in found.stderr
    assert "braking.yaml:10: error [tree-probability]" in found.stderr
    assert "2 problems" in found.stderr


def test_a_file_that_is_not_there_is_said(surefoot, tmp_path):
    found = surefoot("tree", tmp_path / "nothing.xml")
    assert found.exit_code == 2
    assert "nothing.xml" in found.stderr


def test_a_target_needs_probabilities(surefoot, file):
    file.write_text(TREE.replace("radar: 0.01", "radar:"))
    found = surefoot("tree", file, "--target", "1e-3")
    assert found.exit_code == 2
    assert "none for radar" in found.stderr


def test_an_event_without_a_probability_may_be_asked_for(ask):
    found = ask("--target", 2e-4, "--allocate", "radar", tree=TREE.replace("radar: 0.01", "radar:"))
    needed = found["allocation"]["requirements"]["radar"]
    assert needed["today"] is None
    assert 1 - (1 - 0.02 * needed["at_most"]) * (1 - 0.0001) == pytest.approx(2e-4, rel=1e-9)
    assert found["target"] is None


def test_it_reads_what_the_example_of_the_help_has():
    example = Path(__file__).parents[2] / "examples" / "safe_distance" / "tree.yaml"
    assert "classifier misses the asset" in FaultTree.read(example).events


def test_orders_that_are_not_named_are_counted_together(surefoot, file):
    chain = ", ".join(f"{{and: [{', '.join(f'e{n}_{k}' for k in range(n))}]}}" for n in range(1, 10))
    events = "\n".join(f"  e{n}_{k}: 0.1" for n in range(1, 10) for k in range(n))
    file.write_text(f"surefoot-tree: 1\ngates:\n  top: {{or: [{chain}]}}\nevents:\n{events}\n")
    assert "1 of order 6, 3 of order 7 to 9" in words(surefoot("tree", file))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_numbers_are_never_broken_and_lines_fit(file, width):
    name = "the camera at the front of the vehicle misses it"
    file.write_text(TREE.replace("camera", name))
    runner = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1", "TERM": "dumb"})
    found = runner.invoke(app, ["tree", str(file), "--set", f"{name}=2/5000"])
    table = found.stdout.partition("Events that matter most\n")[2].splitlines()
    assert [line for line in found.stdout.splitlines() if len(line.rstrip()) > width] == []
    assert table[2].split()[-1].replace(".", "").replace("e+", "").isdigit()
    assert ("too wide for here: RRW" in found.stdout) == (width < 120)


def test_members_of_groups_are_basic_events(surefoot, file, ask):
    group = "groups:\n  pair: {type: beta-factor, members: [camera, radar], distribution: 0.01, beta: 0.1}\n"
    found = ask(tree=TREE.partition("  camera: {p")[0] + "  brake: 0.0001\n" + group)
    assert found["tree"]["events"] == 3
    assert "3 basic events (2 in 1 common-cause group)" in words(surefoot("tree", file))
    assert "from the common-cause group 'pair'" in surefoot("tree", file, "--set", "camera=0.5").stderr
    assert ask("--set", "camera=true")["top"]["probability"] > found["top"]["probability"]


def test_cut_sets_of_a_tree_that_is_not_coherent_have_no_share_of_the_top_event(surefoot, file):
    file.write_text(TREE.replace("{and: [camera, radar]}", "{and: [camera, {not: radar}]}"))
    found = surefoot("tree", file).stdout
    assert "not coherent: cut sets do not say which events must be absent" in " ".join(found.split())
    assert "%" not in found.partition("cut set ")[2].partition("The tree is not coherent")[0]


def test_all_that_is_wrong_with_settings_is_said(surefoot, file):
    found = surefoot("tree", file, "--set", "camera=2", "--set", "radar", "--set", "brake=0", "--set", "brake=1")
    assert found.exit_code == 2
    assert all(word in found.stderr for word in ("camera=2: give", "radar: write EVENT=P", "brake is set twice"))


def test_a_model_in_several_files_is_one_tree(surefoot, tmp_path):
    gates, events = tmp_path / "gates.xml", tmp_path / "events.xml"
    formula = '<or><basic-event name="a"/><basic-event name="b"/></or>'
    gate = f'<define-gate name="g">{formula}</define-gate>'
    gates.write_text(f'<opsa-mef><define-fault-tree name="t">{gate}</define-fault-tree></opsa-mef>')
    define = '<define-basic-event name="{}"><float value="0.5"/></define-basic-event>'
    events.write_text(f"<opsa-mef><model-data>{define.format('a')}{define.format('b')}</model-data></opsa-mef>")
    found = surefoot("tree", gates, events, "--json")
    assert json.loads(found.stdout)["top"]["probability"] == 0.75
    alone = surefoot("tree", events)
    assert alone.exit_code == 2
    assert "events.xml: error [tree-undefined] the file has no gates" in alone.stderr


def test_only_open_psa_models_stand_in_several_files(surefoot, file):
    found = surefoot("tree", file, file)
    assert found.exit_code == 2
    assert "[tree-unsupported]" in found.stderr


def test_the_mission_time_is_given_where_the_file_has_none(surefoot, tmp_path):
    path = tmp_path / "pumps.dft"
    path.write_text('toplevel "S";\n"S" and "A" "B";\n"A" lambda=1e-3; "B" prob=0.5;\n')
    assert "--mission-time" in surefoot("tree", path).stderr
    found = surefoot("tree", path, "--mission-time", 100, "--json")
    assert json.loads(found.stdout)["top"]["probability"] == pytest.approx(0.5 * stats.expon.cdf(0.1), rel=1e-12)


def test_a_mission_time_that_changes_nothing_is_refused(surefoot, file):
    found = surefoot("tree", file, "--mission-time", 100)
    assert found.exit_code == 2
    assert "nothing in the tree depends on one" in found.stderr


def test_a_mission_time_is_a_positive_number(surefoot, file):
    for time in ("0", "-3", "nan", "inf"):
        assert surefoot("tree", file, f"--mission-time={time}").exit_code == 2, time


@pytest.mark.parametrize(("option", "name"), [("--diagram", "folder.svg"), ("--write", "folder.yaml")])
def test_a_folder_is_refused_before_any_work(surefoot, file, option, name):
    (file.parent / name).mkdir()
    found = surefoot("tree", file, option, name)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "it is a folder" in found.stderr


def test_the_answer_is_shown_even_where_a_file_cannot_be_written(surefoot, file, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    (file.parent / "copy.svg").write_text("older")
    monkeypatch.setattr("os.replace", full)
    found = surefoot("tree", file, "--diagram", "copy.svg")
    assert found.exit_code == 2
    assert f"{EXACT:.6g}, exact" in found.stdout
    assert "[store-unwritable]" in found.stderr
    assert [path.name for path in sorted(file.parent.iterdir())] == ["braking.yaml", "copy.svg"]
    assert (file.parent / "copy.svg").read_text() == "older"


def test_a_diagram_tells_the_probabilities(surefoot, file):
    surefoot("tree", file, "--diagram", "braking.svg")
    assert "0.02" in (file.parent / "braking.svg").read_text()


def test_names_and_labels_do_not_steer_the_terminal(surefoot, file):
    file.write_text(TREE.replace("name: Braking", 'name: "[bold]Braking[/bold]"'))
    assert "[bold]Braking[/bold]" in surefoot("tree", file).stdout
    file.write_text(TREE.replace("name: Braking", 'name: "\\e[31mBraking\\a"'))
    refused = surefoot("tree", file)
    assert refused.exit_code == 2
    assert not {"\x1b", "\a"} & set(refused.output)


def test_what_the_budget_does_not_allow_is_said(surefoot, file):
    pairs = {f"pair {i}": {"at least": 2, "of": [f"e{(i * k) % 31}" for k in (1, 2, 3, 5)]} for i in range(30)}
    gates = {"top": {"or": list(pairs)}, **pairs}
    tree = {"surefoot-tree": 1, "top": "top", "gates": gates, "events": {f"e{i}": 0.01 for i in range(31)}}
    file.write_text(json.dumps(tree))
    found = words(surefoot("tree", file, "--node-budget", 40, "--target", "0.5", "--allocate", "e1"))
    assert "not computed cut sets, importance, allocation; raise --time-limit or --node-budget" in found


def test_a_tree_beyond_the_budget_without_probabilities_is_refused_in_time(surefoot, file):
    pairs = {f"pair {i}": {"at least": 2, "of": [f"e{(i * k) % 31}" for k in (1, 2, 3, 5)]} for i in range(30)}
    gates = {"top": {"or": list(pairs)}, **pairs}
    events = {f"e{i}": None for i in range(31)}
    file.write_text(json.dumps({"surefoot-tree": 1, "top": "top", "gates": gates, "events": events}))
    found = surefoot("tree", file, "--node-budget", 40)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "[tree-beyond-budget]" in found.stderr


def test_all_unknown_names_are_said(surefoot, file):
    options = ["--set", "camra=0.1", "--set", "zz=0.1", "--target", "1e-3", "--allocate", "raddar"]
    found = surefoot("tree", file, *options)
    assert found.exit_code == 2
    assert "--set: error [tree-undefined] 'camra' is no event, gate or parameter" in found.stderr
    assert "Did you mean 'radar'?" in found.stderr
    assert "3 problems" in found.stderr
