import numpy as np
import pytest
from tests.refusals import refused

from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.monitors import Detector, Reconstruction
from surefoot.testing import check_detector

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(11)
IMAGES = RNG.uniform(size=(20, 3, 4, 4))


def halved(inputs):
    return inputs / 2


def test_the_score_is_the_mean_squared_error_of_a_function():
    scores = Reconstruction(halved, batch=7).fit(IMAGES).decision_function(IMAGES)
    np.testing.assert_allclose(scores, [np.mean((x / 2) ** 2) for x in IMAGES])


def test_a_torch_module_runs_in_evaluation_mode_and_keeps_its_own():
    module = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(4, 4))
    module.train()
    scores = Reconstruction(module).fit(IMAGES).decision_function(IMAGES)
    weight, bias = (p.detach().numpy().astype(float) for p in module[1].parameters())
    expected = np.square(IMAGES @ weight.T + bias - IMAGES).mean(axis=(1, 2, 3))
    np.testing.assert_allclose(scores, expected, rtol=1e-5)
    assert module.training


def test_principal_components_are_an_autoencoder_with_a_known_error():
    from sklearn.decomposition import PCA

    rows = np.random.default_rng(1).normal(size=(100, 5))
    known = PCA(2).fit(rows)
    detector = Reconstruction(lambda x: known.inverse_transform(known.transform(x))).fit(rows)
    total = detector.decision_function(rows).mean() * 5 / rows.var(axis=0).sum()
    assert total == pytest.approx(1 - known.explained_variance_ratio_.sum())


def test_the_function_may_change_what_it_is_given():
    def clear(inputs):
        inputs[:] = 0
        return inputs

    rows = np.ones((3, 2))
    assert Reconstruction(clear).fit(rows).decision_function(rows).tolist() == [1, 1, 1]
    assert rows.all()


def test_a_file_holds_all_but_the_autoencoder(tmp_path):
    Reconstruction(halved, batch=3).fit(IMAGES).save(tmp_path / "errors.npz")
    loaded = Detector.load(tmp_path / "errors.npz", autoencoder=halved)
    assert loaded.batch == 3
    assert loaded.score_one(np.full((3, 4, 4), 2.0)) == 1
    with pytest.raises(InvalidInput, match="autoencoder"):
        Detector.load(tmp_path / "errors.npz")


def test_answers_that_are_no_reconstruction_are_refused_at_once():
    for function, said in [
        (lambda x: x[:, :1], "shape it is given"),
        (lambda x: x * np.nan, "finite"),
        (lambda x: (x, x), "shape it is given"),
        (lambda x: None, "must be numbers"),
    ]:
        with refused((function, said), InvalidInput, match=said):
            Reconstruction(function).fit(IMAGES)


def test_what_the_autoencoder_raises_is_reported():
    with pytest.raises(DiagnosticsError, match="ZeroDivisionError"):
        Reconstruction(lambda x: 1 / 0).fit(IMAGES)


def test_huge_errors_stay_finite():
    detector = Reconstruction(lambda x: -x).fit([[1.0, 2.0]])
    assert 1e100 < detector.score_one(np.array([1e300, 0.0])) < np.inf


@pytest.mark.parametrize("wrong", [{"autoencoder": 3}, {"autoencoder": halved, "batch": 0}])
def test_parameters_are_checked(wrong):
    with pytest.raises(InvalidInput):
        Reconstruction(**wrong)


@pytest.mark.parametrize("autoencoder", [halved, torch.nn.Hardtanh(-3, 3)])
def test_it_is_complete(autoencoder):
    rows = np.random.default_rng(1).normal(size=(60, 4))
    given = {"features": rows, "strange": rows * 10, "objects": {"autoencoder": autoencoder}}
    assert check_detector(lambda: Reconstruction(autoencoder), **given).passed
