"""A stable name for a function, so that two different functions never share a key."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any

from surefoot.core.canonical import digest, freeze
from surefoot.core.errors import InvalidInput


def function_identity(function: Callable[..., Any]) -> str:
    """Qualified name and a hash of code, defaults and closed-over values."""
    if isinstance(function, partial):
        inner = function_identity(function.func)
        return f"partial:{inner}:{digest([_value(function.args), _value(function.keywords)])[:16]}"
    name = getattr(function, "__qualname__", type(function).__qualname__)
    module = getattr(function, "__module__", "") or ""
    target = function if hasattr(function, "__code__") else getattr(function, "__func__", None)
    code = getattr(target, "__code__", None)
    if not isinstance(code, CodeType):
        return f"{module}.{name}:{digest(_value(getattr(function, '__dict__', {})))[:16]}"
    cells = [cell.cell_contents for cell in getattr(target, "__closure__", None) or ()]
    defaults = [getattr(target, "__defaults__", None), getattr(target, "__kwdefaults__", None)]
    return f"{module}.{name}:{digest([_code(code), _value(cells), _value(defaults)])[:16]}"


def _code(code: CodeType) -> list[Any]:
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return [code.co_code.hex(), list(code.co_names), constants]


def _value(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _value(item) for key, item in value.items()}
    if hasattr(value, "to_dict"):
        return _value(value.to_dict())
    if callable(value):
        return function_identity(value)
    try:
        return freeze(value)
    except InvalidInput as error:
        raise InvalidInput(
            "a propagated function closes over a value that cannot be recorded",
            found=type(value).__name__,
            remedy="Close over numbers, text, arrays, functions or estimates only.",
        ) from error
