"""Overlap of masks, against scikit-learn, the published code of Boundary IoU, and every region of its own."""

import numpy as np
import pytest
from sklearn.metrics import jaccard_score

import surefoot as sf
from surefoot.core import InvalidInput


def blobs(seed, shape=(60, 80), classes=3):
    from scipy import ndimage

    rng = np.random.default_rng(seed)
    heights = np.stack([ndimage.gaussian_filter(rng.normal(size=shape), 5) for _ in range(classes)])
    answer = heights + np.stack([ndimage.gaussian_filter(rng.normal(size=shape), 5) for _ in range(classes)]) * 0.4
    return heights.argmax(axis=0), answer.argmax(axis=0)


@pytest.mark.parametrize("seed", range(5))
def test_overlap_of_classes_is_that_of_scikit_learn(seed):
    truth, answer = blobs(seed)
    expected = jaccard_score(truth.ravel(), answer.ravel(), average=None, labels=[0, 1, 2])
    assert sf.metrics.mask_iou(truth, answer, classes=3) == pytest.approx(expected)
    ignored = np.where(np.random.default_rng(seed).random(truth.shape) < 0.2, 255, truth)
    kept = ignored != 255
    expected = jaccard_score(truth[kept], answer[kept], average=None, labels=[0, 1, 2])
    assert sf.metrics.mask_iou(ignored, answer, classes=3, ignore=255) == pytest.approx(expected)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_overlap_of_edges_is_that_of_the_published_code(seed, width):
    cv2 = pytest.importorskip("cv2")

    def boundary(mask):
        # bowenc0221/boundary-iou-api, mask_to_boundary.
        padded = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        eroded = cv2.erode(padded, np.ones((3, 3), dtype=np.uint8), iterations=width)
        return mask - eroded[1:-1, 1:-1]

    truth, answer = blobs(seed)
    expected = []
    for number in range(3):
        edges = [boundary((side == number).astype(np.uint8)) for side in (truth, answer)]
        expected.append(((edges[0] * edges[1]) > 0).sum() / ((edges[0] + edges[1]) > 0).sum())
    assert sf.metrics.boundary_iou(truth, answer, classes=3, width=width) == pytest.approx(expected)


def regions(mask, number):
    """Regions of a class that hang together, by spreading from pixel to pixel."""
    left = {tuple(place) for place in np.argwhere(mask == number)}
    found = []
    while left:
        spread, region = [left.pop()], set()
        while spread:
            row, column = spread.pop()
            region.add((row, column))
            around = {(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & left
            left -= around
            spread += around
        found.append(region)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_objects_overlap_as_regions_found_by_spreading_do(seed):
    truth, answer = blobs(seed, shape=(30, 40))
    kinds, best = sf.metrics.object_overlaps(truth, answer, classes=3)
    expected = []
    for number in (1, 2):
        there = regions(answer, number)
        for region in regions(truth, number):
            overlaps = [len(region & other) / len(region | other) for other in there]
            expected.append((number, max(overlaps, default=0.0)))
    assert sorted(zip(kinds.tolist(), best.round(12).tolist(), strict=True)) == sorted(
        (number, round(value, 12)) for number, value in expected
    )


def test_what_neither_mask_has_is_not_defined():
    assert np.isnan(sf.metrics.mask_iou([[0]], [[0]], classes=2)[1])
    assert np.isnan(sf.metrics.boundary_iou([[0]], [[0]], classes=2)[1])


@pytest.mark.parametrize(
    ("truth", "answer"), [([[0, 1]], [[0], [1]]), ([[0.5]], [[0]]), ([[-1]], [[0]]), ([0, 1], [0, 1])]
)
def test_what_is_no_pair_of_masks_is_refused(truth, answer):
    with pytest.raises(InvalidInput):
        sf.metrics.mask_iou(truth, answer, classes=2)
