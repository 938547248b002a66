"""Writers that are killed, run as a program: forks are cheap here, where nothing but the store is loaded.

``python -m tests.project.store.killing FOLDER ROUNDS`` kills writers at random moments,
``python -m tests.project.store.killing FOLDER every`` kills one at each file operation in turn.
Prints what it saw as JSON; after each kill the store must be as good as before.
"""

import json
import os
import random
import signal
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from surefoot.project import Store
from tests.project.store.making import array_of, errors, evidence_of, key_of

ROUNDS_A_STORE = 8
MOST_LINES_AWAITED = 6
LONGEST_PAUSE_SECONDS = 0.01
OPERATIONS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir"}


def write_all(folder, names, tell):
    store = Store.open(folder)
    for name in names:
        store.put(key_of(name), evidence_of(name), step=name)
        tell(f"evidence {name}")
        store.put_array(key_of(name), array_of(name))
        tell(f"array {name}")
        path = store.scratch() / "scores.npy"
        np.save(path, array_of(f"scores {name}"))
        store.adopt_array(key_of(f"scores {name}"), path)
        tell(f"array scores {name}")
        store.record_look(key_of("data"), {"name": name})
        tell(f"look {name}")


def killed_writer(body, *, lines=None, pause=0.0):
    """Fork a writer and kill it a pause after it told so many lines; what it told, and whether it was still at work.

    Without ``lines`` it lives as long as it does.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        body(lambda line: os.write(writer, f"{line}\n".encode()))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        told = [stream.readline() for _ in range(lines or 0)]
        if lines is not None:
            time.sleep(pause)
            os.kill(child, signal.SIGKILL)
        told += stream.readlines()
    _, status = os.waitpid(child, 0)
    return [line.strip() for line in told], os.WIFSIGNALED(status)


def check(folder, told):
    """Reopen the store as the next run would: nothing damaged, nothing lost."""
    store = Store.open(folder)
    problems = [str(error) for error in [*errors(store), *store.warnings]]
    for line in told:
        kind, _, name = line.partition(" ")
        if kind == "evidence" and store.get(key_of(name)) != evidence_of(name):
            problems.append(f"lost: {line}")
        if kind == "array" and not np.array_equal(store.get_array(key_of(name)), array_of(name)):
            problems.append(f"lost: {line}")
    looks = sum(line.startswith("look ") for line in told)
    if not looks <= store.looks(key_of("data")) <= looks + ROUNDS_A_STORE:
        problems.append(f"{looks} looks told, {store.looks(key_of('data'))} found")
    return problems


def leftovers(folder):
    return len(list((folder / "tmp").glob("*")))


def random_moments(folder, rounds):
    moments = random.Random(20240229)
    seen = {"kills": 0, "told": 0, "leftovers": 0, "problems": []}
    told = []
    for number in range(rounds):
        home = folder / str(number // ROUNDS_A_STORE)
        told = told if number % ROUNDS_A_STORE else []
        names = [f"{number}.{n}" for n in range(1000)]
        lines, pause = moments.randrange(MOST_LINES_AWAITED), moments.uniform(0, LONGEST_PAUSE_SECONDS)
        new, was_killed = killed_writer(partial(write_all, home, names), lines=lines, pause=pause)
        told += new
        seen["kills"] += was_killed
        seen["told"] += len(new)
        seen["problems"] += check(home, told)
        seen["leftovers"] = max(seen["leftovers"], leftovers(home))
    return seen


def every_operation(folder):
    """Kill a writer of one name at its first file operation, another at its second, until one gets through."""
    seen = {"kills": 0, "problems": []}
    was_killed = True
    while was_killed:
        operation = seen["kills"] + 1
        home = folder / str(operation)
        told, was_killed = killed_writer(partial(write_and_die, home, operation))
        seen["problems"] += check(home, told)
        write_all(home, ["x"], lambda line: None)
        seen["problems"] += check(home, ["evidence x", "array x", "array scores x", "look x"])
        seen["kills"] += was_killed
    return seen


def write_and_die(folder, operation, tell):
    die_at(operation, folder)
    write_all(folder, ["x"], tell)


def die_at(operation, folder):
    left = [operation]

    def hook(event, arguments):
        if event in OPERATIONS and any(str(folder) in str(argument) for argument in arguments):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


if __name__ == "__main__":
    where, how = Path(sys.argv[1]), sys.argv[2]
    found = every_operation(where) if how == "every" else random_moments(where, int(how))
    sys.stdout.write(json.dumps(found))
