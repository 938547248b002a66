"""Writes, in a checkout, what follows from definitions: front doors and reference pages (``make generated``)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from surefoot.core.registry import Entry, Registry

WIDTH = 120
CATALOGUE = """\
# Everything that is registered

Made from the definitions by `make generated`. Each is defined in one place, which says its name, what it does and what
it takes; [extending.md](extending.md) shows how to add one of each kind, here or in a package of your own.
"""

COMMAND_LINE = """\
# Command line

Made from the commands' own help by `make generated`; the same text is printed by
`surefoot COMMAND --help`. [quickstart.md](quickstart.md) shows the commands at work.

| exit code | meaning |
| --- | --- |
| 0 | done; `assess`: every target is met |
| 1 | `assess`, `tree`: a target is not met; `hazop check`, `case check`: something is left to do |
| 1 | `hazop diff`: something differs; `assess`, `case diff`, `case verify`: a claim fell; `watch`: something raised |
| 2 | the project could not be assessed, the store is damaged, or the command was called wrongly |
| 130 | stopped by Ctrl-C; finished steps are kept |

What is wrong is printed on stderr. `surefoot --debug COMMAND`, or `SUREFOOT_DEBUG=1`, adds the traceback.
`surefoot --install-completion` makes the shell complete commands and options.
"""
FIRST = "# What is registered; written by `make generated`."
LAST = "# End of what `make generated` writes."


def generated(root: Path) -> dict[Path, str]:
    """Every generated file of a checkout with the text it should have."""
    from surefoot.project.definition.schema import refreshed

    docs = root / "docs"
    steps = docs / "steps.md"
    found = {
        docs / "cli.md": reference(),
        docs / "catalogue.md": catalogue(),
        steps: refreshed(steps.read_text(encoding="utf-8")),
    }
    for door, kinds in doors().items():
        path = root / "src" / Path(*door.split(".")) / "__init__.py"
        found[path] = shown(path.read_text(encoding="utf-8"), kinds)
    return found


def registries() -> tuple[Registry[Any], ...]:
    """All kinds of things that can be registered."""
    from surefoot.bounds import bound
    from surefoot.case.checks import case_check
    from surefoot.corruptions import corruption
    from surefoot.metrics import metric
    from surefoot.monitors import DETECTORS, returns
    from surefoot.project.registry import step
    from surefoot.reliability import ball_estimator, cell_estimator

    return (
        step,
        bound,
        cell_estimator,
        ball_estimator,
        DETECTORS,
        returns.return_function,
        corruption,
        metric,
        case_check,
    )


def doors() -> dict[str, tuple[Registry[Any], ...]]:
    """Packages that show what is registered, and the kinds that they show."""
    _, bound, in_cells, in_balls, detectors, return_function, _, metric, _ = registries()
    return {
        "surefoot.bounds": (bound,),
        "surefoot.metrics.tasks": (metric,),
        "surefoot.monitors": (detectors,),
        "surefoot.monitors.returns": (return_function,),
        "surefoot.reliability": (in_cells, in_balls),
    }


def shown(text: str, kinds: Iterable[Registry[Any]]) -> str:
    """The text of a front door, with what it shows of these kinds between the two marks."""
    before, first, rest = text.partition(FIRST)
    _, last, after = rest.partition(LAST)
    ours = [entry for kind in kinds for entry in kind.own.values() if entry.facts.get("public", True)]
    modules: dict[str, list[str]] = {}
    for entry in sorted(ours, key=lambda entry: entry.module):
        modules.setdefault(entry.module, []).append(entry.attribute)
    imports = [_wrapped(f"    from {module} import ", names, "()") for module, names in modules.items()]
    every = _wrapped("__all__ += ", [f'"{name}"' for name in _sorted(entry.attribute for entry in ours)], "[]")
    return before + "\n".join([first, "if TYPE_CHECKING:", *imports, every, last]) + after


def catalogue() -> str:
    """A page with a table for each kind."""
    return "\n".join([CATALOGUE, *(_table(kind) for kind in registries())])


def _table(kind: Registry[Any]) -> str:
    facts = [fact for fact in kind.facts if fact != "public"]
    head = ["name", *(fact.replace("_", " ") for fact in facts), "what it does", "defined in"]
    rows = [_row(entry, facts) for entry in kind.own.values()]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
    return "\n".join([f"## {kind.kind.capitalize()}s\n", f"Entry point group `{kind.group}`.\n", *lines, ""])


def _row(entry: Entry[Any], facts: Iterable[str]) -> list[str]:
    where = f"`{entry.module.removeprefix('surefoot.')}.{entry.attribute}`"
    summary = entry.summary.replace("|", "\\|")
    return [f"`{entry.name}`", *(_fact(entry.facts.get(fact)) for fact in facts), summary, where]


def _fact(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, dict):
        return "; ".join(f"`{code}`: {meaning}" for code, meaning in value.items())
    return ", ".join(f"`{each}`" for each in ([value] if isinstance(value, str) else value))


def _sorted(names: Iterable[str]) -> list[str]:
    """As ruff has it: constants, classes, functions."""
    return sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def _wrapped(start: str, names: list[str], brackets: str) -> str:
    names = _sorted(names) if brackets == "()" else names
    inside = ", ".join(names)
    line = f"{start}[{inside}]" if brackets == "[]" else f"{start}{inside}"
    if len(line) <= WIDTH:
        return line
    margin = " " * (len(start) - len(start.lstrip()))
    inner = "\n".join(f"{margin}    {name}," for name in names)
    return f"{start}{brackets[0]}\n{inner}\n{margin}{brackets[1]}"


def reference() -> str:
    """The page of all commands."""
    return "\n".join([COMMAND_LINE, *("\n".join(_section(path, node)) for path, node in commands())])


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with the words that call it, groups before what is in them."""
    from typer.main import get_command

    from surefoot.cli.commands import app

    return _walk("surefoot", get_command(app))


def parameters(node: Any) -> list[Any]:
    """Arguments and options of a command, as far as they are its own."""
    completion = ("install_completion", "show_completion")
    return [each for each in node.params if each.name not in (*completion, "help")]


def examples(node: Any) -> list[str]:
    """The command lines below a command's help."""
    lines = (node.epilog or "").splitlines()
    return [line.strip() for line in lines if line.startswith("  surefoot ")]


def _walk(path: str, node: Any) -> Iterator[tuple[str, Any]]:
    yield path, node
    for name, child in getattr(node, "commands", {}).items():
        yield from _walk(f"{path} {name}", child)


def _section(path: str, node: Any) -> Iterator[str]:
    yield f"## {path}\n"
    yield f"{inspect.cleandoc(node.help)}\n"
    if examples(node):
        yield "```console"
        yield from (f"$ {line}" for line in examples(node))
        yield "```\n"
    if parameters(node):
        yield "| | meaning | default |\n| --- | --- | --- |"
        yield from (_reference_row(each) for each in parameters(node))
        yield ""


def _reference_row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = str(parameter.metavar)
    else:
        name = " ".join(filter(None, (", ".join(parameter.opts), parameter.metavar)))
    cells = (f"`{name}`", parameter.help, _default(parameter))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(parameter: Any) -> str:
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    if parameter.required:
        return "needed"
    return "" if parameter.default in (None, False) else f"`{parameter.default}`"


if __name__ == "__main__":
    for _path, _text in generated(Path.cwd()).items():
        if not _path.exists() or _path.read_text(encoding="utf-8") != _text:
            _path.write_text(_text, encoding="utf-8")
