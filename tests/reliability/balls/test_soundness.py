"""Models that would make results wrong are refused, and the words say why; sound ones pass in silence."""

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from sklearn.ensemble import RandomForestClassifier
from tests.reliability.balls.known_truth import Known

from surefoot.adapters import as_model, load_model
from surefoot.core import DiagnosticsError
from surefoot.reliability import assess_balls

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
nn = torch.nn
SIDE = 6


def tinted(count=120, *, last=False):
    """Pictures whose label is the brightest of their three channels."""
    rng = np.random.default_rng(3)
    y = np.arange(count) % 3
    X = 0.4 * rng.random((count, 3, SIDE, SIDE), dtype=np.float32)
    X[np.arange(count), y] += 0.3
    return (X.transpose(0, 2, 3, 1).copy() if last else X), y


def frame_of(X, y, radius=0.1, **options):
    return SimpleNamespace(X=X, y=y, options={"radius": radius} | options)


@pytest.fixture
def frame():
    return frame_of(*tinted())


def by_channel(*between):
    """A network that answers the brightest channel; further layers lie before its mean over the picture."""
    torch.manual_seed(0)
    first = nn.Conv2d(3, 3, 1)
    with torch.no_grad():
        first.weight.copy_(torch.eye(3)[:, :, None, None])
        first.bias.zero_()
    return nn.Sequential(first, *between, nn.AdaptiveAvgPool2d(1), nn.Flatten())


def wrapped(module):
    """A function that hides a module in whatever mode it is."""

    def answer(inputs):
        with torch.no_grad():
            return module(torch.from_numpy(np.ascontiguousarray(inputs)))

    return answer


SOUND = {"model-training-mode", "model-batch-dependent", "model-random", "scores-saturate", "input-layout"}


def said(model, frame, **options):
    """What an assessment says about the model; the risks inside balls are given."""
    known = Known((0.0,) * len(frame.y))
    found = assess_balls(model, frame.X, frame.y, estimator=known, checks=False, **frame.options, **options)
    return tuple(caveat for caveat in found.pmi.caveats if caveat.code in SOUND)


def problem(model, frame, **options):
    with pytest.raises(DiagnosticsError) as caught:
        said(model, frame, **options)
    (found,) = caught.value.diagnostics
    return found


def codes(model, frame, **options):
    return [caveat.code for caveat in said(model, frame, **options)]


def saved_onnx(folder, module_weight, batch):
    """The linear model of channel means as an ONNX graph."""
    graph = helper.make_graph(
        [
            helper.make_node("GlobalAveragePool", ["x"], ["mean"]),
            helper.make_node("Flatten", ["mean"], ["flat"]),
            helper.make_node("MatMul", ["flat", "w"], ["y"]),
        ],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 3])],
        [numpy_helper.from_array(module_weight, "w")],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx"
    )
    return load_model(path="model.onnx", folder=folder)


def test_a_sound_module_has_no_caveats(frame):
    assert said(by_channel().eval(), frame) == ()


@pytest.mark.parametrize("batch", [None, 4, 1], ids=str)
def test_a_sound_onnx_model_has_no_caveats(tmp_path, frame, batch):
    assert said(saved_onnx(tmp_path, np.eye(3, dtype=np.float32), batch), frame) == ()


def test_few_inputs_are_enough_to_try_a_model():
    for count in [1, 2, 9]:
        X, y = tinted(9)
        assert codes(by_channel().eval(), frame_of(X[:count], y[:count])) == [], count


@pytest.mark.parametrize("layer", [nn.BatchNorm2d(3), nn.Dropout(0.5)], ids=["batch norm", "dropout"])
def test_training_mode_of_a_module_is_noted_and_left(frame, layer):
    module = by_channel(layer).train()
    (note,) = said(module, frame)
    assert (note.code, note.severity) == ("model-training-mode", "note")
    assert "'1' first" in note.text
    assert module.training
    assert layer.training


def test_training_mode_without_such_layers_is_nothing_to_say(frame):
    assert codes(by_channel().train(), frame) == []


def test_batch_norm_in_training_mode_inside_a_function_is_found(frame):
    found = problem(wrapped(by_channel(nn.BatchNorm2d(3)).train()), frame)
    assert found.code == "model-batch-dependent"
    assert "eval()" in found.hint


