import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from scipy import special, stats

import surefoot as sf
from surefoot import MissingData, datasets
from surefoot.core import DiagnosticsError

FOLDER = Path(__file__).parents[2] / "examples" / "traffic_sign_trust"
FIGURES = ("figure_2_densities", "figure_3_printed", "figure_3_corrected", "map_coverage", "map_calibration")
SIGN_FIGURES = ("signs_triangle", "signs_densities", "signs_sensitivity")
MADE = ("scores.npz", ".surefoot", "*.lock", "__pycache__")
SUB_CASES = (*(f"SubC{number}" for number in (1, 2, 3, 4, 5, 6, 8)), *(f"SubC{n}[classifier]" for n in (7, 9, 10)))
INDEPENDENT = "assumption.independent-trials[classifier on road work]"


def load(name):
    """A module of the example, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"traffic_sign_trust_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


published, simulation, tracks, domain = (load(name) for name in ("published", "simulation", "tracks", "domain"))


def run(out, folder=FOLDER, **environment):
    command = [sys.executable, str(folder / "run.py"), "--quick", "--out", str(out)]
    common = {"MPLCONFIGDIR": mpl.get_cachedir(), "OMP_NUM_THREADS": "1", "PATH": ""}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=common | environment)


def copied(place):
    """The example as it is published: nothing trained, nothing assessed."""
    return shutil.copytree(FOLDER, place / "traffic_sign_trust", ignore=shutil.ignore_patterns(*MADE))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A copy of the example whose network was trained on few images, and what that printed."""
    try:
        data = datasets.locate("gtsrb").parent
    except MissingData as missing:
        pytest.skip(str(missing))
    pytest.importorskip("torch")
    folder = copied(tmp_path_factory.mktemp("trained"))
    return folder, run(folder / "out", folder, SUREFOOT_DATA=str(data), HOME=str(folder)).stdout


@pytest.fixture(scope="module")
def result(trained):
    folder, _ = trained
    return sf.run(sf.load(folder))


def test_printed_form_gives_the_printed_numbers_of_section_5():
    form = published.printed_chain()
    discounted = form.discounted
    assert form.recall.interval(form.level) == pytest.approx((0.956, 0.991), abs=5e-4)
    assert discounted.interval(form.level) == pytest.approx((0.94, 0.994), abs=1e-3)
    printed = {"belief": 0.971, "disbelief": 0.021, "uncertainty": 0.01}
    for name, value in printed.items():
        assert float(getattr(discounted, name)) == pytest.approx(value, abs=0.0015)


def test_corrected_form_matches_errata():
    form = published.corrected_chain()
    assert form.level == 0.95
    assert form.recall.interval(0.95) == pytest.approx((0.9621, 0.9885), abs=5e-5)
    assert form.discounted.interval(0.99) == pytest.approx((0.9291, 0.9951), abs=5e-5)


def test_every_figure_of_section_5_has_three_forms():
    figures = published.figures()
    assert len(figures) == 12
    assert all(figure.printed and figure.printed_form and figure.corrected for figure in figures)


def test_coverage_map_matches_simulation():
    loss, gap = np.array([0.01, 0.1]), np.array([0.2, 0.9])
    exact = simulation.dataset_coverage_map(loss, gap, claimed=0.1).contained
    rng = np.random.default_rng(0)
    found = rng.binomial(480, 0.98, 4000)
    for column, missing in enumerate(loss):
        trust = 1 - 0.1 * missing
        b, d = trust * found / 482, trust * (480 - found) / 482
        evidence = 2 / (1 - b - d)
        posterior = stats.beta(b * evidence + 1, d * evidence + 1)
        low, high = posterior.ppf(0.025), posterior.ppf(0.975)
        for row, lost in enumerate(gap):
            truth = (1 - missing) * 0.98 + missing * (0.98 - lost)
            simulated = ((low <= truth) & (truth <= high)).mean()
            assert exact[row, column] == pytest.approx(simulated, abs=0.02)


def test_discounting_by_the_true_coverage_keeps_the_level_and_understating_it_does_not():
    loss, gap = np.logspace(-3, np.log10(0.5), 15), np.linspace(0, 0.98, 15)
    alone, true, understated = (
        simulation.dataset_coverage_map(loss, gap, claimed=claimed).contained for claimed in (None, 1.0, 0.1)
    )
    assert true.min() > 0.95
    assert alone.min() < 0.01
    assert understated.min() < 0.01


def test_calibration_discount_does_not_see_a_shift():
    shift = np.array([0.0, 1.5])
    sharpness = np.array([0.25, simulation.calibrated_sharpness(0.98), 30.0])
    result = simulation.calibration_map(sharpness, shift, repetitions=300)
    assert result.contained[0].min() > 0.95
    assert result.contained[1, 1:].max() < 0.01
    assert result.width[0, 0] > 3 * result.width[0, 2]


def test_calibrated_sharpness_is_bayes_rule():
    mu = special.ndtri(0.98)
    z = np.linspace(-3, 3, 13)
    posterior = stats.norm(mu).pdf(z) / (stats.norm(mu).pdf(z) + stats.norm(-mu).pdf(z))
    assert special.expit(simulation.calibrated_sharpness(0.98) * z) == pytest.approx(posterior)


