"""``surefoot case diff``, ``seal``, ``sign``, ``verify`` and ``key``: what changed, and what somebody answers for.

Here too: finding the case in whatever is named, a file of its own, a project that was assessed or a report.
"""

from __future__ import annotations

import json as json_module
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as replaced
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from surefoot.cli.assess import FELL, PAGES, chain_of, seal_path, seal_status
from surefoot.cli.console import counted, listed, say
from surefoot.cli.conventions import (
    PROJECT_FILE,
    AsJson,
    StorePlace,
    check_places,
    not_folders,
    say_written,
    show_diagnostics,
)

if TYPE_CHECKING:
    from surefoot.case import CaseDiff, Seal, Snapshot
    from surefoot.core import Diagnostic, Target
    from surefoot.project import Project, Result


Older = Annotated[Path, typer.Argument(metavar="OLD", help="The case as it was: case, project or report.")]
Newer = Annotated[Path, typer.Argument(metavar="NEW", help="The case as it is: case, project or report.")]
Everything = Annotated[bool, typer.Option("--all", help="Also name what did not change.")]
Threshold = Annotated[
    float, typer.Option("--threshold", metavar="P", help="A confidence that moves by more is a change.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Where to write the seal.", show_default="surefoot.seal.json beside SOURCE"
    ),
]
KeyFile = Annotated[
    Path | None, typer.Option("--key", metavar="KEY", help="Sign with this private key (PEM).", show_default=False)
]
SignedBy = Annotated[str, typer.Option("--by", metavar="NAME", help="Who answers for it.", show_default=False)]
Role = Annotated[
    str, typer.Option("--role", metavar="ROLE", help="As what, such as author or assessor.", show_default=False)
]
SigningKey = Annotated[Path, typer.Option("--key", metavar="KEY", help="Sign with this private key (PEM).")]
Dated = Annotated[
    str | None, typer.Option("--date", metavar="DATE", help="Date to state, such as 2026-05-17.", show_default="today")
]
Replace = Annotated[bool, typer.Option("--replace", help="Replace a seal that is there.")]
SealFile = Annotated[Path, typer.Argument(metavar="SEAL", help="The seal, as surefoot case seal wrote it.")]
Sealed = Annotated[
    Path | None,
    typer.Argument(metavar="SOURCE", help="A project or a report to compare with.", show_default="the seal alone"),
]
PublicKeyFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--public-key", metavar="KEY", help="It must be signed by this key (PEM); may be repeated.", show_default=False
    ),
]
Unsigned = Annotated[
    bool,
    typer.Option(
        "--unsigned",
        help="A seal that nobody signed will do. Without this it is an error: a signature can be cut off unnoticed.",
    ),
]
KeyPlace = Annotated[Path, typer.Argument(metavar="OUT", help="File of the private key; OUT.pub is the public one.")]


def diff(
    old: Older,
    new: Newer,
    threshold: Threshold = 0.05,
    everything: Everything = False,
    store: StorePlace = None,
    json: AsJson = False,
) -> None:
    """Name the claims that fell or rose, and why.

    Compares two cases, projects or reports: which claims stand otherwise, with the chain to the top; which evidence
    changed, by its content; and what was behind it of data, model, code, seed, parameters and targets. Exits with 1
    when a claim fell, with 0 otherwise.
    """
    from surefoot.case import compare

    found = compare(snapshot_at(old, store=store), snapshot_at(new, store=store), threshold=threshold)
    typer.echo(json_module.dumps(found.to_dict(), indent=2, ensure_ascii=False)) if json else _show(found, everything)
    if found.fell:
        raise typer.Exit(FELL)


