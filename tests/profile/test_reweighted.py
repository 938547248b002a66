import numpy as np
import pytest
from scipy import stats
from sklearn.neighbors import KernelDensity

from surefoot.core import InvalidInput
from surefoot.profile import KDE, Profile, Region, Reweighted, density_ratio, expert_weights, lognormal_weight

RNG = np.random.default_rng(0)
POINTS = RNG.random((200, 2))
WEIGHTS = RNG.gamma(2.0, size=200)
QUERIES = RNG.random((20, 2))
EDGES = (np.linspace(0, 1, 6), np.linspace(0, 1, 4))


@pytest.fixture
def kde():
    return KDE(0.15).fit(POINTS)


def test_density_equals_that_of_scikit_learn_with_sample_weights(kde):
    truth = KernelDensity(bandwidth=0.15).fit(POINTS, sample_weight=WEIGHTS).score_samples(QUERIES)
    found = Reweighted(kde, WEIGHTS)
    assert found.score_samples(QUERIES) == pytest.approx(truth)
    assert found.density(QUERIES) == pytest.approx(np.exp(truth))


def test_the_plain_density_stays_as_it_was(kde):
    before = kde.score_samples(QUERIES)
    Reweighted(kde, WEIGHTS).score_samples(QUERIES)
    assert (kde.score_samples(QUERIES) == before).all()
    assert (kde.weights == 1).all()


def test_mass_and_variance_of_cells_follow_the_weights(kde):
    found, w = Reweighted(kde, WEIGHTS), WEIGHTS / WEIGHTS.mean()
    single = np.stack([KDE(0.15).fit(POINTS[[j]]).grid_mass(EDGES) for j in range(200)])
    mass = np.tensordot(w, single, 1) / 200
    variance = ((w[:, None, None] * single - mass) ** 2).sum(axis=0) / 200**2
    values = RNG.random(mass.shape)
    assert found.grid_mass(EDGES) == pytest.approx(mass)
    assert found.grid_variance(EDGES) == pytest.approx(variance)
    assert found.contributions(EDGES, values) == pytest.approx((single * values).sum(axis=(1, 2)))
    assert found.contributions(EDGES, values) @ found.weights / 200 == pytest.approx((mass * values).sum())


def test_boxes_and_their_variance_are_those_of_the_weighted_density(kde):
    found, same = Reweighted(kde, WEIGHTS), KDE(0.15).fit(POINTS, weights=WEIGHTS)
    assert found.cell_mass([[0, 0]], [[0.5, 0.5]]) == pytest.approx(same.cell_mass([[0, 0]], [[0.5, 0.5]]))
    assert found.variance(QUERIES) == pytest.approx(same.variance(QUERIES))


def test_a_prior_shift_moves_the_mass_to_the_class_of_operation():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 400)
    data = 10.0 * labels[:, None] + rng.normal(size=(400, 1))
    weights = expert_weights(data, labels, counts={0: 9000, 1: 1000})
    found = Reweighted(KDE(0.5).fit(data), weights)
    assert found.cell_mass([[5.0]], [[20.0]])[0] == pytest.approx(0.1, abs=1e-3)
    assert found.weigh([[10.0]], [1])[0] == pytest.approx(0.1 / labels.mean(), rel=1e-3)


def test_a_learnt_ratio_turns_one_normal_density_into_the_other():
    rng = np.random.default_rng(2)
    ours, theirs = rng.normal(size=(4000, 1)), rng.normal(size=(4000, 1)) + 0.8
    found = Reweighted(KDE(0.25).fit(ours), density_ratio(ours, theirs, draws=10))
    at = np.linspace(-1, 2.5, 8)
    truth = stats.norm(0.8, np.hypot(1, 0.25)).pdf(at)
    assert found.density(at[:, None]) == pytest.approx(truth, abs=0.03)
    assert {caveat.code for caveat in found.caveats} == {"weights-estimated"}


def test_uncertain_weights_reach_the_mass_of_cells(kde):
    weights = expert_weights(POINTS, regions=[Region([0, 0], [0.5, 1], lognormal_weight(2.0, sd=0.5))])
    found = Reweighted(kde, weights)
    chosen = np.zeros((5, 3))
    chosen[:2] = 1
    drawn = found.weight_draws(300, np.random.default_rng(3))
    masses = drawn @ found.contributions(EDGES, chosen) / 200
    refitted = [Reweighted(kde, row).grid_mass(EDGES)[:2].sum() for row in drawn[:5]]
    assert masses[:5] == pytest.approx(refitted)
    assert masses.std() > 0.01


def test_stated_uncertainty_is_drawn(kde):
    found = Reweighted(kde, WEIGHTS, uncertainty=0.2)
    assert found.weight_draws(7, np.random.default_rng(4)).shape == (7, 200)
    assert Reweighted(kde, WEIGHTS).weight_draws(7, np.random.default_rng(4)) is None


def test_it_is_a_profile_and_tells_what_it_is_worth(kde):
    found = Reweighted(kde, WEIGHTS)
    assert isinstance(found, Profile)
    assert found.effective_rows == pytest.approx(WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum())
    assert "of 200 rows" in repr(found)


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (np.ones(5), {}, "5 weights for 200 points"),
        (-np.ones(200), {}, "at least 0"),
        (np.ones(200), {"uncertainty": -1.0}, "at least 0"),
        (np.ones(200), {"uncertainty": np.ones(3)}, "one for each row"),
        (expert_weights(POINTS, regions=[Region([0, 0], [1, 1], 2.0)]), {"uncertainty": 0.1}, "know their uncertainty"),
    ],
)
def test_bad_weights_are_refused(kde, weights, options, message):
    with pytest.raises(InvalidInput, match=message):
        Reweighted(kde, weights, **options)
