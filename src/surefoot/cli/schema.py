"""``surefoot schema``: JSON Schema of what Surefoot reads and writes."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def schema(
    steps: Annotated[bool, typer.Option("--steps", help="The steps and their parameters instead.")] = False,
    result: Annotated[bool, typer.Option("--result", help="The result of `assess --json` instead.")] = False,
) -> None:
    """Print the JSON Schema of the project file.

    An editor with a YAML language server completes and checks the project file when its first line is
    "# yaml-language-server: $schema=surefoot.schema.json".
    """
    if steps and result:
        raise typer.BadParameter("give --steps or --result, not both")
    typer.echo(json.dumps(_schema(steps, result), indent=2))


def _schema(steps: bool, result: bool) -> dict[str, object]:
    if result:
        from surefoot.report import result_schema

        return result_schema()
    from surefoot.project import json_schema, step_schema

    return step_schema() if steps else json_schema()
