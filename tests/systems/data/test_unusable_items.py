"""Items that cannot be corrupted are named by their number in the study."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.corruptions import corrupt
from surefoot.systems import CLEAN, Condition, Items, Module, Study, System, conditions

IMAGES = np.random.default_rng(0).random((30, 6, 6, 1))


def meter(name="meter"):
    run = Module(
        "mean", lambda x: [float(np.mean(each)) if np.size(each) else 0.0 for each in x], {"x": "frame"}, gives="number"
    )
    return System([run], inputs={"frame": "image"}, name=name)


BRIGHT = conditions(["brightness"], [1])


def study(images, chosen=BRIGHT, **options):
    return Study(meter(), Items({"frame": images}, np.zeros(len(images))), chosen, "mae", **options)


def with_bad(item, bad):
    return [*IMAGES[:item], bad, *IMAGES[item + 1 :]]


@pytest.mark.parametrize("bad", [np.zeros((0, 6, 1)), np.zeros((6, 6, 5)), np.full((6, 6, 1), 2.0)])
def test_the_item_is_named_whatever_the_chunk(bad):
    with pytest.raises(InvalidInput, match="brightness 1, input 'frame', item 26"):
        study(with_bad(26, bad), chunk=8).run()


def test_a_corruption_of_ones_own_that_raises_is_named():
    def own(values, severity, *, seed, first):
        raise ValueError("own trouble")

    with pytest.raises(InvalidInput, match=r"mine 1, input 'frame', item 0.*ValueError: own trouble"):
        study(IMAGES, [CLEAN, Condition("mine", 1, inputs="frame", function=own)]).run()


def test_images_of_different_sizes_in_one_call_are_told():
    with pytest.raises(InvalidInput, match="one size"):
        corrupt([np.zeros((8, 8, 3)), np.zeros((9, 8, 3))], "fog", 3)


def test_one_severity_needs_no_list():
    assert conditions("fog", 3) == conditions(["fog"], [3])
    assert conditions("fog", "low") == conditions(["fog"], ["low"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: Study("meter", None, [], "mae"), "needs a System"),
        (lambda: Study(meter(), IMAGES, [CLEAN], "mae"), "must be Items"),
        (lambda: study(IMAGES, ["fog 3"]), "must be Condition"),
    ],
)
def test_a_study_of_the_wrong_things_is_told(change, said):
    with pytest.raises(InvalidInput, match=said):
        change()


def test_names_with_slashes_are_written(tmp_path):
    made = Study(meter("a/../b"), Items({"frame": IMAGES}, np.zeros(30)), [CLEAN], "mae")
    files = made.run().write(tmp_path)
    assert files
    assert all(file.parent == tmp_path for file in files)
