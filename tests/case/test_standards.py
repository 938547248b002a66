"""Standards: their clauses by tag, what AMLAS makes of what, and the matrix against counting node by node."""

import re
from collections import Counter
from itertools import pairwise
from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.case.templates import worlds

from surefoot.case import (
    ACTIVITIES,
    ARTEFACTS,
    STANDARDS,
    Case,
    Node,
    clause_of,
    coverage,
    coverage_line,
    coverage_table,
    instantiate,
    standards_named,
    tagged,
)
from surefoot.core import DiagnosticsError, InvalidInput

LETTERS = [*ascii_uppercase, *(2 * letter for letter in ascii_uppercase[:8])]
FROM_THE_SYSTEM = {"A", "B", "C", "D", "EE"}
PATTERN_ARTEFACTS = ("F", "I", "R", "W", "BB", "GG")
ARGUMENTS = ("G", "K", "T", "Y", "CC", "HH")
FORMER = {
    "AMLAS: ML safety assurance scoping": "AMLAS: stage 1",
    "AMLAS: model verification": "AMLAS: stage 5",
    "UL 4600: safety case and arguments": "UL 4600: section 5",
    "UL 4600: data and networking": "UL 4600: section 11",
    "UL 4600: metrics and safety performance indicators": "UL 4600: section 16",
    "ISO/PAS 8800: AI technologies, architectural and development measures": "ISO/PAS 8800: clause 10",
    "ISO/PAS 8800: verification and validation of the AI system": "ISO/PAS 8800: clause 12",
    "ISO/PAS 8800: confidence in frameworks and software tools": "ISO/PAS 8800: clause 15",
}
"""Tags as earlier versions wrote them."""


# AMLAS: what its activities take and give.


def test_artefacts_are_lettered_without_a_gap():
    assert list(ARTEFACTS) == LETTERS
    assert [clause.reference for clause in STANDARDS["AMLAS"].clauses if "artefact" in clause.reference] == [
        f"artefact {letter}" for letter in LETTERS
    ]


def test_every_artefact_comes_from_one_activity_or_from_outside():
    given_by = Counter(letter for activity in ACTIVITIES for letter in activity.gives)
    assert set(given_by.values()) == {1}
    assert set(ARTEFACTS) - set(given_by) == FROM_THE_SYSTEM | set(PATTERN_ARTEFACTS)


def test_nothing_is_taken_before_it_is_there():
    there = FROM_THE_SYSTEM | set(PATTERN_ARTEFACTS)
    for activity in ACTIVITIES:
        assert set(activity.takes) <= there, activity
        there |= set(activity.gives)
    assert there == set(ARTEFACTS)


def test_activities_are_numbered_through_the_stages_and_each_stage_ends_in_its_argument():
    assert [activity.number for activity in ACTIVITIES] == list(range(1, 18))
    assert [activity.stage for activity in ACTIVITIES] == sorted(activity.stage for activity in ACTIVITIES)
    last = [one for one, after in pairwise((*ACTIVITIES, None)) if after is None or after.stage > one.stage]
    assert [activity.gives for activity in last] == [(letter,) for letter in ARGUMENTS]
    for activity, letter in zip(last, PATTERN_ARTEFACTS, strict=True):
        assert activity.takes[0] == letter
        assert "pattern" in activity.title
        assert "pattern" in ARTEFACTS[letter]


# Tags.


def test_every_clause_is_found_by_its_tag_by_its_title_and_however_it_is_spelt():
    for standard in STANDARDS.values():
        for clause in standard.clauses:
            for tag in (clause.tag, clause.tag.upper(), f" {clause.tag.replace(' ', '  ')} "):
                assert clause_of(tag) == clause, tag
            assert clause_of(f"{standard.name}: {clause.title}").title == clause.title


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_former_tags_are_read(former, now):
    assert clause_of(former).tag == now


