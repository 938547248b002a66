import numpy as np
import pytest
from scipy.stats import percentileofscore
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import (
    KNN,
    Autoencoder,
    Brightness,
    Contrast,
    Detector,
    Energy,
    Ensemble,
    FeatureBox,
    ForwardPass,
    IsolationForest,
    MaxLogit,
    OneClassSVM,
    Reconstruction,
)
from surefoot.testing import check_detector

RNG = np.random.default_rng(14)
ROWS = RNG.normal(size=(200, 4))
LABELS = RNG.choice(["a", "b"], 200)
QUERIES = RNG.normal(size=(60, 4)) * 2
PREDICTIONS = RNG.choice(["a", "b"], 60)


def pair():
    return [IsolationForest(trees=10), OneClassSVM()]


def fitted(**options):
    return Ensemble(pair(), **options).fit(ROWS, LABELS)


def scores_of_the_parts(rows=QUERIES, labels=PREDICTIONS):
    return np.array([each.fit(ROWS, LABELS).decision_function(rows, labels) for each in pair()])


@pytest.mark.parametrize(("how", "combined"), [("mean", np.mean), ("max", np.max), ("min", np.min)])
def test_standard_scores_are_combined(how, combined):
    known = scores_of_the_parts(ROWS, LABELS)
    standard = (scores_of_the_parts() - known.mean(axis=1)[:, None]) / known.std(axis=1)[:, None]
    scores = fitted(how=how, scale="standard", held_out=0).decision_function(QUERIES, PREDICTIONS)
    np.testing.assert_allclose(scores, combined(standard, axis=0))


def test_ranks_are_percentiles_among_the_known_scores():
    known = scores_of_the_parts(ROWS, LABELS)
    ranks = [
        percentileofscore(row, given, kind="mean") / 100
        for row, given in zip(known, scores_of_the_parts(), strict=True)
    ]
    scores = fitted(held_out=0).decision_function(QUERIES, PREDICTIONS)
    np.testing.assert_allclose(scores, np.mean(ranks, axis=0))


def test_weights_count_in_the_mean():
    standard = {"scale": "standard", "held_out": 0}
    first, second = (fitted(weights=w, **standard).decision_function(QUERIES, PREDICTIONS) for w in ([1, 0], [0, 1]))
    both = fitted(weights=[3, 1], **standard).decision_function(QUERIES, PREDICTIONS)
    np.testing.assert_allclose(both, 0.75 * first + 0.25 * second)


def test_rows_held_out_keep_ranks_of_new_rows_uniform_where_fitted_rows_do_not():
    rows, fresh = np.random.default_rng(1).normal(size=(2, 400, 30))
    zeros = np.zeros(400, int)

    def mean_rank(held_out):
        ensemble = Ensemble([OneClassSVM(gamma=1.0, nu=0.01)], held_out=held_out)
        return ensemble.fit(rows, zeros).decision_function(fresh, zeros).mean()

    assert mean_rank(0.5) == pytest.approx(0.5, abs=0.05)
    assert mean_rank(0) > 0.9


def test_members_are_fitted_without_the_rows_held_out_and_the_seed_settles_which():
    one, same, other = (fitted(held_out=0.25, seed=seed) for seed in (0, 0, 1))
    known = [each.learned["known"] for each in (one, same, other)]
    assert known[0].shape == (2, sum(int(0.25 * (label == LABELS).sum()) for label in "ab"))
    np.testing.assert_array_equal(known[0], known[1])
    assert not np.array_equal(known[0], known[2])


def test_classes_too_small_to_spare_a_row_are_scaled_on_fitted_rows():
    ensemble = Ensemble(pair()).fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    assert ensemble.learned["known"].shape == (2, 3)
    assert np.isfinite(ensemble.decision_function([[0.5], [9.0]], ["a", "b"])).all()


def test_nested_ensembles_round_trip_through_a_file(tmp_path):
    inner = Ensemble(pair(), how="max", scale="standard")
    outer = Ensemble([inner, FeatureBox()], weights=(1, 2)).fit(ROWS, LABELS)
    outer.save(tmp_path / "outer.npz")
    loaded = Detector.load(tmp_path / "outer.npz")
    assert [type(each) for each in loaded.members] == [Ensemble, FeatureBox]
    assert loaded.parameters == outer.parameters
    expected = outer.decision_function(QUERIES, PREDICTIONS)
    np.testing.assert_array_equal(loaded.decision_function(QUERIES, PREDICTIONS), expected)


def test_objects_reach_the_members_that_need_them(tmp_path):
    ensemble = Ensemble([Reconstruction(np.zeros_like), Reconstruction(np.ones_like)]).fit(ROWS)
    ensemble.save(tmp_path / "two.npz")
    loaded = Detector.load(tmp_path / "two.npz", autoencoder=np.zeros_like)
    assert loaded.members[1].score_one(np.zeros(4)) == 0


def test_one_row_scores_as_in_a_batch():
    ensemble = fitted()
    scores = ensemble.decision_function(QUERIES, PREDICTIONS)
    ones = [ensemble.score_one(x, c) for x, c in zip(QUERIES, PREDICTIONS, strict=True)]
    np.testing.assert_allclose(ones, scores, atol=1e-12)


