"""The chapter on iterations: there from the second one on, complete, escaped, and made again from the data alone."""

import json
import re
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from surefoot.project import Iteration
from surefoot.report import html, result_schema, same_page, trend_picture, write
from tests.report import results
from tests.report.test_hostile import ATTACKS
from tests.report.test_page import Outline
from tests.report.test_tree_chapter import Chapters

AXIS = (86.0, 298.0)
"""Where the axis of a picture begins and ends."""


def judged(name="misses", *, bound=0.04, value=0.02, limit=0.05, status="met", relation="at most"):
    asked = {"relation": relation, "limit": limit, "cautious": limit, "level": 0.95, "per": "demand"}
    found = {"value": value, "bound": bound, "bound_level": 0.95, "status": status}
    return {"name": name, "reference": "counted.failure probability", **asked, **found}


def measured(name, reference, value, bound):
    return {"name": name, "reference": reference, "value": value, "bound": bound, "level": 0.95}


def iteration(number, *, changed=("the model of screening changed",), this=False, targets=None, **parts):
    known = {
        "created": f"2025-01-{number:02d}T12:00:00+00:00",
        "result": "r",
        "tops": [measured("Missed", "tree.top event probability", 1e-5, 1e-4 / number)],
        "events": [measured("screening misses", "counted.failure probability", 0.02, 0.06 / number)],
        "required": {},
        "inputs": {},
        "looks": {"screening.test": number},
    }
    data = {"number": number, "targets": targets or [judged()], "changed": changed, "this": this}
    return Iteration.from_dict({**known, **data, **parts})


def with_history(*history):
    return replace(results.met(), iterations=history)


@pytest.fixture
def three():
    first = iteration(1, changed=(), targets=(judged(bound=0.09, status="not shown"),))
    return with_history(first, iteration(2), iteration(3, this=True, required={"screening misses": 0.01}))


def chapter(result):
    page = html(result)
    return page[page.index('<section id="iterations">') : page.index('<section id="assumptions">')]


def test_one_iteration_has_no_chapter():
    assert 'id="iterations"' not in html(with_history(iteration(1, this=True)))
    assert 'href="#iterations"' not in html(results.met())


def test_the_chapter_stands_behind_the_evidence_and_is_linked(three):
    page = html(three)
    order = Chapters(page).order
    assert order.index("evidence") < order.index("iterations") < order.index("assumptions")
    assert '<a href="#iterations">Iterations</a>' in page


def test_every_iteration_has_a_row_the_last_one_first(three):
    rows = re.findall(r'<tr><th scope="row">(\d+)(.*?)</tr>', chapter(three), re.DOTALL)
    assert [number for number, _ in rows] == ["3", "2", "1"]
    assert ["this</span>" in rest for _, rest in rows] == [True, False, False]
    assert "The first." in rows[2][1]
    assert "The model of screening changed." in rows[0][1]
    assert "not shown" in rows[2][1]
    assert 'value="0.03"' in rows[1][1]
    assert 'value="5e-05"' in rows[1][1]


def test_it_is_compared_with_the_one_before(three):
    found = " ".join(chapter(three).split())
    assert "Since iteration 2: the model of screening changed." in found
    assert "Target misses: bound 0.04, met as before." in found
    assert "<td>top event, upper bound (95%)</td><td>Missed</td>" in found
    assert "<td>requirement, at most</td><td>screening misses</td>" in found
    assert "screening.test 3 times" in found


def test_bounds_are_rounded_to_their_cautious_side(three):
    assert ">3.34×10⁻⁵</data>" in chapter(three)
    assert ">3.33×10⁻⁵</data>" not in chapter(three)


def test_a_result_that_is_none_of_them_says_so():
    found = chapter(with_history(iteration(1), iteration(2)))
    assert "none of them" in found
    assert "Compared with" not in found


def test_earlier_ones_are_counted():
    assert "7 earlier iterations are not shown here" in chapter(with_history(iteration(8), iteration(9, this=True)))


def test_what_is_long_is_cut_and_counted():
    many = tuple(measured(f"event {n}", f"s.q{n}", 0.1, 0.2) for n in range(12 + 80))
    targets = tuple(judged(f"target {n}") for n in range(4 + 3))
    changed = tuple(f"the model of c{n} changed" for n in range(12 + 5))
    late = iteration(2, this=True, events=many, targets=targets, changed=changed)
    found = chapter(with_history(iteration(1), late))
    assert f"up to {80 + len(targets)} more are in the store" in found
    assert "5 more." in found
    assert found.count('<svg class="sf-bound') == 4
    assert re.search(r"\d+ more rows are left out here", found)


def test_text_of_the_history_stays_text(tmp_path):
    def page(text):
        names = {"tops": (measured(text, text, 0.1, 0.2),), "events": (measured(text, text, 0.1, None),)}
        history = [
            iteration(n, changed=(text,), this=n == 2, targets=(judged(text),), looks={text: 2}, **names)
            for n in (1, 2)
        ]
        return with_history(*(replace(each, created=text, result=text) for each in history))

    for name, attack in ATTACKS.items():
        found = write(page(attack), tmp_path / "report.html")
        tags, expected = (
            [tag for tag, _ in Outline(text).tags] for text in (found.read_text(), html(page("h" * len(attack))))
        )
        assert tags == expected, name
        assert same_page(found), name


def test_a_page_with_a_history_is_the_same_and_an_edited_history_is_not(three, tmp_path):
    path = write(three, tmp_path / "report.html")
    assert same_page(path)
    path.write_text(path.read_text().replace("The model of screening changed.", "Nothing changed.", 1))
    assert not same_page(path)


def test_the_data_are_as_the_schema_says(three):
    unbounded = with_history(iteration(1, targets=(judged(bound=None),)), iteration(2, required={"a": float("inf")}))
    for result in (three, unbounded):
        Draft202012Validator(result_schema()).validate(json.loads(json.dumps(result.to_dict())))


def places(picture, pattern):
    return [float(found) for found in re.findall(pattern, picture)]


def test_the_picture_puts_better_bounds_nearer_to_the_good_side():
    bounds = (0.09, 0.07, 0.03)
    history = [iteration(n, targets=(judged(bound=bound),)) for n, bound in enumerate(bounds, start=1)]
    ends = places(trend_picture(history, "misses", "x"), r"H([\d.]+)M")
    assert ends == sorted(ends)
    assert all(AXIS[0] <= end <= AXIS[1] for end in ends)
    (limit,) = set(places(trend_picture(history, "misses", "x"), r'class="limit" d="M([\d.]+)'))
    assert ends[0] < limit < ends[1]


def test_each_row_of_the_picture_has_the_limit_of_its_time():
    history = [iteration(n, targets=(judged(limit=limit),)) for n, limit in ((1, 0.05), (2, 0.1))]
    late, early = places(trend_picture(history, "misses", "x"), r'class="limit" d="M([\d.]+)')
    assert early < late


def test_a_picture_leaves_out_iterations_without_the_target_and_bounds_that_do_not_count():
    history = [
        iteration(1, targets=(judged("other"),)),
        iteration(2, targets=(judged(bound=None, status="not shown"),)),
        iteration(3, targets=(judged(bound=0.97, relation="at least", value=0.99, limit=0.95),)),
    ]
    picture = trend_picture(history, "misses", "x")
    assert re.findall(r">Iteration (\d)<", picture) == ["3", "2"]
    assert picture.count('class="bar"') == 1
