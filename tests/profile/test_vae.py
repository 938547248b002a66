import json

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tests.refusals import refusal

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from safetensors.torch import load_file, save_file  # noqa: E402

from surefoot.core import DiagnosticsError, InvalidInput, Undefined  # noqa: E402
from surefoot.profile import VAE, PCAEncoder, decoded_centres, plot_history  # noqa: E402
from surefoot.profile.vae_network import Network  # noqa: E402


def blobs(count=240, seed=0, height=13, width=10):
    """Round spots at random places: images with two degrees of freedom."""
    rng = np.random.default_rng(seed)
    y, x = rng.uniform(2, height - 3, count), rng.uniform(2, width - 3, count)
    rows, columns = np.arange(height)[:, None], np.arange(width)
    squared = (rows - y[:, None, None]) ** 2 + (columns - x[:, None, None]) ** 2
    return np.exp(-squared / 4).astype(np.float32), np.stack([y, x], axis=1)


def small(**options):
    return VAE(2, **{"channels": (8, 16), "epochs": 3, "batch_size": 32, "learning_rate": 5e-3} | options)


@pytest.fixture(scope="module")
def trained():
    return small(epochs=25).fit(blobs()[0])


@pytest.fixture(scope="module")
def quick():
    return small().fit(blobs()[0])


def error(encoder, X):
    return float(np.mean((encoder.decode(encoder.encode(X)) - X) ** 2))


def test_two_numbers_hold_more_of_an_image_than_two_principal_components(trained):
    X, _ = blobs()
    new, _ = blobs(seed=1)
    assert error(trained, new) < 0.3 * error(PCAEncoder(2).fit(X), new)


def test_places_tell_where_the_spot_is(trained):
    """Images of neighbouring places have neighbouring spots."""
    new, truth = blobs(seed=1)
    codes = trained.encode(new)
    apart = np.linalg.norm(codes[:, None] - codes, axis=2) + 1e9 * np.eye(len(codes))
    found = truth[apart.argmin(axis=1)]
    assert np.abs(found - truth).mean() < 0.7


def test_the_loss_is_the_evidence_bound_of_torch_distributions():
    torch.manual_seed(0)
    network, images = Network((1, 5, 4), (3,), 2), torch.rand(6, 1, 5, 4)
    error, divergence = network.losses(images, torch.Generator().manual_seed(1))
    mean, log_variance = network.posterior(images)
    posterior = torch.distributions.Normal(mean, torch.exp(log_variance / 2))
    prior = torch.distributions.Normal(0.0, 1.0)
    expected = torch.distributions.kl_divergence(posterior, prior).sum(dim=1).mean()
    noise = torch.randn(6, 2, generator=torch.Generator().manual_seed(1))
    again = network.decoder(mean + noise * posterior.stddev)
    assert divergence.item() == pytest.approx(expected.item(), rel=1e-5)
    assert error.item() == pytest.approx(((again - images) ** 2).mean().item(), rel=1e-5)


def test_images_of_any_size_come_back_in_their_size():
    for shape in ((1, 1, 1), (1, 7, 8), (3, 28, 5), (4, 2, 33)):
        network = Network(shape, (2, 3, 4), 2)
        assert network.decoder(network.posterior(torch.rand(2, *shape))[0]).shape == (2, *shape), shape


def test_the_seed_decides_everything(quick):
    X, _ = blobs()
    assert np.array_equal(small().fit(X).encode(X), quick.encode(X))
    assert not np.array_equal(small(seed=1).fit(X).encode(X), quick.encode(X))


def test_training_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    small(epochs=1).fit(blobs(20)[0])
    assert torch.equal(torch.rand(3), expected)


def test_training_stops_when_held_out_images_gain_nothing_and_keeps_the_best_weights():
    X, _ = blobs(40)
    noise = np.random.default_rng(0).random((60, 13, 10))
    vae = small(epochs=200, patience=3, learning_rate=1e-2).fit(X, validation=noise)
    assert len(vae.history) == vae.best_epoch + 4 < 200
    assert vae.best_epoch == np.argmin([_loss(epoch) for epoch in vae.history])
    short = small(epochs=vae.best_epoch + 1, patience=3, learning_rate=1e-2).fit(X, validation=noise)
    assert np.array_equal(short.encode(X), vae.encode(X))


def _loss(epoch, kl_weight=1.0):
    return 13 * 10 / 2 * np.log(epoch.validation_reconstruction + 1e-6) + kl_weight * epoch.validation_divergence


def test_the_best_epoch_weighs_divergence():
    X, _ = blobs(60)
    for kl_weight in (0.01, 30.0):
        vae = small(epochs=8, patience=8, kl_weight=kl_weight).fit(X)
        assert vae.best_epoch == np.argmin([_loss(epoch, kl_weight) for epoch in vae.history]), kl_weight


