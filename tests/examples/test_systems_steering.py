import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import ndimage

import surefoot as sf
from surefoot import MissingData
from surefoot.corruptions import corrupt
from surefoot.systems import CLEAN, Condition, conditions, rejection

torch = pytest.importorskip("torch")
FOLDER = Path(__file__).parents[2] / "examples" / "systems_steering"
MODULES = (
    *("networks", "drive", "learning", "sturdier", "train", "system", "published", "table_four", "tables"),
    *("rejecting", "mending", "together", "pictures", "run"),
)
NAMES = ("pilot", "motion", "wide")


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
def learnt(example, made):
    """A network after a short training on the made pairs."""
    return example.learning.fit(example.learning.Recipe("motion", 1, epochs=10, batch=20, shift=0), made)


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


def test_a_network_learns_what_moves(example, made, learnt):
    found = example.learning.answers(learnt, made.pairs())
    assert example.learning.rmse(found, made.steering) < 0.7 * example.learning.rmse(0.0, made.steering)


def test_the_same_seed_learns_the_same(example, made):
    recipe = example.learning.Recipe("motion", 1, epochs=1, batch=10)
    first, second = (
        example.learning.answers(example.learning.fit(recipe, made.every(3)), made.pairs()[:9]) for _ in range(2)
    )
    assert (first == second).all()


def test_a_frame_is_followed_only_by_one_that_comes_at_once_and_under_way(example):
    seconds = np.array([0, 0.07, 0.14, 0.34, 0.41, 0.48])
    speed = np.array([30, 30, 30, 30, 30, 19.0])
    assert example.drive.consecutive(seconds, speed).tolist() == [1, 2, 4]


def test_training_frames_lie_apart_from_test_frames(example):
    held = np.arange(200) // 50 == 1
    test, train = example.drive.split(held)
    assert np.flatnonzero(test).tolist() == list(range(50, 100))
    assert np.flatnonzero(train).tolist() == [*range(40), *range(110, 200)]


def test_blocks_of_the_drive_are_for_one_part_only(example, parts):
    test, train = parts["test"], parts["train"]
    assert len(test) == 790
    assert len(np.unique(test.blocks)) == 17
    assert not set(test.blocks) & set(train.blocks)
    assert (test.block_of_frame[test.earlier] == test.blocks).all()
    drive = example.drive.recording()
    places = {frame.tobytes(): place for place, frame in enumerate(drive.frames)}
    where = [np.array([places[frame.tobytes()] for frame in part.frames]) for part in (test, train)]
    assert np.abs(where[0][:, None] - where[1]).min() == 11
    assert (drive.steering[where[0][test.earlier]] == test.steering).all()
    assert (where[0][test.later] - where[0][test.earlier] == 1).all()


def test_spoiled_frames_take_the_place_of_their_own(example, made):
    frames = 255 - made.frames
    assert (made.pairs(frames) == 255 - made.pairs()).all()
    few = made.every(9)
    assert (few.pairs() == made.pairs()[::9]).all()
    assert len(few.frames) == 14


def test_every_block_is_spoiled_in_one_way(example, made):
    conditions = [None, ("contrast", 4)]
    frames = example.sturdier.spoiled(made, conditions, seed=(0, 2))
    darker = corrupt(made.frames, "contrast", 4)
    ways = [(frames == made.frames).all((1, 2, 3)), (frames == darker).all((1, 2, 3))]
    assert (ways[0] ^ ways[1]).all()
    for block in range(6):
        assert np.ptp(ways[0][made.block_of_frame == block].astype(int)) == 0
    assert 0 < ways[0].sum() < 120


def test_a_network_that_was_taught_more_withstands_more(example, made, learnt):
    pairs = made.pairs(corrupt(made.frames, "contrast", 1))
    before = example.learning.answers(learnt, pairs)
    taught = example.sturdier.fine_tuned(learnt, made, [("contrast", 1)], name="motion", epochs=8)
    after = example.learning.answers(taught, pairs)
    assert (example.learning.answers(learnt, pairs) == before).all()
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


@pytest.fixture(scope="module")
def steerers(example, learnt):
    """One network that learnt, and two that know nothing."""
    torch.manual_seed(0)
    return {"pilot": example.networks.pilot().eval(), "motion": learnt, "wide": example.networks.wide().eval()}


@pytest.fixture(scope="module")
def few(made):
    return {"train": made.every(2), "test": made.every(3)}


