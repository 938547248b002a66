"""Everything about a tree in one result."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.core import Assumption, Check, Estimate, Evidence, Target, Uniform
from surefoot.documents import significant
from surefoot.drawing import clean_svg
from surefoot.faulttree import BeyondBudget, Budget, Counts, FaultTree, Fixed, Formula, LogNormal, figures

GATES = {"top": Formula("or", ("g", "c")), "g": Formula("and", ("a", "b"))}
TREE = FaultTree("top", GATES, {"a": Counts(2, 100), "b": LogNormal(0.01, 3.0), "c": Fixed(1e-4)}, name="brakes")


@pytest.fixture(scope="module")
def result():
    return TREE.analyse(target=Target(at_most=1e-2), draws=2000)


def test_the_top_event_has_value_interval_and_verdict(result):
    assert result.exact
    assert result.probability == pytest.approx(2.5 / 101 * 0.01 + 1e-4 - 2.5 / 101 * 0.01 * 1e-4)
    low, high = result.top.interval(0.95)
    assert low < result.probability < high
    assert result.verdict.status == "met"
    assert TREE.analyse(draws=100).verdict is None


def test_cut_sets_and_approximations_stand_beside_the_exact_value(result):
    assert result.cut_set_count == 2
    rare, bound = result.approximations
    a, b, c = 2.5 / 101, 0.01, 1e-4
    assert rare.value == pytest.approx(a * b + c)
    assert bound.value == pytest.approx(1 - (1 - a * b) * (1 - c))
    assert rare.error == pytest.approx(rare.value / result.probability - 1)
    assert rare.error > 0


def test_the_summary_says_what_a_reader_needs(result):
    text = str(result)
    assert text.startswith("brakes: top")
    for word in ("interval", "met", "minimal cut sets", "rare-event", "most critical", "independently"):
        assert word in text
    assert "<table>" in result._repr_html_()


def test_evidence_survives_a_round_trip_and_its_figures_fit_a_page(result):
    evidence = result.evidence()
    assert set(evidence.tables) == {"importance", "approximations", "cut sets", "tornado"}
    assert set(evidence.artefacts) == {"top event", "importance", "tornado"}
    assert Evidence.from_dict(evidence.to_dict()).digest == evidence.digest
    for artefact in evidence.artefacts.values():
        assert clean_svg(artefact.content, "x").startswith("<svg")
    assert evidence["top event probability"] == result.top
    most = evidence.tables["cut sets"].rows[0]
    assert most[0] == "a, b"
    assert most[3] == pytest.approx(2.5 / 101 * 0.01 / result.probability)


def too_large(tree, budget=None):
    raise BeyondBudget(low=1e-4, high=2e-4)


def test_a_tree_beyond_the_budget_has_certain_bounds_and_says_so(monkeypatch):
    monkeypatch.setattr(FaultTree, "compile", too_large)
    known = TREE.with_events({"a": 0.1, "b": 0.1})
    found = known.analyse(target=Target(at_most=1e-3))
    assert not found.exact
    assert found.top.interval(0.95) == (1e-4, 2e-4)
    assert [caveat.code for caveat in found.top.caveats] == ["tree-beyond-budget"]
    assert found.verdict.status == "met"
    assert (found.importance, found.cut_set_count, found.tornado, found.approximations) == (None, None, None, ())
    assert set(found.evidence().artefacts) == {"top event"}
    assert "no exact value" in str(found)


def test_bounds_beyond_the_budget_prove_nothing_where_inputs_are_uncertain(monkeypatch):
    monkeypatch.setattr(FaultTree, "compile", too_large)
    found = TREE.analyse(target=Target(at_most=1e-3))
    assert found.top.interval(0.95) == (1e-4, 2e-4)
    assert found.verdict.status == "not shown"
    assert "uncertainty is not in these bounds" in found.top.caveats[0].text


def test_a_small_budget_gives_an_interval_around_the_exact_value(aralia):
    tree = FaultTree.read(aralia / "baobab1.xml")
    found = tree.analyse(budget=Budget(nodes=1024, seconds=4))
    exact = FaultTree.read(aralia / "baobab1.xml").probability()
    assert not found.exact
    assert found.top.lower(0.95) <= exact <= found.top.upper(0.95)


def test_a_tree_that_cannot_fail_has_a_result_without_importance():
    tree = FaultTree("top", {"top": Formula("and", ("a", "b"))}, {"a": Fixed(0.0), "b": Fixed(0.3)})
    found = tree.analyse()
    assert (found.top.value, found.importance) == (0.0, None)
    assert "importance" not in found.evidence().tables


@pytest.mark.parametrize("state", [True, False])
def test_a_tree_that_is_a_constant_has_a_result(state):
    found = FaultTree("top", {"top": Formula("pass", (state,))}, {"a": Counts(1, 10)}).analyse()
    assert found.top.value == float(state)
    assert found.cut_set_count == int(state)
    assert set(found.evidence().artefacts) == {"top event"}


def test_the_figure_of_the_top_event_shows_draws_beyond_the_target(result):
    axes = figures.top_event_figure(result.top, target=Target(at_most=float(np.quantile(result.top.dist.draws, 0.9))))
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "10% of the draws miss the target" in labels
    assert axes.get_xscale() == "linear"
    assert figures.top_event_figure(result.top, target=Target(at_most=0.1)).get_xscale() == "log"


def test_the_figure_of_a_known_top_event_has_no_draws():
    known = Estimate.known("top event probability", 1e-3, source="data sheet")
    axes = figures.top_event_figure(known, target=Target(at_most=1e-2))
    assert not axes.patches
    assert len(axes.lines) == 2


def test_the_chart_of_importance_has_the_most_important_on_top(result):
    axes = figures.importance_chart(result.importance, by="raw", most=2)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(result.importance.sorted("raw").names[:2])
    assert (
        figures.importance_chart(TREE.importance(gates=False), by="birnbaum")
        .get_title(loc="left")
        .startswith("birnbaum")
    )


def test_beyond_the_budget_what_the_inputs_rest_on_stays(monkeypatch):
    monkeypatch.setattr(FaultTree, "compile", too_large)
    broken = Assumption("drift", "Nothing drifts.", check=Check("contradicted", "test", {}))
    known = replace(Estimate.known("a", 0.1, source="data sheet"), assumptions=(broken,))
    found = TREE.with_events({"a": known, "b": 0.1}).analyse(target=Target(at_most=1e-3))
    assert broken in found.top.assumptions
    assert found.verdict.status == "not shown"
    assert known.key in found.top.provenance.inputs


def test_the_summary_tells_the_mean_of_draws_from_the_value_of_the_inputs():
    tree = FaultTree("top", GATES, {"a": LogNormal(0.5, 20.0), "b": Fixed(0.9), "c": Fixed(1e-4)})
    found = tree.analyse()
    assert found.probability > 1.5 * found.top.value
    assert dict(found.summary().rows)["inputs at their values"].startswith("0.45")


def test_cut_sets_of_a_tree_that_is_not_coherent_have_no_share_of_the_top_event():
    tree = FaultTree("top", {"top": Formula("xor", ("a", "b"))}, {"a": Fixed(0.9), "b": Fixed(0.9)})
    found = tree.analyse()
    assert [row[-1] for row in found.evidence().tables["cut sets"].rows] == [None, None]
    assert "not coherent" in dict(found.summary().rows)["minimal cut sets"]


def test_the_figure_of_the_top_event_shows_an_uncertain_target_as_a_band(result):
    middle = float(np.quantile(result.top.dist.draws, 0.9))
    target = Target(at_most=middle, uncertainty=Uniform(0.5 * middle, 1.5 * middle))
    axes = figures.top_event_figure(result.top, target=target)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    beyond = np.mean(np.asarray(result.top.dist.draws) > target.cautious_limit(0.025))
    assert f"{significant(100 * float(beyond))}% of the draws miss its cautious end" in labels
    assert [label for label in labels if label.startswith("the target itself: ")]
