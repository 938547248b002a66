import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from surefoot.core import DiagnosticsError, InvalidInput, Undefined
from surefoot.profile import (
    Decoder,
    Encoder,
    PCAEncoder,
    as_encoder,
    compare_centres,
    decoded_centres,
    latent_weights,
    plot_reconstructions,
)


def images(count=40, shape=(4, 5), seed=0):
    return np.random.default_rng(seed).random((count, *shape))


def test_pca_is_that_of_the_full_decomposition_up_to_signs():
    X = images()
    ours, theirs = PCAEncoder(3).fit(X), PCA(3, svd_solver="full").fit(X.reshape(40, -1))
    assert np.abs(ours.encode(X)) == pytest.approx(np.abs(theirs.transform(X.reshape(40, -1))))
    assert ours.variances == pytest.approx(theirs.explained_variance_)


def test_pca_decodes_to_the_nearest_point_of_its_space():
    X = images()
    theirs = PCA(3, svd_solver="full").fit(X.reshape(40, -1))
    nearest = theirs.inverse_transform(theirs.transform(X.reshape(40, -1))).reshape(X.shape)
    ours = PCAEncoder(3).fit(X)
    assert ours.decode(ours.encode(X)) == pytest.approx(nearest)


@given(st.integers(1, 6), st.integers(0, 99))
def test_data_of_low_rank_survive_encoding_and_decoding(rank, seed):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(30, rank)) @ rng.normal(size=(rank, 12))).reshape(30, 3, 4)
    encoder = PCAEncoder(rank).fit(X)
    assert encoder.decode(encoder.encode(X)) == pytest.approx(X, abs=1e-9)


def test_a_saved_pca_gives_the_same_places(tmp_path):
    fitted = PCAEncoder(2).fit(images())
    again = PCAEncoder.load(fitted.save(tmp_path / "axes.bin"))
    assert np.array_equal(again.encode(images(seed=1)), fitted.encode(images(seed=1)))
    assert again.decode([[0.0, 1.0]]).shape == (1, 4, 5)


@pytest.mark.parametrize("bytes_kept", [0, 30, 300, -40])
def test_a_damaged_file_is_refused(tmp_path, bytes_kept):
    path = PCAEncoder(2).fit(images()).save(tmp_path / "axes.npz")
    path.write_bytes(path.read_bytes()[:bytes_kept])
    with pytest.raises(DiagnosticsError, match="model-unreadable"):
        PCAEncoder.load(path)


@pytest.mark.parametrize(
    "arrays",
    [
        {"mean": np.zeros(4)},
        {"shape": [2, 2], "mean": np.zeros(4), "axes": np.zeros((1, 5)), "variances": np.ones(1)},
        {"shape": [2, 2], "mean": np.full(4, np.nan), "axes": np.ones((1, 4)), "variances": np.ones(1)},
        {"shape": [2, 2], "mean": np.zeros(4), "axes": np.ones((0, 4)), "variances": np.ones(0)},
        {"shape": [2, 2], "mean": np.zeros(4), "axes": np.array(1.0), "variances": np.ones(1)},
        {"shape": [2, 2], "mean": np.array([print] * 4), "axes": np.ones((1, 4)), "variances": np.ones(1)},
    ],
    ids=["missing", "sizes", "nan", "empty", "scalar", "pickle"],
)
def test_another_archive_is_refused(tmp_path, arrays):
    np.savez(tmp_path / "other.npz", **arrays)
    with pytest.raises(DiagnosticsError, match="model-unreadable"):
        PCAEncoder.load(tmp_path / "other.npz")


def test_a_missing_file_is_named():
    with pytest.raises(DiagnosticsError, match=r"nothing\.npz.*file-missing"):
        PCAEncoder.load("nothing.npz")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.full((20, 3, 3), 0.7), "all the same"),
        (images(1), "at least 2 rows"),
        (images(4), "3 from 4 rows"),
        (np.outer(np.arange(20.0), np.ones(9)) + 5, "1 from 20 rows"),
        (np.where(images() > 0.99, np.nan, images()), "finite"),
    ],
    ids=["constant", "one", "few", "rank", "nan"],
)
def test_pca_refuses_data_without_enough_directions(X, message):
    with pytest.raises(InvalidInput, match=message):
        PCAEncoder(5).fit(X)


