"""Torch modules in memory, and built by a factory with weights from safetensors."""

import numpy as np
import pytest

from surefoot.adapters import as_data, as_model, load_model, model_identity, scored
from tests.adapters.problems import problem

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
safetensors = pytest.importorskip("safetensors.torch", reason="the torch extra is not installed")

NET = """
import torch

def build():
    return torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 2)
    )

def tied():
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    net[1].weight = net[0].weight
    return net

def nothing():
    return None

def fails():
    raise OSError("no such layer")
"""


@pytest.fixture
def project(write, tmp_path):
    write("net.py", NET)
    torch.manual_seed(0)
    namespace = {}
    exec(NET, namespace)
    net = namespace["build"]()
    net(torch.randn(32, 4))
    safetensors.save_model(net, tmp_path / "net.safetensors")
    tied = namespace["tied"]()
    safetensors.save_model(tied, tmp_path / "tied.safetensors")
    return tmp_path, net.eval(), tied


def test_factory_and_weights_give_the_probabilities_of_the_module(project, inputs):
    folder, net, _ = project
    model = load_model(factory="net:build", weights="net.safetensors", folder=folder)
    with torch.no_grad():
        expected = torch.softmax(net(torch.from_numpy(inputs).float()), dim=1).numpy()
    np.testing.assert_allclose(model(inputs), expected, atol=1e-6)
    assert model.output == "probability"
    assert [caveat.code for caveat in model.caveats] == ["partial-identity"]


def test_shared_weights_are_loaded(project, inputs):
    folder, _, tied = project
    model = load_model(factory="net:tied", weights="tied.safetensors", output="score", folder=folder)
    with torch.no_grad():
        np.testing.assert_allclose(model(inputs), tied(torch.from_numpy(inputs).float()).numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("factory", "weights", "code", "match"),
    [
        ("net:build", "tied.safetensors", "model-unreadable", "size mismatch|Missing key"),
        ("net:tied", "net.safetensors", "model-unreadable", "size mismatch|key"),
        ("net:build", "broken.safetensors", "model-unreadable", r"broken\.safetensors"),
        ("net:nothing", "net.safetensors", "model-unreadable", "NoneType"),
        ("net:fails", "net.safetensors", "model-unreadable", r"OSError: no such layer \(net\.py:18 in fails\)"),
        ("net:biuld", "net.safetensors", "model-unreadable", "Did you mean 'build'"),
        ("net:build", "nte.safetensors", "file-missing", r"Did you mean 'net\.safetensors'"),
        ("net:build", "w\udce9.safetensors", "model-unreadable", r"w\\udce9.*Rename it"),
    ],
)
def test_what_does_not_fit_is_explained(project, factory, weights, code, match):
    folder = project[0]
    (folder / "broken.safetensors").write_bytes(b"\x00" * 20)
    (folder / "w\udce9.safetensors").write_bytes((folder / "net.safetensors").read_bytes())
    with problem(code, match):
        load_model(factory=factory, weights=weights, folder=folder)


def test_a_module_in_memory_runs_in_evaluation_mode_and_keeps_its_own():
    module = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Dropout(0.9)).train()
    module[0].eval()
    rows = np.ones((5, 4))
    assert np.array_equal(as_model(module)(rows), as_model(module)(rows))
    assert [part.training for part in module.modules()] == [True, False, True]


def test_a_module_that_ends_in_softmax_is_not_softmaxed_again():
    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Softmax(dim=1))
    rows = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    found = scored(as_model(module), as_data((rows, np.arange(20) % 3)), batch_size=7)
    np.testing.assert_allclose(found.scores, module(torch.from_numpy(rows)).detach().numpy(), atol=1e-7)
    assert found.output == "probability"


def test_a_single_logit_becomes_two_probabilities():
    module = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(module.weight)
    rows = np.asarray([[-3.0], [0.0], [3.0]])
    found = as_model(module)(rows)
    np.testing.assert_allclose(found[:, 1], 1 / (1 + np.exp(-rows[:, 0])), atol=1e-7)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-7)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_modules_of_other_precision_are_run(dtype):
    found = as_model(torch.nn.Linear(2, 2).to(dtype))(np.ones((3, 2)))
    assert found.shape == (3, 2)
    assert found.dtype == (np.float64 if dtype == torch.float64 else np.float32)


def test_indices_stay_whole_numbers_and_images_become_floats():
    class Text(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(5, 2)

        def forward(self, x):
            return self.table(x).mean(dim=1)

    assert as_model(Text())(np.asarray([[0, 4], [1, 2]])).shape == (2, 2)
    images = np.zeros((2, 3, 4, 4), np.uint8)
    assert as_model(torch.nn.Sequential(torch.nn.Conv2d(3, 2, 4), torch.nn.Flatten()))(images).shape == (2, 2)


def test_identity_changes_with_weights_and_with_code(project):
    folder = project[0]
    source = {"factory": "net:build", "weights": "net.safetensors", "folder": folder}
    first = model_identity(**source)
    (folder / "net.py").write_text(NET + "# changed\n")
    second = model_identity(**source)
    (folder / "net.safetensors").write_bytes(b"other")
    assert len({first.digest, second.digest, model_identity(**source).digest}) == 3
    assert {"torch", "safetensors", "numpy"} <= set(first.versions)
