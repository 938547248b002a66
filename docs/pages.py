"""Pages of the site that are made while it is built: the reference of each package, examples, benchmarks, changes.

``mkdocs.yml`` names this file twice: as a hook, and as an extension of griffe, which reads the docstrings.
"""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import griffe
from mkdocs.structure.files import File

import surefoot
from surefoot.core import Registry

ROOT = Path(__file__).parents[1]
ROOMS = [each.name for each in iter_modules(surefoot.__path__) if each.name not in ("__main__", "cli", "version")]
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/RESULTS.md", "benchmarks/COVERAGE.md")
LINK = re.compile(r"\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
EXAMPLE = re.compile(r"^>>> .*(?:\n(?! *$).*)*", re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are no files of ``docs``."""
    shown: dict[Any, str] = {}
    # What other packages show again stands where it lives.
    for package in sorted(ROOMS, key=lambda package: package != "core"):
        content = "\n\n".join(_section(import_module(f"surefoot.{package}"), f"surefoot.{package}", 1, shown))
        files.append(File.generated(config, f"reference/{package}.md", content=content))
    for source in (*BESIDE, *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/*/README.md"))):
        files.append(File.generated(config, _page(source), content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """Let links between files of the repository lead to their pages; of what has no page only the words stay."""
    here = page.file.src_uri
    folder = ROOT / (Path("docs", here) if page.file.generated_by is None else _source(here)).parent

    def led(link: re.Match[str]) -> str:
        words, target, anchor = link.groups("")
        path = (folder / target).resolve()
        path = path / "README.md" if path.is_dir() else path
        found = path.is_relative_to(ROOT) and files.get_file_from_path(_page(path.relative_to(ROOT).as_posix()))
        return f"[{words}]({'../' * here.count('/')}{found.src_uri}{anchor})" if found else words

    return LINK.sub(led, markdown)


def _page(source: str) -> str:
    """The page of a file of the repository."""
    return source.removeprefix("docs/").replace("/README.md", ".md")


def _source(page: str) -> Path:
    """The file of the repository that a page is made of."""
    return Path(page.replace(".md", "/README.md") if page.startswith("examples/") else page)


def _section(module: ModuleType, door: str, level: int, shown: dict[Any, str]) -> Iterator[str]:
    """What a package is for, a table of its names, and each with its signature and docstring."""
    label = door.rpartition(".")[2] if level > 1 else door
    yield f"{'#' * level} {door} {{ #{door} data-toc-label='{label}' }}"
    # What a package may import is for those who change it.
    yield (inspect.getdoc(module) or "").partition("May import")[0]
    things = {name: getattr(module, name) for name in _names(module)}
    places = {}
    for name, thing in things.items():
        known = f"{door}.{name}" if isinstance(thing, str | int) else id(thing)
        places[name] = shown.setdefault(known, f"{door}.{name}")
    rows = [f"| [`{name}`][{places[name]}] | {_summary(thing)} |" for name, thing in things.items()]
    yield "\n".join(["| name | what it is |", "| --- | --- |", *rows])
    here = {name: thing for name, thing in things.items() if places[name] == f"{door}.{name}"}
    yield "".join(f'<a id="{door}.{name}"></a>' for name in things if name not in here)
    for name, thing in here.items():
        if isinstance(thing, str | int):
            yield f"{'#' * (level + 1)} {name} {{ #{door}.{name} }}\n\n`{thing!r}`"
        elif not isinstance(thing, ModuleType):
            options = f"{{heading: {name}, heading_level: {level + 1}}}"
            yield f"[](){{ #{door}.{name} }}\n\n::: {_identifier(door, name, thing)}\n    options: {options}"
    for name, thing in here.items():
        if isinstance(thing, ModuleType):
            yield from _section(thing, f"{door}.{name}", level + 1, shown)


def _names(module: ModuleType) -> list[str]:
    own = (name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__)
    names = getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]
    return sorted(names, key=str.lower)


def _identifier(door: str, name: str, thing: Any) -> str:
    """Where it is defined: of a function beside a module of its name static analysis sees the module first."""
    module = getattr(thing, "__module__", None) or ""
    own = inspect.isclass(thing) or inspect.isfunction(thing)
    return f"{module}.{thing.__qualname__}" if own and module.startswith("surefoot.") else f"{door}.{name}"


def _summary(thing: Any) -> str:
    """The first line of its docstring; of a plain value the value, of any other its type."""
    if isinstance(thing, str | int):
        return f"`{thing!r}`"
    if isinstance(thing, Registry):
        return f"Its decorator adds a new {thing.kind} by one definition in one file."
    if not (callable(thing) or isinstance(thing, ModuleType)):
        return f"`{type(thing).__name__}`"
    return (thing.__doc__ or "").strip().partition("\n")[0].replace("|", "\\|")


class Docstrings(griffe.Extension):
    """Leaves out what only its name would tell of, and shows examples, which stand there without a heading, as such."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            text = inspect.cleandoc(obj.docstring.value)
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
        if (obj.is_attribute and not obj.docstring) or obj.name.startswith("__"):
            obj.public = False
