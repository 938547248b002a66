"""``surefoot corruptions``: what inputs can be made worse by, as a list or as a gallery."""

from __future__ import annotations

import json as json_module
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.command import UNUSABLE, AsJson, StorePlace, show_diagnostics
from surefoot.cli.console import say, table
from surefoot.cli.files import check_places, say_written

if TYPE_CHECKING:
    from surefoot.corruptions.gallery import Example
    from surefoot.project import Store
    from surefoot.project.store import Entry, Look


PAGE, SHEET = ".html", ".png"
Picture = Annotated[
    Path | None, typer.Option("--image", metavar="FILE", help="A picture to corrupt.", show_default=False)
]
Sound = Annotated[
    Path | None,
    typer.Option(
        "--audio",
        metavar="FILE",
        help="A sound to corrupt: .wav, or .flac and others with the extra `audio`.",
        show_default=False,
    ),
]
Text = Annotated[str | None, typer.Option("--text", metavar="TEXT", help="A text to corrupt.", show_default=False)]
TextFile = Annotated[
    Path | None, typer.Option("--text-file", metavar="FILE", help="A text file to corrupt.", show_default=False)
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write a gallery: .html, or .png without texts."),
]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="NAME", help="Only this corruption; repeat for more.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of what is random.")]


def corruptions(
    output: Output = None,
    image: Picture = None,
    audio: Sound = None,
    text: Text = None,
    text_file: TextFile = None,
    only: Only = None,
    seed: Seed = 0,
) -> None:
    """List the corruptions of images, sounds and texts, or show them.

    With -o it writes a gallery of all severities: of your picture, sound or text, or of built-in examples where none
    is given. A page holds everything inside it, plays sounds and marks changed characters.
    """
    chosen = _chosen(only or ())
    given = [each for each in (image, audio, text, text_file) if each is not None]
    if output is None:
        if given:
            raise typer.BadParameter("give -o, the gallery to write: such as -o gallery.html")
        _list(chosen)
        return
    if output.suffix.lower() not in (PAGE, SHEET):
        raise typer.BadParameter(f"-o is {output}. Give a file that ends in {PAGE} or {SHEET}.")
    if text is not None and text_file is not None:
        raise typer.BadParameter("give --text or --text-file, not both")
    check_places(output)
    _write(output, chosen, _examples(image, audio, text, text_file), seed)