def test_batch_norm_without_running_statistics_is_found_in_evaluation_mode(frame):
    found = problem(by_channel(nn.BatchNorm2d(3, track_running_stats=False)).eval(), frame)
    assert found.code == "model-batch-dependent"
    assert "track_running_stats" in found.hint


def test_a_model_that_needs_two_inputs_at_once_is_found(frame):
    pooled = nn.Sequential(nn.Flatten(), nn.Linear(3 * SIDE * SIDE, 3), nn.BatchNorm1d(3))
    with torch.no_grad():
        pooled[2].weight.zero_()  # the same scores in every batch, and an error for a batch of one
        pooled[2].bias.copy_(torch.tensor([1.0, 2, 3]))
    found = problem(wrapped(pooled.train()), frame)
    assert found.code == "model-batch-dependent"
    assert "a single input is not" in found.text


class FunctionalDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = by_channel()

    def forward(self, x):
        return self.net(nn.functional.dropout(x, 0.2, training=True))


def test_functional_dropout_is_found_in_evaluation_mode(frame):
    found = problem(FunctionalDropout().eval(), frame)
    assert found.code == "model-random"
    assert "identical calls" in found.text


def test_dropout_inside_a_function_is_found(frame):
    assert problem(wrapped(by_channel(nn.Dropout(0.2)).train()), frame).code == "model-random"


def test_chance_in_a_labelling_function_is_found(frame):
    rng = np.random.default_rng(0)
    assert problem(lambda x: rng.integers(0, 3, len(x)), frame).code == "model-random"


def noisy(size, *, by_batch):
    net = wrapped(by_channel().eval())
    calls = iter(range(10_000))
    return lambda x: net(x) * (1 + size * (len(x) % 7 if by_batch else next(calls) % 7))


@pytest.mark.parametrize("by_batch", [True, False], ids=["batch", "call"])
def test_rounding_of_single_precision_is_let_pass(frame, by_batch):
    assert codes(noisy(1e-6, by_batch=by_batch), frame) == []


def test_coarse_rounding_between_batches_is_a_caveat(frame):
    assert codes(noisy(3e-4, by_batch=True), frame) == ["model-batch-dependent"]


def test_coarse_differences_between_identical_calls_are_refused(frame):
    assert problem(noisy(3e-4, by_batch=False), frame).code == "model-random"


def test_a_module_in_half_precision_is_sound(frame):
    assert codes(by_channel().eval().to(torch.bfloat16), frame) == []


def gap_at(place):
    """Scores that are NaN at one kind of place only; the centres of ``tinted`` are below 0.7 and above 0."""
    net = wrapped(by_channel().eval())

    def answer(x):
        scores = net(x).numpy()
        scores[place(x.reshape(len(x), -1))] = np.nan
        return scores

    return answer


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (lambda rows: rows.max(axis=1) > 0.75, "at a random point of its ball"),
        (lambda rows: rows.mean(axis=1) > 0.38, "at the highest corner"),
        (lambda rows: rows.mean(axis=1) < 0.24, "at the lowest corner"),
    ],
    ids=["beyond all inputs", "bright", "dark"],
)
def test_scores_that_are_not_finite_inside_a_ball_are_placed(frame, place, words):
    found = problem(gap_at(place), frame)
    assert found.code == "model-output"
    assert words in found.text
    assert "not finite" in found.text


def test_scores_that_are_not_finite_at_an_input_name_its_row(frame):
    target = frame.X[50].ravel()
    found = problem(gap_at(lambda rows: (rows == target).all(axis=1)), frame)
    assert "row 50" in found.text


def test_a_model_that_raises_inside_a_ball_is_placed(frame):
    def answer(x):
        if (x == x.dtype.type(0)).mean() > 1e-3:
            raise ValueError("black")
        return wrapped(by_channel().eval())(x)

    found = problem(answer, frame)
    assert found.code == "model-raised"
    assert "row " in found.text
    assert "black" in found.text


def test_channels_last_for_a_model_with_channels_first(frame):
    found = problem(by_channel().eval(), frame_of(*tinted(last=True)))
    assert found.code == "input-layout"
    assert f"shape {(SIDE, SIDE, 3)}, and the model takes {(3, SIDE, SIDE)}" in found.text
    assert "X.transpose(0, 3, 1, 2)" in found.hint


