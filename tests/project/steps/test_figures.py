import re
import xml.etree.ElementTree as ET

import numpy as np
from tests.project.steps.samples import answered, scored, screening
from tests.refusals import told

from surefoot.drawing import clean_svg
from surefoot.project import Conditions, find_step

binomial_bound = find_step("binomial_bound")
loss_bound = find_step("loss_bound")
normal_bound = find_step("normal_bound")
normal_score = find_step("normal_score")
metric_opinion = find_step("metric_opinion")

LARGEST = 40_000
STEPS = {
    "counts": lambda tested: binomial_bound(tested),
    "counts of a class": lambda tested: binomial_bound(tested, of=tested.classes[1]),
    "single-valued": lambda tested: normal_score(tested),
    "exact": lambda tested: normal_bound(tested),
    "losses": lambda tested: loss_bound(tested, loss="brier", method="hoeffding"),
    "opinion": lambda tested: metric_opinion(tested, metric="recall", positive=tested.classes[1]),
}


def test_drawings_are_small_however_many_rows_there_are():
    for rows in [40, 40_000]:
        for step in STEPS.values():
            with told((step, rows)):
                for artefact in step(screening(rows, inputs=None)).artefacts.values():
                    assert artefact.media_type == "image/svg+xml"
                    assert len(artefact.content) < LARGEST
                    assert clean_svg(artefact.content, "x").startswith("<svg")


def test_drawings_of_many_classes_are_small():
    labels = np.arange(3000) % 300
    tested = answered(labels, np.roll(labels, 1), tuple(f"class number {i}" for i in range(300)))
    assert len(binomial_bound(tested).artefacts["failure probability"].content) < LARGEST


def test_the_same_evidence_gives_the_same_bytes():
    first, second = (normal_bound(screening()).artefacts["margins"].content for _ in range(2))
    assert first == second


def test_names_of_classes_are_text_and_nothing_else():
    for name in ["$\\frac{a}", "<script>alert(1)</script>", "良性", "a" * 500, "a\nb\x07", "%s_{x}^2"]:
        with told(name):
            rng = np.random.default_rng(0)
            labels, answers = rng.integers(0, 2, 50), rng.integers(0, 2, 50)
            content = (
                binomial_bound(answered(labels, answers, (name, "other"))).artefacts["failure probability"].content
            )
            texts = [element.text for element in ET.fromstring(content).iter("{http://www.w3.org/2000/svg}text")]
            shown = re.sub(r"[\x07]", "\ufffd", name.replace("\n", " "))
            assert (shown if len(shown) <= 40 else shown[:39] + "…") in texts


def test_rare_failures_and_all_failures_are_drawn():
    for answers in ([1] * 200, [0] * 200, [1] * 199 + [0]):
        assert binomial_bound(answered([1] * 200, answers)).artefacts
        assert loss_bound(answered([1] * 200, answers)).tables


def test_margins_of_any_shape_are_drawn():
    rng = np.random.default_rng(0)
    for margins in (rng.standard_cauchy(300), np.arange(3.0), np.where(rng.random(300) < 0.5, 1e-9, 1e9)):
        tested = scored(np.zeros(margins.size, dtype=int), np.column_stack([margins, np.zeros(margins.size)]))
        assert len(normal_bound(tested).artefacts["margins"].content) < LARGEST


def test_a_chain_is_drawn_link_by_link():
    tested = screening(attributes={"site": np.zeros(400, dtype=int)})
    conditions = Conditions(odd={"site": [0, 1]})
    artefacts = metric_opinion(tested, conditions=conditions, metric="recall", positive="malignant").artefacts
    for name in ("recall", "after calibration", "after coverage"):
        assert f">{name}<" in artefacts["chain"].content.decode()
        assert f">{name}<" in artefacts["opinions"].content.decode()


def texts(artefact):
    found = ET.fromstring(artefact.content).iter("{http://www.w3.org/2000/svg}text")
    return " ".join(" ".join(element.itertext()) for element in found)


def test_bounds_after_each_row_are_not_for_stopping():
    shown = texts(binomial_bound(screening(), of="malignant").artefacts["failure probability"])
    assert "a number of tests fixed beforehand" in shown
    assert "not for stopping where it looks good" in shown


def test_figures_of_bounds_say_that_each_is_one_sided():
    for evidence in (
        binomial_bound(screening()),
        binomial_bound(screening(), of="malignant"),
        loss_bound(screening(), loss="brier"),
    ):
        for artefact in evidence.artefacts.values():
            assert "one-sided, each at 95%" in texts(artefact)


def test_each_figure_names_what_it_shows():
    for step in STEPS.values():
        with told(step):
            for artefact in step(screening()).artefacts.values():
                named = (
                    "failure probability",
                    "margins",
                    "loss of a row",
                    "two-sided interval of probability",
                    "Opinions",
                )
                assert any(name in texts(artefact) for name in named)