@pytest.mark.parametrize(
    ("tag", "stands_for"),
    [
        ("AMLAS: [H]", "AMLAS: artefact H"),
        ("AMLAS: hh", "AMLAS: artefact HH"),
        ("UL4600: 8.5", "UL 4600: section 8.5"),
        ("UL 4600: section 8.5.2", "UL 4600: section 8.5"),
        ("ISO 26262: part 6, clause 9.4.2", "ISO 26262-6: clause 9"),
        ("ISO 26262 part 3: clause 6", "ISO 26262-3: clause 6"),
        ("SOTIF: clause 7.3", "ISO 21448: clause 7"),
        ("EU AI Act: Art. 10 (3)", "EU AI Act: article 10"),
        ("EN 50129: part 4", "EN 50129: part 4"),
    ],
)
def test_spellings_and_clauses_within_clauses(tag, stands_for):
    assert clause_of(tag).tag == stands_for


@pytest.mark.parametrize(
    ("tag", "hint"),
    [
        ("AMLAS: artefact II", "artefact A to HH"),
        ("AMLAS: stage 7", "stage 1 to 6"),
        ("AMLAS: 3", "stage 1 to 6"),
        ("AMLAS: model verfication", "'AMLAS: stage 5'"),
        ("AMLAS: verification", "'AMLAS: stage 5'"),
        ("ISO 26262-6: cluase 7", "'ISO 26262-6: clause 7'"),
        ("ISO 21448: clause 14", "clause 13"),
        ("UL 4600: section 18", "section 17"),
    ],
)
def test_clauses_that_do_not_exist_are_refused_with_what_was_meant(tag, hint):
    with pytest.raises(InvalidInput, match=re.escape(hint)):
        clause_of(tag)


def test_tags_of_ones_own_are_left_alone():
    for tag in ("release 2", "AMLAS", "note: AMLAS stage 7", "DO-178C: section 6", "ISO 26262-2: clause 6", ""):
        assert clause_of(tag) is None
        assert Case.of([Node("C", "claim", "It holds", undeveloped=True, tags=(tag,))]).check() == []


def test_a_clause_that_may_exist_and_is_not_listed_has_no_title():
    clause = clause_of("ISO 26262-6: clause 5.4.3")
    assert (clause.reference, clause.title, clause.confirmed) == ("clause 5", "", False)


def test_a_file_with_a_wrong_clause_is_refused_at_its_line(tmp_path):
    lines = ["surefoot-case: 1", "nodes:", "  C1:", "    claim: It stops", "    undeveloped: true", "    tags:"]
    lines += ['      - "AMLAS: artefact H"', '      - "AMLAS: artefact JJ"']
    path = tmp_path / "case.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(DiagnosticsError) as refused:
        Case.read(path)
    (found,) = refused.value.diagnostics
    assert (found.code, found.where) == ("case-tag-unknown", "case.yaml:8")
    assert "artefact A to HH" in found.hint


def test_families_are_all_their_parts_and_unknown_standards_are_refused():
    assert [each.name for each in standards_named("iso 26262")] == [f"ISO 26262-{part}" for part in (3, 4, 6, 8)]
    assert [each.name for each in standards_named("sotif")] == ["ISO 21448"]
    with pytest.raises(InvalidInput, match="AMLAS"):
        standards_named("AMLSA")


def test_what_was_not_seen_says_so():
    assert not STANDARDS["UL 4600"]["section 12"].confirmed
    assert str(STANDARDS["UL 4600"]["section 12"]).endswith("test (unconfirmed)")
    assert all(clause.confirmed for clause in STANDARDS["AMLAS"].clauses)


# Tags that templates write.


@pytest.mark.parametrize("frame", ["targets", "component", "system"])
def test_templates_write_tags_of_the_standards_that_were_asked_for(frame):
    for standards in (("AMLAS",), ("ISO 26262", "EU AI Act"), tuple(STANDARDS)):
        case = instantiate(worlds.everything(standards=standards), frame=frame)
        names = {clause_of(tag).standard for node in case for tag in node.tags}
        assert names
        assert names <= {each.name for name in standards for each in standards_named(name)}
    assert [str(each) for each in case.check() if each.code == "case-tag-unknown"] == []


