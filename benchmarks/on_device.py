"""What is measured on a device: images with their network, splitting without further packages, and lines of a table."""

from __future__ import annotations

import importlib.util
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_model
from torch import Tensor, nn

from surefoot.adapters import as_model
from surefoot.reliability.rare_events.problem import BallProblem, BallRisks, Balls
from surefoot.reliability.rare_events.splitting import MultilevelSplitting

NETWORKS = Path(__file__).parents[1] / "examples" / "reliability_images" / "networks.py"
SEED = 1
AT_ONCE = 1000


@dataclass(frozen=True)
class Line:
    """One measurement; ``moves`` are of one particle each."""

    what: str
    seconds_a_ball: float
    moves_a_second: float = math.nan
    median_levels: float = math.nan
    mean_levels: float = math.nan
    balls: int = 0
    note: str = ""

    @classmethod
    def of(cls, what: str, seconds: float, levels: Sequence[float], moves: int, note: str = "") -> Line:
        """From the levels of some balls, and the moves of all particles at one level."""
        rate = sum(levels) * moves / seconds
        counts = statistics.median(levels), statistics.fmean(levels)
        return cls(what, seconds / len(levels), rate, *counts, len(levels), note)

    def cells(self) -> tuple[str, ...]:
        """The line as text."""
        numbers = (self.seconds_a_ball, self.moves_a_second, self.median_levels, self.mean_levels)
        shown = ("" if math.isnan(number) else f"{number:.4g}" for number in numbers)
        return self.what, *shown, str(self.balls or ""), self.note


@dataclass(frozen=True, eq=False)
class Images:
    """A network on a device, with images that it classifies."""

    network: nn.Module
    inputs: Tensor
    labels: Tensor
    radius: float

    @classmethod
    def of(cls, name: str, weights: Path, data: Path, radius: float, device: str) -> Images:
        """From files; a network of the example."""
        network = getattr(_networks(), name)()
        load_model(network, str(weights))
        with np.load(data) as held:
            inputs, labels = held["x"].astype(np.float32) / 255, held["y"].astype(np.int64)
        if name in ("mlp", "cnn"):
            inputs = inputs.reshape(-1, 28, 28)
        here = torch.from_numpy(inputs).to(device), torch.from_numpy(labels).to(device)
        return cls(network.eval().to(device), *here, radius)

    @property
    def device(self) -> torch.device:
        """Where all of it is."""
        return self.inputs.device

    def right(self, count: int) -> Images:
        """The first so many that are classified as they should be."""
        with torch.no_grad():
            answers = torch.cat([self.network(part).argmax(1) for part in self.inputs.split(AT_ONCE)])
        rows = torch.nonzero(answers == self.labels)[:count, 0]
        return Images(self.network, self.inputs[rows], self.labels[rows], self.radius)

    def problem(self) -> BallProblem:
        """All images as balls."""
        shape, classes = tuple(self.inputs.shape[1:]), int(self.labels.max()) + 1
        balls = Balls(self.inputs.flatten(1).cpu().numpy(), self.radius, shape)
        model = as_model(self.network, output="logit")
        return BallProblem(model, balls, self.labels.cpu().numpy(), ~np.eye(classes, dtype=bool))


class Here:
    """An executor that does one task after the other and needs no further package."""

    def map(self, function: Callable[..., Any], tasks: Sequence[Any], *, seed: int, progress: Any = None) -> list[Any]:
        """Results in the order of the tasks."""
        return [function(task, np.random.default_rng([seed, number])) for number, task in enumerate(tasks)]


def timed(function: Callable[[], Any], device: torch.device) -> tuple[float, Any]:
    """Seconds until the device is done, and the result."""
    _wait(device)
    start = time.perf_counter()
    result = function()
    _wait(device)
    return time.perf_counter() - start, result


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def risks_of(method: MultilevelSplitting, problem: BallProblem, chosen: NDArray[np.int64]) -> BallRisks:
    """Risk in the chosen balls, in this process."""
    return method.risks(problem, chosen, executor=Here(), seed=SEED)


def levels_in(found: BallRisks, method: MultilevelSplitting) -> NDArray[np.int64]:
    """Levels of each ball at which particles were moved, from the calls, which are the same for each level."""
    moved = found.calls - method.particles
    shared = int(np.gcd.reduce(moved))
    return moved // max(1, shared // max(1, shared // (method.steps * method.particles)))


def _networks() -> Any:
    spec = importlib.util.spec_from_file_location("networks", NETWORKS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
