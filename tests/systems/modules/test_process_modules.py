"""Programs as parts of a system: what they answer, and every way in which they fail to."""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import told

from surefoot import SurefootError
from surefoot.systems import System, process_module

ECHO = "import sys, json\nfor line in sys.stdin: print(json.dumps(json.loads(line)['v']))"


def python(code, **options):
    return process_module("m", [sys.executable, "-c", code], {"v": "x"}, **options)


def run(module, values, kind="any"):
    return System([module], inputs={"x": kind}).run({"x": values})


def test_answers_come_back_line_by_line():
    code = "import sys, json\nfor line in sys.stdin: print(2 * json.loads(line)['v'])"
    assert run(python(code, gives="number"), [1.0, 2.5, -3.0], "number").outputs["m"] == [2.0, 5.0, -6.0]


TEXTS = {
    "any script": "\u00fc\u4e16\U0001f600",
    "ends of lines": "two\nlines\r\n",
    "other ends of lines": "\u2028\u2029\x85\x0b\x0c\x1c",
    "nested": [1, [2, {"a": None}]],
}


def test_whatever_json_holds_goes_there_and_back():
    for escaped in [True, False]:
        for value in TEXTS.values():
            with told((value, escaped)):
                code = (
                    "import sys, json\nsys.stdout.reconfigure(encoding='utf-8')\n"
                    f"for line in sys.stdin: print(json.dumps(json.loads(line)['v'], ensure_ascii={escaped}))"
                )
                assert run(python(code), [value, "next"]).outputs["m"] == [value, "next"]


def test_half_of_a_surrogate_pair_survives_where_it_is_escaped():
    assert run(python(ECHO), ["\ud800 alone"]).outputs["m"] == ["\ud800 alone"]


def test_arrays_and_numpy_numbers_are_sent_as_lists_and_numbers():
    trace = run(python(ECHO), [np.arange(3), np.float32(0.5), np.zeros((1, 2), np.uint8)])
    assert trace.outputs["m"] == [[0, 1, 2], 0.5, [[0, 0]]]


def test_an_object_is_one_answer_or_one_at_each_port():
    code = 'for _ in open(0): print(\'{"a": 1, "b": "x"}\')'
    assert run(python(code), [0, 0]).outputs["m"] == [{"a": 1, "b": "x"}] * 2
    trace = run(python(code, gives={"a": "number", "b": "text"}), [0, 0])
    assert trace.outputs == {"m.a": [1, 1], "m.b": ["x", "x"]}


def test_an_item_that_the_program_cannot_answer_is_a_fault_of_that_item():
    code = (
        "import json\nfor line in open(0):\n"
        "    v = json.loads(line)['v']\n"
        "    print(json.dumps({'error': f'no {v}'} if v == 2 else {'a': v} if v == 3 else {'a': v, 'b': v}))"
    )
    trace = run(python(code, gives={"a": "number", "b": "number"}), [1, 2, 3, 4])
    assert trace.outputs["m.a"] == [1, None, None, 4]
    assert "no 2" in trace.faults[1].text
    assert "instead of numbers" in trace.faults[2].text


def test_a_program_that_fails_is_told():
    for code, said in [
        ("print(1); print(2)", "1 items need 1 lines; found 2 lines"),
        ("", "1 items need 1 lines; found 0 lines"),
        ("print('one')", "must answer with JSON lines; found one"),
        ("import sys; sys.exit('out of order')", "the program failed; found exit 1: out of order"),
        ("import os; os.kill(os.getpid(), 9)", "exit -9"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "must answer in UTF-8"),
    ]:
        with told(code):
            assert said in run(python(code), [0]).faults[0].text


def test_one_item_that_breaks_the_program_costs_that_item_only():
    code = "import json\nfor line in open(0): print(1 // json.loads(line)['v'])"
    trace = run(python(code, gives="number"), [1, 1, 0, 1, 1])
    assert list(trace.faults) == [2]
    assert "ZeroDivisionError" in trace.faults[2].text
    assert trace.outputs["m"] == [1, 1, None, 1, 1]


