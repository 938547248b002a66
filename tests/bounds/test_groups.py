import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f_oneway
from tests.refusals import refusal

import surefoot as sf

RNG = np.random.default_rng(8)
SIZES = RNG.integers(1, 8, 120)
GROUPS = np.repeat(np.arange(120), SIZES)
LOSSES = (RNG.random(GROUPS.size) < np.repeat(RNG.beta(0.5, 4, 120), SIZES)).astype(float)


def test_groups_of_one_are_plain_losses():
    x = np.random.default_rng(1).beta(2, 5, 90)
    found = sf.bounds.grouped(x, np.arange(90), level=0.95, max_group_size=1)
    assert found.interval(0.9) == pytest.approx(sf.bounds.betting(x, level=0.95).interval(0.9))


def test_identical_copies_add_nothing():
    x = np.random.default_rng(1).beta(2, 5, 90)
    found = sf.bounds.grouped(np.repeat(x, 5), np.repeat(np.arange(90), 5), level=0.95, max_group_size=5)
    assert found.interval(0.9) == pytest.approx(sf.bounds.betting(x, level=0.95).interval(0.9))


def test_per_group_counts_groups_with_a_failure():
    failed = sum(LOSSES[g == GROUPS].any() for g in range(120))
    found = sf.bounds.grouped(LOSSES, GROUPS, level=0.95, per="group")
    assert found.bounds == sf.bounds.clopper_pearson(failed, 120, level=0.95).bounds
    assert found.unit == "per group"


def test_per_group_of_graded_losses_bets_on_the_worst():
    x = np.random.default_rng(1).beta(2, 5, GROUPS.size)
    worst = np.array([x[g == GROUPS].max() for g in range(120)])
    found = sf.bounds.grouped(x, GROUPS, level=0.95, per="group")
    assert found.value == pytest.approx(worst.mean())
    assert found.upper(0.95) == pytest.approx(sf.bounds.betting(worst, level=0.95).upper(0.95))


def test_labels_may_be_text_and_order_does_not_name_groups():
    names = np.array([f"patient {g:03d}" for g in GROUPS])
    by_name = sf.bounds.grouped(LOSSES, names, level=0.95, max_group_size=10)
    assert by_name.bounds == sf.bounds.grouped(LOSSES, GROUPS, level=0.95, max_group_size=10).bounds


def test_largest_size_from_data_is_heuristic_and_few_groups_are_told():
    found = sf.bounds.grouped(LOSSES[GROUPS < 9], GROUPS[GROUPS < 9], level=0.95)
    assert {b.kind for b in found.bounds} == {"heuristic"}
    assert [c.code for c in found.caveats] == ["weights-estimated", "few-groups"]


def test_intraclass_correlation_matches_one_way_analysis_of_variance():
    n, count = LOSSES.size, 120
    found = sf.bounds.effective_sample_size(LOSSES, GROUPS)
    f = f_oneway(*(LOSSES[g == GROUPS] for g in range(count))).statistic
    typical = (n - (SIZES**2).sum() / n) / (count - 1)
    assert found.icc == pytest.approx((f - 1) / (f - 1 + typical))
    assert found.effective_size == pytest.approx(n / (1 + ((SIZES**2).sum() / n - 1) * found.icc))


def test_effective_size_finds_a_known_correlation():
    rng, size, groups, icc = np.random.default_rng(0), 6, 20_000, 0.3
    p = rng.beta(0.2 * (1 / icc - 1), 0.8 * (1 / icc - 1), groups)
    x = (rng.random((groups, size)) < p[:, None]).astype(float).ravel()
    found = sf.bounds.effective_sample_size(x, np.repeat(np.arange(groups), size))
    assert found.icc == pytest.approx(icc, abs=0.02)
    assert found.effective_size == pytest.approx(groups * size / (1 + 5 * icc), rel=0.03)


def test_perfect_copies_are_worth_one_each():
    x = np.repeat([0.0, 1.0, 0.0, 0.0], 5)
    found = sf.bounds.effective_sample_size(x, np.repeat(np.arange(4), 5))
    assert found.icc == pytest.approx(1)
    assert found.effective_size == pytest.approx(4)


def test_correlation_is_undefined_without_repeats_or_differences():
    for x, groups in (([0, 0, 0], [1, 1, 2]), ([0, 1, 0], [1, 1, 1]), ([0, 1, 0], [1, 2, 3])):
        assert refusal(sf.Undefined, sf.bounds.effective_sample_size, x, groups), (x, groups)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
