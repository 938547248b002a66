"""A lamp that is lit or dark, a network that reads it, and a system of two cameras; the same every time."""

import numpy as np

WEIGHTS = np.array([[1.0, 0.5, -0.5, 0.2], [0.3, -0.8, 0.6, 0.4], [-0.7, 0.1, 0.9, -0.2]])
LAST = np.array([[-1.0, 0.6, -0.8], [1.0, -0.6, 0.8]])


def network():
    import torch

    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = torch.nn.Linear(4, 3, bias=False)
            self.last = torch.nn.Linear(3, 2, bias=False)

        def forward(self, inputs):
            return self.last(torch.relu(self.hidden(inputs.float())))

    return Reader()


def write_weights(path):
    from safetensors.numpy import save_file

    save_file({"hidden.weight": WEIGHTS.astype(np.float32), "last.weight": LAST.astype(np.float32)}, path)


def rows(seed, number):
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(number, 4)).astype(np.float32)
    scores = np.maximum(inputs @ WEIGHTS.T, 0) @ LAST.T
    labels = (scores[:, 1] + 0.2 * rng.normal(size=number) > scores[:, 0]).astype(int)
    return {"inputs": inputs, "labels": labels, "light": np.where(rng.random(number) < 0.6, "day", "night")}


def tests():
    return rows(1, 400)


def training():
    return rows(2, 300)


def operation():
    return {"inputs": rows(3, 300)["inputs"]}


def seen():
    """Lamps that pass by, one after the other, each found a frame or two late."""
    truth, answers = [], []
    for frame in range(300):
        lamp, age = divmod(frame, 20)
        there = [[5 * age, 10, 5 * age + 20, 30]]
        truth.append({"boxes": there, "labels": [0], "track": [lamp]})
        found = there if age >= lamp % 3 else []
        answers.append({"boxes": found, "labels": [0] * len(found), "scores": [0.9 - 0.01 * age] * len(found)})
    return {"labels": truth, "predictions": answers, "time": np.arange(300) / 10}


def readings():
    rng = np.random.default_rng(4)
    labels = rng.uniform(0, 10, 200)
    return {"labels": labels, "read": labels + rng.normal(0, 0.2, 200)}


def drives():
    failed = np.zeros(10 * 100, dtype=int)
    failed[[20, 21, 22, 500]] = 1
    return {"failed": failed, "drive": np.repeat(np.arange(10), 100), "seconds": np.tile(np.arange(100.0), 10)}


def film():
    """A reading each frame; what makes it worse lasts twenty frames, and begins half-way between two blocks."""
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 2, 1200)
    worse = np.repeat(rng.normal(size=61), 20)[10:1210]
    p = 1 / (1 + np.exp(-np.where(labels == 1, 1, -1) * (1.5 + worse + 0.5 * rng.normal(size=1200))))
    return {"labels": labels, "scores": np.column_stack([1 - p, p])}


def first(frame):
    return frame.reshape(len(frame), -1).mean(axis=1) / 255


def second(frame):
    return np.median(frame.reshape(len(frame), -1), axis=1) / 255


def both(a, b):
    return (a + b) / 2


def study():
    from surefoot.systems import Items, Module, Study, System, conditions

    frames = np.random.default_rng(0).integers(0, 200, (60, 6, 6, 3), dtype=np.uint8)
    truth = frames.reshape(60, -1).mean(axis=1) / 255
    modules = [
        Module("first", first, {"frame": "frame"}, gives="number"),
        Module("second", second, {"frame": "frame"}, gives="number"),
        Module("both", both, {"a": "first", "b": "second"}, gives="number"),
    ]
    system = System(modules, inputs={"frame": "image"}, name="lamps")
    places = {"camera 1": "first", "camera 2": "second"}
    return Study(system, Items({"frame": frames}, truth), conditions(["brightness"]), "mae", outputs=places, chunk=50)
