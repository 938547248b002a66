"""``surefoot case``: shown, checked, drawn, converted, begun."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pytest
from tests.case.change.assessed import case, node, snapshot, step

from surefoot import report
from surefoot.case import PATTERNS, Case, Node, Number, formats
from surefoot.core import InvalidInput, Target
from surefoot.project import Result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A case in a file, and a report of the same that was assessed."""
    monkeypatch.chdir(tmp_path)
    found = snapshot(case(), step("misses", 60), step("alarms", 1))
    parts = {part: getattr(found, part) for part in ("case", "evaluation", "evidence", "digests", "versions")}
    targets = {"misses": {"at_most": 0.01, "estimate": "misses.failure probability"}}
    definition = {"system": {"name": "Door guard"}, "targets": targets}
    now = replace(found, targets=targets, system="Door guard")
    result = SimpleNamespace(**parts, feedback=(), unattached=(), definition=definition, snapshot=now)
    read = report.read
    monkeypatch.setattr(report, "read", lambda path: {} if path.name == "report.html" else read(path))
    monkeypatch.setattr(Result, "from_dict", lambda data: result)
    case().write("guard.case.yaml")
    return tmp_path


def lines(found):
    return [line.strip() for line in found.stdout.splitlines()]


def test_show_outlines_what_was_assessed(surefoot, folder):
    found = surefoot("case", "show", "report.html")
    assert found.exit_code == 0, found.output
    assert lines(found)[:2] == [
        "✗ top (claim) claim top  [contradicted]",
        "✗ over (argument) argument over",
    ]
    assert "[contradicted; failure probability at most 0.01 per demand at level 0.95]" in found.stdout
    assert "misses.failure probability measured: 0.06" in found.stdout


def test_all_doubts_are_listed_when_asked(surefoot, folder):
    nodes = [Node("C", "claim", "It holds", ("A",)), Node("E", "evidence", "Log", url="log.pdf")]
    nodes += [Node("A", "argument", "By looking", ("E",), tuple(f"S{n}" for n in range(12)))]
    Case.of([*nodes, *(Node(f"S{n}", "side-claim", f"assume {n}") for n in range(12))]).write("many.yaml")
    short, whole = (surefoot("case", "show", "many.yaml", *more).stdout for more in ((), ("--doubts",)))
    assert "and 5 more; --doubts lists all" in short
    assert [f"S{n} " in whole.partition("13 doubts")[2] for n in range(12)] == [True] * 12


def test_what_is_stated_or_counted_in_documents_was_not_measured(surefoot, folder):
    """Nor is it certain, whoever answers for it."""
    Path("gate.yaml").write_text(
        "version: 1\nsystem: {name: Gate}\nevidence:\n"
        "  rate: {step: stated, quantity: demand rate, value: 0.05, source: a register,\n"
        "    answered_by: {name: A. Berg, date: 2026-05-01, reason: The upper end of three registers.}}\n"
        "  drives: {step: counted, failures: 2, trials: 1000, document: {url: 'https://example.org/drives.pdf'}}\n"
        "targets:\n"
        "  rare: {estimate: rate.demand rate, at_most: 0.07}\n"
        "  right: {estimate: drives.failure probability, at_most: 0.07}\n"
    )
    assert surefoot("assess", "gate.yaml").exit_code == 0
    said = surefoot("case", "show", "gate.yaml").stdout
    assert "measured" not in said.replace("not measured", "")
    assert "rate.demand rate stated: 0.05" in said
    assert "drives.failure probability counted in a document: 0.002" in said
    assert "[supported, as sure as what is given; demand rate at most 0.07" in said
    assert "on what is stated; A. Berg answers for it]" in said
    assert "100%" not in said


def test_show_in_gsn_to_a_depth(surefoot, folder):
    found = surefoot("case", "show", "report.html", "--notation", "gsn", "--depth", "2")
    assert [line.partition("  [")[0] for line in lines(found)[:2]] == [
        "✗ top (goal) claim top",
        "✗ over (strategy) argument over",
    ]


def test_show_by_what_another_report_measured(surefoot, folder):
    alone = surefoot("case", "show", "guard.case.yaml")
    assert "measured" not in alone.stdout
    judged = surefoot("case", "show", "guard.case.yaml", "--evidence", "report.html")
    assert judged.exit_code == 0, judged.output
    assert "✗ misses (claim) It misses little" in judged.stdout
    assert "✓ alarms (claim)" in judged.stdout
    assert "No number: " in judged.stdout
    assert "doubts: " in judged.stdout


