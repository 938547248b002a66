"""What is particular to YAML: its layout, short forms, what a strict reader refuses."""

from tests.hazards.files.worksheets import problems, small

from surefoot.hazards import GUIDE_WORDS, Hazop

START = "surefoot-hazop: 1\nname: x\n"


def test_the_layout_reads_and_compares_well(tmp_path):
    small().write(tmp_path / "a.yaml")
    assert (tmp_path / "a.yaml").read_text() == (
        "surefoot-hazop: 1\n"
        "name: vehicle\n"
        "description: An example.\n"
        "items:\n"
        "  detection: {learned: true, description: finds assets}\n"
        "  planning: {}\n"
        "  objects: {from: detection, to: planning, parameters: {data value: [no value, wrong value], speed: []}}\n"
        "properties:\n"
        "  P1:\n"
        "    object: vehicle\n"
        "    property: distance to an asset\n"
        "    relation: at least\n"
        "    value: 2\n"
        "    unit: m\n"
        "    verification: test\n"
        "rows:\n"
        "  - id: R1\n"
        "    item: objects\n"
        "    parameter: data value\n"
        "    guide word: wrong value\n"
        "    causes: [misclassification]\n"
        "    consequences: [erratic navigation, unsafe distance to assets]\n"
        '    mitigations: ["acoustic guidance -> P1", "operator watches -> none", sonar]\n'
        "    endangers: [P1]\n"
        "    severity: critical\n"
        "    likelihood: remote\n"
        "    status: reviewed\n"
        "    reviewer: A. Müller\n"
        "    remark: agreed\n"
        "  - {id: R2, item: objects, parameter: data value, guide word: no value}\n"
    )


def test_short_forms_are_understood(tmp_path):
    (tmp_path / "a.yml").write_text(
        START
        + "items:\n  camera:\n  images: {from: camera, to: camera, learned: yes,\n"
        + "           parameters: {data value: data value, speed: [no]}}\n"
        + "properties:\n  P1: {object: o, property: p, relation: <=, value: 1e-3}\n"
        + "rows:\n  - {item: images, parameter: speed, guide word: no, causes: one text, remark: 007, severity: }\n"
    )
    hazop = Hazop.read(tmp_path / "a.yml")
    assert hazop.item["images"].parameters["data value"] == GUIDE_WORDS["data value"]
    assert hazop.item["images"].learned
    assert (hazop.properties[0].relation, hazop.properties[0].value) == ("at most", 0.001)
    row = hazop.rows[0]
    assert (row.id, row.guide_word, row.causes, row.remark, row.place) == ("R1", "no", ("one text",), "007", "a.yml:10")


def test_scales_may_be_numbers(tmp_path):
    (tmp_path / "a.yaml").write_text(
        START + "matrix: {severities: [1, 2], classes: {1: [low, low], 2: [low, high]}, order: [low, high]}\n"
        "rows:\n  - {item: a, parameter: p, guide word: no, severity: 2, likelihood: 2}\n"
    )
    hazop = Hazop.read(tmp_path / "a.yaml")
    assert hazop.risk(hazop.rows[0]) == "high"


def test_problems_have_a_code_and_a_line(tmp_path):
    for text, code, line in [
        ("items: &a {}\n", "hazop-syntax", 3),
        ("items: !!python/object:os.system {}\n", "hazop-syntax", 3),
        ("items: *a\n", "hazop-syntax", 3),
        ("---\nrows: []\n", "hazop-syntax", 3),
        ("rows: [\n", "hazop-syntax", 4),
        ("rows: {}\nrows: []\n", "duplicate-key", 4),
        ("items: {a: {}, a: {}}\n", "duplicate-key", 3),
        ("row: []\n", "unknown-key", 3),
        ("rows: [{item: a, parameter: p, guideword: no, guide word: no}]\n", "unknown-key", 3),
        ("rows: {a: b}\n", "hazop-cell", 3),
        ("rows: [text]\n", "hazop-cell", 3),
        ("rows:\n  - {item: a, parameter: p,\n     guide word: [no]}\n", "hazop-cell", 5),
        ("rows: [{item: a, parameter: p, guide word: no, causes: [[b]]}]\n", "hazop-cell", 3),
        ("items: [camera]\n", "hazop-cell", 3),
        ("items: {a: {learned: perhaps}}\n", "hazop-cell", 3),
        ("items: {a: {parameters: {p: dtaa value}}}\n", "hazop-unknown", 3),
        ("items: {a: {from: a}}\n", "hazop-cell", 3),
        ("properties: {P1: {object: o, property: p, relation: about, value: 1}}\n", "hazop-cell", 3),
        ("properties: {P1: {object: o, property: p, relation: at most, value: '1'}}\n", "hazop-cell", 3),
        ("matrix: {severities: [a], classes: {b: [c]}}\n", "hazop-cell", 3),
        ("matrix: text\n", "hazop-cell", 3),
        ("description: {a: b}\n", "hazop-cell", 3),
        ("remark: \x07\n", "hazop-syntax", 3),
    ]:
        (tmp_path / "a.yaml").write_text(START + text)
        found = problems(tmp_path / "a.yaml")
        assert (found[0].code, found[0].where) == (code, f"a.yaml:{line}"), text


def test_other_files_are_told_apart(tmp_path):
    for text, code in [
        ("name: x\n", "hazop-syntax"),
        ("surefoot-hazop: 2\n", "unsupported-version"),
        ("- a\n", "hazop-syntax"),
    ]:
        (tmp_path / "a.yaml").write_text(text)
        assert problems(tmp_path / "a.yaml")[0].code == code, text
