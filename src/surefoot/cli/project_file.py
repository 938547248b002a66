"""``surefoot init``, ``check``, ``schema``, ``steps`` and ``demo``: from the first project file to its plan."""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surefoot.cli.console import counted, listed, quoted, say, table
from surefoot.cli.conventions import PROJECT_FILE, ProjectFile, share, show_diagnostics

if TYPE_CHECKING:
    from surefoot.project import Proposal, Task


def check(file: ProjectFile = Path(PROJECT_FILE)) -> None:
    """Check a project file without computing any evidence.

    Reads the first rows of tables, and tries functions of the project that vary inputs (within:) on a few rows, in a
    process of their own; no model is run. Prints every problem at once, each with its code, file and line, and exits
    with 2; or prints the plan: the steps in the order in which they will run.
    """
    from surefoot.core import DiagnosticsError
    from surefoot.project import check as problems_of
    from surefoot.project import load, plan

    project = load(file)
    found = problems_of(project)
    DiagnosticsError.raise_if_any(found)
    show_diagnostics(found)
    tasks = plan(project)
    table(("evidence", "step", "on", "waits for"), [_row(task) for task in tasks])
    targets = project.definition.all_targets
    say(f"\n{project.path} is fine: {counted(tasks, 'step')}, {counted(targets, 'target')}.")


def _row(task: Task) -> tuple[str, str, str, str]:
    data = f"{task.component}.{task.data}" if task.component else ""
    return task.name, task.step.name, data, ", ".join(task.needs)


# ``surefoot schema``: JSON Schema of what Surefoot reads and writes.


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


# ``surefoot steps``: what evidence can be computed, and what each step may be told.

SHARED_KEYS = ("step",)
WORDS = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
    "object": "mapping",
    "null": "",
}


def steps(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A step, to see its parameters.", show_default="all steps")
    ] = None,
) -> None:
    """List the steps that compute evidence, or the parameters of one."""
    from surefoot.project.registry import find, names

    if name is None:
        table(("step", "what it does"), [(each, _summary(each)) for each in names()])
        say("\nsurefoot steps NAME shows the parameters of a step.")
        return
    say(f"{name}\n\n{find(name).documentation}\n")
    table(("parameter", "meaning"), list(_parameters(name)))


def _summary(name: str) -> str:
    from surefoot.core import DiagnosticsError
    from surefoot.project.registry import find

    try:
        step = find(name)
    except DiagnosticsError as error:
        return error.diagnostics[0].text
    return f"{step.summary} ({step.distribution})" if step.distribution else step.summary


def _parameters(name: str) -> Iterator[tuple[str, str]]:
    from surefoot.project import step_schema

    definitions = step_schema()["$defs"]
    schema = definitions[f"step.{name}"]
    for key, about in schema["properties"].items():
        if key not in SHARED_KEYS:
            needed = "; needed" if key in schema["required"] else _default(about.get("default"))
            yield key, f"{_type(about, definitions)}{needed}\n{about.get('description', '')}".strip()


def _default(value: Any) -> str:
    return "" if value is None else f"; {json.dumps(value).strip(chr(34))} by default"


