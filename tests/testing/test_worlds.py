import math
import pickle
from dataclasses import fields, replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.stats import chisquare, ks_2samp
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.testing import broken_worlds, dense_set, sound_worlds, sparse_set, world_named, worlds

SOUND, BROKEN = sound_worlds(), broken_worlds()
ORIGIN = {
    "no gap": "wave",
    "label noise": "wave",
    "balanced training": "skewed ring",
    "balanced tests": "skewed ring",
    "piled cells": "flat",
    "bad region": "wave",
    "copied rows": "wave",
}
BOUNDARIES = [
    worlds.Wave(0.06, 1, (0.3, 0.65), (0, 1, 0)),
    worlds.Wave(0.11, 2, (0.5,), (0, 1), amplitude=0.15),
    worlds.Wave(0.02, 2, (0.25, 0.5, 0.75), (0, 1, 0, 1), amplitude=0.12, frequency=3),
    worlds.Ring(0.085, 0.3),
]


def inside(points, box):
    low, high = np.array(box).T
    return ((points >= low) & (points <= high)).all(axis=1)


def rng(seed=0):
    return np.random.default_rng(seed)


@cache
def trained(world):
    return world.train(rng(3), 1000)


def cell_centres(world, cells):
    axis = (np.arange(cells) + 0.5) / cells
    return np.stack([g.ravel() for g in np.meshgrid(*[axis] * world.dimensions, indexing="ij")], axis=1)


@pytest.mark.parametrize(
    "world", [world for world in (*SOUND, *BROKEN) if world.name != "balanced tests"], ids=lambda world: world.name
)
def test_true_pmi_is_the_error_on_a_million_inputs(world):
    model, rows = trained(world), 1_000_000
    inputs, labels = world.sample(rng(4), rows)
    pmi = world.true_pmi(model)
    error = math.sqrt(pmi * (1 - pmi) / rows * world.copies)
    assert (model.predict(inputs) != labels).mean() == pytest.approx(pmi, abs=4 * error)


def test_models_err_in_a_useful_range():
    for world in (*SOUND, *BROKEN):
        pmi = [world.true_pmi(world.train(rng(seed), 1000)) for seed in range(5)]
        assert 0.002 <= np.median(pmi) <= 0.06, world.name


def test_density_integrates_to_one():
    for world in (*SOUND, *BROKEN):
        cells = {1: 100_000, 2: 1200, 3: 100}[world.dimensions]
        assert world.density(cell_centres(world, cells)).mean() == pytest.approx(1, abs=2e-3), world.name


def test_density_is_that_of_the_samples():
    for world in (*SOUND, *BROKEN):
        cells, finer = {1: 40, 2: 8, 3: 4}[world.dimensions], {1: 2000, 2: 80, 3: 24}[world.dimensions]
        rows = 40_000
        inputs, _ = replace(world, copies=1).sample(rng(5), rows)
        counted = np.histogramdd(inputs, bins=cells, range=world.domain)[0]
        masses = world.density(cell_centres(world, cells * finer)) / (cells * finer) ** world.dimensions
        expected = np.histogramdd(cell_centres(world, cells * finer), cells, world.domain, weights=masses)[0]
        often = expected * rows >= 10
        assert (counted[expected == 0] == 0).all(), world.name
        scaled = expected[often] / expected[often].sum() * counted[often].sum()
        assert chisquare(counted[often], scaled).pvalue > 1e-3, world.name


def test_the_same_seed_gives_the_same_world():
    for world in (*SOUND, *BROKEN):
        again = pickle.loads(pickle.dumps(world))
        assert again == world, world.name
        assert hash(again) == hash(world), world.name
        for draw in ("sample", "collect", "held_out"):
            for ours, theirs in zip(getattr(world, draw)(rng(1), 500), getattr(again, draw)(rng(1), 500), strict=True):
                assert (ours == theirs).all(), world.name
        assert world.true_pmi(trained(world)) == again.true_pmi(again.train(rng(3), 1000)), world.name


def test_sets_have_the_size_that_was_asked_for():
    for world in (*SOUND, *BROKEN):
        for draw, rows in product((world.sample, world.collect, world.held_out), (0, 1, 7, 1000)):
            inputs, labels = draw(rng(), rows)
            assert inputs.shape == (rows, world.dimensions), world.name
            assert labels.shape == (rows,), world.name
            assert inside(inputs, world.domain).all(), world.name