def test_show_one_tag(surefoot, folder):
    case().with_nodes([replace(case()["alarms"], tags=("AMLAS: stage 5",))]).write("tagged.yaml")
    found = surefoot("case", "show", "tagged.yaml", "--tag", "AMLAS")
    assert found.exit_code == 0, found.output
    assert "alarms" in found.stdout
    assert "misses (" not in found.stdout


def outline(surefoot, case, *options):
    """Depth and id of each line, and whether it only names the node."""
    case.write("outlined.yaml")
    text = surefoot("case", "show", "outlined.yaml", *options).stdout
    shown = [re.match(r"( *)(?:[✓○✗] )?(?:beside it: |see )?(\w+) \((\w+)\)(.*)", line) for line in text.splitlines()]
    return [(len(each[1]) // 2, each[2], "above" in each[4]) for each in shown if each]


def test_a_node_that_is_met_again_is_only_named(surefoot, folder):
    shared = Case.of(
        [node("a", "claim", "b", "c"), node("b", "claim", "c"), node("c", "claim", "d"), node("d", "evidence")]
    )
    assert outline(surefoot, shared) == [
        (0, "a", False),
        (1, "b", False),
        (2, "c", False),
        (3, "d", False),
        (1, "c", True),
    ]


def test_circles_and_unreachable_nodes_are_shown_once(surefoot, folder):
    loop = Case.of([node("top", "claim"), node("a", "claim", "b"), node("b", "claim", "a"), node("x", "context")])
    assert [name for _, name, again in outline(surefoot, loop) if not again] == ["top", "x", "a", "b"]


def test_a_limited_depth_hides_what_is_below_and_nothing_else(surefoot, folder):
    chain = Case.of([node("a", "claim", "b"), node("b", "claim", "c"), node("c", "claim"), node("x", "claim", "c")])
    assert [each[:2] for each in outline(surefoot, chain, "--depth", 2)] == [(0, "a"), (1, "b"), (0, "x"), (1, "c")]


def test_deep_chains_do_not_recurse(surefoot, folder):
    size = 3_000
    nodes = [node(f"n{i}", "claim", f"n{i + 1}") for i in range(size)] + [node(f"n{size}", "evidence")]
    assert len(outline(surefoot, Case.of(nodes))) == size + 1


def test_check_by_exit_codes(surefoot, folder):
    wrong = Case.of([node("top", "claim", "nowhere")], name="wrong")
    wrong.write("wrong.yaml")
    found = surefoot("case", "check", "wrong.yaml")
    assert found.exit_code == 2
    assert "nowhere" in found.stdout
    data = json.loads(surefoot("case", "check", "wrong.yaml", "--json").stdout)
    assert (data["name"], data["nodes"], data["done"]) == ("wrong", 1, False)
    assert any(each["severity"] == "error" for each in data["findings"])


def test_check_with_evidence_finds_what_was_not_shown(surefoot, folder):
    alone = json.loads(surefoot("case", "check", "guard.case.yaml", "--json").stdout)
    found = surefoot("case", "check", "guard.case.yaml", "--evidence", "report.html", "--json")
    codes = {each["code"] for each in json.loads(found.stdout)["findings"]}
    assert "case-claim-contradicted" in codes
    assert "case-claim-contradicted" not in {each["code"] for each in alone["findings"]}
    assert found.exit_code == 2


@pytest.mark.parametrize("ending", ["svg", "md", "mmd", "html"])
def test_draw(ending, surefoot, folder):
    found = surefoot("case", "draw", "report.html", f"case.{ending}", "--notation", "gsn")
    assert found.exit_code == 0, found.output
    assert Path(f"case.{ending}").stat().st_size > 100
    assert "door guard: 8 nodes." in found.stdout


def test_draw_takes_a_theme(surefoot, folder):
    for theme in ("light", "dark"):
        assert surefoot("case", "draw", "guard.case.yaml", f"{theme}.svg", "--theme", theme).exit_code == 0, theme
    assert Path("light.svg").read_text() != Path("dark.svg").read_text()
    assert surefoot("case", "draw", "guard.case.yaml", "x.svg", "--theme", "drak").exit_code == 2
    assert not Path("x.svg").exists()


@pytest.mark.parametrize("ending", ["yaml", "json", "xmi", "gsn.yaml"])
def test_convert_there_and_back(ending, surefoot, folder):
    assert surefoot("case", "convert", "guard.case.yaml", f"other.{ending}").exit_code == 0
    found = surefoot("case", "convert", f"other.{ending}", "back.json")
    assert found.exit_code == 0, found.output
    assert Case.read("back.json").nodes == case().nodes


def test_new_writes_a_pattern_and_overwrites_nothing(surefoot, folder):
    for name in PATTERNS:
        file = f"{name}.case.yaml"
        found = surefoot("case", "new", file, "--template", name)
        assert found.exit_code == 0, found.output
        assert len(Case.read(file)) > 3, name
        assert surefoot("case", "new", file, "--template", name).exit_code == 2, name


def test_what_a_place_holds(surefoot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = []

    def asked_for(kind):
        def read(*_, **__):
            asked.append(kind)
            raise InvalidInput("enough")

        return read

    monkeypatch.setattr("surefoot.project.load", asked_for("project"))
    monkeypatch.setattr("surefoot.report.read", asked_for("report"))
    monkeypatch.setattr(formats, "read_noted", asked_for("case"))
    Path("gsn").mkdir()
    Path("gsn", "x.gsn.yaml").write_text("")
    Path("empty").mkdir()
    for name, text, kind in (
        ("a.yaml", "surefoot-case: 1\nversion: 1\nsystem: x\n", "case"),
        ("b.yaml", "# project\nversion: 1\nsystem:\n  name: x\n", "project"),
        ("c.yaml", "G1:\n  text: x\n", "case"),
        ("d.json", '{"surefoot-case": 1}', "case"),
        ("e.json", '{"version": 1}', "report"),
        ("f.html", "", "report"),
        ("g.xmi", "<x/>", "case"),
        (".", None, "case"),
        ("gsn", None, "case"),
        ("empty", None, "project"),
        ("h.json", json.dumps({"description": "x" * 2000, "surefoot-case": 1, "nodes": {}}), "case"),
    ):
        if text is not None:
            Path(name).write_text(text)
        assert surefoot("case", "show", name).exit_code == 2, name
        assert asked.pop() == kind, name


def test_trouble_exits_with_two_and_says_why(surefoot, folder):
    for words in (
        ("show", "none.yaml"),
        ("show", "guard.case.yaml", "--notation", "uml"),
        ("show", "guard.case.yaml", "--tag", "none"),
        ("show", "guard.case.yaml", "--evidence", "guard.case.yaml"),
        ("check", "none.yaml"),
        ("draw", "guard.case.yaml", "case.bmp"),
        ("draw", "guard.case.yaml", "none/case.svg"),
        ("convert", "guard.case.yaml", "guard.case.yaml"),
        ("convert", "guard.case.yaml", "guard.doc"),
        ("new", "x.yaml", "--template", "castle"),
    ):
        found = surefoot("case", *words)
        assert found.exit_code == 2, words
        assert found.stderr, words
        assert "bug of Surefoot" not in found.stderr, words


def test_check_compares_with_what_the_project_asks_for(surefoot, folder):
    number = Number("failures", Target(at_most=0.5))
    claim = Node("misses", "claim", "It misses little", ("E1",), number=number)
    Case.of([claim, Node("E1", "evidence", "Tests", url="tests.pdf")]).write("weak.yaml")
    Case.of([replace(claim, id="other", number=None), Node("E1", "evidence", "Tests", url="a.pdf")]).write("none.yaml")
    for file, code in (("weak.yaml", "case-target-weaker"), ("none.yaml", "case-target-unclaimed")):
        found = surefoot("case", "check", file, "--evidence", "report.html", "--json")
        assert code in {each["code"] for each in json.loads(found.stdout)["findings"]}
        assert found.exit_code == 2
        assert code not in surefoot("case", "check", file, "--json").stdout


def test_a_pattern_is_said_to_be_one(surefoot, folder):
    assert "remove the lines uninstantiated: true" in surefoot("case", "new", "own.yaml").stdout
    found = surefoot("case", "check", "own.yaml")
    assert found.exit_code == 0
    assert "It is a pattern: " in found.stdout
    assert "Nothing is left to do" not in found.stdout


def test_new_tells_what_there_is_and_what_is_to_be_filled_in(surefoot, folder):
    listed = surefoot("case", "new", "--list")
    assert listed.exit_code == 0
    assert all(name in listed.stdout for name in PATTERNS)
    assert surefoot("case", "new").exit_code == 2
    found = surefoot("case", "new", "signs.yaml", "--template", "amlas", "--notation", "gsn")
    assert found.exit_code == 0, found.output
    assert "77 nodes, of which 63 are to be filled in" in found.stdout
    assert Case.read("signs.yaml").notation == "gsn"
    text = Path("signs.yaml").read_text()
    assert text.startswith("# A learned component by the six stages of AMLAS")
    assert "  # Stage 5: the model, verified by others" in text


@pytest.mark.parametrize("template", ["amlas", "system", "monitor"])
def test_new_makes_a_folder_with_a_file_for_each_module(template, surefoot, folder):
    assert surefoot("case", "new", "own", "--template", template).exit_code == 0
    assert surefoot("case", "new", "own.yaml", "--template", template).exit_code == 0
    modules = Case.read("own.yaml").modules
    assert len(list(Path("own").iterdir())) == 1 + len(modules)
    parts, whole = Case.read("own/case.yaml"), Case.read("own.yaml")
    assert (dict(parts.nodes), parts.modules) == (dict(whole.nodes), whole.modules)
    assert surefoot("case", "check", "own/case.yaml").exit_code == 0
    Path("own/case.yaml").write_text("worked on")
    assert surefoot("case", "new", "own", "--template", template).exit_code == 2
    assert Path("own/case.yaml").read_text() == "worked on"


def test_matrix_shows_gaps_first_and_writes_tables(surefoot, folder):
    tags = {"misses": ("AMLAS: artefact Z",), "alarms": ("AMLAS: artefact FF",)}
    case().with_nodes([replace(case()[name], tags=each) for name, each in tags.items()]).write("tagged.yaml")
    found = surefoot("case", "matrix", "tagged.yaml", "--evidence", "report.html")
    assert found.exit_code == 0, found.output
    assert "AMLAS: 36 of 40 are gaps, 2 open, 2 shown." in found.stdout
    states = [line.split()[0] for line in found.stdout.splitlines() if line.split()[:1] and line[0] in "gos"]
    assert states[1:] == ["gap"] * 36 + ["open"] * 2 + ["shown"] * 2
    assert surefoot("case", "matrix", "tagged.yaml", "matrix.csv", "--standard", "UL 4600").exit_code == 0
    assert "Risk assessment (unconfirmed)" in Path("matrix.csv").read_text()
    assert surefoot("case", "matrix", "tagged.yaml", "matrix.md").exit_code == 0
    assert Path("matrix.md").read_text().startswith("| state | standard | reference | title | claims | evidence |")
    for words in (("matrix.pdf",), ("--standard", "ALMAS")):
        assert surefoot("case", "matrix", "tagged.yaml", *words).exit_code == 2, words
    assert "No node is tagged" in surefoot("case", "matrix", "guard.case.yaml").stdout


def test_new_does_not_write_into_a_folder_of_gsn2x_that_is_there(surefoot, folder):
    assert surefoot("case", "new", "own.gsn.yaml", "--template", "system").exit_code == 0
    index = Path("own.gsn/index.gsn.yaml")
    index.write_text("worked on")
    assert surefoot("case", "new", "own.gsn.yaml", "--template", "system").exit_code == 2
    assert index.read_text() == "worked on"


def test_projects_and_reports_are_not_overwritten(surefoot, folder, monkeypatch):
    for words in (
        ("draw", "guard.case.yaml", "other.yaml"),
        ("draw", "guard.case.yaml", "real.html"),
        ("convert", "guard.case.yaml", "project.yaml"),
        ("convert", "guard.case.yaml", "real.json"),
    ):
        monkeypatch.setattr("surefoot.report.read", lambda path: {})
        kept = {
            "other.yaml": "worked on",
            "real.html": "<p>",
            "project.yaml": "version: 1\nsystem:\n",
            "real.json": "{}",
        }
        for name, text in kept.items():
            Path(name).write_text(text)
        found = surefoot("case", *words)
        assert found.exit_code == 2, words
        assert found.stderr, words
        assert {name: Path(name).read_text() for name in kept} == kept, words


def test_a_drawing_can_be_drawn_again(surefoot, folder):
    for _ in range(2):
        assert surefoot("case", "draw", "guard.case.yaml", "own.html").exit_code == 0
        assert surefoot("case", "convert", "guard.case.yaml", "own.json").exit_code == 0


def test_places_are_named_as_from_here(surefoot, folder):
    Path("sub").mkdir()
    Path("sub/a.yaml").write_text("surefoot-case: 1\nmodules: {b: {file: b.yaml}}\nnodes: {C1: {claim: x}}\n")
    Path("sub/b.yaml").write_text("surefoot-case: 1\nnodes: {C1: {calim: x}}\n")
    found = surefoot("case", "check", "sub/a.yaml").stderr
    assert f"{Path('sub/b.yaml')}:2: error" in found
    Path("sub/g.gsn.yaml").write_text("G1: {text: x, undeveloped: true, supportedby: y}\n")
    assert f"{Path('sub/g.gsn.yaml')}:1: note" in surefoot("case", "check", "sub/g.gsn.yaml").stderr


def test_json_that_is_broken_is_read_as_a_case(surefoot, folder):
    Path("a.json").write_text('{"name": "x",\n "surefoot-case": 1,,}')
    assert "a.json:2: error [case-syntax]" in surefoot("case", "check", "a.json").stderr


def test_the_outline_says_what_speaks_against_and_keeps_its_lines(surefoot, folder):
    doubt = Node("E2", "evidence", "Counter", challenges=("a\nb",), url="x.pdf")
    Case.of([Node("a\nb", "claim", "It holds", undeveloped=True), doubt]).write("doubt.json")
    found = surefoot("case", "show", "doubt.json")
    assert "○ a b (claim) It holds" in found.stdout
    assert "challenged by E2 (evidence) Counter" in found.stdout
    Case.of([]).write("empty.yaml")
    assert surefoot("case", "show", "empty.yaml").stdout == "The case has no nodes.\n"


def test_what_a_picture_cannot_show_is_said(surefoot, folder):
    Case.of([Node("C1", "claim", "It holds \u8eca", undeveloped=True)]).write("cjk.yaml")
    assert "no letters for \u8eca" in surefoot("case", "draw", "cjk.yaml", "cjk.png").stderr
    assert "no letters" not in surefoot("case", "draw", "cjk.yaml", "cjk.svg").stderr
    parts = tuple(f"C{number}" for number in range(501))
    wide = Case.of([Node("T", "claim", "Top", parts), *(Node(each, "claim", "p", undeveloped=True) for each in parts)])
    wide.write("wide.yaml")
    assert "Mermaid draws up to 500 edges" in surefoot("case", "draw", "wide.yaml", "wide.mmd").stderr
    assert "Mermaid" not in surefoot("case", "draw", "guard.case.yaml", "small.mmd").stderr


def test_a_picture_that_had_to_be_made_coarser_is_said(surefoot, folder, monkeypatch):
    assert "dots" not in surefoot("case", "draw", "guard.case.yaml", "own.png").stderr
    for place in ("surefoot.drawing.MOST_DOTS", "surefoot.drawing.files.MOST_DOTS"):
        monkeypatch.setattr(place, 300)
    assert "300 dots" in surefoot("case", "draw", "guard.case.yaml", "own.png").stderr


def test_the_group_teaches_by_a_case_that_can_be_checked(surefoot, folder):
    told = surefoot("case", "--help").output
    text = told.partition("The smallest file that says something:\n")[2]
    Path("small.yaml").write_text(dedent(text))
    assert surefoot("case", "check", "small.yaml").exit_code == 0


FILES = {
    "brakes.gsn.yaml": "module: {name: brakes}\nG2: {text: They hold, supportedBy: Sn1}\nSn1: {text: Tests, url: a}\n",
    "vehicle.gsn.yaml": "G1: {text: It stops, supportedBy: G2}\n",
}
OWN = {
    "parts.yaml": "surefoot-case: 1\nnodes:\n  C2: {claim: They hold, undeveloped: true}\n",
    "whole.yaml": "surefoot-case: 1\nname: Vehicle\nnodes:\n  C1: {claim: It stops, supported by: [C2]}\n",
}


@pytest.mark.parametrize("files", [FILES, OWN])
def test_files_of_a_case_in_any_order_or_their_folder(files, surefoot, folder):
    place = Path("case")
    place.mkdir()
    for name, text in files.items():
        (place / name).write_text(text)
    names = [str(place / name) for name in files]
    for sources in (names, names[::-1], ["case"]):
        shown = surefoot("case", "show", *sources)
        assert shown.exit_code == 0, shown.output
        assert "It stops" in lines(shown)[0], sources
        assert "They hold" in shown.stdout
        assert surefoot("case", "check", *sources).exit_code in (0, 1)
        assert surefoot("case", "draw", *sources, "all.svg").exit_code == 0
        assert "They hold" in Path("all.svg").read_text()
        assert surefoot("case", "convert", *sources, "all.json").exit_code == 0


def test_what_is_no_file_of_one_case_is_refused(surefoot, folder):
    for name, text in (FILES | OWN).items():
        Path(name).write_text(text)
    for sources in (
        ("whole.yaml", "vehicle.gsn.yaml"),
        ("whole.yaml", "gone.yaml"),
        ("whole.yaml", "report.html"),
        ("whole.yaml", "."),
    ):
        found = surefoot("case", "check", *sources)
        assert (found.exit_code, bool(found.stderr)) == (2, True), sources
        assert "bug of Surefoot" not in found.stderr, sources
    assert surefoot("case", "draw").exit_code == 2


def tree(size):
    """Five below each."""
    below = [tuple(f"N{5 * n + k}" for k in range(1, 6) if 5 * n + k < size) for n in range(size)]
    return Case.of(Node(f"N{n}", "claim", f"Part {n} holds", ids, undeveloped=not ids) for n, ids in enumerate(below))


def test_a_part_is_drawn_with_what_was_cut(surefoot, folder):
    tree(31).write("tree.yaml")
    for options, count, said in (
        (("--depth", "2"), 6, "… 5 more below"),
        (("--node", "N1"), 6, "N1"),
        (("--node", "N0", "--depth", "1"), 1, "… 30 more below"),
    ):
        for ending in ("svg", "md", "mmd", "html"):
            found = surefoot("case", "draw", "tree.yaml", f"part.{ending}", *options)
            assert f"{count} node{'s' if count > 1 else ''} of 31." in found.stdout, found.output
            assert said in Path(f"part.{ending}").read_text(), ending
    assert "no such node" in surefoot("case", "draw", "tree.yaml", "x.svg", "--node", "N99").stderr
    assert "only one module" in surefoot("case", "draw", "tree.yaml", "x.svg", "--module", "m").stderr
    shown = surefoot("case", "show", "tree.yaml", "--node", "N2")
    assert lines(shown)[0].startswith("○ N2")


def test_one_module_is_drawn_without_the_others(surefoot, folder):
    Path("case").mkdir()
    for name, text in FILES.items():
        Path("case", name).write_text(text)
    assert surefoot("case", "draw", "case", "brakes.svg", "--module", "brakes").exit_code == 0
    drawn = Path("brakes.svg").read_text()
    assert ("They hold" in drawn, "It stops" in drawn) == (True, False)
    assert surefoot("case", "draw", "case", "main.svg", "--module", "main").exit_code == 0
    drawn = Path("main.svg").read_text()
    assert ("They hold" in drawn, "It stops" in drawn) == (True, True), "what it refers to stays, as away goal"


def test_what_nobody_can_look_at_is_refused_with_a_way_out(surefoot, folder, monkeypatch):
    tree(31).write("tree.json")
    monkeypatch.setattr(sys.modules[formats.read.__module__], "MOST_DRAWN", 20)
    for ending in ("svg", "pdf", "png", "html"):
        found = surefoot("case", "draw", "tree.json", f"large.{ending}")
        assert found.exit_code == 2
        assert "--depth 2 (6 nodes)" in found.stderr
        assert not Path(f"large.{ending}").exists()
    assert surefoot("case", "draw", "tree.json", "large.svg", "--depth", "2").exit_code == 0
    assert surefoot("case", "draw", "tree.json", "large.md").exit_code == 0
