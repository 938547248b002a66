"""Shares of answers of tree ensembles, against enumeration of all thresholds by another way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from tests.refusals import refused
from threadpoolctl import threadpool_limits

from surefoot.adapters import as_model
from surefoot.core import InvalidInput
from surefoot.executors import Processes, Serial
from surefoot.reliability import (
    ExactTrees,
    LocalEstimator,
    LocalProblem,
    LocalRisk,
    UniformInside,
    Within,
)

EXACT, PROVED = LocalRisk.EXACT, LocalRisk.PROVED
VOTE = LocalProblem.VOTE

SMALL = {"max_depth": 3, "random_state": 0}
STUMP = DecisionTreeClassifier(max_depth=2)
FOREST = RandomForestClassifier(4, **SMALL)
MODELS = {
    "tree": DecisionTreeClassifier(**SMALL),
    "extra-tree": ExtraTreeClassifier(**SMALL),
    "forest": FOREST,
    "extra-trees": ExtraTreesClassifier(4, **SMALL),
    "bagging": BaggingClassifier(STUMP, 4, random_state=0),
    "bagging-some-features-and-classes": BaggingClassifier(STUMP, 4, max_features=0.6, max_samples=3, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0),
    "boosting-from-zero": GradientBoostingClassifier(n_estimators=3, max_depth=2, init="zero", random_state=0),
    "histogram-boosting": HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4, min_samples_leaf=2),
    "adaboost": AdaBoostClassifier(STUMP, n_estimators=4, random_state=0),
    "standard-scaler": make_pipeline(StandardScaler(), FOREST),
    "min-max-scaler": make_pipeline(MinMaxScaler((-3, 5)), FOREST),
    "max-abs-scaler": make_pipeline(MaxAbsScaler(), FOREST),
    "robust-scaler": make_pipeline(RobustScaler(), FOREST),
    "two-scalers": make_pipeline(MinMaxScaler(), StandardScaler(), "passthrough", STUMP),
}
every_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Small models lose more time by waiting for threads than they gain."""
    with threadpool_limits(limits=1):
        yield


