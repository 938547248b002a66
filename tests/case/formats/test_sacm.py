"""SACM XMI: what is written has the structure of the metamodel, and is read back as it was."""

import re

import pytest
from hypothesis import given, settings
from lxml import etree
from tests.case.formats.cases import cases, small

from surefoot.case import Case, ClaimPoint, Module, Node, formats

XSI, XMI = "{http://www.w3.org/2001/XMLSchema-instance}", "{http://www.omg.org/XMI}"
NAMES = {"xsi": XSI[1:-1], "xmi": XMI[1:-1]}
MANY = settings(max_examples=25, deadline=None)

# By hand, from the Ecore files of SACM 2.2 and the EMOF of 2.3: attributes and references of each class, and its parts.
ELEMENT = {"gid", "isCitation", "isAbstract", "citedElement", "abstractForm"}
PARTS = {"name", "description", "implementationConstraint", "note", "taggedValue"}
ASSERTION = ELEMENT | {"assertionDeclaration", "metaClaim"}
RELATION = ASSERTION | {"isCounter", "source", "target", "reasoning"}
PACKAGE = PARTS | {"argumentationElement"}
CLASSES = {
    "assurancecase:AssuranceCasePackage": (
        ELEMENT | {"interface"},
        PARTS | {"assuranceCasePackage", "argumentPackage", "artifactPackage", "terminologyPackage"},
    ),
    "argumentation:ArgumentPackage": (ELEMENT, PACKAGE),
    "argumentation:ArgumentPackageInterface": (ELEMENT | {"implements"}, PACKAGE),
    "argumentation:ArgumentPackageBinding": (ELEMENT | {"participantPackage"}, PACKAGE),
    "argumentation:Claim": (ASSERTION, PARTS),
    "argumentation:ArgumentReasoning": (ELEMENT | {"structure"}, PARTS),
    "argumentation:ArtifactReference": (ELEMENT | {"referencedArtifactElement"}, PARTS),
    "artifact:ArtifactPackage": (ELEMENT, PARTS | {"artifactElement"}),
    "artifact:Artifact": (ELEMENT | {"version", "date"}, PARTS | {"property"}),
    "name": ({"content", "lang"}, set()),
    "value": ({"content", "lang"}, set()),
    "key": (set(), {"value"}),
    "content": (set(), {"value"}),
    "description": (ELEMENT, {"content"}),
    "note": (ELEMENT, {"content"}),
    "taggedValue": (ELEMENT, {"content", "key"}),
} | {
    f"argumentation:Asserted{name}": (RELATION, PARTS)
    for name in ("Inference", "Evidence", "Context", "ArtifactSupport", "ArtifactContext")
}
DEFAULTS = {"argumentPackage": "argumentation:ArgumentPackage", "artifactPackage": "artifact:ArtifactPackage"}
DECLARATIONS = {"asserted", "needsSupport", "assumed", "axiomatic", "defeated", "asCited"}
REFERENCES = ("source", "target", "reasoning", "citedElement", "implements", "participantPackage")


def tree(case):
    return etree.fromstring(formats.text(case, "sacm").encode())


def back(case, folder):
    path = folder / "case.xmi"
    path.write_bytes(formats.text(case, "sacm").encode())
    return formats.read_noted(path)


def assert_conforms(root):
    ids = root.xpath("//@xmi:id", namespaces=NAMES)
    assert len(ids) == len(set(ids))
    for element in root.iter():
        kind = element.get(f"{XSI}type") or DEFAULTS.get(element.tag)
        if kind is None:
            kind = "assurancecase:AssuranceCasePackage" if element is root else element.tag
        attributes, parts = CLASSES[kind]
        assert {name for name in element.keys() if not name.startswith("{")} <= attributes, kind  # noqa: SIM118
        assert {child.tag for child in element} <= parts, kind
        assert element.get("assertionDeclaration", "asserted") in DECLARATIONS
        for name in (*REFERENCES, "referencedArtifactElement"):
            assert set(element.get(name, "").split()) <= set(ids)
        if "Asserted" in kind:
            assert element.get("source")
            assert len(element.get("target").split()) == 1
        if "Binding" in kind:
            assert len(set(element.get("participantPackage").split())) >= 2


def test_what_stands_beside_a_node_may_argue_its_claim_point_too(tmp_path):
    beside = {"in_context_of": ("S",), "claim_points": {"ACP1": ClaimPoint(("G2",), "S")}}
    nodes = Node("G1", "claim", "It is safe", ("G2",), **beside), Node("G2", "claim", "It stops", undeveloped=True)
    case = Case.of([*nodes, Node("S", "side-claim", "Both mean the same")])
    assert back(case, tmp_path).case == case


@MANY
@given(case=cases())
def test_every_case_is_read_back_in_its_order(case, tmp_path_factory):
    reading = back(case, tmp_path_factory.mktemp("sacm"))
    assert reading.case == case
    assert list(reading.case.nodes) == list(case.nodes)
    assert not reading.notes
    assert formats.text(reading.case, "sacm") == formats.text(case, "sacm")


@MANY
@given(case=cases())
def test_every_file_keeps_to_the_metamodel_and_its_references_resolve(case):
    assert_conforms(tree(case))


