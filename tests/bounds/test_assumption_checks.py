import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy import stats
from statsmodels.stats.diagnostic import normal_ad

from surefoot import bounds
from surefoot.core import Assumption, Check, InvalidInput, Undefined

mpl.use("Agg")

SAMPLES = {
    "normal": np.random.default_rng(0).normal(2, 3, 200),
    "few": np.random.default_rng(5).normal(size=9),
    "exponential": np.random.default_rng(2).exponential(size=300),
    "heavy": np.random.default_rng(3).standard_t(3, 500),
    "many": np.random.default_rng(4).normal(size=20_000),
}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_anderson_darling_matches_statsmodels():
    for kind, sample in SAMPLES.items():
        statistic, p = normal_ad(sample)
        found = bounds.anderson_darling(sample).figures
        assert found["statistic"] == pytest.approx(statistic, rel=1e-9), kind
        # Beyond an adjusted statistic of 10 the p-value is an upper limit.
        assert found["p_value"] == pytest.approx(p, rel=1e-6, abs=1e-22), kind


def test_anderson_darling_effect_is_the_kolmogorov_smirnov_distance():
    for kind, sample in SAMPLES.items():
        expected = stats.kstest(sample, "norm", args=(sample.mean(), sample.std(ddof=1))).statistic
        assert bounds.anderson_darling(sample).effect == pytest.approx(expected, rel=1e-9), kind


def test_jarque_bera_matches_scipy():
    for kind, sample in SAMPLES.items():
        expected = stats.jarque_bera(sample)
        found = bounds.jarque_bera(sample).figures
        assert found["statistic"] == pytest.approx(expected.statistic, rel=1e-9), kind
        assert found["p_value"] == pytest.approx(expected.pvalue, rel=1e-6), kind
        assert found["skewness"] == pytest.approx(stats.skew(sample), rel=1e-9), kind
        assert found["excess_kurtosis"] == pytest.approx(stats.kurtosis(sample), rel=1e-9), kind


def test_shapiro_wilk_matches_scipy_and_says_when_it_draws():
    for kind, sample in SAMPLES.items():
        found = bounds.shapiro_wilk(sample).figures
        if sample.size <= 5000:
            assert found["statistic"] == pytest.approx(stats.shapiro(sample).statistic, rel=1e-9), kind
            assert "seed" not in found, kind
        else:
            assert found["rows_used"] == 5000, kind
            assert found["seed"] == 20250101, kind
        assert bounds.shapiro_wilk(sample) == bounds.shapiro_wilk(sample), kind


def test_drift_distance_matches_scipy():
    for kind, sample in SAMPLES.items():
        half = sample.size // 2
        found = bounds.split_half_drift(sample).figures
        assert found["distance"] == pytest.approx(stats.ks_2samp(sample[:half], sample[half:]).statistic, rel=1e-9), (
            kind
        )


def test_normal_margins_are_contradicted_about_as_rarely_as_stated():
    rng = np.random.default_rng(7)
    samples = rng.normal(size=(400, 60))
    rates = {
        test: np.mean([getattr(bounds, test)(s).status == "contradicted" for s in samples])
        for test in ("anderson_darling", "jarque_bera", "shapiro_wilk")
    }
    assert all(rate < 0.09 for rate in rates.values()), rates
    assert np.mean([bounds.normality(s).status == "contradicted" for s in samples]) < 0.14


@pytest.mark.parametrize("draw", ["normal", "exponential"])
def test_margins_that_do_not_drift_are_contradicted_once_in_a_hundred_times(draw):
    samples = getattr(np.random.default_rng(7), draw)(size=(2000, 60))
    assert np.mean([bounds.split_half_drift(s).status == "contradicted" for s in samples]) < 0.015


def test_a_check_says_what_it_looked_for():
    rows = SAMPLES["normal"]
    assert bounds.duplicates(rows).method == "no identical rows found among 200"
    assert bounds.duplicates([1.0, 1.0, 2.0]).method == (
        "1 of 3 rows repeats an earlier one, as independent rows of few values do"
    )
    assert bounds.normality(rows).method == (
        "no departure from normal found by Anderson-Darling, Jarque-Bera and Shapiro-Wilk among 200 margins"
    )
    assert bounds.normality(SAMPLES["exponential"]).method.startswith("departure from normal found by Anderson-Darling")
    assert bounds.split_half_drift(rows).method == "mean and distribution of the halves of 200 rows compared"


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.exponential(size=200),
        lambda rng: rng.standard_t(2, 200),
        lambda rng: np.r_[rng.normal(-4, 1, 100), rng.normal(4, 1, 100)],
    ],
)
def test_plain_departures_from_normality_are_contradicted(draw):
    assert bounds.normality(draw(np.random.default_rng(0))).status == "contradicted"