def seal(
    source: Source = Path(PROJECT_FILE),
    output: Output = None,
    key: KeyFile = None,
    by: SignedBy = "",
    role: Role = "",
    date: Dated = None,
    replace: Replace = False,
    store: StorePlace = None,
) -> None:
    """Seal the claims that hold, with digests of all they rest on.

    While surefoot.seal.json lies beside the project file, surefoot assess exits with 1 when a sealed claim no longer
    holds. With --key the seal is signed (Ed25519); others sign it with surefoot case sign.
    """
    from surefoot.case import PrivateKey
    from surefoot.case import seal as sealed

    place, found = _to_seal(source, store)
    output = output or place
    check_places(output)
    not_folders(output)
    if output.exists() and not replace:
        from surefoot.core import InvalidInput

        remedy = "Use --replace once the change may be accepted, or name another file with --out."
        raise InvalidInput("a seal is there already, and was left as it is", where=str(output), remedy=remedy)
    private = None if key is None else PrivateKey.read(key)
    made = sealed(found, by=by, date=_today() if date is None else date, key=private, role=role)
    made.write(output)
    _tell(made)
    say_written([output])


def sign(seal: SealFile, key: SigningKey, by: SignedBy = "", role: Role = "", date: Dated = None) -> None:
    """Add a signature to a seal, such as that of an assessor to that of the author.

    Each signature is over the seal as a whole, with the name, role and date of who signs. Check before you sign that
    what is sealed still holds: surefoot case verify SEAL PROJECT.
    """
    from surefoot.case import PrivateKey, Seal
    from surefoot.case import verify as verified

    read = Seal.read(seal)
    wrong = [each for each in verified(read) if each.severity == "error"]
    if wrong:
        show_diagnostics(wrong)
        raise typer.Exit(seal_status(wrong))
    made = read.signed(PrivateKey.read(key), by=by, role=role, date=_today() if date is None else date)
    made.write(seal)
    _tell(made)
    say_written([seal])


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def verify(
    seal: SealFile,
    source: Sealed = None,
    public_key: PublicKeyFiles = None,
    unsigned: Unsigned = False,
    store: StorePlace = None,
) -> None:
    """Check a seal, and whether what it holds still does.

    Of a project: whether each sealed claim still holds, and whether the store has the history that was sealed. Of a
    report: also whether it shows what its own data say, and is the page that was sealed, to the last word. Name the
    keys that you got another way: without --public-key any good signature passes, also one by whoever altered the seal.

    Exits with 0 when the seal is whole and every sealed claim holds, with 1 when one does not, with 2 when the seal or
    the report was altered, nobody signed it, or a signature is wrong. What changed below claims that still hold is a
    warning.
    """
    from surefoot.case import PublicKey, Seal
    from surefoot.case import verify as verified

    expected = [PublicKey.read(each) for each in public_key or ()]
    read = Seal.read(seal)
    now = None if source is None else _as_shown(source, store, sealed=read.sealed.shown.get("text", ""))
    found = verified(read, now, public_key=expected, unsigned=unsigned)
    show_diagnostics(found)
    status = seal_status(found)
    if status == 0:
        _tell(read)
        say("The seal is whole." if now is None else "The seal is whole, and every sealed claim holds.")
    if status:
        raise typer.Exit(status)


def key(output: KeyPlace) -> None:
    """Make a pair of keys to sign seals with.

    The private key is readable by its owner alone and is never overwritten. Give the public one to whoever verifies.
    """
    from surefoot.case import make_key

    check_places(output)
    written = make_key(output)
    say_written(list(written))
    say(f"Keep {written[0]} to yourself; give {written[1]} to whoever verifies.")


def _to_seal(source: Path, store: str | None) -> tuple[Path, Snapshot]:
    """Where a seal goes by itself, and what is sealed."""
    if kind_of(source) == "project":
        from surefoot.report import shown_digests

        project, result = stored(source, store)
        return seal_path(project), replaced(result.snapshot, page=shown_digests(result))
    return source.with_suffix(".seal.json"), _as_shown(source, store)


def _as_shown(source: Path, store: str | None, *, sealed: str = "") -> Snapshot:
    """A snapshot with digests of all that is shown, where it is of a report; which must show what its data say."""
    found = snapshot_at(source, store=store)
    if kind_of(source) != "report":
        return found
    from surefoot.report import shown_digests

    return replaced(found, page=shown_digests(source, sealed=sealed))


