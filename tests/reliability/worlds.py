"""A small model and data whose cells can be worked out by hand."""


def above(border):
    """A classifier of one feature or more: class 1 where the first feature exceeds the border."""

    def decide(inputs):
        return (inputs[:, 0] > border).astype(int)

    return decide


def strip(rng, n, *, border=0.5, dimensions=2):
    """Uniform points, labelled by whether the first feature exceeds the border."""
    points = rng.random((n, dimensions))
    return points, (points[:, 0] > border).astype(int)
