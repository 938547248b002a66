import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refusal

from surefoot.core import InvalidInput, SurefootError
from surefoot.datasets import locate
from surefoot.profile import demands


def by_loops(frames, objects, sizes, at_least, gap):
    births = []
    for name in set(objects):
        seen = sorted((frames[i], i) for i in range(len(frames)) if objects[i] == name)
        born, before = False, None
        for frame, row in seen:
            if before is not None and gap is not None and frame - before - 1 > gap:
                born = False
            if not born and sizes[row] >= at_least:
                born = True
                births.append(row)
            before = frame
    return sorted(births, key=lambda row: (frames[row], row))


tracks = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), unique=True, max_size=40)


@given(tracks, st.randoms(use_true_random=False), st.integers(0, 6), st.none() | st.integers(0, 4))
def test_births_match_loops(pairs, random, at_least, gap):
    frames, objects = ([pair[i] for pair in pairs] for i in (0, 1))
    sizes = [random.randint(0, 6) for _ in pairs]
    found = demands(frames, objects, sizes=sizes, at_least=at_least, gap=gap)
    assert found.tolist() == by_loops(frames, objects, sizes, at_least, gap)


@given(tracks, st.none() | st.integers(0, 4))
def test_without_sizes_every_first_row_counts(pairs, gap):
    frames, objects = ([pair[i] for pair in pairs] for i in (0, 1))
    found = demands(frames, objects, gap=gap)
    assert found.tolist() == by_loops(frames, objects, [1] * len(pairs), 0, gap)


def test_a_small_object_that_stays_in_view_is_not_born_again():
    found = demands([1, 2, 3, 4, 5], ["a"] * 5, sizes=[9, 9, 2, 2, 9], at_least=5, gap=0)
    assert found.tolist() == [0]


def test_an_object_that_never_grows_gives_no_input():
    assert demands([1, 2], ["a", "a"], sizes=[1, 2], at_least=5).tolist() == []


def test_a_hundred_thousand_rows_match_one_row_a_track():
    frames, objects = np.tile(np.arange(1000), 100), np.repeat(np.arange(100), 1000)
    order = np.random.default_rng(0).permutation(100_000)
    found = demands(frames[order], objects[order])
    assert (frames[order][found] == 0).all()
    assert sorted(objects[order][found]) == list(range(100))


def test_bad_annotations_are_refused():
    for arguments, options, message in (
        (([1, 1], ["a", "a"]), {}, "frame 1 in rows 0 and 1"),
        (([1.5], ["a"]), {}, "whole numbers"),
        (([1, np.nan], ["a", "b"]), {}, "finite"),
        (([1, 2], ["a"]), {}, "same length"),
        (([1], [None]), {}, "missing labels"),
        (([1], ["a"]), {"sizes": [3]}, "belong together"),
        (([1], ["a"]), {"at_least": 3}, "belong together"),
        (([1], ["a"]), {"sizes": [3, 4], "at_least": 3}, "same length"),
        (([1], ["a"]), {"sizes": [np.nan], "at_least": 3}, "finite"),
        (([1], ["a"]), {"gap": -1}, "at least 0"),
    ):
        assert re.search(message, refusal(InvalidInput, demands, *arguments, **options)), message


def test_pets_has_one_input_a_person():
    try:
        truth = np.loadtxt(locate("mot15") / "PETS09-S2L1" / "gt.txt", delimiter=",")
    except (SurefootError, OSError) as error:
        pytest.skip(f"MOT15 is not here: {error}")
    frames, people, pixels = truth[:, 0], truth[:, 1].astype(int), truth[:, 4] * truth[:, 5]
    assert len(truth) == 4650
    assert len(demands(frames, people)) == len(set(people)) == 19
    found = demands(frames, people, sizes=pixels, at_least=2000, gap=20)
    assert found.tolist() == by_loops(frames, people, pixels, 2000, 20)
