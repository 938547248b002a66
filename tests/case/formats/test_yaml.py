"""What is particular to YAML: its layout, what people may write shorter, what a strict reader refuses."""

import difflib
from dataclasses import replace

import pytest
from tests.case.formats.cases import small
from tests.case.formats.problems import problems

from surefoot.case import Case, Node, formats
from surefoot.core import DiagnosticsError
from surefoot.opinions import judgement

START = "surefoot-case: 1\nnodes:\n"


def test_the_layout_reads_and_compares_well():
    assert formats.text(small(), "yaml") == (
        "surefoot-case: 1\n"
        "name: Detector\n"
        "modules:\n"
        "  planner:\n"
        "    brief: Plans ahead\n"
        "nodes:\n"
        "  C1:\n"
        "    claim: >-\n"
        "      The detector misses a pedestrian in at most one of a thousand demands.\n"
        "      This holds for all conditions of the operational design domain, by day and by night, and for\n"
        "      the version that is released.\n"
        "    supported by: [A1]\n"
        "    number: {quantity: failure probability, at most: 0.001, level: 0.99, strict level: 0.998}\n"
        "  A1:\n"
        "    argument: From tests to operation\n"
        "    supported by: [E1]\n"
        "    in context of: [S1]\n"
        "    block: evidence incorporation\n"
        "  S1:\n"
        "    side-claim: Tests are drawn as in operation\n"
        "    rests on: missed.pmi\n"
        "    assumption: iid\n"
        "  E1:\n"
        "    evidence: Tests of release 1.2\n"
        "    rests on: missed.pmi\n"
        "    digest: ab12\n"
        '    tags: ["AMLAS: stage 5"]\n'
        "  D1:\n"
        "    defeater: Snow was not tested\n"
        "    challenges: [C1]\n"
        "    defeated: true\n"
        "  X1:\n"
        "    sub-case: The planner keeps its distance\n"
        "    of: planner/P1\n"
        "  P1:\n"
        "    claim: The planner keeps its distance\n"
        "    module: planner\n"
        "    public: true\n"
        "    stated: {likelihood: very likely, confidence: high confidence, by: A. Müller, why: by review}\n"
    )


def changed_lines(one, other):
    lines = difflib.ndiff(formats.text(one, "yaml").splitlines(), formats.text(other, "yaml").splitlines())
    return [line for line in lines if line[0] in "+-"]


def test_a_small_change_is_a_small_difference():
    case = small()
    claim = case["C1"]
    word = replace(claim, text=claim.text.replace("by night", "by dark"))
    assert len(changed_lines(case, case.with_nodes([word]))) == 2
    sentence = replace(claim, text=claim.text.replace("one of a thousand", "three of a hundred thousand"))
    assert len(changed_lines(case, case.with_nodes([sentence]))) == 2
    assert len(changed_lines(case, case.with_nodes([replace(claim, undeveloped=True)]))) == 1


def test_a_file_may_be_written_by_hand(tmp_path):
    (tmp_path / "a.yml").write_text(
        START
        + "  C1:\n    claim: 42\n    supported by:\n      - id: A1\n        argument: over both\n"
        + "        supported by: [E1, {id: E2, evidence: tests}]\n        in context of: {id: S1, side-claim: fair}\n"
        + "  007: {claim: , supported by: C1, note: null, undeveloped: true, tags: one}\n"
        + "  E1:\n    evidence: >\n      folded\n      text\n"
        + "    stated: {likelihood: likely, confidence: some confidence}\n"
    )
    case = Case.read(tmp_path / "a.yml")
    assert list(case.nodes) == ["C1", "A1", "E2", "S1", "007", "E1"]
    assert case["C1"].text == "42"
    assert case["C1"].supported_by == ("A1",)
    assert (case["A1"].supported_by, case["A1"].in_context_of) == (("E1", "E2"), ("S1",))
    assert (case["007"].text, case["007"].supported_by, case["007"].tags) == ("", ("C1",), ("one",))
    assert case["E1"].stated.opinion == judgement("likely", "some confidence")


def test_a_case_in_the_making_loads(tmp_path):
    (tmp_path / "a.yaml").write_text(
        START + "  C1: {claim: x, supported by: [C2, gone]}\n  C2: {claim: y, supported by: C1}\n"
    )
    assert Case.read(tmp_path / "a.yaml")["C2"].supported_by == ("C1",)


