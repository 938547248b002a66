"""Files of gsn2x: what its documentation describes is understood, and what it has no word for survives."""

from dataclasses import replace
from itertools import permutations

import pytest
import yaml
from tests.case.formats.cases import small
from tests.case.formats.problems import problems

from surefoot.case import Case, ClaimPoint, Module, Node, Stated, formats
from surefoot.core import DiagnosticsError
from surefoot.opinions import Opinion

ONE = """
module:
  name: brakes
  brief: The brakes are safe enough
  stylesheets: [a.css]
G1:
  text: The vehicle stops in time
  supportedBy: [S1]
  inContextOf: C1
S1:
  text: |
    Over both circuits
    and their controller
  supportedBy: [G2, G3]
  inContextOf: [A1, J1]
  rankIncrement: 1
  horizontalIndex: {absolute: last}
G2:
  undeveloped: true
G3:
  supportedBy: [Sn1]
  defeated: true
  acp: {ACP1: Sn1}
Sn1:
  text: Test report
  url: https://example.org/report
  classes: [green]
  reviewer: somebody
C1: {}
A1:
J1: {text: Two circuits suffice}
CG1: {text: The fluid boils, challenges: G3, supportedBy: CSn1}
CSn1: {text: Measured at 300 degrees}
CSn2: {text: Of another batch, challenges: CG1}
hazards: {nodeType: Context, text: List of hazards}
doubt: {nodeType: CounterGoal, text: Does it follow, challenges: G1 -> S1}
"""


def written(tmp_path, **texts):
    for name, text in texts.items():
        (tmp_path / f"{name}.gsn.yaml").write_text(text)
    return [tmp_path / f"{name}.gsn.yaml" for name in texts]


def test_elements_become_nodes(tmp_path):
    case = Case.read(written(tmp_path, one=ONE)[0])
    assert (case.name, case.description, case.notation) == ("brakes", "The brakes are safe enough", "gsn")
    assert {node.id: node.kind for node in case} == {
        "G1": "claim",
        "S1": "argument",
        "G2": "claim",
        "G3": "claim",
        "Sn1": "evidence",
        "C1": "context",
        "A1": "side-claim",
        "J1": "justification",
        "CG1": "defeater",
        "CSn1": "evidence",
        "CSn2": "evidence",
        "hazards": "context",
        "doubt": "defeater",
    }
    assert (case["G1"].supported_by, case["G1"].in_context_of) == (("S1",), ("C1",))
    assert case["S1"].text == "Over both circuits\nand their controller\n"
    assert (case["G2"].undeveloped, case["G3"].defeated) == (True, True)
    assert (case["CG1"].challenges, case["CG1"].supported_by) == (("G3",), ("CSn1",))
    assert case["Sn1"].url == "https://example.org/report"


def test_what_a_case_has_no_word_for_is_kept_as_attributes(tmp_path):
    reading = formats.read_noted(written(tmp_path, one=ONE)[0])
    case = reading.case
    assert dict(case["Sn1"].attributes) == {"classes": ("green",), "reviewer": "somebody"}
    assert dict(case["S1"].attributes) == {"rankIncrement": 1, "horizontalIndex": {"absolute": "last"}}
    assert dict(case.modules[""].attributes) == {"stylesheets": ("a.css",)}
    assert dict(case["G3"].claim_points) == {"ACP1": ClaimPoint(("Sn1",))}
    assert case["doubt"].challenges == ("G1 -> S1",)
    assert reading.notes == ()


def test_a_file_comes_back_as_gsn2x_wrote_it(tmp_path):
    """Element by element, whatever the order of attributes; a list of one may be a text."""
    case = Case.read(written(tmp_path, one=ONE)[0])
    (back,) = formats.gsn2x_texts(case).values()
    assert elements(back) == elements(ONE)


def elements(text):
    """What a file says, where nothing, an empty text and false say the same."""

    def one(value):
        return [value] if isinstance(value, str) else value

    found = {key: value or {} for key, value in yaml.safe_load(text).items()}
    lists = ("supportedBy", "inContextOf")
    return {
        identity: {key: one(value) if key in lists else value for key, value in said.items() if value}
        for identity, said in found.items()
    }


