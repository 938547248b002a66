"""A study that was interrupted goes on where it was, with the results it would have had, in bounded memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.systems.study.worlds import eyes, items, looked, measured_of, study

from surefoot.systems import conditions, records

SCRIPT = """
import os, sys, time
from pathlib import Path
from tests.systems.study import worlds

folder, log = Path(sys.argv[1]), Path(sys.argv[2])

def slow(v):
    with log.open("a") as lines:
        lines.write(f"{v[0].mean():.6f} {v[0].std():.6f}\\n")
    time.sleep(float(os.environ["PAUSE"]))
    return worlds.looked(v)

findings = worlds.study(worlds.eyes(slow), worlds.items(40), folder=folder, training=worlds.items(24, 1)).run()
print(worlds.measured_of(findings))
"""


def started(folder, log, pause):
    command = [sys.executable, "-c", SCRIPT, str(folder), str(log)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PAUSE": str(pause)})


def finished(folder, log):
    process = started(folder, log, 0)
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return printed


def parts(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("[!.]*.parquet")}


def calls(log):
    return log.read_text().splitlines() if log.exists() else []


def test_after_a_kill_no_finished_part_is_repeated_and_the_results_are_the_same_to_the_last_bit(tmp_path):
    folder, first, second = tmp_path / "killed", tmp_path / "first", tmp_path / "second"
    process = started(folder, first, 0.02)
    while len(parts(folder)) < 8 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    before = parts(folder)
    assert 8 <= len(before) < 28
    times = {name: (folder / name).stat().st_mtime_ns for name in before}

    resumed = finished(folder, second)
    whole = finished(tmp_path / "whole", tmp_path / "whole log")

    assert resumed == whole
    assert parts(folder) == parts(tmp_path / "whole")
    assert {name: (folder / name).stat().st_mtime_ns for name in before} == times
    done, later, all_calls = set(calls(first)), calls(second), calls(tmp_path / "whole log")
    assert len(later) == len(all_calls) - len(before)
    assert len(done & set(later)) <= 1


class Interrupted(Exception):
    pass


def test_after_an_exception_only_what_is_missing_runs(tmp_path):
    ran = []

    def counting(v):
        ran.append(len(v))
        return looked(v)

    def stop(doing, done, total):
        if doing == "recording" and done == 7:
            raise Interrupted

    system = eyes(counting)
    with pytest.raises(Interrupted):
        study(system, folder=tmp_path).run(stop)
    before = len(ran)
    findings = study(system, folder=tmp_path).run()
    assert (before, len(ran)) == (7, 15)
    assert measured_of(findings) == measured_of(study(system).run())


@pytest.mark.parametrize("damage", [b"", b"no Parquet", None], ids=["empty", "foreign", "cut off"])
def test_a_damaged_part_is_made_again(tmp_path, damage):
    whole = measured_of(study(folder=tmp_path).run())
    before = parts(tmp_path)
    for name, content in list(before.items())[:3]:
        (tmp_path / name).write_bytes(content[:-40] if damage is None else damage)
    assert measured_of(study(folder=tmp_path).run()) == whole
    assert parts(tmp_path) == before


def changed(folder, **options):
    """Which recorded and which scored parts another study makes anew in a folder."""
    before = parts(folder)
    study(folder=folder, **{"training": items(16, 1), **options}).run()
    after = {name for name, content in parts(folder).items() if before.get(name) != content}
    kinds = {tuple(name.split(os.sep)[1:3]) for name in after}
    return {kind for kind, _ in kinds}, {place for kind, place in kinds if kind == "recorded"}


@pytest.fixture
def folder(tmp_path):
    study(folder=tmp_path, training=items(16, 1)).run()
    return tmp_path


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        ({}, set()),
        ({"metric": "mae"}, {"scored"}),
        ({"detectors": {}}, {"scored"}),
        ({"outputs": {"right": "right"}}, {"scored"}),
        ({"own_scores": {"brightness": "right"}}, {"scored"}),
        ({"training": items(17, 1)}, {"recorded", "scored"}),
        ({"seed": 1}, {"recorded", "scored"}),
        ({"passes": 4}, {"recorded", "scored"}),
        ({"chunk": 5}, {"recorded", "scored"}),
    ],
    ids=lambda v: next(iter(v), "nothing") if isinstance(v, dict) else "",
)
def test_a_study_that_changed_makes_anew_what_the_change_concerns(folder, options, kinds):
    assert changed(folder, **options)[0] == kinds


def test_another_condition_leaves_the_others_alone(folder):
    found = changed(folder, conditions=conditions(["gaussian_noise", "brightness"], (1, 3, 5)))
    assert found[1] == {records.slug("gaussian_noise 3"), records.slug("brightness 3")}


def test_a_changed_module_is_recorded_anew(folder):
    def brighter(v):
        return [value + 0.01 for value in looked(v).outputs]

    kinds, places = changed(folder, system=eyes(second=brighter))
    assert kinds == {"recorded", "scored"}
    assert len(places) == 6


MEMORY = """
import resource, sys
import numpy as np
from surefoot.monitors import Mahalanobis
from surefoot.systems import Items, Module, System, conditions
from tests.systems.study import worlds

class Photos:
    def __init__(self, count):
        self.count = count
    def __len__(self):
        return self.count
    def __getitem__(self, index):
        light = 0.2 + 0.4 * (np.arange(self.count)[index] % 97) / 97
        return np.broadcast_to(light[:, None, None, None], (len(light), 16, 16, 3)).astype(np.float32)

count = int(sys.argv[1])
data = Items({"photo": Photos(count)}, truth=0.2 + 0.4 * (np.arange(count) % 97) / 97)
system = System([Module("m", worlds.looked, {"v": "photo"}, gives="number")], inputs={"photo": "image"})
usual = {"training": data, "detectors": {"far": Mahalanobis(kind="tied")}, "passes": 0}
worlds.study(system, data, chunk=256, conditions=conditions("brightness", [3]), **usual).run()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_memory_is_bounded_as_data_grow_100_times():
    peaks = {}
    for count in (200, 20_000):
        done = subprocess.run([sys.executable, "-c", MEMORY, str(count)], capture_output=True, text=True, check=True)
        peaks[count] = int(done.stdout)
    # All pictures at once would take 61 MB in 32 bits, and several times that on their way through the system.
    assert peaks[20_000] - peaks[200] < 30
