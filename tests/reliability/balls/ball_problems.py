"""Problems whose answer is known exactly or can be had by brute force."""

import itertools

import numpy as np
import torch

from surefoot.adapters import as_model
from surefoot.core import array_digest
from surefoot.executors import Serial
from surefoot.reliability import BallProblem, Balls, as_ball_estimator

nn = torch.nn
ANY = ~np.eye(2, dtype=bool)


def problem_of(model, centres, radius, *, labels=None, undesired=ANY, shape=None, returns="logit", **options):
    """Balls around centres; 0 is the right answer unless labels say otherwise."""
    centres = np.atleast_2d(centres)
    labels = np.zeros(len(centres), int) if labels is None else np.asarray(labels)
    balls = Balls(centres, radius, shape or centres.shape[1:])
    return BallProblem(as_model(model, output=returns), balls, labels, undesired, **options)


def repeated(box, repeats, kind):
    """The ball of a linear box many times, for a model of a kind: "single", "double" or "function"."""
    model = box.scores if kind == "function" else box.module()
    centre = box.centre.astype(np.float32 if kind == "single" else float)
    return problem_of(model, np.tile(centre, (repeats, 1)), box.radius)


def network(*widths, seed, dtype=torch.float32):
    """A random perceptron with ReLUs."""
    torch.manual_seed(seed)
    layers = [layer for a, b in itertools.pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1]).to(dtype).eval()


def as_function(module):
    """The same model as a function of arrays, which has no gradients to give."""

    def run(inputs):
        with torch.no_grad():
            return module(torch.as_tensor(inputs, dtype=next(module.parameters()).dtype)).numpy()

    return run


def brute_force(module, ball, count, seed, *, undesired, label, portion=1 << 19):
    """Failures among uniform points of a box, by the answer that wins."""
    (lower, upper), failures = ball, 0
    rng = np.random.default_rng([seed, 99])
    for start in range(0, count, portion):
        rows = rng.uniform(lower, upper, (min(portion, count - start), len(lower)))
        with torch.no_grad():
            answers = module(torch.as_tensor(rows, dtype=next(module.parameters()).dtype)).argmax(1).numpy()
        failures += int(undesired[label, answers].sum())
    return failures


def with_risk(module, centre, radius, risk, *, undesired, label, seed, count=400_000):
    """Shift the last layer's offsets so that undesired answers win with about that probability in the ball."""
    rng = np.random.default_rng([seed, 98])
    low, high = np.maximum(centre - radius, 0), np.minimum(centre + radius, 1)
    rows = torch.as_tensor(rng.uniform(low, high, (count, len(centre))), dtype=next(module.parameters()).dtype)
    bad = torch.as_tensor(undesired[label])
    with torch.no_grad():
        scores = module(rows)
        margin = scores[:, bad].amax(1) - scores[:, ~bad].amax(1)
        module[-1].bias[bad] -= margin.sort(descending=True).values[max(int(risk * count), 1)]
    return module


def looked(estimator, problem, chosen=None, *, seed=1, executor=None, **options):
    """Risks in all balls, or in the chosen ones."""
    chosen = np.arange(len(problem.balls)) if chosen is None else np.asarray(chosen)
    return as_ball_estimator(estimator).risks(problem, chosen, executor=executor or Serial(), seed=seed, **options)


def digests(risks):
    """What was found, in short."""
    return [array_digest(value) for value in vars(risks).values()]
