"""Reliability in balls: a sampling frame of inputs, balls drawn from it, the risk inside, the mean (RAM, 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import as_model
from surefoot.adapters.labels import agreed
from surefoot.core import Assumption, Diagnostic, Executor, InvalidInput, Table, array_digest, validate
from surefoot.core.validate import FloatArray
from surefoot.corruptions.variation import Variation
from surefoot.executors import Serial
from surefoot.reliability.balls.designs import Adaptive, AtRandom, ByWeight, Design, SamplingFrame
from surefoot.reliability.balls.draws import Census, Drawn, VarianceParts, equal
from surefoot.reliability.balls.frame import WHERE, Frame, ball_inputs, radius_against_separation
from surefoot.reliability.balls.result import BallReliability, EvaluatedBalls
from surefoot.reliability.balls.soundness import require_accepted_shape, require_sound_model
from surefoot.reliability.balls.statements import CheckInputs, Statements, check_assumptions, unchecked_assumptions
from surefoot.reliability.cells.result import LEVELS
from surefoot.reliability.local_risk import Classifier, Progress, Undesired, undesired_answers
from surefoot.reliability.proofs.box_proofs import Interval
from surefoot.reliability.rare_events.estimators import (
    REACHED,
    Proving,
    as_ball_estimator,
    by_value,
    examined,
    no_proof_within_a_variation,
    usual_estimator,
)
from surefoot.reliability.rare_events.margins import FAILING_CENTRE, predicted_risk
from surefoot.reliability.rare_events.problem import BELOW, SPLIT, BallEstimator, BallProblem, BallRisks

CHECKS_OFF = Diagnostic("checks-off", "Assumptions were not checked.", hint="Leave out checks=False.")
FAR_FROM_FAILING = 0.01
"""Guessed risk of balls whose centre does not fail, where a model gives no scores to tell more."""
GUESS, DRAW = 0, 1
WEIGHT_DRAWS = 200
COLUMNS = ("radius", "holds one label", "pmi", *(f"at {level:g}" for level in LEVELS), "by balls", "acu")


@validate.arguments
def assess_balls(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    radius: float | None = None,
    within: Variation | Mapping[str, Any] | None = None,
    picture: Sequence[int] | None = None,
    weights: Any = None,
    estimator: Any = None,
    budget: int | None = None,
    design: Design | None = None,
    holdout: tuple[ArrayLike, ArrayLike] | None = None,
    operational: ArrayLike | None = None,
    undesired: Undesired = None,
    classes: Sequence[str] = (),
    input_range: Sequence[float] = (0, 1),
    centres: ArrayLike | None = None,
    checks: bool = True,
    level: float = 0.95,
    executor: Executor | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> BallReliability:
    """Bound the probability that a classifier fails within ``radius`` of its next input, from balls around data points.

    Or ``within`` a family of natural variation, such as rotation or turbidity, in place of noise of every feature. For
    inputs of many features, such as images. Give rows that the model was not trained on. Where ``X`` are such that
    it was, ``holdout`` keeps the answer honest: the wider of both limits is signed.

    Parameters
    ----------
    model
        Any classifier: a callable, an estimator of scikit-learn, a torch module or a loaded model.
    X, y
        Inputs of any shape and their true labels.
    radius
        Of the balls, in the maximum norm; they are cut to ``input_range``.
    within
        In place of a radius, what operation makes of an input: a ``corruptions.Variation``, or what ``Variation.of``
        takes, such as ``{"rotation": {"angle": [-15, 15]}, "fog": {"severity": [1, 2]}}``. The failure probability is
        that over the distribution of the parameters; where these have finitely many values, all of them are tried.
    picture
        Shape of the picture that an input shows, for a variation of inputs that are flat rows.
    weights
        How often each row's like comes in operation: equal where nothing is said, one number a row, or
        ``profile.LatentWeights``, which carry their uncertainty.
    estimator
        Finds the risk inside: ``MultilevelSplitting()``, ``MonteCarlo()``, ``Interval()``. Without one, failures are
        counted where they are frequent enough for the mean, and else split as far down as adds to it.
    budget
        Balls that the design may draw; without it every ball is looked into.
    design
        Which balls are drawn: ``AtRandom()``, the default with equal weights, ``Adaptive()``, the default with others,
        ``ByWeight()``, ``ByRisk()``, ``Stratified()`` or ``WithReplacement()``.
    holdout
        Inputs and labels from operation.
    operational
        Inputs from operation, to check that the rows represent it.
    undesired
        From a true label to the answers that count as failures; by default all wrong ones.
    classes
        Names of the columns of scores, where the model does not say them.
    input_range
        Lowest and highest value of a feature.
    centres
        Inputs that balls lie around in place of ``X``, one for each row, such as their decoded images (RAM, Remark 4).
    checks
        Whether assumptions are checked.
    level
        Confidence of the bound.
    executor
        Where the work is done; here by default.
    seed
        Of all random numbers.
    progress
        Called with the number of draws done and of all.

    Returns
    -------
    BallReliability
        ``pmi`` is the failure probability to sign, ``by_balls`` the mean of the rows' own balls, ``acu`` the same as if
        all weighed alike, ``cells`` the balls that were looked into.

    References
    ----------
    RAM section 4.3, Eqns. (14) and (15).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> inputs = np.random.default_rng(0).random((100, 2))
    >>> labels = (inputs.sum(axis=1) > 1).astype(int)
    >>> def scores(inputs):
    ...     return np.column_stack([1 - inputs.sum(axis=1), inputs.sum(axis=1) - 1])
    >>> found = sf.reliability.assess_balls(
    ...     scores, inputs, labels, radius=0.02, estimator=sf.reliability.MonteCarlo(200))
    >>> round(found.pmi.value, 4), round(found.pmi.upper(0.95), 4)
    (0.0135, 0.053)

    """
    return prepared(
        model,
        ball_inputs(
            around(X, centres), y, radius=radius, variation=_variation(within, picture), input_range=input_range
        ),
        weights=weights,
        estimator=estimator,
        budget=budget,
        design=design,
        holdout=holdout,
        operational=operational,
        undesired=undesired,
        classes=classes,
        checks=checks,
        level=level,
        executor=executor,
        seed=seed,
        progress=progress,
    ).result()


def assess_radii(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    radii: Sequence[float],
    design: Design | None = None,
    input_range: Sequence[float] = (0, 1),
    centres: ArrayLike | None = None,
    **options: Any,
) -> Table:
    """pmi, its upper limits and ACU for several radii, from the same seeds.

    A ball holds one label where its radius is below half the separation of the labels (errata RAM 11).

    Parameters
    ----------
    model, X, y, input_range, centres
        As for ``assess_balls``.
    radii
        Radii of the balls.
    design
        Where none is given balls are drawn by weight, and are the same for all radii; designs that follow predicted
        risk draw others for each.
    **options
        Those of ``assess_balls``.

    Returns
    -------
    Table
        One row for each radius.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> inputs = np.random.default_rng(0).random((100, 2))
    >>> labels = (inputs.sum(axis=1) > 1).astype(int)
    >>> def scores(inputs):
    ...     return np.column_stack([1 - inputs.sum(axis=1), inputs.sum(axis=1) - 1])
    >>> table = sf.reliability.assess_radii(
    ...     scores, inputs, labels, radii=[0.01, 0.05], estimator=sf.reliability.MonteCarlo(200))
    >>> [(row[0], row[1], round(row[2], 3)) for row in table.rows]
    [(0.01, 'yes', 0.01), (0.05, 'no', 0.024)]

    """
    sizes = validate.vector(radii, where="assess_radii", name="radii").tolist()
    inputs = around(X, centres)
    frames = [ball_inputs(inputs, y, radius=size, input_range=input_range) for size in sizes]
    first = prepared(model, frames[0], design=design or ByWeight(), **{**options, "checks": False})
    rows = []
    for size in sizes:
        found = first.with_radius(size).result()
        limits = (found.pmi.upper(level) for level in LEVELS)
        rows.append((size, found.pmi.value, *limits, found.by_balls.value, found.acu.value))
    allowed = radius_against_separation(frames[0], seed=first.seed).figures.get("allowed")
    fits = ["unknown" if allowed is None else "yes" if size < allowed else "no" for size in sizes]
    return Table(COLUMNS, tuple((row[0], fit, *row[1:]) for row, fit in zip(rows, fits, strict=True)))


@validate.arguments
def assess_strengths(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    within: Variation | Mapping[str, Any],
    strengths: Sequence[float],
    picture: Sequence[int] | None = None,
    design: Design | None = None,
    input_range: Sequence[float] = (0, 1),
    centres: ArrayLike | None = None,
    **options: Any,
) -> Table:
    """pmi, its upper limits and ACU for several strengths of a variation, from the same seeds: the curve of risk.

    At strength 1 the variation is as stated; at 0.5 each parameter goes half as far from where it changes nothing. Of
    finitely many values those remain that lie so near.

    Parameters
    ----------
    model, X, y, within, picture, input_range, centres
        As for ``assess_balls``.
    strengths
        From 0 to 1.
    design
        Where none is given balls are drawn at random, or by weight where weights differ, and are the same for all
        strengths.
    **options
        Those of ``assess_balls``.

    Returns
    -------
    Table
        One row for each strength.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> pictures = np.random.default_rng(0).random((100, 6, 6)) * np.linspace(0, 1, 100)[:, None, None]
    >>> labels = (pictures.mean(axis=(1, 2)) > 0.25).astype(int)
    >>> def scores(pictures):
    ...     light = pictures.mean(axis=(1, 2)) - 0.25
    ...     return np.column_stack([-light, light])
    >>> table = sf.reliability.assess_strengths(
    ...     scores, pictures, labels, within={"turbidity": {"thickness": [0, 0.4], "veil": 0.8}}, strengths=[0.2, 1],
    ...     estimator=sf.reliability.MonteCarlo(200))
    >>> [(row[0], round(row[2], 3)) for row in table.rows]
    [(0.2, 0.06), (1.0, 0.275)]

    """
    family = _variation(within, picture)
    assert family is not None
    checked = [validate.probability(each, where="assess_strengths", name="strength") for each in strengths]
    sizes = sorted({size for size in checked if size > 0})
    if not sizes:
        raise InvalidInput("needs a strength above 0", where="assess_strengths", found=repr(strengths))
    same = design or (AtRandom() if options.get("weights") is None else ByWeight())
    inputs, rows = around(X, centres), []
    for size in sizes:
        scaled = family if size == 1 else family.scaled(size)
        frame = ball_inputs(inputs, y, radius=None, variation=scaled, input_range=input_range)
        found = prepared(model, frame, design=same, **{**options, "checks": False}).result()
        limits = (found.pmi.upper(level) for level in LEVELS)
        rows.append((size, str(scaled), found.pmi.value, *limits, found.by_balls.value, found.acu.value))
    return Table(("strength", "variation", *COLUMNS[2:]), tuple(rows))


def _variation(within: Variation | Mapping[str, Any] | None, picture: Sequence[int] | None) -> Variation | None:
    if within is None:
        return None
    found = Variation.of(within, picture=picture)
    if not found.dimensions:
        remedy = "Give a parameter a range, or corrupt the inputs and count failures."
        raise InvalidInput("nothing varies", where="within", found=str(found), remedy=remedy)
    return found


# What an assessment in balls is given, checked once and put together.


def prepared(
    model: Any,
    frame: Frame,
    *,
    design: Design | None = None,
    weights: Any = None,
    estimator: Any = None,
    budget: int | None = None,
    holdout: tuple[ArrayLike, ArrayLike] | None = None,
    operational: ArrayLike | None = None,
    undesired: Undesired = None,
    classes: Sequence[str] = (),
    checks: bool = True,
    level: float = 0.95,
    executor: Executor | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> BallAssessment:
    """An assessment that can be run, or an error that says what is wrong with what was given."""
    seed = validate.seed(seed, where=WHERE)
    shares, draws, doubts = weights_of(weights, len(frame), seed)
    require_accepted_shape(as_model(model), frame)
    classifier, labels = Classifier.of(model, frame.inputs(), frame.labels, classes=classes)
    sound = require_sound_model(classifier.model, frame, classes=classifier.classes, seed=seed)
    table = undesired_answers(undesired, classifier.classes)
    if frame.variation is not None and isinstance(estimator, Interval | Proving):
        raise no_proof_within_a_variation()
    return BallAssessment(
        problem=BallProblem(classifier.model, frame.balls, labels, table, _columns(classifier), classifier),
        frame=frame,
        classes=classifier.classes,
        answers=classifier(frame.inputs()),
        weights=shares,
        weight_draws=draws,
        estimator=None if estimator is None else as_ball_estimator(estimator),
        design=validate.kind(
            design or (AtRandom() if equal(shares) else Adaptive()),
            Design,
            where=WHERE,
            name="design",
            example="Adaptive()",
        ),
        budget=None if budget is None else validate.count(budget, where=WHERE, name="budget", at_least=2),
        tests=None if holdout is None else _tests(holdout, classifier, table, frame),
        operational=None if operational is None else _alike(operational, frame, "operational"),
        caveats=(*frame.caveats, *sound, *doubts),
        checks=checks,
        level=validate.level(level, where=WHERE),
        executor=validate.kind(
            executor or Serial(), Executor, where=WHERE, name="executor", example="executors.Processes(2)"
        ),
        seed=seed,
        progress=progress,
    )


def around(X: Any, centres: Any) -> Any:
    """The centres of the balls: the inputs, or what is given in their place."""
    if centres is None:
        return X
    given, rows = (
        validate.array(each, where=WHERE, name=name).shape for name, each in (("centres", centres), ("X", X))
    )
    if given != rows:
        raise InvalidInput("centres must have the shape of X", where=WHERE, found=f"{given} and {rows}")
    return centres


def weights_of(given: Any, count: int, seed: int) -> tuple[FloatArray, FloatArray | None, tuple[Diagnostic, ...]]:
    """Weights that sum to 1, draws of them where they are uncertain, and what not to trust in them."""
    if given is None:
        return np.full(count, 1 / count), None, ()
    values = validate.vector(getattr(given, "values", given), where=WHERE, name="weights")
    if values.size != count or (values < 0).any() or not values.max() > 0:
        raise InvalidInput(
            f"weights must be {count:,} numbers of at least 0, one for each row and not all 0",
            where=WHERE,
            found=f"{values.size:,} numbers from {values.min():g} to {values.max():g}",
            remedy="Compute them from log-densities less their maximum where densities underflow.",
        )
    scaled = values / values.max()
    draws = given.draws(WEIGHT_DRAWS, np.random.default_rng(seed)) if hasattr(given, "draws") else None
    return scaled / scaled.sum(), draws, tuple(getattr(given, "caveats", ()))


def _columns(classifier: Classifier) -> tuple[int, ...]:
    """Which column of scores each class has; empty where they are in order."""
    names = classifier.classes
    found = agreed(names, classifier.model.classes, len(names), where=classifier.model.name)
    return found.order if found.moved else ()


def _alike(inputs: Any, frame: Frame, name: str) -> NDArray[np.floating]:
    """Further inputs as rows with the features of the frame."""
    array = np.asarray(inputs)
    if array.ndim < 2 or not len(array) or array.shape[1:] != frame.shape:
        raise InvalidInput(
            f"{name} must hold inputs of the shape of those in X",
            where=WHERE,
            found=f"shape {array.shape}, X has {frame.shape} an input",
        )
    return array.reshape(len(array), -1)


def _tests(holdout: Any, classifier: Classifier, undesired: NDArray[np.bool_], frame: Frame) -> tuple[int, int]:
    """Failures on held-out inputs, and their number."""
    if not isinstance(holdout, tuple | list) or len(holdout) != 2:
        raise InvalidInput("holdout must be (inputs, labels)", where=WHERE, found=type(holdout).__name__)
    _alike(holdout[0], frame, "holdout")
    reach = None if frame.variation else frame.radius
    tests = ball_inputs(*holdout, radius=reach, variation=frame.variation, input_range=(frame.low, frame.high))
    failed = undesired[classifier.numbers(tests.labels, where="holdout"), classifier(tests.inputs())]
    return int(failed.sum()), len(tests)


# The parts of an assessment: frame, draws, risk inside, means and their limits.


@dataclass(frozen=True, eq=False)
class BallAssessment:
    """Everything that is given, checked."""

    problem: BallProblem
    frame: Frame
    classes: tuple[str, ...]
    answers: NDArray[np.int64]
    """What the model answers at each centre."""
    weights: FloatArray
    weight_draws: FloatArray | None
    estimator: BallEstimator | None
    """None for the one that the predicted risk calls for."""
    design: Design
    budget: int | None
    tests: tuple[int, int] | None
    operational: NDArray[np.floating] | None
    caveats: tuple[Diagnostic, ...]
    checks: bool
    level: float
    executor: Executor
    seed: int
    progress: Progress | None

    def with_radius(self, radius: float) -> BallAssessment:
        """The same with balls of another radius."""
        frame = replace(self.frame, radius=radius)
        return replace(self, frame=frame, problem=replace(self.problem, balls=frame.balls))

    def result(self) -> BallReliability:
        """Draw, look, and state."""
        looked = BallSampler(self.problem, self._estimator, self.executor, self.seed, self._balls_asked, self.progress)
        drawn = self._drawn(looked)
        risks = looked.risks_of(drawn.chosen)
        parts = VarianceParts.of(drawn, risks.variance, self.weight_draws)
        stated = Statements(
            drawn=drawn,
            variance=risks.variance,
            below=risks.how == BELOW,
            parts=parts,
            centres=(int(self._failing.sum()), self._failing.size),
            tests=self.tests,
            assumptions=(*self._assumptions(drawn, parts), *self._reached(looked)),
            caveats=(*self.caveats, *(() if self.checks else (CHECKS_OFF,))),
            level=self.level,
            params=self._params(drawn, risks),
            seed=self.seed,
            variation="" if self.frame.variation is None else str(self.frame.variation),
        )
        return BallReliability(
            pmi=stated.pmi(),
            acu=stated.acu(),
            assumptions=stated.assumptions,
            by_balls=stated.by_balls(),
            cells=self._evaluated(drawn, looked),
            drawn=drawn,
            stated=stated,
            problem=self.problem,
            seed=self.seed,
        )

    @property
    def _failing(self) -> NDArray[np.bool_]:
        return self.problem.undesired[self.problem.labels, self.answers]

    @property
    def _balls_asked(self) -> int:
        return len(self.frame) if self.budget is None else min(self.budget, len(self.frame))

    def _drawn(self, look: BallSampler) -> Drawn:
        count = len(self.frame)
        if self._balls_asked == count:
            everything = np.arange(count)
            return Census(self.weights, everything, look(everything), np.ones(count))
        frame = SamplingFrame(self.weights, lambda: self._guess)
        return self.design.draw(frame, look, self._balls_asked, np.random.default_rng([self.seed, DRAW]))

    @cached_property
    def _estimator(self) -> BallEstimator:
        found = self.estimator
        if found is None:
            found = usual_estimator(float(self.weights @ self._guess), self._balls_asked, self.problem)
        return by_value(found, self.problem)

    @cached_property
    def _guess(self) -> FloatArray:
        if self.problem.model.returns == "label":
            return np.where(self._failing, FAILING_CENTRE, FAR_FROM_FAILING)
        seed = int(np.random.SeedSequence([self.seed, GUESS]).generate_state(1, np.uint64)[0])
        return predicted_risk(self.problem, self.executor, seed)

    def _assumptions(self, drawn: Drawn, parts: VarianceParts) -> tuple[Assumption, ...]:
        if not self.checks:
            return unchecked_assumptions(self.frame.variation)
        return check_assumptions(CheckInputs(self.frame, drawn, parts, self.operational, self.caveats, self.seed))

    def _reached(self, looked: BallSampler) -> tuple[Assumption, ...]:
        """What splitting rests on, where it had a part."""
        numbers = np.sort(looked.numbers)
        risks, weights = looked.risks_of(numbers), self.weights[numbers]
        if not self.checks:
            return (REACHED,) if np.isin(risks.how, (SPLIT, BELOW)).any() else ()
        return examined(self.problem, self._estimator, numbers, risks, weights, executor=self.executor, seed=self.seed)

    def _evaluated(self, drawn: Drawn, looked: BallSampler) -> EvaluatedBalls:
        numbers = np.sort(looked.numbers)
        return EvaluatedBalls(
            self.classes,
            numbers,
            self.problem.labels[numbers],
            self.answers[numbers],
            self.weights[numbers],
            np.bincount(drawn.chosen, minlength=len(self.frame))[numbers],
            looked.risks_of(numbers),
        )

    def _params(self, drawn: Drawn, risks: BallRisks) -> Mapping[str, Any]:
        varied = self.frame.variation
        return {
            **({"radius": self.frame.radius} if varied is None else {"within": varied.described()}),
            "input_range": [self.frame.low, self.frame.high],
            "estimator": repr(self._estimator),
            "design": repr(self.design) if self._balls_asked < len(self.frame) else "all balls",
            "budget": self._balls_asked,
            "classes": list(self.classes),
            "undesired": self.problem.undesired.tolist(),
            "points": array_digest(self.frame.rows),
            "labels": array_digest(self.problem.labels),
            "weights": array_digest(self.weights),
            # A model in memory has no file; what it answers is what it is.
            "answers": [array_digest(self.answers), array_digest(drawn.chosen), array_digest(risks.log_risk)],
            "tests": None if self.tests is None else list(self.tests),
            "level": self.level,
            "seed": self.seed,
        }


@dataclass(eq=False)
class BallSampler:
    """Risks found so far; a ball that comes again is not looked into again."""

    problem: BallProblem
    estimator: BallEstimator
    executor: Executor
    seed: int
    budget: int
    progress: Progress | None
    _numbers: list[NDArray[np.int64]] = field(default_factory=list)
    _risks: list[BallRisks] = field(default_factory=list)
    _draws: int = 0

    def __call__(self, chosen: NDArray[np.int64]) -> FloatArray:
        """Risk of the chosen balls, which may come several times."""
        new = np.setdiff1d(chosen, self.numbers)
        if new.size:
            found = self.estimator.risks(
                self.problem, new, executor=self.executor, seed=self.seed, progress=self._told(new.size, chosen.size)
            )
            self._numbers.append(new)
            self._risks.append(found)
        self._draws += chosen.size
        if self.progress:
            self.progress(self._draws, self.budget)
        return self.risks_of(chosen).risk

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Balls looked into, in the order of looking."""
        return np.concatenate([np.empty(0, np.int64), *self._numbers])

    def risks_of(self, chosen: NDArray[np.int64]) -> BallRisks:
        """What was found in the chosen balls."""
        numbers = self.numbers
        order = np.argsort(numbers)
        return BallRisks.joined(self._risks).take(order[np.searchsorted(numbers[order], chosen)])

    def _told(self, new: int, draws: int) -> Progress | None:
        """Progress counts draws: the new balls of a round are done in proportion."""
        if self.progress is None:
            return None
        told, before, budget = self.progress, self._draws, self.budget
        return lambda done, total: told(before + int(draws * done / max(total, new)), budget)