def test_what_is_calculated_for_the_system_is_no_verification_of_a_model():
    case = instantiate(worlds.everything(), frame="system")
    assert "AMLAS: stage 5" in case["evidence.counted.failure probability"].tags
    assert "AMLAS: stage 5" in case["counted.argument"].tags
    for identity in ("hazard.argument", "prevalence.argument", "evidence.prevalence.prevalence", "monitor.argument"):
        assert "AMLAS: stage 5" not in case[identity].tags, identity


def test_in_an_own_frame_the_author_says_what_belongs_where():
    goal = worlds.goal("misses", worlds.COUNTED)
    for tag in ("AMLAS: artefact X", "UL 4600: section 12"):
        own = Case.of(
            [Node("C", "claim", "It works", ("A",)), Node("A", "argument", "", ("@target misses",), tags=(tag,))]
        )
        case = instantiate(worlds.found(goal), frame="own", own=own)
        assert tag in case["misses"].tags
        written = {each for node in case for each in node.tags if node.id not in own} - {tag}
        assert written
        assert not any(clause_of(each).standard == clause_of(tag).standard for each in written)


@pytest.mark.parametrize("tag", ["AMLAS: data management", "AMLAS: stage 3", "ul 4600", "ISO/PAS 8800: data"])
def test_the_part_of_a_tag_leads_to_the_top_and_refers_to_nothing_outside(tag):
    case = instantiate(worlds.everything(), frame="system")
    part = tagged(case, tag)
    assert {each for node in part for each in node.related} <= set(part.nodes) < set(case.nodes)
    assert "claim" in part


def test_a_stage_takes_its_artefacts_along_and_no_artefact_another():
    nodes = [
        Node("C", "claim", "Top", ("A", "AA", "S")),
        Node("A", "claim", "One", tags=("AMLAS: artefact A",)),
        Node("AA", "claim", "Two", tags=("AMLAS: artefact AA",)),
        Node("S", "claim", "Three", tags=("AMLAS: stage 5",)),
    ]
    case = Case.of(nodes, notation="gsn")
    assert set(tagged(case, "AMLAS: artefact A").nodes) == {"C", "A"}
    assert set(tagged(case, "AMLAS: model verification").nodes) == {"C", "AA", "S"}
    assert set(tagged(case, "amlas").nodes) == set(case.nodes)


def test_a_tag_that_nothing_has_leaves_nothing_and_an_empty_one_is_refused():
    case = instantiate(worlds.found(worlds.goal("misses", worlds.COUNTED)))
    with pytest.raises(InvalidInput, match="no node has this tag"):
        tagged(case, "DO-178C")
    with pytest.raises(InvalidInput, match="tag"):
        tagged(case, " ")


# The matrix, against counting node by node.

KINDS = ("claim", "argument", "evidence", "context", "side-claim", "defeater")
TAGS = [
    "AMLAS: artefact H",
    "AMLAS: artefact Z",
    "AMLAS: activity 3",
    "AMLAS: stage 5",
    "AMLAS: model verification",
    "UL 4600: section 8.5",
    "UL 4600: section 8",
    "ISO 26262-6: clause 5.1",
    "ISO/PAS 8800: clause 12",
    "release 2",
]
INSIDE = {
    "AMLAS stage 2": {"AMLAS: artefact H", "AMLAS: activity 3"},
    "AMLAS artefact H": {"AMLAS: artefact H"},
    "AMLAS stage 5": {"AMLAS: artefact Z", "AMLAS: stage 5", "AMLAS: model verification"},
    "AMLAS artefact Z": {"AMLAS: artefact Z"},
    "UL 4600 section 8": {"UL 4600: section 8.5", "UL 4600: section 8"},
    "UL 4600 section 8.5": {"UL 4600: section 8.5"},
    "ISO 26262-6 clause 5": {"ISO 26262-6: clause 5.1"},
    "ISO/PAS 8800 clause 12": {"ISO/PAS 8800: clause 12"},
}
"""Which tags a row counts, written down by hand."""