def test_with_a_million_rows_a_negligible_departure_is_significant_but_not_contradicted():
    rng = np.random.default_rng(0)
    values = rng.normal(size=1_000_000)
    values += 0.005 * (values**2 - 1)
    found = bounds.jarque_bera(values)
    assert found.figures["p_value"] < 1e-10
    assert found.status == "supported"
    assert bounds.anderson_darling(values).status == "supported"


def test_with_a_million_rows_a_skewness_that_matters_is_contradicted():
    values = stats.skewnorm.rvs(1.2, size=1_000_000, random_state=0)
    assert bounds.jarque_bera(values).figures["skewness"] == pytest.approx(0.2, abs=0.05)
    assert bounds.normality(values).status == "contradicted"


def test_few_rows_can_contradict_but_not_support():
    assert bounds.anderson_darling(SAMPLES["few"]).status == "unchecked"
    assert bounds.normality(SAMPLES["few"]).status == "unchecked"
    assert bounds.duplicates([1.0, 2.0, 3.0]).status == "unchecked"
    assert bounds.anderson_darling([0, 0.1, 0.2, 0.1, 0, 50, 0.2, 0.1]).status == "contradicted"


def test_duplicates_count_copies_of_margins_and_of_rows():
    rows = np.array([[1, 2], [1, 2], [3, 4], [1, 2]])
    found = bounds.duplicates(rows)
    assert dict(found.figures) == {"rows": 4, "distinct": 2, "copies": 2, "share": 0.5}
    assert found.effect == 0.5
    assert found.status == "unchecked"
    assert bounds.duplicates(SAMPLES["normal"]).status == "supported"
    assert bounds.duplicates(["a", "b", "a"]).figures["copies"] == 1


def test_drift_is_found_in_the_mean_and_in_the_spread():
    rng = np.random.default_rng(0)
    assert bounds.split_half_drift(rng.normal(size=400)).status == "supported"
    assert bounds.split_half_drift(np.r_[rng.normal(size=200), rng.normal(0.6, 1, 200)]).status == "contradicted"
    assert bounds.split_half_drift(np.r_[rng.normal(size=400), rng.normal(0, 3, 400)]).status == "contradicted"
    assert bounds.split_half_drift(np.r_[np.zeros(10), np.ones(10)]).effect > 1e6


def test_all_assumptions_come_as_data():
    found = bounds.assumption_checks(SAMPLES["normal"])
    assert [a.id for a in found] == [
        "normal-margins", "independent-samples", "identical-distribution", "operational-profile",
    ]  # fmt: skip
    assert [a.status for a in found] == ["supported", "supported", "supported", "unchecked"]
    assert set(found[0].check.figures) == {"anderson_darling", "jarque_bera", "shapiro_wilk"}
    assert all(Assumption.from_dict(a.to_dict()) == a for a in found)


def test_three_margins_are_too_few_for_halves():
    assert bounds.assumption_checks([1.0, 2.0, 4.0])[2].check is None
    with pytest.raises(InvalidInput, match="at least 4 values; found 3"):
        bounds.split_half_drift([1.0, 2.0, 4.0])


@pytest.mark.parametrize("test", ["anderson_darling", "jarque_bera", "shapiro_wilk"])
def test_bad_margins_are_named(test):
    function = getattr(bounds, test)
    with pytest.raises(InvalidInput, match=f"{test}: margins must be finite"):
        function([1, np.nan, 2])
    with pytest.raises(InvalidInput, match="at least 3"):
        function([1, 2])
    with pytest.raises(Undefined, match="all margins are equal"):
        function([1, 1, 1])


def test_no_rows_have_no_duplicates_to_look_for():
    with pytest.raises(InvalidInput, match="non-empty"):
        bounds.duplicates([])


@pytest.mark.parametrize(
    "plot",
    ["plot_anderson_darling", "plot_jarque_bera", "plot_shapiro_wilk", "plot_duplicates", "plot_split_half_drift"],
)
def test_each_check_has_its_figure(plot):
    for kind, sample in SAMPLES.items():
        axes = getattr(bounds, plot)(sample)
        title = axes.get_title(loc="left")
        assert any(status in title for status in ("supported", "contradicted", "unchecked")), kind
        assert axes.get_xlabel(), kind
        given = plt.subplots()[1]
        assert getattr(bounds, plot)(sample, ax=given) is given, kind


def test_all_checks_fit_in_one_figure():
    assert len(bounds.plot_assumption_checks(SAMPLES["normal"], title="all").axes) == 5


def test_the_surface_shows_its_minimum():
    axes = bounds.plot_score_surface(1.42, 110)
    assert "0.1757" in axes.get_title(loc="left")
    with pytest.raises(Undefined, match="no minimum below"):
        bounds.plot_score_surface(0.1, 10)


def test_a_check_is_plain_data():
    found = bounds.normality(SAMPLES["normal"])
    assert Check.from_dict(found.to_dict()) == found