@dataclass(frozen=True, eq=False)
class Given:
    """Boxes by their corners."""

    lower: np.ndarray
    upper: np.ndarray

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def dimensions(self) -> int:
        return int(self.lower.shape[1])

    def corners(self, chosen: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        return self.lower[chosen], self.upper[chosen]


@dataclass(frozen=True)
class Leaning(UniformInside):
    """Inputs are denser towards the upper corner: the distribution function of each feature is a square."""

    def share(self, lower: np.ndarray, upper: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return np.asarray(np.prod(((high - lower) ** 2 - (low - lower) ** 2) / (upper - lower) ** 2, axis=1))


@dataclass(frozen=True, eq=False)
class Predicted:
    """Class numbers of a fitted model with the classes 0, 1, 2..."""

    model: Any

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        return np.asarray(self.model.predict(inputs), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class MostProbable(Predicted):
    """The same by probabilities, as models are usually run."""

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        return np.asarray(self.model.predict_proba(inputs).argmax(axis=1))


def fitted(model: Any, *, classes: int = 2, dimensions: int = 2, rows: int = 40, seed: int = 0, coarse: int = 0) -> Any:
    """A copy of the model fitted to noisy classes; ``coarse`` many different values make ties likely."""
    from sklearn.base import clone

    rng = np.random.default_rng(seed)
    x = rng.random((rows, dimensions))
    x = np.floor(x * coarse) / coarse if coarse else x
    y = np.floor(classes * (x.sum(axis=1) + 0.3 * rng.random(rows)) / (dimensions + 0.3)).astype(int)
    y[:classes] = range(classes)
    return clone(model).fit(x, y)


def random_boxes(count: int, dimensions: int, seed: int) -> Given:
    corners = np.sort(np.random.default_rng(seed).random((2, count, dimensions)), axis=0)
    return Given(corners[0], corners[1])


def grid_of_boxes(sides: int, dimensions: int) -> Given:
    lower = np.array(list(product(range(sides), repeat=dimensions))) / sides
    return Given(lower, lower + 1 / sides)


def problem_of(model: Any, boxes: Given, *, within: Within | None = None, decide: Any = None) -> LocalProblem:
    classes = len(model.classes_)
    return LocalProblem(
        decide=decide or Predicted(model),
        model=model,
        classes=classes,
        boxes=boxes,
        labels=np.full(len(boxes), VOTE),
        undesired=~np.eye(classes, dtype=bool),
        weights=np.full(len(boxes), 1.0),
        within=within or UniformInside(),
    )


def estimate(problem: LocalProblem) -> LocalRisk:
    return ExactTrees().estimate(problem, executor=Serial(), seed=0)


def read(model: Any) -> LocalRisk:
    """What is found for any model, in one box."""
    boxes, labels, weights = random_boxes(1, 2, seed=0), np.array([VOTE]), np.ones(1)
    return estimate(
        LocalProblem(lambda x: np.zeros(len(x), int), model, 2, boxes, labels, ~np.eye(2, dtype=bool), weights)
    )


def members(model: Any) -> list[tuple[Any, np.ndarray]]:
    """Trees, and the columns that each looks at."""
    columns = np.arange(model.n_features_in_)
    if hasattr(model, "estimators_features_"):
        return list(zip(model.estimators_, model.estimators_features_, strict=True))
    return [(tree, columns) for tree in np.ravel(getattr(model, "estimators_", [model]))]


def thresholds(model: Any) -> list[tuple[int, float]]:
    """Feature and threshold of every node."""
    if hasattr(model, "_predictors"):
        nodes = np.concatenate([predictor.nodes for stage in model._predictors for predictor in stage])
        inner = nodes[nodes["is_leaf"] == 0]
        return list(zip(inner["feature_idx"].tolist(), inner["num_threshold"].tolist(), strict=True))
    return [
        (int(columns[feature]), float(threshold))
        for tree, columns in members(model)
        for feature, threshold in zip(tree.tree_.feature, tree.tree_.threshold, strict=True)
        if feature >= 0
    ]


def cuts(model: Any) -> list[np.ndarray]:
    """Where each feature of the input passes a threshold: found by halving an interval again and again."""
    steps = getattr(model, "steps", [("", model)])
    scalers, last = [step for _, step in steps[:-1] if step != "passthrough"], steps[-1][1]
    single = not hasattr(last, "_predictors")
    pairs = sorted(set(thresholds(last)))
    feature, threshold = np.array([f for f, _ in pairs], int), np.array([t for _, t in pairs])
    low, high = np.full(len(pairs), -100.0), np.full(len(pairs), 100.0)
    for _ in range(70):
        middle = (low + high) / 2
        rows = np.repeat(middle[:, None], last.n_features_in_, axis=1)
        for scaler in scalers:
            rows = scaler.transform(rows)
        seen = rows[np.arange(len(pairs)), feature]
        left = (seen.astype(np.float32) if single else seen) <= threshold
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    return [np.unique(low[feature == number]) for number in range(last.n_features_in_)]


def enumerated(problem: LocalProblem) -> np.ndarray:
    """Shares by asking the model in the middle of every cell of the grid of all thresholds inside a box."""
    places, corners = cuts(problem.model), zip(*problem.boxes.corners(slice(None)), strict=True)
    cells = [(number, *cell) for number, box in enumerate(corners) for cell in cells_inside(*box, places)]
    box, low, high = (np.array(column) for column in zip(*cells, strict=True))
    shares = np.zeros((len(problem.boxes), problem.classes))
    parts = problem.within.share(*problem.boxes.corners(box), low, high)
    np.add.at(shares, (box, problem.decide((low + high) / 2)), parts)
    return shares


def cells_inside(lower: np.ndarray, upper: np.ndarray, places: list[np.ndarray]) -> Iterator[tuple[Any, Any]]:
    """Lower and upper corners of all cells between the places inside a box."""
    edges = [
        [low, *place[(place > low) & (place < high)], high]
        for place, low, high in zip(places, lower, upper, strict=True)
    ]
    return zip(product(*(edge[:-1] for edge in edges)), product(*(edge[1:] for edge in edges)), strict=True)


@every_model
def test_shares_equal_enumeration(name: str) -> None:
    for classes in (2, 3):
        problem = problem_of(fitted(MODELS[name], classes=classes), random_boxes(40, 2, seed=1))
        found = estimate(problem).shares
        np.testing.assert_allclose(found, enumerated(problem), atol=1e-12, err_msg=f"{classes} classes")


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@given(
    name=st.sampled_from(sorted(MODELS)),
    classes=st.integers(2, 4),
    seed=st.integers(0, 10_000),
    coarse=st.sampled_from([0, 4]),
)
@settings(max_examples=15, deadline=None)
def test_shares_of_any_small_model_equal_enumeration(
    dimensions: int, name: str, classes: int, seed: int, coarse: int
) -> None:
    model = fitted(MODELS[name], classes=classes, dimensions=dimensions, rows=15, seed=seed, coarse=coarse)
    problem = problem_of(model, random_boxes(3, dimensions, seed), decide=MostProbable(model))
    np.testing.assert_allclose(estimate(problem).shares, enumerated(problem), atol=1e-12)


@pytest.mark.parametrize("decide", [Predicted, MostProbable])
@pytest.mark.parametrize("trees", [2, 4, 6])
def test_ties_are_decided_as_the_model_decides_them(trees: int, decide: type[Predicted]) -> None:
    model = fitted(RandomForestClassifier(trees, **SMALL), rows=30)
    problem = problem_of(model, grid_of_boxes(12, 2), decide=decide(model))
    shares = model.predict_proba(problem.boxes.lower + 1 / 24)
    assert (shares[:, 0] == shares[:, 1]).any()
    np.testing.assert_allclose(estimate(problem).shares, enumerated(problem), atol=1e-12)


@pytest.mark.parametrize(("firsts", "answer"), [((0.1, 0.7, 0.7), 0), ((0.2, 0.6, 0.7), 1)])
def test_ties_that_rounding_makes_or_breaks_are_the_models_own(firsts: tuple[float, ...], answer: int) -> None:
    model = RandomForestClassifier(3, bootstrap=False, **SMALL).fit([[0.0], [1.0]], [0, 1])
    for tree, first in zip(model.estimators_, firsts, strict=True):
        tree.tree_.value[:, 0, :] = [(0.5, 0.5), (first, round(1 - first, 1)), (answer, 1 - answer)]
    assert model.predict([[0.2], [0.8]]).tolist() == [answer, 1 - answer]
    found = estimate(problem_of(model, Given(np.array([[0.0], [0.6]]), np.array([[0.4], [1.0]]))))
    assert found.shares.argmax(axis=1).tolist() == [answer, 1 - answer]


def test_a_boosted_tie_goes_to_the_class_that_the_caller_sees() -> None:
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = GradientBoostingClassifier(n_estimators=1, max_depth=1, init="zero").fit(x, [0, 1, 1, 0])
    boxes = Given(np.zeros((1, 2)), np.ones((1, 2)))
    assert model.decision_function(x).tolist() == [0, 0, 0, 0]
    assert estimate(problem_of(model, boxes)).shares.tolist() == [[0, 1]]
    assert estimate(problem_of(model, boxes, decide=MostProbable(model))).shares.tolist() == [[1, 0]]


def test_shares_follow_the_distribution_inside_a_box() -> None:
    problem = problem_of(fitted(FOREST, classes=3), random_boxes(30, 2, seed=2), within=Leaning())
    found = estimate(problem).shares
    np.testing.assert_allclose(found, enumerated(problem), atol=1e-12)
    assert np.abs(found - estimate(replace(problem, within=UniformInside())).shares).max() > 0.01


def test_shares_agree_with_samples() -> None:
    for name, model in MODELS.items():
        problem = problem_of(fitted(model, classes=3, dimensions=4, rows=200), random_boxes(2, 4, seed=3))
        lower, upper = problem.boxes.corners(slice(None))
        points = UniformInside().draw(lower, upper, 20_000, np.random.default_rng(4))
        sampled = [np.bincount(problem.decide(inside), minlength=3) / 20_000 for inside in points]
        near = 4.5 * np.sqrt(0.25 / 20_000)
        np.testing.assert_allclose(estimate(problem).shares, sampled, atol=near, err_msg=name)


@given(name=st.sampled_from(sorted(MODELS)), seed=st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
def test_halves_average_to_the_whole(name: str, seed: int) -> None:
    model, whole = fitted(MODELS[name], classes=3, seed=seed), random_boxes(5, 2, seed)
    middle = (whole.lower[:, 0] + whole.upper[:, 0]) / 2
    left, right = whole.upper.copy(), whole.lower.copy()
    left[:, 0] = right[:, 0] = middle
    halves = Given(np.vstack([whole.lower, right]), np.vstack([left, whole.upper]))
    parts = estimate(problem_of(model, halves)).shares.reshape(2, 5, -1)
    np.testing.assert_allclose(parts.mean(axis=0), estimate(problem_of(model, whole)).shares, atol=1e-12)


def test_risk_counts_a_box_as_proved_where_one_answer_fills_it() -> None:
    problem = problem_of(fitted(FOREST), grid_of_boxes(20, 2))
    found, truth = estimate(problem), enumerated(problem)
    one = (truth > 0).sum(axis=1) == 1
    assert 0 < one.sum() < len(one)
    assert (found.how == np.where(one, PROVED, EXACT)).all()
    assert (found.shares[one].max(axis=1) == 1).all()
    assert (found.trials == 0).all()
    assert (found.labels == truth.argmax(axis=1)).all()
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(found.risk(problem.undesired), truth.min(axis=1), atol=1e-12)


def test_known_labels_stay() -> None:
    problem = problem_of(fitted(FOREST), grid_of_boxes(5, 2))
    labels = np.arange(25) % 3 - 1
    found = estimate(replace(problem, labels=labels)).labels
    assert (found[labels != VOTE] == labels[labels != VOTE]).all()
    assert (found >= 0).all()


def test_little_memory_gives_the_same_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(fitted(RandomForestClassifier(10, **SMALL), classes=3, coarse=5), random_boxes(70, 2, seed=5))
    at_once = estimate(problem)
    for work in (1, 500):
        monkeypatch.setattr("surefoot.reliability.proofs.tree_ensembles.WORK", work)
        np.testing.assert_allclose(estimate(problem).shares, at_once.shares, atol=1e-14, err_msg=str(work))


def test_worker_processes_give_the_same_shares_and_progress_counts_boxes() -> None:
    problem = problem_of(fitted(FOREST), random_boxes(200, 2, seed=6))
    told: list[tuple[int, int]] = []
    found = ExactTrees().estimate(problem, executor=Processes(2), seed=1, progress=lambda *at: told.append(at))
    assert (found.shares == estimate(problem).shares).all()
    assert told[-1] == (200, 200)


def test_many_boxes_come_in_few_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[ExactTrees.__module__], "LARGEST_BATCH", 10)
    told: list[tuple[int, int]] = []
    problem = problem_of(fitted(STUMP), random_boxes(2_000, 2, seed=7))
    ExactTrees().estimate(problem, executor=Serial(), seed=1, progress=lambda *at: told.append(at))
    assert told == [(min(32 * batch, 2_000), 2_000) for batch in range(1, 64)]


def test_no_boxes_give_no_shares() -> None:
    found = estimate(problem_of(fitted(STUMP), Given(np.empty((0, 2)), np.empty((0, 2)))))
    assert found.shares.shape == (0, 2)
    assert len(found.labels) == len(found.how) == 0


def test_boxes_beyond_the_training_data_are_read_as_the_model_reads_them() -> None:
    far = np.array([[-1e30, 0.2], [5.0, -1e6], [1e300, 1e300]])
    model = fitted(HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2), rows=60)
    found = estimate(problem_of(model, Given(far, far * 1.5 + 1)))
    assert np.isfinite(found.shares).all()
    assert (found.shares.argmax(axis=1)[2:] == model.predict(far[2:])).all()


def test_a_split_on_missing_values_sends_every_number_one_way() -> None:
    x = np.where(np.arange(80)[:, None] % 2, np.nan, np.arange(80)[:, None] / 80)
    model = make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=2)).fit(x, np.arange(80) % 2)
    assert estimate(problem_of(model, Given(np.array([[-5.0]]), np.array([[5.0]])))).shares.tolist() == [[1, 0]]


