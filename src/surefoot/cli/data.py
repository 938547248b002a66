"""``surefoot corruptions`` and ``surefoot datasets``: what inputs can be made worse by, and public data sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.console import say, table
from surefoot.cli.conventions import check_places, say_written

if TYPE_CHECKING:
    from surefoot.corruptions.gallery import Example


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
