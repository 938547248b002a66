"""Assessments that are killed, and disks that lose what was not flushed: the same digests, and nothing told is lost."""

import os
import random
import shutil
import signal
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from unittest.mock import patch

from surefoot.core import SurefootError
from surefoot.project import Store, load, run
from tests.harden.readers import START
from tests.project.store.killing import check, die_at, write_all
from tests.project.store.making import errors

STARTS_A_STORE = 2


# Killed assessments.


def started(folder):
    """The project that ``surefoot init`` starts with, in a folder of its own."""
    shutil.copytree(START, folder, dirs_exist_ok=True)
    return folder


def assessed(folder):
    result = run(load(folder), store=Store.open(folder / ".surefoot"))
    return {name: evidence.digest for name, evidence in result.evidence.items()}, result.digest


def killed(body, after=None):
    """Fork, run and kill after so many seconds, unless it ended or killed itself before; whether it was killed."""
    child = os.fork()
    if child == 0:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        os.setpgid(0, 0)
        body()
        os._exit(0)
    end = time.monotonic() + (3600 if after is None else after)
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.WIFSIGNALED(status)
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def kill_at_random(moments, *, seed=0, on_progress=None):
    """Kill assessments at random moments, two on each store; then one finishes with the digests of an unharmed run."""
    chance, seen = random.Random(seed), {"kills": 0, "finished": 0, "problems": []}
    expected = assessed(started(Path(mkdtemp(prefix="harden-"))))
    begun = time.monotonic()
    killed(partial(assessed, started(Path(mkdtemp(prefix="harden-")))))
    longest = time.monotonic() - begun
    while seen["kills"] < moments:
        folder = started(Path(mkdtemp(prefix="harden-")))
        for _ in range(STARTS_A_STORE):
            seen["kills"] += killed(partial(assessed, folder), after=chance.uniform(0, longest))
            seen["problems"] += sound(folder)
        if assessed(folder) != expected:
            seen["problems"].append(f"{folder}: other digests than an unharmed run")
        else:
            shutil.rmtree(folder)
        seen["finished"] += 1
        if on_progress:
            on_progress(seen["kills"])
    return seen


def kill_at_every_operation(*, on_progress=None):
    """Kill an assessment at its first operation on a file of its store, one at its second, until one gets through."""
    seen = {"kills": 0, "finished": 0, "problems": []}
    expected = assessed(started(Path(mkdtemp(prefix="harden-"))))
    was_killed = True
    while was_killed:
        folder = started(Path(mkdtemp(prefix="harden-")))
        was_killed = killed(partial(die_and_assess, folder, seen["kills"] + 1))
        seen["problems"] += sound(folder)
        if assessed(folder) != expected:
            seen["problems"].append(f"operation {seen['kills'] + 1}: other digests than an unharmed run")
        seen["finished"] += 1
        seen["kills"] += was_killed
        shutil.rmtree(folder)
        if on_progress:
            on_progress(seen["kills"])
    return seen


def die_and_assess(folder, operation):
    die_at(operation, folder / ".surefoot")
    assessed(folder)


def sound(folder):
    store = Store.open(folder / ".surefoot")
    return [str(problem) for problem in [*errors(store), *store.warnings]]


# Power losses. A disk keeps the content of a file as it was last flushed, and the names in a folder as they were when
# the folder was last flushed; of everything since, each part may or may not have arrived.


class Disk:
    """What a power loss leaves of a folder, after each operation that a writer did there."""

    def __init__(self, folder):
        self.folder = folder
        self.content, self.names, self.states, self.told = {}, {}, [], []

    def __enter__(self):
        self.stack = ExitStack()
        for name in ("fsync", "replace", "mkdir", "link", "unlink", "rmdir"):
            self.stack.enter_context(patch.object(os, name, self.recorded(getattr(os, name))))
        return self

    def __exit__(self, *_):
        self.stack.close()

    def recorded(self, operation):
        def with_record(*arguments, **more):
            found = operation(*arguments, **more)
            if operation.__name__ == "fsync":
                self.flushed(Path(os.readlink(f"/proc/self/fd/{arguments[0]}")))
            self.remember()
            return found

        return with_record

    def flushed(self, path):
        if self.folder != path and self.folder not in path.parents:
            return
        if path.is_dir():
            self.names[path.stat().st_ino] = {child.name: child.stat().st_ino for child in path.iterdir()}
        else:
            self.content[path.stat().st_ino] = path.read_bytes()

    def remember(self):
        """What is there now, and how much of it would survive."""
        live = {}
        for path in (self.folder, *self.folder.rglob("*")):
            status = path.stat()
            live[path.relative_to(self.folder)] = (status.st_ino, None if path.is_dir() else path.read_bytes())
        self.states.append((live, dict(self.content), {k: dict(v) for k, v in self.names.items()}, len(self.told)))

    def after_loss(self, state, target, chance):
        """Write what is left: everything flushed, and each other part with a probability, from none to all."""
        live, content, names, _ = state
        luck = chance.choice((0.0, 0.5, 1.0))
        numbers = {inode: data for inode, data in live.values() if data is not None}
        folders = {path: inode for path, (inode, data) in live.items() if data is None}
        self.build(Path(), target, live, folders, numbers, content, names, luck, chance)

    def build(self, inside, target, live, folders, numbers, content, names, luck, chance):
        target.mkdir(exist_ok=True)
        inode = folders[inside]
        now = {path.name: found[0] for path, found in live.items() if path.parent == inside and path != inside}
        kept = names.get(inode, {})
        for name in {*now, *kept}:
            there = now.get(name) if chance.random() < luck else kept.get(name)
            if there is None:
                continue
            if inside / name in folders and folders[inside / name] == there:
                self.build(inside / name, target / name, live, folders, numbers, content, names, luck, chance)
            elif there in numbers or there in content:
                flushed, present = content.get(there), numbers.get(there, b"")
                if flushed is None:
                    flushed = present if chance.random() < luck else present[: chance.randrange(len(present) + 1)]
                (target / name).write_bytes(flushed)


def lose_power(losses, *, seed=0, on_progress=None):
    """Lose power after each operation of a writer, several times over; what was told to be stored is there."""
    chance, seen = random.Random(seed), {"losses": 0, "operations": 0, "problems": []}
    home = Path(mkdtemp(prefix="harden-"))
    folder = home / "store"
    folder.mkdir()
    with Disk(folder) as disk:
        disk.flushed(folder)
        write_all(folder, [str(number) for number in range(3)], disk.told.append)
    seen["operations"] = len(disk.states)
    while seen["losses"] < losses:
        for number, state in enumerate(disk.states):
            target = home / "after"
            disk.after_loss(state, target, chance)
            found = after_power(target, disk.told[: state[-1]])
            seen["problems"] += [f"after operation {number}: {problem}" for problem in found]
            seen["losses"] += 1
            shutil.rmtree(target)
        if on_progress:
            on_progress(seen["losses"])
    shutil.rmtree(home)
    return seen


def after_power(folder, told):
    """As the next run finds it: what was told is there; anything else may be missing."""
    try:
        return check(folder, told)
    except SurefootError as error:
        return [str(error)]
