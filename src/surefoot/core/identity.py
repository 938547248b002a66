"""A stable name for a function, so that two different functions never share a key.

Our own functions and classes are known by their package, not by the file they stand in: moving one moves no key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from surefoot.core.canonical import digest, freeze
from surefoot.core.errors import InvalidInput


def function_identity(function: Callable[..., Any]) -> str:
    """Qualified name and a hash of the code and of every value it uses.

    Values are defaults, closed-over variables, the object of a method, and the module's variables and
    functions that the code names; modules and classes count by name.
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
