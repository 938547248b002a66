"""Models in a process of their own may crash, hang and print without harm."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import skops.io

from surefoot.adapters import score_isolated
from surefoot.core import InvalidInput, MissingExtra
from tests.adapters.problems import problem

CODE = """
import os
import sys
import time
import numpy as np

def predict(x):
    print("noise on stdout", flush=True)
    os.write(1, b'{"result": "forged"}\\n')
    sys.stderr.write("noise on stderr\\n")
    assert sys.stdin.read() == ""
    return 1 / (1 + np.exp(-x[:, 0]))

def crashes(x):
    import ctypes
    print("about to fall")
    ctypes.string_at(0)

def leaves(x):
    os._exit(3)

def hangs(x):
    sys.stderr.write("thinking\\n")
    sys.stderr.flush()
    time.sleep(600)

def hangs_later(x):
    if x[0, 0] == LATER:
        time.sleep(600)
    return x[:, 0]

def hangs_with_a_child(x):
    import subprocess
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open("child", "w").write(str(child.pid))
    time.sleep(600)

def raises(x):
    print("before the end", file=sys.stderr)
    raise ValueError("three <b>legs</b>")

def forks(x):
    os.fork()
    return 1 / (1 + np.exp(-x[:, 0]))

def forks_and_fails(x):
    if not os.fork():
        raise ValueError("the copy")
    return x[:, 0]

def waits(x):
    open("started", "w").write(str(os.getpid()))
    time.sleep(600)
"""


@pytest.fixture
def project(write, tmp_path, inputs, labels):
    later = repr(float(inputs[40, 0]))
    write("model.py", CODE.replace("LATER", later).replace('open("', f'open("{tmp_path}/'))
    write("slow.py", "import time\ntime.sleep(600)\n")
    write("data.py", "import time\ndef rows():\n    time.sleep(600)\n")
    np.savez(tmp_path / "d.npz", X=inputs, y=labels)
    return tmp_path


def run(folder, model, data=None, **options):
    source = {"callable": model} if isinstance(model, str) else model
    settings = {"batch_size": 20, "time_limit": 60, "target": folder / "scores.npy"} | options
    rows = {"classes": ["benign", "malignant"]} | (data or {"path": "d.npz"})
    return score_isolated(source, rows, folder=folder, **settings)


def gone(pid):
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            return True
        time.sleep(0.05)
    return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"


def test_scores_come_back_and_noise_does_no_harm(project, inputs):
    seen = []
    found = run(project, "model:predict", progress=lambda *step: seen.append(step))
    expected = 1 / (1 + np.exp(-inputs[:, 0]))
    assert np.array_equal(np.load(project / "scores.npy"), np.column_stack([1 - expected, expected]))
    assert np.array_equal(found.scores[:, 1], expected)
    assert (found.output, found.classes) == ("probability", ("benign", "malignant"))
    assert [caveat.code for caveat in found.caveats] == ["partial-identity"]
    assert seen[-1] == (60, 60)


@pytest.mark.parametrize("model", ["model:forks", "model:forks_and_fails"])
def test_a_model_that_forks_answers_once(project, inputs, model):
    seen = []
    found = run(project, model, progress=lambda done, total: seen.append(done))
    assert seen == sorted(set(seen))
    assert np.array_equal(found.scores[:, 1] > found.scores[:, 0], inputs[:, 0] > 0)


def test_a_model_file_is_scored(project, classifier, inputs):
    skops.io.dump(classifier, project / "model.skops")
    found = run(
        project,
        {"path": "model.skops", "method": "decision_function"},
        {"path": "d.npz", "classes": ["malignant", "benign"]},
    )
    np.testing.assert_allclose(found.scores[:, 0] - found.scores[:, 1], classifier.decision_function(inputs))
    assert (found.output, found.classes) == ("score", ("malignant", "benign"))


@pytest.mark.parametrize(
    ("model", "code", "match"),
    [
        ("model:crashes", "model-crashed", r"(?s)SIGSEGV while scoring.*about to fall.*model\.py"),
        ("model:leaves", "model-crashed", "exit code 3"),
        (
            "model:raises",
            "model-raised",
            r"(?s)ValueError: three <b>legs</b> \(model\.py:\d+ in raises\).*before the end",
        ),
        ("model:nothing", "model-unreadable", "nothing"),
        ({"path": "nothing.onnx"}, "file-missing", r"nothing\.onnx"),
    ],
)
def test_what_goes_wrong_is_told_and_nothing_is_left(project, model, code, match):
    with problem(code, match):
        run(project, model)
    assert not (project / "scores.npy").exists()


@pytest.mark.parametrize(
    ("model", "data", "match"),
    [
        ("model:hangs", None, "(?s)after 0 rows, a batch of 20 took longer than 2 s.*thinking"),
        ("model:hangs_later", None, "after [1-9]0 rows"),
        ("slow:predict", None, "loading the model took longer"),
        ("model:predict", {"callable": "data:rows"}, "makes the data"),
    ],
)
def test_what_hangs_is_killed(project, model, data, match):
    with problem("model-timeout", match):
        run(project, model, data, time_limit=2)
    assert not (project / "scores.npy").exists()


def test_processes_that_the_model_started_are_killed_with_it(project):
    with problem("model-timeout"):
        run(project, "model:hangs_with_a_child", time_limit=3)
    assert gone((project / "child").read_text())


def test_where_there_are_no_groups_of_processes_what_hangs_is_killed_all_the_same(project, monkeypatch):
    monkeypatch.delattr(os, "killpg")
    with problem("model-timeout"):
        run(project, "model:waits", time_limit=2)
    assert gone((project / "started").read_text())


PARENT = """
import sys
from pathlib import Path
from surefoot.adapters import score_isolated
folder = Path(sys.argv[1])
score_isolated({"callable": "model:waits"}, {"path": "d.npz"}, folder=folder, batch_size=20, time_limit=600,
               target=folder / "scores.npy")
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_process_ends_with_its_parent(project, how, ctrl_c):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(project)], stderr=subprocess.DEVNULL)
    for _ in range(600):
        if (project / "started").exists() and (project / "started").read_text():
            break
        time.sleep(0.05)
    parent.send_signal(how)
    parent.wait(30)
    assert gone((project / "started").read_text())


