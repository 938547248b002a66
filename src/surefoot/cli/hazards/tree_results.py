"""What was found of a fault tree, as people read it in a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.cli.console import SPACE_BETWEEN, VERDICT_STYLES, console, plain, say, table, tell, waiting
from surefoot.cli.conventions import figure
from surefoot.cli.hazards.tree import Answer, listed
from surefoot.documents import counted, percent, shortened

if TYPE_CHECKING:
    from surefoot.core import Verdict
    from surefoot.faulttree import FaultTree
    from surefoot.faulttree.allocation import Allocation
    from surefoot.faulttree.analysis import Approximation, TreeResult
    from surefoot.faulttree.cutsets import CutSets
    from surefoot.faulttree.importance import Importance, Measure


MOST_ORDERS = 6
LEFT_OUT = "tree-left-out"
MISSING = "bold red"
ABSENT = (
    "The tree is not coherent: cut sets do not say which events must be absent, and one can be more probable than the "
    "top event. prime_implicants() in Python names the absent ones too."
)
Fact = tuple[str, str, str]
"""Label, text, style of the text."""


def show(found: Answer) -> None:
    """Everything, the answer first."""
    tree = found.tree
    say(tree.name, style="bold")
    _facts([*_structure(found), *_top(found), *_target(found)])
    with waiting("minimal cut sets"):
        sets, approximations = found.cut_sets, found.approximations
    if sets is not None:
        _cut_sets(sets, found)
    elif found.compiled and found.question.cut_sets:
        tell("\nMinimal cut sets are beyond the budget; raise --time-limit or --node-budget.", style="yellow")
    if approximations:
        told = ", ".join(f"{each.name} {figure(each.value)} ({each.error:+z.2%})" for each in approximations)
        tell(f"by approximation from all of them: {told}", style="dim")
    if found.importance is not None:
        show_importance(found.importance)
    if found.allocation is not None:
        _allocation(found.allocation)
    _other_problems([tree])


def show_tops(answers: Mapping[str, Answer]) -> None:
    """All top events of a file in one table."""
    trees = [found.tree for found in answers.values()]
    say(f"{len(answers):,} top events", style="bold")
    columns = ["top event", "probability", "low", "high", "which is"]
    rows = [[name, *_numbers(found)] for name, found in answers.items()]
    shares = [tree.attributes.get(tree.top, {}).get("time fraction", "") for tree in trees]
    if any(shares):
        columns.append("of the time")
        rows = [[*row, share] for row, share in zip(rows, shares, strict=True)]
    verdicts = [found.verdict for found in answers.values()]
    if any(verdict is not None for verdict in verdicts):
        columns.append("target")
        rows = [[*row, "-" if verdict is None else verdict.status] for row, verdict in zip(rows, verdicts, strict=True)]
    table(columns, rows, right=[*columns[1:4], "of the time"])
    for text in dict.fromkeys(text for tree in trees for text in tree.left_out):
        tell(f"left out: {text}", style=MISSING)
    tell("--top NAME shows the cut sets of one of them, and what matters.", style="dim")
    _other_problems(trees)


def warn_of_left_out(trees: Iterable[FaultTree]) -> None:
    """Say in the stream of errors what the numbers lack."""
    for problem in dict.fromkeys(problem for tree in trees for problem in tree.problems):
        if problem.code == LEFT_OUT:
            say(problem, stderr=True, style=MISSING)


def _other_problems(trees: Iterable[FaultTree]) -> None:
    for problem in dict.fromkeys(problem for tree in trees for problem in tree.problems):
        if problem.code != LEFT_OUT:
            tell(f"\n{problem}", style="yellow")


def _numbers(found: Answer) -> list[str]:
    """Probability, both ends, and what they are."""
    result = found.result
    if result is None:
        return ["-", "-", "-", f"unknown: {counted(len(found.unknown), 'event')} without a probability"]
    value = "-" if result.probability is None else figure(result.probability, digits=6)
    return [value, *_interval(result), _what(result)]


def _what(result: TreeResult) -> str:
    kind = result.top.bounds[0].kind
    if result.tree.left_out:
        return "NOT what the file means: something is left out"
    if not result.compiled:
        return f"{kind} bounds; an exact value is beyond the budget"
    return "exact" if kind == "certain" else f"exact, inputs at their means; bounds {kind}, {percent(result.level)}"


def _structure(found: Answer) -> Iterator[Fact]:
    tree = found.tree
    learned = [name for name in tree.events if "component" in tree.attributes.get(name, {})]
    members = len({member for group in tree.groups for member in group.members})
    grouped = f" ({members:,} in {counted(len(tree.groups), 'common-cause group')})" if tree.groups else ""
    told = [counted(len(tree.gates), "gate"), f"{counted(len(tree.events) + members, 'basic event')}{grouped}"]
    told += [counted(len(tree.houses), "house event")] if tree.houses else []
    if found.compiled:
        told.append("coherent" if tree.compiled.coherent else "not coherent: some events also prevent the top event")
    yield "top event", tree.labels.get(tree.top, tree.top), ""
    yield "tree", ", ".join(told), ""
    if learned:
        yield "learned events", listed(learned), "magenta"


def _top(found: Answer) -> Iterator[Fact]:
    result = found.result
    if result is None:
        yield (
            "probability",
            f"unknown: {counted(len(found.unknown), 'event')} without one ({listed(found.unknown)})",
            "",
        )
        return
    if not result.compiled:
        low, high = _interval(result)
        sure = "" if found.tree.left_out else ", certainly"
        yield "probability", f"between {low} and {high}{sure}; an exact value is beyond the budget", "bold"
        yield from (("left out", text, MISSING) for text in found.tree.left_out)
        lacking = "cut sets, importance, allocation" if found.question.allocate else "cut sets, importance"
        yield "not computed", f"{lacking}; raise --time-limit or --node-budget", "yellow"
        return
    value = result.probability or 0.0
    low, high = _interval(result)
    spread = bool(result.top.bounds) and result.top.bounds[0].kind != "certain" and _differ(result)
    basis = ", with every input at its mean" if spread else ""
    if result.exact:
        yield "probability", f"{figure(value, digits=6)}, exact{basis}", "bold"
    else:
        yield "probability", f"{figure(value, digits=6)} of the tree as read{basis}: NOT what the file means", MISSING
    yield from (("left out", text, MISSING) for text in found.tree.left_out)
    if spread:
        interval = f"{low} to {high} ({result.top.bounds[0].kind}, {percent(result.level)})"
        together = "counted together" in result.top.details
        yield "uncertainty", f"{interval}, {'observed' if together else 'mean'} {figure(result.top.value)}", ""
        if together:
            yield "bounds by", f"{result.top.details['method']}: {result.top.details['because']}", ""
    if found.as_in_file is not None:
        yield "as in the file", figure(found.as_in_file, digits=6), ""


def _differ(result: TreeResult) -> bool:
    low, high = result.top.interval(result.level)
    return low < high


def _interval(result: TreeResult) -> tuple[str, str]:
    low, high = result.top.interval(result.level)
    return figure(low, rounding=ROUND_FLOOR), figure(high, rounding=ROUND_CEILING)


def _target(found: Answer) -> Iterator[Fact]:
    verdict = found.verdict
    if verdict is not None:
        asked = f"at most {verdict.target.limit:g} at level {percent(verdict.target.level)}"
        yield "target", f"{asked}: {verdict.status}{_shown_bound(verdict)}", VERDICT_STYLES[verdict.status]
        stated = found.result.stated if verdict and found.result else ()
        if stated:
            yield "as stated", f"{listed(stated)}: numbers of the file itself, which nobody measured", "dim"


def _shown_bound(verdict: Verdict) -> str:
    """The one-sided bound that decides; it is closer than the end of an interval at the same level."""
    if verdict.bound is None or verdict.bound.kind == "certain":
        return ""
    words, rounding = ("at most", ROUND_CEILING) if verdict.bound.side == "upper" else ("at least", ROUND_FLOOR)
    return f" ({words} {figure(verdict.bound.limit, rounding=rounding)} is shown)"


def _cut_sets(sets: CutSets, found: Answer) -> None:
    tell(f"\n{counted(sets.total_count, 'minimal cut set')}{_orders(sets)}", style="bold")
    if not sets:
        return
    coherent = found.tree.compiled.coherent
    total = found.result.probability if found.result and coherent else None
    rows = [(str(each), f"{each.order}", figure(each.probability), _part(each.probability, total)) for each in sets]
    columns = ("cut set", "order", "probability", "of the top event")
    table(columns, rows, right=columns[1:])
    if sets.omitted_count:
        bound = "" if found.unknown else f", together at most {figure(sets.omitted_sum, rounding=ROUND_CEILING)}"
        say(f"{sets.omitted_count:,} more{bound}", style="dim")
    if not coherent:
        tell(ABSENT, style="dim")


def _orders(sets: CutSets) -> str:
    """How many there are of each order, the higher ones together."""
    known = list(sets.by_order.items())
    told = [f"{number:,} of order {order}" for order, number in known[:MOST_ORDERS]]
    higher = sum(number for _, number in known[MOST_ORDERS:])
    told += [f"{higher:,} of order {known[MOST_ORDERS][0]} to {known[-1][0]}"] if higher else []
    return f": {', '.join(told)}" if told else ""


def _allocation(allocation: Allocation) -> None:
    say(f"\nWhat the target asks of events ({allocation.method})", style="bold")
    rows = [
        (name, figure(allocation.today[name]), figure(limit, rounding=ROUND_FLOOR), _tests(allocation, name), *told)
        for name, limit in allocation.requirements.items()
        for told in [_change(allocation, name, limit)]
    ]
    columns = ("event", "today", "at most", "clean tests", "improve by", "")
    table(columns, rows, right=columns[1:5])
    words = "the target is met" if allocation.feasible else "the best that can be reached, and the target is not met"
    held = f", the others at their bounds at {percent(allocation.each)}" if allocation.held else ""
    tell(f"top event then {figure(allocation.top)}{held}: {words}", style="" if allocation.feasible else "bold red")
    if allocation.tests:
        level = percent(allocation.level)
        tell(f"clean tests: so many of each, none failed, show the target at {level} when the tree is assessed anew")
    for name, best in list(allocation.blockers.items())[:3]:
        tell(f"  {name} stands in the way: {figure(best)} were it perfect", style="dim")


def _tests(allocation: Allocation, name: str) -> str:
    return f"{allocation.tests[name]:,}" if allocation.tests else "-"


def _change(allocation: Allocation, name: str, limit: float) -> tuple[str, str]:
    today = allocation.today[name]
    if today is None or not limit or today == limit:
        return "-", "as today" if today == limit else ""
    return f"{figure(today / limit)} times", "tighter" if limit < today else "looser"


def _facts(facts: Sequence[Fact]) -> None:
    from rich.table import Table

    shown = Table.grid(padding=(0, 2, 0, 0))
    for label, text, style in facts:
        shown.add_row(plain(f"  {label}", style="dim"), plain(text, style=style))
    console().print(shown)


def _part(value: float | None, total: float | None) -> str:
    return f"{value / total:.1%}" if value is not None and total else "-"


# The events of a fault tree that matter most, as a table that fits a terminal.

MEASURES: dict[Measure, str] = {
    "fussell_vesely": "Fussell-Vesely",
    "birnbaum": "Birnbaum",
    "raw": "RAW",
    "rrw": "RRW",
}
EXPENDABLE = ("RRW", "Fussell-Vesely", "Birnbaum")
"""Left out where there is no room; RRW says the same as criticality, Fussell-Vesely nearly the same."""
LONGEST_NAME = 40
READABLE_NAME = 20


def show_importance(importance: Importance) -> None:
    """A table of the usual measures, as many as fit."""
    say("\nEvents that matter most", style="bold")
    numbers = {"criticality": [figure(importance.of(n, "criticality"), digits=3) for n in importance.names]}
    if importance.kind not in (None, "certain"):
        numbers[f"{percent(importance.level)} interval"] = [_ends(importance, name) for name in importance.names]
    for measure, title in MEASURES.items():
        numbers[title] = [figure(importance.of(name, measure), digits=3) for name in importance.names]
    names = [shortened(name, LONGEST_NAME) for name in importance.names]
    left_out = _leave_out(numbers, min(READABLE_NAME, max(map(len, names))))
    table(("event", *numbers), list(zip(names, *numbers.values(), strict=True)), right=tuple(numbers))
    if left_out:
        tell(f"too wide for here: {', '.join(left_out)}; --json has everything", style="dim")


def _leave_out(numbers: dict[str, list[str]], name_width: int) -> list[str]:
    """Take away columns until the others fit."""
    left_out = []
    for title in EXPENDABLE:
        widths = (max(map(len, (head, *cells))) + SPACE_BETWEEN for head, cells in numbers.items())
        if name_width + sum(widths) > console().width:
            left_out.append(title)
            del numbers[title]
    return left_out


def _ends(importance: Importance, name: str) -> str:
    low, high = importance.interval(name, "criticality")
    return f"[{figure(low, digits=2, rounding=ROUND_FLOOR)},{figure(high, digits=2, rounding=ROUND_CEILING)}]"


# What was found of a fault tree, as JSON with stable keys.

VERSION = 1


def as_text(found: Answer, written: Sequence[Path]) -> str:
    """One object; what is not known is null."""
    data = {
        "version": VERSION,
        "tree": _tree_data(found),
        "top": None if found.result is None else _top_data(found.result, found.approximations),
        "probability_as_in_file": found.as_in_file,
        "target": _target_data(found),
        "cut_sets": _cut_sets_data(found),
        "importance": None if found.importance is None else _importance_data(found.importance),
        "allocation": None if found.allocation is None else _allocation_data(found.allocation),
        "warnings": [problem.to_dict() for problem in found.tree.problems],
        "written": [str(path) for path in written],
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def tops_as_text(answers: Mapping[str, Answer]) -> str:
    """One object with all top events, by the names that ``--top`` takes."""
    tops = [
        {
            "name": name,
            "tree": _tree_data(found),
            "top": None if found.result is None else _top_data(found.result, ()),
            "target": _target_data(found),
            "warnings": [problem.to_dict() for problem in found.tree.problems],
        }
        for name, found in answers.items()
    ]
    return json.dumps({"version": VERSION, "tops": tops}, indent=2, ensure_ascii=False)


def _tree_data(found: Answer) -> dict[str, Any]:
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


def _top_data(result: TreeResult, approximations: Sequence[Approximation]) -> dict[str, Any]:
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


def _target_data(found: Answer) -> dict[str, Any] | None:
    if found.verdict is None:
        return None
    target = found.verdict.target
    return {"at_most": target.limit, "level": target.level, "status": found.verdict.status, "met": bool(found.verdict)}


def _cut_sets_data(found: Answer) -> dict[str, Any] | None:
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


def _importance_data(importance: Importance) -> dict[str, Any]:
    return {
        "level": importance.level,
        "kind": importance.kind,
        "events": {name: {m: _measure(importance, name, m) for m in importance.values} for name in importance.names},
        "notes": list(importance.notes),
    }


def _measure(importance: Importance, name: str, measure: Any) -> dict[str, float | None]:
    low, high = importance.interval(name, measure)
    return {"value": importance.of(name, measure), "low": low, "high": high}


def _allocation_data(allocation: Allocation) -> dict[str, Any]:
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
