import numpy as np
import pytest
from scipy import stats
from tests.hazards.improvement.braking import braking, counted_braking

from surefoot.bounds import trials_needed
from surefoot.core import Bound, Estimate, InvalidInput, LogNormal, Target
from surefoot.faulttree import Counts, FaultTree, Fixed, Formula, Measured
from surefoot.hazards import improvement as im

SENSORS = FaultTree(
    "t",
    {"t": Formula("or", ("c", "pair")), "pair": Formula("and", ("a", "b"))},
    {"a": Fixed(0.02), "b": Fixed(0.05), "c": Fixed(1e-4)},
)


def test_requirements_share_the_level_and_just_meet_the_target():
    plan = im.test_plan(SENSORS, 1e-3)
    assert [row.event for row in plan.rows] == list(SENSORS.compiled.events)
    assert [row.level for row in plan.rows] == pytest.approx([1 - 0.05 / 3] * 3)
    assert SENSORS.with_events({row.event: row.requirement for row in plan.rows}).probability() == pytest.approx(1e-3)


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_the_number_of_tests_is_the_smallest_that_shows_the_requirement(allowed):
    for row in im.test_plan(SENSORS, 1e-3).rows:
        n = row.tests[str(allowed)]
        uppers = [stats.binomtest(allowed, size).proportion_ci(2 * row.level - 1).high for size in (n, n - 1)]
        assert uppers[0] <= row.requirement < uppers[1]


@pytest.mark.parametrize("allowed", [0, 2])
def test_a_bad_system_passes_the_plan_at_most_as_often_as_the_level_says(allowed):
    """Truths that just miss the target, wherever among the events the excess lies."""
    rng = np.random.default_rng(7)
    plan = im.test_plan(SENSORS, 5e-3, level=0.9)
    need = np.array([row.requirement for row in plan.rows])
    sizes = [row.tests[str(allowed)] for row in plan.rows]
    for shape in (np.ones(3), np.array([1.0, 4.0, 1.0]), np.array([4.0, 1.0, 1.0]), np.array([1.0, 1.0, 4.0])):
        truth = _just_missing(plan, need, shape)
        failures = rng.binomial(sizes, truth, size=(20_000, 3))
        passed = (failures <= allowed).all(axis=1).mean()
        assert passed <= 0.1 + 4 * np.sqrt(0.1 * 0.9 / 20_000)


def _just_missing(plan, need, shape):
    assert [row.event for row in plan.rows] == list(SENSORS.compiled.events)
    truths = np.minimum(np.geomspace(1e-3, 10, 4000)[:, None] * need * shape, 1.0)
    tops = SENSORS.compiled.probability(truths.T)
    return truths[np.flatnonzero(tops > plan.target.limit)[0]]


def test_bounds_at_the_shared_level_cover_the_top_event():
    rng = np.random.default_rng(3)
    plan = im.test_plan(SENSORS, 5e-3, level=0.9)
    truth, level = np.array([0.03, 0.03, 2e-3]), plan.rows[0].level
    sizes = np.array([400, 400, 2000])
    failures = rng.binomial(sizes, truth, size=(5000, 3))
    upper = stats.beta.ppf(level, failures + 1, sizes - failures)
    covered = SENSORS.compiled.probability(upper.T) >= SENSORS.compiled.probability(truth)
    assert covered.mean() >= 0.9


def test_only_components_are_tested_and_the_others_count_at_their_bounds():
    tree = braking(brakes=Counts(0, 10**7))
    plan = im.test_plan(tree, 2e-5)
    (row,) = plan.rows
    assert (row.event, row.component, row.seen) == ("camera", "detector", (3, 4000))
    assert row.level == pytest.approx(1 - 0.05 / 3)
    held = {name: tree.events[name].belief(name).upper(row.level) for name in ("radar", "brakes")}
    assert tree.with_events({**held, "camera": row.requirement}).probability() == pytest.approx(2e-5)
    assert "upper bounds at 98.33%" in plan.sentences()[0]


def test_what_was_seen_says_how_many_new_tests_are_likely_to_do_and_does_not_count_among_them():
    plan = im.test_plan(braking(brakes=Counts(0, 10**7)), 2e-5)
    row = plan["camera"]
    assert not row.shown
    for rate, tests in ((3 / 4000, row.likely), (3 / 8000, row.likely_if_half)):
        assert (tests is None) == (rate >= row.requirement)
        if tests is not None:
            allowed = max(k for k in range(tests) if stats.binom.cdf(k, tests, row.requirement) <= 1 - row.level)
            assert stats.binom.cdf(allowed, tests, rate) >= 0.8
    assert any("do not count towards them" in sentence for sentence in plan.sentences())


