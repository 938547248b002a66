"""Mutation testing: functions with one thing changed, which some test must notice.

Tests are collected once. A mutant is a fork in which the code of one function is exchanged in place, so that whoever
imported it has it too; it runs the tests that call the function, the fastest first, until one fails.
"""

import ast
import gc
import inspect
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from copy import deepcopy
from pathlib import Path

import pytest

import surefoot

SOURCE = Path(surefoot.__file__).parent
TARGETS = {
    "core": (["core"], ["tests/core"]),
    "bounds": (["bounds"], ["tests/bounds"]),
    "logic": (["faulttree/logic"], ["tests/faulttree"]),
    "confidence": (["case/confidence"], ["tests/case"]),
    "verification": (
        ["project/reproduction.py", "case/change/seal.py", "case/change/keys.py"],
        ["tests/project/test_verification.py", "tests/case/change"],
    ),
}
MOST_SECONDS = 60
SWAPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def sites(tree):
    """Places that can be changed, each with what is done there; texts, messages and annotations are left out."""
    for node in inside_functions(tree):
        if isinstance(node, ast.Compare):
            yield from ((node, ("ops", at)) for at, op in enumerate(node.ops) if type(op) in SWAPPED)
        elif (isinstance(node, ast.BinOp) and type(node.op) in SWAPPED) or isinstance(node, ast.BoolOp):
            yield node, ("op",)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield node, ("operand",)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            yield node, ("value",)
        elif isinstance(node, ast.IfExp | ast.If | ast.While) and not isinstance(node.test, ast.Compare | ast.BoolOp):
            yield node, ("test",)
        elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            yield node, ("return",)


def inside_functions(tree):
    """Nodes that run when a function does; not what only words an error, nor annotations and defaults."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from worth(statement)


def worth(node):
    if isinstance(
        node, ast.Raise | ast.FunctionDef | ast.ClassDef | ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom
    ):
        return
    yield node
    for name, child in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, ast.AST):
                yield from worth(each)


def changed(node, how):
    """Change the node in place."""
    kind = how[0]
    if kind == "ops":
        node.ops[how[1]] = SWAPPED[type(node.ops[how[1]])]()
    elif kind == "op":
        node.op = SWAPPED[type(node.op)]()
    elif kind == "operand":
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        node.operand = ast.UnaryOp(ast.Not(), node.operand) if isinstance(node.op, ast.Not) else node.operand
    elif kind == "value":
        value = node.value
        node.value = (not value) if isinstance(value, bool) else value + 1
    elif kind == "test":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif kind == "return":
        node.value = ast.Constant(None)


def mutants_of(path):
    """``(number, line, what)`` of every mutant of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        (number, node.lineno, f"{how[0]}: {lines[node.lineno - 1].strip()[:100]}")
        for number, (node, how) in enumerate(sites(tree))
    ]


def compiled(path, number):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node, how = [*sites(tree)][number]
    changed(node, how)
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


def codes(code):
    yield code
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from codes(constant)


def place_of(code):
    return code.co_qualname, code.co_firstlineno


class Mutations:
    """A plugin of pytest that runs mutants instead of tests."""

    def __init__(self, files, most, seed, report):
        self.files, self.most, self.seed, self.report = files, most, seed, report
        self.failed = False

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        calls, seconds = self.watched(session)
        every = [(path, *mutant) for path in self.files for mutant in mutants_of(path)]
        chosen = random.Random(self.seed).sample(every, min(self.most or len(every), len(every)))
        functions = self.functions()
        seen = {"mutants": 0, "killed": 0, "unreached": 0, "survivors": []}
        for path, number, line, what in sorted(chosen):
            before = compile(path.read_text(encoding="utf-8"), str(path), "exec")
            old = [c for c in codes(before) if c.co_firstlineno <= line <= last_line(c) and c.co_name != "<module>"]
            outer = [c for c in old if place_of(c) in functions[str(path)]]
            if not outer:
                continue
            function = max(outer, key=lambda c: c.co_firstlineno)
            tests = sorted(calls[str(path), *place_of(function)], key=lambda name: seconds[name])
            survived = not tests or self.survives(session, path, number, functions[str(path)], tests)
            seen["mutants"] += 1
            seen["killed"] += not survived
            seen["unreached"] += not tests
            if survived:
                seen["survivors"].append(
                    f"{path.relative_to(SOURCE)}:{line}: {what}{'' if tests else ' (no test calls it)'}"
                )
            self.report(seen, len(chosen))
        session.testsfailed = 0
        return True

    def functions(self):
        """Functions by file and place; whoever imported one has the same object."""
        gc.unfreeze()
        found = defaultdict(lambda: defaultdict(list))
        names = {str(path) for path in self.files}
        for each in gc.get_objects():
            if inspect.isfunction(each) and each.__code__.co_filename in names:
                found[each.__code__.co_filename][place_of(each.__code__)].append(each)
        return found

    def watched(self, session):
        """Which tests call which function, and how long each takes; each test in turn, in a fork of its own."""
        names = {str(path) for path in self.files}
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self.quiet()
            with os.fdopen(writer, "w") as stream:
                for at, item in enumerate(session.items):
                    called = set()

                    def follow(frame, event, _argument, called=called):
                        if event == "call" and frame.f_code.co_filename in names:
                            called.add((frame.f_code.co_filename, *place_of(frame.f_code)))

                    begun, self.failed = time.perf_counter(), False
                    sys.setprofile(follow)
                    following = session.items[at + 1] if at + 1 < len(session.items) else None
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                    sys.setprofile(None)
                    if not self.failed:
                        spent = time.perf_counter() - begun
                        stream.write(json.dumps([item.nodeid, spent, sorted(called)]) + "\n")
            os._exit(0)
        os.close(writer)
        calls, seconds = defaultdict(set), {}
        with os.fdopen(reader) as stream:
            for line in stream:
                name, spent, called = json.loads(line)
                seconds[name] = spent
                for key in called:
                    calls[tuple(key)].add(name)
        os.waitpid(child, 0)
        return calls, seconds

    def survives(self, session, path, number, functions, tests):
        child = os.fork()
        if child == 0:
            self.quiet()
            signal.alarm(MOST_SECONDS)
            for code in codes(compiled(path, number)):
                for function in functions.get(place_of(code), ()):
                    if len(code.co_freevars) == len(function.__code__.co_freevars):
                        function.__code__ = code
            items = {item.nodeid: item for item in session.items}
            for name in tests:
                items[name].config.hook.pytest_runtest_protocol(item=items[name], nextitem=None)
                if self.failed:
                    os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        # Whatever runs until the alarm ends it has been noticed, or has too many tests: the fastest came first.
        return status == 0

    @staticmethod
    def quiet():
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)


def last_line(code):
    return max((line for *_, line in code.co_lines() if line), default=code.co_firstlineno)


def campaign(target, *, most=None, seed=0, on_progress=lambda seen, total: None):
    """Test so many mutants of a target, drawn at random, or all of them."""
    where, tests = TARGETS[target]
    files = [
        f
        for name in where
        for f in ([SOURCE / name] if name.endswith(".py") else sorted((SOURCE / name).rglob("*.py")))
    ]
    found = {}

    def report(seen, total):
        found.update(deepcopy(seen))
        on_progress(seen, total)

    plugin = Mutations(files, most, seed, report)
    pytest.main(
        ["-p", "no:cacheprovider", "-p", "no:terminal", "-o", "addopts=--import-mode=importlib", *tests],
        plugins=[plugin],
    )
    return found