def test_channels_first_for_a_model_with_channels_last(frame):
    last = wrapped(by_channel().eval())
    found = problem(lambda x: last(x.transpose(0, 3, 1, 2)), frame)
    assert "X.transpose(0, 2, 3, 1)" in found.hint


def test_channels_last_for_an_onnx_model_with_channels_first(tmp_path):
    model = saved_onnx(tmp_path, np.eye(3, dtype=np.float32), None)
    assert "X.transpose(0, 3, 1, 2)" in problem(model, frame_of(*tinted(last=True))).hint


def test_a_shape_that_the_model_takes_is_named():
    for shape, taken, hint in [
        ((SIDE, SIDE), (1, SIDE, SIDE), "X[:, None]"),
        ((SIDE, SIDE), (SIDE * SIDE,), "X.reshape(len(X), -1)"),
        ((SIDE * SIDE,), (1, SIDE, SIDE), f"X.reshape(len(X), 1, {SIDE}, {SIDE})"),
        ((3 * SIDE * SIDE,), (SIDE, SIDE, 3), f"X.reshape(len(X), {SIDE}, {SIDE}, 3)"),
    ]:

        def model(x, taken=taken):
            assert x.shape[1:] == taken
            return np.column_stack([x.reshape(len(x), -1).mean(axis=1), np.full(len(x), 0.5)])

        X = np.random.default_rng(0).random((20, *shape))
        found = problem(model, frame_of(X, np.arange(20) % 2))
        assert found.code == "input-layout", hint
        assert hint in found.hint, hint


def test_a_model_that_takes_no_shape_at_all_keeps_its_own_error(frame):
    def broken(x):
        raise ValueError("no such layer")

    found = problem(broken, frame)
    assert found.code == "model-raised"
    assert "no such layer" in found.text


def flat_reader():
    """A network on flattened pictures with channels first, which takes any order without complaint."""
    weight = np.kron(np.eye(3), np.ones(SIDE * SIDE)).astype(np.float32) / SIDE**2
    module = nn.Sequential(nn.Flatten(), nn.Linear(3 * SIDE * SIDE, 3, bias=False))
    with torch.no_grad():
        module[1].weight.copy_(torch.from_numpy(weight))
    return module.eval()


def test_a_wrong_order_that_the_model_takes_is_suspected_by_accuracy(frame):
    assert codes(flat_reader(), frame) == []
    (caveat,) = said(flat_reader(), frame_of(*tinted(last=True)))
    assert caveat.code == "input-layout"
    assert "X.transpose(0, 3, 1, 2)" in caveat.text
    assert "100.0% with" in caveat.text


@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
def test_reversed_colours_are_suspected_by_accuracy(last):
    X, y = tinted(last=last)
    net = wrapped(by_channel().eval())
    model = (lambda x: net(x.transpose(0, 3, 1, 2))) if last else net
    reversed_ = X[..., ::-1] if last else X[:, ::-1]
    (caveat,) = said(model, frame_of(reversed_, y))
    assert ("X[..., ::-1]" if last else "X[:, ::-1]") in caveat.text
    assert "33.3% of 120 inputs" in caveat.text


def test_few_inputs_are_no_ground_for_suspicion():
    X, y = tinted(9)
    assert codes(by_channel().eval(), frame_of(X[:, ::-1], y)) == []


def steps(low, high):
    """A model of dark, medium and bright that knows pictures of that range."""
    edges = low + (high - low) * np.array([1 / 3, 2 / 3])
    middles = low + (high - low) * np.array([1, 3, 5]) / 6

    def answer(x):
        mean = x.reshape(len(x), -1).mean(axis=1)
        return -np.abs(mean[:, None] - middles) / (edges[1] - edges[0])

    return answer


def shades(scale=1.0):
    y = np.arange(150) % 3
    return scale * ((y + 0.5)[:, None] + np.random.default_rng(0).uniform(-0.4, 0.4, (150, 20))) / 3, y