def test_one_class_fills_everything() -> None:
    model = RandomForestClassifier(3).fit([[0.0, 0.0], [1.0, 1.0]], [0, 0])
    assert estimate(problem_of(model, random_boxes(3, 2, seed=8))).shares.tolist() == [[1], [1], [1]]


def test_trees_are_found_behind_what_was_given() -> None:
    for wrap in [as_model, lambda model: model.predict, lambda model: as_model(model.predict_proba)]:
        model = fitted(FOREST)
        problem = problem_of(model, random_boxes(10, 2, seed=9))
        found = estimate(replace(problem, model=wrap(model)))
        assert (found.shares == estimate(problem).shares).all(), wrap


def test_the_best_model_of_a_search_is_read() -> None:
    model = fitted(GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 4]}, cv=2))
    problem = problem_of(model, random_boxes(10, 2, seed=9))
    expected = enumerated(replace(problem, model=model.best_estimator_))
    np.testing.assert_allclose(estimate(problem).shares, expected, atol=1e-12)


def test_classes_are_numbered_as_the_problem_numbers_them() -> None:
    model = fitted(FOREST, classes=3)
    problem = problem_of(model, random_boxes(20, 2, seed=10))
    renamed = replace(problem, classes=5, decide=lambda inputs: np.array([4, 0, 2])[model.predict(inputs)])
    assert (estimate(renamed).shares[:, [4, 0, 2]] == estimate(problem).shares).all()


