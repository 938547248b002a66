"""Studies: what is measured, in whatever parts and wherever it runs, and what goes wrong on the way."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from tests.refusals import told
from tests.systems.study import worlds
from tests.systems.study.worlds import DARK, eyes, items, measured_of, score, study

from surefoot import SurefootError
from surefoot.executors import Checkpointed, Dask, Processes, Serial
from surefoot.monitors import KernelDensity, Mahalanobis, MaxLogit
from surefoot.systems import CLEAN, Answer, Items, Module, Score, Study, System, conditions


def test_statistics_are_those_of_running_the_system_oneself():
    findings = study(conditions=(CLEAN, DARK)).run()
    photos, truth = worlds.pictures(20)
    brightness = photos.mean(axis=(1, 2, 3), dtype=np.float64)
    for condition, light in ((CLEAN, 1.0), (DARK, 0.5)):
        np.testing.assert_allclose(findings.whole.errors(condition), np.abs(light * brightness - truth), atol=1e-6)


def test_every_chunk_size_measures_the_same():
    system, calm = eyes(), {"passes": 0, "training": items(50, 1)}
    whole = measured_of(study(system, **calm, chunk=100).run())
    for chunk in (1, 7, 20):
        assert measured_of(study(system, **calm, chunk=chunk).run()) == whole


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed", reason="the dask extra is not installed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield Dask(client)


def test_serial_processes_and_dask_give_the_same_tables(cluster):
    found = []
    for executor in (Serial(), Processes(2), cluster):
        findings = study(
            data=items(40), training=items(40, 1), conditions=worlds.CONDITIONS[:3], executor=executor
        ).run()
        tables = {name: table.rows for name, table in findings.tables().items()} if executor is not cluster else None
        found.append((measured_of(findings), tables))
    assert found[0] == found[1]
    assert found[0][0] == found[2][0]


def test_a_remembering_executor_never_remembers_in_place_of_running(tmp_path):
    whole = measured_of(study().run())
    for attempt in range(2):
        folder = tmp_path / f"recorded {attempt}"
        remembering = Checkpointed(Serial(), tmp_path / "remembered")
        assert measured_of(study(folder=folder, executor=remembering).run()) == whole
    assert list((tmp_path / "remembered").iterdir()) == []


def test_progress_counts_what_is_there_as_done(tmp_path):
    told = []
    study(folder=tmp_path).run(lambda *at: told.append(at))
    assert told[0] == ("recording", 0, 15)
    assert ("recording", 15, 15) in told
    assert told[-1] == ("scoring", 15, 15)
    again = []
    study(folder=tmp_path).run(lambda *at: again.append(at))
    assert again == [("recording", 15, 15), ("scoring", 15, 15)]


def test_recordings_without_a_folder_go_away_with_the_findings():
    findings = study(conditions=(CLEAN,)).run()
    place = findings.folder.path
    assert findings.whole.statistics().shape == (20, 2)
    assert place.is_dir()
    del findings
    gc.collect()
    assert not place.exists()


def picky(limit):
    def looked(v):
        if any(photo.mean() > limit for photo in v):
            raise ValueError("too bright")
        return worlds.looked(v)

    return looked


def test_a_module_that_raises_on_some_items_is_recorded_and_the_study_goes_on():
    findings = study(eyes(picky(0.4)), training=items(30, 1)).run()
    truth = worlds.pictures(20)[1]
    bright = truth.astype(np.float32) > 0.4
    assert 0 < bright.sum() < 20
    np.testing.assert_array_equal(findings.whole.faulty(), bright)
    np.testing.assert_array_equal(np.isnan(findings.whole.errors()), bright)
    faults = dict(findings.whole.columns.faults(CLEAN))
    assert set(faults) == {str(i) for i in np.flatnonzero(bright)}
    assert set(faults.values()) == {"left: ValueError: too bright"}
    np.testing.assert_array_equal(np.isnan(score(findings, "left", "KDE")), bright)
    np.testing.assert_array_equal(np.isnan(score(findings, "head", "VR")), bright)


def test_a_chunk_may_have_faulty_items_only():
    ordered = np.sort(worlds.pictures(20)[1])
    photos = np.broadcast_to(ordered[:, None, None, None], (20, 6, 6, 1)).astype(np.float32)
    findings = study(eyes(picky(ordered[11])), Items({"photo": photos}, truth=ordered), training=items(9, 1)).run()
    assert findings.whole.faulty().sum() == 8
    assert np.isfinite(score(findings, "left", "KDE")[:12]).all()


def test_all_items_may_be_faulty():
    findings = study(eyes(picky(-1)), conditions=(CLEAN,)).run()
    assert findings.whole.faulty().all()
    assert np.isnan(findings.whole.errors()).all()


def test_a_module_may_raise_on_corrupted_inputs_only():
    def fussy(v):
        if any(np.ptp(photo) > 0 for photo in v):
            raise ValueError("noisy")
        return worlds.looked(v)

    findings = study(eyes(fussy)).run()
    counts = {condition.label: int(findings.whole.faulty(condition).sum()) for condition in worlds.CONDITIONS}
    assert counts["clean"] == 0
    assert counts["gaussian_noise 1"] == counts["gaussian_noise 5"] == 20


def test_a_pass_that_raises_leaves_its_items_without_a_variation_and_says_so():
    def fails(seed, v):
        raise RuntimeError("no noise today")

    left = Module("left", worlds.looked, {"v": "photo"}, gives="number", noisy=fails, distance="numeric")
    findings = study(System([left], inputs={"photo": "image"}), conditions=(CLEAN,)).run()
    assert not findings.whole.faulty().any()
    assert np.isnan(score(findings, "left", "VR")).all()
    told = findings.whole.columns.pass_faults(CLEAN)
    assert len(told) == 20
    assert told[0] == ("0", "pass 0 of left: left: RuntimeError: no noise today")


def test_features_that_are_not_finite_have_no_score():
    def looked(v):
        answer = worlds.looked(v)
        return Answer(answer.outputs, np.where(answer.outputs[:, None] > 0.4, np.inf, answer.features))

    findings = study(eyes(looked), training=items(60, 1), conditions=(CLEAN,)).run()
    np.testing.assert_array_equal(
        np.isnan(score(findings, "left", "Maha-d")), worlds.pictures(20)[0].mean((1, 2, 3)) > 0.4
    )


def counted_passes(offsets):
    """A module that gives what it gets; in its passes, one after the other, with these offsets."""
    turns = iter(offsets * 1000)

    def noisy(seed, v):
        offset = next(turns)
        return [value + offset for value in v]

    return Module("a", lambda v: list(v), {"v": "x"}, gives="number", noisy=noisy, distance="numeric")


@pytest.mark.parametrize("through", ["system", "module"])
def test_variation_ratios_are_those_of_equations_5_and_6_by_hand(through):
    # Distances between passes 0, 1, 3 are 1, 3, 2; to the original 0, 1, 3. The second module doubles them.
    double = Module("b", lambda v: [2 * value for value in v], {"v": "a"}, gives="number", distance="numeric")
    system = System([counted_passes([0.0, 1.0, 3.0]), double], inputs={"x": "number"})
    findings = study(system, Items({"x": [5.0, 7.0]}, truth=[10.0, 14.0]), conditions=(CLEAN,), through=through).run()
    np.testing.assert_allclose(score(findings, "a", "VR"), 2.0)
    np.testing.assert_allclose(score(findings, "a", "VRO"), 4 / 3)
    assert (Score("b", "VR") in findings.whole.scores) == (through == "system")
    if through == "system":
        np.testing.assert_allclose(score(findings, "b", "VR"), 4.0)
        np.testing.assert_allclose(score(findings, "b", "VRO"), 8 / 3)


def test_through_the_module_a_later_one_is_shaken_with_its_usual_inputs():
    later = Module(
        "b",
        lambda v: list(v),
        {"v": "a"},
        gives="number",
        noisy=lambda seed, v: [value + 1 for value in v],
        distance="numeric",
    )
    system = System([counted_passes([0.0, 1.0, 3.0]), later], inputs={"x": "number"})
    data = Items({"x": [5.0]}, truth=[5.0])
    alone = study(system, data, conditions=(CLEAN,), through="module").run()
    assert score(alone, "b", "VR") == [0.0]
    assert score(alone, "b", "VRO") == [1.0]


def test_scores_of_repeated_passes_need_two_of_them():
    for passes, scores in [(0, 0), (1, 0), (2, 4), (10, 4)]:
        with told(passes):
            findings = study(passes=passes, conditions=(CLEAN,)).run()
            assert len(findings.whole.of_family("uncertainty")) == scores


def test_no_passes_are_made_where_no_module_is_judged_by_them(tmp_path):
    calm = System(
        [Module("m", worlds.middle, {"v": "photo"}, gives="number", distance="numeric")], inputs={"photo": "image"}
    )
    findings = study(calm, conditions=(CLEAN,)).run()
    assert findings.whole.scores == {}


def test_strangeness_is_that_of_detectors_fitted_to_the_training_data():
    chosen = {"far": Mahalanobis(kind="tied"), "rare": KernelDensity()}
    findings = study(training=items(50, 1), detectors=chosen, passes=0).run()
    train, test = (worlds.looked(worlds.pictures(n, seed)[0]).features for n, seed in ((50, 1), (20, 0)))
    assert findings.whole.scores == {Score("left", "far"): "strangeness", Score("left", "rare"): "strangeness"}
    for name, kind in (("far", Mahalanobis(kind="tied")), ("rare", KernelDensity())):
        np.testing.assert_allclose(score(findings, "left", name), kind.fit(train).decision_function(test))


def test_many_training_rows_are_thinned_evenly(monkeypatch):
    monkeypatch.setattr(sys.modules["surefoot.systems.study"], "MOST_ROWS", 10)
    findings = study(training=items(47, 1), detectors={"far": Mahalanobis(kind="tied")}, passes=0, chunk=6).run()
    every_fifth = worlds.looked(worlds.pictures(47, 1)[0][::5]).features
    expected = (
        Mahalanobis(kind="tied").fit(every_fifth).decision_function(worlds.looked(worlds.pictures(20)[0]).features)
    )
    np.testing.assert_allclose(score(findings, "left", "far"), expected)


def test_features_of_several_widths_are_told():
    def as_wide_as_long(v):
        return Answer([0.0] * len(v), features=np.ones((len(v), len(v))))

    system = System([Module("m", as_wide_as_long, {"v": "photo"}, gives="number")], inputs={"photo": "image"})
    with pytest.raises(SurefootError, match="module 'm': features must have one width; found widths 4, 5"):
        study(system, training=items(9, 1), detectors={"KDE": KernelDensity()}, chunk=5, passes=0).run()


def test_training_data_without_features_give_no_scores():
    system = System([Module("m", worlds.middle, {"v": "photo"}, gives="number")], inputs={"photo": "image"})
    assert study(system, training=items(9, 1)).run().whole.scores == {}


def doubtful(v):
    mean = np.asarray(v).mean(axis=(1, 2, 3))
    return {"says": mean, "doubt": 1 - mean}


def test_own_scores_and_further_places_are_measured_too():
    modules = [Module(n, doubtful, {"v": "photo"}, gives={"says": "number", "doubt": "number"}) for n in ("a", "b")]
    both = Module("both", worlds.joined, {"a": "a.says", "b": "b.says"}, gives="number")
    findings = study(
        System([*modules, both], inputs={"photo": "image"}),
        own_scores={"doubt": ["a.doubt", "b.doubt"]},
        outputs={"only a": "a.says", "doubt of b": "b.doubt"},
    ).run()
    assert list(findings.measured) == ["system", "only a", "doubt of b"]
    assert findings.whole.scores == {Score("a", "doubt"): "uncertainty", Score("b", "doubt"): "uncertainty"}
    mean = worlds.pictures(20)[0].mean((1, 2, 3))
    np.testing.assert_allclose(score(findings, "a", "doubt"), 1 - mean, rtol=1e-6)
    truth = worlds.pictures(20)[1]
    np.testing.assert_allclose(findings.measured["doubt of b"].errors(), np.abs(1 - mean - truth), rtol=1e-6)


def test_a_place_beside_the_module_that_raised_has_its_answers():
    findings = study(eyes(picky(-1)), outputs={"right": "right"}, conditions=(CLEAN,)).run()
    assert findings.whole.faulty().all()
    assert not findings.measured["right"].faulty().any()


def test_one_item_is_enough():
    assert study(data=items(1), conditions=(CLEAN,)).run().whole.statistics().shape == (1, 2)


def test_groups_become_units():
    findings = study(data=items(20, groups=[i // 5 for i in range(20)]), conditions=(CLEAN,)).run()
    assert findings.whole.units.tolist() == [i // 5 for i in range(20)]


SYSTEM = eyes()
WORDS = Module("words", lambda v: ["x"] * len(v), {"v": "photo"}, gives="text")


def test_a_wrong_study_is_told_before_it_runs():
    for options, said in [
        ({"conditions": ()}, "start with clean; found none"),
        ({"conditions": conditions(["fog"])[1:]}, "start with clean; found fog 1"),
        ({"conditions": (CLEAN, CLEAN)}, "must differ"),
        ({"conditions": conditions(["reverb"])}, "no audio input"),
        ({"data": Items({"photo": [1]})}, "need their truth"),
        ({"data": Items({"image": [1]}, truth=[1])}, "items lack an input of the system; found photo"),
        ({"training": Items({"image": [1]})}, "training lack an input"),
        ({"detectors": {"far": KernelDensity()}}, "detectors need training data; found far"),
        ({"detectors": {"far": Mahalanobis(kind="class")}, "training": items(5)}, "needs classes"),
        ({"detectors": {"soft": MaxLogit()}, "training": items(5)}, "takes logits"),
        ({"own_scores": {"doubt": "lefft"}}, "Did you mean 'left'"),
        ({"own_scores": {"doubt": "photo"}}, "unknown place"),
        ({"own_scores": {"VR": "left"}}, "name is taken"),
        ({"outputs": {"eyes": "left"}}, "name of the system"),
        ({"outputs": {"left": "photo"}}, "unknown place"),
        ({"system": System([WORDS], inputs={"photo": "image"}), "own_scores": {"d": "words"}}, "must be a number"),
        ({"metric": "wher"}, "metric"),
        ({"passes": -1}, "passes"),
        ({"chunk": 0}, "chunk"),
        ({"seed": -1}, "seed"),
        ({"through": "modules"}, "Did you mean 'module'"),
    ]:
        with told(options), pytest.raises(SurefootError, match=said):
            study(**options)


def test_a_distance_that_does_not_exist_is_told_before_it_runs():
    left = Module("left", worlds.looked, {"v": "photo"}, gives="number", distance="numerical")
    with pytest.raises(SurefootError, match="distance"):
        study(System([left], inputs={"photo": "image"}))


def test_a_pass_runs_only_what_random_numbers_reach_and_a_judged_module_needs(tmp_path):
    calls = {"slow": 0, "after": 0}

    def slow(v):
        calls["slow"] += 1
        return v

    def after(v, w):
        calls["after"] += 1
        return v

    modules = [
        Module("slow", slow, {"v": "x"}, gives="number"),
        Module("shaken", lambda v: v, {"v": "slow"}, gives="number", noisy=lambda seed, v: v + 1, distance="numeric"),
        Module("after", after, {"v": "shaken", "w": "slow"}, gives="number"),
    ]
    system = System(modules, inputs={"x": "number"})
    items = Items({"x": np.arange(4.0)}, np.arange(4.0))
    found = Study(system, items, [CLEAN], "mae", passes=5, folder=tmp_path).run()
    assert calls == {"slow": 1, "after": 1}
    assert found.whole.score(Score("shaken", "VRO")).tolist() == [1.0] * 4