@st.composite
def cases(draw):
    """Nodes that rest on later ones, each with some tags; some are answered for by nobody."""
    size = draw(st.integers(1, 12))
    nodes = []
    for n in range(size):
        kind = draw(st.sampled_from(KINDS))
        below = tuple(f"N{each}" for each in range(n + 1, size) if draw(st.booleans())) if kind != "evidence" else ()
        beside = below if kind in ("argument", "claim") and draw(st.booleans()) else ()
        tags = tuple(draw(st.sets(st.sampled_from(TAGS), max_size=3)))
        challenges = (f"N{n - 1}",) if kind == "defeater" and n else ()
        undeveloped = kind == "claim" and not below
        relations = {"supported_by": () if beside else below, "in_context_of": beside, "challenges": challenges}
        nodes.append(Node(f"N{n}", kind, f"Text {n}", tags=tags, undeveloped=undeveloped, **relations))
    return Case.of(nodes)


def through_arguments(case, identity):
    """Evidence that a node rests on, step by step."""
    found = set()
    for below in case[identity].supported_by:
        if case[below].kind == "evidence":
            found.add(below)
        if case[below].kind == "argument":
            found |= through_arguments(case, below)
    return found


@given(cases())
def test_the_matrix_counts_what_nodes_carry(case):
    evaluation = case.evaluate()
    rows = coverage(case, evaluation)
    by_name = {f"{row.standard} {row.reference}": row for row in rows}
    assert len(by_name) == len(rows)
    states = [row.state for row in rows]
    assert states == sorted(states, key=("gap", "open", "shown").index)
    for name, inside in INSIDE.items():
        carrying = [node for node in case if inside & set(node.tags)]
        row = by_name.get(name)
        if row is None:
            assert not carrying
            continue
        claims = {node.id for node in carrying if node.kind != "evidence"}
        evidence = {node.id for node in carrying if node.kind == "evidence"}
        assert set(row.claims) == claims
        assert set(row.evidence) == evidence.union(*(through_arguments(case, each) for each in claims))
        assert (row.state == "gap") == (not carrying)
        doubts = {node.id for node in case if any(case[each].kind != "defeater" for each in node.challenges)}
        good = {
            node.id: (evaluation[node.id].standing == ("contradicted" if node.id in doubts else "supported"))
            for node in carrying
            if node.kind != "context"
        }
        assert (row.state == "shown") == (bool(good) and all(good.values()))
    for row in rows:
        if f"{row.standard} {row.reference}" not in INSIDE:
            assert row.state == "gap"


def test_every_artefact_and_stage_is_a_row_and_the_line_counts_them():
    case = Case.of([Node("C", "claim", "It holds", undeveloped=True)])
    rows = coverage(case, standard="AMLAS")
    assert {row.reference for row in rows} == {f"stage {n}" for n in range(1, 7)} | {f"artefact {a}" for a in LETTERS}
    assert coverage_line(rows) == "AMLAS: 40 of 40 are gaps, 0 open, 0 shown."
    assert coverage(case) == ()


def test_the_table_marks_what_is_not_confirmed_and_shortens_long_cells():
    names = [f"C{n}" for n in range(5)]
    nodes = [Node(name, "claim", name, undeveloped=True, tags=("UL 4600: section 12",)) for name in names]
    table = coverage_table(coverage(Case.of(nodes)), most=2)
    (row,) = [row for row in table.rows if row[0] == "open"]
    assert row[3:] == ("Verification, validation and test (unconfirmed)", "C0, C1 and 3 more", "")
