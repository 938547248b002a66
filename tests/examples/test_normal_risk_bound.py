import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from scipy import special, stats

from surefoot import MissingData, datasets
from surefoot.bounds import normal_exact

FOLDER = Path(__file__).parents[2] / "examples" / "normal_risk_bound"
FIGURES = {
    "violation_rates",
    "figure_1_scatter",
    "figure_2_checks_overall",
    "figure_2_checks_benign",
    "figure_2_checks_malignant",
    "figure_3_surface",
    "violation_map",
}


def load(name):
    """A module of the example, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"normal_risk_bound_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


study, academic, cancer, departures = (load(name) for name in ("study", "academic", "cancer", "departures"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("normal_risk_bound")
    command = [sys.executable, "-W", "error", str(FOLDER / "run.py"), "--quick", "--out", str(out)]
    kept = {name: os.environ[name] for name in ("SUREFOOT_DATA",) if name in os.environ}
    environment = {"MPLCONFIGDIR": mpl.get_cachedir(), "OMP_NUM_THREADS": "1", "PATH": "", **kept}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=environment)
    return done.stdout, out


def test_it_prints_every_table(finished):
    printed, _ = finished
    assert "216 │ 2.1386e-04" in printed
    for title in ("Section 3.1", "Table 1", "Table 2", "Section 4"):
        assert title in printed
    assert all(name in printed for name in ("Wisconsin", "clopper_pearson", "betting", "normal_exact"))


def test_it_saves_every_figure(finished):
    _, out = finished
    assert {path.stem for path in out.glob("*.png")} == FIGURES
    assert all(path.stat().st_size > 10_000 for path in out.glob("*.png"))


def test_the_grid_is_that_of_section_3_1():
    grid = study.Grid.of()
    assert study.SIZES.size * grid.mean.size == 1_010_000
    assert study.PRINTED_SETS == 1_010_000
    assert (study.SIZES.min(), study.SIZES.max()) == (100, 300)
    assert {grid.mean.min(), grid.sd.min()} == {0.01}
    assert {grid.mean.max(), grid.sd.max()} == {1.99}
    assert pytest.approx(2.1386e-4, abs=1e-8) == study.PRINTED_VIOLATIONS / study.PRINTED_SETS


def test_simulated_rates_agree_with_each_other_and_with_the_exact_ones():
    grid, sizes = study.Grid.of(study.STEPS[::4]), np.array([100, 150])
    exact = study.exact_rates(grid, sizes, points=97).mean()
    repeated = study.many_sets_each(grid, sizes, 200, seed=1).total
    assert repeated.violations == pytest.approx(exact * repeated.sets, abs=4 * np.sqrt(exact * repeated.sets))
    many = [study.one_set_each(grid, sizes.tolist(), seed=seed) for seed in range(15)]
    expected = exact * sum(count.sets for count in many)
    assert sum(count.violations for count in many) == pytest.approx(expected, abs=4 * np.sqrt(expected))


def test_counts_by_ratio_lose_nothing():
    grid = study.Grid.of(study.STEPS[::10])
    repeated = study.many_sets_each(grid, np.array([100]), 50, seed=0)
    parts = repeated.by_ratio(grid).values()
    assert sum(count.violations for count in parts) == repeated.total.violations
    assert sum(count.sets for count in parts) == repeated.total.sets


@pytest.mark.parametrize("reading", ["covariance", "factor"])
def test_true_risks_of_the_academic_example_match_simulation(reading):
    classes = academic.Classes.read_as(reading)
    weights, offset = np.array([0.3, 2.0]), -2.4
    points, labels = classes.draw(np.random.default_rng(0), 200_000)
    wrong = (points @ weights + offset > 0) != labels
    for label, risk in enumerate(classes.true_risks(weights, offset)):
        assert wrong[labels == label].mean() == pytest.approx(risk, abs=4 * np.sqrt(risk / 200_000))


def test_only_the_covariance_reading_has_the_printed_magnitude():
    plain = {key: values[1] for key, values in academic.PRINTED.items()}
    for label, printed in ((1, 5.5e-2), (2, 3.2e-2)):
        mean = np.mean([v for (_, k), v in plain.items() if k == label])
        assert mean == pytest.approx(printed, rel=0.05)
        covariance, factor = (
            next(r.true for r in academic.experiment(academic.Classes.read_as(reading), 0) if r.label == label)
            for reading in ("covariance", "factor")
        )
        assert 0.5 < covariance / mean < 2
        assert factor / mean < 0.3


def test_breast_cancer_falls_back_to_the_bundled_data(monkeypatch):
    monkeypatch.setattr(datasets, "breast_cancer_wisconsin", _missing)
    data = cancer.Data.load()
    assert "scikit-learn" in data.source
    tested = cancer.split_and_test(data, 0)
    assert tested["overall"].margins.size == cancer.TEST_ROWS
    assert tested["benign"].margins.size + tested["malignant"].margins.size == cancer.TEST_ROWS
    assert 0 < tested["overall"].failure_rate < 0.1


def test_breast_cancer_of_1990_repeats_as_whole_numbers_do_and_has_a_benign_class_that_is_not_normal():
    data = cancer.Data.load()
    if "original" not in data.source:
        pytest.skip("the data of 1990 are not here")
    tested = cancer.split_and_test(data, 0)
    found = {a.id: a for a in tested["benign"].score().assumptions}
    assert found["normal-margins"].status == "contradicted"
    assert found["independent-samples"].check.effect > 0.2
    assert found["independent-samples"].status == "supported"


def test_families_have_the_risk_they_state():
    rng = np.random.default_rng(0)
    for family in departures.families():
        draws = family.draw(rng, (200, 2000)).ravel()
        for risk in (0.1, 0.01):
            share = (draws <= family.quantile(risk)).mean()
            assert share == pytest.approx(risk, abs=5 * np.sqrt(risk / draws.size)), family.name


def test_shape_of_a_mixture_matches_simulation():
    family = next(f for f in departures.families() if f.name.startswith("5% in a group"))
    draws = family.draw(np.random.default_rng(1), (1, 1_000_000)).ravel()
    assert stats.skew(draws) == pytest.approx(family.skewness, abs=0.02)
    assert stats.kurtosis(draws) == pytest.approx(family.kurtosis, abs=0.06)


def test_tabulated_exact_limits_are_those_of_normal_exact():
    limits = departures.Limits.of(100)
    standard = stats.zscore(stats.norm.ppf((np.arange(100) + 0.5) / 100), ddof=1)
    for ratio in (0.5, 1.5, 3.0):
        tabulated = np.exp(np.interp(ratio, limits.ratios, np.log(limits.exact)))
        assert tabulated == pytest.approx(normal_exact(standard + ratio, level=0.95).upper(0.95), rel=1e-3)
    assert limits.counted[0] == pytest.approx(1 - 0.05 ** (1 / 100))
    assert special.ndtr(-6.5) == pytest.approx(limits.exact[-1])


def _missing(**_):
    raise MissingData("not here")
