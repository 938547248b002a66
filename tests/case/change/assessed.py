"""A small case that is assessed by a few lines of its own, so that tests do not lean on the evaluation they compare."""

from dataclasses import replace

from surefoot.bounds import clopper_pearson
from surefoot.case import Assessed, Case, Evaluation, Node, Number, Snapshot
from surefoot.core import Assumption, Check, Evidence, Provenance, Target

QUANTITY = "failure probability"


def node(identity, kind, *below, **rest):
    return Node(identity, kind, rest.pop("text", f"{kind} {identity}"), supported_by=below, **rest)


def case(limit=0.01, level=0.95):
    """Top over two claims with a number; the second rests on an assumption."""
    number = Number(QUANTITY, Target(at_most=limit, level=level))
    return Case.of(
        [
            node("top", "claim", "over"),
            node("over", "argument", "misses", "alarms", block="decomposition"),
            node("misses", "claim", "counted", number=number, text="It misses little"),
            node("counted", "argument", "tests", in_context_of=("iid",), block="evidence incorporation"),
            node("tests", "evidence", rests_on=f"misses.{QUANTITY}"),
            node("iid", "side-claim", rests_on=f"misses.{QUANTITY}", assumption="iid"),
            node("alarms", "claim", "alarm tests", number=number),
            node("alarm tests", "evidence", rests_on=f"alarms.{QUANTITY}"),
        ],
        name="door guard",
    )


def step(name, failures, trials=1000, *, model="m1", data="d1", seed=0, sources="s1", params=(), check="supported"):
    """Evidence as a step leaves it."""
    assumption = Assumption("iid", "Rows are independent", Check(check, "runs test"))
    estimate = replace(clopper_pearson(failures, trials, level=0.95), assumptions=(assumption,))
    digests = {"data": data * 32, "model": model * 32}
    shown = {"component": "door", "level": 0.95, **dict(params)}
    versions = {"surefoot": "0.1.0", "sources": sources}
    return Evidence((estimate,), provenance=Provenance(f"step.{name}", shown, (), digests, seed, versions))


def evaluation(case, evidence):
    """Standing by the rules: a number by its verdict, the rest by what is below; a side-claim by its check."""
    found = {}
    for identity in case.upward:
        here = case[identity]
        standing = _standing(case, here, evidence, found)
        estimate = _estimate(here, evidence) if here.kind == "evidence" else None
        found[identity] = Assessed(standing, why=f"{identity} is {standing}", estimate=estimate)
    return Evaluation(case, found)


def snapshot(case, misses, alarms, **rest):
    evidence = {"misses": misses, "alarms": alarms}
    digests = {"door.model": misses.provenance.data["model"], "door.test": misses.provenance.data["data"]}
    versions = {"numpy": "2.0", "python": "3.11"}
    known = {"digests": digests, "versions": versions, "system": "Door guard", **rest}
    return Snapshot(case, evaluation(case, evidence), evidence, **known)


def _estimate(here, evidence):
    found, _, quantity = here.rests_on.partition(".")
    return evidence[found][quantity] if found in evidence else None


def _standing(case, here, evidence, found):
    if here.kind == "side-claim":
        checks = {"supported": "supported", "contradicted": "contradicted", "unchecked": "not shown"}
        return checks[_estimate(here, evidence).assumptions[0].status]
    if here.kind == "evidence":
        return "supported"
    if here.number is not None:
        return _verdict(case, here, evidence, found)
    below = [found[each].standing for each in here.supported_by]
    return min(below, key=["contradicted", "not shown", "supported"].index, default="not shown")


def _verdict(case, here, evidence, found):
    below = [case[each] for each in here.supported_by]
    warrants = [beside for each in below for beside in each.in_context_of]
    leaves = [
        leaf for each in below for leaf in ([each] if each.kind == "evidence" else map(case.__getitem__, each.below))
    ]
    verdicts = [
        _estimate(leaf, evidence).meets(here.number.target).status for leaf in leaves if leaf.kind == "evidence"
    ]
    if not verdicts or any(found[each].standing == "contradicted" for each in warrants):
        return "not shown"
    return {"met": "supported", "violated": "contradicted", "not shown": "not shown"}[verdicts[0]]