def test_a_word_that_was_perhaps_meant_as_another_is_noted(tmp_path):
    reading = formats.read_noted(written(tmp_path, a="G1: {text: x, supportedby: [G2]}\n")[0])
    assert (reading.notes[0].where, reading.notes[0].hint) == ("a.gsn.yaml:1", "Did you mean 'supportedBy'?")


MAIN = """
G1: {text: main, supportedBy: [S1]}
S1: {text: divide, supportedBy: [G2, G3], inContextOf: [C2]}
G2: {undeveloped: true}
"""
SUB = "module: {name: Sub, brief: a part}\nG3: {text: conquered, supportedBy: [Sn1]}\nSn1: {text: x}\nC2: {text: y}\n"
THIRD = "module: {name: Third, extends: [{module: main, develops: {G2: [G9]}}]}\nG9: {text: late, supportedBy: [G3]}\n"


def test_elements_of_other_modules_become_sub_cases(tmp_path):
    case = formats.read(written(tmp_path, main=MAIN, sub=SUB, third=THIRD))
    assert case["S1"].supported_by == ("G2", "Sub/G3")
    assert case["S1"].in_context_of == ("C2",)
    assert case["Sub/G3"] == Node("Sub/G3", "sub-case", "conquered", of="Sub/G3")
    assert case.resolved("Sub/G3") == "G3"
    assert (case["G3"].module, case.modules["Sub"]) == ("Sub", Module("Sub", "a part"))
    assert (case["G3"].public, case["Sn1"].public) == (True, False), "what another module refers to is public"
    assert (case["G2"].supported_by, case["G2"].undeveloped) == (("Third/G9",), False)
    assert case["G9"].supported_by == ("Sub/G3 in Third",)
    assert case["Sub/G3 in Third"].module == "Third"
    assert case.modules["Third"].extends == "main"


DIALECTIC = """
G1: {text: It stops in time, supportedBy: S1, defeatedRelation: S1}
S1: {text: Over both circuits, supportedBy: [G2, G3], inContextOf: C1}
C1: {text: Dry roads}
G2: {text: The front circuit holds, supportedBy: Sn1, defeated: true}
Sn1: {text: Tests of March}
G3: {text: The rear circuit holds, supportedBy: Sn2}
Sn2: {text: Tests of May, defeated: true}
CG1: {text: The fluid boils, challenges: G2, supportedBy: CG2}
CG2: {text: It boils in the mountains, supportedBy: CSn1, horizontalIndex: {relative: -1}}
CSn1: {text: Measured on a pass}
CSn2: {text: Another batch, challenges: Sn2, defeated: true, rankIncrement: 4}
CCG1: {nodeType: CounterGoal, text: The batch was the same, challenges: CSn2, supportedBy: CCSn1}
CCSn1: {nodeType: CounterSolution, text: Its delivery note}
CG3: {text: Circuits share a pump, challenges: S1 -> G3}
CG4: {text: Two circuits prove nothing, challenges: G1 -> S1}
"""


def errors(case):
    return [finding for finding in case.check() if finding.severity == "error"]


def test_doubts_about_doubts_and_about_relations_are_no_errors(tmp_path):
    case = Case.read(written(tmp_path, one=DIALECTIC)[0])
    assert errors(case) == []
    assert "case-defeater-idle" not in {finding.code for finding in case.check()}
    assert case.challengers["S1"] == ("CG3", "CG4"), "what is doubted is what the argument shows"
    assert case["G1"].defeated_relations == ("S1",)
    (back,) = formats.gsn2x_texts(case).values()
    assert elements(back) == elements(DIALECTIC)
    for ending in ("yaml", "json", "gsn.yaml", "xmi"):
        assert Case.read(case.write(tmp_path / f"back.{ending}")) == case, ending


POINTS = """
G1: {text: Safe to operate, supportedBy: [S1], acp: {ACP1: S1, ACP2: G1}}
S1: {text: Over all hazards, supportedBy: [G2], inContextOf: [C1], acp: {ACP3: C1}}
C1: {text: Hazard list}
G2: {text: Hazard 1 is controlled, supportedBy: [Sn1, Sn2], acp: {ACP4: [Sn1, Sn2]}}
Sn1: {text: Tests}
Sn2: {text: Analysis, acp: {ACP5: Sn2}}
"""


