"""Plain data, canonical JSON and content hashes, and families of dataclasses that are written by a tag.

``freeze`` turns nested data into immutable plain values; ``thaw`` into what ``json`` writes; both
lose nothing. ``digest`` hashes a canonical form in which numbers are rounded to 12 significant
digits, so that the last bits of a floating-point sum do not look like a change.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.errors import InvalidInput, SurefootError

SIGNIFICANT_DIGITS = 12
_SPECIAL = "$float"
_TAGGED = re.compile(r'^class [^:]*\btag="([\w-]+)"', re.MULTILINE)
Item = TypeVar("Item")


class FrozenMap(Mapping[str, Item]):
    """An immutable, picklable mapping with string keys, hashable where its values are."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Item] | None = None) -> None:
        self._items = {_text_key(key): value for key, value in (items or {}).items()}

    def __getitem__(self, key: str) -> Item:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self._items),)


class FrozenDict(FrozenMap[Any]):
    """A frozen mapping of plain values, which are frozen too.

    Parameters
    ----------
    items
        Numbers, texts, lists and mappings by name; arrays become tuples.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.FrozenDict({"levels": [0.9, 0.95]})
    {'levels': (0.9, 0.95)}

    """

    __slots__ = ()

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        if items is not None and not isinstance(items, Mapping):
            raise InvalidInput("this must be a mapping", where="FrozenDict", found=repr(items))
        super().__init__({key: freeze(value) for key, value in (items or {}).items()})


def freeze(value: Any) -> Any:
    """Turn nested lists, dicts, numpy scalars and arrays into immutable plain values."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return _not_nan(float(value))
    if isinstance(value, np.generic):
        return freeze(value.item())
    if isinstance(value, np.ndarray):
        return freeze(value.tolist())
    if isinstance(value, FrozenDict):
        return value
    if isinstance(value, Mapping):
        return FrozenDict(value)
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, set | frozenset):
        return tuple(sorted((freeze(item) for item in value), key=canonical_json))
    raise InvalidInput(
        "only numbers, text, lists and mappings can be recorded",
        found=type(value).__name__,
        remedy="Record its parameters or a digest instead.",
    )


def thaw(value: Any) -> Any:
    """Turn frozen values into what standard JSON can hold; infinities are tagged."""
    if isinstance(value, float) and math.isinf(value):
        return {_SPECIAL: "inf" if value > 0 else "-inf"}
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value


def unthaw(value: Any) -> Any:
    """Inverse of ``thaw``."""
    if isinstance(value, Mapping):
        if set(value) == {_SPECIAL}:
            return float(value[_SPECIAL])
        return FrozenDict({key: unthaw(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(unthaw(item) for item in value)
    return freeze(value)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn whatever damaged or foreign data raises while it is read into ``InvalidInput``."""
    try:
        yield
    except SurefootError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InvalidInput(
            f"this is no recorded {what}",
            found=f"{type(error).__name__}: {str(error)[:120]}",
            remedy="Read only what to_dict wrote, unchanged.",
        ) from error


def canonical_json(value: Any) -> str:
    """One text for one meaning: sorted keys, no spaces, numbers of 12 significant digits.

    Parameters
    ----------
    value
        Plain data, which may hold numpy scalars and arrays.

    Returns
    -------
    str
        JSON.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.canonical_json({"b": 0.1 + 0.2, "a": 1.0})
    '{"a":1,"b":0.3}'

    """
    plain = thaw(_rounded(freeze(value)))
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value.

    Parameters
    ----------
    value
        Plain data, which may hold numpy scalars and arrays.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.digest([1, 2]) == sf.core.digest((1.0, 2.0))
    True

    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@validate.arguments
