"""Keys of recordings change when what decides the content does, and only then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.refusals import told

from surefoot import metrics
from surefoot.metrics import tasks
from surefoot.monitors import KernelDensity
from surefoot.systems import CLEAN, Condition, Items, Loop, Module, Score, System, records


def plus(amount):
    return lambda v: [value + amount for value in v]


def shaken(seed, v):
    return [value + seed % 7 for value in v]


def system(amount=1, *, distance="numeric", noisy=shaken, rounds=2, initial=0.0):
    return System(
        [
            Module("a", plus(amount), {"v": "x"}, gives="number", noisy=noisy, distance=distance),
            Module("b", lambda v, s: list(v), {"v": "a", "s": "b"}, gives="number", distance=None),
        ],
        inputs={"x": "number"},
        loops={"b.s": Loop(rounds, initial)},
    )


ITEMS = Items({"x": [1.0, 2.0, 3.0]}, truth=[1.0, 2.0, 3.0], names=["p", "q", "r"])


def recording(**changes):
    given = {"system": system(), "items": ITEMS, "condition": CLEAN, "start": 0, "passes": records.Passes(3), "seed": 0}
    return records.Recording(**{**given, "folder": Path("folder"), **changes})


def own(values, severity, *, seed, first):
    return values


CHANGES = {
    "nothing": {},
    "code": {"system": system(2)},
    "rounds": {"system": system(rounds=3)},
    "initial": {"system": system(initial=1.0)},
    "noise": {"system": system(noisy=lambda seed, v: v)},
    "no distance": {"system": system(distance=None)},
    "inputs": {"items": Items({"x": [1.0, 2.0, 4.0]}, names=["p", "q", "r"])},
    "names": {"items": Items({"x": [1.0, 2.0, 3.0]}, names=["p", "q", "s"])},
    "condition": {"condition": Condition("own", 1, "x", function=own)},
    "severity": {"condition": Condition("own", 2, "x", function=own)},
    "start": {"start": 3},
    "passes": {"passes": records.Passes(4)},
    "through": {"passes": records.Passes(3, "module")},
    "seed": {"seed": 1},
}


def test_every_change_of_what_is_recorded_changes_the_key():
    keys = {name: recording(**change).key for name, change in CHANGES.items()}
    assert len(set(keys.values())) == len(CHANGES)
    assert keys["nothing"] == recording().key


def test_what_does_not_decide_what_is_recorded_leaves_the_key():
    for change in [
        {"folder": Path("elsewhere")},
        {"items": replace(ITEMS, truth=[7.0, 8.0, 9.0])},
        {"items": replace(ITEMS, groups=[0, 0, 1])},
        {"items": Items({"x": (1.0, 2.0, 3.0)}, names=("p", "q", "r"))},
        {"system": system(distance=metrics.distances.numeric(scale=2))},
    ]:
        with told(change):
            assert recording(**change).key == recording().key


def judges(**changes):
    given = {
        "metric": tasks.wer(),
        "places": ("b",),
        "detectors": {},
        "fitted": "",
        "own": {},
        "passes": records.Passes(3),
    }
    return records.Judges(**{**given, **changes})


def scoring(*, judge=None, **changes):
    given = {
        "system": system(),
        "recorded": records.Part(Path("r") / "0.parquet", "key", 0, 3),
        "truth": ["a", "b", "c"],
    }
    return records.Scoring(
        **{**given, "truth_digest": "truth", "judges": judge or judges(), "folder": Path("f"), **changes}
    )


def close(limit):
    return tasks.success_rate(lambda output, truth: abs(output - truth) < limit)


def squared(output, truth):
    return (output - truth) ** 2


def cubed(output, truth):
    return abs(output - truth) ** 3


SCORINGS = {
    "nothing": {},
    "recorded": {"recorded": records.Part(Path("r") / "0.parquet", "another key", 0, 3)},
    "truth": {"truth_digest": "other truth"},
    "distance": {"system": system(distance="label")},
    "scale": {"system": system(distance=metrics.distances.numeric(scale=2))},
    "lower case": {"judge": judges(metric=tasks.wer(lower_case=True))},
    "punctuation": {"judge": judges(metric=tasks.wer(drop_punctuation=True))},
    "characters": {"judge": judges(metric=metrics.tasks.cer())},
    "judge": {"judge": judges(metric=close(0.1))},
    "another judge": {"judge": judges(metric=close(0.2))},
    "function": {"judge": judges(metric=tasks.mean_of(squared, name="error"))},
    "another function": {"judge": judges(metric=tasks.mean_of(cubed, name="error"))},
    "empty": {"judge": judges(metric=tasks.mean_of(cubed, name="error", empty=0.0))},
    "places": {"judge": judges(places=("b", "a"))},
    "own": {"judge": judges(own={Score("a", "doubt"): "a"})},
    "fitted": {"judge": judges(fitted="to something else")},
    "detectors": {"judge": judges(detectors={Score("a", "KDE"): KernelDensity()})},
}


def test_every_change_of_what_is_scored_changes_the_key():
    keys = {name: scoring(**change).key for name, change in SCORINGS.items()}
    assert len(set(keys.values())) == len(SCORINGS)
    assert keys["nothing"] == scoring().key
    assert scoring(folder=Path("elsewhere")).key == keys["nothing"]


def test_a_metric_made_twice_has_one_key():
    for metric in [tasks.wer(), metrics.tasks.bleu(), metrics.tasks.mota(), metrics.tasks.rmse(), close(0.3)]:
        with told(metric):
            made = {
                "wer": tasks.wer,
                "bleu": metrics.tasks.bleu,
                "mota": metrics.tasks.mota,
                "rmse": metrics.tasks.rmse,
            }
            again = made.get(metric.name, lambda: close(0.3))()
            assert judges(metric=metric).version == judges(metric=again).version