def test_a_model_that_changes_what_its_trees_say_is_found_out() -> None:
    model = fitted(FOREST)
    careful = replace(
        problem_of(model, grid_of_boxes(10, 2)), decide=lambda inputs: (model.predict_proba(inputs)[:, 1] > 0.9) * 1
    )
    with pytest.raises(InvalidInput, match="does not answer as its trees do"):
        estimate(careful)


def categorical() -> Any:
    x = np.column_stack([np.arange(60) % 3, np.arange(60) / 60])
    return HistGradientBoostingClassifier(max_iter=2, categorical_features=[0]).fit(x, np.arange(60) % 2)


def test_other_models_are_refused_by_name() -> None:
    for model, found in [
        (KNeighborsClassifier(3), "a KNeighborsClassifier"),
        (BaggingClassifier(KNeighborsClassifier(3), 3), "a BaggingClassifier of KNeighborsClassifier"),
        (make_pipeline(PCA(), DecisionTreeClassifier()), "a pipeline with PCA()"),
        (make_pipeline(MinMaxScaler(clip=True), DecisionTreeClassifier()), "a pipeline with MinMaxScaler(clip=True)"),
        (GradientBoostingClassifier(init=KNeighborsClassifier()), "that starts from KNeighborsClassifier()"),
    ]:
        problem = problem_of(fitted(model), random_boxes(2, 2, seed=11))
        with refused(found, InvalidInput, match=r"Use MonteCarlo\(\)") as error:
            estimate(problem)
        assert found in str(error.value), found


