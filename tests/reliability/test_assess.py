"""Reliability in cells, end to end."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from tests.refusals import refused
from tests.reliability.worlds import above, strip

from surefoot.bounds import clopper_pearson
from surefoot.core import DiagnosticsError, Estimate, InvalidInput, SurefootError
from surefoot.executors import Dask, Processes
from surefoot.profile import KDE, Reweighted
from surefoot.reliability import ExactTrees, MonteCarlo, assess_cells
from surefoot.testing import world_named

QUICK = MonteCarlo(400)
TRUE_BORDER, MODEL_BORDER = 0.5, 0.53


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return {
        "labelled": strip(rng, 3000, border=TRUE_BORDER),
        "operation": strip(rng, 4000, border=TRUE_BORDER)[0],
        "held out": strip(rng, 500, border=TRUE_BORDER),
    }


@pytest.fixture(scope="module")
def found(data):
    return assessed(data)


def assessed(data, **changes):
    options = {
        "side": 0.1,
        "domain": (0, 1),
        "profile": KDE(0.05, boundary="reflect", domain=(0, 1)).fit(data["operation"]),
        "estimator": QUICK,
        "holdout": data["held out"],
    }
    return assess_cells(above(MODEL_BORDER), *data["labelled"], **options | changes)


def test_the_sum_over_cells_is_the_share_of_the_wrong_strip(found):
    """Cells of side 0.1 end at the true border, so each has one label, and 0.03 of operation is answered wrongly."""
    assert found.by_cells.value == pytest.approx(MODEL_BORDER - TRUE_BORDER, abs=0.003)
    assert found.acu.value == pytest.approx(MODEL_BORDER - TRUE_BORDER, abs=0.002)
    assert (found.cells.source == 1).all()


def test_held_out_labels_correct_the_sum_and_operation_tightens_the_limit(found, data):
    failed = int((above(MODEL_BORDER)(data["held out"][0]) != data["held out"][1]).sum())
    exact = clopper_pearson(failed, 500, level=0.95)
    assert found.pmi.details["prediction_used"]
    assert found.pmi.lower(0.95) <= 0.03 <= found.pmi.upper(0.95)
    assert found.pmi.upper(0.95) < exact.upper(0.95)
    names = [row[0] for row in found.limits.rows]
    assert "predicted strata (used)" in names
    assert found.limits.rows[names.index("exact binomial")][3] == pytest.approx(exact.upper(0.95))


def test_without_held_out_labels_the_answer_is_marked(data):
    found = assessed(data, holdout=None)
    assert "uncorrected" in {caveat.code for caveat in found.pmi.caveats}
    assert {bound.kind for bound in found.pmi.bounds} == {"heuristic"}


def test_held_out_rows_never_label_cells(data):
    with_them = assessed(
        data
        | {"labelled": tuple(np.concatenate(pair) for pair in zip(data["labelled"], data["held out"], strict=True))}
    )
    assert with_them.cells.points.sum() == len(data["labelled"][0])
    assert with_them.pmi.value == assessed(data).pmi.value


def test_a_vote_hides_failures_that_held_out_labels_show():
    """Nobody labelled the upper half, where the model is wrong throughout: votes make its cells look perfect."""
    rng = np.random.default_rng(1)
    points = rng.random((2000, 1)) * 0.5
    labels = (points[:, 0] > 0.25).astype(int)

    def wrong_above_one_half(x):
        return np.where(x[:, 0] > 0.5, 0, x[:, 0] > 0.25).astype(int)

    tests = rng.random((400, 1))
    found = assess_cells(
        wrong_above_one_half,
        points,
        labels,
        side=0.05,
        domain=(0, 1),
        profile=KDE(0.05).fit(rng.random((3000, 1))),
        estimator=QUICK,
        holdout=(tests, (tests[:, 0] > 0.25).astype(int)),
    )
    assert found.by_cells.upper(0.975) < 0.01
    assert "contradicted-by-tests" in {caveat.code for caveat in found.by_cells.caveats}
    assert {a.id: a.status for a in found.assumptions}["better-than-chance"] == "contradicted"
    assert found.pmi.lower(0.95) > 0.4
    assert found.cells.voted_mass == pytest.approx(0.5, abs=0.05)


def test_an_oracle_takes_the_place_of_the_vote(data):
    few = tuple(part[:20] for part in data["labelled"])
    found = assessed(data | {"labelled": few}, oracle=lambda centres: (centres[:, 0] > TRUE_BORDER).astype(int))
    assert found.cells.voted_mass == 0
    assert found.by_cells.value == pytest.approx(0.03, abs=0.003)


def test_failures_may_be_of_one_kind_only(data):
    """The model answers 0 for a true 1, never 1 for a true 0."""
    critical = assessed(data, undesired={1: [0], 0: []})
    harmless = assessed(data, undesired={0: [1], 1: []})
    assert critical.by_cells.value == pytest.approx(0.03, abs=0.003)
    assert harmless.by_cells.value == 0
    assert harmless.pmi.details["failures"] == 0
    rows = {(truth, answer): p for truth, answer, p in critical.cells.by_pair().rows}
    assert rows["1", "0"] == pytest.approx(0.03, abs=0.003)
    assert rows["0", "1"] == 0


def test_processes_give_the_same_digests_as_one_process(found, data):
    again = assessed(data, executor=Processes(2))
    assert [again.pmi.digest, again.acu.digest, again.by_cells.digest] == [
        found.pmi.digest,
        found.acu.digest,
        found.by_cells.digest,
    ]


def test_two_dask_workers_give_the_same_digests_as_one_process(found, data):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        again = assessed(data, executor=Dask(client))
    assert (again.pmi.digest, again.by_cells.digest) == (found.pmi.digest, found.by_cells.digest)


def test_estimates_survive_a_round_trip(found):
    for estimate in (found.pmi, found.acu, found.by_cells):
        assert Estimate.from_dict(estimate.to_dict()).digest == estimate.digest


def test_a_reweighted_profile_weighs_the_held_out_rows_too(data):
    """Operation sees the upper half of the first feature twice as often."""
    from surefoot.profile import Region, expert_weights

    region = [Region((0.5, 0), (1, 1), 2.0)]
    kde = KDE(0.05).fit(data["operation"])
    found = assessed(data, profile=Reweighted(kde, expert_weights(data["operation"], regions=region)))
    assert found.by_cells.value == pytest.approx(0.04, abs=0.006)
    assert found.pmi.value > (above(MODEL_BORDER)(data["held out"][0]) != data["held out"][1]).mean()
    assert found.pmi.details["method"] == "weighted betting"


def test_coarse_values_do_not_bias_the_share_that_is_foretold():
    """Inputs take a hundred values, a tenth of them common: equal rows are no copies of each other."""
    rng = np.random.default_rng(0)
    values, chances = np.round(np.linspace(0.005, 0.995, 100), 3), np.where(np.arange(100) < 10, 30.0, 1.0)

    def drawn(count):
        return rng.choice(values, count, p=chances / chances.sum())[:, None]

    def truth(x):
        return (x[:, 0] > 0.5).astype(int)

    def wrong_at_two_common_values(x):
        return np.where(np.isin(np.round(x[:, 0], 3), values[3:5]), 1 - truth(x), truth(x))

    labelled, tests = np.concatenate([drawn(300), [[0.0451], [0.0151], [0.9951]]]), drawn(300)
    found = assess_cells(
        wrong_at_two_common_values,
        labelled,
        truth(labelled),
        side=0.01,
        domain=(0, 1),
        profile=KDE(0.02),
        operational=drawn(5000),
        holdout=(tests, truth(tests)),
        estimator=QUICK,
    )
    true_pmi = float(chances[3:5].sum() / chances.sum())
    assert found.pmi.lower(0.99) < true_pmi < found.pmi.upper(0.99)
    assert len(found.correction.operation.points) > 4000


def test_single_precision_does_not_hide_an_overlap(data):
    points, labels = data["labelled"]
    found = assessed(data, holdout=(points[:300].astype(np.float32), labels[:300]))
    assert found.cells.points.sum() == len(points) - 300


def test_weights_by_class_know_the_labels_as_they_were_given(data):
    from surefoot.profile import expert_weights

    names = np.array(["go", "stop"])
    labels, tests = names[data["labelled"][1]], names[data["held out"][1]]
    kde = KDE(0.05).fit(data["labelled"][0])
    profile = Reweighted(kde, expert_weights(data["labelled"][0], labels, classes={"stop": 4.0}))
    found = assess_cells(
        lambda x: names[above(MODEL_BORDER)(x)],
        data["labelled"][0],
        labels,
        side=0.1,
        domain=(0, 1),
        profile=profile,
        estimator=QUICK,
        holdout=(data["held out"][0], tests),
    )
    assert found.method == "weighted betting"
    assert found.pmi.value == pytest.approx(4 * 0.03 / 2.5, abs=0.02)


def test_tests_that_do_not_look_like_operation_take_the_verdict_away(data):
    """No test lies where the cells foretell failures."""
    points, labels = data["held out"]
    chosen = (points[:, 0] < TRUE_BORDER) | (points[:, 0] > MODEL_BORDER)
    found = assessed(data, holdout=(points[chosen], labels[chosen]))
    assert {a.id: a.status for a in found.pmi.assumptions}["operational-profile"] == "contradicted"


def test_a_contradicted_number_says_so_wherever_it_is_shown(data):
    found = assessed(data, holdout=(data["held out"][0], 1 - data["held out"][1]), as_published=True)
    for shown in (repr(found), str(found), repr(found.pmi), repr(found.by_cells), found._repr_html_()):
        assert "contradicted" in shown
    assert all(row[-1] for row in found.limits.rows if row[0].startswith("cells alone"))
    used = next(row for row in found.limits.rows if row[0].endswith("(used)"))
    assert used[3:5] == pytest.approx([found.pmi.upper(0.95), found.pmi.upper(0.975)])
    assert "contradicted-by-tests" in {caveat.code for caveat in found.acu.caveats}


def test_checks_that_were_switched_off_are_told(data):
    assert "checks-off" in {caveat.code for caveat in assessed(data, checks=False).pmi.caveats}


def test_different_questions_have_different_keys(found, data):
    others = [
        assessed(data, undesired={1: []}),
        assessed(data, holdout=(data["held out"][0], 1 - data["held out"][1])),
        assessed(data, oracle=lambda centres: np.ones(len(centres), int)),
        assess_cells(above(0.6), *data["labelled"], side=0.1, domain=(0, 1), profile=KDE(0.05), estimator=QUICK),
    ]
    keys = {estimate.pmi.key for estimate in (found, *others[:2], others[3])}
    assert len(keys) == 4


def test_shares_by_kind_of_evidence_sum_to_the_whole(found):
    rows = found.cells.evidence_kinds().rows
    assert sum(row[1] for row in rows) == len(found.cells)
    assert sum(row[2] for row in rows) == pytest.approx(1)
    assert sum(row[4] for row in rows) == pytest.approx(1)


def test_the_top_cells_are_those_at_the_border(found):
    table = found.cells.top(10)
    assert len(table.rows) == 10
    assert {row[1] for row in table.rows} == {"0.5 to 0.6"}
    contributions = [row[-1] for row in table.rows]
    assert contributions == sorted(contributions, reverse=True)


def test_the_top_cells_show_an_input_that_fails(found):
    for *_, place in found.top(10).rows:
        point = np.array([[float(part) for part in place.split(", ")]])
        assert above(MODEL_BORDER)(point) != above(TRUE_BORDER)(point)


def test_cells_are_columns_and_a_table(found):
    cells = found.cells
    assert all(len(cells[name]) == len(cells) for name in cells.columns)
    assert (cells["contribution"] == cells.mass * cells.risk).all()
    assert len(cells.table().rows) == len(cells) == 100
    with pytest.raises(InvalidInput, match="risk"):
        cells["risks"]


def test_the_summary_says_what_the_number_rests_on(found):
    text = str(found)
    assert "failure probability" in text
    assert "sum over cells" in text
    assert "labelled cells, sampled" in text
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    "name", ["no gap", "label noise", "balanced training", "piled cells", "bad region", "copied rows"]
)
def test_the_check_of_a_broken_assumption_fires(name):
    expected = {
        "no gap": "separated-classes",
        "label noise": "single-label-cells",
        "balanced training": "labelled-data-represent-operation",
        "piled cells": "uniform-inside",
        "bad region": "better-than-chance",
        "copied rows": "independent-trials",
    }
    world, rng = world_named(name), np.random.default_rng(0)
    labelled = world.collect(rng, 1000)
    found = assess_cells(
        world.fit(*labelled),
        *labelled,
        side=world.side,
        domain=world.domain,
        profile=KDE(0.05).fit(world.sample(rng, 4000)[0]),
        estimator=QUICK,
        holdout=world.held_out(rng, 800),
    )
    status = {a.id: a.status for a in (*found.assumptions, *found.pmi.assumptions)}
    assert status[expected[name]] == "contradicted"


class TestBadInput:
    """Each error says what, where, what was found and what to do."""

    def test_options(self, data):
        for changes, match in [
            ({"domain": (0, 0.5)}, "outside the domain"),
            ({"side": 1e-6}, r"1,000,000,000,000 cells need about .* GB"),
            ({"holdout": (np.array([[0.5, 0.5]]), np.array([7]))}, "7"),
            ({"holdout": (np.array([[0.5, 1.5]]), np.array([1]))}, "outside the domain"),
            ({"holdout": (np.array([[0.5]]), np.array([1]))}, "2 features"),
            ({"holdout": np.zeros(3)}, "holdout must be"),
            ({"holdout": (np.array([[np.nan, 0.5]]), np.array([1]))}, "NaN|nan|finite"),
            ({"profile": KDE(0.1).fit(np.full((3, 2), 2.0) + np.eye(3, 2))}, "outside the domain"),
            ({"profile": "kde"}, "operational profile"),
            ({"operational": np.full((5, 2), 0.5)}, "has its data already"),
            ({"undesired": {"blue": ["red"]}}, "class"),
            ({"undesired": {1: [1]}}, "right answer"),
            ({"estimator": "mc"}, "estimator must be an object"),
            ({"estimator": MonteCarlo}, "estimator must be an object"),
            ({"within": "u"}, "within must be an object"),
            ({"executor": 4}, "executor must be an object"),
            ({"level": 2}, "level"),
            ({"seed": -1}, "seed"),
        ]:
            with refused(changes, SurefootError, match=match):
                assessed(data, **changes)

    def test_labelled_data(self, data):
        for points, labels, match in [
            (np.empty((0, 2)), [], "rows"),
            (np.zeros((3, 2)), [0, 0, 0], "one class"),
            (np.full((2, 2), np.nan), [0, 1], "NaN|nan|finite"),
            (np.zeros((2, 2)), [0, 1, 1], "one label for each"),
            (np.zeros(4), [0, 1, 0, 1], "rows of features"),
            (np.zeros((3, 2)), [0, None, 1], "row 1 of X has no label"),
        ]:
            with refused(match, SurefootError, match=match):
                assessed(data | {"labelled": (points, labels)})

    def test_everything_held_out(self, data):
        with pytest.raises(InvalidInput, match="every row of X is held out"):
            assessed(data | {"labelled": data["held out"]})

    def test_labels_that_are_no_classes_of_the_model(self, data):
        points, labels = data["labelled"]
        forest = RandomForestClassifier(2, random_state=0).fit(points, labels)
        with pytest.raises(DiagnosticsError, match="classes"):
            assess_cells(forest, points, labels + 5, side=0.1, domain=(0, 1), estimator=ExactTrees())

    def test_a_model_that_returns_nan(self, data):
        def broken(x):
            return np.where(x[:, :1] > 0.9, np.nan, 0.5) * np.ones(2)

        with pytest.raises(DiagnosticsError, match=r"finite|NaN|nan"):
            assess_cells(broken, *data["labelled"], side=0.1, domain=(0, 1), estimator=QUICK)

    def test_a_model_that_answers_by_chance(self, data):
        rng = np.random.default_rng(0)
        with pytest.raises(DiagnosticsError, match="differently the second time"):
            assess_cells(lambda x: rng.integers(0, 2, len(x)), *data["labelled"], side=0.1, domain=(0, 1))

    def test_more_cells_than_memory_says_how_many_fit(self, data, monkeypatch):
        monkeypatch.setattr("os.sysconf", lambda name: 1_000)
        with pytest.raises(InvalidInput, match="room for about 4,411 cells") as error:
            assessed(data, side=0.01)
        assert "Use a side 1.5 times as large" in str(error.value)


def test_limits_of_the_risk_inside_cells_are_exact_binomial_ones(found):
    from scipy.stats import binomtest

    lower, upper = found.cells.risk_limits(0.95)
    cell = int(found.cells.leading(1)[0])
    k, n = int(found.cells.failures[cell]), int(found.cells.trials[cell])
    assert upper[cell] == pytest.approx(binomtest(k, n, alternative="less").proportion_ci(0.95).high)
    assert lower[cell] == pytest.approx(binomtest(k, n, alternative="greater").proportion_ci(0.95).low)
    assert (upper > 0).all()


def test_sampling_reaches_further_at_a_higher_level(found, data):
    assert 0 < found.cells.sampling_reach(0.9) < found.cells.sampling_reach(0.99)