@pytest.fixture(scope="module")
def found(example, steerers, few):
    system = example.system.steering(steerers)
    return example.system.study(system, parts=few, corruptions=["contrast"], severities=[1], passes=2).run()


def test_the_system_answers_with_the_mean_of_its_networks(example, steerers, few, found):
    pairs = few["test"].pairs()
    alone = [example.learning.answers(net, pairs) for net in steerers.values()]
    assert found.answers("average.angle") == pytest.approx(np.mean(alone, axis=0), abs=1e-6)
    assert found.answers("average.disagreement") == pytest.approx(np.std(alone, axis=0), abs=1e-6)
    rmse = example.learning.rmse(np.mean(alone, axis=0), few["test"].steering)
    assert found.performance()["steering"][CLEAN].value == pytest.approx(rmse, abs=1e-6)


def test_modules_show_their_penultimate_layer_and_are_shaken_by_dropout(example, steerers, found):
    names = {(score.module, score.name) for score in found.whole.scores}
    assert {(module, score) for module in NAMES for score in ("Maha-d", "KDE", "VR", "VRO")} < names
    assert {("average", "VRO"), ("average", "disagreement")} < names
    for module in found.system.modules.values():
        if module.name != "average":
            frames = np.zeros((2, 80, 160, 3), np.uint8)
            answer = module.run(earlier=frames, later=frames)
            assert answer.features.shape == (2, steerers[module.name].head[1].in_features)
            again = [module.noisy(seed, earlier=frames, later=frames).outputs for seed in (1, 1, 2)]
            assert (again[0] == again[1]).all()
            assert (again[0] != again[2]).any()


def test_both_frames_are_corrupted_each_in_its_own_way(example, few):
    frame = few["test"].frames[:1]
    (noise,) = conditions(["gaussian_noise"], [3])[1:]
    worse = noise.applied(
        {"earlier": frame, "later": frame}, dict.fromkeys(("earlier", "later"), "image"), seed=0, first=0
    )
    assert (worse["earlier"] != frame).any()
    assert (worse["earlier"] != worse["later"]).any()


def test_drops_of_the_paper_follow_from_the_errors_it_prints(example):
    printed = {
        "gaussian_noise": [(9.2, 0.0, 2.0, 8.9), (33.8, 64.8, 41.7, 60.0), (152.3, 229.6, 200.0, 253.3)],
        "motion_blur": [(4.6, 14.8, 14.6, 13.3), (24.6, 127.8, 91.6, 80.0), (60.0, 331.5, 281.3, 217.8)],
        "snow": [(-1.5, -3.7, 0.0, -2.2), (7.7, 33.3, 16.7, 24.4), (40.0, 83.3, 83.3, 91.1)],
        "contrast": [(18.5, 50.0, 50.0, 42.2), (72.3, 98.1, 135.4, 106.7), (156.9, 209.3, 279.2, 277.8)],
        "pixelate": [(4.6, 13.0, 16.7, 15.6), (9.2, 31.5, 33.3, 28.9), (15.4, 63.0, 54.2, 51.1)],
    }
    for name, rows in printed.items():
        for severity, row in zip((1, 3, 5), rows, strict=True):
            found = [
                example.published.printed(Condition(name, severity), place)[1] for place in example.published.PLACES
            ]
            assert [100 * drop for drop in found] == pytest.approx(row, abs=0.11)
    worst = [example.published.printed(Condition(name, 5), "system")[1] for name in printed]
    assert 100 * np.mean(worst) == pytest.approx(178.2, abs=0.05)


def test_blocks_share_all_of_the_clean_error(example, few, found):
    table = example.table_four.by_block(found, few["test"].blocks)
    assert [row[0] for row in table.rows] == list(range(6))
    assert np.sum([row[1:] for row in table.rows], axis=0) == pytest.approx(np.ones(4))


def test_the_median_is_measured_on_the_answers_that_were_recorded(example, few, found):
    answers = np.array([found.answers(name) for name in NAMES])
    median = example.rejecting.median_of_networks(found, few["test"].steering, draws=400)
    error = example.learning.rmse(np.median(answers, axis=0), few["test"].steering)
    assert median.gains[0].after.value == pytest.approx(error, abs=1e-9)
    assert median.gains[0].gain.value == pytest.approx(found.performance()["steering"][CLEAN].value - error, abs=1e-9)


