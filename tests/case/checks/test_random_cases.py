"""No case makes the checks raise, however wrong it is, and they always find the same."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.checks.cases import BY_HAND, CONDITIONALS, MEASURED, REFERENCE, number

from surefoot.case import BLOCKS, COMBININGS, KINDS, Case, Choice, Module, Node
from surefoot.core import Target

IDS = [f"N{i}" for i in range(7)]
NAMED = st.lists(st.sampled_from([*IDS, "gone", "N1, N2"]), max_size=3).map(tuple)
SAID = ["", "{x}", "It fails on 0.1% of demands", "TODO", "It holds.", "it holds", "\x00", "]]>"]
OF = st.sampled_from(["", "M", "L", "M/N1", "/N2", "L/N3", "/", "X/N1"])
STATED = [None, number(), number(1e-9, level=0.99), number(1e-2, per="hour", strict_level=0.999)]


@st.composite
def nodes(draw, identity):
    return Node(
        identity,
        draw(st.sampled_from(KINDS)),
        draw(st.sampled_from(SAID)),
        draw(NAMED),
        draw(NAMED),
        draw(NAMED),
        block=draw(st.none() | st.sampled_from(BLOCKS)),
        combining=draw(st.sampled_from(COMBININGS)),
        undeveloped=draw(st.booleans()),
        module=draw(st.sampled_from(["", "M", "L", "X"])),
        of=draw(OF),
        public=draw(st.booleans()),
        number=draw(st.sampled_from(STATED)),
        rests_on=draw(st.sampled_from(["", REFERENCE, "tests", "gone.value", "."])),
        assumption=draw(st.sampled_from(["", "iid", "independent"])),
        digest=draw(st.sampled_from(["", "0" * 64])),
        stated=draw(st.sampled_from([None, BY_HAND, CONDITIONALS])),
        defeated=draw(st.booleans()),
        multiplicity=draw(st.dictionaries(st.sampled_from(IDS), st.sampled_from(["n", "0..1", "?", ""]), max_size=2)),
        choice=draw(st.sampled_from([(), (Choice(("N1", "N2")),)])),
        uninstantiated=draw(st.booleans()),
        url=draw(st.sampled_from(["", "a.pdf", "data:x", "see there"])),
    )


@st.composite
def cases(draw):
    made = {identity: draw(nodes(identity)) for identity in draw(st.lists(st.sampled_from(IDS), unique=True))}
    extends = draw(st.sampled_from(["", "M", "L", "X"]))
    modules = draw(st.sampled_from([{}, {"M": Module("M", extends=extends)}, {"M": Module("M"), "L": Module("L")}]))
    return Case(made, modules=modules, notation=draw(st.sampled_from(["cae", "gsn"])))


@settings(max_examples=50, deadline=None)
@given(cases(), st.sampled_from([None, {}, MEASURED]), st.booleans())
def test_checks_never_raise_and_always_find_the_same(case, evidence, asked):
    targets = {"N1": Target(at_most=1e-3), "other": Target(at_least=0.5)} if asked else None
    found = case.check(evidence, targets=targets)
    assert found == replace(case, nodes=dict(case.nodes)).check(evidence, targets=targets)
    places = {f"{node.module}/{node.id}" if node.module else node.id for node in case}
    places |= {"", "target N1", "target other", *(f"{name}/" for name in case.modules)}
    assert {each.where for each in found} <= places


PRINTED = """
from tests.case.checks.examples import EXAMPLES
for _, bad, mended, given, after in EXAMPLES:
    print(*bad.check(**given), *mended.check(**after), sep="\\n")
"""


def test_findings_do_not_depend_on_the_order_of_sets():
    root = Path(__file__).parents[3]
    runs = [
        subprocess.run(
            [sys.executable, "-c", PRINTED], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
        )
        for seed in ("1", "2")
    ]
    assert runs[0].returncode == 0, runs[0].stderr.decode()
    assert runs[0].stdout == runs[1].stdout != b""
