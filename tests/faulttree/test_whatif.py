import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.trees import fault_trees

from surefoot.core import Beta, Bound, Estimate, InvalidInput, Target
from surefoot.faulttree import BetaFactor, Counts, Exponential, FaultTree, Fixed, Formula, Measured, Parameter

BRAKES = FaultTree(
    "no braking",
    {
        "no braking": Formula("or", ("power", "both channels")),
        "both channels": Formula("and", ("camera", "radar", "on")),
    },
    {"power": Counts(0, 10_000), "camera": Counts(3, 1000), "radar": Fixed(2e-2)},
    houses={"on": True},
)
PUMPS = FaultTree(
    "no flow",
    {"no flow": Formula("or", ("valve", Formula("and", ("pump 1", "pump 2"))))},
    {
        "valve": Fixed(1e-4),
        "pump 1": Exponential(Parameter("rate"), Fixed(100)),
        "pump 2": Exponential(Parameter("rate"), Parameter("time")),
    },
    parameters={"rate": Counts(5, 10_000), "time": Fixed(50)},
)


def values_of(tree):
    return {name: quantity.value for name, quantity in tree.events.items()}


def test_before_and_after_are_exact_at_the_values():
    found = BRAKES.what_if({"radar": 0.01})
    power, camera = 0.5 / 10_001, 3.5 / 1001
    assert found.point_before == pytest.approx(1 - (1 - power) * (1 - camera * 0.02), rel=1e-12)
    assert found.point_after == pytest.approx(1 - (1 - power) * (1 - camera * 0.01), rel=1e-12)


def test_shared_inputs_cancel_in_the_difference():
    found = BRAKES.what_if({"radar": 0.01}, draws=20_000)
    low, high = found.difference.interval(0.95)
    camera = Beta(3.5, 997.5)
    assert -low == pytest.approx(0.01 * float(camera.ppf(0.975)), rel=0.03)
    assert -high == pytest.approx(0.01 * float(camera.ppf(0.025)), rel=0.03)
    apart = found.before.interval(0.95)
    assert high - low < apart[1] - apart[0]


def test_a_ratio_has_an_interval_of_its_own():
    found = BRAKES.what_if({"power": False}, draws=20_000)
    low, high = found.ratio.interval(0.9)
    assert 0 < low < found.ratio.value < high < 1


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        ({"power": True}, 1.0),
        ({"power": False, "camera": True}, 0.02),
        ({"on": False, "power": 0.25}, 0.25),
        ({"both channels": True}, 1.0),
        ({"power": Fixed(0.5), "camera": Estimate.known("camera", 0.5, source="test")}, 0.505),
    ],
    ids=["certain event", "two events", "house event", "gate", "quantity and estimate"],
)
def test_every_kind_of_change(changes, after):
    assert BRAKES.what_if(changes, draws=100, level=0.5).point_after == pytest.approx(after, rel=1e-12)


def test_a_parameter_changes_every_event_that_shares_it():
    found = PUMPS.what_if({"rate": 0.01, "time": 10.0})
    pumps = -np.expm1(-0.01 * 100) * -np.expm1(-0.01 * 10)
    assert found.point_after == pytest.approx(1 - (1 - 1e-4) * (1 - pumps), rel=1e-12)


def test_members_and_events_of_a_common_cause_can_be_changed():
    group = BetaFactor("channels", ("a", "b"), Fixed(0.01), Fixed(0.1))
    tree = FaultTree("top", {"top": Formula("and", ("a", "b"))}, {}, groups=(group,))
    assert tree.what_if({"a": True}).point_after == pytest.approx(1 - (1 - 0.009) * (1 - 0.001))
    assert tree.what_if({"[a b]": False}).point_after == pytest.approx(0.009**2)


def test_scenarios_are_told_apart_by_name():
    found = BRAKES.scenarios({"better radar": {"radar": 0.01}, "no power loss": {"power": False}}, draws=2000)
    assert [row[0] for row in found.table().rows] == ["better radar", "no power loss"]
    assert found["no power loss"].point_after == pytest.approx(0.02 * 3.5 / 1001)
    assert "better radar" in str(found)
    with pytest.raises(InvalidInput, match="no scenario"):
        found["worse radar"]


def test_bounds_without_a_distribution_are_shared_out():
    measured = Estimate(
        "camera", 1e-3, bounds=(Bound(4e-3, "upper", 0.025, "confidence"), Bound(0.0, "lower", 0.0, "certain"))
    )
    tree = FaultTree(
        "top", {"top": Formula("and", ("camera", "radar"))}, {"camera": Measured(measured), "radar": Fixed(0.5)}
    )
    found = tree.what_if({"radar": 0.1}, level=0.95)
    assert found.point_after == pytest.approx(1e-4)
    assert found.after.upper(0.975) == pytest.approx(4e-4)


