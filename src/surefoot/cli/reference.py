"""Writes ``docs/cli.md`` from the commands themselves: ``python -m surefoot.cli.reference > docs/cli.md``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

HEAD = """\
# Command line

Made from the commands' own help by `python -m surefoot.cli.reference > docs/cli.md`; the same text is printed by
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


def reference() -> str:
    """The page."""
    return "\n".join([HEAD, *("\n".join(_section(path, node)) for path, node in commands())])


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
        yield from (_row(each) for each in parameters(node))
        yield ""


def _row(parameter: Any) -> str:
    cells = (f"`{_name(parameter)}`", parameter.help, _default(parameter))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    return " ".join(filter(None, (", ".join(parameter.opts), parameter.metavar)))


def _default(parameter: Any) -> str:
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    if parameter.required:
        return "needed"
    return "" if parameter.default in (None, False) else f"`{parameter.default}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
