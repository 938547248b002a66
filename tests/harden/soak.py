"""Long and crowded runs: millions of lines through ``surefoot watch``, many projects at a time on one store."""

import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import mkdtemp

import yaml

from surefoot.project import Store, load, run
from tests.harden.crashes import assessed, started

FLAT = 1.15
"""What memory may grow by after the first tenth."""


def lines_through_watch(lines, *, seed=0, on_progress=None):
    """Send so many lines, a hundredth of them damaged, to ``surefoot watch`` and look at its memory on the way."""
    folder = started(Path(mkdtemp(prefix="harden-")))
    assessed(folder)
    head, *rows = (folder / "test.csv").read_text(encoding="utf-8").splitlines()
    chance = random.Random(seed)
    block = "".join(
        f"{row if chance.random() < 0.99 else row[: chance.randrange(len(row))]}\n"
        for row in chance.choices(rows, k=10_000)
    )
    command = [sys.executable, "-m", "surefoot", "watch", str(folder), "-", "--quiet"]
    begun, memory, sent = time.monotonic(), [], 0
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=subprocess.STDOUT, cwd=folder)
        process.stdin.write(f"{head}\n".encode())
        while sent < lines:
            process.stdin.write(block.encode())
            sent += 10_000
            memory.append(resident(process.pid))
            if on_progress:
                on_progress(sent)
        process.stdin.close()
        code = process.wait()
    early, late = max(memory[: max(len(memory) // 10, 1)]), max(memory)
    problems = [] if late <= FLAT * early else [f"memory grew from {early:,} to {late:,} bytes"]
    if code not in (0, 1):
        problems.append(f"ended with {code}: {(folder / 'said.txt').read_text(errors='replace')[-500:]}")
    seconds = time.monotonic() - begun
    return {"lines": sent, "seconds": seconds, "early": early, "late": late, "code": code, "problems": problems}


def resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def projects_on_one_store(projects, processes):
    """Assess so many variants of a project at a time on one store; each must say what it says alone."""
    home = Path(mkdtemp(prefix="harden-"))
    folders = [variant(home / f"project-{number}", number) for number in range(projects)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        together = list(pool.map(answers, folders, [home / "store"] * projects))
    store = Store.open(home / "store")
    problems = [str(each) for each in [*store.verify(), *store.warnings] if each.severity == "error"]
    for number in range(0, projects, max(projects // 10, 1)):
        alone = answers(folders[number], home / f"alone-{number}")
        if alone != together[number]:
            problems.append(f"project {number}: {together[number]} together, {alone} alone")
    shutil.rmtree(home)
    return {"projects": projects, "processes": processes, "problems": problems}


def variant(folder, number):
    """The project that ``surefoot init`` starts with, at a level of its own."""
    started(folder)
    file = folder / "surefoot.yaml"
    said = yaml.safe_load(file.read_text(encoding="utf-8"))
    said["evidence"]["errors"]["level"] = 0.9 + 0.0005 * (number % 100)
    file.write_text(yaml.safe_dump(said, sort_keys=False), encoding="utf-8")
    return folder


def answers(folder, store):
    """Digests of all evidence; verdicts depend on who looked before at the same test data."""
    result = run(load(folder), store=Store.open(store))
    return {name: evidence.digest for name, evidence in result.evidence.items()}
