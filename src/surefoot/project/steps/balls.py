"""The step that averages the risk inside balls around labelled inputs, for images and other inputs of many features."""

from __future__ import annotations

from typing import Any

from surefoot.adapters import LoadedModel, Tested, as_model
from surefoot.core import Evidence, Executor, Model
from surefoot.project.step import step
from surefoot.project.steps.ball_estimators import design_named, estimator_named, on_device
from surefoot.project.steps.ball_evidence import BallEvidence
from surefoot.project.steps.ball_neighbours import neighbours
from surefoot.project.steps.ball_parameters import (
    BallBudget,
    BallDesign,
    BallEstimator,
    BallSamples,
    BallWeights,
    Centres,
    Device,
    Dimensions,
    Encoder,
    FrameOperation,
    FurtherLabels,
    InputRange,
    Moves,
    Particles,
    Picture,
    Radii,
    Radius,
    Rho,
)
from surefoot.project.steps.ball_pixels import picture_shape
from surefoot.project.steps.ball_rows import BallRows
from surefoot.project.steps.ball_spaces import BallSpace
from surefoot.project.steps.parameters import Level, Undesired
from surefoot.reliability.balls.assess import assess_balls
from surefoot.reliability.balls.radii import assess_radii

USUAL_BUDGET = 1000
MOST_PICTURES = 8


@step
def reliability_balls(
    tested: Tested,
    model: Model,
    executor: Executor,
    *,
    radius: Radius = "auto",
    input_range: InputRange = (0.0, 1.0),
    weights: BallWeights = "equal",
    encoder: Encoder = None,
    dimensions: Dimensions = 8,
    operation: FrameOperation = None,
    labelled: FurtherLabels = None,
    centres: Centres = "data",
    budget: BallBudget = None,
    design: BallDesign = "auto",
    estimator: BallEstimator = "auto",
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
    the rows`, and `average ball unastuteness`; the scope of each says what r is.
    """
    loaded = as_model(model)
    rows = BallRows.of(tested, operation, labelled, input_range)
    shape, size = picture_shape(rows.shape, picture), rows.radius(radius)
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
        "classes": _columns(loaded, tested),
        "input_range": (rows.low, rows.high),
        "level": level,
        "executor": executor,
        "seed": seed,
    }
    frame = loaded, rows.inputs, rows.labels
    with on_device(loaded, device):
        found = assess_balls(*frame, radius=size, design=design_named(design), **how)
        by_radius = assess_radii(*frame, radii=sorted({size, *radii}), **how) if radii else None
        nearby = neighbours(found, MOST_PICTURES)
    return BallEvidence(
        tested=tested,
        undesired=undesired,
        space=space,
        found=found,
        weights=weighed,
        decoded=centres == "decoded",
        radius=size,
        radii=by_radius,
        neighbours=nearby,
        picture=shape,
    ).evidence()


def _columns(model: LoadedModel, tested: Tested) -> tuple[str, ...]:
    """The classes in the order of the model's columns, as estimators that look inside count them."""
    return model.classes if set(model.classes) == set(tested.classes) else tested.classes