def test_a_folder_that_cannot_be_written_is_told(project):
    with problem("store-unwritable", "scores could not be written"):
        run(project, "model:predict", target=project / "nowhere" / "scores.npy")


def test_a_full_disk_is_told_and_what_is_no_plain_file_is_left_alone(project):
    link = project / "full.npy"
    link.symlink_to("/dev/full")
    if not link.is_char_device():
        pytest.skip("this system has no /dev/full")
    with problem("store-unwritable", "No space left"):
        run(project, "model:predict", target=link)
    assert link.is_char_device()


def test_a_pipe_as_target_is_not_removed(project):
    os.mkfifo(project / "pipe")
    with problem("model-unreadable"):
        run(project, "model:nothing", target=project / "pipe")
    assert (project / "pipe").is_fifo()


def test_names_that_are_not_utf8_are_read_and_shown(project):
    (project / "d.npz").rename(project / "caf\udce9.npz")
    assert len(run(project, "model:predict", {"path": "caf\udce9.npz"}).scores) == 60
    with problem("file-missing", r"caf\\udce8\.npz") as caught:
        run(project, "model:predict", {"path": "caf\udce8.npz"})
    str(caught.value).encode()


def test_a_library_that_is_missing_there_names_its_extra(project, monkeypatch):
    (project / "without").mkdir()
    (project / "without" / "onnxruntime.py").write_text("raise ImportError('not here')\n")
    (project / "m.onnx").write_bytes(b"graph")
    monkeypatch.setenv("PYTHONPATH", str(project / "without"))
    with pytest.raises(MissingExtra, match=r"surefoot\[onnx\]"):
        run(project, {"path": "m.onnx"})


def test_arguments_that_nobody_knows_are_refused(project):
    with pytest.raises(InvalidInput, match="batch"):
        run(project, {"callable": "model:predict", "batch": 3})
    with pytest.raises(InvalidInput, match="time_limit"):
        run(project, "model:predict", time_limit=0)
