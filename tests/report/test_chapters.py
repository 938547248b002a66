"""Chapters in the order an assessor reads them, and only those that are there."""

import re
from dataclasses import replace

import pytest

from surefoot.core import Evidence, Provenance
from surefoot.project import built_in_steps
from surefoot.report import html
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
    "register",
    "matrix",
    "caveats",
    "provenance",
    "signature",
    "glossary",
)


STEPS = ("system_study", "monitor", "metric_opinion", "reliability_balls", "fault_tree", "normal_bound")


def with_steps(*steps):
    made = {step: Evidence((results.counted(),), provenance=Provenance(f"step.{step}")) for step in steps}
    return replace(results.met(), evidence={**results.met().evidence, **made})


def chapter(page, name):
    start = page.index(f'<section id="{name}"')
    return page[start : page.index("</section>", start)]


def shown(page, name):
    """The steps that a chapter shows."""
    return re.findall(r"<h3>(\w+) ", chapter(page, name))


@pytest.fixture(scope="module")
def everything():
    return html(with_steps(*STEPS, "own"))


def test_chapters_come_in_order_and_the_contents_name_them(everything):
    outline = Outline(everything)
    assert [found["id"] for tag, found in outline.tags if tag == "section"] == list(WHOLE)
    contents = everything[everything.index("<nav") : everything.index("</nav>")]
    assert re.findall('href="#(.*?)"', contents) == list(WHOLE[1:])


def test_each_step_is_shown_once_in_its_chapter(everything):
    found = {
        name: shown(everything, name) for name in ("tree", "reliability", "trust", "monitors", "systems", "evidence")
    }
    assert found["reliability"] == ["reliability_balls"]
    assert found["trust"] == ["metric_opinion"]
    assert found["evidence"] == ["counted", "normal_bound", "own"]
    assert sorted(name for names in found.values() for name in names) == sorted(["counted", *STEPS, "own"])
    assert set(STEPS) <= set(built_in_steps())


def test_evidence_beside_nothing_else_is_not_called_other():
    alone, beside = html(results.met()), html(with_steps("monitor"))
    assert "<h2>Evidence</h2>" in chapter(alone, "evidence")
    assert "<h2>Other evidence</h2>" in chapter(beside, "evidence")
    assert "Reliability maps" not in alone


def test_a_result_without_evidence_has_no_chapter_of_it():
    assert '<section id="evidence"' not in html(replace(results.without_targets(), evidence={}))
