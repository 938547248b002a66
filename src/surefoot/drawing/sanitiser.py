"""Foreign SVG made fit to stand inside a page: what could run, load or hide something is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import NoReturn
from xml.parsers import expat

from surefoot.core import validate
from surefoot.core.errors import InvalidInput

MOST_BYTES = 500_000
MOST_DEPTH = 100
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
SHAPES = frozenset({"circle", "ellipse", "line", "path", "polygon", "polyline", "rect"})
_GROUPS = "clipPath defs desc g image linearGradient radialGradient stop svg text title tspan use"
ELEMENTS = SHAPES.union(_GROUPS.split())
REFERRED = SHAPES | {"clipPath", "linearGradient", "radialGradient"}
"""Other ids are left out: nothing allowed refers to them."""
WORDS = ("text", "tspan")
_PROPERTIES = """
clip-path clip-rule color dominant-baseline fill fill-opacity fill-rule font font-family font-size font-stretch
font-style font-variant font-weight image-rendering letter-spacing opacity paint-order shape-rendering stop-color
stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
stroke-width text-anchor text-decoration text-rendering vector-effect visibility white-space word-spacing
"""
PROPERTIES = frozenset(_PROPERTIES.split())
_GEOMETRY = """
aria-label clipPathUnits cx cy d dx dy fx fy gradientTransform gradientUnits height offset pathLength points
preserveAspectRatio r role rotate rx ry spreadMethod textLength transform viewBox width x x1 x2 y y1 y2
"""
ATTRIBUTES = PROPERTIES.union(_GEOMETRY.split())
_NAME = re.compile(r"[\w.:-]+")
_LOCAL_URL = re.compile(r"url\(\s*(['\"]?)#([\w.:-]+)\1\s*\)")
_DANGEROUS = re.compile(r"url\(|[\\@<>{}]|expression|javascript:|/\*", re.IGNORECASE)
_FOR_ALL = re.compile(r"\s*\*\s*\{([^{}]*)\}\s*")
_PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]+")


@validate.arguments
def clean_svg(content: bytes, prefix: str) -> str:
    """A foreign drawing as markup that can stand inside a page, whoever wrote it.

    Only known elements and attributes pass, and links only within the drawing.

    Parameters
    ----------
    content
        An SVG file.
    prefix
        What ids begin with: give drawings of one page different ones.

    Returns
    -------
    str
        Markup without what could run, load or hide something.

    Raises
    ------
    InvalidInput
        Where there is such a thing.

    Examples
    --------
    >>> clean_svg(b'<svg xmlns="http://www.w3.org/2000/svg"><rect id="a" width="5"/></svg>', "p1")
    '<svg><rect id="p1-a" width="5"></rect></svg>'

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
