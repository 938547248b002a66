"""Plans: rows by chance, none that is labelled, outcomes left aside, a sheet that comes back."""

from dataclasses import replace

import numpy as np
import pytest

from surefoot.hazards import labels
from surefoot.hazards.labels.label_plan import drawn, labelled_before, marks

SHARES = np.array([0.1, 0.9])
STRATUM = np.repeat([0, 1], [1000, 9000]).astype(np.intp)


def asked(*, failures=(5.0, 3.0), weight=1.0, name="counted.failure probability", free=None, marked=None):
    trials = np.array([50.0, 450.0])
    return labels.LabelRequest(
        name,
        "net",
        "operation",
        "0123456789abcdef",
        labels.Tally(("doubtful", "sure"), SHARES, trials, trials, np.array(failures), 10_000),
        np.array([0.3, 0.01]),
        np.ones(2),
        STRATUM,
        np.ones(10_000, bool) if free is None else free,
        np.zeros(10_000, np.intp),
        np.full(10_000, 0.75),
        ("=cat", "dog"),
        marks=marked,
        weight=weight,
    )


def test_all_labels_are_spent_on_different_rows_of_their_strata():
    plan = labels.plan_labels([asked()], labels=100)
    assert len({row.row for row in plan.rows}) == 100
    assert {row.stratum for row in plan.rows if row.row < 1000} == {"doubtful"}
    assert sum(row[-1] for row in plan.table().rows) == 100


def test_outcomes_do_not_move_labels_between_strata():
    lucky, unlucky = (labels.plan_labels([asked(failures=each)], labels=100) for each in ((0, 0), (30, 40)))
    assert (lucky.parts[0].added == unlucky.parts[0].added).all()


def test_the_seed_decides_which_rows_and_nothing_else():
    one, same, other = (labels.plan_labels([asked()], labels=50, seed=seed) for seed in (1, 1, 2))
    assert one.rows == same.rows != other.rows
    assert one.table() == other.table()


def test_labelled_rows_are_left_out():
    free = np.ones(10_000, bool)
    free[:990] = False
    rows = labels.plan_labels([asked(free=free)], labels=100).rows
    assert sorted(row.row for row in rows if row.row < 1000) == list(range(990, 1000))


def test_every_row_of_a_stratum_is_equally_likely():
    free = np.ones(40, bool)
    stratum = np.repeat([0, 1], 20)
    counts = np.zeros(40)
    for seed in range(2000):
        counts[drawn(stratum, free, [5, 2], np.random.SeedSequence(seed))] += 1
    expected = np.repeat([500, 200], 20)
    assert ((counts - expected) ** 2 / expected).sum() < 80  # chi-square, 38 degrees of freedom


def test_what_matters_more_to_the_top_event_gets_more_labels():
    less, more = asked(weight=0.01), asked(weight=1.0, name="other.failure probability")
    plan = labels.plan_labels([less, more], labels=100)
    spent = [int(part.added.sum()) for part in plan.parts]
    assert spent[0] < 20 < 80 < spent[1]
    assert sum(spent) == 100


def test_the_top_event_is_told_with_all_bounds_before_and_after():
    plan = labels.plan_labels([replace(asked(), bound=0.5)], labels=100, top=lambda limits: 0.1 * max(limits.values()))
    before, after = plan.top
    assert before == pytest.approx(0.05)
    assert after == pytest.approx(0.1 * plan.parts[0].outlook.then)


def test_copies_of_an_input_name_the_first():
    plan = labels.plan_labels([asked(marked=np.zeros(10_000, np.uint64))], labels=5)
    first = plan.rows[0].row
    assert [row.same_as for row in plan.rows] == [None, *[first] * 4]


def test_a_labelled_input_takes_one_of_its_copies_away():
    operation = np.array([[1.0], [2.0], [1.0], [1.0], [-0.0]], np.float32)
    labelled = np.array([[1.0], [0.0], [7.0]])
    kind = np.result_type(operation, labelled)
    found = labelled_before(marks(operation, kind), marks(labelled, kind))
    assert found.tolist() == [True, False, False, False, True]


def test_texts_are_compared_as_texts():
    texts = np.array(["a", "b", "a"], dtype=object)
    found = marks(texts, texts.dtype)
    assert found[0] == found[2] != found[1]


def test_a_plan_says_where_its_labels_are_not_expected_to_lower_the_bound():
    tight, loose = (labels.plan_labels([replace(asked(), bound=bound)], labels=20) for bound in (0.02, 0.5))
    assert tight.parts[0].outlook.then > 0.02
    assert tight.notes[0].startswith("counted: these labels are not expected to lower the bound, which is 0.02 today")
    assert not loose.notes
