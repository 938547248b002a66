"""Results made of real estimates, as a run makes them, for every test of a report."""

from dataclasses import replace

import numpy as np

import surefoot as sf
from surefoot.case import Goal, Ingredients, instantiate
from surefoot.core import Artefact, Assumption, Check, Diagnostic, Evidence, Provenance, Table
from surefoot.drawing import figure_svg
from surefoot.project import Answer, Looks, Result

RNG_SEED = 2
CONDITION = Assumption(
    "adult",
    "Patients are adults.",
    Check("supported", "rows outside the condition", {"rows": 500, "outside age": 0}, 0.0),
)
DEFINITION = {
    "version": 1,
    "system": {
        "name": "Breast cancer screening",
        "description": "A second reader that sorts fine-needle aspirates.",
        "hazard": "A malignant tumour is sent home.",
    },
    "conditions": {
        "assumptions": [
            {"id": "same-device", "text": "Images come from the device the test data came from."},
            {"id": "adult", "text": "Patients are adults.", "column": "age", "at_least": 18},
        ],
        "odd": {"density": ["low", "high"], "age group": ["young", "old"]},
    },
    "components": {
        "screening": {
            "model": {"path": "model.skops"},
            "data": {"test": {"path": "test.npz", "inputs": "X", "labels": "y"}},
            "classes": ["benign", "malignant"],
        }
    },
    "evidence": {
        "counted": {"step": "binomial_bound", "of": "malignant", "level": 0.95},
        "normal": {"step": "normal_bound", "level": 0.95},
        "recall": {"step": "metric_opinion", "metric": "recall", "positive": "malignant"},
    },
    "targets": {"misses": {"estimate": "counted.failure probability", "at_most": 0.05}},
    "seed": 7,
}


def margins(n=500):
    return np.random.default_rng(RNG_SEED).normal(3, 1, n)


def counted(failures=3, trials=200, scope="malignant"):
    return sf.bounds.clopper_pearson(failures, trials, level=0.95, scope=scope)


def opinion():
    recall = sf.opinions.chain(sf.opinions.recall(470, 10), sf.opinions.coverage(95, 100))
    return recall.to_estimate(quantity="recall", scope="malignant")


def evidence_of(estimate, step, **parts):
    return Evidence((estimate,), provenance=Provenance(f"step.{step}", {"level": 0.95}, seed=7), **parts)


def answer(name, claim, reference, estimate, target, *, needed=(), looks=None, new_tests=None):
    verdict = estimate.meets(target)
    level = None if looks is None else 1 - (1 - target.level) / (looks * (looks + 1))
    bound = verdict.bound
    ratio = target.limit / bound.limit if bound and bound.limit else None
    return Answer(
        name,
        claim,
        reference,
        target,
        estimate,
        verdict,
        margin=ratio if ratio is None or target.relation == "at most" else 1 / ratio,
        needed=() if verdict else tuple(needed),
        looks=looks or 1,
        corrected_level=level,
        corrected=estimate.meets(replace(target, level=level)) if level else None,
        new_tests=new_tests,
    )


def result(answers, evidence, *, definition=DEFINITION, caveats=(), created="2025-01-31T12:00:00+00:00", claim=""):
    goals = tuple(
        Goal(a.name, a.claim, a.verdict, a.estimate, a.reference, a.alone, a.corrected_level) for a in answers
    )
    stated = {each["id"]: each["text"] for each in definition.get("conditions", {}).get("assumptions", ())}
    system = definition["system"]["name"]
    ingredients = Ingredients(system, goals, evidence, claim, context=tuple(stated.values()), conditions=stated)
    return Result(
        definition=definition,
        evidence=evidence,
        answers=tuple(answers),
        case=instantiate(ingredients),
        keys={name: item.key for name, item in evidence.items()},
        digests={"screening.model": "a" * 64, "screening.test": "b" * 64},
        versions={"surefoot": sf.__version__, "numpy": np.__version__},
        looks=(Looks("screening.test", max((a.looks for a in answers), default=1)),),
        caveats=tuple(caveats),
        created=created,
    )


def normal_figure():
    return figure_svg(sf.bounds.plot_jarque_bera(margins()).figure)


def full(looks=1):
    """A target met, one not shown, one violated; figures, tables, caveats, repeated looks."""
    few, normal, recall = counted(), sf.bounds.normal_exact(margins(), level=0.95), opinion()
    shares = Table(("class", "rows", "failures", "share"), [("benign", 300, 1, 1 / 300), ("malignant", 200, 3, 0.015)])
    artefacts = {"Margins and the fitted normal": Artefact("image/svg+xml", normal_figure())}
    evidence = {
        "counted": evidence_of(few, "binomial_bound", tables={"Failures by class": shares}, assumptions=(CONDITION,)),
        "normal": evidence_of(normal, "normal_bound", artefacts=artefacts, assumptions=(CONDITION,)),
        "recall": evidence_of(recall, "metric_opinion"),
    }
    target = sf.Target
    needed = ["147 new tests show it with probability 80%.", "A failure rate of at most 0.0005 would show it."]
    answers = [
        answer(
            "misses",
            "A malignant tumour is missed at most once in 20 cases.",
            "counted.failure probability",
            few,
            target(at_most=0.05, source="Hazard analysis, table 3"),
            looks=looks,
        ),
        answer(
            "recall",
            "Of 100 malignant tumours at least 95 are found.",
            "recall.recall",
            recall,
            target(at_least=0.95, kinds=("credible", "heuristic")),
            needed=needed,
        ),
        answer(
            "risk",
            "The classifier errs at most once in 1,000 cases.",
            "normal.failure probability",
            normal,
            target(at_most=0.001),
            needed=needed,
            new_tests=Table(("if the failure rate is", "new tests"), [("as observed", 4711), ("half of that", None)]),
        ),
    ]
    caveats = [Diagnostic("pickle-trusted", "The model was read by pickle.", where="screening", hint="Use skops.")]
    return result(answers, evidence, caveats=caveats)


def met():
    """One target, met."""
    few = counted()
    found = answer("misses", "Few are missed.", "counted.failure probability", few, sf.Target(at_most=0.05))
    return result([found], {"counted": evidence_of(few, "binomial_bound")})


def without_targets():
    """Evidence and nothing asked of it."""
    return result([], {"counted": evidence_of(counted(), "binomial_bound")})


def contradicted():
    """A bound that keeps its limit and rests on what the data contradict."""
    skewed = sf.bounds.normal_exact(np.random.default_rng(RNG_SEED).exponential(3, 500) + 0.1, level=0.95)
    found = answer("risk", "The risk is small.", "normal.failure probability", skewed, sf.Target(at_most=0.5))
    return result([found], {"normal": evidence_of(skewed, "normal_bound")})