def test_what_cannot_be_read_is_refused_by_name() -> None:
    for model, found in [
        (lambda inputs: inputs[:, 0] > 0.5, "a function"),
        (DecisionTreeClassifier(), "a DecisionTreeClassifier that is not fitted"),
        (DecisionTreeClassifier().fit([[0, 1], [1, 0]], [[0, 1], [1, 0]]), "a DecisionTreeClassifier with 2 outputs"),
        (categorical(), "with categorical features"),
    ]:
        with refused(found, InvalidInput) as error:
            read(model)
        assert found in str(error.value), found


class Careful(RandomForestClassifier):
    """Answers 0 in doubt."""

    def predict_proba(self, X: Any) -> Any:
        shares = super().predict_proba(X)
        return np.where(shares[:, 1:] > 0.9, [[0.0, 1.0]], [[1.0, 0.0]])


class MoreCareful(Careful):
    """Inherits answers that are not those of a forest."""


class Scored(DecisionTreeClassifier):
    """Has an answer that trees have not."""

    def decision_function(self, X: Any) -> Any:
        return -np.ones(len(X))


class Shifted(DecisionTreeClassifier):
    """Looks at other inputs than it is given."""

    def _validate_X_predict(self, X: Any, check_input: bool) -> Any:
        return super()._validate_X_predict(np.asarray(X) + 0.3, check_input)