def test_pca_refuses_other_shapes_and_work_before_fit():
    with pytest.raises(InvalidInput, match=r"shape \(4, 5\)"):
        PCAEncoder(2).fit(images()).encode(images(shape=(5, 4)))
    with pytest.raises(InvalidInput, match="2 features"):
        PCAEncoder(2).fit(images()).decode(np.zeros((3, 4)))
    with pytest.raises(Undefined, match=r"fit\(X\)"):
        PCAEncoder(2).encode(images())


def test_one_feature_is_its_own_principal_axis():
    values = np.arange(5.0)
    assert PCAEncoder(1).fit(values).encode(values)[:, 0] == pytest.approx(values - 2)


def test_any_callable_is_an_encoder_and_none_stands_for_the_features():
    X = images()
    assert as_encoder(lambda x: x.mean(axis=2)).encode(X).shape == (40, 4)
    assert as_encoder(None).encode(X).shape == (40, 20)


def test_protocols_tell_encoders_from_those_with_a_way_back():
    assert isinstance(PCAEncoder(2), Decoder)
    assert isinstance(as_encoder(np.mean), Encoder)
    assert not isinstance(as_encoder(np.mean), Decoder)


@pytest.mark.parametrize("other", ["pca", 3, PCAEncoder], ids=repr)
def test_what_cannot_encode_is_refused(other):
    with pytest.raises(InvalidInput, match="callable or have a method encode"):
        as_encoder(other)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.mean(axis=(1, 2)), "two-dimensional"),
        (lambda x: x[:3, 0], "one row of numbers for each input"),
        (lambda x: np.log(x[:, 0] - x[:, 0]), "finite"),
        (lambda x: x[:, 0, :0], "one row of numbers"),
    ],
    ids=["vector", "rows", "infinite", "empty"],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_an_encoder_that_misbehaves_is_named(function, message):
    with pytest.raises(InvalidInput, match=message):
        latent_weights(function, images())


def test_no_inputs_are_refused():
    with pytest.raises(InvalidInput, match="at least one input"):
        latent_weights(None, np.empty((0, 3)))


def test_decoded_centres_stay_in_the_range_of_inputs():
    X = np.random.default_rng(0).integers(0, 2, (60, 4, 4)).astype(float)
    encoder = PCAEncoder(5).fit(X)
    raw, centres = encoder.decode(encoder.encode(X)), decoded_centres(encoder, X)
    assert raw.min() < 0 < 1 < raw.max()
    assert np.array_equal(centres, np.clip(raw, 0, 1))
    assert centres.shape == X.shape


def test_distances_to_decoded_centres_match_a_loop():
    X = images()
    encoder = PCAEncoder(4).fit(X)
    centres = decoded_centres(encoder, X)
    largest = [max(abs(a - b) for a, b in zip(x.flat, c.flat, strict=True)) for x, c in zip(X, centres, strict=True)]
    table = compare_centres(encoder, X, radius=0.4)
    assert table.rows[0][1:4] == pytest.approx((np.mean(largest), np.median(largest), max(largest)))
    assert table.rows[1][1] == pytest.approx(np.mean([np.linalg.norm(x - c) for x, c in zip(X, centres, strict=True)]))
    assert table.columns[-1] == "share within 0.4"
    assert table.rows[0][-1] == np.mean(np.array(largest) <= 0.4)
    assert 0 < table.rows[0][-1] < 1


def test_centres_without_a_way_back_are_refused():
    with pytest.raises(InvalidInput, match="no way back"):
        decoded_centres(as_encoder(lambda x: x[:, 0]), images())


@pytest.mark.parametrize("ends", [(1, 0), (0, 1, 2)])
def test_a_range_needs_two_ends(ends):
    with pytest.raises(InvalidInput, match="lowest and the highest"):
        decoded_centres(PCAEncoder(2).fit(images()), images(), input_range=ends)


@pytest.mark.parametrize("shape", [(4, 5), (1, 4, 5), (3, 4, 5)], ids=str)
def test_reconstructions_are_drawn_below_the_inputs(shape):
    X = images(shape=shape)
    figure = plot_reconstructions(PCAEncoder(3).fit(X), X, count=4)
    shown = [np.asarray(axes.get_images()[0].get_array()) for axes in figure.axes]
    assert len(shown) == 8
    assert np.ravel(shown[0]) == pytest.approx(np.ravel(np.moveaxis(X[0], 0, -1) if shape[0] == 3 else X[0]))
    plt.close(figure)


def test_rows_of_features_cannot_be_shown():
    with pytest.raises(InvalidInput, match="only images"):
        plot_reconstructions(PCAEncoder(3).fit(images(shape=(9,))), images(shape=(9,)))
    plt.close("all")
