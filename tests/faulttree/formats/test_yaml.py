"""The YAML that people write, and what they are told when it is wrong."""

import pytest

from surefoot.core import DiagnosticsError
from surefoot.faulttree import (
    BetaFactor,
    Counts,
    Exponential,
    FaultTree,
    Fixed,
    Formula,
    LogNormal,
    Parameter,
    PeriodicTest,
    Weibull,
)

TREE = """\
surefoot-tree: 1
name: Missed obstacle
top: collision
gates:
  collision:
    and: [not detected, no brake]
    label: The vehicle hits an obstacle
  not detected: {at least: 2, of: [camera, lidar, radar]}
  no brake: {or: [pump, valve, {not: maintenance}, {between: [1, 2], of: [left, right, relay]}]}
  late: {pand: [pump, valve], order: 0.5}
events:
  camera: {failures: 2, trials: 1000, component: detector, label: "Camera: misses"}
  lidar: 1e-3
  radar: {mean: 1e-4, error factor: 3}
  pump: {rate: pump rate, time: 8760}
  valve: {rate: 1e-5, tested every: 720, time: 8760, attributes: {unit: "3"}}
  relay: {type: Weibull, scale: 1000, shape: 2, t0: 0, time: 10}
  spare:
  shared: usual
houses: {maintenance: false, test: {state: true, label: Under test}}
groups:
  sides: {type: beta-factor, members: [left, right], distribution: 1e-3, beta: 0.1}
parameters: {pump rate: {mean: 1e-6, error factor: 10}, usual: 0.01}
labels: {usual: The usual one}
"""


@pytest.fixture
def problems(tmp_path):
    """Reads text and gives the problems as (code, line, text)."""

    def found(text):
        (tmp_path / "tree.yaml").write_text(text)
        with pytest.raises(DiagnosticsError) as error:
            FaultTree.read(tmp_path / "tree.yaml")
        return [(d.code, line_of(d), f"{d.text} {d.hint}") for d in error.value.diagnostics]

    return found


def line_of(problem):
    """0 where there is none."""
    return int(problem.where.partition(":")[2] or 0)


def test_every_short_form_is_understood(tmp_path):
    (tmp_path / "tree.yaml").write_text(TREE)
    tree = FaultTree.read(tmp_path / "tree.yaml")
    assert tree.top == "collision"
    assert tree.gates["collision"] == Formula("and", ("not detected", "no brake"))
    assert tree.gates["no brake"].inputs[2:] == (
        Formula("not", ("maintenance",)),
        Formula("cardinality", ("left", "right", "relay"), 1, 2),
    )
    assert tree.gates["late"].order == 0.5
    assert dict(tree.events) == {
        "camera": Counts(2, 1000),
        "lidar": Fixed(1e-3),
        "radar": LogNormal(1e-4, 3),
        "pump": Exponential(Parameter("pump rate"), 8760),
        "valve": PeriodicTest(1e-5, 720, 720, 8760),
        "relay": Weibull(1000, 2, 0, 10),
        "spare": None,
        "shared": Parameter("usual"),
    }
    assert tree.groups == (BetaFactor("sides", ("left", "right"), Fixed(1e-3), Fixed(0.1)),)
    assert dict(tree.houses) == {"maintenance": False, "test": True}
    assert tree.labels["usual"] == "The usual one"
    assert tree.labels["camera"] == "Camera: misses"
    assert {name: dict(said) for name, said in tree.attributes.items()} == {
        "camera": {"component": "detector"},
        "valve": {"unit": "3"},
    }


def test_another_top_event_can_be_asked_for(tmp_path):
    (tmp_path / "tree.yaml").write_text(TREE)
    assert FaultTree.read(tmp_path / "tree.yaml", top="no brake").top == "no brake"


def test_the_only_gate_that_no_other_uses_is_the_top_event(tmp_path):
    (tmp_path / "tree.yaml").write_text("surefoot-tree: 1\ngates: {a: {or: [b, e]}, b: {pass: e}}\nevents: {e: 0.1}\n")
    assert FaultTree.read(tmp_path / "tree.yaml").top == "a"


def test_all_problems_are_found_at_once(problems):
    found = problems("""\
surefoot-tree: 1
top: collision
gatess: {}
gates:
  collision: {and: [not detected, no brake], lable: x}
  not detected: {at least: 5, of: [camera, lidar]}
  no brake: {orr: [pump]}
  loop: {or: [loop, camra]}
events:
  camera: {failures: 20, trials: 10}
  lidar: {mean: 1e-4, error facto: 3}
  pump: {rate: 1, time: 8760, lambda: 3}
  pump: 0.5
  1: 0.5
houses: {maintenance: 3}
parameters: {rate: {mean: -1e-6, error factor: 10}}
""")
    assert [(code, line) for code, line, _ in found] == [
        ("unknown-key", 3),
        ("unknown-key", 5),
        ("tree-gate", 6),
        ("unknown-key", 7),
        ("tree-undefined", 8),
        ("tree-cycle", 8),
        ("tree-probability", 10),
        ("missing-key", 11),
        ("tree-duplicate", 13),
        ("wrong-value", 14),
        ("wrong-value", 15),
        ("tree-probability", 16),
    ]
    for line, hint in {3: "'gates'", 5: "'label'", 7: "'or'", 8: "'camera'", 11: "'error factor'"}.items():
        assert any(place == line and f"Did you mean {hint}?" in text for _, place, text in found)


def test_problems_of_numbers_have_their_lines(problems):
    found = problems("""\
surefoot-tree: 1
gates: {top: {or: [a, b, left]}}
events:
  a: 1.5
  b: {rate: pump rat, time: 10}
groups:
  sides: {type: beta-factor, members: [left, right], distribution: 1e-3, beta: 10}
parameters: {pump rate: 1}
""")
    assert [(code, line) for code, line, _ in found] == [
        ("tree-probability", 4),
        ("tree-undefined", 5),
        ("tree-probability", 7),
    ]
    assert "'a'" in found[0][2]
    assert "'pump rate'" in found[1][2]
    assert "sides" in found[2][2]