class Turned(StandardScaler):
    """Turns features around."""

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        return -super().transform(X, copy)


class Contrary(Pipeline):
    """Answers the contrary of its last step."""

    def predict(self, X: Any, **params: Any) -> Any:
        return 1 - super().predict(X, **params)


class Timid(GridSearchCV):
    """Answers 0."""

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


OWN_CODE = {
    "subclass": (Careful(3), "predict_proba of Careful"),
    "subclass-of-subclass": (MoreCareful(3), "predict_proba of MoreCareful"),
    "another-answer": (Scored(), "decision_function of Scored"),
    "what-answers-go-through": (Shifted(), "_validate_X_predict of Shifted"),
    "member": (BaggingClassifier(Shifted(), 3), "_validate_X_predict of Shifted"),
    "scaler": (make_pipeline(Turned(), STUMP), "transform of Turned"),
    "last-step": (make_pipeline(StandardScaler(), Careful(3)), "predict_proba of Careful"),
    "pipeline": (Contrary([("tree", STUMP)]), "predict of Contrary"),
    "search": (Timid(STUMP, {"max_depth": [1, 2]}, cv=2), "predict of Timid"),
    "best-of-a-search": (GridSearchCV(Scored(), {"max_depth": [1, 2]}, cv=2), "decision_function of Scored"),
}


def test_answers_by_code_of_its_own_are_refused() -> None:
    for model, found in OWN_CODE.values():
        for wrap in [lambda model: model, as_model]:
            with refused(found, InvalidInput, match=rf"code of its own .* found {found}, .* Use MonteCarlo\(\)"):
                read(wrap(fitted(model)))


def test_an_answer_put_on_the_object_is_refused() -> None:
    for name in ["predict", "predict_proba", "decision_function"]:
        for part in ["whole", "member"]:
            model = fitted(FOREST)
            changed = model if part == "whole" else model.estimators_[-1]
            setattr(changed, name, lambda inputs: np.zeros(len(inputs)))
            with refused((name, part), InvalidInput, match=f"found {name} of"):
                read(model)


class Seeded(RandomForestClassifier):
    """Trains in its own way, and answers as a forest does."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(np.concatenate([X, X]), np.concatenate([y, y]), sample_weight)

    def predict_twice(self, X: Any) -> Any:
        return self.predict(X), self.predict(X)


class Renamed(StandardScaler):
    """Scales as its base does."""


class OwnTree(DecisionTreeClassifier):
    """Answers as its base does."""


@pytest.mark.parametrize(
    "model",
    [Seeded(4, **SMALL), make_pipeline(Renamed(), STUMP), BaggingClassifier(OwnTree(max_depth=2), 3, random_state=0)],
    ids=["forest", "scaler", "members"],
)
def test_a_subclass_that_answers_as_its_base_is_read(model: Any) -> None:
    problem = problem_of(fitted(model), random_boxes(10, 2, seed=9))
    np.testing.assert_allclose(estimate(problem).shares, enumerated(problem), atol=1e-12)


def test_a_method_that_is_no_answer_of_the_trees_is_refused() -> None:
    for wrap in [lambda m: m.predict_twice, lambda m: as_model(m, method="predict_twice")]:
        with refused(wrap, InvalidInput, match="found the method predict_twice of a Seeded"):
            read(wrap(fitted(Seeded(2, **SMALL))))


def test_a_class_of_the_same_name_is_not_taken_for_that_of_scikit_learn() -> None:
    kind = type("DecisionTreeClassifier", (), {"n_features_in_": 2})
    with pytest.raises(InvalidInput, match="found a DecisionTreeClassifier"):
        read(kind())


def test_boxes_of_other_features_are_refused() -> None:
    problem = problem_of(fitted(STUMP, dimensions=3), random_boxes(2, 2, seed=12))
    with pytest.raises(InvalidInput, match="takes 3 features; found boxes with 2"):
        estimate(problem)


def test_exact_trees_is_a_local_estimator() -> None:
    assert isinstance(ExactTrees(), LocalEstimator)
    assert repr(ExactTrees()) == "ExactTrees()"
