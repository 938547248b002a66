"""SCRAM as the judge of expressions."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Judge = Callable[[Sequence[tuple]], list[float]]


def xml(expression: tuple | float) -> str:
    """An Open-PSA expression from its name and arguments."""
    if not isinstance(expression, tuple):
        return f'<float value="{expression!r}"/>'
    name, *arguments = expression
    return f"<{name}>{''.join(xml(item) for item in arguments)}</{name}>"


def cut(expression: tuple) -> tuple:
    """SCRAM refuses what could leave [0, 1] for some draw, so the expression is kept inside."""
    return ("min", 1.0, ("max", 0.0, expression))


def scram_values(expressions: Sequence[tuple], folder: Path) -> list[float]:
    """The probabilities that SCRAM gives to basic events with these expressions, at its default mission time."""
    trees = "".join(
        f'<define-fault-tree name="T{i}"><define-gate name="G{i}"><basic-event name="E{i}"/></define-gate>'
        f'<define-basic-event name="E{i}">{xml(cut(expression))}</define-basic-event></define-fault-tree>'
        for i, expression in enumerate(expressions)
    )
    model, report = folder / "model.xml", folder / "report.xml"
    model.write_text(f"<opsa-mef>{trees}</opsa-mef>")
    command = ["scram", str(model), "--probability", "1", "--bdd", "-o", str(report)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    found = re.findall(r'<sum-of-products name="G(\d+)"[^>]*? probability="([^"]+)"', report.read_text())
    values = {int(index): float(value) for index, value in found}
    return [values.get(i, 0.0) for i in range(len(expressions))]


def precise_values(expressions: Sequence[tuple], folder: Path) -> list[float]:
    """The same to eleven digits: SCRAM prints six, so a second run asks for what the first left out."""
    rough = [value * (1 - 1e-5) for value in scram_values(expressions, folder)]
    scales = [1e4 / max(value, 1e-300) for value in rough]
    finer = [
        ("mul", scale, ("sub", expression, value)) if value else expression
        for expression, value, scale in zip(expressions, rough, scales, strict=True)
    ]
    rest = scram_values(finer, folder)
    return [value + part / scale for value, part, scale in zip(rough, rest, scales, strict=True)]


@pytest.fixture
def scram(tmp_path: Path) -> Judge:
    """Expressions as nested tuples, name first, to their values by SCRAM."""
    if shutil.which("scram") is None:
        pytest.skip("SCRAM is not installed")
    return lambda expressions: precise_values(expressions, tmp_path)