def _tell(seal: Seal) -> None:
    """What a seal says."""
    from surefoot.core.target import present

    sealed = seal.sealed
    who = f" by {sealed.by}" if sealed.by else ""
    when = f" on {sealed.date}" if sealed.date else ""
    say(f"{sealed.system}: sealed{who}{when}{'' if seal.signatures else ', not signed'}", style="bold")
    for signature in seal.signatures:
        say(f"signed by {signature}")
    say(f"{counted(sealed.claims, 'claim')} that held: {', '.join(sealed.claims)}")
    stated = [name for name, claim in sealed.claims.items() if claim.stated]
    if stated:
        say(f"resting on stated values, not on measured ones alone: {', '.join(stated)}")
        listed(dict.fromkeys(text for claim in sealed.claims.values() for text in claim.stated))
    if sealed.not_held:
        others = ", ".join(f"{name} ({present(standing)})" for name, standing in sealed.not_held.items())
        say(f"{counted(sealed.not_held, 'claim')} that did not: {others}")
    rests = (
        counted(sealed.evidence, "result"),
        counted(sealed.digests, "file"),
        counted(sealed.assumptions, "assumption"),
    )
    say(f"resting on {', '.join(rests)}; digest {seal.digest}")


def _show(found: CaseDiff, everything: bool) -> None:
    falls = f"{counted(found.fell, 'claim')} fell, {len(found.rose):,} rose."
    for line in found.lines(all=everything):
        say(line)
    say(falls, style="bold red" if found.fell else "bold")


# Cases wherever they are: in a file of their own, in a project's stored result, in a report.

Kind = Literal["project", "report", "case"]
YAML = (".yaml", ".yml")
OURS = re.compile(r"^\ufeff?(surefoot-case)\s*:", re.MULTILINE)
PROJECT = (re.compile(r"^version\s*:", re.MULTILINE), re.compile(r"^system\s*:", re.MULTILINE))
LOOKED_AT = 1_000_000
ANYWHERE = (
    "A case (.yaml, .json, .gsn.yaml, .xmi; all files of it in any order, or their folder), a project (its file or "
    "folder), or a report (.html, .json)."
)

Source = Annotated[Path, typer.Argument(metavar="SOURCE", help=ANYWHERE, show_default=PROJECT_FILE)]
OtherSource = Annotated[Path, typer.Argument(metavar="SOURCE", help=ANYWHERE, show_default=False)]
Sources = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="SOURCE",
        help=ANYWHERE,
        show_default=PROJECT_FILE,
    ),
]


def kind_of(path: Path) -> Kind:
    """What a place holds, by its ending and its first lines."""
    if path.is_dir():
        return "case" if not (path / PROJECT_FILE).exists() and _holds_a_case(path) else "project"
    if path.suffix.lower() in PAGES:
        return "report"
    text = _beginning(path)
    if path.suffix.lower() == ".json":
        return _kind_of_json(text)
    is_project = path.suffix.lower() in YAML and not OURS.search(text) and all(each.search(text) for each in PROJECT)
    return "project" if is_project else "case"


def _holds_a_case(folder: Path) -> bool:
    from surefoot.case.formats.case_file import files_of_a_case

    return bool(files_of_a_case(folder))


def snapshot_at(path: Path | Sequence[Path], *, store: str | None = None) -> Snapshot:
    """The case at a place or in several files, with all that is known of its assessment; of a case file nothing is."""
    from surefoot.case import Snapshot
    from surefoot.case.formats import read_noted

    if not isinstance(path, Path):
        if len(path) != 1:
            return _in_files(path)
        path = path[0]
    kind = kind_of(path)
    if kind == "project":
        project, result = stored(path, store)
        return replaced(result.snapshot, chain=chain_of(project, store))
    if kind == "report":
        return reported(path).snapshot
    with places_from_here(path):
        read = read_noted(path)
    show_diagnostics(_from_here(path, read.notes))
    return Snapshot(read.case)