PROBLEMS = [
    ("surefoot-tree: 1\ngates: &x {}\n", "tree-syntax", 2, "anchor"),
    ("surefoot-tree: 1\ngates: *x\n", "tree-syntax", 2, ""),
    ("surefoot-tree: 1\ngates: !!python/object:os.system {}\n", "tree-syntax", 2, "tag"),
    ("surefoot-tree: 1\n---\na: 1\n", "tree-syntax", 2, "second document"),
    ("surefoot-tree: 1\ngates: {a: [}\n", "tree-syntax", 2, ""),
    ("surefoot-tree: 1\ngates: {top: {or: [a b: c]}\n", "tree-syntax", 3, "bracket"),
    ("surefoot-tree: 2\ngates: {top: {or: [a]}}\nevents: {a: 1}\n", "unsupported-version", 1, "format 2"),
    ("surefoot-tree: true\ngates: {top: {or: [a]}}\nevents: {a: 1}\n", "unsupported-version", 1, ""),
    ("gates: {top: {or: [a]}}\nevents: {a: 1}\n", "missing-key", 1, "surefoot-tree: 1"),
    ("[1, 2]\n", "tree-syntax", 1, "a tree is a mapping"),
    ("surefoot-tree: 1\ngates: {top: {or: a}}\n", "wrong-value", 2, "takes a list"),
    ("surefoot-tree: 1\ngates: {top: {not: [a]}}\n", "wrong-value", 2, "found a list"),
    ("surefoot-tree: 1\ngates: {top: {or: [1]}}\n", "wrong-value", 2, "quotes"),
    ("surefoot-tree: 1\ngates: {top: {or: [a], and: [b]}}\n", "wrong-value", 2, "one kind"),
    ("surefoot-tree: 1\ngates: {top: {at least: 2}}\n", "missing-key", 2, "'of'"),
    ("surefoot-tree: 1\ngates: {top: {at least: x, of: [a]}}\n", "wrong-value", 2, "whole number"),
    ("surefoot-tree: 1\ngates: {top: {between: 2, of: [a]}}\n", "wrong-value", 2, "two numbers"),
    ("surefoot-tree: 1\ngates: {top: {}}\n", "missing-key", 2, "empty"),
    ("surefoot-tree: 1\ngates: {top: a}\n", "wrong-value", 2, "a gate is a mapping"),
    ("surefoot-tree: 1\ngates: [a]\n", "wrong-value", 2, "gates are a mapping"),
    ("surefoot-tree: 1\ngates: {top: {pand: [a, b], order: 2}}\n", "tree-probability", 2, "order"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: true}\n", "wrong-value", 3, "found true"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: {rate: true, time: 1}}\n", "wrong-value", 3, "true"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: {type: wat}}\n", "wrong-value", 3, "no type 'wat'"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: {type: counts}}\n", "missing-key", 3, "'failures'"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: {rate: , time: mission}}\n", "missing-key", 3, "'rate'"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: {label: 3}}\n", "wrong-value", 3, "quotes"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: {attributes: x}}\n", "wrong-value", 3, "mapping"),
    ("surefoot-tree: 1\nname: 3\ngates: {top: {pass: a}}\nevents: {a: 1}\n", "wrong-value", 2, "quotes"),
    (
        "surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: {label: x}}\nlabels: {a: y}\n",
        "duplicate-key",
        4,
        "two",
    ),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\nevents: {a: 1}\nparameters: {p: }\n", "wrong-value", 4, "value"),
    ("surefoot-tree: 1\ngates: {top: {pass: a}}\ngroups: {g: 1}\nevents: {a: 1}\n", "wrong-value", 3, "mapping"),
    ("surefoot-tree: 1\ngates: {a: {pass: e}, b: {pass: e}}\nevents: {e: 1}\n", "tree-undefined", 0, "'a', 'b'"),
    ("surefoot-tree: 1\n", "tree-undefined", 0, "no gates"),
    ("# nothing\n", "tree-syntax", 0, "comments only"),
    ("surefoot-tree: 1\ngates: \x07\n", "tree-syntax", 2, "control character"),
    ("surefoot-tree: 1\ngates: " + "[" * 600 + "\n", "tree-syntax", 2, "nested"),
]


def test_a_problem_has_its_code_its_line_and_says_what_to_do(tmp_path):
    for text, code, line, said in PROBLEMS:
        (tmp_path / "tree.yaml").write_text(text)
        with pytest.raises(DiagnosticsError) as error:
            FaultTree.read(tmp_path / "tree.yaml")
        found = next(d for d in error.value.diagnostics if d.code == code)
        assert found.where == (f"tree.yaml:{line}" if line else "tree.yaml"), text[:80]
        assert said in f"{found.text} {found.hint}", text[:80]


def test_a_bomb_of_aliases_does_not_go_off(problems):
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(97 + i)}: &{chr(97 + i)} [*{chr(96 + i)}, *{chr(96 + i)}]\n" for i in range(1, 26)
    )
    assert [code for code, _, _ in problems(bomb)] == ["tree-syntax"]


def test_a_thousand_problems_are_listed_in_part_and_counted(problems):
    text = "surefoot-tree: 1\ngates: {top: {pass: a}}\nevents:\n" + "".join(f"  e{i}: true\n" for i in range(1000))
    found = problems(text.replace("events:\n", "events:\n  a: 1\n"))
    assert len(found) == 201
    assert "800 more problems" in "".join(text for _, _, text in found)
