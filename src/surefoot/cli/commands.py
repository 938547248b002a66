"""All commands together, each with its examples."""

from __future__ import annotations

from typing import Annotated

import typer

from surefoot.cli import assess, case, case_change, data, evidence, project_file, report, watch
from surefoot.cli.conventions import command, debugging, group
from surefoot.cli.hazards import hazop, hazop_trees, improve, tree

GUIDE = "Start with: surefoot demo"

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, epilog=GUIDE)
evidence_app = group("evidence", "What the store holds: list, show, register, looks, export.")
case_app = group("case", case.ABOUT, guide=case.CASE_GUIDE)
hazop_app = group("hazop", "Hazard analysis: worksheets, and the trees they lead to.")
datasets_app = group("datasets", "Public data sets: list them, fetch them with their checksum.")


def _version(asked: bool) -> None:
    if asked:
        from surefoot.version import __version__

        typer.echo(f"surefoot {__version__}")
        raise typer.Exit


@app.callback()
def surefoot(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="SUREFOOT_DEBUG", help="Show a traceback when something fails.")
    ] = False,
) -> None:
    """Quantified safety cases of machine-learning components.

    Surefoot takes a trained model, a labelled test set and a safety target, and says whether the target is shown to be
    met: by which bound, under which assumptions, and what would be needed otherwise.
    """
    debugging.set(debug)