@settings(deadline=None)
def test_duplicate_groups_agree_with_numpy(rows):
    found = sf.bounds.duplicate_groups(np.array(rows))
    same = (np.array(rows)[:, None] == np.array(rows)[None]).all(axis=2)
    assert ((found[:, None] == found[None]) == same).all()
    assert found[0] == 0


def test_duplicate_groups_of_images_text_and_signed_zeros():
    assert sf.bounds.duplicate_groups(np.array([[0.0, 1], [-0.0, 1], [2, 1]])).tolist() == [0, 0, 1]
    assert sf.bounds.duplicate_groups(["a", "b", "a"]).tolist() == [0, 1, 0]
    assert sf.bounds.duplicate_groups(np.zeros((3, 4, 4), np.uint8)).tolist() == [0, 0, 0]


def test_bad_rows_are_refused():
    for rows in (3.0, [], [[0.1], [math.nan]], np.array([{}, {}])):
        assert refusal(sf.InvalidInput, sf.bounds.duplicate_groups, rows), rows


def test_bad_input_is_refused():
    for losses, groups, options in (
        ([0.1, 0.2], [1], {}),
        ([0.1, 0.2], [[1], [2]], {}),
        ([0.1, 1.2], [1, 2], {}),
        ([0.1, 0.2], [1, math.nan], {}),
        ([0.1, 0.2], [1, 1], {"max_group_size": 1}),
        ([0.1, 0.2], [1, 1], {"max_group_size": 2.5}),
        ([], [], {}),
        ([0.1, 0.2], [1, 1], {"per": "patient"}),
        ([0.1, 0.2], [1, 1], {"level": 0}),
        ([0.1, 0.2], [None, "a"], {}),
    ):
        assert refusal(sf.InvalidInput, sf.bounds.grouped, losses, groups, **{"level": 0.9, **options}), losses


NAMES = [f"patient {g:03d}" for g in GROUPS]
TEXT_LABELS = {
    "list": NAMES,
    "objects": np.array(NAMES, dtype=object),
    "series": pd.Series(NAMES),
    "object series": pd.Series(NAMES, dtype=object),
    "categorical": pd.Categorical(NAMES),
    "categorical series": pd.Series(NAMES, dtype="category"),
    "index": pd.Index(NAMES),
}


def test_text_labels_are_the_same_groups_in_every_container():
    for labels in TEXT_LABELS.values():
        plain = sf.bounds.grouped(LOSSES, np.array(NAMES), level=0.95, max_group_size=10)
        assert sf.bounds.grouped(LOSSES, labels, level=0.95, max_group_size=10) == plain, labels
        assert sf.bounds.effective_sample_size(LOSSES, labels) == sf.bounds.effective_sample_size(LOSSES, GROUPS), (
            labels
        )
        assert sf.bounds.duplicate_groups(labels).tolist() == GROUPS.tolist(), labels


def test_whole_numbers_may_be_objects():
    for labels in (GROUPS.tolist(), GROUPS.astype(object), pd.Series(GROUPS, dtype="Int64")):
        plain = sf.bounds.grouped(LOSSES, GROUPS, level=0.95, max_group_size=10)
        assert sf.bounds.grouped(LOSSES, labels, level=0.95, max_group_size=10) == plain, labels


MIXED = [
    [1, "1", "a"],
    np.array([1, "1", "a"], dtype=object),
    pd.Series([1, "1", "a"]),
    ["a", None, "b"],
    pd.Series(["a", None, "b"]),
    pd.Categorical(["a", None, "b"]),
    pd.Series([1, pd.NA, 2], dtype="Int64"),
    [True, "True", "a"],
    np.array([True, 1, 2], dtype=object),
    [b"a", "a", "b"],
    np.array([2**70, 1, 2], dtype=object),
    np.ma.masked_array([1, 2, 3], mask=[0, 0, 1]),
    np.array([1j, 2, 3]),
    [[1, 2], [3], [4]],
    [object(), object(), object()],
]


def test_mixtures_that_numpy_would_merge_are_refused():
    for labels in MIXED:
        assert "groups" in refusal(sf.InvalidInput, sf.bounds.grouped, [0.1, 0.2, 0.3], labels, level=0.9), labels
        assert "rows" in refusal(sf.InvalidInput, sf.bounds.duplicate_groups, labels), labels


