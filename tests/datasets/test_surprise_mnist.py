import numpy as np
import pytest

from surefoot import datasets
from surefoot.core import MissingData

FOLDER = "surprise_mnist"
SHAPES = {
    "original_mnist_train_activation_3_ats": (60_000, 10),
    "original_mnist_train_pred": (60_000,),
    "mnist_test_activation_3_ats": (10_000, 10),
    "mnist_test_pred": (10_000,),
    "mnist_fgsm_activation_3_ats": (10_000, 10),
    "mnist_fgsm_pred": (10_000,),
    "original_lsa_scores": (10_000,),
    "original_dsa_scores": (10_000,),
}


def kind_of(name):
    return np.int64 if name.endswith("pred") else np.float32


@pytest.fixture
def folder(folder):
    """A set of the right shapes, in which each array holds its own number."""
    for number, (name, shape) in enumerate(SHAPES.items()):
        np.save(folder / f"{name}.npy", np.full(shape, number, kind_of(name)))
    return folder


def test_each_array_is_read_from_its_file(folder):
    loaded = datasets.surprise_mnist()
    order = (loaded.train, loaded.train_predictions, loaded.test, loaded.test_predictions)
    order += (loaded.attacked, loaded.attacked_predictions, loaded.likelihood, loaded.distance)
    assert [array.ravel()[-1] for array in order] == list(range(8))
    assert (loaded.train.dtype, loaded.test_predictions.dtype, loaded.distance.dtype) == (np.float32, np.int64, float)


def test_a_missing_file_says_what_to_do(folder):
    (folder / "mnist_test_pred.npy").unlink()
    with pytest.raises(MissingData, match=r"lacks mnist_test_pred\.npy.*https://"):
        datasets.surprise_mnist()
    assert datasets.known("surprise_mnist").folder == folder


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((10_000, 9), np.float32), np.zeros((10_000, 10), np.int64), np.full((10_000, 10), np.nan, np.float32)],
    ids=["shape", "type", "nan"],
)
def test_another_array_is_refused(folder, wrong):
    np.save(folder / "mnist_test_activation_3_ats.npy", wrong)
    with pytest.raises(MissingData, match="not the published array"):
        datasets.surprise_mnist()


def test_a_broken_file_is_refused(folder):
    (folder / "original_lsa_scores.npy").write_bytes(b"no array")
    with pytest.raises(MissingData, match=r"original_lsa_scores\.npy cannot be read"):
        datasets.surprise_mnist()


def test_traces_are_probabilities_of_the_answered_digits():
    try:
        datasets.locate(FOLDER)
    except MissingData as missing:
        pytest.skip(str(missing))
    loaded = datasets.surprise_mnist()
    for traces, predictions in (
        (loaded.train, loaded.train_predictions),
        (loaded.test, loaded.test_predictions),
        (loaded.attacked, loaded.attacked_predictions),
    ):
        assert np.abs(traces.sum(axis=1) - 1).max() < 1e-6
        assert (traces.argmax(axis=1) == predictions).all()