def test_a_filter_comes_before_every_network(example, steerers, few):
    levels = example.sturdier.Levels.of(few["train"].frames)
    system = example.system.steering(steerers, clean=levels)
    dull = corrupt(few["test"].frames, "contrast", 3)
    inputs = {"earlier": dull[:4], "later": dull[4:8]}
    cleaned = {name: levels(frames) for name, frames in inputs.items()}
    assert system.run(inputs).outputs == example.system.steering(steerers).run(cleaned).outputs


def test_a_reduced_run_writes_every_table_and_figure_and_goes_on_where_it_was(
    example, steerers, few, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(example.drive, "load", few.get)
    monkeypatch.setattr(example.learning, "load", lambda name: steerers[name.removesuffix("_sturdier")])
    monkeypatch.setattr(example.run, "EVERY", 1)
    monkeypatch.setitem(rejection.ErrorModel.fit.__globals__["TREES"], "max_iter", 5)
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick", "--out", str(tmp_path)])
    assert example.run.main() == 0
    said = capsys.readouterr().out
    for title in ("Table 4", "Shifts of strangeness", "Rejecting networks", "Guarantee", "taught more", "the mix"):
        assert title in said
    tables = (tmp_path / "tables.md").read_text()
    assert tables.count("\n## ") > 15
    names = {path.name for path in tmp_path.rglob("*.*")}
    assert {"frames.png", "beside.png", "shares.csv", "performance.svg", "rejection.csv", "gain_levels.csv"} < names
    recorded = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert len(recorded) > 40
    again = example.system.study(
        example.system.steering(steerers), parts=few, folder=tmp_path / "recordings", **example.run.QUICK
    )
    again.run()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")} == recorded


def test_a_run_without_weights_says_what_to_train(example, few, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(example.drive, "load", few.get)
    monkeypatch.setattr(example.learning.load, "__defaults__", (tmp_path,))
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick", "--out", str(tmp_path)])
    assert example.run.main() == 2
    assert "train.py all" in capsys.readouterr().err


def test_the_readme_prints_the_drops_of_the_paper(example):
    rows = [line.split("|")[1:-1] for line in (FOLDER / "README.md").read_text().splitlines() if line.startswith("| ")]
    cells = {(row[0].strip(), row[1].strip()): [cell.strip() for cell in row[-4:]] for row in rows if len(row) == 10}
    for condition in conditions(example.system.CORRUPTIONS)[1:]:
        wanted = [example.published.printed(condition, place) for place in example.published.PLACES]
        found = cells[condition.corruption.replace("_", " "), str(condition.severity)]
        assert found == [f"{value:.3f} ({drop:+.0%})" for value, drop in wanted]


SMALL = """
import drive, learning, networks, numpy as np, torch, system


def study():
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 255, (60, 80, 160, 3), dtype=np.uint8)
    places = np.arange(30)
    part = drive.Part(frames, places, 30 + places, rng.uniform(-0.3, 0.3, 30), places // 5)
    torch.manual_seed(0)
    steerers = {name: build().eval() for name, build in networks.BUILDERS.items()}
    parts = {"train": part, "test": part}
    return system.study(system.steering(steerers), parts=parts, corruptions=["contrast"], severities=[1], passes=2)
"""


def test_the_project_file_feeds_the_tree_with_networks_that_fail_together(example, tmp_path, monkeypatch):
    monkeypatch.setitem(rejection.ErrorModel.fit.__globals__["TREES"], "max_iter", 5)
    told = yaml.safe_load((FOLDER / "surefoot.yaml").read_text())
    step = told["evidence"]["steering"]
    assert step["mix"] == example.system.MIX
    assert step["limit"] == example.system.LIMIT
    assert step["max_group_size"] == example.drive.PAIRS
    assert step["study"] == "system:mild"
    assert {Path(file).stem for file in step["files"]} == set(NAMES)
    for path in FOLDER.glob("*.py"):
        shutil.copy(path, tmp_path)
    (tmp_path / "small.py").write_text(SMALL)
    mix = {"clean": 0.9, "contrast 1": 0.1}
    told["evidence"]["steering"] = {**step, "study": "small:study", "files": None, "mix": mix}
    told["tree"]["target"]["at_most"] = 0.9
    (tmp_path / "surefoot.yaml").write_text(yaml.safe_dump(told))
    result = sf.run(sf.load(tmp_path / "surefoot.yaml"))
    together = np.prod([result[f"steering.{name} fails"].value for name in NAMES])
    assert together > 0
    assert result["tree.top event probability"].value == pytest.approx(0.1 * together, rel=0.05)
    tables = result.evidence["steering"].tables
    assert {*NAMES} < {way for _, way, *_ in tables["switching, all conditions together"].rows}