def test_what_a_defeated_relation_leads_to_holds_nothing_up():
    stated = Stated(Opinion(0.9, 0.0, 0.1), by="A. Tester")
    nodes = [
        Node("G1", "claim", "x", ("S1",)),
        Node("S1", "argument", "y", ("E1",)),
        Node("E1", "evidence", "z", stated=stated),
    ]
    whole = Case.of(nodes)
    assert whole.evaluate()["G1"].standing == "supported"
    found = whole.with_nodes([replace(nodes[0], defeated_relations=("S1",))]).evaluate()["G1"]
    assert (found.standing, found.why) == ("not shown", "Defeated is its relation to S1.")
    doubt = Node("D1", "defeater", "Does it follow?", challenges=("G1 -> S1",))
    assert whole.with_nodes([doubt]).evaluate()["G1"].standing == "not shown"


def test_claim_points_come_back_and_may_say_more(tmp_path):
    case = Case.read(written(tmp_path, one=POINTS)[0])
    assert errors(case) == []
    assert case["G2"].claim_points["ACP4"].on == ("Sn1", "Sn2")
    (back,) = formats.gsn2x_texts(case).values()
    assert elements(back) == elements(POINTS)
    argued = ClaimPoint(("S1",), argued_by="G9")
    confident = Node("G9", "claim", "The hazards are complete", undeveloped=True)
    more = case.with_nodes([replace(case["G1"], claim_points={"ACP1": argued}), confident])
    assert Case.read(more.write(tmp_path / "more.gsn.yaml")) == more
    assert [top.id for top in more.tops] == ["G1"], "a claim of confidence is no second top"
    assert errors(more) == []


TEMPLATE = """
module: {name: template, brief: For a supplier, additionalInformation: {v1: Draft}}
G0: {text: It is safe, supportedBy: [G1, G4]}
G1: {text: Somebody else shows this, undeveloped: true}
G4: {text: Shown here, supportedBy: [Sn42]}
Sn42: {text: Tests}
"""
INSTANCE = """
module: {name: instance, brief: Of a supplier, extends: [{module: template, develops: {G1: [G2]}}]}
G2: {text: What the supplier shows, supportedBy: [Sn1]}
Sn1: {text: Tests of the supplier}
"""


@pytest.mark.parametrize("order", list(permutations(("template", "instance", "other"))))
def test_a_template_and_its_instances_are_one_case_in_any_order(order, tmp_path):
    files = {"template": TEMPLATE, "instance": INSTANCE, "other": "G7: {text: Alone, undeveloped: true}\n"}
    files["template"] = files["template"].replace("[G1, G4]", "[G1, G4, G7]")
    case = formats.read(written(tmp_path, **{name: files[name] for name in order}))
    assert errors(case) == []
    assert case == Case.read(tmp_path)
    assert (case.name, case.top.id, case["G0"].module, case["G2"].module) == ("template", "G0", "", "instance")
    assert (case["G1"].supported_by, case["G1"].undeveloped) == (("instance/G2",), False)
    texts = formats.gsn2x_texts(case)
    assert elements(texts["instance.gsn.yaml"]) == elements(INSTANCE)
    assert elements(texts["index.gsn.yaml"])["G1"] == elements(TEMPLATE)["G1"]
    for ending in ("yaml", "json", "gsn", "xmi"):
        assert Case.read(case.write(tmp_path / f"back.{ending}")) == case, ending


def test_the_main_module_may_be_the_instance(tmp_path):
    """It develops a node of another module; what it develops it with is no second claim of the case."""
    main = (
        INSTANCE.replace("name: instance", "name: main")
        + "G7: {text: All, supportedBy: [G8, G9, G10]}\n"
        + "".join(f"{each}: {{text: Part {each}, undeveloped: true}}\n" for each in ("G8", "G9", "G10"))
    )
    template = "module: {name: template}\nG1: {text: Somebody else shows it, undeveloped: true}\n"
    case = formats.read(written(tmp_path, template=template, main=main))
    assert (case.name, case.modules[""].extends) == ("main", "template")
    assert {finding.code for finding in case.check()} & {"case-module-extends", "case-several-tops"} == set()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("G1: [G9]", "case-develops"),
        ("G9: [G2]", "case-develops"),
        ("G4: [G2]", "case-develops"),
        ("G2: [G2]", "case-develops"),
    ],
)
def test_instances_develop_what_is_there_and_undeveloped(wrong, code, tmp_path):
    paths = written(tmp_path, template=TEMPLATE, instance=INSTANCE.replace("G1: [G2]", wrong))
    found = [finding.code for finding in errors(formats.read(paths))]
    assert code in found
    unknown = INSTANCE.replace("module: template", "module: elsewhere")
    found = errors(formats.read(written(tmp_path, template=TEMPLATE, instance=unknown)))
    assert [finding.code for finding in found] == ["case-module-extends"]