def array_digest(array: NDArray[Any]) -> str:
    """SHA-256 of an array's type, shape and values, independent of memory order and endianness.

    Parameters
    ----------
    array
        Of numbers or text; one of objects is digested as a list.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rows = np.arange(6.0).reshape(2, 3)
    >>> sf.core.array_digest(rows) == sf.core.array_digest(np.asfortranarray(rows))
    True

    """
    array = np.ascontiguousarray(validate.array(array, where="array_digest", name="array"))
    if array.dtype.hasobject:
        return digest(array.tolist())
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    head = f"{little.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + little.tobytes()).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        if math.isinf(value):
            return value
        # An integral float and the integer mean the same number and must hash alike.
        short = float(f"{value:.{SIGNIFICANT_DIGITS - 1}e}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_rounded(item) for item in value]
    return value


def _not_nan(value: float) -> float:
    if math.isnan(value):
        raise InvalidInput("NaN cannot be recorded", remedy="Leave the entry out and say why it is unknown.")
    return value


def _text_key(key: Any) -> str:
    if not isinstance(key, str):
        raise InvalidInput("a recorded mapping needs text keys", found=repr(key))
    return key


def function_identity(function: Callable[..., Any]) -> str:
    """Qualified name of a function, and a hash of its code and of every value it uses.

    Values are defaults, closed-over variables, the object of a method, and the module's variables and
    functions that the code names; modules and classes count by name. Our own functions and classes are known by their
    package, not by the file they stand in: moving one moves no key.

    Parameters
    ----------
    function
        Any callable.

    Returns
    -------
    str
        Equal for two functions only where they do the same.

    Raises
    ------
    InvalidInput
        Where the function uses a value that cannot be recorded.

    Examples
    --------
    >>> import surefoot as sf
    >>> def doubled(x):
    ...     return 2 * x
    >>> sf.core.function_identity(doubled) == sf.core.function_identity(doubled)
    True

    """
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{home(getattr(function, '__module__', None) or '')}.{name}:{digest(_parts(function, ()))[:16]}"


def home(module: str) -> str:
    """The package that a module of ours belongs to; any other module as it is."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "surefoot" else module


def _parts(function: Any, outer: tuple[Any, ...]) -> Any:
    if any(function is known for known in outer):
        return "recursion"
    inside = (*outer, function)
    if isinstance(function, partial):
        return [_value(part, inside) for part in (function.func, function.args, function.keywords)]
    if isinstance(function, MethodType):
        return [_parts(function.__func__, inside), _value(vars(function.__self__), inside)]
    if isinstance(function, FunctionType):
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        used = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
        values = [function.__defaults__, function.__kwdefaults__, cells, used]
        return [_code(function.__code__), *(_value(value, inside) for value in values)]
    # Names with underscores are Python's own: numpy keeps a signature there once somebody has asked for it.
    state = {name: value for name, value in getattr(function, "__dict__", {}).items() if not name.startswith("__")}
    call = vars(type(function)).get("__call__")
    body = _parts(call, inside) if isinstance(call, FunctionType) else getattr(function, "__name__", "")
    return [body, _value(state, inside)]


def _code(code: CodeType) -> list[Any]:
    return [code.co_code.hex(), list(code.co_names), [_constant(c) for c in code.co_consts]]


def _constant(constant: Any) -> Any:
    if isinstance(constant, CodeType):
        return _code(constant)
    if isinstance(constant, tuple):
        return [_constant(item) for item in constant]
    # The order of a set differs from process to process.
    return sorted(map(repr, constant)) if isinstance(constant, frozenset) else repr(constant)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _value(value: Any, outer: tuple[Any, ...]) -> Any:
    if isinstance(value, ModuleType):
        return f".{home(value.__name__)}"
    if isinstance(value, type):
        return f"{home(value.__module__)}.{value.__name__}"
    if isinstance(value, list | tuple):
        return [_value(item, outer) for item in value]
    if isinstance(value, dict):
        return {str(key): _value(item, outer) for key, item in value.items()}
    if hasattr(value, "to_dict"):
        return _value(value.to_dict(), outer)
    if callable(value):
        return _parts(value, outer)
    try:
        return freeze(value)
    except InvalidInput as error:
        raise InvalidInput(
            "a function uses a value that cannot be recorded",
            found=type(value).__name__,
            remedy="Let it use numbers, text, arrays, functions or estimates only.",
        ) from error


class Tagged:
    """Base of a family; a direct subclass is the family's root, deeper ones register by tag."""

    tag: ClassVar[str]
    _members: ClassVar[dict[str, type[Tagged]]]

    def __init_subclass__(cls, *, tag: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Tagged in cls.__bases__:
            cls._members = {}
        if tag is not None:
            cls.tag = tag
            cls._members[tag] = cls

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, with the tag under ``type``."""
        values = {f.name: getattr(self, f.name) for f in fields(cast(Any, self))}
        return {"type": self.tag} | {name: _plain(value) for name, value in values.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        found = data.get("type") if isinstance(data, Mapping) else data
        member = _defined(cls, found) if isinstance(found, str) else None
        if member is None:
            raise InvalidInput(
                f"unknown {cls.__name__} type",
                found=repr(found),
                remedy=f"Known are {', '.join(sorted(cls._members))}.",
            )
        values = {name: value for name, value in data.items() if name != "type"}
        known = {f.name for f in fields(cast(Any, member))}
        needed = {f.name for f in fields(cast(Any, member)) if f.default is MISSING and f.default_factory is MISSING}
        if not needed <= set(values) <= known:
            raise InvalidInput(f"{found} needs the fields {sorted(known)}", found=sorted(map(str, values)))
        with reading(cls.__name__):
            return cast(Self, member(**{name: cls._read(value) for name, value in values.items()}))

    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "type" in value:
            return _root_of(value["type"]).from_dict(value)
        if isinstance(value, list | tuple):
            return tuple(cls._read(item) for item in value)
        return unthaw(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Tagged):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return thaw(freeze(value))


def _root_of(tag: str) -> type[Tagged]:
    for root in Tagged.__subclasses__():
        if _defined(root, tag):
            return root
    raise InvalidInput("unknown type in recorded data", found=repr(tag))


def _defined(root: type[Tagged], tag: str) -> type[Tagged] | None:
    """The member of a family; one that nothing has loaded yet is found by the header of its class."""
    if tag not in root._members and tag in _homes():
        import_module(_homes()[tag])
    return root._members.get(tag)


@cache
def _homes() -> dict[str, str]:
    """Modules of ours that define members, by tag."""
    top = Path(__file__).parents[1]
    return {
        tag: ".".join((top.name, *path.relative_to(top).with_suffix("").parts))
        for path in top.rglob("*.py")
        for tag in _TAGGED.findall(path.read_text(encoding="utf-8"))
    }
