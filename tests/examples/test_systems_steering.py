import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import ndimage

from surefoot import MissingData, datasets
from surefoot.corruptions import corrupt

torch = pytest.importorskip("torch")
FOLDER = Path(__file__).parents[2] / "examples" / "systems_steering"
MODULES = ("networks", "drive", "learning", "sturdier", "train")
NAMES = ("pilot", "motion", "wide")


@pytest.fixture(scope="module")
def example():
    """The modules of the example, under their own names only while this file is tested."""
    before = {name: sys.modules.pop(name, None) for name in MODULES}
    sys.path.insert(0, str(FOLDER))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield SimpleNamespace(**{name: import_module(name) for name in MODULES})
    torch.set_num_threads(threads)
    sys.path.remove(str(FOLDER))
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


@pytest.fixture(scope="module")
def made(example):
    """Pairs that no data folder is needed for: texture that moves sideways by what is steered."""
    rng = np.random.default_rng(0)
    moved = rng.integers(-4, 5, 60)
    wall = ndimage.uniform_filter(rng.normal(size=(60, 80, 200)), (0, 1, 5))
    frames = [wall[:, :, 20:180], np.stack([row[:, 20 + k : 180 + k] for row, k in zip(wall, moved, strict=True)])]
    pixels = np.clip(128 + 120 * np.concatenate(frames)[..., None].repeat(3, axis=3), 0, 255).astype(np.uint8)
    places = np.arange(60)
    return example.drive.Part(pixels, places, 60 + places, moved / 4, places // 10)


@pytest.fixture(scope="module")
def parts(example):
    try:
        return {role: example.drive.load(role) for role in ("train", "test")}
    except MissingData as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", NAMES)
def test_every_network_steers_by_its_features_and_can_hesitate(example, name):
    torch.manual_seed(0)
    network = example.networks.BUILDERS[name]().eval()
    pairs = torch.rand(3, 6, 80, 160)
    with torch.no_grad():
        features = network.features(network.convolutions(network.view(pairs)))
        assert features.shape == (3, network.head[1].in_features)
        assert torch.equal(network.head(features), network(pairs))
        assert network(pairs).shape == (3,)
        for part in network.modules():
            if isinstance(part, torch.nn.Dropout):
                part.train()
        assert not torch.equal(network(pairs), network(pairs))


def test_views_differ_in_what_they_show(example):
    pairs = torch.rand(2, 6, 80, 160)
    views = example.networks
    still = torch.cat([pairs[:, :3], pairs[:, :3]], dim=1)
    assert views.grey_and_difference(still)[:, 1].abs().max() == 0
    assert views.grey_and_difference(pairs).shape == (2, 2, 64, 160)
    assert views.road_in_yuv(pairs).shape == (2, 6, 48, 160)
    grey = torch.full((1, 6, 80, 160), 0.7)
    yuv = views.road_in_yuv(grey)[0, :, 0, 0]
    assert yuv.tolist() == pytest.approx([0.8, 0, 0, 0.8, 0, 0], abs=1e-5)


def test_inputs_hold_the_earlier_frame_first(example):
    pairs = np.random.default_rng(0).integers(0, 256, (2, 2, 80, 160, 3), dtype=np.uint8)
    inputs = example.networks.as_input(pairs)
    assert inputs[1, 4, 7, 9] == pytest.approx(pairs[1, 1, 7, 9, 1] / 255)
    assert (example.learning.as_bytes(pairs).numpy() == np.rint(inputs * 255)).all()


def test_a_mirrored_pair_is_steered_the_other_way(example):
    torch.manual_seed(0)
    recipe = example.learning.Recipe("wide", 0, shift=0, light=0.0)
    pairs, steering = torch.rand(40, 6, 80, 160), torch.linspace(0.1, 1, 40)
    changed, wanted = example.learning.jittered(pairs, steering, recipe)
    mirrored = wanted < 0
    assert 5 < mirrored.sum() < 35
    assert torch.equal(wanted.abs(), steering)
    assert torch.equal(changed[mirrored], pairs[mirrored].flip(3))
    assert torch.equal(changed[~mirrored], pairs[~mirrored])


def test_both_frames_of_a_pair_are_moved_and_lit_alike(example):
    torch.manual_seed(0)
    recipe = example.learning.Recipe("wide", 0)
    still = torch.rand(10, 3, 80, 160).repeat(1, 2, 1, 1)
    changed, _ = example.learning.jittered(still, torch.zeros(10), recipe)
    assert torch.equal(changed[:, :3], changed[:, 3:])
    assert not torch.equal(changed, still)


def test_a_network_learns_what_moves_and_the_same_seed_learns_the_same(example, made):
    recipe = example.learning.Recipe("motion", 1, epochs=12, batch=20, shift=0)
    networks = [example.learning.fit(recipe, made) for _ in range(2)]
    first, second = (example.learning.answers(network, made.pairs()) for network in networks)
    assert (first == second).all()
    assert example.learning.rmse(first, made.steering) < 0.7 * example.learning.rmse(0.0, made.steering)


def test_a_frame_is_followed_only_by_one_that_comes_at_once_and_under_way(example):
    seconds = np.array([0, 0.07, 0.14, 0.34, 0.41, 0.48])
    speed = np.array([30, 30, 30, 30, 30, 19.0])
    assert example.drive.consecutive(seconds, speed).tolist() == [1, 2, 4]


def test_training_frames_lie_apart_from_test_frames(example):
    held = np.arange(200) // 50 == 1
    test, train = example.drive.split(held)
    assert np.flatnonzero(test).tolist() == list(range(50, 100))
    assert np.flatnonzero(train).tolist() == [*range(40), *range(110, 200)]


def test_blocks_of_the_drive_are_for_one_part_only(parts):
    test, train = parts["test"], parts["train"]
    assert len(test) == 790
    assert len(np.unique(test.blocks)) == 17
    assert not set(test.blocks) & set(train.blocks)
    assert (test.block_of_frame[test.earlier] == test.blocks).all()
    drive = datasets.udacity_driving()
    places = {frame.tobytes(): place for place, frame in enumerate(drive.frames)}
    where = [np.array([places[frame.tobytes()] for frame in part.frames]) for part in (test, train)]
    assert np.abs(where[0][:, None] - where[1]).min() == 11
    assert (drive.steering[where[0][test.earlier]] == test.steering).all()
    assert (where[0][test.later] - where[0][test.earlier] == 1).all()


def test_spoiled_frames_take_the_place_of_their_own(example, made):
    frames = 255 - made.frames
    assert (made.pairs(frames) == 255 - made.pairs()).all()
    few = made.first(7)
    assert (few.pairs() == made.pairs()[:7]).all()
    assert len(few.frames) == 14


def test_every_block_is_spoiled_in_one_way(example, made):
    conditions = [None, ("contrast", 4)]
    frames = example.sturdier.spoiled(made, conditions, seed=(0, 3))
    darker = corrupt(made.frames, "contrast", 4)
    ways = [(frames == made.frames).all((1, 2, 3)), (frames == darker).all((1, 2, 3))]
    assert (ways[0] ^ ways[1]).all()
    for block in range(6):
        assert np.ptp(ways[0][made.block_of_frame == block].astype(int)) == 0
    assert 0 < ways[0].sum() < 120


def test_a_network_that_was_taught_more_withstands_more(example, made):
    recipe = example.learning.Recipe("motion", 1, epochs=12, batch=20, shift=0)
    network = example.learning.fit(recipe, made)
    pairs = made.pairs(corrupt(made.frames, "contrast", 5))
    before = example.learning.answers(network, pairs)
    taught = example.sturdier.fine_tuned(network, made, [None, ("contrast", 5)], name="motion", epochs=12)
    after = example.learning.answers(taught, pairs)
    assert (example.learning.answers(network, pairs) == before).all()
    assert example.learning.rmse(after, made.steering) < 0.9 * example.learning.rmse(before, made.steering)


def test_the_median_is_that_of_scipy(example):
    pairs = np.random.default_rng(0).integers(0, 256, (2, 2, 20, 30, 3), dtype=np.uint8)
    expected = ndimage.median_filter(pairs, size=(1, 1, 3, 3, 1), mode="nearest")
    assert (example.sturdier.median(pairs) == expected).all()


def test_levels_undo_a_loss_of_contrast(example, made):
    levels = example.sturdier.Levels.of(made.frames)
    pairs = made.pairs()
    dull = made.pairs(corrupt(made.frames, "contrast", 3))
    assert np.abs(levels(dull) - levels(pairs).astype(int)).mean() < 5
    assert np.abs(dull - pairs.astype(int)).mean() > 15
    assert np.abs(levels(pairs) - pairs.astype(int)).mean() < 5
    flat = np.full((1, 2, 80, 160, 3), 40, np.uint8)
    assert (levels(flat) == flat).all()


@pytest.mark.parametrize(("name", "remedy"), [("wide", "train.py all first"), ("wide_sturdier", "all --sturdier")])
def test_a_network_that_is_not_trained_says_what_to_run(example, tmp_path, name, remedy):
    with pytest.raises(MissingData, match=remedy):
        example.learning.load(name, tmp_path)


def test_training_stores_networks_that_answer_alike(example, made, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(example.drive, "load", lambda role: made)
    options = ["train.py", "all", "--epochs", "1", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", options)
    example.train.main()
    monkeypatch.setattr(sys, "argv", ["train.py", "wide", "--sturdier", *options[2:]])
    example.train.main()
    said = capsys.readouterr().out
    for name in (*NAMES, "wide_sturdier"):
        error = example.learning.rmse(
            example.learning.answers(example.learning.load(name, tmp_path), made.pairs()), made.steering
        )
        assert f"train {error:.4f}" in said
    assert "their mean" in said
