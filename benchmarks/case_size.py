"""Assurance cases of 10,000 nodes: read, checked and evaluated, against reading the same YAML unchecked.

Wide: 2,500 claims under one argument. Deep: each claim rests on the next. Shared: claims with 300 assumptions in
common, four for each argument. The whole must take less than 5 seconds, evaluation about 2.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import yaml

from benchmarks.harness import Row, best_of
from surefoot.bounds import clopper_pearson
from surefoot.case.model import Case, Node, Number, Policy
from surefoot.core import Check, Estimate, Target
from surefoot.opinions import Opinion

NODES = 10_000
SHARED = 300
RESULTS = 100
NUMBER = Number("p", Target(at_most=0.01))
# Assumptions that are nearly certain, so that the top claim of so many parts keeps a probability to look at.
POLICY = Policy(checked=Opinion(0.9999, 0.0, 0.0001))


def results() -> dict[str, Estimate]:
    """What was measured: a few estimates, all assumptions of which were checked."""
    return {f"test{number}.p": _checked(number) for number in range(RESULTS)}


def _checked(number: int) -> Estimate:
    estimate = clopper_pearson(number % 4, 3000 + number, level=0.95, quantity="p")
    checked = [replace(each, check=Check("supported", "looked at")) for each in estimate.assumptions]
    return replace(estimate, assumptions=tuple(checked))


def wide(nodes: int = NODES) -> Case:
    """Many claims side by side."""
    count = (nodes - 2) // 4
    parts = (node for place in range(count) for node in _claim(place, own=True))
    return _case([*_top(f"C{place}" for place in range(count)), *parts])


def deep(nodes: int = NODES) -> Case:
    """Each claim rests on the next."""
    count = nodes // 4
    return _case([node for place in range(count) for node in _claim(place, own=True, last=place == count - 1)])


def shared(nodes: int = NODES) -> Case:
    """Claims side by side that have assumptions in common."""
    count = (nodes - SHARED - 2) // 3
    parts = [node for place in range(count) for node in _claim(place, own=False)]
    return _case([*_top(f"C{place}" for place in range(count)), *parts, *map(_assumption, range(SHARED))])


def shared_deep(nodes: int = NODES) -> Case:
    """Claims that rest on the next and have assumptions in common."""
    count = (nodes - SHARED) // 3
    parts = [node for place in range(count) for node in _claim(place, own=False, last=place == count - 1)]
    return _case([*parts, *map(_assumption, range(SHARED))])


def _case(nodes: list[Node]) -> Case:
    return replace(Case.of(nodes), policy=POLICY)


def _top(claims: Iterator[str]) -> Iterator[Node]:
    yield Node("T", "claim", "The system is safe", supported_by=("D",))
    yield Node("D", "argument", "Over all parts", supported_by=tuple(claims), block="decomposition")


def _claim(place: int, *, own: bool, last: bool | None = None) -> Iterator[Node]:
    beside = (place,) if own else tuple((place * 7 + each * 13) % SHARED for each in range(4))
    below = () if last is None or last else (f"C{place + 1}",)
    text = f"Part {place} fails in at most 1% of demands"
    yield Node(f"C{place}", "claim", text, supported_by=(f"A{place}",), number=NUMBER)
    assumed = tuple(f"S{each}" for each in beside)
    block = "calculation"
    yield Node(f"A{place}", "argument", f"By tests {place}", (f"E{place}", *below), assumed, block=block)
    yield Node(f"E{place}", "evidence", f"Test report {place}", rests_on=f"test{place % RESULTS}.p")
    if own:
        yield _assumption(place)


def _assumption(place: int) -> Node:
    result = f"test{place % RESULTS}.p"
    return Node(
        f"S{place}", "side-claim", f"Trials {place} are independent", rests_on=result, assumption="independent-trials"
    )


def seconds(task: Callable[[], object]) -> float:
    """Wall-clock time of one call: a case keeps what it found about itself, so that a second call is not the same."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def steps(make: Callable[[], Case], folder: Path) -> dict[str, float]:
    """Seconds of each step, from the file to the last finding."""
    path = folder / "case.yaml"
    make().write(path)
    measured = results()
    read: list[Case] = []
    return {
        "read": seconds(lambda: read.append(Case.read(path))),
        "check": seconds(lambda: read[0].check(measured)),
        "evaluate": seconds(lambda: replace(read[0], policy=POLICY).evaluate(measured)),
        "YAML alone": best_of(lambda: yaml.load(path.read_bytes(), yaml.CSafeLoader), 1),
    }


def measure() -> list[Row]:
    """One row a shape of case."""
    rows = []
    for make in (wide, deep, shared, shared_deep):
        with tempfile.TemporaryDirectory() as folder:
            took = steps(make, Path(folder))
        parts = [f"{name} {took[name]:.2f} s" for name in ("read", "check", "evaluate")]
        whole = sum(took[name] for name in ("read", "check", "evaluate"))
        task = f"case of {NODES:,} nodes, {make.__name__.replace('_', ' and ')}"
        rows.append(Row(task, whole, "PyYAML, C loader", took["YAML alone"], ", ".join(parts)))
    return rows


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:45} {row.seconds:6.2f} s: {row.note}; YAML alone {row.peer_seconds:.2f} s")