def test_a_circle_is_reported_as_one_and_as_nothing_else(tmp_path):
    circle = "G1: {text: x, supportedBy: S1}\nS1: {text: y, supportedBy: G2}\nG2: {text: z, supportedBy: G1}\n"
    assert [each.code for each in errors(Case.read(written(tmp_path, a=circle)[0]))] == ["case-circle"]
    missing = "G1: {text: x, supportedBy: G9}\n"
    assert [each.code for each in errors(Case.read(written(tmp_path, b=missing)[0]))] == ["case-unknown-node"]


def test_files_that_are_used_are_read_too(tmp_path):
    paths = written(
        tmp_path, index="module: {name: m, uses: [sub.gsn.yaml, third.gsn.yaml]}\n" + MAIN, sub=SUB, third=THIRD
    )
    together = formats.read(paths)
    assert Case.read(paths[0]) == Case.read(tmp_path) == together
    assert len(together) == 10


def test_a_folder_without_an_index_is_all_its_files(tmp_path):
    written(tmp_path, a=MAIN, b=SUB)
    assert set(Case.read(tmp_path).nodes) == {"G1", "S1", "G2", "G3", "Sn1", "C2", "Sub/G3"}
    (tmp_path / "empty").mkdir()
    with pytest.raises(DiagnosticsError, match="no files of a case"):
        Case.read(tmp_path / "empty")


def test_sub_cases_between_modules_are_plain_references_of_gsn2x(tmp_path):
    case = formats.read(written(tmp_path, main=MAIN, sub=SUB, third=THIRD))
    files = {name: yaml.safe_load(text) for name, text in formats.gsn2x_texts(case).items()}
    assert list(files) == ["index.gsn.yaml", "Sub.gsn.yaml", "Third.gsn.yaml"]
    assert files["index.gsn.yaml"]["S1"]["supportedBy"] == ["G2", "G3"]
    assert files["Third.gsn.yaml"]["G9"] == {"text": "late", "supportedBy": ["G3"]}
    assert Case.read(case.write(tmp_path / "out.gsn.yaml")) == case


def test_what_stands_for_another_and_says_more_stays_an_element(tmp_path):
    case = formats.read(written(tmp_path, main=MAIN, sub=SUB))
    for changed in (
        Node("Sub/G3", "sub-case", "other words", of="Sub/G3"),
        Node("Sub/G3", "sub-case", "conquered", of="Sub/G3", note="more"),
        Node("Sub/G3", "sub-case", "conquered", of="Sub/G3", module="Sub"),
    ):
        other = case.with_nodes([changed])
        assert Case.read(other.write(tmp_path / "out.gsn")) == other
    aside = case.with_nodes([Node("D1", "defeater", "no", challenges=("Sub/G3",))])
    assert Case.read(aside.write(tmp_path / "out.gsn")) == aside


def test_a_folder_is_written_for_a_case_with_modules(tmp_path):
    place = small().write(tmp_path / "deep" / "case.gsn.yaml")
    assert place == tmp_path / "deep" / "case.gsn"
    assert sorted(path.name for path in place.iterdir()) == ["index.gsn.yaml", "planner.gsn.yaml"]
    (place / "old.gsn.yaml").write_text("G99: {text: stale}\n")
    assert Case.read(place) == small()


def test_gsn_rules_for_references_are_kept():
    """Only goals, strategies and solutions below, only contexts, assumptions and justifications beside (V04, V12)."""
    argued = [
        Node("G1", "claim", "x", ("S1",)),
        Node("S1", "argument", "y", ("Sn1",), ("W1", "A1")),
        Node("W1", "side-claim", "argued for", ("Sn1",)),
        Node("A1", "side-claim", "assumed"),
        Node("Sn1", "evidence", "z"),
        Node("N1", "evidence", "against", challenges=("G1",)),
        Node("D1", "defeater", "but", ("E2",), challenges=("S1", "G1")),
        Node("E2", "evidence", "measured"),
    ]
    data = yaml.safe_load(formats.gsn2x_texts(Case.of(argued))["index.gsn.yaml"])
    assert data["S1"]["supportedBy"] == ["Sn1", "W1"]
    assert data["S1"]["inContextOf"] == ["A1"]
    assert (data["W1"]["nodeType"], data["W1"]["surefoot-kind"]) == ("Goal", "side-claim")
    assert data["N1"]["nodeType"] == data["E2"]["nodeType"] == "CounterSolution"
    assert data["D1"]["nodeType"] == "CounterGoal"
    assert (data["D1"]["challenges"], data["D1"]["surefoot-challenges"]) == ("S1", ["S1", "G1"])
    assert "nodeType" not in data["G1"]