def _type(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """A JSON Schema in a few words."""
    if "$ref" in schema:
        return _type(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(word for part in schema["anyOf"] if (word := _type(part, definitions))))
    if "enum" in schema or "const" in schema:
        return ", ".join(map(str, schema.get("enum", [schema.get("const")])))
    kind = schema.get("type", "anything")
    if kind == "array":
        inner = schema.get("items")
        return f"list of {_type(inner, definitions)}" if isinstance(inner, Mapping) else "list"
    return WORDS.get(kind, kind)


# ``surefoot demo``: a whole assessment, from training to report.

FOLDER = "surefoot-demo"
TRAINING = "train.py"
MADE_BY_TRAINING = ("model.skops", "forest.skops", "train.npz", "test.npz")
REPORT = "report.html"


def demo(
    folder: Annotated[
        Path, typer.Option("--folder", metavar="DIR", help=f"Where to make {FOLDER}/ and {REPORT}.")
    ] = Path(),
) -> None:
    """See an assessment, from training to report.

    Trains a breast-cancer classifier on data that come with scikit-learn, assesses it on patients it has never seen,
    and writes report.html. Works offline and takes seconds. The targets were chosen beforehand; not all need be met.
    """
    from surefoot.cli.assess import LockFile, computed
    from surefoot.cli.conventions import put
    from surefoot.cli.report import show_result
    from surefoot.project import load
    from surefoot.report import html

    home = folder / FOLDER
    _keep_foreign_report(home, folder / REPORT)
    copy_missing("demo", home)
    _train_once(home)
    project = load(home / PROJECT_FILE)
    lock = LockFile.of(project, locked=False)
    result = computed(project)
    put(html(result), folder / REPORT)
    show_result(result)
    _say_what_next(home, folder / REPORT)
    lock.settle(result)


def _train_once(home: Path) -> None:
    from surefoot.documents.files import writing

    if not all((home / name).exists() for name in MADE_BY_TRAINING):
        say("Training on one half of the patients ...", stderr=True)
        with writing(str(home)):
            runpy.run_path(str(home / TRAINING), run_name="__main__")


def _keep_foreign_report(project: Path, report: Path) -> None:
    if report.exists() and not project.exists():
        from surefoot.core import InvalidInput

        raise InvalidInput("there is a report already", where=str(report), remedy="Name another place with --folder.")


def _say_what_next(project: Path, report: Path) -> None:
    say(f"\nReport: {report.resolve()}")
    say(f"Next: open it, change {project / PROJECT_FILE}, and run: surefoot assess {project} --html {report}")
    say("Your own model: surefoot init my-project --model model.onnx --data test.csv")


# ``surefoot init``: a project to start from.

GITIGNORE, KEPT_OUT = ".gitignore", ".surefoot/\n"
LONGEST_SHOWN = 60


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to make the project in; . is this one.")],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Your model: .skops, .onnx, .tflite, a pickle, or module:name.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DATA",
            help="Rows it has never seen, with the truth: a file, a folder of images or masks, or module:name.",
            show_default=False,
        ),
    ] = None,
    operation: Annotated[
        str | None,
        typer.Option("--operation", metavar="DATA", help="Rows from operation, without labels.", show_default=False),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="P",
            help="The largest failure probability that is acceptable; without it 0.05, marked as nobody's.",
            show_default=False,
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            metavar="COLUMN[,COLUMN]",
            help="The column of the truth; several for several labels a row.",
            show_default=False,
        ),
    ] = None,
    predictions: Annotated[
        str | None,
        typer.Option(
            "--predictions",
            metavar="COLUMN[,COLUMN]",
            help="Columns of answers made elsewhere; of boxes and masks the file or folder that holds them.",
            show_default=False,
        ),
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option(
            "--inputs",
            metavar="COLUMN[,COLUMN]",
            help="Columns that the model takes, in its order.",
            show_default=False,
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="NAME[,NAME]",
            help="All classes in the order of the model's columns, or its labels.",
            show_default=False,
        ),
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(
            "--images",
            metavar="PICTURES",
            help="The folder of pictures, or the film, that a model of boxes or masks looks at.",
            show_default=False,
        ),
    ] = None,
    detector: Annotated[
        str | None,
        typer.Option(
            "--detector",
            metavar="MAPPING",
            help="What comes out of an ONNX detector, as in the project file: '{boxes: dets, scores: conf}'.",
            show_default=False,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="The .safetensors of a torch module that --model module:name builds.",
            show_default=False,
        ),
    ] = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(
            "--trust",
            metavar="TYPE",
            help="pickle, or a type that a skops file holds; repeat for more.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Start a project from model and data, or from an example.

    With --data, and --model unless the data bring predictions, it reads both, lets the model answer a few rows, and
    writes a commented project file. What it guesses (task, columns, classes) it says, here and in the file; what it
    cannot tell it asks for. Whether answers are right is not looked at. Several columns or classes are one word with
    commas between them, such as --labels fire,smoke. Without --data it writes an example with a small model and test
    data. Nothing is overwritten.
    """
    if data is None:
        others = (model, operation, target, labels, predictions, inputs, classes, images, detector, weights)
        if any(each is not None for each in others) or trust:
            raise typer.BadParameter("give --data too: the rows to test with")
        _start_example(folder)
        return
    if operation is not None and model is None:
        raise typer.BadParameter("--operation needs --model: rows of operation are for a model to answer")
    if weights is not None and model is None:
        raise typer.BadParameter("--weights needs --model module:name, the function that builds the torch module")
    _refuse_present(folder, [PROJECT_FILE])
    from surefoot.cli.console import waiting
    from surefoot.project import propose

    with _made(folder), waiting("reading the data and trying the model"):
        found = propose(
            folder,
            model=model,
            weights=weights,
            data=data,
            operation=operation,
            target=None if target is None else share(target, "--target", "0.01"),
            labels=labels,
            predictions=_names(predictions),
            inputs=_names(inputs),
            classes=_names(classes),
            images=images,
            detector=None if detector is None else _mapping(detector, "--detector"),
            trust=tuple(trust or ()),
        )
        written = _write_proposal(found, folder)
    _show_proposal(found)
    _say_started(folder, written)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",")) if text else ()


def _mapping(text: str, option: str) -> Mapping[str, Any]:
    from surefoot.documents import Findings, yaml

    found = yaml.parse(text, Findings(option)).data
    if not isinstance(found, Mapping):
        raise typer.BadParameter(f"{option} takes a mapping, such as '{{boxes: dets, scores: conf}}'")
    return found


def _start_example(folder: Path) -> None:
    _refuse_present(folder, [name for name in project_files("start") if not name.startswith(".")])
    _say_started(folder, copy_missing("start", folder))


def _refuse_present(folder: Path, names: Iterable[str]) -> None:
    present = [name for name in names if (folder / name).exists()]
    if present:
        from surefoot.core import InvalidInput

        raise InvalidInput(
            "nothing was written, to overwrite nothing",
            where=str(folder),
            found=", ".join(present),
            remedy="Name another folder, or move these files away.",
        )


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """The folder, which goes away again where nothing came of it."""
    from surefoot.documents.files import writing

    absent = [place for place in (folder, *folder.parents) if not place.exists()]
    with writing(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for place in absent:
            with suppress(OSError):
                place.rmdir()
        raise


def _write_proposal(found: Proposal, folder: Path) -> list[Path]:
    from surefoot.project.store import write_atomically

    files = {folder / PROJECT_FILE: found.text, folder / GITIGNORE: KEPT_OUT}
    written = [place for place in files if not place.exists()]
    for place in written:
        write_atomically(place, files[place].encode())
    return written


def _show_proposal(found: Proposal) -> None:
    for sentence in found.found:
        say(f"found  {sentence}")
    say()
    guesses = [(each.key, _short(each.value), each.why) for each in found.guesses if not each.certain]
    if guesses:
        table(("guessed", "value", "because"), guesses)
    if found.remarks:
        say("\nBefore you believe a number:")
        listed(found.remarks)
    say()


def _short(value: object) -> str:
    from surefoot.documents import shortened

    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shortened(text, LONGEST_SHOWN)


def _say_started(folder: Path, written: Iterable[Path]) -> None:
    for path in written:
        say(f"wrote {path}")
    inside = "" if folder.resolve() == Path.cwd() else f"  cd {quoted(folder)}\n"
    say(f"\nNext:\n{inside}  surefoot check\n  surefoot assess --html report.html")


# Projects that ship with Surefoot and are copied into a user's folder.

TEMPLATES = "templates"
HIDDEN = "dot-"


def project_files(name: str) -> dict[str, Traversable]:
    """The files of a shipped project by the names they get; hidden ones ship under a name that is not hidden."""
    found = files("surefoot.cli").joinpath(TEMPLATES, name).iterdir()
    named = {each.name.replace(HIDDEN, ".", 1) if each.name.startswith(HIDDEN) else each.name: each for each in found}
    return {title: named[title] for title in sorted(named) if named[title].is_file()}


def copy_missing(name: str, folder: Path) -> list[Path]:
    """Copy a shipped project into a folder, leave files that are there, and say which were written."""
    from surefoot.project.store import write_atomically

    missing = {folder / title: source for title, source in project_files(name).items()}
    missing = {target: source for target, source in missing.items() if not target.exists()}
    for target, source in missing.items():
        write_atomically(target, source.read_bytes())
    return list(missing)
