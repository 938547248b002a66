import math

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