def test_a_mixture_is_named_with_a_remedy():
    with pytest.raises(sf.InvalidInput, match=r"found text, whole numbers\. Convert all entries to text"):
        sf.bounds.grouped([0.1, 0.2, 0.3], [1, "1", "a"], level=0.9)


def test_losses_that_differ_by_rounding_alone_have_no_correlation():
    with pytest.raises(sf.Undefined):
        sf.bounds.effective_sample_size([0.3, 0.1 + 0.2, 0.3, 0.3], [1, 1, 2, 2])


def cells(count):
    """All ways in which each of so many cells fails or not; a block is half of one cell and half of the next."""
    ways = np.array(list(np.ndindex(*(2,) * (count + 1))))
    return ways, (ways[:, :-1] + ways[:, 1:]) / 2


def missed(ends, ways, q, truth, side):
    """The exact probability that a limit misses, where cells fail independently with probability q."""
    chance = np.prod(np.where(ways == 1, q, 1 - q), axis=1)
    below = ends < truth - 1e-9 if side == "upper" else ends > truth + 1e-9
    return float(chance @ below)


@pytest.mark.parametrize(("per", "count"), [("group", 11), ("input", 6)])
def test_touching_blocks_keep_the_level_where_bursts_cross_their_edges(per, count):
    ways, means = cells(count)
    kept = {False: [], True: []}
    for touching, limits in kept.items():
        known = {}
        for row in np.ceil(means) if per == "group" else means:
            # The order of blocks counts where it is shuffled, their number alone where it is not.
            key = row.sum() if per == "group" else tuple(row)
            if key not in known:
                asked = {"level": 0.95, "per": per, "max_group_size": 1, "touching": touching}
                found = sf.bounds.grouped(row, np.arange(count), **asked)
                known[key] = [getattr(found, side)(level) for side in ("upper", "lower") for level in (0.95, 0.8)]
            limits.append(known[key])
    worst = {}
    for touching, limits in kept.items():
        ends = np.array(limits).T
        for q in np.linspace(0.01, 0.99, 40):
            truth = 1 - (1 - q) ** 2 if per == "group" else q
            for place, level in enumerate((0.95, 0.8, 0.95, 0.8)):
                share = missed(ends[place], ways, q, truth, "upper" if place < 2 else "lower") / (1 - level)
                worst[touching] = max(worst.get(touching, 0.0), share)
    assert worst[True] <= 1
    assert worst[False] > 1


def test_touching_blocks_without_a_failure_are_worth_half_as_many():
    found = sf.bounds.grouped(np.zeros(410), np.arange(410) // 10, level=0.95, per="group", touching=True)
    assert found.upper(0.95) == pytest.approx(1 - 0.05 ** (1 / 20))
    assert {a.id: a.status for a in found.assumptions}["distant-rows-independent"] == "unchecked"


def test_blocks_that_are_no_neighbours_cost_nothing():
    x, numbers = np.random.default_rng(1).beta(2, 5, 60), 2 * np.arange(60)
    for per in ("input", "group"):
        asked = {"level": 0.95, "per": per, "max_group_size": 1}
        apart = sf.bounds.grouped(x, numbers, touching=True, **asked)
        assert apart.bounds == sf.bounds.grouped(x, numbers, **asked).bounds


def test_bursts_that_outlast_a_block_are_told():
    failed = np.zeros(2000)
    failed[300:420] = 1
    found = sf.bounds.grouped(failed, np.arange(2000) // 10, level=0.95, per="group", touching=True)
    assert {a.id: a.status for a in found.assumptions}["distant-rows-independent"] == "contradicted"


def test_touching_groups_are_numbered():
    asked = {"level": 0.95, "touching": True}
    assert "whole numbers" in refusal(sf.InvalidInput, sf.bounds.grouped, np.zeros(4), list("aabb"), **asked)


@pytest.mark.parametrize("positions", [np.arange(100), np.sort(np.random.default_rng(2).permutation(400)[:90])])
def test_distant_rows_are_a_block_apart_and_no_more_fit_between(positions):
    seen = set()
    for seed in range(60):
        rows = sf.bounds.distant_rows(positions, block=7, seed=seed)
        places = positions[rows]
        assert np.diff(places).min() >= 7
        between = [positions[(positions >= low + 7) & (positions < high)] for low, high in pairwise(places)]
        assert all(part.size == 0 for part in between)
        seen.add(int(places[0]))
    assert max(seen) - min(seen) >= 4
