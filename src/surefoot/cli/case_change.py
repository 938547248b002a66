"""``surefoot case diff``, ``seal``, ``verify`` and ``key``: what changed, and what somebody answers for."""

from __future__ import annotations

import json as json_module
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.case_snapshots import Source, kind_of, snapshot_at, snapshot_of, stored
from surefoot.cli.console import counted, say
from surefoot.cli.failures import show_diagnostics
from surefoot.cli.hazop_files import not_folders
from surefoot.cli.options import PROJECT_FILE, AsJson, StorePlace
from surefoot.cli.sealing import FELL, seal_path, seal_status
from surefoot.cli.writing import check_places, say_written

if TYPE_CHECKING:
    from surefoot.case.change import CaseDiff, Seal, Snapshot

Older = Annotated[Path, typer.Argument(metavar="OLD", help="The case as it was: case, project or report.")]
Newer = Annotated[Path, typer.Argument(metavar="NEW", help="The case as it is: case, project or report.")]
Everything = Annotated[bool, typer.Option("--all", help="Also name what did not change.")]
Threshold = Annotated[
    float, typer.Option("--threshold", metavar="P", help="A probability that moves by more is a change.")
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
Dated = Annotated[
    str | None, typer.Option("--date", metavar="DATE", help="Date to state, such as 2026-05-17.", show_default="today")
]
Replace = Annotated[bool, typer.Option("--replace", help="Replace a seal that is there.")]
SealFile = Annotated[Path, typer.Argument(metavar="SEAL", help="The seal, as surefoot case seal wrote it.")]
Sealed = Annotated[
    Path | None,
    typer.Argument(metavar="SOURCE", help="A project or a report to compare with.", show_default="the seal alone"),
]
PublicKeyFile = Annotated[
    Path | None,
    typer.Option("--public-key", metavar="KEY", help="It must be signed by this key (PEM).", show_default=False),
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
    from surefoot.case.change import compare

    found = compare(snapshot_at(old, store=store), snapshot_at(new, store=store), threshold=threshold)
    typer.echo(json_module.dumps(found.to_dict(), indent=2, ensure_ascii=False)) if json else _show(found, everything)
    if found.fell:
        raise typer.Exit(FELL)


def seal(
    source: Source = Path(PROJECT_FILE),
    output: Output = None,
    key: KeyFile = None,
    by: SignedBy = "",
    date: Dated = None,
    replace: Replace = False,
    store: StorePlace = None,
) -> None:
    """Seal the claims that hold, with digests of all they rest on.

    While surefoot.seal.json lies beside the project file, surefoot assess exits with 1 when a sealed claim no longer
    holds. With --key the seal is signed (Ed25519).
    """
    from surefoot.case.change import PrivateKey
    from surefoot.case.change import seal as sealed

    place, found = _to_seal(source, store)
    output = output or place
    check_places(output)
    not_folders(output)
    if output.exists() and not replace:
        from surefoot.core import InvalidInput

        remedy = "Use --replace once the change may be accepted, or name another file with --out."
        raise InvalidInput("a seal is there already, and was left as it is", where=str(output), remedy=remedy)
    stated = datetime.now(UTC).date().isoformat() if date is None else date
    made = sealed(found, by=by, date=stated, key=None if key is None else PrivateKey.read(key))
    made.write(output)
    _tell(made)
    say_written([output])


def verify(seal: SealFile, source: Sealed = None, public_key: PublicKeyFile = None, store: StorePlace = None) -> None:
    """Check a seal, and whether what it holds still does.

    Exits with 0 when the seal is whole and every sealed claim holds, with 1 when one does not, with 2 when the seal was
    altered or its signature is wrong. What changed below claims that still hold is a warning.
    """
    from surefoot.case.change import PublicKey, Seal
    from surefoot.case.change import verify as verified

    expected = None if public_key is None else PublicKey.read(public_key)
    read = Seal.read(seal)
    now = None if source is None else snapshot_at(source, store=store)
    found = verified(read, now, public_key=expected)
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
    from surefoot.case.change import make_key

    check_places(output)
    written = make_key(output)
    say_written(list(written))
    say(f"Keep {written[0]} to yourself; give {written[1]} to whoever verifies.")


def _to_seal(source: Path, store: str | None) -> tuple[Path, Snapshot]:
    """Where a seal goes by itself, and what is sealed."""
    if kind_of(source) == "project":
        project, result = stored(source, store)
        return seal_path(project), snapshot_of(result)
    return source.with_suffix(".seal.json"), snapshot_at(source)


def _tell(seal: Seal) -> None:
    """What a seal says."""
    from surefoot.core.target import present

    sealed = seal.sealed
    who = f" by {sealed.by}" if sealed.by else ""
    when = f" on {sealed.date}" if sealed.date else ""
    signed = f", signed with the key {seal.signature.public_key[:16]}..." if seal.signature else ", not signed"
    say(f"{sealed.system}: sealed{who}{when}{signed}", style="bold")
    say(f"{counted(sealed.claims, 'claim')} that held: {', '.join(sealed.claims)}")
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