def test_a_small_case_has_the_elements_that_sacm_asks_for():
    root = tree(small())

    def found(path):
        return root.xpath(path, namespaces=NAMES)

    assert root.tag == "{http://omg.sacm/2.2/assurancecase}AssuranceCasePackage"
    assert found("name/@content") == ["Detector"]
    assert found("argumentPackage[not(@xsi:type)]/name/@content") == ["main", "planner"]
    claim = "//argumentationElement[@gid='C1']"
    assert found(f"{claim}/@xsi:type") == ["argumentation:Claim"]
    assert found(f"{claim}/description/content/value/@content")[0].startswith("The detector misses")
    inference = "//argumentationElement[@target='n.C1' and @reasoning='n.A1']"
    assert found(f"{inference}/@xsi:type") == ["argumentation:AssertedEvidence"]
    assert found(f"{inference}/@source") == ["n.E1"]
    assert found("//artifactElement[@xmi:id=//*[@gid='E1']/@referencedArtifactElement]/@version") == ["ab12"]
    context = "//argumentationElement[@xsi:type='argumentation:AssertedContext']"
    assert (found(f"{context}/@source"), found(f"{context}/@target")) == (["n.S1"], ["n.A1"])
    assert found("//*[@gid='S1']/@assertionDeclaration") == ["assumed"]
    assert found("//*[@gid='D1']/@assertionDeclaration") == ["defeated"]
    assert found("//*[@isCounter='true']/@source") == ["n.D1"]
    cited = found("//*[@gid='X1']")[0]
    assert (cited.get("isCitation"), cited.get("citedElement")) == ("true", "n.P1")
    assert cited.get("assertionDeclaration") == "asCited"
    interface = "//argumentPackage[@xsi:type='argumentation:ArgumentPackageInterface']"
    assert found(f"{interface}/@implements") == found("//argumentPackage[name/@content='planner']/@xmi:id")
    assert found(f"{interface}/argumentationElement/@citedElement") == ["n.P1"]


def test_legs_are_relations_of_their_own_and_premises_that_are_needed_together_are_one():
    def sources(combining):
        below = [Node(name, "claim", name) for name in ("P", "Q")]
        case = Case.of(
            [Node("C", "claim", "c", ("A",)), Node("A", "argument", "a", ("P", "Q"), combining=combining), *below]
        )
        return tree(case).xpath("//*[@reasoning='n.A']/@source")

    assert sources("legs") == ["n.P", "n.Q"]
    assert sources("all") == ["n.P n.Q"]


def test_a_contract_binds_the_packages_of_two_modules(tmp_path):
    nodes = [Node("C", "claim", "c", ("K",)), Node("K", "contract", "k", of="m"), Node("M", "claim", "m", module="m")]
    case = Case({node.id: node for node in nodes}, modules={"m": Module("m")})
    binding = tree(case).xpath("//*[@xsi:type='argumentation:ArgumentPackageBinding']", namespaces=NAMES)[0]
    assert binding.get("participantPackage") == "m. m.m"
    assert back(case, tmp_path).case == case


def test_evidence_on_one_result_refers_to_one_artifact():
    nodes = [Node(f"E{n}", "evidence", "e", rests_on="s.q", digest="d") for n in range(3)]
    root = tree(Case.of(nodes))
    assert len(root.xpath("//artifactElement")) == 1
    assert set(root.xpath("//@referencedArtifactElement")) == {"a.E0"}


def test_ids_are_names_of_xml_and_differ():
    names = ["G1", "G_1", "G__1", "G 1", "G.1", "G_x20_1", "ß", "\U0001f600", "1", "a-b", "a.b"]
    ids = tree(Case.of(Node(name, "claim", "t") for name in names)).xpath("//*[@gid]/@xmi:id", namespaces=NAMES)
    assert len(set(ids)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9._-]*", identity) for identity in ids)


def test_what_another_tool_adds_to_our_file_is_not_lost(tmp_path):
    """The order that we wrote down does not hide relations that somebody else draws."""
    nodes = [Node("C", "claim", "c", ("D", "E", "F")), Node("E", "evidence", "e")]
    nodes += [Node(name, "claim", name) for name in ("D", "F", "N")]
    text = formats.text(Case.of(nodes), "sacm")
    assert "surefoot.supported_by" in text
    added = '<argumentationElement xsi:type="argumentation:AssertedInference" source="n.N" target="n.C"/>'
    path = tmp_path / "case.xmi"
    path.write_text(text.replace("</argumentPackage>", f"{added}</argumentPackage>"))
    assert Case.read(path)["C"].supported_by == ("D", "E", "F", "N")


@pytest.mark.parametrize("shape", ["chain", "wide"])
def test_thousands_of_nodes_are_written_and_read(shape, tmp_path):
    below = (
        (lambda n: (f"C{n + 1}",))
        if shape == "chain"
        else (lambda n: tuple(f"C{m}" for m in range(1, 3_000)) if not n else ())
    )
    case = Case.of(Node(f"C{n}", "claim", "it holds", below(n) if n < 2_999 else ()) for n in range(3_000))
    assert back(case, tmp_path).case == case