def test_enough_evidence_needs_no_more_tests():
    row = im.test_plan(braking(brakes=Counts(0, 10**7), camera=Counts(3, 10**7)), 2e-5)["camera"]
    assert row.shown
    assert trials_needed(row.requirement, level=row.level, failures=3) <= 10**7
    assert row.likely is None


def test_half_of_the_miss_probability_belongs_to_an_uncertain_target():
    target = Target(at_most=1e-3, uncertainty=LogNormal(np.log(1e-3), 0.2))
    plan = im.test_plan(SENSORS, target)
    assert plan.rows[0].level == pytest.approx(1 - 0.025 / 3)
    assert plan.allocation.top == pytest.approx(float(target.uncertainty.ppf(0.025)))


def test_an_infeasible_plan_names_what_blocks_it_and_has_no_numbers():
    plan = im.test_plan(SENSORS, 5e-5, events=["a", "b"])
    assert not plan.feasible
    assert all(count is None for row in plan.rows for count in row.tests.values())
    assert "c (" in plan.sentences()[0]
    assert all(row.reason for row in plan.rows)
    place = plan.table().columns.index("at most")
    assert [row[place] for row in plan.table().rows] == [None, None]


def test_a_requirement_of_nothing_or_of_1_has_no_tests():
    impossible = im.test_plan(SENSORS, 1e-4, events=["a"])
    assert impossible["a"].requirement == pytest.approx(0, abs=1e-12)
    assert impossible["a"].tests["0"] is None or impossible["a"].tests["0"] > 10**10
    free = im.test_plan(SENSORS, 1.0, events=["a"])
    assert free["a"].requirement == 1.0
    assert free["a"].tests == {"0": 0, "1": 0, "2": 0}
    nothing = im.test_plan(FaultTree("t", {"t": Formula("or", ("a",))}, {"a": Fixed(0.1)}), 0.0)
    assert nothing["a"].tests["0"] is None
    assert "shows a probability of 0" in nothing["a"].reason


def test_the_cost_of_each_event_is_that_of_the_cheapest_allocation():
    plan = im.test_plan(SENSORS, 5e-4, method="cost", costs={"a": 1.0, "b": 2.0, "c": 5.0})
    assert sum(row.cost for row in plan.rows) == pytest.approx(plan.allocation.cost)
    assert plan.table().columns[-2:] == ("cost", "remark")


def test_an_event_without_probability_gets_a_requirement():
    tree = FaultTree("t", {"t": Formula("or", ("a", "b"))}, {"a": None, "b": Fixed(1e-4)})
    row = im.test_plan(tree, 1e-3, events=["a"])["a"]
    assert row.today is None
    assert row.requirement == pytest.approx((1e-3 - 1e-4) / (1 - 1e-4))


def test_a_bound_of_a_tested_event_at_another_level_is_not_needed():
    stated = Estimate("failure probability", 1e-4, bounds=(Bound(1e-3, "upper", 0.05, "confidence"),))
    tree = FaultTree("t", {"t": Formula("or", ("a", "b"))}, {"a": Measured(stated), "b": Counts(1, 10**5)})
    row = im.test_plan(tree, 1e-3, events=["a"])["a"]
    assert row.bound is None
    assert row.tests["0"] > 0


def test_confidence_bounds_are_held_too():
    plan = im.test_plan(counted_braking(), 1e-4)
    assert plan.feasible
    assert plan["camera"].level == pytest.approx(1 - 0.05 / 3)


def test_the_table_has_one_row_an_event():
    table = im.test_plan(SENSORS, 1e-3, failures=(0, 3)).table()
    assert len(table.rows) == 3
    assert [name for name in table.columns if name.startswith("tests")] == [
        "tests with 0 failures",
        "tests with 3 failures",
    ]


def test_mistakes_are_named():
    with pytest.raises(InvalidInput, match="Did you mean 'camera'"):
        im.test_plan(braking(), 1e-5, events=["camra"])
    with pytest.raises(InvalidInput, match="how many failures"):
        im.test_plan(braking(), 1e-5, failures=())
    falling = FaultTree("t", {"t": Formula("not", ("a",))}, {"a": Fixed(0.1)})
    with pytest.raises(InvalidInput, match="no event to test"):
        im.test_plan(falling, 0.5)
