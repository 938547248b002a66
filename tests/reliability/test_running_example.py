"""RAM, Table 1, on the running example (errata RAM 1 to 4 and 10)."""

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from surefoot import datasets
from surefoot.core import SurefootError
from surefoot.profile import KDE, separation
from surefoot.reliability import ExactTrees, MonteCarlo, assess_cells


@pytest.fixture(scope="module")
def example():
    try:
        data = datasets.siemens_2d()
    except SurefootError as error:
        pytest.skip(f"the running example is not here: {error}")
    train, test, seen, unseen = train_test_split(data.inputs, data.labels, test_size=0.2, random_state=1)
    model = RandomForestClassifier(10, random_state=5).fit(train, seen)
    return {"data": (data.inputs, data.labels), "train": (train, seen), "test": (test, unseen), "model": model}


def assessed(example, estimator, **options):
    return assess_cells(
        example["model"],
        *example["data"],
        side=0.004,
        domain=(0, 1),
        profile=KDE(0.2),
        estimator=estimator,
        holdout=example["test"],
        **options,
    )


@pytest.fixture(scope="module")
def published(example):
    return assessed(example, ExactTrees(), as_published=True)


@pytest.fixture(scope="module")
def corrected(example):
    return assessed(example, ExactTrees())


def test_train_and_test_error_match_table_1(example):
    errors = [(example["model"].predict(x) != y).mean() for x, y in (example["train"], example["test"])]
    assert errors == pytest.approx([0.0005, 0.018])


def test_published_mode_matches_table_1(published):
    assert published.pmi.value == pytest.approx(0.004891, abs=1e-5)
    assert published.acu.value == pytest.approx(0.002982, abs=1e-5)
    assert published.pmi.details["sd"] == pytest.approx(4.58e-6, rel=0.1)
    assert round(published.pmi.upper(0.975), 4) == 0.0049


def test_published_mode_matches_the_exact_cells_of_the_errata(published):
    assert published.pmi.value == pytest.approx(0.0048903, abs=5e-8)
    assert published.acu.value == pytest.approx(0.0029859, abs=5e-8)
    assert published.pmi.details["sd"] == pytest.approx(4.29e-6, rel=2e-3)


def test_cells_are_of_the_kinds_the_errata_count(published):
    counts = dict(zip(("voted", "labelled", "cross-boundary"), (58_202, 4_293, 5), strict=True))
    sources = published.cells.source
    assert {
        "voted": (sources == 0).sum(),
        "labelled": (sources == 1).sum(),
        "cross-boundary": (sources == 2).sum(),
    } == counts
    assert published.cells.share_resting_on(2) == pytest.approx(0.042, abs=5e-4)


def test_the_joint_standard_deviation_matches_the_errata(published, corrected):
    joint = next(a for a in published.assumptions if a.id == "independent-cells").check.figures["sd_with_covariances"]
    assert joint == pytest.approx(1.41e-5, rel=5e-3)
    assert corrected.by_cells.details["sd"] == pytest.approx(1.41e-5, rel=0.02)


def test_the_published_number_is_never_shown_without_its_contradiction(published):
    assert "contradicted-by-tests" in {caveat.code for caveat in published.pmi.caveats}


def test_the_corrected_answer_agrees_with_18_errors_in_1000_tests(corrected):
    assert corrected.pmi.value == pytest.approx(0.018)
    assert corrected.pmi.lower(0.975) == pytest.approx(0.0107, abs=5e-5)
    assert corrected.pmi.upper(0.975) == pytest.approx(0.0283, abs=5e-5)
    assert not {caveat.code for caveat in corrected.pmi.caveats} & {"contradicted-by-tests", "uncorrected"}


def test_the_separation_is_smaller_than_a_cell(example, corrected):
    assert separation(*example["data"]) == pytest.approx(0.000830, abs=5e-7)
    assert {a.id: a.status for a in corrected.assumptions}["separated-classes"] == "contradicted"


def test_sampling_any_model_gives_the_same_within_its_error(example, published):
    sampled = assessed(example, MonteCarlo(1000), as_published=True, checks=False)
    assert sampled.pmi.value == pytest.approx(published.pmi.value, abs=1e-4)
    assert sampled.acu.value == pytest.approx(published.acu.value, abs=1e-4)