def test_intraclass_correlation_matches_scipy_analysis_of_variance():
    rng = np.random.default_rng(1)
    track = np.repeat(np.arange(60), rng.integers(2, 12, 60))
    wrong = rng.random(len(track)) < rng.beta(0.5, 3, 60)[track]
    ratio = stats.f_oneway(*(wrong[track == i].astype(float) for i in range(60))).statistic
    sizes = np.bincount(track)
    size = (len(track) - (sizes**2).sum() / len(track)) / (len(sizes) - 1)
    assert tracks.intraclass_correlation(wrong, track) == pytest.approx((ratio - 1) / (ratio + size - 1))


def test_effective_count_of_identical_frames_is_the_number_of_tracks():
    assert tracks.effective_count(480, 1.0) == pytest.approx(16)
    assert tracks.effective_count(480, 0.0) == 480
    assert tracks.intraclass_correlation(np.zeros(20, bool), np.arange(20) // 2) == 0.0


def test_effective_recall_interval_covers_truth_with_tracks_and_plain_does_not():
    rng = np.random.default_rng(2)
    a, b = 1.8, 0.2
    correlation = 1 / (a + b + 1)
    found = rng.binomial(30, rng.beta(a, b, (2000, 16))).sum(axis=1)
    share = tracks.effective_count(480, correlation) / 480
    shares = {}
    for name, scale in (("plain", 1.0), ("effective", share)):
        posterior = stats.beta(found * scale + 1, (480 - found) * scale + 1)
        shares[name] = ((posterior.ppf(0.025) <= 0.9) & (posterior.ppf(0.975) >= 0.9)).mean()
    assert shares["plain"] < 0.6
    assert shares["effective"] > 0.9


def test_image_domain_has_quarters_and_lists_pairs_never_seen():
    rng = np.random.default_rng(3)
    images = rng.integers(0, 256, (400, 32, 32, 3), dtype=np.uint8) // np.linspace(1, 8, 400)[:, None, None, None]
    boxes = np.column_stack([np.zeros((400, 4), int), rng.integers(20, 90, (400, 2))])
    made = domain.image_domain(images.astype(np.uint8), boxes)
    rows = made.rows(images.astype(np.uint8), boxes)
    for name in made.table:
        assert sorted(np.unique([row[name] for row in rows], return_counts=True)[1].tolist())[0] >= 80
    pairs = {(row["brightness"], row["contrast"]) for row in rows}
    listed = {(part["brightness"], part["contrast"]) for part in made.unseen if set(part) == {"brightness", "contrast"}}
    assert len(pairs) + len(listed) == 16
    assert not pairs & listed


def test_run_without_data_says_what_is_left_out(tmp_path):
    result = run(tmp_path / "out", XDG_CACHE_HOME=str(tmp_path), HOME=str(tmp_path))
    assert "Real signs are left out" in result.stdout
    assert "SUREFOOT_DATA" in result.stdout
    assert "0.9560 to 0.9910" in result.stdout
    assert {path.stem for path in (tmp_path / "out").glob("*.png")} == set(FIGURES)


def test_run_on_real_signs(trained):
    folder, printed = trained
    assert "of 480" in printed
    assert "independent images" in printed
    assert {path.stem for path in (folder / "out").glob("*.png")} == {*FIGURES, *SIGN_FIGURES}


def test_project_says_what_to_run_before_there_are_scores(tmp_path):
    with pytest.raises(DiagnosticsError, match=r"run\.py first"):
        sf.run(sf.load(copied(tmp_path)))


def test_project_counts_what_the_run_printed(trained, result):
    _, printed = trained
    found = int(re.search(r"road-work signs found\D+(\d+) of 480", printed)[1])
    missed = result["missed.failure probability"].details
    assert (missed["failures"], missed["trials"]) == (480 - found, 480)
    covered = re.search(r"2-way coverage, test\D+(\d+) of", printed)[1]
    assert f"{covered} of 96 combinations" in str(result.evidence["trust"].tables["trust"].rows)
    held_out = re.search(r"held-out tracks, found\D+(\d+) of (\d+)", printed)
    by_track = result["by-track.failure probability"]
    assert by_track.value == pytest.approx(1 - int(held_out[1]) / int(held_out[2]))
    assert by_track.details["groups"] == 10


def test_bound_by_tracks_is_no_better_than_that_of_as_many_independent_signs(result):
    bound = result["by-track.failure probability"].upper(0.95)
    assert bound > stats.beta.ppf(0.95, 1, 10)


def test_case_is_complete(result):
    """Only what was measured may speak against it: a network of two epochs may be bad."""
    errors = {finding.code for finding in result.case.check(result.evidence) if finding.severity == "error"}
    assert errors <= {"case-claim-contradicted"}
    assert [node.id for node in result.case if node.undeveloped] == []
    for name in SUB_CASES:
        node = result.case[name]
        assert node.of or node.supported_by, name
    answered = [node.stated for node in result.case if node.stated]
    assert len(answered) > 20
    assert all(stated.by and stated.why for stated in answered)


def test_doubt_about_near_duplicates_stands_and_leaves_what_it_concerns_open(result):
    standing = {identity: found.standing for identity, found in result.evaluation.nodes.items()}
    assert standing["near-duplicates"] == "supported"
    assert standing[INDEPENDENT] == "contradicted"
    assert standing["seen-before"] == "contradicted"
    assert standing["another-network"] == "supported"
    assert [standing[name] for name in ("misses", "trusted-recall", "SubC6", "claim")] == ["not shown"] * 4
    assert INDEPENDENT not in result.case["misses-by-track.argument"].in_context_of
