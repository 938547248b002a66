"""The graph of the case stands where Python places it, and after folding where the script places it: the same place."""

import json
import random
from pathlib import Path

import pytest

from surefoot.case import Case, Node
from surefoot.drawing import Part, place_tree, shape_cost
from surefoot.report import case_chapter
from tests.report import argued
from tests.report.test_case_browser import pytestmark, seen

__all__ = ["pytestmark"]
ROOT = Path(__file__).parents[2]
REAL = ("src/surefoot/cli/templates/demo/case.yaml", "examples/traffic_sign_trust/case.yaml")
FOLDING = """() => {
  const boxes = () => all(".box").map(each => ({key: each.dataset.key, style: each.style.transform,
    size: [each.offsetWidth, each.offsetHeight], inside: [...each.children].every(part =>
      ["handle", "module"].includes(part.className) || part.tagName === "svg"
      || part.offsetTop + part.offsetHeight <= each.offsetHeight - 10)}));
  const found = [];
  for (const notation of ["cae", "gsn"]) {
    click(`[data-do=${notation}]`);
    found.push([notation, boxes()]);
  }
  click("[data-do=all]");
  found.push(["gsn", boxes()]);
  for (let round = 0; round < 12; round++) {
    const handles = all(".box > .handle");
    handles[(7 * round) % handles.length].click();
    found.push(["gsn", boxes()]);
  }
  click("[data-do=cae]");
  found.push(["cae", boxes()]);
  click("[data-do=start]");
  found.push(["cae", boxes()]);
  return {found}; }"""


def chapter_of(case):
    return case_chapter(case, argued.evaluated(case), anchors={})


def grown(seed):
    """A case that branches anywhere, with things beside and against, and nodes that belong to several."""
    draws = random.Random(seed)
    count = draws.randint(2, 60)
    above = [draws.randrange(place) for place in range(1, count)]
    nodes = []
    for place in range(count):
        below = [f"N{child}" for child, parent in enumerate(above, 1) if parent == place]
        more = [f"N{draws.randrange(place + 1, count)}"] if place + 1 < count and draws.random() < 0.2 else []
        beside = [each for each in below if draws.random() < 0.3]
        held = [each for each in below if each not in beside]
        kind = draws.choice(("claim", "argument", "evidence", "side-claim", "context"))
        words = " ".join(
            draws.choices(("all", "conditions", "of the road", "hold", "under test"), k=draws.randint(0, 30))
        )
        nodes.append(Node(f"N{place}", kind, words, tuple(dict.fromkeys([*held, *more])), tuple(beside)))
    return Case.of(nodes)


def cases():
    real = [Case.read(ROOT / path) for path in REAL]
    return [Case.of(argued.SMALL), argued.wide(120), *real, *map(grown, range(3))]


@pytest.mark.parametrize("number", range(len(cases())))
def test_script_and_python_put_every_box_at_the_same_place(tmp_path, number):
    case = cases()[number]
    graph = chapter_of(case).graph
    rows = {row.fragment if not row.again else f"again-{place}": place for place, row in enumerate(graph.rows)}
    views = seen(tmp_path, argued.page(case), FOLDING)[0]["found"]
    assert [rows[box["key"]] for box in views[0][1]] == graph.start
    for notation, boxes in views:
        shown = [rows[box["key"]] for box in boxes]
        expected = graph.places(notation, sorted(shown))
        places = dict(zip(sorted(shown), expected, strict=True))
        assert [box["style"] for box in boxes] == [f"translate({x}px, {y}px)" for x, y in map(places.get, shown)]
        assert [tuple(box["size"]) for box in boxes] == [graph.sizes[each][notation == "gsn"][:2] for each in shown]
        assert all(box["inside"] for box in boxes)
    assert views[-1] == views[0]


def tree(seed):
    """Parts of any size that hang on each other anyhow."""
    draws = random.Random(seed)
    count = draws.choice((1, 5, 30, 300))
    parts = [Part(draws.randint(1, 300), draws.randint(1, 900), draws.randint(1, 400), drop=46) for _ in range(count)]
    for place in range(1, count):
        parts[draws.randrange(max(0, place - draws.choice((1, 9, 300))), place)].below.append(place)
    return parts


def test_the_layout_of_the_script_is_that_of_drawings(tmp_path):
    forest = [tree(seed) for seed in range(60)]
    names = ("left", "right", "height", "below", "drop", "gap", "trunk")
    told = [[{name: getattr(part, name) for name in names} for part in parts] for parts in forest]
    script = f"() => ({{placed: {json.dumps(told)}.map(parts => frame.contentWindow.placeTree(parts, 0))}})"
    page = argued.page(Case.of(argued.SMALL))
    for parts, placed in zip(forest, seen(tmp_path, page, script)[0]["placed"], strict=True):
        expected = place_tree(parts, 0, cost=shape_cost)
        assert placed["tops"] == pytest.approx(expected.tops, abs=1e-6)
        assert placed["axes"] == pytest.approx(expected.axes, abs=1e-6)
