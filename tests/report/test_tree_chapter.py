"""The chapter on a fault tree: diagram first, the learned event marked, the top event against its target."""

import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import surefoot as sf
from surefoot.report import html

TREE = {
    "name": "Door",
    "top": "door closes on somebody",
    "gates": {
        "door closes on somebody": {"or": ["both miss", "motor goes on"]},
        "both miss": {"and": ["camera misses", "beam fails"]},
    },
    "events": {
        "camera misses": None,
        "beam fails": {"mean": 0.001, "error factor": 3},
        "motor goes on": {"failures": 1, "trials": 100_000},
    },
}


class Chapters(HTMLParser):
    """Text by section."""

    def __init__(self, page):
        super().__init__()
        self.order, self.texts = [], {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.order.append(dict(attrs)["id"])
            self.texts[self.order[-1]] = ""

    def handle_data(self, data):
        if self.order:
            self.texts[self.order[-1]] += f"{data} "


@cache
def assessed(at_most):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 300)
    rows = np.eye(2)[labels] + 0.1 * rng.random((300, 2))
    project = sf.Project.of(
        "Door",
        model=lambda inputs: inputs,
        data=(rows, labels),
        evidence={"missed": {"step": "binomial_bound", "method": "jeffreys"}},
        tree={
            "inline": TREE,
            "answered_by": {"name": "A. Berg", "date": "2026-05-01", "reason": "Failed less often in all tests."},
            "events": {"camera misses": "missed.failure probability"},
            "target": {"at_most": at_most, "claim": "Doors close on few people."},
        },
    )
    return sf.run(project)


@pytest.fixture(scope="module")
def missed():
    return html(assessed(1e-6))


def test_the_chapter_stands_between_case_and_other_evidence(missed):
    order = Chapters(missed).order
    assert order.index("targets") < order.index("case") < order.index("tree") < order.index("evidence")
    assert '<a href="#tree">Fault tree</a>' in missed


def test_the_tree_is_shown_once(missed):
    chapters = Chapters(missed).texts
    assert "Requirements" not in chapters["evidence"]
    assert len(re.findall(r"<h3>tree ", missed)) == 1


def test_it_shows_the_diagram_with_the_learned_event_before_everything_else(missed):
    chapter = missed[missed.index('<section id="tree">') : missed.index('<section id="evidence">')]
    figures = re.findall(r"<figcaption>(.*?)[:.]", chapter)
    assert figures[0].startswith("Fault tree of ")
    assert figures[1] == "Top event"
    assert "Tornado" in figures
    assert re.search(r'class="figure tree">.*?camera misses.*?component', chapter, re.DOTALL)


def test_its_tables_are_there(missed):
    captions = re.findall("<caption>(.*?)</caption>", missed[missed.index('<section id="tree">') :])
    assert {"requirements", "importance", "cut sets", "tornado", "approximations"} <= set(captions)


def test_a_target_that_is_met_asks_for_nothing():
    page = html(assessed(0.01))
    assert "<caption>requirements</caption>" not in page
    assert "Target met" in page


def test_the_case_says_that_a_tree_carries_the_numbers(missed):
    assert "By a fault tree: the exact probability of its top event" in " ".join(Chapters(missed).texts["case"].split())


def test_a_result_without_a_tree_has_no_such_chapter():
    project = sf.Project.of(
        "Door",
        model=lambda inputs: inputs,
        data=([[1.0, 0.0]] * 9, [0] * 9),
        evidence={"n": {"step": "binomial_bound"}},
    )
    assert 'id="tree"' not in html(sf.run(project))
