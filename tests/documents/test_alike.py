"""What a strict reader refuses is refused alike by everything that reads documents."""

from surefoot.case import Case
from surefoot.core import DiagnosticsError
from surefoot.faulttree import FaultTree
from surefoot.hazards import Hazop, Scenarios
from surefoot.project import load

YAML = {
    "project": (load, "surefoot.yaml", "version: 1\nsystem: {name: %s}\n"),
    "tree": (FaultTree.read, "a.yaml", "surefoot-tree: 1\nname: %s\ngates: {top: {or: [a]}}\nevents: {a: 0.1}\n"),
    "worksheet": (Hazop.read, "a.yaml", "surefoot-hazop: 1\nname: %s\n"),
    "scenarios": (
        Scenarios.read,
        "a.yaml",
        "surefoot-scenarios: 1\nname: %s\nscenarios: [{id: S1, chain: [a, b]}]\n",
    ),
    "case": (Case.read, "a.yaml", "surefoot-case: 1\nname: %s\nnodes: {C1: {claim: x}}\n"),
    "gsn2x": (Case.read, "a.gsn.yaml", "module: {name: m}\nG1: {text: %s, undeveloped: true}\n"),
}
JSON = {
    "tree": (
        FaultTree.read,
        "a.json",
        '{"surefoot-tree": 1, "name": %s, "gates": {"top": {"or": ["a"]}}, "events": {"a": 0.1}}',
    ),
    "case": (Case.read, "a.json", '{"surefoot-case": 1, "name": %s, "nodes": {"C1": {"claim": "x"}}}'),
}
XML = {
    "tree": (
        FaultTree.read,
        "a.xml",
        '%s<opsa-mef><define-fault-tree name="t"><define-gate name="g"><label>%s</label><or><basic-event name="a"/>'
        '<basic-event name="b"/></or></define-gate></define-fault-tree></opsa-mef>',
    ),
    "case": (Case.read, "a.xmi", '%s<ArgumentPackage><claim id="a" gid="C1" name="%s"/></ArgumentPackage>'),
}


def codes(reader, path, content):
    """Codes of what is refused; none where the file is read, or lacks only what the example leaves out."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    try:
        reader(path)
    except DiagnosticsError as error:
        return {found.code for found in error.diagnostics} - {"missing-key"}
    return set()


def test_a_good_value_of_yaml_is_read(tmp_path):
    for kind in YAML:
        reader, name, text = YAML[kind]
        for value in ("pump", '"a\\tb\\n\\x85é"', "😀"):
            assert codes(reader, tmp_path / name, text % value) == set(), kind


def test_what_is_refused_in_yaml(tmp_path):
    for value, code in (
        ("&a pump", "syntax"),
        ("*a", "syntax"),
        ("!!python/object/apply:os.system [ls]", "syntax"),
        ("!mine pump", "syntax"),
        ("x\n---\na: 1", "syntax"),
        ("a\x07b", "syntax"),
        ("a\x7fb", "syntax"),
        ("a\x9bb", "syntax"),
        ("[" * 600 + "]" * 600, "syntax"),
        ("'open", "syntax"),
        ('"\\x07"', "wrong-value"),
        ('"\\x7f"', "wrong-value"),
        ('"\\u009b"', "wrong-value"),
        ("a\nname: b\nname: c", "duplicate-key"),
        ('{"\\0": 1}', "wrong-value"),
    ):
        for kind in YAML:
            reader, name, text = YAML[kind]
            text = text.replace("{name: %s}", "\n name: %s").replace("{text: %s, undeveloped: true}", "\n name: %s")
            found = codes(reader, tmp_path / name, text % value)
            syntax = {"project": {"yaml-syntax", "yaml-forbidden"}, "tree": {"tree-syntax"}, "case": {"case-syntax"}}
            assert found & (syntax.get(kind, {"hazop-syntax", "case-syntax"}) if code == "syntax" else {code}), (
                kind,
                value[:20],
            )


def test_what_is_refused_in_json(tmp_path):
    for value, code in (
        ('"\x7f"', "syntax"),
        ("NaN", "syntax"),
        ("1e999", "syntax"),
        ("[" * 100_000, "syntax"),
        ("[" * 600 + "]" * 600, "syntax"),
        ('"\\u0007"', "wrong-value"),
        ('"\\ud800"', "wrong-value"),
        ('"\\u009b"', "wrong-value"),
        ('"a", "name": "b"', "duplicate-key"),
    ):
        for kind in JSON:
            reader, name, text = JSON[kind]
            assert codes(reader, tmp_path / name, text % '"pump"') == set(), (kind, value[:20])
            assert codes(reader, tmp_path / name, text % value) & {f"{kind}-syntax" if code == "syntax" else code}, (
                kind,
                value[:20],
            )


def test_what_is_refused_in_xml(tmp_path):
    for before, value in (
        ('<!DOCTYPE x [<!ENTITY a "ha">]>', "&a;"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>', "&a;"),
        ('<!DOCTYPE x SYSTEM "http://example.org/x.dtd">', "x"),
        ("", "&a;"),
        ("", "\x07"),
        ("", "\x7f"),
        ("", "\x9b"),
        ("", "&#7;"),
        ("", "&#x9b;"),
        ('<?xml version="1.0" encoding="klingon"?>', "x"),
    ):
        for kind in XML:
            reader, name, text = XML[kind]
            assert codes(reader, tmp_path / name, text % ("<!DOCTYPE x>", "é&#233;&amp;&#9;")).isdisjoint(
                {f"{kind}-syntax"}
            ), (kind, before, value)
            assert codes(reader, tmp_path / name, text % (before, value)) == {f"{kind}-syntax"}, (kind, before, value)


def test_other_formats_of_trees_hold_no_control_characters_either(tmp_path):
    for kind in ("aralia", "galileo"):
        texts = {"aralia": ("a.dag", "g := a%s & b;\n"), "galileo": ("a.dft", 'toplevel "g";\n"g" and "a%s" "b";\n')}
        name, text = texts[kind]
        assert "tree-syntax" in codes(FaultTree.read, tmp_path / name, text % "\x07"), kind