def test_labels_are_true_and_classes_keep_their_distance():
    for world in [world for world in (*SOUND, *BROKEN) if not world.noise]:
        inputs, labels = world.sample(rng(6), 40_000)
        assert (labels == world.label(inputs)).all(), world.name
        assert set(labels) == set(range(world.classes)), world.name
        nearest = min(
            cKDTree(inputs[labels == a]).query(inputs[labels == b], p=math.inf)[0].min()
            for a in range(world.classes)
            for b in range(a)
        )
        slack = {1: 0.002, 2: 0.02, 3: 0.08}[world.dimensions]
        assert world.gap <= nearest <= world.gap + slack, world.name


def test_gap_is_the_distance_between_the_walls():
    """Every wall as a fine polygon; the nearest two points of different classes, by brute force."""
    for boundary in BOUNDARIES:
        places = np.linspace(0, 1, 8_001)[:, None] if boundary.dimensions == 2 else np.empty((1, 0))
        low, high = boundary.walls(places)
        pairs = zip(low.T, high.T, strict=True)
        walls = [[np.column_stack([places, wall]) for wall in pair] for pair in pairs]
        if isinstance(boundary, worlds.Ring):
            angle = np.linspace(0, 2 * np.pi, 4_001)
            circle = np.column_stack([np.cos(angle), np.sin(angle)])
            walls = [[0.5 + (boundary.radius + sign * boundary.width / 2) * circle for sign in (-1, 1)]]
        nearest = min(cKDTree(a).query(b, p=math.inf)[0].min() for a, b in walls)
        assert nearest == pytest.approx(boundary.gap, abs=5e-5), boundary


