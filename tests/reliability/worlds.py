"""A small model and data whose cells can be worked out by hand, and what estimators are asked about them."""

from surefoot.profile import KDE
from surefoot.reliability import assess_cells


def above(border):
    """A classifier of one feature or more: class 1 where the first feature exceeds the border."""

    def decide(inputs):
        return (inputs[:, 0] > border).astype(int)

    return decide


def strip(rng, n, *, border=0.5, dimensions=2):
    """Uniform points, labelled by whether the first feature exceeds the border."""
    points = rng.random((n, dimensions))
    return points, (points[:, 0] > border).astype(int)


class Asked(Exception):
    """Carries what an estimator was asked."""


class Asking:
    """An estimator that answers nothing and hands out what it is asked."""

    def estimate(self, problem, *, executor, seed, progress=None):
        raise Asked(problem)


def asked(model, points, labels, **options):
    """What an assessment in cells asks its estimator."""
    given = {"side": 0.25, "domain": (0, 1), "profile": KDE(0.1), "estimator": Asking()} | options
    try:
        assess_cells(model, points, labels, **given)
    except Asked as question:
        return question.args[0]
    raise AssertionError("the estimator was never asked")