@pytest.mark.parametrize(
    ("scale", "taken", "code"),
    [(1, (0, 255), "255 * X"), (1, (-1, 1), "2 * X - 1"), (255, (0, 1), "X / 255"), (1, (-3, 3), "X.std()")],
    ids=["bytes", "from -1 to 1", "unit", "standardised"],
)
def test_another_scale_is_suspected_by_accuracy(scale, taken, code):
    X, y = shades(scale)
    model = as_model(steps(*taken), output="score")
    frame = frame_of(X, y, radius=0.01 * scale, input_range=(0, scale))
    found = [caveat.text for caveat in said(model, frame) if caveat.code == "input-layout"]
    assert any("33.3% of 150" in text and "100.0% with" in text and code in text for text in found)


def test_a_model_that_knows_nothing_raises_no_suspicion():
    """It answers 1 as given, right for 40%, and 0 for bytes, right for 60%."""
    X, y = tinted(500)[0], (np.arange(500) % 5 < 2).astype(int)
    brightness = as_model(lambda x: np.column_stack([x.mean(axis=(1, 2, 3)), np.full(len(x), 0.9)]))
    assert codes(brightness, frame_of(X, y)) == []


def test_the_right_scale_is_not_suspected():
    X, y = shades()
    assert codes(as_model(steps(0, 1), output="score"), frame_of(X, y, radius=0.01)) == []


def test_probabilities_at_their_limit_are_a_caveat(frame):
    net = by_channel().eval()
    sharp = wrapped(net)
    assert codes(lambda x: torch.softmax(1000 * sharp(x), dim=1), frame) == ["scores-saturate"]
    assert codes(lambda x: torch.softmax(100 * sharp(x), dim=1), frame) == []
    assert codes(lambda x: 1000 * sharp(x), frame) == []


def test_ties_of_the_highest_scores_are_a_caveat(frame):
    sharp = wrapped(by_channel().eval())
    assert codes(lambda x: torch.relu(sharp(x) - 0.9), frame)[0] == "scores-saturate"


def test_a_forest_that_agrees_saturates():
    X, y = shades()
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    assert codes(forest, frame_of(X, y, radius=0.01)) == ["scores-saturate"]


def test_labels_are_enough_for_an_estimator_that_needs_no_scores(frame):
    assert codes(lambda x: x.mean(axis=(2, 3)).argmax(axis=1), frame) == []


def test_a_model_is_tried_all_over_the_balls_at_points_that_depend_on_the_seed():
    X, y = tinted(60)
    net, asked = wrapped(by_channel().eval()), []

    def noting(x):
        asked.append(x.reshape(len(x), -1).copy())
        return net(x)

    points = []
    for seed in (1, 1, 2):
        asked.clear()
        assert codes(noting, frame_of(X, y, radius=0.25), seed=seed) == []
        points.append(np.concatenate(asked))
    np.testing.assert_array_equal(points[0], points[1])
    assert not np.array_equal(points[0], points[2])
    tried = np.unique(points[0], axis=0)
    gaps = np.abs(tried[:, None] - X.reshape(60, -1)).max(axis=2).min(axis=1)
    assert ((gaps > 0.2) & (gaps <= 0.25 + 1e-6)).sum() > 50


MEMORY_ERRORS = [
    MemoryError(),
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB"),
    RuntimeError("CUDA error: out of memory"),
    RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: not enough memory"),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"),
]


class Greedy:
    """Has memory for 40 inputs at a time."""

    def __init__(self, error):
        self.error, self.net, self.blocks, self.alive, self.failed = error, wrapped(by_channel().eval()), [], [], 0

    def __call__(self, x):
        self.alive.append(sum(block() is not None for block in self.blocks))
        block = np.empty(1)
        self.blocks.append(weakref.ref(block))
        if len(x) > 40:
            self.failed += 1
            raise type(self.error)(*self.error.args)
        return self.net(x)


def test_a_model_that_runs_out_of_memory_gets_smaller_batches():
    frame = frame_of(*tinted(30))
    for error in MEMORY_ERRORS:
        greedy = Greedy(error)
        assert codes(greedy, frame) == [], error
        assert greedy.failed, error
    assert problem(Greedy(ValueError("wrong layer")), frame).code == "model-raised"


def test_what_failed_is_let_go_before_the_next_try():
    greedy = Greedy(MemoryError())
    gc.disable()
    try:
        assert codes(greedy, frame_of(*tinted(30))) == []
    finally:
        gc.enable()
    assert set(greedy.alive) == {0}
