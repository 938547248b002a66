"""Figures as SVG: written the same way each time, and foreign ones made fit to stand inside a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, NoReturn
from xml.parsers import expat

from surefoot.core.errors import InvalidInput
from surefoot.draw.allowed import ATTRIBUTES, ELEMENTS, PROPERTIES, REFERRED, SHAPES, SVG, WORDS, XLINK
from surefoot.draw.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_BYTES = 500_000
MOST_DEPTH = 100
# matplotlib writes millionths of a point, which make a figure twice as large.
_PATH, _DIGITS = re.compile(rb'(?<= d=")[^"]*(?=")'), re.compile(rb"(\.\d\d)\d+")
_UNTURNED = re.compile(rb' transform="rotate\(-0 [^"]*"')
_ROOT = re.compile(rb"<svg [^>]*>")
_FAMILY = ["DejaVu Sans"]
"""Ten names of fonts at every word make a figure half as large again; the generic family stays."""
_NAME = re.compile(r"[\w.:-]+")
_LOCAL_URL = re.compile(r"url\(\s*(['\"]?)#([\w.:-]+)\1\s*\)")
_DANGEROUS = re.compile(r"url\(|[\\@<>{}]|expression|javascript:|/\*", re.IGNORECASE)
_FOR_ALL = re.compile(r"\s*\*\s*\{([^{}]*)\}\s*")
_PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]+")


def figure_svg(figure: Figure) -> bytes:
    """A matplotlib figure as SVG with its words as text, the same bytes for the same figure; it is then released."""
    import matplotlib.pyplot as plt
    from matplotlib import rc_context

    target = BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "surefoot", "font.sans-serif": _FAMILY}):
        figure.savefig(target, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    plt.close(figure)
    short = _PATH.sub(lambda path: b" ".join(_DIGITS.sub(rb"\1", path[0]).split()), target.getvalue())
    said = _described(figure)
    title = f"<title>{escape(said)}</title>".encode() if said else b""
    return _ROOT.sub(lambda root: root[0] + title, _UNTURNED.sub(b"", short), count=1)


def _described(figure: Figure) -> str:
    """What the axes of a figure show, from their labels and titles."""
    return visible("; ".join(filter(None, map(_axes_words, figure.axes))))


def _axes_words(axes: Axes) -> str:
    titles = filter(None, (axes.get_title(loc=place) for place in ("left", "center", "right")))
    labels = " against ".join(filter(None, (axes.get_ylabel(), axes.get_xlabel())))
    return ". ".join([*([labels] if labels else []), *titles]).replace("$", "").replace("\\", "")


def clean_svg(content: bytes, prefix: str) -> str:
    """The drawing as markup that can stand inside a page, whoever wrote it.

    Only known elements and attributes pass, links only within the drawing, and ids begin with ``prefix``. What could
    run, load or hide something raises ``InvalidInput``.
    """
    if len(content) > MOST_BYTES:
        _refuse(f"it is larger than {MOST_BYTES // 1000} kB", f"{len(content) // 1000} kB")
    cleaner = _Cleaner(prefix)
    try:
        cleaner.parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, InvalidInput):
            raise
        _refuse("it is not well-formed XML", str(error))
    return cleaner.finished()


class _Cleaner:
    """Takes what the parser meets and writes what is allowed."""

    def __init__(self, prefix: str) -> None:
        self.prefix, self.out = prefix, list[str]()
        self.open, self.skipped = list[str](), 0
        self.style: list[str] | None = None
        self.root, self.for_all = dict[str, str](), ""
        self.leaves, self.used = set[str](), set[str]()
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self.parser.SkippedEntityHandler = self._entity
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def finished(self) -> str:
        """All that was written, checked as a whole."""
        # A copy of a copy of a copy can grow without end, so only plain shapes may be copied.
        if self.used - self.leaves:
            _refuse("it copies something that is no plain shape", min(self.used - self.leaves))
        styles = [_clean_style(self.for_all, self.prefix), self.root.get("style", "")]
        style = {"style": "; ".join(filter(None, styles))} if any(styles) else {}
        return _tag("svg", self.root | style) + "".join(self.out[1:])

    def _doctype(self, _name: str, _system: str | None, _public: str | None, has_subset: bool) -> None:
        if has_subset:
            _refuse("it declares a document type of its own")

    def _entity(self, *_: object) -> None:
        _refuse("it uses entities")

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        space, _, element = name.rpartition(" ")
        if self.skipped or element == "metadata":
            self.skipped += 1
            return
        if element == "style" and space == SVG:
            self.style = []
            return
        self._check(space, element)
        self.open.append(element)
        kept = self._attributes(element, attributes)
        if element in SHAPES and "id" in kept:
            self.leaves.add(kept["id"])
        if len(self.open) == 1:
            self.root = kept
        self.out.append(_tag(element, kept))

    def _check(self, space: str, element: str) -> None:
        if not self.open and element != "svg":
            _refuse("it is no SVG", element)
        if space != SVG or element not in ELEMENTS:
            _refuse("it has an element that is not allowed", element)
        if self.style is not None or len(self.open) >= MOST_DEPTH:
            _refuse("its elements are nested in an unusual way", element)

    def _end(self, name: str) -> None:
        if self.skipped:
            self.skipped -= 1
        elif self.style is not None:
            self._end_style("".join(self.style))
            self.style = None
        else:
            self.out.append(f"</{self.open.pop()}>")

    def _end_style(self, text: str) -> None:
        """A rule inside a page reaches the whole page; the one matplotlib writes can move to the root."""
        rule = _FOR_ALL.fullmatch(text)
        if rule is None:
            _refuse("it has a style sheet of its own")
        self.for_all += f"{rule[1]};"

    def _text(self, text: str) -> None:
        if self.style is not None:
            self.style.append(text)
        elif not self.skipped and (text.strip() or self.open[-1] in WORDS):
            self.out.append(escape(text, quote=False))

    def _attributes(self, element: str, attributes: Mapping[str, str]) -> dict[str, str]:
        kept = {}
        for name, value in attributes.items():
            if name.lower().startswith("on"):
                _refuse("it wants to run code", name)
            elif name in ("href", f"{XLINK} href"):
                kept["href"] = self._link(element, value)
            elif name == "id" and element in REFERRED:
                kept["id"] = f"{self.prefix}-{_local_name(value)}"
            elif name == "style":
                kept["style"] = _clean_style(value, self.prefix)
            elif name in ATTRIBUTES:
                kept[name] = _clean_value(value, self.prefix)
        return kept

    def _link(self, element: str, value: str) -> str:
        if element == "image" and _PICTURE.fullmatch(value):
            return value
        if element == "image" or not value.startswith("#"):
            _refuse("it links to something outside itself", value[:60])
        target = f"{self.prefix}-{_local_name(value[1:])}"
        self.used.add(target)
        return f"#{target}"


def _tag(element: str, attributes: Mapping[str, str]) -> str:
    words = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{element}{words}>"


def _clean_style(text: str, prefix: str) -> str:
    pairs = (part.partition(":") for part in text.split(";"))
    known = ((name.strip(), value.strip()) for name, _, value in pairs if name.strip() in PROPERTIES)
    return "; ".join(f"{name}: {_clean_value(value, prefix)}" for name, value in known)


def _clean_value(value: str, prefix: str) -> str:
    if _DANGEROUS.search(_LOCAL_URL.sub("", value)):
        _refuse("it refers to something outside itself", value[:60])
    return _LOCAL_URL.sub(lambda found: f"url(#{prefix}-{found[2]})", value)


def _local_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        _refuse("it has an unusual id", name[:60])
    return name


def _refuse(why: str, found: str | None = None) -> NoReturn:
    raise InvalidInput(f"figure left out: {why}", found=found)
