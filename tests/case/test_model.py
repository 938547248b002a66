"""What a case knows of its own nodes: what stands for what, and what rests on what."""

from dataclasses import replace

from surefoot.case import Case, Module, Node, Stated
from surefoot.opinions import Opinion

SURE = Stated(Opinion(0.9, 0.0, 0.1), by="A. Müller", why="seen")


def modular(*nodes):
    far = [
        Node("G2", "claim", "The part is safe.", module="M", public=True, supported_by=("E1",)),
        Node("E1", "evidence", "Report.", module="M", stated=SURE),
    ]
    return replace(Case.of([*nodes, *far]), modules={"M": Module("M")})


def test_what_stands_for_a_claim_of_another_module_stands_as_that_does():
    for kind in ("sub-case", "contract"):
        for of in ("M", "M/G2"):
            case = modular(
                Node("G1", "claim", "All is safe.", supported_by=("K",)), Node("K", kind, "The part is safe.", of=of)
            )
            found = case.evaluate({})
            assert case.resolved("K") == "G2", (kind, of)
            assert found["K"].standing == found["G1"].standing == "supported", (kind, of)
            assert found.opinions()["K"] == found.opinions()["G2"], (kind, of)
            assert not [each for each in case.check() if each.severity == "error"], (kind, of)


def test_a_contract_needs_what_holds_it_up_as_well_as_what_it_stands_for():
    case = modular(
        Node("G1", "claim", "All is safe.", supported_by=("K",)),
        Node("K", "contract", "Both.", of="M/G2", supported_by=("G3",)),
        Node("G3", "claim", "The other is safe.", undeveloped=True),
    )
    assert case.evaluate({})["K"].standing == "not shown"


def test_a_contract_with_nothing_behind_it_stays_open():
    case = Case.of([Node("G1", "claim", "All is safe.", supported_by=("K",)), Node("K", "contract", "Later.", of="M")])
    assert case.resolved("K") == "K"
    assert case.evaluate({})["G1"].standing == "not shown"


def test_all_that_a_node_rests_on_is_named_once():
    case = modular(
        Node("K", "sub-case", "The part.", of="M/G2", in_context_of=("C", "gone")),
        Node("C", "context", "Here."),
        Node("D", "defeater", "No.", challenges=("K", "C")),
    )
    assert list(case.needs(case["K"])) == ["C", "gone", "D", "G2"]
    assert list(case.needs(case["C"])) == ["D"]


def test_the_first_top_of_a_module_stands_for_it_however_many_modules_there_are():
    count = 5_000
    nodes = [Node(f"{name}{n}", "claim", "It holds.", module=f"M{n}") for n in range(count) for name in ("a", "b")]
    case = replace(Case.of(nodes), modules={f"M{n}": Module() for n in range(count)})
    assert [case.places[f"M{n}"] for n in (0, 17, count - 1)] == ["a0", "a17", f"a{count - 1}"]
