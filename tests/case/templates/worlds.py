"""Small estimates of every method, made by the library, and goals that ask for them."""

from functools import cache

import numpy as np
from tests.reliability.balls.known_truth import Known, world
from tests.reliability.worlds import above, strip

import surefoot as sf
from surefoot.case import Goal, Ingredients
from surefoot.core import Answer, Estimate, Evidence, Provenance, Table, Target, propagate
from surefoot.metrics import tasks
from surefoot.monitors import Stakes
from surefoot.profile import KDE
from surefoot.reliability import MonteCarlo, assess_balls, assess_cells
from surefoot.systems import CLEAN, Condition, Measurements, MemoryColumns, Mix, system_failure

COUNTED = sf.bounds.clopper_pearson(3, 200, level=0.95, scope="camera")
ANSWER = Answer("A. Berg", "2026-05-01", "The largest of three registers.")
STATED = Estimate.known("prevalence", 0.08, source="a register", scope="patients", answer=ANSWER)


def goal(name, estimate, *, step=None, text="", **target):
    """A goal that asks for a result, in the way that the estimate can be asked."""
    asked = Target(per=estimate.unit.removeprefix("per "), **(target or {"at_most": 0.5}))
    reference = f"{step or name}.{estimate.quantity}"
    return Goal(name, text or f"{name} is kept.", estimate.meets(asked), estimate, reference)


def found(*goals, evidence=None, **given):
    """Ingredients with evidence for each goal."""
    steps = {each.reference.partition(".")[0]: Evidence((each.estimate,)) for each in goals}
    return Ingredients("Screening", goals, steps | (evidence or {}), **given)


@cache
def normal(skewed=False):
    rng = np.random.default_rng(2)
    margins = rng.exponential(3, 400) + 0.1 if skewed else rng.normal(3, 1, 400)
    return sf.bounds.normal_exact(margins, level=0.95, scope="scores")


@cache
def cells():
    rng = np.random.default_rng(0)
    operation = strip(rng, 400)[0]
    options = {"side": 0.25, "domain": (0, 1), "estimator": MonteCarlo(50), "holdout": strip(rng, 120)}
    profile = KDE(0.1, boundary="reflect", domain=(0, 1)).fit(operation)
    return assess_cells(above(0.53), *strip(rng, 300), profile=profile, **options)


@cache
def published():
    rng = np.random.default_rng(0)
    options = {"side": 0.25, "domain": (0, 1), "estimator": MonteCarlo(50), "as_published": True}
    return assess_cells(above(0.53), *strip(rng, 300), profile=KDE(0.1).fit(strip(rng, 200)[0]), **options)


@cache
def balls():
    rng = np.random.default_rng(0)
    inputs = rng.random((60, 2, 2)).astype(np.float32)
    labels = (inputs.reshape(60, -1).sum(axis=1) > 2).astype(int)

    def scores(pictures):
        above_two = pictures.reshape(len(pictures), -1).sum(axis=1) - 2
        return np.column_stack([-above_two, above_two])

    risk = tuple(world("common", equal=True, seed=3, balls=60)[0].tolist())
    return assess_balls(scores, inputs, labels, radius=1e-4, estimator=Known(risk), checks=False)


@cache
def monitor():
    failed, alarms = np.repeat([1, 1, 0, 0], [40, 10, 30, 920]), np.repeat([1, 0, 1, 0], [40, 10, 30, 920])
    stakes = Stakes.of(
        lambda p, a, t, c: ~((p != t) & ~a),
        lambda p, a, t, c: ~((p == t) & a),
        predictions=failed,
        truths=np.zeros(1000, dtype=int),
        two_valued=True,
    )
    return sf.monitors.evaluate(stakes.under(alarms), scope="camera with monitor")


@cache
def system():
    fog = Condition("fog", 3)
    rows = {c: np.column_stack([np.arange(60) % n == 0, np.ones(60)]).astype(float) for c, n in ((CLEAN, 30), (fog, 6))}
    measured = Measurements("steering", tasks.mae(), tuple(rows), {}, MemoryColumns(rows, {}, {}), None)
    return system_failure(measured, Mix({"clean": 0.9, "fog 3": 0.1}), level=0.95, scope="steering")


@cache
def trusted():
    """Recall discounted by two links, as the step that finds it shows it."""
    recall = sf.opinions.recall(470, 10)
    links = {"calibration": sf.opinions.score(0.97, 480), "coverage": sf.opinions.coverage(27, 30)}
    left = sf.opinions.chain(recall, *links.values())
    estimate = left.to_estimate(quantity="trusted recall", kind="heuristic", scope="signs")
    rows = [
        (name, layer, float(o.belief), float(o.disbelief), float(o.uncertainty), "rows of the tests")
        for (name, o), layer in zip(links.items(), ("model", "data"), strict=True)
    ]
    columns = ("trust", "layer", "belief", "disbelief", "uncertainty", "from")
    return Evidence((estimate,), tables={"trust": Table(columns, tuple(rows))})


@cache
def multiplied():
    """Prevalence times misses, with the steps that they come from."""
    whole = propagate(
        lambda malignant, missed: malignant * missed,
        {"malignant": STATED, "missed": COUNTED},
        quantity="sent home",
        direction={"malignant": 1, "missed": 1},
        level=0.95,
    )
    factors = {"malignant": "prevalence.prevalence", "missed": "misses.failure probability"}
    product = Evidence((whole,), provenance=Provenance("step.product", {"factors": factors}))
    tested = Evidence((COUNTED,), provenance=Provenance("step.binomial_bound", {"component": "camera"}))
    return {"hazard": product, "prevalence": Evidence((STATED,)), "misses": tested}


def goals_of_all_methods():
    """One goal for each method, by the name of what it is argued by."""
    hazard = multiplied()["hazard"].estimates[0]
    return {
        "counted": goal("counted", COUNTED),
        "normal": goal("normal", normal()),
        "skewed": goal("skewed", normal(skewed=True)),
        "corrected": goal("corrected", cells().pmi),
        "published": goal("published", published().pmi),
        "balls": goal("balls", balls().pmi),
        "monitor": goal("monitor", monitor().residual_hazard),
        "system": goal("system", system()),
        "trust": goal("trust", trusted().estimates[0], at_least=0.9, kinds=("heuristic",)),
        "hazard": goal("hazard", hazard),
        "prevalence": goal("prevalence", STATED),
    }


def everything(**given):
    """Ingredients with all of them."""
    goals = goals_of_all_methods()
    evidence = multiplied() | {
        "corrected": Evidence((cells().pmi, cells().by_cells)),
        "monitor": Evidence(monitor().estimates),
        "trust": trusted(),
    }
    return found(*goals.values(), evidence=evidence, components={"camera": "Sees."}, **given)