def test_a_top_event_that_was_impossible_has_no_ratio():
    tree = FaultTree("top", {"top": Formula("or", ("a",))}, {"a": Fixed(0.0)})
    found = tree.what_if({"a": 0.1})
    assert found.ratio is None
    assert "certain" in str(found)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "at least one change"),
        ({"lidar": 0.1}, "unknown event"),
        ({"on": 0.5}, "takes True or False"),
        ({"both channels": 0.5}, "takes True or False"),
    ],
    ids=["nothing", "unknown", "house", "gate"],
)
def test_changes_that_mean_nothing_are_refused(changes, says):
    with pytest.raises(InvalidInput, match=says):
        BRAKES.what_if(changes)


@given(tree=fault_trees(events=(2, 6)), data=st.data())
@settings(max_examples=15, deadline=None)
def test_sweeps_of_random_trees_agree_with_brute_force(tree, data):
    first, second = data.draw(st.permutations(sorted(tree.events)))[:2]
    grid = np.array([0.0, 0.3, 1.0])
    found, table, values = tree.sweep(first, grid, second=(second, [0.2, 0.7])), Table.of(tree), values_of(tree)
    expected = [[table.probability({**values, first: a, second: b}) for b in (0.2, 0.7)] for a in grid]
    assert found.top == pytest.approx(np.array(expected), abs=1e-12)


@given(tree=fault_trees(events=(1, 6)), data=st.data())
@settings(max_examples=15, deadline=None)
def test_the_crossing_of_an_event_is_where_the_target_is_met(tree, data):
    name, target = data.draw(st.sampled_from(sorted(tree.events))), data.draw(st.floats(0.01, 0.99))
    table, values = Table.of(tree), values_of(tree)
    never, always = (table.probability({**values, name: end}) for end in (0.0, 1.0))
    assume(min(abs(never - target), abs(always - target)) > 1e-9)
    found = tree.sweep(name, [0.1, 0.2], target=target).crossings
    assert bool(found) == (min(never, always) <= target <= max(never, always))
    for value in found:
        assert table.probability({**values, name: value}) == pytest.approx(target, rel=1e-9)


def test_a_thousand_values_of_a_parameter_and_its_crossing():
    rates = np.geomspace(1e-6, 1e-1, 1000)
    found = PUMPS.sweep("rate", rates, target=Target(at_most=0.01))
    pumps = np.expm1(-rates * 100) * np.expm1(-rates * 50)
    assert found.top == pytest.approx(1 - (1 - 1e-4) * (1 - pumps), rel=1e-12)
    (rate,) = found.crossings
    assert PUMPS.what_if({"rate": rate}).point_after == pytest.approx(0.01, rel=1e-12)
    assert str(found).endswith(f"target 0.01 at {rate:.6g}")


def test_the_table_of_a_grid_has_one_row_a_pair():
    found = BRAKES.sweep("power", [0.0, 0.5], second=("radar", [0.0, 0.5, 1.0]))
    assert len(found.table().rows) == 6
    assert found.table().rows[-1][:2] == (0.5, 1.0)


@pytest.mark.parametrize(
    ("name", "values", "more", "says"),
    [
        ("lidar", [0.1], {}, "unknown event"),
        ("power", [0.1, 1.5], {}, "lie in"),
        ("power", [], {}, "at least 1"),
        ("power", [0.1], {"second": ("power", [0.2])}, "must differ"),
        ("power", [0.1], {"target": 2.0}, "target"),
    ],
    ids=["unknown", "outside", "empty", "twice", "target"],
)
def test_sweeps_that_mean_nothing_are_refused(name, values, more, says):
    with pytest.raises(InvalidInput, match=says):
        BRAKES.sweep(name, values, **more)


def test_the_tornado_moves_one_input_at_a_time():
    found = BRAKES.tornado(level=0.8)
    camera = Beta(3.5, 997.5)
    (bar,) = [bar for bar in found.bars if bar.input == "camera"]
    power = 0.5 / 10_001
    for end, top in ((0.1, bar.top_at_low), (0.9, bar.top_at_high)):
        assert top == pytest.approx(1 - (1 - power) * (1 - 0.02 * float(camera.ppf(end))), rel=1e-12)
    assert [bar.input for bar in found.bars] == ["power", "camera"]
    assert found.bars[0].swing > found.bars[1].swing