def test_large_batches_pass_both_ways_at_once():
    values = ["x" * 3000] * 300
    assert run(python(ECHO), values).outputs["m"] == values


def test_a_program_need_not_read_what_it_is_sent():
    code = "for i in range(300): print(i)"
    assert run(python(code, gives="number"), ["x" * 3000] * 300).outputs["m"] == list(range(300))


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("left", [False, True], ids=["waits", "has left a child behind"])
def test_after_the_timeout_the_program_and_all_that_it_started_are_ended(tmp_path, left):
    code = (
        "import subprocess, sys, os, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"{'os._exit(0)' if left else 'time.sleep(60)'}"
    )
    trace = run(python(code, timeout=3), [0])
    assert "takes too long; found no answer in 3 s" in trace.faults[0].text
    pids = (tmp_path / "pids").read_text().split()
    for _ in range(100):
        if not any(map(alive, pids)):
            break
        time.sleep(0.05)
    assert not any(map(alive, pids))


def test_an_interrupt_ends_the_program(tmp_path, monkeypatch):
    def interrupted(self, *_, **__):
        (tmp_path / "pid").write_text(str(self.pid))
        raise KeyboardInterrupt

    monkeypatch.setattr("subprocess.Popen.communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        python("import time; time.sleep(60)").run(v=[0])
    assert not alive((tmp_path / "pid").read_text())


def test_the_program_runs_in_its_folder_with_its_files(tmp_path):
    (tmp_path / "answer.py").write_text("for _ in open(0): print(open('number').read())")
    (tmp_path / "number").write_text("7")
    module = process_module("m", [sys.executable, "answer.py"], {"v": "x"}, folder=tmp_path)
    assert run(module, [0]).outputs["m"] == [7]
    (tmp_path / "go").write_text(f"#!{sys.executable}\nfor _ in open(0): print(8)")
    (tmp_path / "go").chmod(0o755)
    assert run(process_module("m", ["./go"], {"v": "x"}, folder=tmp_path), [0]).outputs["m"] == [8]


def test_the_version_follows_the_command_its_files_and_what_is_stated(tmp_path):
    script = tmp_path / "answer.py"

    def version(*words, **options):
        return process_module("m", [sys.executable, *words], {"v": "x"}, folder=tmp_path, **options).version

    script.write_text("print(1)")
    versions = [version("a", "b"), version("a b"), version("answer.py")]
    assert version("answer.py") == versions[-1]
    script.write_text("print(2)")
    versions += [version("answer.py"), version("answer.py", version="2"), version("-c", "pass #" + "x" * 5000)]
    assert len(set(versions)) == len(versions)
    assert version("answer.py", version="2") == "2"


def test_a_wrong_command_is_told_when_the_module_is_made():
    for command, options, said in [
        (["no-such-program"], {}, "no such program; found no-such-program"),
        (["./no-such-program"], {}, "no such program"),
        ("python recognise.py", {}, "a list of words"),
        ([], {}, "a list of words"),
        ([sys.executable], {"timeout": 0}, "timeout"),
        ([sys.executable], {"folder": "no/such/folder"}, "no such folder"),
    ]:
        with told(command), pytest.raises(SurefootError, match=said):
            process_module("m", command, {"v": "x"}, **options)


def test_a_pickled_program_gives_the_same_answers():
    module = python(ECHO)
    assert pickle.loads(pickle.dumps(module)).run(v=["a"]) == ["a"]


def test_what_json_does_not_hold_is_a_fault():
    assert "bytes cannot be sent as JSON" in run(python(ECHO), [b"raw"]).faults[0].text


def test_programs_find_their_environment(monkeypatch):
    monkeypatch.setenv("SUREFOOT_TEST", "here")
    code = "import os, json\nfor _ in open(0): print(json.dumps(os.environ['SUREFOOT_TEST']))"
    assert run(python(code), [0]).outputs["m"] == [json.loads(json.dumps(os.environ["SUREFOOT_TEST"]))]