def test_what_gsn2x_does_not_draw_is_named():
    named = {note.text.split()[0]: note for note in formats.unsaid(small())}
    assert "surefoot-number" in named
    assert named["surefoot-rests-on"].text == "surefoot-rests-on of S1, E1 is kept, and gsn2x does not draw it."


def test_ids_that_mean_something_else_are_refused(tmp_path):
    for word in ("module", "surefoot-case"):
        with pytest.raises(DiagnosticsError, match="another meaning"):
            Case.of([Node(word, "claim", "x")]).write(tmp_path / "a.gsn.yaml")


def test_file_names_are_harmless_and_distinct(tmp_path):
    names = ("../../etc", "a/b", "a b", "INDEX", "\u4e2d", "x" * 300)
    case = Case({f"C{n}": Node(f"C{n}", "claim", "x", module=name) for n, name in enumerate(names)})
    place = case.write(tmp_path / "out.gsn")
    assert Case.read(place) == case
    assert {path.parent for path in tmp_path.rglob("*.yaml")} == {place}


def test_what_is_wrong_has_a_code_and_a_line(tmp_path):
    for text, code, line in (
        ("G1: {text: x}\nX1: {text: x}\n", "case-value", 2),
        ("G1: {text: x}\nX1: {text: x, nodeType: Gaol}\n", "case-value", 2),
        ("G1: {text: x}\nG2: some text\n", "case-value", 2),
        ("G1: {text: x}\nG2:\n  text: [a]\n", "case-value", 3),
        ("G1: {text: x}\nG2:\n  text: a\n  undeveloped: 3\n", "case-value", 4),
        ("G1: {text: x}\nG2: {supportedBy: {G1: n}}\n", "case-value", 2),
        ("G1: {text: x}\nG2:\n  surefoot-nummer: {}\n", "unknown-key", 2),
        ("G1: {text: x}\nG2:\n  surefoot-number: {}\n", "missing-key", 3),
        ("G1: {text: x}\nG2:\n  surefoot-kind: goal\n", "case-value", 2),
        ("G1: {text: x}\nmodule: 3\n", "case-value", 2),
        ("G1: {text: x}\nmodule: {extends: 3}\n", "case-value", 2),
        ("G1: {text: x}\nmodule: {uses: [../a.yaml]}\n", "case-value", 2),
        ("G1: {text: x}\nmodule: {uses: gone.yaml}\n", "file-missing", 2),
        ("G1: {text: x}\nmodule: {surefoot-nam: x}\n", "unknown-key", 2),
        ("G1: {text: x}\nmodule: {surefoot-notation: x}\n", "case-value", 2),
        ("G1: {text: x}\nG1: {text: y}\n", "duplicate-key", 2),
    ):
        found = problems(tmp_path, text, "a.yaml")[0]
        assert (found.code, found.where) == (code, f"a.yaml:{line}"), text


def test_names_and_ids_are_unique_across_modules(tmp_path):
    paths = written(
        tmp_path, a="G1: {text: x}\n", b="module: {name: m}\nG1: {text: y}\n", c="module: {name: m}\nG2: {}\n"
    )
    with pytest.raises(DiagnosticsError) as error:
        formats.read(paths)
    assert {found.code for found in error.value.diagnostics} == {"duplicate-key"}
    assert {found.where for found in error.value.diagnostics} == {"c.gsn.yaml:1"}
    with pytest.raises(DiagnosticsError) as error:
        formats.read(paths[:2])
    assert [found.where for found in error.value.diagnostics] == ["b.gsn.yaml:2"]


def test_no_file_at_all_is_said():
    with pytest.raises(DiagnosticsError, match="no file is named"):
        formats.read([])
