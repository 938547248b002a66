"""Masks as COCO writes them, against its own library."""

import numpy as np
import pytest

from surefoot.documents import run_lengths

RunLengths = run_lengths.RunLengths
HEIGHT, WIDTH = 61, 83


# Its compiled part was written for numpy 1.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def blobs(count, seed=0):
    from scipy import ndimage

    rng = np.random.default_rng(seed)
    found = [ndimage.gaussian_filter(rng.normal(size=(HEIGHT, WIDTH)), s) > 0.01 for s in rng.uniform(0.5, 8, count)]
    return [*found, np.zeros((HEIGHT, WIDTH), bool), np.ones((HEIGHT, WIDTH), bool)]


def coco():
    return pytest.importorskip("pycocotools.mask")


def test_packed_and_plain_counts_hold_the_pixels_that_coco_packed():
    for mask in blobs(30):
        packed = coco().encode(np.asfortranarray(mask.astype(np.uint8)))
        for said in (packed, packed | {"counts": packed["counts"].decode()}):
            found = RunLengths.read(said, HEIGHT, WIDTH)
            assert np.array_equal(found.array(), mask)
            assert found.area == coco().area(packed)
            x, y, width, height = coco().toBbox(packed)
            assert found.corners.tolist() == ([x, y, x + width, y + height] if mask.any() else [0] * 4)
        again = RunLengths.read({"size": [HEIGHT, WIDTH], "counts": RunLengths.of(mask).counts.tolist()})
        assert np.array_equal(again.array(), mask)
        assert again.digest() == found.digest()


def test_shared_pixels_are_those_of_coco():
    masks = blobs(12)
    packed = [coco().encode(np.asfortranarray(mask.astype(np.uint8))) for mask in masks]
    runs = [RunLengths.of(mask) for mask in masks]
    assert np.array_equal([each.shared(runs) for each in runs], [[int((a & b).sum()) for b in masks] for a in masks])
    areas = np.array([each.area for each in runs])
    shared = np.array([each.shared(runs) for each in runs])
    union = areas[:, None] + areas - shared
    assert np.array_equal(shared / np.maximum(union, 1), coco().iou(packed, packed, [0] * len(packed)))


@pytest.mark.parametrize("seed", range(20))
def test_polygons_have_the_pixels_of_coco(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        polygons = []
        for _ in range(rng.integers(1, 4)):
            points = rng.uniform(-15, 95, (rng.integers(3, 12), 2))
            style = rng.integers(0, 4)
            points = (points, points.round(), points.round(1), np.repeat(points.round(), 2, axis=0))[style]
            polygons.append(points.ravel().tolist())
        packed = coco().merge(coco().frPyObjects(polygons, HEIGHT, WIDTH))
        assert np.array_equal(RunLengths.read(polygons, HEIGHT, WIDTH).array(), coco().decode(packed) > 0)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ([[1, 2, 3, 4, 5]], "odd number"),
        ([[1, 2, 3, 4]], "three points"),
        ([[1, 2, 3, 4, 5, float("nan")]], "NaN"),
        ([[1, 2, 3, 4, 5, "x"]], "no number"),
        ([1, 2, 3, 4, 5, 6], "polygon 0"),
        ([], "list of polygons"),
        ("1 2 3", "list of polygons"),
        ({"size": [HEIGHT, WIDTH]}, "counts"),
        ({"size": [HEIGHT], "counts": [1]}, "size"),
        ({"size": [WIDTH, HEIGHT], "counts": [HEIGHT * WIDTH]}, "not that of the image"),
        ({"size": [HEIGHT, WIDTH], "counts": [5, 6]}, "add up to 11"),
        ({"size": [HEIGHT, WIDTH], "counts": [HEIGHT * WIDTH + 3, -3]}, "negative"),
        ({"size": [HEIGHT, WIDTH], "counts": [1.5, HEIGHT * WIDTH - 1.5]}, "whole"),
        ({"size": [HEIGHT, WIDTH], "counts": "a b"}, "stands for nothing"),
        ({"size": [HEIGHT, WIDTH], "counts": "PP"}, "middle of a number"),
        ({"size": [HEIGHT, WIDTH], "counts": {"a": 1}}, "whole numbers"),
    ],
)
def test_what_is_no_mask_is_told(said, words):
    with pytest.raises(ValueError, match=words):
        RunLengths.read(said, HEIGHT, WIDTH)


def test_probabilities_say_yes_from_one_half_on():
    assert RunLengths.of([[0.4, 0.5], [0.6, 0.0]]).array().tolist() == [[False, True], [True, False]]
    with pytest.raises(ValueError, match="shape"):
        RunLengths.of([1, 0])