def test_progress_counts_batches_up_to_all_of_them():
    told = []
    small(epochs=2).fit(blobs(100)[0], progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 6) for done in range(1, 7)]
    told.clear()
    small(epochs=50, patience=1, learning_rate=0.05).fit(
        blobs(100)[0], validation=1 - blobs(9)[0], progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (200, 200)
    assert told[-2][0] < 199


def test_a_larger_weight_of_the_divergence_brings_places_nearer_to_the_prior(trained):
    strict = small(epochs=10, kl_weight=20.0).fit(blobs()[0])
    assert strict.history[-1].divergence < trained.history[-1].divergence


@pytest.mark.parametrize("shape", [(9, 8), (1, 9, 8), (3, 9, 8)], ids=str)
def test_decoded_images_have_the_shape_and_range_of_the_input(shape):
    X = np.random.default_rng(0).random((20, *shape))
    centres = decoded_centres(small(epochs=1).fit(X), X)
    assert centres.shape == X.shape
    assert 0 <= centres.min() <= centres.max() <= 1


def test_a_saved_encoder_comes_back_whole(quick, tmp_path):
    X, _ = blobs(seed=2)
    again = VAE.load(quick.save(tmp_path / "a.safetensors"))
    # Weights in other places of memory may be added in another order.
    np.testing.assert_allclose(again.encode(X), quick.encode(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(again.decode([[0.3, -1.0]]), quick.decode([[0.3, -1.0]]), rtol=1e-5, atol=1e-6)
    assert (again.history, repr(again), again.best_epoch) == (quick.history, repr(quick), quick.best_epoch)


@pytest.mark.parametrize("bytes_kept", [0, 7, 200, -10])
def test_a_damaged_file_is_refused(quick, tmp_path, bytes_kept):
    path = quick.save(tmp_path / "a.safetensors")
    path.write_bytes(path.read_bytes()[:bytes_kept])
    with pytest.raises(DiagnosticsError, match="model-unreadable"):
        VAE.load(path)


def _changed(path, **changes):
    import safetensors

    with safetensors.safe_open(path, framework="pt") as file:
        described = json.loads(file.metadata()["surefoot.vae"])
    described["options"] |= {k: v for k, v in changes.items() if k in described["options"]}
    described |= {k: v for k, v in changes.items() if k in described}
    save_file(load_file(path), path, metadata={"surefoot.vae": json.dumps(described)})


@pytest.mark.parametrize(
    "changes",
    [
        {"dimensions": 3},
        {"dimensions": -1},
        {"channels": [8, 17]},
        {"channels": []},
        {"channels": [8, 10**9]},
        {"shape": [13]},
        {"shape": [10**6, 10**6]},
        {"shape": "square"},
        {"history": [{"loss": 1}]},
        {"options": {}},
    ],
    ids=str,
)
def test_a_file_whose_parameters_do_not_fit_its_weights_is_refused(quick, tmp_path, changes):
    path = quick.save(tmp_path / "a.safetensors")
    _changed(path, **changes)
    with pytest.raises(DiagnosticsError, match="model-unreadable"):
        VAE.load(path)


def test_weights_that_are_not_finite_are_refused(quick, tmp_path):
    path = quick.save(tmp_path / "a.safetensors")
    weights = load_file(path)
    weights["mean.bias"][0] = torch.nan
    save_file(weights, path, metadata={})
    with pytest.raises(DiagnosticsError, match="model-unreadable"):
        VAE.load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DiagnosticsError, match="file-missing"):
        VAE.load(tmp_path / "nothing.safetensors")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.full((5, 4, 4), np.nan), "finite"),
        (np.random.default_rng(0).integers(0, 256, (5, 4, 4)), "Divide by 255"),
        (np.random.default_rng(0).normal(size=(5, 4, 4)), r"must lie in \[0, 1\]"),
        (np.zeros((5, 32, 32, 3)), r"moveaxis\(X, -1, 1\)"),
        (np.zeros((5, 784)), "reshape"),
        (np.zeros((1, 4, 4)), "at least 2 images"),
        (np.zeros((0, 4, 4)), "at least 2 images"),
        (np.full((5, 4, 4), 0.5), "all images are the same"),
        ([["a"]], "must be numbers"),
    ],
    ids=["nan", "bytes", "range", "channels", "flat", "one", "none", "constant", "text"],
)
def test_bad_images_are_refused_with_what_to_do(X, message):
    with pytest.raises(InvalidInput, match=message):
        small().fit(X)


def test_other_shapes_are_refused(quick):
    with pytest.raises(InvalidInput, match=r"shape \(13, 10\)"):
        quick.encode(np.zeros((2, 10, 13)))
    with pytest.raises(InvalidInput, match="2 features"):
        quick.decode(np.zeros((2, 3)))
    with pytest.raises(InvalidInput, match="one shape"):
        small().fit(blobs(20)[0], validation=np.zeros((2, 4, 4)))


def test_impossible_parameters_are_refused():
    for options in (
        {"epochs": 0},
        {"channels": ()},
        {"channels": (4, 0)},
        {"learning_rate": -1},
        {"kl_weight": 0},
        {"patience": 0},
    ):
        assert refusal(InvalidInput, small, **options), options


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(InvalidInput, match="cannot use this device; found 'abacus'"):
        small(device="abacus").fit(blobs(20)[0])


def test_nothing_works_before_training():
    with pytest.raises(Undefined, match=r"fit\(X\)"):
        small().encode(blobs(3)[0])


def test_a_training_that_diverges_says_so():
    with pytest.raises(Undefined, match="smaller learning rate"):
        small(learning_rate=1e30).fit(blobs(100)[0])


def test_the_history_is_drawn(quick):
    figure = plot_history(quick)
    drawn = figure.axes[0].lines[1].get_ydata()
    assert list(drawn) == [epoch.validation_reconstruction for epoch in quick.history]
    plt.close(figure)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_gpu_trains_and_its_encoder_works_on_the_cpu(tmp_path):
    X, _ = blobs()
    on_gpu = small(epochs=10, device="cuda").fit(X)
    again = VAE.load(on_gpu.save(tmp_path / "a.safetensors"))
    assert on_gpu.history[-1].reconstruction < on_gpu.history[0].reconstruction
    assert again.encode(X) == pytest.approx(on_gpu.encode(X), abs=1e-2)
    assert VAE.load(tmp_path / "a.safetensors", device="cuda").decode(again.encode(X)).shape == X.shape