def test_a_shared_parameter_is_one_bar_that_moves_all_its_events():
    found = PUMPS.tornado()
    assert [bar.input for bar in found.bars] == ["rate"]
    high = float(Beta(5.5, 9995.5).ppf(0.95))
    pumps = np.expm1(-high * 100) * np.expm1(-high * 50)
    assert found.bars[0].top_at_high == pytest.approx(1 - (1 - 1e-4) * (1 - pumps), rel=1e-9)


def test_more_inputs_than_are_evaluated_at_once_are_all_there():
    names = [f"e{i}" for i in range(450)]
    tree = FaultTree(
        "top", {"top": Formula("or", tuple(names))}, {name: Counts(i, 10_000) for i, name in enumerate(names)}
    )
    found = tree.tornado()
    assert sorted(bar.input for bar in found.bars) == sorted(names)
    assert all(bar.top_at_low < found.value < bar.top_at_high for bar in found.bars)


def test_an_input_without_bounds_at_the_level_is_named():
    measured = Estimate("a", 0.1, bounds=(Bound(0.2, "upper", 0.05, "confidence"),))
    tree = FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Measured(measured), "b": Counts(1, 10)})
    assert tree.tornado(level=0.5).left_out == ("a",)
    assert tree.tornado(level=0.9).left_out == ()
    assert "a: no bounds" in str(tree.tornado(level=0.5))


def test_breaking_even_names_the_events_that_suffice_alone():
    found = BRAKES.break_even(6e-5)
    assert not found.met
    assert list(found.needed) == list(found.perfect)[: len(found.needed)]
    assert found.perfect["power"] == pytest.approx(0.02 * 3.5 / 1001)
    assert "power" not in found.needed
    assert BRAKES.what_if({"radar": found.needed["radar"]}).point_after == pytest.approx(6e-5, rel=1e-9)


@given(tree=fault_trees(events=(1, 6)), target=st.floats(0.01, 0.99))
@settings(max_examples=15, deadline=None)
def test_breaking_even_agrees_with_brute_force(tree, target):
    table, values = Table.of(tree), values_of(tree)
    found = tree.break_even(target)
    assert set(found.perfect) >= table.relevant
    for name, top in found.perfect.items():
        ends = [table.probability({**values, name: end}) for end in (0.0, 1.0)]
        assert top == pytest.approx(min(ends), abs=1e-12)
        if name in found.needed:
            assert table.probability({**values, name: found.needed[name]}) == pytest.approx(target, rel=1e-9)


@pytest.fixture
def pyplot():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    yield plt
    plt.close("all")


def test_the_tornado_chart_has_a_bar_for_each_side_of_each_input(pyplot):
    found = BRAKES.tornado()
    axes = found.plot()
    ends = sorted(bar.get_width() + found.value for bar in axes.patches)
    assert ends == pytest.approx(sorted(end for bar in found.bars for end in (bar.top_at_low, bar.top_at_high)))
    assert [text.get_text() for text in axes.get_yticklabels()] == ["power", "camera"]
    assert "1 more inputs" in found.plot(most=1).get_xlabel()


def test_the_sweep_plot_marks_the_crossing(pyplot):
    found = PUMPS.sweep("rate", np.geomspace(1e-6, 1e-1, 50), target=0.01)
    curve, _, mark = found.plot().get_lines()
    assert mark.get_xdata()[0] == pytest.approx(found.crossings[0])
    assert curve.get_ydata() == pytest.approx(found.top)


def test_the_map_of_two_numbers_draws_the_target(pyplot):
    found = BRAKES.sweep("camera", np.linspace(0, 0.1, 20), second=("radar", np.linspace(0, 0.1, 20)), target=1e-3)
    axes = found.plot()
    assert "target 0.001" in [text.get_text() for text in axes.get_legend().get_texts()]


def test_what_cannot_be_drawn_is_refused(pyplot):
    tree = FaultTree("top", {"top": Formula("or", ("a",))}, {"a": Fixed(0.1)})
    with pytest.raises(InvalidInput, match="no input is uncertain"):
        tree.tornado().plot()
    with pytest.raises(InvalidInput, match="two values each way"):
        BRAKES.sweep("camera", [0.1], second=("radar", [0.1])).plot()


def test_answers_say_in_a_line_what_they_are():
    tree = FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Fixed(0.25), "b": Counts(1, 100)})
    assert repr(tree.what_if({"a": 0.5})).startswith("Comparison('what if', 0.2")
    assert repr(tree.tornado()).startswith("Tornado('top', 0.2")
    swept = tree.sweep("a", [0.1, 0.2])
    assert repr(swept).startswith("Sweep(top over 2 values of a: ")
    assert "<table" in swept._repr_html_()
    assert "<table" in tree.cut_sets()._repr_html_()