command(app, "demo", examples=["surefoot demo"])(project_file.demo)
command(
    app,
    "init",
    examples=[
        "surefoot init door-guard",
        "surefoot init my-project --model model.onnx --data test.csv --target 0.01",
        "surefoot init my-project --data answers.parquet --labels truth --predictions said",
        "surefoot init . --model network:build --weights network.safetensors --data test.npz --operation field.npz",
    ],
)(project_file.init)
command(app, "check", examples=["surefoot check", "surefoot check door-guard/surefoot.yaml"])(project_file.check)
command(
    app,
    "assess",
    examples=[
        "surefoot assess --html report.html",
        "surefoot assess --json - --quiet",
        "surefoot assess --locked --junit results.xml --markdown summary.md --fail-on violated",
        "surefoot assess --verify report.html",
        "surefoot assess --verify report.html --no-code",
    ],
    stopped=assess.RESUME,
)(assess.assess)
command(
    app,
    "report",
    examples=[
        "surefoot report -o report.html",
        "surefoot report --format pdf",
        "surefoot report -o - --format markdown",
    ],
)(report.report)
command(
    app,
    "improve",
    examples=[
        "surefoot improve",
        "surefoot improve --label 200 --on operation --csv labels.csv",
        "surefoot improve --label 200 --json",
    ],
)(improve.improve)
command(
    app,
    "watch",
    examples=[
        "surefoot watch surefoot.yaml test.csv",
        "surefoot watch . test.csv --batch 200 --state watch.json --feedback field.yaml --json",
    ],
    stopped=watch.STOPPED,
)(watch.watch)
command(
    app,
    "trials",
    examples=[
        "surefoot trials --at-most 1e-3",
        "surefoot trials --at-most 0.01 --rate 0.005",
        "surefoot trials --tests 5000 --failures 1 --at-most 1e-3",
    ],
)(improve.trials)
command(
    app,
    "tree",
    examples=[
        "surefoot tree distance.yaml",
        "surefoot tree distance.yaml --cut-sets 20 --importance 10 --diagram distance.svg",
        "surefoot tree distance.yaml --set 'classifier misses the asset=2/5000' --target 1e-2",
        "surefoot tree distance.yaml --target 1e-4 --allocate 'classifier misses the asset'",
        "surefoot tree distance.yaml --write distance.xml --json",
    ],
)(tree.tree)
command(
    app,
    "corruptions",
    examples=[
        "surefoot corruptions",
        "surefoot corruptions -o gallery.html",
        "surefoot corruptions -o fog.png --image photo.png --only fog --only rain",
        "surefoot corruptions -o voice.html --audio clip.wav --seed 7",
        "surefoot corruptions -o texts.html --text 'Gate 7 opens at 10:30'",
    ],
)(data.corruptions)
app.add_typer(hazop_app)
command(
    hazop_app,
    "new",
    examples=["surefoot hazop new vehicle.xlsx --name 'Vehicle'", "surefoot hazop new full.xlsx --from vehicle.xlsx"],
)(hazop.new)
command(
    hazop_app,
    "check",
    examples=["surefoot hazop check vehicle.xlsx", "surefoot hazop check vehicle.xlsx --scenarios chains.yaml --json"],
)(hazop.check)
command(
    hazop_app,
    "table",
    examples=[
        "surefoot hazop table vehicle.xlsx --risk undesirable",
        "surefoot hazop table vehicle.xlsx -o vehicle.html --diagram system.svg",
        "surefoot hazop table vehicle.xlsx -o vehicle.yaml",
    ],
)(hazop.table)
command(
    hazop_app,
    "to-tree",
    examples=[
        "surefoot hazop to-tree vehicle.xlsx --draft chains.yaml",
        "surefoot hazop to-tree vehicle.xlsx --scenarios chains.yaml --top 'no braking' -o tree.yaml",
    ],
)(hazop_trees.to_tree)
command(
    hazop_app,
    "diff",
    examples=[
        "surefoot hazop diff before.xlsx vehicle.xlsx",
        "surefoot hazop diff before.xlsx vehicle.xlsx --scenarios chains.yaml --top 'no braking' --target 1e-4",
    ],
)(hazop_trees.diff)
app.add_typer(case_app)
command(
    case_app,
    "show",
    examples=[
        "surefoot case show",
        "surefoot case show report.html --notation gsn --depth 4",
        "surefoot case show brakes.gsn.yaml vehicle.gsn.yaml",
    ],
)(case.show)
command(
    case_app,
    "check",
    examples=[
        "surefoot case check surefoot.yaml",
        "surefoot case check guard.case.yaml --evidence report.html --json",
        "surefoot case check vehicle.gsn",
    ],
)(case.check)
command(
    case_app,
    "draw",
    examples=[
        "surefoot case draw report.html case.svg",
        "surefoot case draw surefoot.yaml case.pdf --notation gsn",
        "surefoot case draw guard.case.yaml case.html",
        "surefoot case draw guard.case.yaml top.svg --depth 4",
    ],
)(case.draw)
command(
    case_app,
    "convert",
    examples=["surefoot case convert guard.case.yaml guard.xmi", "surefoot case convert report.html guard.case.json"],
)(case.convert)
command(
    case_app,
    "new",
    examples=["surefoot case new own.case.yaml", "surefoot case new signs --template amlas --notation gsn"],
)(case.new)
command(
    case_app,
    "matrix",
    examples=["surefoot case matrix", "surefoot case matrix guard.case.yaml matrix.csv --standard AMLAS"],
)(case.matrix)
command(
    case_app,
    "diff",
    examples=["surefoot case diff report.html surefoot.yaml", "surefoot case diff report.html . --json"],
)(case_change.diff)
command(
    case_app,
    "seal",
    examples=[
        "surefoot case seal --by 'A. Assessor'",
        "surefoot case seal report.html --key key.pem --by 'A. Author' --role author -o guard.seal.json",
    ],
)(case_change.seal)
command(
    case_app,
    "sign",
    examples=["surefoot case sign sealed.json --key assessor.pem --by 'A. Assessor' --role assessor"],
)(case_change.sign)
command(
    case_app,
    "verify",
    examples=[
        "surefoot case verify sealed.json surefoot.yaml",
        "surefoot case verify sealed.json report.html --public-key key.pem.pub",
    ],
)(case_change.verify)
command(case_app, "key", examples=["surefoot case key new.pem"])(case_change.key)
command(app, "steps", examples=["surefoot steps", "surefoot steps binomial_bound"])(project_file.steps)
app.add_typer(evidence_app)
command(evidence_app, "list", examples=["surefoot evidence list"])(evidence.list_)
command(evidence_app, "show", examples=["surefoot evidence show misses"])(evidence.show)
command(
    evidence_app,
    "register",
    examples=["surefoot evidence register", "surefoot evidence register surefoot.yaml register.csv"],
)(evidence.register)
command(evidence_app, "looks", examples=["surefoot evidence looks"])(evidence.looks)
command(evidence_app, "verify", examples=["surefoot evidence verify"])(evidence.verify)
command(evidence_app, "export", examples=["surefoot evidence export evidence.zip"])(evidence.export)
command(
    app,
    "schema",
    examples=["surefoot schema > surefoot.schema.json", "surefoot schema --steps", "surefoot schema --result"],
)(project_file.schema)
app.add_typer(datasets_app)
command(datasets_app, "list", examples=["surefoot datasets list"])(data.list_)
command(
    datasets_app,
    "fetch",
    examples=["surefoot datasets fetch breast_cancer_wisconsin"],
)(data.fetch)