def _chosen(only: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The names of each domain that are asked for; all where none is."""
    from surefoot.corruptions.catalogue import DOMAINS, domain_of, listed

    wanted = {name for name in only if domain_of(name)}
    known = {domain: listed(domain) for domain in DOMAINS}
    held = {domain: tuple(n for n in names if n in wanted or not wanted) for domain, names in known.items()}
    return {domain: names for domain, names in held.items() if names}


def _list(chosen: dict[str, tuple[str, ...]]) -> None:
    from surefoot.corruptions.gallery import about

    for domain, names in chosen.items():
        table((domain, "what it does"), [(name, about(name)) for name in names])
        say()
    say("Each has severities 1 to 5; low is 1, medium 3, high 5. surefoot corruptions -o gallery.html shows them.")


def _examples(image: Path | None, audio: Path | None, text: str | None, text_file: Path | None) -> list[Example]:
    from surefoot.corruptions.gallery import read_image, read_sound, read_text

    found = []
    if image is not None:
        found.append(read_image(image))
    if audio is not None:
        found.append(read_sound(audio))
    if text is not None:
        found.append(read_text(text))
    if text_file is not None:
        found.append(read_text(text_file.read_text(encoding="utf-8", errors="replace"), text_file.name))
    return found


def _write(output: Path, chosen: dict[str, tuple[str, ...]], given: Sequence[Example], seed: int) -> None:
    from surefoot.cli.console import waiting
    from surefoot.corruptions.gallery import built_in, chapter, html, png
    from surefoot.project.store import write_atomically

    sheet = output.suffix.lower() == SHEET
    shown = [domain for domain in chosen if not (sheet and domain == "text" and len(chosen) > 1)]
    examples = [each for each in given or map(built_in, shown) if each.domain in chosen]
    if not examples:
        raise typer.BadParameter("--only names no corruption of what is given")
    with waiting("corrupting") as tell:
        chapters = [chapter(each, chosen[each.domain], seed=seed, tell=tell) for each in examples]
        content = png(chapters) if sheet else html(chapters, seed=seed).encode()
    write_atomically(output, content)
    say_written([output])


# ``surefoot datasets``: public data sets that examples and benchmarks use.


def list_() -> None:
    """List the known data sets and where they are.

    Sets are looked for in the folder that the environment variable SUREFOOT_DATA names, a local mirror, and then in the
    cache, ~/.cache/surefoot.
    """
    from surefoot.datasets import catalogue

    for each in catalogue():
        say(each.name, style="bold")
        say(f"  {each.what} ({each.licence})\n  {each.folder or 'not here'}")


def fetch(name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `datasets list` shows.")]) -> None:
    """Fetch a data set from its public home and check it.

    A copy that is already here is only checked. A file with the wrong checksum is refused.
    """
    from surefoot.datasets import known

    say(known(name).fetch())


# ``surefoot evidence``: look into the evidence store.

KEY_LENGTH = 12


def evidence_list_(store: StorePlace = None, json: AsJson = False) -> None:
    """List what the store holds; the last assessment used what is current."""
    opened = _opened(store)
    entries = opened.entries()
    if json:
        typer.echo(json_module.dumps([asdict(entry) for entry in entries], indent=2))
    else:
        _table_of(entries, _current_keys(store))


def show(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The start of a key, or the name of a step.")],
    store: StorePlace = None,
    json: AsJson = False,
) -> None:
    """Show one piece of evidence: its estimates, bounds, assumptions and tables."""
    opened = _opened(store)
    evidence = opened.get(_found(opened, key, store).key)
    show_diagnostics(opened.warnings)
    if evidence is None:
        raise typer.Exit(UNUSABLE)
    if json:
        typer.echo(json_module.dumps(evidence.to_dict(), indent=2, ensure_ascii=False))
        return
    for estimate in evidence.estimates:
        say(f"{estimate}\n")
    for name, content in evidence.tables.items():
        say(name, style="bold")
        table(content.columns, [[_cell(value) for value in row] for row in content.rows])
        say()


def looks(store: StorePlace = None, json: AsJson = False) -> None:
    """List the looks at each test set: models and targets, in their order.

    The look with the number k spends 1/(k(k+1)) of what its target may miss, which is valid for models and targets
    fixed beforehand; where only verdicts are shown, it spends less.
    """
    opened = _opened(store)
    ledgers = {data: opened.ledger(data) for data in opened.test_sets()}
    show_diagnostics(opened.warnings)
    if json:
        said = {data: [asdict(look) for look in looks] for data, looks in ledgers.items()}
        typer.echo(json_module.dumps(said, indent=2))
        return
    rows = [_look_row(data, look) for data, looks in ledgers.items() for look in looks]
    table(("test set", "look", "model", "asked", "answer"), rows, right=("look",))


def _look_row(data: str, look: Look) -> tuple[str, ...]:
    asked = look.content.get("asked")
    said = f"{asked['relation']} {asked['limit']:g} per {asked['per']} at {asked['level']:g}" if asked else "nothing"
    number = f"{look.count} of older format" if look.older else str(look.number or "not shown")
    answer = {True: "met", False: "not shown", None: "all shown"}[(look.answer or {}).get("met")]
    return data[:KEY_LENGTH], number, str(look.content.get("model", ""))[:KEY_LENGTH], said, answer


def verify(store: StorePlace = None, json: AsJson = False) -> None:
    """Check that every file of the store is what was written.

    A single flipped bit is found. Exit code 2 when something is damaged; what is only left over from an interrupted
    run, or foreign, is told and does no harm.
    """
    opened = _opened(store)
    found = opened.verify()
    damaged = [each for each in found if each.severity == "error"]
    if json:
        typer.echo(json_module.dumps([each.to_dict() for each in found], indent=2))
    else:
        show_diagnostics(found)
        harmless = len(found) - len(damaged)
        beside = f", {harmless} left over or foreign" if harmless else ""
        say(f"{len(opened.entries())} entries, {len(damaged)} damaged{beside}.")
    if damaged:
        raise typer.Exit(UNUSABLE)


def export(
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="File to write.")],
    key: Annotated[
        list[str] | None, typer.Option("--key", metavar="KEY", help="Only this one; may be given again.")
    ] = None,
    store: StorePlace = None,
) -> None:
    """Copy evidence out of the store, to keep or to hand on."""
    opened = _opened(store)
    keys = [_found(opened, each, store).key for each in key] if key else None
    say(opened.export(target, keys=keys))


def _opened(place: str | None) -> Store:
    from surefoot.core import DiagnosticsError
    from surefoot.project import Store
    from surefoot.project.runner import STORE_FOLDER

    location = place or STORE_FOLDER
    if "://" not in location and not Path(location).is_dir():
        hint = "Run surefoot assess first, or name the store with --store."
        raise DiagnosticsError.of("file-missing", "there is no evidence store", where=location, hint=hint)
    return Store.open(location)


def _found(store: Store, name: str, place: str | None) -> Entry:
    """By the name of a step, and of several results of it the current one; otherwise by the start of a key."""
    named = [entry for entry in store.entries() if entry.step == name]
    if not named:
        return store.find(name)
    current = [entry for entry in named if entry.key in _current_keys(place)] if len(named) > 1 else named
    if len(current) != 1:
        from surefoot.core import DiagnosticsError

        _table_of(current or named, (), stderr=True)
        text = f"the store has {len(named)} results of the step {name!r}, and no lock file tells which is current."
        raise DiagnosticsError.of("unknown-reference", text, where=store.location, hint="Give the start of a key.")
    return current[0]


def _table_of(entries: list[Entry], current: Collection[str], *, stderr: bool = False) -> None:
    marks = {True: "current", False: ""}
    rows = [(e.key[:KEY_LENGTH], e.step, f"{e.bytes:,}", marks[e.key in current]) for e in entries]
    table(("key", "step", "bytes", ""), rows, right=("bytes",), stderr=stderr)


def _current_keys(place: str | None) -> set[str]:
    """Keys in the lock files beside the store, which the last assessments used."""
    from surefoot.core import DiagnosticsError
    from surefoot.project import read_lock

    found: set[str] = set()
    for path in _lock_files(place):
        with suppress(DiagnosticsError):
            lock = read_lock(path) or {}
            found |= set(lock.get("keys", {}).values())
    return found


def _lock_files(place: str | None) -> Iterator[Path]:
    is_folder = place is not None and "://" not in place
    folder = Path(place).absolute().parent if place is not None and is_folder else Path()
    return folder.glob("*.lock")


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
