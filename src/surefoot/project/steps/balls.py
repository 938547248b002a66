"""The step that averages the risk inside balls around labelled inputs, for images and other inputs of many features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field

from surefoot.adapters import Data, Frame, LoadedModel, Tested, as_model
from surefoot.bounds.assumption_tests import IDENTICAL
from surefoot.bounds.statement import INDEPENDENT
from surefoot.core import Assumption, Check, Estimate, Evidence, Executor, InvalidInput, Model, Table, validate
from surefoot.core.errors import require
from surefoot.corruptions.variation import Variation
from surefoot.executors import Serial
from surefoot.profile import (
    VAE,
    FrameCheck,
    LatentWeights,
    PCAEncoder,
    Separation,
    compare_centres,
    decoded_centres,
    frame_check,
    latent_weights,
    radius_check,
    separation,
)
from surefoot.profile import Encoder as InputEncoder
from surefoot.project.inputs import NamesFile, NamesFunctions, is_code, obstacle, varied_by
from surefoot.project.plan import Later, NameOf, made_with
from surefoot.project.registry import meaning, step
from surefoot.project.steps import parameters
from surefoot.project.steps.ball_neighbours import Neighbour, neighbour_table, neighbours, picture_shape, pictures
from surefoot.project.steps.parameters import Above0, Level, Undesired, described
from surefoot.project.steps.test_data import (
    Sets,
    columns_of,
    drift,
    examined,
    failures,
    independence,
    require_inputs,
    scope_of,
    true_classes,
)
from surefoot.reliability.balls.assessment import assess_balls, assess_radii, assess_strengths
from surefoot.reliability.balls.designs import Adaptive, AtRandom, ByRisk, ByWeight, Design, Stratified, WithReplacement
from surefoot.reliability.balls.result import BallReliability, by_radius, by_strength
from surefoot.reliability.balls.statements import REPRESENTATIVE, SINGLE_LABEL
from surefoot.reliability.proofs.box_proofs import readable
from surefoot.reliability.rare_events.problem import BallEstimator, ball_estimator
from surefoot.reliability.rare_events.splitting import MultilevelSplitting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# The words of the step for balls around data points, and what they mean.

BALL_ESTIMATORS = NameOf(ball_estimator, "auto")

FrameOperation = Annotated[
    Data | None,
    described(
        "Inputs from operation, whose labels are not looked at: they make the weights `density` and `ratio`,",
        "and show whether the rows of `on` represent operation.",
    ),
]
FurtherLabels = Annotated[
    Data | None,
    described("Further labelled rows, such as the training data, with which the separation of classes is measured."),
]
Radius = Annotated[
    Literal["auto"] | Above0,
    described(
        "Radius of the balls in the maximum norm; below half the smallest distance between inputs of different",
        "classes, and fixed before results are seen. `auto` takes 0.8 of that half.",
    ),
]
Radii = Annotated[
    Annotated[list[Above0], Field(min_length=1)] | None,
    described("Further radii for which the result is computed too, to show how it depends on the radius."),
]
Within = Annotated[
    dict[str, Any] | None,
    described(
        "In place of a radius, how operation varies an input: by name, the distribution of each parameter, such as",
        "`{rotation: {angle: [-15, 15]}}` or `{fog: {severity: [1, 2]}}`. A distribution is `[low, high]` (uniform),",
        "`{values: [...], chances: [...]}`, `{normal: [mean, sd], between: [low, high]}` or one number that stays.",
        "Several are applied in their order. In place of a name `module:function` of the project may stand:",
        "`function(inputs, slope)` gives inputs of the same shape, type and range, with `rngs` where it draws.",
    ),
    NamesFunctions(),
    AfterValidator(lambda stated: _readable(stated)),
    Later(),
]
Strengths = Annotated[
    Annotated[list[Annotated[float, Field(gt=0, le=1)]], Field(min_length=1)] | None,
    described("Shares of the strength of `within` for which the result is computed too: the curve of risk."),
    Later(),
]
InputRange = Annotated[tuple[float, float], described("Lowest and highest value that a feature of an input can have.")]
BallWeights = Annotated[
    Literal["equal", "density", "ratio"],
    described(
        "What the ball of a row weighs. `equal`: rows of `on` were drawn from operation.",
        "`density`: the density of operation at the row, as RAM has it.",
        "`ratio`: the density of operation over that of the rows of `on`, for rows that were drawn from elsewhere.",
    ),
]
Encoder = Annotated[
    str | None,
    described(
        "In which space densities are estimated: `pca`, fitted to the inputs, or the path of a saved VAE;",
        "by default in the space of the inputs.",
    ),
    NamesFile((".safetensors",), words=("pca",)),
]
Dimensions = Annotated[int, Field(ge=1, description="Number of dimensions of the space of `encoder: pca`.")]
Centres = Annotated[
    Literal["data", "decoded"],
    described("Centres of the balls: the rows themselves, or what the encoder makes of them and back (Remark 4)."),
]
BallBudget = Annotated[
    Annotated[int, Field(ge=2)] | None,
    described("How many balls are looked into; by default 1,000, or all where there are fewer."),
]
BallDesign = Annotated[
    Literal["auto", "at_random", "adaptive", "by_weight", "by_risk", "stratified", "with_replacement"],
    described(
        "Which balls are looked into. `auto` is `at_random`, all alike and none twice, for equal weights, whose bound",
        "is then mostly tightest, and `adaptive` for others, which spends the budget where earlier draws found risk.",
        "`by_weight` and `by_risk` draw heavy or presumably risky balls more often, `stratified` draws some of each",
        "kind, `with_replacement` draws all alike, some twice, as RAM does.",
    ),
]
BallEstimatorName = Annotated[
    str,
    BALL_ESTIMATORS,
    described(
        "How the risk inside balls is found. `splitting` reaches the rarest failures, `monte_carlo` counts samples,",
        "`interval` proves balls of networks that it can read and leaves the others to splitting.",
        "`auto` proves what can be proved, and counts failures where enough of them are foreseen for the mean;",
        "else it splits, as far down as adds to the mean.",
        names=BALL_ESTIMATORS,
    ),
]
Particles = Annotated[
    int, Field(ge=10, description="Points that `splitting` and `interval` move through a ball at once.")
]
Moves = Annotated[int, Field(ge=1, description="Moves of each of these points at each level.")]
Rho = Annotated[float, Field(gt=0, lt=1, description="Share of these points that pass from one level to the next.")]
BallSamples = Annotated[int, Field(ge=2, description="Points that `monte_carlo` draws in each ball.")]
Device = Annotated[
    Literal["auto", "cpu", "cuda"],
    described(
        "Where torch models are run: `auto` takes a graphics processor where there is one.",
        "Devices differ in the last digits, so results do too, within their stated errors.",
    ),
]
Picture = Annotated[
    Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=2, max_length=3)] | None,
    described(
        "Shape of the picture that a row of features shows, such as `[28, 28]` or `[3, 32, 32]`;",
        "inputs that have such a shape themselves need not say it.",
    ),
]


USUAL_BUDGET = 1000
MOST_PICTURES = 8


@step
@meaning(2)
def reliability_balls(
    tested: Tested,
    model: Model,
    executor: Executor,
    *,
    radius: Radius = "auto",
    within: Within = None,
    strengths: Strengths = None,
    input_range: InputRange = (0.0, 1.0),
    weights: BallWeights = "equal",
    encoder: Encoder = None,
    dimensions: Dimensions = 8,
    operation: FrameOperation = None,
    labelled: FurtherLabels = None,
    centres: Centres = "data",
    budget: BallBudget = None,
    design: BallDesign = "auto",
    estimator: BallEstimatorName = "auto",
    particles: Particles = 1000,
    moves: Moves = 30,
    rho: Rho = 0.1,
    samples: BallSamples = 10_000,
    radii: Radii = None,
    undesired: Undesired = None,
    level: Level = 0.95,
    device: Device = "cpu",
    picture: Picture = None,
    seed: int = 0,
) -> Evidence:
    """Failure probability within a radius r of operational inputs, down to the rarest failures (RAM, section 4.3).

    Rows of `on`, which the model must not have been trained on, are the sampling frame: a ball lies around each, with
    its true label. The risk inside some of them is found, and its weighted mean bounds that of inputs that differ from
    operation's by noise of radius r. Gives `failure probability within radius r of operational inputs`, the same `of
    the rows`, and `average ball unastuteness`; the scope of each says what r is. With `within`, inputs differ from
    operation's by a variation v in place of noise: `failure probability within variation v of operational inputs`, and
    so on.
    """
    loaded = as_model(model)
    rows = BallRows.of(tested, operation, labelled, input_range)
    shape, family = picture_shape(rows.shape, picture), _family(within, picture, radius, radii, strengths)
    if within and any(is_code(Path(name).name) for name in within) and obstacle(family, executor):
        executor = Serial()
    size = 0.0 if family else rows.radius(radius)
    space = BallSpace.of(rows, encoder, dimensions=dimensions, picture=shape, seed=seed)
    weighed = space.weights(weights)
    how: dict[str, Any] = {
        "weights": weighed,
        "centres": space.centres(centres),
        "estimator": estimator_named(
            estimator,
            loaded,
            rows.shape,
            particles=particles,
            moves=moves,
            rho=rho,
            samples=samples,
        ),
        "budget": budget or USUAL_BUDGET,
        "undesired": undesired,
        "classes": columns_of(loaded, tested),
        "input_range": (rows.low, rows.high),
        "level": level,
        "executor": executor,
        "seed": seed,
    }
    frame = loaded, rows.inputs, rows.labels
    with on_device(loaded, device):
        found = assess_balls(*frame, radius=None if family else size, within=family, design=design_named(design), **how)
        radius_table = assess_radii(*frame, radii=sorted({size, *radii}), **how) if radii else None
        strength_table = (
            assess_strengths(*frame, within=family, strengths=[*strengths, 1.0], **how)
            if family and strengths
            else None
        )
        nearby = neighbours(found, MOST_PICTURES)
    return BallEvidence(
        tested=tested,
        undesired=undesired,
        space=space,
        found=found,
        weights=weighed,
        decoded=centres == "decoded",
        radius=size,
        radii=radius_table,
        strengths=strength_table,
        neighbours=nearby,
        picture=shape,
    ).evidence()


def _readable(stated: dict[str, Any] | None) -> dict[str, Any] | None:
    """What is said of a variation, if it can be read."""
    try:
        if stated is not None:
            # What a function takes is looked at where its file is; here only what is said of its parameters.
            Variation.of({_stand_in(name) if is_code(name) else name: said for name, said in stated.items()})
    except InvalidInput as error:
        raise ValueError(str(error).removesuffix(".")) from error
    return stated


def _stand_in(name: str) -> Any:
    def unchanged(inputs: Any, **_: Any) -> Any:
        return inputs

    unchanged.__name__ = name
    return unchanged


def _family(
    within: dict[str, Any] | None, picture: Sequence[int] | None, radius: Any, radii: Any, strengths: Any
) -> Variation | None:
    """The variation, where there is one and nothing else says how far inputs go."""
    if within is None:
        if strengths:
            remedy = "Say within:, or radii: for the radius of balls."
            raise InvalidInput("strengths are those of a variation", where="strengths", remedy=remedy)
        return None
    if radius != "auto" or radii:
        remedy = "Leave radius: and radii: out; strengths: shows how the result follows the variation."
        raise InvalidInput("a variation has no radius", where="within", found=f"radius: {radius}", remedy=remedy)
    return Variation.of(varied_by(within), picture=picture)


# Which estimator finds the risk inside balls, which design draws them, and where the model runs.

DESIGNS: dict[str, type[Any]] = {
    "at_random": AtRandom,
    "adaptive": Adaptive,
    "by_weight": ByWeight,
    "by_risk": ByRisk,
    "stratified": Stratified,
    "with_replacement": WithReplacement,
}


def design_named(name: str) -> Design | None:
    """The design of that name; none for ``auto``, which the weights decide."""
    validate.choice(name, ("auto", *DESIGNS), where="design", name="design")
    return None if name == "auto" else DESIGNS[name]()


def estimator_named(
    name: str,
    model: LoadedModel,
    shape: tuple[int, ...],
    *,
    particles: int,
    moves: int,
    rho: float,
    samples: int,
) -> BallEstimator | None:
    """The estimator of that name; none for ``auto``, which the predicted risk decides.

    It is made with those of ``samples``, ``particles``, ``steps``, ``rho`` and ``otherwise`` (one that splits) that it
    takes.
    """
    BALL_ESTIMATORS.choice(name, where="estimator", name="estimator")
    if name == "auto":
        return None
    if name == "interval" and not readable(model, shape):
        raise InvalidInput(
            "nothing can be proved of a model whose layers cannot be read",
            where="estimator",
            found=model.name,
            remedy="Say estimator: auto or splitting.",
        )
    offered: dict[str, Any] = {"samples": samples, "particles": particles, "steps": moves, "rho": rho}
    kind = ball_estimator.get(name)
    if "otherwise" in signature(kind).parameters:
        offered["otherwise"] = MultilevelSplitting(particles=particles, steps=moves, rho=rho)
    return made_with(kind, offered)


@contextmanager
def on_device(model: LoadedModel, device: str) -> Iterator[None]:
    """Torch modules moved to a device and back; other models stay where they are."""
    module = model.source
    if device == "cpu" or not hasattr(module, "parameters") or next(module.parameters(), None) is None:
        yield
        return
    torch = require("torch", extra="torch", purpose="Running on a graphics processor")
    if not torch.cuda.is_available():
        if device == "cuda":
            raise InvalidInput(
                "torch finds no graphics processor", where="device", found="cuda", remedy="Say device: auto or cpu."
            )
        yield
        return
    before = next(module.parameters()).device
    module.to("cuda")
    try:
        yield
    finally:
        module.to(before)


# What an assessment in balls found, as evidence: estimates with their checks, tables and figures.

MOST_BALLS = 10


@dataclass(frozen=True, eq=False)
class BallEvidence:
    """Everything that is shown."""

    tested: Tested
    undesired: Sets
    space: BallSpace
    found: BallReliability
    weights: LatentWeights | None
    decoded: bool
    radius: float
    radii: Table | None
    strengths: Table | None
    neighbours: Sequence[Neighbour]
    picture: tuple[int, ...] | None
    """Shape of the picture that an input shows; None where inputs are no pictures."""

    def evidence(self) -> Evidence:
        """All of it."""
        return Evidence(
            tuple(self._about(estimate) for estimate in self._estimates()),
            tables=self._tables(),
            artefacts={name: parameters.drawn(figure) for name, figure in self._figures().items()},
            assumptions=tuple(replace(self._checked(a), scope=self._scope) for a in self.found.assumptions),
        )

    @property
    def _scope(self) -> str:
        return scope_of(self.tested, undesired=self.undesired)

    def _about(self, estimate: Estimate) -> Estimate:
        scoped = tuple(replace(assumption, scope=self._scope) for assumption in estimate.assumptions)
        return replace(estimate, scope=f"{self._scope}, {estimate.scope}", assumptions=scoped)

    def _estimates(self) -> list[Estimate]:
        """The three numbers, each with what the data say against it; only the first speaks about operation."""
        failed = failures(self.tested, self.undesired)
        rows = {IDENTICAL.id: drift(failed, self.tested.labels), INDEPENDENT.id: independence(self.tested, failed)}
        pmi = examined(self.found.pmi, {**self._checks, **rows}, also=[INDEPENDENT, IDENTICAL])
        return [pmi, *(examined(estimate, self._checks) for estimate in (self.found.by_balls, self.found.acu))]

    @cached_property
    def _checks(self) -> Mapping[str, Check | None]:
        """What more rows say than those of the frame alone: labelled ones on the radius, operational ones on it all."""
        rows = self.space.rows
        separated = None if rows.further is None or not self.radius else radius_check(self.radius, rows.separation)
        return {SINGLE_LABEL.id: separated, REPRESENTATIVE.id: self._represented()}

    def _represented(self) -> Check | None:
        """Weights are there because rows differ from operation."""
        return self.space.frame.representative if self.space.frame and self.weights is None else None

    def _checked(self, assumption: Assumption) -> Assumption:
        return replace(assumption, check=self._checks.get(assumption.id) or assumption.check)

    def _tables(self) -> dict[str, Table]:
        found = self.found
        shown: dict[str, Table | None] = {
            "upper limits": found.limits,
            "evidence": found.cells.kinds(),
            "variance": found.variance_shares,
            "balls that add most": found.top(MOST_BALLS),
            "riskiest inputs": neighbour_table(self.neighbours) if self.neighbours and not self.picture else None,
            "weights": weights_table(self.weights) if self.weights else None,
            "frame and operation": frame_table(self.space.frame) if self.space.frame else None,
            "rows and their decoded images": self.space.centres_table(self.radius) if self.decoded else None,
            "by radius": self.radii,
            "by strength": self.strengths,
            "answers": parameters.answers(self.tested),
        }
        return {name: table for name, table in shown.items() if table is not None}

    def _figures(self) -> dict[str, Figure]:
        from surefoot.reliability.panels import limits_figure

        rows, shown = self.space.rows, {}
        if self.picture and self.neighbours:
            shown["riskiest inputs"] = pictures(self.neighbours, self.picture, low=rows.low, high=rows.high)
        shown["balls"] = self.found.plot()
        shown["upper limits"] = limits_figure(self.found.limits, *self.found.stated.centres)
        if self.radii is not None:
            shown["by radius"] = by_radius(self.radii, self.radius)
        if self.strengths is not None:
            shown["by strength"] = by_strength(self.strengths)
        return shown


# The rows of an assessment in balls, and what balls weigh and where they lie by the density of inputs.

PCA = "pca"


@dataclass(frozen=True, eq=False)
class BallSpace:
    """The rows seen through an encoder, or as they are."""

    rows: BallRows
    encoder: InputEncoder | None
    seed: int

    @classmethod
    def of(
        cls, rows: BallRows, encoder: str | None, *, dimensions: int, picture: tuple[int, ...] | None, seed: int
    ) -> BallSpace:
        """An encoder by its name or file."""
        if encoder is None:
            return cls(rows, None, seed)
        if encoder == PCA:
            return cls(rows, PCAEncoder(dimensions).fit(rows.inputs), seed)
        return cls(rows, Pictured(VAE.load(encoder), rows, picture or rows.shape), seed)

    def weights(self, scheme: str) -> LatentWeights | None:
        """What each row weighs; None for equal weights."""
        if scheme == "equal":
            return None
        if scheme == "ratio" and self.rows.operation is None:
            raise InvalidInput(
                "weights: ratio needs inputs from operation", where="weights", remedy="Name a data set with operation:."
            )
        return latent_weights(
            self.encoder, self.rows.inputs, operational=self.rows.operation, scheme=scheme, seed=self.seed
        )

    def centres(self, which: str) -> NDArray[Any] | None:
        """Centres of the balls; None for the rows themselves."""
        if which == "data":
            return None
        if self.encoder is None:
            raise InvalidInput(
                "centres: decoded needs an encoder", where="centres", remedy="Say encoder: pca, or name a saved VAE."
            )
        return decoded_centres(self.encoder, self.rows.inputs, input_range=(self.rows.low, self.rows.high))

    def centres_table(self, radius: float) -> Table:
        """How far rows lie from their decoded images."""
        ends = self.rows.low, self.rows.high
        return compare_centres(self.encoder, self.rows.inputs, radius=radius, input_range=ends)

    @cached_property
    def frame(self) -> FrameCheck | None:
        """Whether the rows stand for operation, where there are inputs from it."""
        if self.rows.operation is None or min(len(self.rows.operation), len(self.rows.inputs)) < 2:
            return None
        return frame_check(self.rows.inputs, self.rows.operation, self.encoder, seed=self.seed)


@dataclass(frozen=True, eq=False)
class Pictured:
    """An autoencoder of pictures with pixels in [0, 1], for inputs of their own range and shape."""

    vae: VAE
    rows: BallRows
    shape: tuple[int, ...]
    """Of the picture that an input shows."""

    def encode(self, X: NDArray[Any]) -> NDArray[Any]:
        """Places of the inputs."""
        low, high = self.rows.low, self.rows.high
        unit = (np.asarray(X, np.float32) - np.float32(low)) / np.float32(high - low)
        return np.asarray(self.vae.encode(unit.reshape(-1, *self.shape)))

    def decode(self, Z: NDArray[Any]) -> NDArray[Any]:
        """Inputs at these places."""
        low, high = self.rows.low, self.rows.high
        return np.asarray(low + (high - low) * self.vae.decode(Z)).reshape(-1, *self.rows.shape)


def weights_table(weights: LatentWeights) -> Table:
    """How unequal weights are, and how well they are known."""
    largest = np.sort(weights.values)[::-1]
    few = max(1, round(0.01 * len(largest)))
    rows = (
        ("rows", len(weights)),
        ("equally weighted rows worth as much", weights.effective_rows),
        ("largest weight (mean 1)", float(largest[0])),
        ("smallest weight", float(largest[-1])),
        ("share of the heaviest 1% of rows", float(largest[:few].sum() / largest.sum())),
        ("standard deviation of the logarithm, median", float(np.median(weights.log_sd))),
    )
    return Table((f"weights: {weights.scheme}", "value"), rows)


def frame_table(frame: FrameCheck) -> Table:
    """What was found about the frame."""
    lower, upper = frame.limits()
    rows = (
        ("inputs from operation", frame.rows),
        ("of them where the frame has no inputs", frame.uncovered),
        ("their share, lower limit at 97.5%", lower),
        ("their share, upper limit at 97.5%", upper),
        ("a new frame is needed", _needed(frame)),
    )
    return Table(("frame against operation", "value"), rows)


def _needed(frame: FrameCheck) -> str:
    if frame.is_outgrown:
        return "yes: inputs lie elsewhere"
    return "yes: other shares" if frame.rebuild else "no"


# The rows of an assessment in balls, checked under the names that a project file gives them.

AUTOMATIC = 0.8
"""Share of half the separation that ``radius: auto`` takes."""


@dataclass(frozen=True, eq=False)
class BallRows:
    """Labelled inputs that balls are drawn around, inputs from operation, and further labelled ones."""

    inputs: NDArray[Any]
    labels: NDArray[np.str_]
    low: float
    high: float
    operation: NDArray[Any] | None
    further: NDArray[Any] | None
    further_labels: NDArray[np.str_] | None

    @classmethod
    def of(
        cls, tested: Tested, operation: Data | None, labelled: Data | None, input_range: Sequence[float]
    ) -> BallRows:
        """Inputs of one shape inside their range, with labels by the names of their classes."""
        low, high = _range(input_range)
        inputs = _inside(tested.inputs, "on", low, high)
        return cls(
            inputs,
            np.asarray(tested.classes)[tested.labels],
            low,
            high,
            None if operation is None else _inside(operation.inputs, "operation", low, high, inputs.shape[1:]),
            None if labelled is None else _inside(labelled.inputs, "labelled", low, high, inputs.shape[1:]),
            None if labelled is None else true_classes(labelled, name="labelled"),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one input."""
        return tuple(self.inputs.shape[1:])

    @cached_property
    def separation(self) -> Separation:
        """The smallest distance between inputs of different classes, over all labelled rows."""
        if self.further is None or self.further_labels is None:
            return separation(_flat(self.inputs), self.labels)
        rows = np.concatenate([_flat(self.inputs), _flat(self.further)])
        return separation(rows, np.concatenate([self.labels, self.further_labels]))

    def radius(self, stated: float | str) -> float:
        """The radius as a number; ``auto`` follows from the separation."""
        if stated != "auto":
            return float(stated)
        gap = self.separation
        if not gap > 0:
            raise InvalidInput(
                "equal inputs have different labels, so no radius keeps classes apart",
                where="radius",
                found=f"rows {gap.pair[0]} and {gap.pair[1]}, labelled {gap.labels[0]} and {gap.labels[1]}",
                remedy="Correct the labels, leave these rows out, or state a radius.",
            )
        return AUTOMATIC * float(gap) / 2


def _flat(inputs: NDArray[Any]) -> NDArray[Any]:
    return inputs.reshape(len(inputs), -1)


def _range(given: Sequence[float]) -> tuple[float, float]:
    low, high = (float(end) for end in given)
    if not low < high:
        raise InvalidInput("input_range must be [lowest, highest]", where="input_range", found=repr(list(given)))
    return low, high


def _inside(
    inputs: NDArray[Any] | Frame | None, name: str, low: float, high: float, shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """Inputs of real numbers in their range, of the given shape."""
    inputs = require_inputs(inputs, name=name)
    if inputs.dtype.kind not in "biuf" or inputs.ndim < 2 or not inputs.size:
        found = f"values of type {inputs.dtype}, shape {inputs.shape}"
        raise InvalidInput("inputs must be rows of features or pictures, as numbers", where=name, found=found)
    if shape is not None and inputs.shape[1:] != shape:
        found = f"{inputs.shape[1:]} and {shape} in on:"
        raise InvalidInput("inputs must have the same shape in all data sets", where=name, found=found)
    least, most = float(inputs.min()), float(inputs.max())
    if least < low or most > high:
        raise InvalidInput(
            f"inputs must lie in the input range [{low:g}, {high:g}]",
            where=name,
            found=f"values from {least:.6g} to {most:.6g}",
            remedy="Scale them, or state the range that the model takes, such as input_range: [0, 255].",
        )
    return inputs
