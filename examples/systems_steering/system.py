"""The system: three networks look at the same two frames, and their answers are averaged (SYS, Fig. 2 (A))."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import drive
import learning
import networks
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from surefoot.core import Executor
from surefoot.executors import Serial
from surefoot.systems import Items, Module, Study, System, conditions, filtered, torch_module

CORRUPTIONS = ("gaussian_noise", "motion_blur", "snow", "contrast", "pixelate")
"""The five of SYS; its levels 1, 2, 3 are severities 1, 3, 5."""
SEVERITIES = (1, 3, 5)
FRAMES = {"earlier": "earlier", "later": "later"}
ANGLE, DISAGREEMENT = "average.angle", "average.disagreement"
CHUNK = 100
LIMIT = 0.2
"""Steering that is off by more is a failure: a curve is missed. The driver steers as much in one pair of eight."""
MIX = {
    "clean": 0.8,
    "contrast 1": 0.08,
    "motion_blur 1": 0.06,
    "snow 1": 0.03,
    "gaussian_noise 1": 0.02,
    "pixelate 1": 0.01,
}
"""How often operation meets each condition: chosen for this example."""
Filter = Callable[[drive.Frames], drive.Frames]


class TwoFrames(nn.Module):
    """A network that takes its frames one by one, as bytes (n, 80, 160, 3), as a camera gives them."""

    def __init__(self, steerer: networks.Steerer) -> None:
        super().__init__()
        self.steerer = steerer

    def forward(self, earlier: torch.Tensor, later: torch.Tensor) -> torch.Tensor:
        return self.steerer(torch.cat([earlier, later], dim=3).permute(0, 3, 1, 2) / 255)


def averaged(**answers: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The mean of the answers, and how far they lie apart."""
    several = np.stack(list(answers.values()))
    return {"angle": several.mean(axis=0), "disagreement": several.std(axis=0)}


def steering(
    steerers: Mapping[str, networks.Steerer] | None = None, *, clean: Filter | None = None, name: str = "steering"
) -> System:
    """Three networks, by default those that were trained, and the mean of their answers; ``clean`` filters frames."""
    nets = {each: learning.load(each) for each in networks.BUILDERS} if steerers is None else steerers
    modules = [_module(each, net) for each, net in nets.items()]
    if clean is not None:
        modules = [filtered(module, dict.fromkeys(FRAMES, clean)) for module in modules]
    ports = {"angle": "number", "disagreement": "number"}
    mean = Module("average", averaged, {each: each for each in nets}, gives=ports, distance="numeric")
    return System([*modules, mean], inputs=dict.fromkeys(FRAMES, "image"), output=ANGLE, name=name)


def study(
    system: System | None = None,
    *,
    parts: Mapping[str, drive.Part] | None = None,
    corruptions: Sequence[str] = CORRUPTIONS,
    severities: Sequence[int] = SEVERITIES,
    folder: Path | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Study:
    """The study of SYS: RMSE of the system and of its modules on the test pairs, clean and corrupted."""
    whole = steering() if system is None else system
    data = {role: drive.load(role) for role in ("train", "test")} if parts is None else parts
    return Study(
        whole,
        items(data["test"]),
        conditions(corruptions, severities),
        "rmse",
        **{"training": items(data["train"]), **options},
        own_scores={"disagreement": DISAGREEMENT},
        outputs={each: each for each in whole.modules if each != "average"},
        folder=folder,
        chunk=CHUNK,
        executor=executor or Serial(),
    )


def mild() -> Study:
    """The conditions of the mix alone and half of the passes, for the project file."""
    return study(severities=(1,), passes=5)


def items(part: drive.Part) -> Items:
    """Pairs of frames with their steering; frames of one block depend on each other."""
    frames = {"earlier": part.frames[part.earlier], "later": part.frames[part.later]}
    return Items(frames, truth=part.steering, groups=part.blocks)


def _module(name: str, net: networks.Steerer) -> Module:
    """A network with its penultimate layer as features, and passes with dropout at the rate of SYS (section 3.4)."""
    return torch_module(
        name,
        TwoFrames(net),
        FRAMES,
        gives="number",
        takes=dict.fromkeys(FRAMES, "image"),
        layer="steerer.features",
        rate=networks.DROPOUT,
        distance="numeric",
    )
