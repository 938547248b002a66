"""A result as data for others: each thing once, nothing that follows from the rest, and all of it back again.

``Result.to_dict`` says everything in its place, so that an estimate stands where it was measured and again under each
target that asks about it, with the draws behind it once for its distribution and once for each of its bounds.
``condensed`` writes what files hold: the estimate of an answer as a reference, with what the answer adds to it; a long
list or a mapping that occurs several times once, under a name made from its content; long lists of numbers as bytes;
pictures deflated. ``expanded`` gives back the same data, and leaves what is whole as it is.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, validate

SHARED, SAME, MEASURED = "shared", "$same", "$measured"
NUMBERS, DEFLATED = "$numbers", "deflated"
LONG_LIST = 50
LONG_MAPPING = 160
"""Characters; a shorter mapping is as easily read where it stands."""
NAME = 16
MOST_BYTES, MOST_VALUES = 500_000_000, 20_000_000
"""What is longer when inflated, or holds more when references are followed, is hostile."""
TOO_MUCH = "the data hold more than any result does"
WIDTH = 118


@validate.arguments
def condensed(data: Mapping[str, Any]) -> dict[str, Any]:
    """What ``Result.to_dict`` gave, each thing once.

    Parameters
    ----------
    data
        The whole result.

    Returns
    -------
    dict
        The same with references; ``expanded`` undoes it.

    Examples
    --------
    >>> from surefoot.project.interchange import condensed, expanded
    >>> whole = {"answers": [], "evidence": {}, "first": list(range(100)), "again": list(range(100))}
    >>> list(condensed(whole))[-1], expanded(condensed(whole)) == whole
    ('shared', True)

    """
    if not {"answers", "evidence"} <= set(data):
        raise InvalidInput("these are no data of a result", where="condensed", found=validate.shown(data))
    answers = [_asked(answer, data["evidence"]) for answer in data["answers"]]
    evidence = {name: _packed(item) for name, item in data["evidence"].items()}
    return _shared_once({**data, "answers": answers, "evidence": evidence})


@validate.arguments
def expanded(data: Mapping[str, Any]) -> dict[str, Any]:
    """The whole result from what ``condensed`` gave; what is whole already stays as it is.

    Parameters
    ----------
    data
        Of a file.

    Returns
    -------
    dict
        As ``Result.to_dict`` gives it.

    Raises
    ------
    ValueError
        Where the data are damaged.

    See Also
    --------
    condensed : With an example.

    """
    try:
        shared = {name: item for name, item in data.items() if isinstance(item, Mapping)} | data.get(SHARED, {})
        following = _Following(shared)
        whole = following.resolved({name: item for name, item in data.items() if name != SHARED})
        whole["evidence"] = {name: _unpacked(item, following.inflated) for name, item in whole["evidence"].items()}
        whole["answers"] = [_answered(answer, whole["evidence"]) for answer in whole["answers"]]
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError, binascii.Error, zlib.error) as error:
        raise ValueError(f"the data are damaged: {error!r}") from error
    return dict(whole)


def text(data: Any, *, width: int = WIDTH) -> str:
    """Data as JSON for people and for version control: what fits into a line stands in one, all else in several."""
    return "".join(_lines(data, "", width)) + "\n"


def _lines(data: Any, indent: str, width: int) -> Iterator[str]:
    whole = json.dumps(data, ensure_ascii=True, allow_nan=False)
    if not isinstance(data, dict | list) or len(indent) + len(whole) <= width or _is_numbers(data):
        yield whole
        return
    opening, closing = ("{", "}") if isinstance(data, dict) else ("[", "]")
    parts = (
        [(f"{json.dumps(key)}: ", item) for key, item in data.items()]
        if isinstance(data, dict)
        else [("", item) for item in data]
    )
    yield opening
    for place, (name, item) in enumerate(parts):
        yield f"{',' if place else ''}\n{indent} {name}"
        yield from _lines(item, f"{indent} ", width)
    yield f"\n{indent}{closing}"


def _is_numbers(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(each, int | float) for each in data)


# The estimate of an answer is one of the evidence, with caveats of its own.


def _asked(answer: Mapping[str, Any], evidence: Mapping[str, Any]) -> dict[str, Any]:
    step, found = answer["reference"].partition(".")[0], answer["estimate"]
    for place, measured in enumerate(evidence.get(step, {}).get("estimates", ())):
        if (measured["quantity"], measured["scope"]) == (found["quantity"], found["scope"]):
            added = {name: item for name, item in found.items() if item != measured.get(name)}
            if measured.keys() == found.keys():
                return {**answer, "estimate": {MEASURED: [step, place], **added}}
    return dict(answer)


def _answered(answer: Mapping[str, Any], evidence: Mapping[str, Any]) -> dict[str, Any]:
    estimate = answer.get("estimate")
    if not isinstance(estimate, Mapping) or MEASURED not in estimate:
        return dict(answer)
    step, place = estimate[MEASURED]
    measured = evidence[step]["estimates"][place]
    return {**answer, "estimate": {name: estimate.get(name, item) for name, item in measured.items()}}


# Pictures, which are text of few words, and assumptions that the estimates of a step have already.


def _packed(evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {**evidence, "artefacts": {name: _deflated(item) for name, item in evidence["artefacts"].items()}}


def _unpacked(evidence: Mapping[str, Any], inflated: Callable[[str], bytes]) -> dict[str, Any]:
    return {**evidence, "artefacts": {name: _inflated(item, inflated) for name, item in evidence["artefacts"].items()}}


def _deflated(artefact: Mapping[str, Any]) -> dict[str, Any]:
    content = artefact["content"]
    packed = base64.b64encode(zlib.compress(base64.b64decode(content), 9)).decode()
    if len(packed) >= len(content):
        return dict(artefact)
    return {
        DEFLATED if name == "content" else name: packed if name == "content" else item
        for name, item in artefact.items()
    }


def _inflated(artefact: Mapping[str, Any], inflated: Callable[[str], bytes]) -> dict[str, Any]:
    if DEFLATED not in artefact:
        return dict(artefact)
    content = base64.b64encode(inflated(artefact[DEFLATED])).decode()
    return {
        "content" if name == DEFLATED else name: content if name == DEFLATED else item
        for name, item in artefact.items()
    }


def inflate(packed: str, most: int = MOST_BYTES) -> bytes:
    """What was deflated and written in Base64; ``ValueError`` where it is cut off, too long or followed by others."""
    inflating = zlib.decompressobj()
    try:
        found = inflating.decompress(base64.b64decode(packed, validate=True), max(most, 1))
    except zlib.error as error:
        raise ValueError("the data cannot be inflated") from error
    if not inflating.eof or inflating.unused_data:
        raise ValueError("the data are cut off, too long, or followed by others")
    return found


# What occurs several times, once: counted from the top, so that what lies inside a part that is shared counts once.


def _shared_once(data: dict[str, Any]) -> dict[str, Any]:
    names: dict[int, str] = {}
    _name(data, names)
    counts: Counter[str] = Counter()
    waiting: list[Any] = [data]
    while waiting:
        value = waiting.pop()
        name = names[id(value)]
        if name:
            counts[name] += 1
        if counts[name] <= 1 or not name:
            waiting += [item for item in _inside(value) if isinstance(item, dict | list)]
    shared: dict[str, Any] = {}
    # What stands at the top is said there, and referred to by its key.
    said_at_the_top = {names[id(item)]: key for key, item in data.items() if isinstance(item, dict) and item}

    def said(value: Any, *, top: bool = False) -> Any:
        if not isinstance(value, dict | list):
            return value
        name = names[id(value)]
        if name and counts[name] > 1 and not top:
            if name in said_at_the_top:
                return {SAME: said_at_the_top[name]}
            if name not in shared:
                shared[name] = None
                shared[name] = said(value, top=True)
            return {SAME: name}
        if isinstance(value, list):
            return _as_bytes(value) or [said(item) for item in value]
        return {key: said(item) for key, item in value.items()}

    written = {key: said(item, top=isinstance(item, dict)) for key, item in data.items()}
    return {**written, SHARED: shared} if shared else written


def _inside(value: Any) -> Iterator[Any]:
    yield from value.values() if isinstance(value, dict) else value


def _name(value: Any, names: dict[int, str]) -> tuple[str, int]:
    """The digest of a value and its length; names those that are long enough to be said once."""
    if isinstance(value, dict):
        parts = [(key, *_name(item, names)) for key, item in value.items()]
        length = sum(len(key) + size + 6 for key, _, size in parts)
        found = sha256(repr([(key, name) for key, name, _ in parts]).encode()).hexdigest()
        names[id(value)] = found[:NAME] if length > LONG_MAPPING else ""
        return found, length
    if isinstance(value, list):
        items = [_name(item, names) for item in value]
        found = sha256(repr([name for name, _ in items]).encode()).hexdigest()
        long = len(value) > LONG_LIST and _is_numbers(value)
        names[id(value)] = found[:NAME] if long else ""
        return found, sum(size + 2 for _, size in items)
    plain = json.dumps(value)
    return f"{type(value).__name__} {plain}", len(plain)


class _Following:
    """Follows references, as long as what they give is no larger than any result: each may hold several others."""

    def __init__(self, shared: Mapping[str, Any]) -> None:
        self.shared, self.numbers, self.bytes = shared, 0, 0
        self.sizes: dict[str, int] = {}

    def resolved(self, value: Any) -> Any:
        """The value with everything in its place."""
        if self.size(value) > MOST_VALUES:
            raise ValueError(TOO_MUCH)
        return self._resolved(value)

    def size(self, value: Any) -> int:
        """How many values it holds once references are followed, found out without following any twice."""
        if isinstance(value, Mapping) and set(value) == {SAME} and value[SAME] in self.shared:
            name = value[SAME]
            if name not in self.sizes:
                self.sizes[name] = MOST_VALUES + 1  # what leads back to itself is endless
                self.sizes[name] = self.size(self.shared[name])
            return self.sizes[name]
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        return 1 + sum(map(self.size, items))

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if set(value) == {SAME}:
                return self._resolved(self.shared[value[SAME]]) if value[SAME] in self.shared else dict(value)
            if set(value) == {NUMBERS}:
                return self._numbers(value[NUMBERS])
            return {key: self._resolved(item) for key, item in value.items()}
        return [self._resolved(item) for item in value] if isinstance(value, list) else value

    def _numbers(self, packed: str) -> list[float]:
        found = np.frombuffer(self.inflated(packed), dtype="<f8")
        self.numbers += len(found)
        if self.numbers > MOST_VALUES:
            raise ValueError(TOO_MUCH)
        return found.tolist()

    def inflated(self, packed: str) -> bytes:
        """What was deflated; all together may be no longer than one thing may."""
        found = inflate(packed, MOST_BYTES - self.bytes)
        self.bytes += len(found)
        return found


def _as_bytes(value: list[Any]) -> dict[str, str] | None:
    """A long list of numbers, all of them floating, as the bytes of them; draws need all their digits."""
    if len(value) <= LONG_LIST or not all(type(each) is float for each in value):
        return None
    packed = zlib.compress(np.asarray(value, dtype="<f8").tobytes(), 9)
    return {NUMBERS: base64.b64encode(packed).decode()}