def test_what_is_wrong_has_a_code_a_line_and_a_hint(tmp_path):
    for text, code, line, hint in (
        ("surefoot-case: 2\n", "unsupported-version", 1, "newer"),
        ("surefoot-case: one\n", "unsupported-version", 1, "Write surefoot-case: 1."),
        ("surefoot-cas: 1\n", "case-syntax", 1, "Did you mean 'surefoot-case'?"),
        ("- a\n", "case-syntax", 1, "surefoot-case: 1"),
        ("surefoot-case: 1\nnode: {}\n", "unknown-key", 2, "'nodes'"),
        ("surefoot-case: 1\nnodes: []\n", "case-value", 2, "key: value"),
        ("surefoot-case: 1\nnotation: uml\n", "case-value", 2, "cae, gsn"),
        ("surefoot-case: 1\nconfidence: {checked: 1}\n", "case-value", 2, "key: value"),
        ("surefoot-case: 1\nconfidence: {discounting: x}\n", "case-value", 2, "probability, uncertainty"),
        ("surefoot-case: 1\nmodules: {m: {brieff: x}}\n", "unknown-key", 2, "'brief'"),
        (START + "  C1: {claim: &a x}\n", "case-syntax", 3, "Remove"),
        (START + "  C1: {claim: !!python/object:os.system x}\n", "case-syntax", 3, "Remove"),
        (START + "  C1: {claim: x}\n  C1: {claim: y}\n", "duplicate-key", 4, "rename"),
        (START + "  C1: {claim: x\n", "case-syntax", 4, "bracket"),
        (START + "  C1: text\n", "case-value", 3, "claim:"),
        (START + "  C1:\n    note: x\n", "missing-key", 3, "claim, argument"),
        (START + "  C1:\n    claim: x\n    context: x\n", "case-value", 5, "one of them"),
        (START + "  C1:\n    goal: x\n", "unknown-key", 4, "'claim'"),
        (START + "  C1:\n    claim: x\n    suported by: [A]\n", "unknown-key", 5, "'supported by'"),
        (START + "  C1:\n    claim: x\n    undeveloped: maybe\n", "case-value", 5, "true"),
        (START + "  C1:\n    claim: {}\n", "case-value", 4, "quotes"),
        (START + "  C1:\n    claim: x\n    block: decomposal\n", "case-value", 3, "decomposition"),
        (START + "  C1:\n    claim: x\n    supported by:\n      - claim: y\n", "missing-key", 6, "id:"),
        (START + "  C1:\n    claim: x\n    supported by:\n      - {id: C1, claim: y}\n", "duplicate-key", 6, "own"),
        (START + "  C1:\n    claim: x\n    number: {at most: 1}\n", "missing-key", 5, "quantity"),
        (START + "  C1:\n    claim: x\n    number: {quantity: q, at most: 7}\n", "case-value", 5, "0.05"),
        (START + "  C1:\n    claim: x\n    number: {quantity: q, at most: .nan}\n", "case-value", 5, "0.001"),
        (
            START + "  C1:\n    claim: x\n    number: {quantity: q, at most: 1, at last: 1}\n",
            "unknown-key",
            5,
            "'at least'",
        ),
        (START + "  C1:\n    claim: x\n    stated: {likelihood: probably}\n", "missing-key", 5, "confidence"),
        (START + "  C1:\n    claim: x\n    stated: {belief: 1, disbelief: 1, uncertainty: 0}\n", "case-value", 5, ""),
        (
            START + "  C1:\n    claim: x\n    stated: {given true: {belief: 1, disbelief: 0, uncertainty: 0}}\n",
            "case-value",
            5,
            "",
        ),
        (START + "  C1:\n    claim: x\n    choice: {among: [a]}\n", "case-value", 5, ""),
        (START + "  ' ': {claim: x}\n", "missing-key", 3, "C1"),
        (START + "  C1: {claim: \x07}\n", "case-syntax", 3, ""),
    ):
        found = problems(tmp_path, text)[0]
        assert (found.code, found.where) == (code, f"a.yaml:{line}"), text
        assert hint in found.hint, text
        assert found.hint.strip(), "what to do is said"


def test_all_problems_are_shown_at_once(tmp_path):
    text = START + "".join(f"  C{n}:\n    claim: x\n    undeveloped: {n}\n" for n in range(5)) + "  D: {calim: x}\n"
    found = problems(tmp_path, text)
    assert [each.where for each in found] == [f"a.yaml:{line}" for line in (5, 8, 11, 14, 17, 18, 18)]


def test_thousands_of_problems_are_counted(tmp_path):
    found = problems(tmp_path, START + "".join(f"  C{n}: {{calim: x}}\n" for n in range(3000)))
    assert len(found) == 201
    assert "5,800 more" in found[-1].text


def test_deep_nesting_is_refused_not_suffered(tmp_path):
    inner = "{id: N, claim: x}"
    for number in range(200):
        inner = f"{{id: N{number}, claim: x, supported by: [{inner}]}}"
    (tmp_path / "a.yaml").write_text(START + f"  T: {{claim: x, supported by: [{inner}]}}\n")
    assert len(Case.read(tmp_path / "a.yaml")) == 202
    found = problems(tmp_path, START + "  T: {claim: x, supported by: " + "[" * 600 + "]" * 600 + "}\n")
    assert (found[0].code, found[0].hint) == ("case-syntax", "Write inner nodes by themselves and name their ids.")


def test_an_id_that_is_too_long_for_yaml_is_refused(tmp_path):
    case = Case({"x" * 2000: Node("x" * 2000, "claim", "x")})
    with pytest.raises(DiagnosticsError, match="2,000 characters"):
        case.write(tmp_path / "a.yaml")
    assert Case.read(case.write(tmp_path / "a.json")) == case


def test_a_name_that_says_nothing_is_refused_for_writing(tmp_path, subtests):
    for name in ("a.txt", "a", "a.svg"):
        with subtests.test(name=name), pytest.raises(DiagnosticsError, match=r"Use \.yaml"):
            small().write(tmp_path / name)


def test_a_file_without_suffix_is_known_by_its_content(tmp_path):
    for name in ("a.yaml", "a.json"):
        small().write(tmp_path / name).rename(tmp_path / "case")
        assert Case.read(tmp_path / "case") == small()
