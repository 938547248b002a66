"""The drawing is well-formed, tells what it is, and lets no text become markup."""

import pytest
from hypothesis import given, settings
from tests.faulttree.drawing.pictures import SVG, bushy, parsed, texts, titles, tree, vehicle
from tests.faulttree.trees import KINDS, fault_trees

from surefoot.core import InvalidInput
from surefoot.drawing import clean_svg
from surefoot.faulttree import BetaFactor, FaultTree, Fixed, Formula, drawing

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\u202eabc\x00",
    "x" * 10_000,
    "]]>&amp;",
    "شجرة الأعطال " * 20,
    "🔥" * 50,
)
TWO = {"pass": ("a",), "not": ("a",)}
LIMITS = {"atleast": {"minimum": 2}, "cardinality": {"minimum": 1, "maximum": 2}}


@settings(max_examples=12, deadline=None)
@given(fault_trees())
def test_every_drawing_may_stand_inside_a_page(subject):
    markup = subject.draw(values=dict.fromkeys(subject.events, 0.5), title="A tree")
    assert clean_svg(markup.encode(), "x").count("<text") == markup.count("<text")


def test_hostile_text_stays_text():
    for text in HOSTILE:
        subject = tree({text: ("and", ("a", "b"))}, labels={"a": text}, attributes={"a": {"component": text}})
        markup = subject.draw(title=text, highlight=("a", "b"))
        root = parsed(subject, title=text, highlight=("a", "b"))
        allowed = {f"{SVG}{name}" for name in ("svg", "title", "desc", "rect", "g", "path", "circle", "text")}
        assert {element.tag for element in root.iter()} <= allowed, text[:30]
        assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")], text[:30]
        assert clean_svg(markup.encode(), "x"), text[:30]
        assert len(markup) < 20_000, text[:30]


def test_every_kind_of_gate_has_a_symbol_and_a_meaning():
    for kind in KINDS:
        inputs = TWO.get(kind, ("a", "b", "c") if kind in LIMITS else ("a", "b"))
        subject = tree({"top": (kind, inputs, LIMITS.get(kind, {}))})
        shapes = sorted(element.tag for element in parsed(subject).iter() if element.get("d") or element.get("r"))
        others = [tree({"top": (other, ("a", "b"))}) for other in ("and", "or") if other != kind]
        meanings = [text for text in texts(subject) if ":" in text]
        assert shapes, kind
        assert len(meanings) == (kind != "pass"), kind
        assert all(subject.draw() != other.draw() for other in others), kind


def test_counting_gates_show_their_numbers():
    assert "2/3" in texts(tree({"top": ("atleast", ("a", "b", "c"), {"minimum": 2})}))
    assert "1–2/4" in texts(tree({"top": ("cardinality", tuple("abcd"), {"minimum": 1, "maximum": 2})}))


def test_a_formula_inside_a_formula_is_a_gate_without_a_box():
    nested = tree({"top": ("or", (Formula("and", ("a", Formula("not", ("b",)))), "c"))})
    assert {"and gate: and", "not gate: not"} <= set(titles(nested))
    assert "NOT" in texts(nested)


def test_the_condition_of_an_inhibit_gate_stands_beside_it():
    subject = tree({"top": ("inhibit", ("fault", "icy"))}, labels={"icy": "Road is icy"})
    assert "Road is icy" in texts(subject, values={"icy": 0.25})
    assert "0.25" in texts(subject, values={"icy": 0.25})
    assert titles(subject)[0] == "top: inhibit; condition Road is icy (icy): event"


def test_probabilities_are_written_with_three_digits():
    written = texts(vehicle(), values={"pedestrian": 0.0123456, "collision": 3.14159e-7})
    assert {"0.0123", "3.14×10⁻⁷"} <= set(written)


def test_events_are_told_apart_by_shape():
    subject = tree({"top": ("or", ("known", "unknown", "on"))}, events={"unknown": None}, houses={"on": True})
    meanings = {"basic event", "event without a known probability", "house event: set to true or false"}
    assert meanings <= set(texts(subject))
    assert "true" in texts(subject)


def test_an_ml_event_is_told_by_letters_and_ring_not_by_colour_alone():
    plain = tree({"top": ("or", ("a", "b"))})
    marked = tree({"top": ("or", ("a", "b"))}, attributes={"a": {"component": "net"}})
    shapes = [len(parsed(subject).findall(f".//{SVG}path")) for subject in (plain, marked)]
    assert shapes[1] == shapes[0] + 3
    assert "ML" in texts(marked)
    assert "ML" not in texts(plain)


def test_the_drawing_tells_what_it_is_to_those_who_cannot_see_it():
    root = parsed(vehicle())
    assert root.get("role") == "img"
    assert [element.tag for element in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == "Fault tree of Collision with a pedestrian"
    assert root[1].text == "5 gates over 6 events; 5 gates are drawn in full."
    assert parsed(vehicle(), title="Mine")[0].text == "Mine"


def test_a_drawing_that_is_too_wide_is_shown_smaller():
    root = parsed(bushy(60), collapse=(), width=500)
    assert root.get("width") == "500"
    width, height = (float(word) for word in root.get("viewBox").split()[2:])
    assert width > 500
    assert float(root.get("height")) == pytest.approx(height * 500 / width, abs=1)


def test_the_same_tree_gives_the_same_drawing():
    assert vehicle().draw() == vehicle().draw()


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<svg "), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_drawing_can_be_saved(tmp_path, ending, start):
    path = drawing.save(vehicle(), tmp_path / f"tree.{ending}")
    assert path.read_bytes().startswith(start)


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(InvalidInput) as refused:
        drawing.save(vehicle(), tmp_path / "tree.gif")
    assert refused.value.found == "'.gif'"


def test_letters_that_no_font_has_do_not_stop_a_picture(tmp_path):
    strange = tree({"top": ("or", ("a", "b"))}, labels={"a": "\U0001f525 漢字 $x$"})
    assert drawing.save(strange, tmp_path / "tree.png").stat().st_size > 1000


def test_members_of_a_group_have_a_known_probability():
    group = BetaFactor("pair", ("a", "b"), Fixed(0.01), Fixed(0.1))
    subject = FaultTree("top", {"top": Formula("and", ("a", "b"))}, {}, groups=(group,))
    assert "without a known probability" not in subject.draw()


def test_a_notebook_shows_the_drawing():
    subject = tree({"top": ("and", ("a", "b"))})
    assert subject._repr_svg_() == subject.draw()