def _in_files(paths: Sequence[Path]) -> Snapshot:
    """A case in several files, none of which is something else."""
    from surefoot.case import Snapshot
    from surefoot.case.formats import read_noted
    from surefoot.core import DiagnosticsError

    other = next((path for path in paths if path.is_dir() or kind_of(path) != "case"), None)
    if other is not None:
        found = "folder" if other.is_dir() else kind_of(other)
        hint = "Name the files of one case, or one folder, project or report."
        raise DiagnosticsError.of("wrong-value", f"a {found} among files of a case.", where=str(other), hint=hint)
    folder = Path(os.path.commonpath([path.absolute().parent for path in paths]))
    with places_from_here(folder):
        read = read_noted(paths)
    show_diagnostics(_from_here(folder, read.notes))
    return Snapshot(read.case)


@contextmanager
def places_from_here(path: Path) -> Iterator[None]:
    """Name files in messages as somebody here would open them, not as the case names them."""
    from surefoot.core import DiagnosticsError

    try:
        yield
    except DiagnosticsError as error:
        DiagnosticsError.raise_if_any(_from_here(path, error.diagnostics))
        raise


def _from_here(path: Path, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    folder = path if path.is_dir() else path.parent
    folder = Path(os.path.relpath(folder)) if folder.is_absolute() and folder.is_relative_to(Path.cwd()) else folder
    known: dict[str, bool] = {}

    def inside(name: str) -> bool:
        if name not in known:
            known[name] = bool(name) and not Path(name).is_absolute() and (folder / name).is_file()
        return known[name]

    return [
        replaced(each, where=str(folder / each.where)) if inside(re.sub(r":\d+$", "", each.where)) else each
        for each in found
    ]


def evaluated(snapshot: Snapshot, evidence: Path | None = None) -> Snapshot:
    """A snapshot that says how nodes stand: by its assessment, or by what a report measured."""
    if evidence is not None:
        given = snapshot_at(evidence)
        if not given.evidence:
            from surefoot.core import DiagnosticsError

            text, hint = "there is no evidence in it.", "Give a project that was assessed, or a report of it."
            raise DiagnosticsError.of("wrong-value", text, where=str(evidence), hint=hint)
        feedback = tuple(each for each in given.feedback if each.claim in snapshot.case)
        known = replaced(snapshot, evidence=given.evidence, targets=given.targets, feedback=feedback)
        snapshot = replaced(known, evaluation=None)
    if snapshot.evaluation is not None:
        return snapshot
    evaluation = snapshot.case.evaluate(snapshot.evidence or None, feedback=snapshot.feedback)
    return replaced(snapshot, evaluation=evaluation)


def asked_of(snapshot: Snapshot) -> dict[str, Target]:
    """What a project asks for, by the names of its targets."""
    if not snapshot.targets:
        return {}
    from surefoot.project.definition.system import TargetSource

    return {name: TargetSource.model_validate(dict(said)).target for name, said in snapshot.targets.items()}


def stored(path: Path, store: str | None) -> tuple[Project, Result]:
    """A project, and what its store has of it; nothing is computed."""
    from surefoot.project import load, run

    project = load(path)
    return project, run(project, store=store, only_stored=True)


def reported(path: Path) -> Result:
    """The result in a report."""
    from surefoot.core import DiagnosticsError, InvalidInput
    from surefoot.project import Result
    from surefoot.report import read

    data = read(path)
    try:
        return Result.from_dict(data)
    except InvalidInput as error:
        text, hint = f"the result in it is damaged: {error}", "Use the file as it was written."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint=hint) from error


def _kind_of_json(text: str) -> Kind:
    """A case says what it is in one of its keys; of what is no JSON the reader of cases says why."""
    from surefoot.documents import json

    if '"surefoot-case"' in text[:1000]:
        return "case"
    if len(text) >= LOOKED_AT:
        return "report"
    try:
        data = json.loads(text)
    except ValueError:
        return "case"
    return "case" if isinstance(data, dict) and "surefoot-case" in data else "report"


def _beginning(path: Path) -> str:
    from surefoot.core import DiagnosticsError

    hint = "Name a case, a project or a report."
    try:
        with path.open("rb") as stream:
            return stream.read(LOOKED_AT).decode("utf-8", "replace")
    except FileNotFoundError as error:
        raise DiagnosticsError.of("file-missing", "there is no file", where=str(path), hint=hint) from error
    except OSError as error:
        text = f"it cannot be read: {error.strerror or error}."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint=hint) from error
