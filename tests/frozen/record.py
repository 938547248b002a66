"""Makes each part of the record: results of projects, help and output of commands, public names."""

import contextlib
import json
import os
import pkgutil
import re
import runpy
import shlex
import shutil
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from typer.testing import CliRunner

import surefoot as sf

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples"
TEMPLATES = ROOT / "src" / "surefoot" / "cli" / "templates"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "torch")
MOST_ROWS, DIGITS = 40, 10
DIGEST = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b")
NO_RESULT = ("created", "iterations", "versions", "keys", "digests", "provenance", "key", "inputs", "artefacts")
"""Dates, identities, and pictures, which nothing computes with."""
NO_COLUMN = ("calls",)
"""How often a search asked its model follows from the last digits of scores, which processors round differently."""


def kept(name):
    """A part as it was written down; None where it was not."""
    path = HERE / "kept" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def write(name, part):
    """Write a part down, in lines that a diff can show."""
    (HERE / "kept").mkdir(exist_ok=True)
    text = json.dumps(part, indent=1, sort_keys=True, ensure_ascii=False)
    (HERE / "kept" / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def made(name, folder):
    """Make a part anew, in an empty folder."""
    return json.loads(json.dumps(PARTS[name](folder)))


def project(source, prepare, folder):
    """Keys, digests, JSON results and verdicts of a project."""
    home = folder / "project"
    shutil.copytree(source, home, ignore=shutil.ignore_patterns("__pycache__", ".surefoot", "*.lock", "dot-*"))
    with _inside(home):
        prepare()
        loaded = sf.load(home / "surefoot.yaml")
        result = sf.run(loaded, store=None)
    return {
        "libraries": {name: version(name) for name in LIBRARIES},
        "inputs": dict(result.digests),
        "verdicts": {answer.name: answer.status for answer in result.answers},
        "steps": {
            name: {
                "step": loaded.definition.steps[name].step,
                "key": result.keys[name],
                "results": [estimate.digest for estimate in evidence.estimates],
            }
            for name, evidence in result.evidence.items()
        },
        "result": plain(result.to_dict(), home),
    }


def plain(value, home):
    """Data without dates, identities, paths and pictures; of long tables the beginning."""
    if isinstance(value, dict) and set(NO_COLUMN) & set(value.get("columns", ())):
        kept = [place for place, column in enumerate(value["columns"]) if column not in NO_COLUMN]
        rows = [[row[place] for place in kept] for row in value["rows"]]
        value = value | {"columns": [value["columns"][place] for place in kept], "rows": rows}
    if isinstance(value, dict):
        return {name: plain(item, home) for name, item in value.items() if name not in NO_RESULT}
    if isinstance(value, list):
        shown = [plain(item, home) for item in value[:MOST_ROWS]]
        return shown if len(value) <= MOST_ROWS else [*shown, f"{len(value)} in all"]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return DIGEST.sub("DIGEST", value.replace(str(home), "HOME")) if isinstance(value, str) else value


def helps(folder):
    """What ``--help`` of every command prints."""
    from surefoot.cli import generated

    return {path: _called(*path.split()[1:], "--help").splitlines() for path, _ in generated.commands()}


OUTPUTS = (
    "trials --at-most 0.001",
    "trials --at-most 0.01 --rate 0.005 --level 0.99",
    "steps",
    "corruptions",
    "check guard",
    "assess guard",
    "evidence verify --store guard/.surefoot",
    "tree tree.yaml",
    "tree tree.yaml --importance 3 --cut-sets 10",
    "tree tree.yaml --json",
    "tree tree.yaml --set 'classifier misses the asset=29/3052' --target 3e-6",
    "hazop check hazop.yaml --scenarios scenarios.yaml",
    "hazop to-tree hazop.yaml --scenarios scenarios.yaml --top 'safe distance is lost' -o made.yaml",
    "case new own.case.yaml --template monitor",
    "case check own.case.yaml",
    "case show own.case.yaml",
)


def outputs(folder):
    """What a dozen commands print and how they exit, in one folder and in this order."""
    for path in (EXAMPLES / "safe_distance" / "tree.yaml", *(EXAMPLES / "inspection_vehicle").glob("*.yaml")):
        shutil.copy(path, folder)
    (folder / "surefoot.yaml").unlink()
    with _inside(folder):
        _called("init", "guard")
        return {line: _called(*shlex.split(line)).replace(str(folder), "HOME").splitlines() for line in OUTPUTS}


def names(folder):
    """The public names of each package."""
    found = {package: import_module(f"surefoot.{package}") for _, package, _ in pkgutil.iter_modules(sf.__path__)}
    return {"surefoot": sorted(sf.__all__)} | {
        name: sorted(module.__all__) for name, module in found.items() if hasattr(module, "__all__")
    }


def _called(*words):
    from surefoot.cli import app

    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "SUREFOOT_DATA": ""})
    done = runner.invoke(app, list(words), prog_name="surefoot")
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\+00:00| UTC|Z)?|\d{4}-\d\d-\d\d", "DATE", done.output)
    return f"{text}exit code {done.exit_code}\n"


@contextlib.contextmanager
def _inside(folder):
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _nothing():
    pass


def _trained():
    runpy.run_path("train.py", run_name="__main__")


def _weights():
    runpy.run_path("world.py")["write_weights"]("reader.safetensors")


PROJECTS = {
    "demo": (TEMPLATES / "demo", _trained),
    "start": (TEMPLATES / "start", _nothing),
    "every_step": (HERE / "every_step", _weights),
    "inspection_vehicle": (EXAMPLES / "inspection_vehicle", _nothing),
    "safe_distance": (EXAMPLES / "safe_distance", _nothing),
    "screening_barriers": (EXAMPLES / "screening_barriers", _nothing),
}
PARTS = {name: partial(project, *how) for name, how in PROJECTS.items()} | {
    "help": helps,
    "outputs": outputs,
    "names": names,
}
