"""What gsn2x and verocase check: for each row a smallest file that raises its code, and one that does not."""

import re
from pathlib import Path

import pytest

from surefoot.case import formats
from surefoot.core import DiagnosticsError

PAGE = (Path(__file__).parents[3] / "docs" / "case-checks.md").read_text()
CODE = re.compile(r"`([a-z-]+)`")


def table(heading, columns):
    """Rows of the table below a heading: what is checked, and the codes that say so here."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" |")] for line in part.splitlines() if line[:2] == "| "]
    assert all(len(row) == columns for row in rows), [row for row in rows if len(row) != columns]
    return {row[0]: set(CODE.findall(row[-2])) for row in rows[2:]}


GSN2X, VEROCASE = table("What gsn2x checks", 4), table("What verocase checks", 3)
GOOD = "G1: {text: x, supportedBy: Sn1}\nSn1: {text: y, url: a.pdf}\n"
"""What nobody finds anything in."""
DOUBT = GOOD + "CG1: {text: z, challenges: G1}\n"
TEMPLATE = "module: {name: theirs}\nG1: {text: x, undeveloped: true}\n"


def instance(extends="theirs", develops="G1: [Sn2]", more="Sn2: {text: y, url: a.pdf}"):
    return f"module: {{name: ours, extends: [{{module: {extends}, develops: {{{develops}}}}}]}}\n{more}\n"


FILES = {
    "V01": [("case-value", "X1: {text: x, undeveloped: true}\n", "X1: {text: x, undeveloped: true, nodeType: Goal}\n")],
    "V02": [
        ("case-undeveloped-unmarked", "G1: {text: x}\n", "G1: {text: x, undeveloped: true}\n"),
        ("case-argument-empty", "G1: {text: x, supportedBy: S1}\nS1: {text: y}\n", GOOD),
    ],
    "V03": [("case-undeveloped-developed", GOOD.replace("Sn1}", "Sn1, undeveloped: true}"), GOOD)],
    "V04": [
        ("case-relation", "G1: {text: x, supportedBy: J1}\nJ1: {text: y}\n", GOOD),
        ("case-relation", "G1: {text: x, inContextOf: Sn1, undeveloped: true}\nSn1: {text: y, url: a.pdf}\n", GOOD),
    ],
    "V05": [("case-repeated-reference", GOOD.replace("Sn1}", "[Sn1, Sn1]}"), GOOD)],
    "V06": [("case-self-reference", "G0: {text: w, supportedBy: G1}\n" + GOOD.replace("Sn1}", "[G1, Sn1]}"), GOOD)],
    "V07": [
        ("case-develops", [TEMPLATE, instance(develops="G1: [Sn2, Sn3]")], [TEMPLATE, instance()]),
        ("case-relation", [TEMPLATE, instance(more="Sn2: {text: y, nodeType: Context}")], [TEMPLATE, instance()]),
    ],
    "V08": [("case-id-kind", "G1: {text: x, supportedBy: C1}\nC1: {text: y, nodeType: Solution, url: a.pdf}\n", GOOD)],
    "V09": [
        (
            "case-no-relation",
            GOOD.replace("Sn1}", "Sn1, acp: {ACP1: G2}}"),
            GOOD.replace("Sn1}", "Sn1, acp: {ACP1: Sn1}}"),
        ),
        (
            "case-no-relation",
            GOOD.replace("a.pdf", "a.pdf, acp: {A: G1}"),
            GOOD.replace("a.pdf", "a.pdf, acp: {A: Sn1}"),
        ),
    ],
    "V10": [("case-defeated-unchallenged", GOOD.replace("Sn1}", "Sn1, defeated: true}"), DOUBT)],
    "V11": [("", DOUBT, GOOD)],
    "V12": [
        (
            "case-relation",
            GOOD.replace("Sn1}", "[Sn1, G2]}") + "G2: {text: z, undeveloped: true, challenges: Sn1}\n",
            DOUBT,
        ),
        ("case-relation", GOOD.replace("a.pdf}", "a.pdf}\nA1: {text: z, challenges: G1 -> Sn1}"), DOUBT),
    ],
    "V13": [
        (
            "case-no-relation",
            DOUBT.replace("Sn1}", "Sn1, defeatedRelation: CG1}"),
            DOUBT.replace("Sn1}", "Sn1, defeatedRelation: Sn1}"),
        )
    ],
    "C01": [
        ("case-no-top", "Sn1: {text: y, url: a.pdf}\n", GOOD),
        ("case-several-tops", GOOD + "G2: {text: z, undeveloped: true}\n", GOOD),
    ],
    "C02": [("case-no-top", "S1: {text: y, supportedBy: Sn1}\nSn1: {text: y, url: a.pdf}\n", GOOD)],
    "C03": [("case-unknown-node", GOOD.replace("Sn1}", "[Sn1, G9]}"), GOOD)],
    "C04": [
        ("case-circle", "G1: {text: x, supportedBy: G2}\nG2: {text: y, supportedBy: G1}\n", GOOD),
        (
            "case-circle",
            "G0: {text: w, supportedBy: G1}\nG1: {text: x, supportedBy: G2}\nG2: {text: y, supportedBy: G1}\n",
            GOOD,
        ),
    ],
    "C05": [("", GOOD.replace("Sn1}", "Sn1, level: one}"), GOOD)],
    "C06": [
        (
            "duplicate-key",
            [GOOD.replace("Sn1}", "[Sn1, G2, G3]}")]
            + [f"module: {{name: m}}\nG{n}: {{text: z, undeveloped: true}}\n" for n in (2, 3)],
            GOOD,
        )
    ],
    "C07": [("duplicate-key", [GOOD, "module: {name: m}\nSn1: {text: z, url: a.pdf}\n"], GOOD)],
    "C08": [("case-unreachable", GOOD + "Sn2: {text: z, url: b.pdf}\n", GOOD)],
    "C09": [("case-module-extends", [TEMPLATE, instance("others")], [TEMPLATE, instance()])],
    "C10": [
        ("case-develops", [TEMPLATE, instance(develops="G1: [Sn2], G9: [Sn2]")], [TEMPLATE, instance()]),
        (
            "case-develops",
            [TEMPLATE.replace("undeveloped: true}", "supportedBy: Sn1}\nSn1: {text: z, url: b.pdf}"), instance()],
            [TEMPLATE, instance()],
        ),
    ],
    "C11": [("case-unknown-node", GOOD.replace("Sn1}", '["Sn1, Sn2", Sn1]}'), GOOD)],
    "C12": [("case-unknown-node", DOUBT.replace("challenges: G1", "challenges: G1 -> Sn9"), DOUBT)],
    "C13": [("case-self-challenge", DOUBT.replace("challenges: G1", "challenges: [G1, CG1]"), DOUBT)],
    "C14": [("case-unknown-node", DOUBT.replace("challenges: G1", "challenges: [G1, G9]"), DOUBT)],
    "C15": [("case-no-relation", DOUBT.replace("G1}", "G1 -> G1}"), DOUBT.replace("G1}", "G1 -> Sn1}"))],
    "C16": [("case-no-relation", DOUBT.replace("G1}", "Sn1 -> G1}"), DOUBT.replace("G1}", "G1 -> Sn1}"))],
    "layers": [("", GOOD.replace("a.pdf", "a.pdf, reviewer: A. B."), GOOD)],
}


def case(nodes, modules="", notation="gsn"):
    listed = f"modules: {{{modules}}}\n" if modules else ""
    return f"surefoot-case: 1\nnotation: {notation}\n{listed}nodes:\n" + "".join(
        f"  {line}\n" for line in nodes.split("\n")
    )


PLAIN = case("one: {claim: x, supported by: [E1]}\nE1: {evidence: y, url: a.pdf}")
AWAY = """one: {claim: x, supported by: [M1]}
M1: {sub-case: y, of: m/P1}
P1: {claim: y, module: m, public: true, undeveloped: true}"""
OTHER = case(AWAY, "m: {}")


def changed(before, after, text=PLAIN):
    assert before in text
    return text.replace(before, after)


NATIVE = {
    "no circularities": [
        (
            "case-circle",
            changed("y, url: a.pdf", "y, url: a.pdf, challenges: [one]")
            .replace("[E1]", "[E1, two]")
            .replace(
                "E1: {evidence: y, url: a.pdf, challenges: [one]}",
                "E1: {evidence: y, url: a.pdf}\n  two: {claim: z, supported by: [one]}",
            ),
            PLAIN,
        ),
        ("case-self-reference", changed("[E1]", "[E1, two]") + "  two: {claim: z, supported by: [two, E1]}\n", PLAIN),
    ],
    "all elements are reachable from the first node": [
        ("case-unreachable", PLAIN + "  E2: {evidence: z, url: b.pdf}\n", PLAIN),
        ("case-several-tops", PLAIN + "  two: {claim: z, undeveloped: true}\n", PLAIN),
        ("case-module-unused", changed("nodes:", "modules: {m: {}}\nnodes:"), OTHER),
    ],
    "a package starts with a claim or justification": [
        ("case-no-top", case("E1: {evidence: y, url: a.pdf}"), PLAIN),
        (
            "case-subcase-unresolved",
            case("one: {claim: x, supported by: [M1]}\nM1: {sub-case: y, of: m}", "m: {}"),
            OTHER,
        ),
    ],
    "no claim or strategy under evidence, context or assumption": [
        (
            "case-relation",
            changed("a.pdf}", "a.pdf, supported by: [two]}") + "  two: {claim: z, undeveloped: true}\n",
            PLAIN,
        )
    ],
    "each identifier is declared once": [("duplicate-key", PLAIN + "  E1: {evidence: z, url: a.pdf}\n", PLAIN)],
    "a citation has a declaration": [
        (
            "case-subcase-unresolved",
            changed("m/P1", "m/P2", OTHER).replace("[M1]", "[M1, M2]") + "  M2: {sub-case: y, of: m/P1}\n",
            OTHER,
        ),
        ("case-unknown-node", changed("[E1]", "[E1, E2]"), PLAIN),
    ],
    "the type is consistent across uses of an identifier": [
        (
            "case-subcase-kind",
            changed("{claim: y, module: m, public: true", "{argument: y, module: m, public: true", OTHER),
            OTHER,
        )
    ],
    "the statement is consistent across uses of an identifier": [
        ("case-subcase-text", changed("sub-case: y", "sub-case: z", OTHER), OTHER)
    ],
    "at most one assertion status": [
        ("case-undeveloped-developed", changed("[E1]}", "[E1], undeveloped: true}"), PLAIN),
        ("case-defeated-unchallenged", changed("[E1]}", "[E1], defeated: true}"), PLAIN),
    ],
    "anchor names are unique": [
        ("case-id-similar", changed("[E1]", "[E1, e1]") + "  e1: {evidence: z, url: b.pdf}\n", PLAIN)
    ],
    "siblings do not share an identifier": [("case-repeated-reference", changed("[E1]", "[E1, E1]"), PLAIN)],
    "citations across packages are claims or justifications": [
        (
            "case-subcase-kind",
            changed("{claim: y, module: m, public: true", "{argument: y, module: m, public: true", OTHER),
            OTHER,
        ),
        ("case-not-public", changed(", public: true", "", OTHER), OTHER),
    ],
    "evidence has no children": [
        ("case-relation", changed("a.pdf}", "a.pdf, supported by: [E2]}") + "  E2: {evidence: z, url: b.pdf}\n", PLAIN)
    ],
    "an element has an identifier or a statement": [("case-text-empty", changed("evidence: y", "evidence: ''"), PLAIN)],
    "a declaration has a statement": [("case-text-empty", changed("claim: x", "claim: ''"), PLAIN)],
    "references that look like remarks": [("case-url-dubious", changed("a.pdf", "as discussed"), PLAIN)],
    "permitted parents and children": [
        (
            "case-relation",
            changed("[E1]", "[E1, J1]") + "  J1: {justification: z}\n",
            changed("[E1]", "[E1], in context of: [J1]") + "  J1: {justification: z}\n",
        )
    ],
    "a claim on evidence has no strategy or assumption beside it (warning)": [
        (
            "",
            changed("[E1]", "[E1], in context of: [A1]")
            + "  A1: {side-claim: z, stated: {likelihood: likely, confidence: high confidence, by: A}}\n",
            PLAIN,
        )
    ],
    "every element has its place in a document": [("", PLAIN, PLAIN)],
    "markers in documents are closed and not nested": [("", PLAIN, PLAIN)],
    "indentation of the file": [("case-syntax", changed("  E1: {", " E1: {"), PLAIN)],
}


def found(folder, texts):
    """Codes of all that is wrong or doubtful, or, of a file in which neither is, of notes."""
    files = [texts] if isinstance(texts, str) else texts
    ending = "yaml" if files[0].startswith("surefoot-case") else "gsn.yaml"
    paths = [folder / f"{place}.{ending}" for place in range(len(files))]
    for path, text in zip(paths, files, strict=True):
        path.write_text(text)
    try:
        findings = formats.read(paths).check()
    except DiagnosticsError as error:
        findings = error.diagnostics
    severe = [each for each in findings if each.severity != "note"]
    return {each.code for each in severe or findings}


def rows(files):
    return [(row, *each) for row, listed in files.items() for each in listed]


@pytest.mark.parametrize(("row", "code", "bad", "good"), rows(FILES) + rows(NATIVE))
def test_a_smallest_file_raises_the_code_of_its_row_and_nothing_else(row, code, bad, good, tmp_path):
    assert found(tmp_path, bad) == ({code} if code else set())
    assert code not in found(tmp_path, good) or not code


@pytest.mark.parametrize(("listed", "files"), [(GSN2X, FILES), (VEROCASE, NATIVE)])
def test_each_row_has_files_for_the_codes_that_it_names(listed, files):
    assert {row: {code for code, _, _ in each} - {""} for row, each in files.items()} == listed


def test_a_list_written_as_text_is_told(tmp_path):
    (tmp_path / "a.gsn.yaml").write_text(FILES["C11"][0][1])
    assert "list written as one text" in formats.read(tmp_path / "a.gsn.yaml").check()[0].hint
