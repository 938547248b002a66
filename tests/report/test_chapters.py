"""Chapters in the order an assessor reads them, and only those that are there."""

from dataclasses import replace

import pytest

from surefoot.core import Evidence, Provenance
from surefoot.project.step import step
from surefoot.report import html
from surefoot.report.chapters import STEPS, contents, evidence_chapters
from tests.report import results
from tests.report.test_page import Outline

WHOLE = (
    "verdict",
    "targets",
    "case",
    "tree",
    "reliability",
    "trust",
    "monitors",
    "systems",
    "evidence",
    "assumptions",
    "conditions",
    "caveats",
    "provenance",
    "signature",
    "glossary",
)


def with_steps(*steps):
    made = {step: Evidence((results.counted(),), provenance=Provenance(f"step.{step}")) for step in steps}
    return replace(results.met(), evidence={**results.met().evidence, **made})


@pytest.fixture(scope="module")
def everything():
    names = ("system_study", "monitor", "metric_opinion", "reliability_balls", "fault_tree", "normal_bound", "own")
    return with_steps(*names)


def test_chapters_come_in_order_and_the_contents_name_them(everything):
    page = html(everything)
    outline = Outline(page)
    sections = [found["id"] for tag, found in outline.tags if tag == "section"]
    assert sections == list(WHOLE)
    links = [link[1:] for link in outline.links if link[1:] in WHOLE]
    assert [name for name, _ in contents(everything, iterations=False)] == list(WHOLE[1:])
    assert set(WHOLE[1:]) <= set(links)


def test_each_step_is_shown_once_in_its_chapter(everything):
    found = {chapter.id: names for chapter, names in evidence_chapters(everything)}
    assert found["reliability"] == ["reliability_balls"]
    assert found["trust"] == ["metric_opinion"]
    assert found["evidence"] == ["counted", "normal_bound", "own"]
    assert sorted(name for names in found.values() for name in names) == sorted(everything.evidence)


def test_evidence_beside_nothing_else_is_not_called_other():
    (only,) = evidence_chapters(results.met())
    assert only[0].title == "Evidence"
    assert evidence_chapters(with_steps("monitor"))[-1][0].title == "Other evidence"
    assert "Reliability maps" not in html(results.met())


def test_every_chapter_of_a_step_belongs_to_a_step_that_there_is():
    assert set(STEPS) <= set(step.own)


def test_a_result_without_evidence_has_no_chapter_of_it():
    assert evidence_chapters(replace(results.without_targets(), evidence={})) == []
