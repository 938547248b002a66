"""Texts and tagged values of an element, in whichever of its forms a tool writes them."""

from __future__ import annotations

from typing import Any

from surefoot.case.formats.sacm_words import DATA, JSON, OWN
from surefoot.documents import Refused, json, shown
from surefoot.documents.files import FORBIDDEN
from surefoot.documents.xml import Element

TRUE = ("true", "1")


def text_of(element: Element) -> str:
    """The text of a LangString, a MultiLangString, a description or a note; English where there are several."""
    while "content" not in element.attributes:
        inner = list(element.named("content", "value"))
        if not inner:
            return element.attributes.get("value", element.text)
        element = next((each for each in inner if each.attributes.get("lang", "en").startswith("en")), inner[0])
    return element.attributes["content"]


def worded(element: Element, *names: str) -> str:
    """What is said under the first of these names, as an attribute or as elements."""
    for name in names:
        if name in element.attributes:
            return element.attributes[name]
        found = [text_of(each) for each in element.named(name)]
        if found:
            return "\n".join(text for text in found if text)
    return ""


def is_true(element: Element, *names: str) -> bool:
    """Whether one of these attributes is set."""
    return any(element.attributes.get(name, "").strip().lower() in TRUE for name in names)


class Tags:
    """Tagged values of an element: those of Surefoot by name, others as ``key: value``."""

    def __init__(self, element: Element) -> None:
        self.own: dict[str, list[Any]] = {}
        self.foreign: list[str] = []
        for tagged in element.named("taggedValue"):
            key, value = worded(tagged, "key"), _value(tagged)
            if not key.startswith(OWN):
                self.foreign.append(f"{key}: {value}" if value else key)
            elif key.endswith(JSON):
                name = key[len(OWN) : -len(JSON)]
                self.own.setdefault(name, []).append(_data(key, value, is_text=name not in DATA))
            else:
                self.own.setdefault(key[len(OWN) :], []).append(value)

    def __contains__(self, name: str) -> bool:
        return name in self.own

    def data(self, name: str) -> Any:
        """The first value of that name, or None."""
        return self.own[name][0] if name in self.own else None

    def text(self, name: str, otherwise: str = "") -> str:
        """The first value of that name as text."""
        return str(self.own[name][0]) if name in self.own else otherwise

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of that name."""
        return tuple(map(str, self.own.get(name, ())))


def _value(tagged: Element) -> str:
    return next((text_of(each) for each in tagged.named("content", "value")), worded(tagged, "content", "value"))


def _data(key: str, value: str, *, is_text: bool) -> Any:
    try:
        data = json.loads(value)
        controls = FORBIDDEN.search(json.written(data))
    except ValueError:
        raise Refused("case-syntax", f"the tagged value {key} is no JSON: {shown(value)}.") from None
    if controls:
        raise Refused("wrong-value", f"the tagged value {key} holds a control character.", "Remove it.")
    if is_text and not isinstance(data, str):
        raise Refused("case-syntax", f"the tagged value {key} is no text: {shown(data)}.")
    return data