def test_sound_worlds_have_cells_below_the_gap_and_one_class_each():
    for world in SOUND:
        assert world.side < world.gap, world.name
        assert 1 / world.side == pytest.approx(round(1 / world.side)), world.name
        inputs, labels = world.sample(rng(7), 100_000)
        cell = (inputs // world.side) @ (1000 ** np.arange(world.dimensions))
        for number in range(world.classes):
            assert not np.intersect1d(cell[labels == number], cell[labels != number]).size, world.name


def test_a_broken_world_differs_from_a_sound_one_in_what_it_names():
    for world in BROKEN:
        sound = world_named(ORIGIN[world.name])
        differ = {f.name for f in fields(world) if getattr(world, f.name) != getattr(sound, f.name)}
        assert world.breaks, world.name
        assert not sound.breaks, world.name
        assert len(differ - {"name", "breaks"}) == (2 if world.name == "balanced tests" else 1), world.name


def test_without_a_gap_classes_touch():
    world = world_named("no gap")
    assert world.gap == 0
    inputs, labels = world.sample(rng(), 100_000)
    assert cKDTree(inputs[labels == 0]).query(inputs[labels == 1], p=math.inf)[0].min() < 1e-3


def test_label_noise_flips_its_share_everywhere_and_is_part_of_the_truth():
    world = world_named("label noise")
    for draw in (world.sample, world.collect, world.held_out):
        inputs, labels = draw(rng(), 200_000)
        assert (labels != world.label(inputs)).mean() == pytest.approx(world.noise, abs=0.0015)
    clean = replace(world, noise=0.0)
    model = trained(world)
    assert world.true_pmi(model) == pytest.approx(clean.true_pmi(model) * 0.96 + 0.02)
    assert world.gap == 0


def test_noise_among_three_classes_is_part_of_the_truth():
    world = replace(world_named("bands"), noise=0.3)
    inputs, labels = world.sample(rng(), 400_000)
    moved = (labels - world.label(inputs)) % 3
    assert np.bincount(moved) / 400_000 == pytest.approx([0.7, 0.15, 0.15], abs=0.004)
    model = trained(world_named("bands"))
    assert (model.predict(inputs) != labels).mean() == pytest.approx(world.true_pmi(model), abs=0.004)


def test_balanced_sets_have_classes_in_other_shares_than_operation_and_nothing_else():
    training, tests = world_named("balanced training"), world_named("balanced tests")
    rows = 20_000
    shares = {
        (world.name, draw): getattr(world, draw)(rng(), rows)[1].mean()
        for world in (training, tests)
        for draw in ("sample", "collect", "held_out")
    }
    skewed = {("balanced training", "sample"), ("balanced training", "held_out"), ("balanced tests", "sample")}
    for which, share in shares.items():
        assert share == pytest.approx(0.9 if which in skewed else 0.5, abs=0.015), which
    (operation, y), (collected, z) = training.sample(rng(1), rows), training.collect(rng(2), rows)
    for number in (0, 1):
        for axis in (0, 1):
            assert ks_2samp(operation[y == number, axis], collected[z == number, axis]).pvalue > 1e-3


def test_balanced_tests_make_the_model_look_better_than_it_is():
    world = world_named("balanced tests")
    as_tested = replace(world, shares=world.tested)
    models = [world.train(rng(seed), 1000) for seed in range(15)]
    assert np.median([world.true_pmi(m) / as_tested.true_pmi(m) for m in models]) > 1.2


def test_piled_cells_keep_the_mass_of_every_cell_and_hide_errors_in_it():
    piled, flat = world_named("piled cells"), world_named("flat")
    edges = np.linspace(0, 1, 21)
    assert piled.profile.along(edges) == pytest.approx(flat.profile.along(edges), abs=1e-12)
    model = trained(flat)
    assert piled.true_pmi(model) > 3 * flat.true_pmi(model)
    place = piled.sample(rng(), 100_000)[0][:, 1] / piled.side % 1
    assert (place < 0.2).mean() == pytest.approx(9 * 0.2 / 2.6, abs=0.02)


def test_piled_density_is_the_slope_of_its_distribution():
    profile = worlds.Profile(((0.4,), (0.8,)), ((0.3,), (0.1,)), (0.7, 0.3), pile=5.0, period=0.1)
    at = rng().random(200)
    slope = (profile.along(at + 1e-7) - profile.along(at - 1e-7)) / 2e-7
    assert profile.density(at[:, None]) == pytest.approx(slope @ profile.weights, rel=1e-5)


def test_in_the_bad_region_the_model_is_wrong_and_nobody_labelled():
    world = world_named("bad region")
    assert not inside(world.collect(rng(), 100_000)[0], world.bad_region).any()
    inputs, labels = world.held_out(rng(1), 200_000)
    bad = inside(inputs, world.bad_region)
    assert 0.005 < bad.mean() < 0.02
    for seed in range(5):
        assert (world.train(rng(seed), 1000).predict(inputs[bad]) != labels[bad]).all()
    assert len(set(labels[bad])) == 1


def test_copied_rows_come_one_after_the_other():
    world = world_named("copied rows")
    for draw in (world.sample, world.collect, world.held_out):
        inputs, labels = draw(rng(), 1003)
        assert len(np.unique(inputs, axis=0)) == 201
        assert (inputs[:1000:5] == inputs[4:1000:5]).all()
        assert (labels[:1000:5] == labels[4:1000:5]).all()


def test_a_tree_seen_as_a_function_has_almost_the_same_pmi():
    for name, error in [("wave", 1e-3), ("ring", 1e-3), ("surface", 2e-3)]:
        world = world_named(name)
        model = trained(world)
        exact = world.true_pmi(model)
        assert world.true_pmi(model.predict) == pytest.approx(exact, abs=error), name


def test_more_nodes_move_the_pmi_of_a_tree_by_no_more_than_is_said():
    for name, error in [("wave", 2e-6), ("ring", 2e-6), ("bands", 2e-6), ("surface", 2e-5)]:
        world = world_named(name)
        finest = world.true_pmi(trained(world), nodes=20)
        assert world.true_pmi(trained(world)) == pytest.approx(finest, abs=error), name


def test_pmi_of_a_shifted_boundary_is_a_closed_form():
    """A strip 0.01 high of a uniform class above the gap, on a profile that is all but uniform."""
    boundary = worlds.Wave(0.1, 2, (0.5,), (0, 1), amplitude=0.2)
    profile = worlds.Profile(((0.5, 0.5),), ((1e4, 1e4),), (1.0,))
    world = replace(world_named("flat"), boundary=boundary, profile=profile)
    assert world.true_pmi(worlds.Shifted(boundary, 0.06)) == pytest.approx(0.01 / 0.9, abs=1e-8)
    assert world.true_pmi(worlds.Shifted(boundary, 0.05)) == pytest.approx(0, abs=1e-8)
    assert world.true_pmi(lambda inputs: np.zeros(len(inputs), int)) == pytest.approx(0.5, abs=1e-8)


def test_disc_has_the_area_of_a_disc():
    profile = worlds.Profile(((0.5, 0.5),), ((1e4, 1e4),), (1.0,))
    world = replace(world_named("ring"), boundary=worlds.Ring(0.08, 0.3), profile=profile)
    disc, outside = math.pi * 0.26**2, 1 - math.pi * 0.34**2
    never = world.true_pmi(lambda inputs: np.zeros(len(inputs), int))
    assert never == pytest.approx(disc / (disc + outside), abs=1e-8)


def test_a_model_is_anything_that_answers():
    world = world_named("line")
    model = worlds.Tree(3).fit(*world.collect(rng(), 200))
    assert world.true_pmi(model) == pytest.approx(world.true_pmi(model.predict), abs=1e-3)
    assert worlds.Shifted(worlds.Ring(0.1, 0.3), 0.1).classes_.tolist() == [0, 1]


@pytest.fixture(scope="module")
def dense():
    return dense_set()


def test_sparse_set_is_flat_and_errs_on_a_twelfth():
    found = sparse_set()
    assert found.inputs.shape == (1000, 2)
    assert found.held_out.sum() == 200
    assert 0.05 < found.test_error < 0.11
    assert found.world.side == 0.004 < found.world.gap
    heights = found.world.density(found.inputs)
    assert heights.max() / heights.min() < 1.3
    inputs, labels = found.world.sample(rng(1), 1_000_000)
    assert (found.model.predict(inputs) != labels).mean() == pytest.approx(
        found.pmi, abs=4 * math.sqrt(found.pmi / 1e6)
    )
    assert found.world.true_pmi(found.model, nodes=20) == pytest.approx(found.pmi, abs=1e-6)


def test_dense_set_is_uneven_and_errs_rarely(dense):
    assert dense.inputs.shape == (50_000, 2)
    assert dense.held_out.sum() == 10_000
    assert 0.005 < dense.test_error < 0.01
    assert dense.world.side == 0.002 < dense.world.gap
    heights = dense.world.density(dense.inputs)
    assert heights.max() / heights.min() > 10


def test_dense_set_knows_its_pmi(dense):
    inputs, labels = dense.world.sample(rng(1), 1_000_000)
    assert (dense.model.predict(inputs) != labels).mean() == pytest.approx(
        dense.pmi, abs=4 * math.sqrt(dense.pmi / 1e6)
    )


def test_impossible_worlds_are_refused():
    for make in [
        lambda: worlds.Wave(0.1, 2, (0.5,), (0, 0)),
        lambda: worlds.Wave(0.1, 2, (0.5,), (0, 2)),
        lambda: worlds.Wave(0.1, 2, (0.5,), (0, 1, 0)),
        lambda: worlds.Wave(0.1, 2, (0.5,), (0, 1), amplitude=0.5),
        lambda: worlds.Wave(0.1, 2, (0.5, 0.55), (0, 1, 0)),
        lambda: worlds.Wave(-0.1, 2, (0.5,), (0, 1)),
        lambda: worlds.Wave(0.1, 0, (0.5,), (0, 1)),
        lambda: worlds.Ring(0.1, 0.46),
        lambda: worlds.Ring(0.5, 0.2),
        lambda: worlds.Profile(((0.5,),), ((0.0,),), (1.0,)),
        lambda: worlds.Profile(((0.5,),), ((0.1, 0.2),), (1.0,)),
        lambda: worlds.Profile(((0.5,),), ((0.1,),), (0.9,)),
        lambda: worlds.Profile(((0.5,),), ((0.1,),), (1.0,), pile=1.0, period=0.3),
        lambda: worlds.Profile(((0.5,),), ((0.1,),), (1.0,), pile=-1.0),
        lambda: replace(world_named("wave"), profile=world_named("line").profile),
        lambda: replace(world_named("wave"), shares=(0.5, 0.4)),
        lambda: replace(world_named("wave"), tested=(1.0, 0.0)),
        lambda: replace(world_named("wave"), noise=1.5),
        lambda: replace(world_named("wave"), copies=0),
        lambda: world_named("waves"),
    ]:
        with refused(make, InvalidInput):
            make()