def test_members_with_and_without_classes_go_together():
    ensemble = Ensemble([FeatureBox(), Autoencoder(hidden=(2,), epochs=1)]).fit(ROWS, LABELS)
    assert ensemble.by_class
    assert ensemble.classes.tolist() == ["a", "b"]
    scores = ensemble.decision_function(QUERIES, PREDICTIONS)
    assert ensemble.score_one(QUERIES[0], PREDICTIONS[0]) == pytest.approx(scores[0])


def test_it_takes_what_its_members_take():
    ensemble = Ensemble([Contrast(), Brightness(), Reconstruction(np.zeros_like)])
    assert (ensemble.takes, ensemble.by_class) == ("images", False)
    images = np.random.default_rng(1).uniform(size=(20, 4, 4, 3))
    assert ensemble.fit(images).decision_function(images).shape == (20,)


def seen(count, seed=3):
    """Features, logits and pictures of one pass, and what was answered."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(count, 2))
    names = np.array(["a", "b"])[logits.argmax(axis=1)]
    images = rng.uniform(size=(count, 4, 4, 3))
    return ForwardPass(rng.normal(size=(count, 3)), logits=logits, inputs=images, predictions=names)


def test_members_that_look_at_different_things_share_a_forward_pass():
    usual, asked = seen(200), seen(30, seed=4)
    ensemble = Ensemble([Energy(), KNN(3, per_class=True), Contrast()], held_out=0).fit(usual)
    assert (ensemble.takes, ensemble.by_class) == ("pass", True)
    apart = [
        (Energy().fit(usual.logits), (usual.logits,), (asked.logits,)),
        (
            KNN(3, per_class=True).fit(usual.features, usual.predictions),
            (usual.features, usual.predictions),
            (asked.features, asked.predictions),
        ),
        (Contrast().fit(usual.inputs), (usual.inputs,), (asked.inputs,)),
    ]
    ranks = [
        percentileofscore(each.decision_function(*known), each.decision_function(*new), kind="mean") / 100
        for each, known, new in apart
    ]
    together = ensemble.decision_function(asked)
    np.testing.assert_allclose(together, np.mean(ranks, axis=0), rtol=1e-12)
    assert [ensemble.score_one(asked[i : i + 1]) for i in range(30)] == pytest.approx(together)


def test_an_ensemble_may_have_ensembles_of_other_views():
    usual = seen(60)
    nested = Ensemble([Ensemble([MaxLogit(), KNN(2)]), Brightness()]).fit(usual)
    assert nested.decision_function(usual[:7]).shape == (7,)


def test_a_forward_pass_ensemble_reads_back_from_its_file(tmp_path):
    usual, asked = seen(100), seen(9, seed=5)
    ensemble = Ensemble([Energy(), KNN(2)]).fit(usual)
    ensemble.save(tmp_path / "both.npz")
    again = Detector.load(tmp_path / "both.npz")
    assert np.array_equal(again.decision_function(asked), ensemble.decision_function(asked))


def test_what_a_forward_pass_must_show_is_said():
    both = Ensemble([Energy(), KNN(2)])
    for wrong, said in [
        (lambda: both.fit(np.zeros((5, 3))), "features and logits of one forward pass"),
        (lambda: both.fit(ForwardPass(np.zeros((5, 3)))), "shows no logits"),
        (lambda: Contrast().fit(ForwardPass(np.zeros((5, 3)))), "shows no images"),
        (lambda: ForwardPass(np.zeros((5, 3)), logits=np.zeros((4, 2))), "same length"),
        (ForwardPass, "nothing is seen"),
        (lambda: ForwardPass(3.0), "one row an input"),
    ]:
        with refused(said, InvalidInput, match=said):
            wrong()


def test_predictions_are_needed_where_a_member_needs_them_and_must_be_known():
    with pytest.raises(InvalidInput, match="needs predictions"):
        fitted().decision_function(QUERIES)
    with pytest.raises(InvalidInput, match="needs predictions"):
        fitted().score_one(QUERIES[0])
    with pytest.raises(InvalidInput, match="not fitted with"):
        fitted().score_one(QUERIES[0], "c")


def test_parameters_are_checked():
    for options, said in [
        ({"detectors": []}, "at least one"),
        ({"detectors": FeatureBox()}, "in a list"),
        ({"detectors": [FeatureBox]}, "every member"),
        ({"detectors": [FeatureBox()] * 2}, "once"),
        ({"how": "median"}, "how"),
        ({"scale": "none"}, "scale"),
        ({"weights": [1.0]}, "weights"),
        ({"weights": [0, 0]}, "weights"),
        ({"weights": [-1, 2]}, "weights"),
        ({"weights": [1, 2], "how": "max"}, "mean"),
        ({"held_out": 1.0}, "held_out"),
        ({"held_out": -0.1}, "held_out"),
    ]:
        with refused((options, said), InvalidInput, match=said):
            Ensemble(**{"detectors": pair(), **options})


@pytest.mark.parametrize("options", [{}, {"scale": "standard", "how": "max"}])
def test_it_is_complete(options):
    assert check_detector(lambda: Ensemble([FeatureBox(), OneClassSVM()], **options)).passed
