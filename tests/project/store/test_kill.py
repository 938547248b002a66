"""kill -9 at any instant: nothing that was finished is lost, nothing half-written is seen."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
KILLS = 32


def killing(folder, how):
    command = [sys.executable, "-m", "tests.project.store.killing", str(folder), str(how)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_writer_killed_at_random_moments_leaves_a_sound_store(tmp_path):
    seen = killing(tmp_path, KILLS)
    assert seen["problems"] == []
    assert seen["kills"] == KILLS
    assert seen["told"] > KILLS, "writers were killed before they did anything"
    assert seen["leftovers"] > 0, "no writer was killed in the middle of its work"


def test_a_writer_killed_at_each_of_its_file_operations_leaves_a_sound_store(tmp_path):
    seen = killing(tmp_path, "every")
    assert seen["problems"] == []
    assert seen["kills"] > 40
