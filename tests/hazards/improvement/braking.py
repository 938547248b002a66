"""A small tree whose events are uncertain, certain and learned."""

from surefoot.bounds import clopper_pearson, jeffreys
from surefoot.faulttree import Counts, FaultTree, Fixed, Formula, Measured


def braking(**events):
    """Obstacle missed by camera and radar, or brakes fail, or the valve sticks."""
    known = {
        "camera": Measured(jeffreys(3, 4000, level=0.95, scope="camera")),
        "radar": Counts(4, 1000),
        "brakes": Counts(0, 100_000),
        "valve": Fixed(2e-6),
    }
    gates = {
        "no braking": Formula("or", ("missed", "brakes", "valve")),
        "missed": Formula("and", ("camera", "radar")),
    }
    marks = {"camera": {"component": "detector"}}
    return FaultTree("no braking", gates, known | events, attributes=marks, name="braking")


def counted_braking():
    """The same with confidence bounds, which have no distribution."""
    counts = {"camera": (3, 4000), "radar": (4, 1000), "brakes": (0, 100_000)}
    known = {name: Measured(clopper_pearson(k, n, level=0.95, scope=name)) for name, (k, n) in counts.items()}
    return braking(**known)
