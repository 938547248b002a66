"""What was found of a fault tree, as JSON with stable keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.cli.tree_answer import Answer

if TYPE_CHECKING:
    from surefoot.faulttree.allocation import Allocation
    from surefoot.faulttree.importance import Importance
    from surefoot.faulttree.result import Approximation, TreeResult

VERSION = 1


def as_text(found: Answer, written: Sequence[Path]) -> str:
    """One object; what is not known is null."""
    data = {
        "version": VERSION,
        "tree": _tree(found),
        "top": None if found.result is None else _top(found.result, found.approximations),
        "probability_as_in_file": found.as_in_file,
        "target": _target(found),
        "cut_sets": _cut_sets(found),
        "importance": None if found.importance is None else _importance(found.importance),
        "allocation": None if found.allocation is None else _allocation(found.allocation),
        "warnings": [problem.to_dict() for problem in found.tree.problems],
        "written": [str(path) for path in written],
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def tops_as_text(answers: Mapping[str, Answer]) -> str:
    """One object with all top events, by the names that ``--top`` takes."""
    tops = [
        {
            "name": name,
            "tree": _tree(found),
            "top": None if found.result is None else _top(found.result, ()),
            "target": _target(found),
            "warnings": [problem.to_dict() for problem in found.tree.problems],
        }
        for name, found in answers.items()
    ]
    return json.dumps({"version": VERSION, "tops": tops}, indent=2, ensure_ascii=False)


def _tree(found: Answer) -> dict[str, Any]:
    tree = found.tree
    return {
        "name": tree.name,
        "top": tree.top,
        "gates": len(tree.gates),
        "events": len({*tree.events, *(member for group in tree.groups for member in group.members)}),
        "house_events": len(tree.houses),
        "common_cause_groups": len(tree.groups),
        "coherent": tree.compiled.coherent if found.compiled else None,
        "without_probability": list(found.unknown),
        "left_out": list(tree.left_out),
        "learned": {n: said["component"] for n, said in tree.attributes.items() if "component" in said},
    }


def _top(result: TreeResult, approximations: Sequence[Approximation]) -> dict[str, Any]:
    low, high = result.top.interval(result.level)
    return {
        "exact": result.exact,
        "probability": result.probability,
        "mean": result.top.value if result.compiled else None,
        "low": low,
        "high": high,
        "level": result.level,
        "kind": result.top.bounds[0].kind,
        "unit": result.top.unit,
        "approximations": {a.name: {"value": a.value, "relative_error": a.error} for a in approximations},
        "assumptions": [a.to_dict() for a in result.top.assumptions],
        "caveats": [caveat.to_dict() for caveat in result.top.caveats],
    }


def _target(found: Answer) -> dict[str, Any] | None:
    if found.verdict is None:
        return None
    target = found.verdict.target
    return {"at_most": target.limit, "level": target.level, "status": found.verdict.status, "met": bool(found.verdict)}


def _cut_sets(found: Answer) -> dict[str, Any] | None:
    sets = found.cut_sets
    if sets is None:
        return None
    return {
        "count": sets.total_count,
        "by_order": {str(order): number for order, number in sets.by_order.items()},
        "shown": [{"events": list(each.events), "order": each.order, "probability": each.probability} for each in sets],
        "omitted_count": sets.omitted_count,
        "omitted_sum_at_most": None if found.unknown else sets.omitted_sum,
    }


def _importance(importance: Importance) -> dict[str, Any]:
    return {
        "level": importance.level,
        "kind": importance.kind,
        "events": {name: {m: _measure(importance, name, m) for m in importance.values} for name in importance.names},
        "notes": list(importance.notes),
    }


def _measure(importance: Importance, name: str, measure: Any) -> dict[str, float | None]:
    low, high = importance.interval(name, measure)
    return {"value": importance.of(name, measure), "low": low, "high": high}


def _allocation(allocation: Allocation) -> dict[str, Any]:
    return {
        "method": allocation.method,
        "feasible": allocation.feasible,
        "top": allocation.top,
        "level": allocation.level,
        "level_of_each": allocation.each,
        "requirements": {
            name: {"today": allocation.today[name], "at_most": limit, "tests": (allocation.tests or {}).get(name)}
            for name, limit in allocation.requirements.items()
        },
        "bound_after_the_tests": None if allocation.assessed is None else allocation.assessed.upper(allocation.level),
        "in_the_way": dict(allocation.blockers),
        "cost": allocation.cost,
        "notes": list(allocation.notes),
    }
